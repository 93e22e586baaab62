"""What ONNX added and changed in operator sets 18 to 21, against ONNX Runtime run beside.

Each case is written as one of ONNX's test folders, with the outputs of ONNX Runtime, or, where it lacks
the operator or the type or depends on the processor, outputs worked out by hand or by exact arithmetic;
`opscope check` compares.
"""
from support import *
from onnx_cases import *
from onnx_opset_cases import CASES


def test_onnxruntime_computes_the_same(folder):
    compare_with_onnxruntime(folder, [case for case in CASES if case.expected is None])


def test_what_was_worked_out_by_hand(folder):
    cases = [case for case in CASES if case.expected is not None]
    for case in cases:
        data = lay_out(folder, case)
        for index, (name, tensor) in enumerate(zip(case.outputs, case.expected)):
            (data / f"output_{index}.pb").write_bytes(make_tensor(name, *tensor))
    wrong = check(folder, cases)
    true(not wrong, "\n".join(wrong))


def test_a_wrong_output_is_seen(folder):
    case = next(case for case in CASES if case.name == "21_QuantizeLinear_ties")
    data = lay_out(folder, case)
    element, dims, values = case.expected[0]
    (data / "output_0.pb").write_bytes(make_tensor("y", element, dims, [values[0] + 1] + values[1:]))
    equal(len(check(folder, [case])), 1, "wrong cases")


main()
