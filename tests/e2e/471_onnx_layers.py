"""Convolutions, poolings, products, normalizations and recurrent layers against ONNX Runtime run beside."""
from support import *
from onnx_cases import *
from onnx_layer_cases import LAYERS, narrow_pairs


def test_onnxruntime_computes_the_same(folder):
    compare_with_onnxruntime(folder, LAYERS)


def test_narrow_numbers_are_computed_wide_and_rounded_once(folder):
    for element in ("f16", "bf16"):
        pairs = list(narrow_pairs(element))
        true(len({case.name.split("_")[1] for case, _ in pairs}) > 20, "operators in narrow numbers")
        for wide, narrow in pairs:
            data = lay_out(folder, wide)
            answer = onnxruntime(**request(wide, data))
            true("error" not in answer, f"{wide.name}: {answer.get('error')}")
            keep_outputs(data, answer)
            (data.parent / "model.onnx").write_bytes(narrow.model())
        wrong = check(folder, [narrow for _, narrow in pairs])
        true(not wrong, "\n".join(wrong))


main()
