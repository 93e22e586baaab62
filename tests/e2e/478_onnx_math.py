"""Edge cases of ONNX's arithmetic, each against a value worked out by hand or by Python."""
import math
import struct

from support import *
from onnx_writer import *


def compute(folder, operator, inputs, want, opset=21, outputs=1, nodes=None, **attributes):
    """The first output's elements, of type `want`. Inputs are (element, dims, values), or None
    for one that is left out. `nodes` stand for a whole graph with inputs x0, x1 ... and output y."""
    names = [f"x{i}" if value else "" for i, value in enumerate(inputs)]
    given = [make_value(name, *value[:2]) for name, value in zip(names, inputs) if value]
    made = [make_node(operator, names, ["y", "z"][:outputs], **attributes)] if nodes is None else nodes
    path = write(folder / "m.onnx", make_model(make_graph(made, given, [make_value("y")]), opset=opset))
    arguments = []
    for name, value in zip(names, inputs):
        if value:
            arguments += ["--input", f"@{write(folder / f'{name}.pb', make_tensor(name, *value))}"]
    opscope("infer", path, *arguments, "--output", folder / "y.bin")
    raw = (folder / "y.bin").read_bytes()
    letter = ELEMENTS[want][1]
    return list(struct.unpack(f"<{len(raw) // struct.calcsize(letter)}{letter}", raw))


def vector(element, values):
    return element, [len(values)], values


LOWEST, HIGHEST = -2**31, 2**31 - 1


def test_integers_wrap_around_and_never_trap(folder):
    def of(operator, a, b, element="i32", **attributes):
        return compute(folder, operator, [vector(element, a), vector(element, b)], element, **attributes)

    equal(of("Add", [HIGHEST], [1]), [LOWEST], "Add")
    equal(of("Sub", [LOWEST], [1]), [HIGHEST], "Sub")
    equal(of("Mul", [HIGHEST, 65536], [2, 65536]), [-2, 0], "Mul")
    equal(of("Mul", [-1, 255], [-1, 255], "i16"), [1, 65025 - 65536], "Mul of i16")
    equal(of("Div", [7, -7, 5, LOWEST], [2, 2, 0, -1]), [3, -3, 0, LOWEST], "Div")
    equal(of("Div", [-128], [-1], "i8"), [-128], "Div of i8")
    equal(of("Mod", [7, -7, 5, LOWEST], [-3, 3, 0, -1]), [-2, 2, 0, 0], "Mod")
    equal(of("Mod", [7, -7, 5, LOWEST], [-3, 3, 0, -1], fmod=1), [1, -1, 0, 0], "fmod")
    equal(of("BitShift", [255, 255, 1], [1, 8, 200], "u8", direction="LEFT"), [254, 0, 0], "LEFT")
    equal(of("BitShift", [2**63, 5], [63, 64], "u64", direction="RIGHT"), [1, 0], "RIGHT")
    equal(of("Pow", [2, 3, -1, 5, 0], [10, 40, -3, -1, 0]), [1024, wrap(3**40), -1, 0, 1], "Pow")
    equal(compute(folder, "Abs", [vector("i32", [LOWEST, -5])], "i32"), [LOWEST, 5], "Abs")
    equal(compute(folder, "Neg", [vector("i8", [-128, 5])], "i8"), [-128, -5], "Neg")


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


def test_large_integers_stay_exact(folder):
    big = 2**62 + 1
    equal(compute(folder, "Add", [vector("i64", [big]), vector("i64", [2])], "i64"), [big + 2], "Add")
    equal(compute(folder, "Max", [vector("u64", [2**64 - 1]), vector("u64", [1])], "u64"), [2**64 - 1],
          "Max")
    equal(compute(folder, "Clip", [vector("i64", [big + 5]), None, ("i64", [], [big])], "i64"), [big],
          "Clip")
    equal(compute(folder, "ReduceSum", [vector("i64", [big, 2])], "i64"), [big + 2], "ReduceSum")
    equal(compute(folder, "CumSum", [vector("u64", [2**63, 2**63, 3]), ("i64", [], [0])], "u64"),
          [2**63, 0, 3], "CumSum")


def test_broadcasting_before_version_7(folder):
    a = ("f32", [2, 3, 2], [float(i) for i in range(12)])
    got = compute(folder, "Add", [a, ("f32", [3], [10.0, 20.0, 30.0])], "f32", opset=6, broadcast=1,
                  axis=1)
    equal(got, [i + 10.0 * (i // 2 % 3 + 1) for i in range(12)], "in the middle")
    got = compute(folder, "Sub", [a, ("f32", [2], [1.0, 2.0])], "f32", opset=6, broadcast=1)
    equal(got, [i - 1.0 - i % 2 for i in range(12)], "at the end")
    got = compute(folder, "Mul", [a, ("f32", [2, 1], [1.0, -1.0])], "f32", opset=1, broadcast=1, axis=0)
    equal(got, [i * (1.0 if i < 6 else -1.0) for i in range(12)], "with a dimension of 1")
    got = compute(folder, "PRelu", [("f32", [1, 2, 2], [-1.0, 1.0, -2.0, 2.0]), ("f32", [2], [0.5, 0.25])],
                  "f32", opset=6)
    equal(got, [-0.5, 1.0, -0.5, 2.0], "slope of channels")
    graph = make_graph([make_node("Add", ["a", "b"], ["y"])],
                       [make_value("a", "f32", [2, 3]), make_value("b", "f32", [3])], [make_value("y")])
    path = write(folder / "m.onnx", make_model(graph, opset=6))
    contains(opscope("infer", path, code=1).err, "without the attribute broadcast")


def test_narrow_floats_are_rounded_once(folder):
    ones = vector("f16", [1.0, 2048.0])
    small = vector("f16", [2**-11, 1.0])
    equal(compute(folder, "Sum", [ones, small, small], "f16"), [1 + 2**-10, 2050.0], "Sum of f16")
    bf16 = lambda number: struct.unpack("<I", struct.pack("<f", number))[0] >> 16
    got = compute(folder, "Sum", [vector("bf16", [bf16(1.0)])] + [vector("bf16", [bf16(2**-8)])] * 2, "bf16")
    equal(got, [bf16(1 + 2**-7)], "Sum of bf16")
    got = compute(folder, "Exp", [vector("f16", [1.0, -20.0, 12.0])], "f16")
    equal(got, [struct.unpack("<e", struct.pack("<e", math.exp(1)))[0], 0.0, math.inf], "Exp of f16")
    got = compute(folder, "ReduceSum", [vector("f16", [1.0] + [2**-11] * 64)], "f16")
    equal(got, [1 + 2**-5], "ReduceSum of f16")


def test_casts(folder):
    def cast(source, values, target, read=None, **attributes):
        return compute(folder, "Cast", [vector(source, values)], read or target, to=ELEMENTS[target][0],
                       **attributes)

    equal(cast("f32", [0.4, -0.0, math.nan], "bool"), [True, False, True], "bool")
    equal(cast("f32", [448.0, 1e9, math.inf, 2**-10], "f8e4m3fn"), [0x7e, 0x7e, 0x7e, 0], "saturated")
    equal(cast("f32", [448.0, 1e9, math.inf], "f8e4m3fn", saturate=0), [0x7e, 0x7f, 0x7f], "not saturated")
    equal(cast("f32", [57344.0, 1e9, -1e9], "f8e5m2", saturate=0), [0x7b, 0x7c, 0xfc], "infinite")
    equal(cast("f8e5m2fnuz", [0x80, 0x00, 0x40, 0xc0], "f32")[1:], [0.0, 1.0, -1.0], "from f8")
    equal(cast("text", ["1e-7", " 12 ", "-INF", "+inf"], "f64"), [1e-7, 12.0, -math.inf, math.inf], "text")
    equal(cast("text", ["-12", "9223372036854775807"], "i64"), [-12, 2**63 - 1], "text to i64")
    equal(cast("f64", [1 + 2**-24 + 2**-50], "f32"), [1 + 2**-23], "rounded up")
    nodes = [make_node("Cast", ["x0"], ["t"], to=ELEMENTS["i4"][0]),
             make_node("Cast", ["t"], ["y"], to=ELEMENTS["i8"][0])]
    equal(compute(folder, "", [vector("f32", [-9.0, 2.5, 7.4, 100.0])], "i8", nodes=nodes), [-8, 2, 7, 7],
          "i4")
    nodes = [make_node("Cast", ["x0"], ["t"], to=ELEMENTS["text"][0]),
             make_node("Cast", ["t"], ["y"], to=ELEMENTS["f32"][0])]
    numbers = [struct.unpack("<f", struct.pack("<f", x))[0] for x in (0.1, -1e-30, 3e38, 7.0, math.inf)]
    equal(compute(folder, "", [vector("f32", numbers)], "f32", nodes=nodes), numbers, "there and back")


def test_a_text_that_is_no_number_is_named(folder):
    graph = make_graph([make_node("Cast", ["x"], ["y"], to=1, name="parse")], [make_value("x", "text", [2])],
                       [make_value("y")])
    path = write(folder / "m.onnx", make_model(graph))
    write(folder / "x.pb", make_tensor("x", "text", [2], ["1", "one"]))
    said = opscope("infer", path, "--input", "@x.pb", code=1, cwd=folder).err
    contains(said, "node 'parse' (Cast)")
    contains(said, "element 1: 'one' is not a number of f32")


def test_texts_are_compared_and_chosen(folder):
    a, b = vector("text", ["x", "yes", ""]), vector("text", ["x", "no", ""])
    equal(compute(folder, "Equal", [a, b], "bool", opset=19), [True, False, True], "Equal")
    nodes = [make_node("Where", ["x0", "x1", "x2"], ["t"]), make_node("Equal", ["t", "x2"], ["y"])]
    condition = vector("bool", [True, False, True])
    equal(compute(folder, "", [condition, a, b], "bool", nodes=nodes), [True, True, True], "Where")


def test_reductions_of_nothing(folder):
    none = ("f32", [2, 0], [])
    axes = ("i64", [1], [1])
    for operator, want in (("ReduceSum", 0.0), ("ReduceProd", 1.0), ("ReduceMax", -math.inf),
                           ("ReduceMin", math.inf), ("ReduceLogSum", -math.inf), ("ReduceL2", 0.0)):
        equal(compute(folder, operator, [none, axes], "f32", opset=20), [want] * 2, operator)
    equal(compute(folder, "ReduceMin", [("bool", [2, 0], []), axes], "bool", opset=20), [True] * 2, "all")
    equal(compute(folder, "ReduceSumSquare", [vector("f32", [3.0, -2.0])], "f32", noop_with_empty_axes=1),
          [9.0, 4.0], "along no axes")


def test_clip_takes_attributes_and_inputs(folder):
    x = vector("f32", [-5.0, 0.5, 5.0, math.nan])
    got = compute(folder, "Clip", [x], "f32", opset=6, min=-1.0, max=1.0)
    equal(got[:3], [-1.0, 0.5, 1.0], "attributes")
    true(math.isnan(got[3]), "NaN stays")
    equal(compute(folder, "Clip", [x, None, ("f32", [], [1.0])], "f32")[:3], [-5.0, 0.5, 1.0], "one bound")
    equal(compute(folder, "Clip", [x, ("f32", [], [2.0]), ("f32", [], [1.0])], "f32")[:3], [1.0] * 3,
          "the upper bound wins")


def test_dropout_in_every_version(folder):
    x = vector("f32", [1.0, 2.0, 3.0, 4.0] * 250)
    equal(compute(folder, "Dropout", [x], "f32", opset=6, is_test=1), x[2], "version 6, test")
    equal(compute(folder, "Dropout", [x], "f32", opset=7), x[2], "version 7")
    equal(compute(folder, "Dropout", [x], "f32", opset=13), x[2], "version 13")
    ratio, training = ("f32", [], [0.75]), ("bool", [], [True])
    got = compute(folder, "Dropout", [x, ratio, training], "f32", opset=13, outputs=2, seed=3)
    true(all(y in (0.0, 4 * v) for v, y in zip(x[2], got)), "dropped or scaled")
    kept = sum(y != 0 for y in got)
    true(200 < kept < 300, f"{kept} of 1000 kept at a ratio of 0.75")
    again = compute(folder, "Dropout", [x, ratio, training], "f32", opset=13, outputs=2, seed=3)
    equal(again, got, "the same seed")


def test_random_numbers_are_numpys(folder):
    got = compute(folder, "RandomUniform", [], "f64", shape=[3], dtype=11, seed=0.0)
    equal(got, [0.5488135039273248, 0.7151893663724195, 0.6027633760716439], "RandomState(0).rand(3)")
    got = compute(folder, "RandomNormal", [], "f64", shape=[2], dtype=11, seed=0.0, mean=1.0, scale=2.0)
    close_to(got[0], 1 + 2 * 1.764052345967664, 1e-12, "RandomState(0).randn")
    got = compute(folder, "Multinomial", [("f32", [1, 3], [-1e9, 0.0, -1e9])], "i64", dtype=7,
                  sample_size=5)
    equal(got, [1] * 5, "the only class")


def test_empty_and_scalar_tensors(folder):
    equal(compute(folder, "Add", [("f32", [0, 3], []), ("f32", [1, 3], [1.0] * 3)], "f32"), [], "empty")
    equal(compute(folder, "Exp", [("f32", [], [0.0])], "f32"), [1.0], "scalar")
    equal(compute(folder, "ReduceSum", [("f32", [], [3.0])], "f32"), [3.0], "reduced scalar")
    equal(compute(folder, "Softmax", [("f32", [0, 4], [])], "f32"), [], "empty softmax")
    equal(compute(folder, "Softmax", [vector("f32", [7.0])], "f32"), [1.0], "softmax of one")


def test_first_versions(folder):
    x = ("f32", [1, 2, 2, 3], [float(i) for i in range(12)])
    got = compute(folder, "ImageScaler", [x], "f32", opset=1, scale=2.0, bias=[1.0, -1.0])
    equal(got, [2 * i + (1.0 if i < 6 else -1.0) for i in range(12)], "ImageScaler")
    got = compute(folder, "Crop", [x], "f32", opset=1, border=[1, 0, 1, 1])
    equal(got, [1.0, 7.0], "Crop")
    got = compute(folder, "Crop", [x], "f32", opset=1, border=[1, 1, 0, 0], scale=[1, 2])
    equal(got, [4.0, 5.0, 10.0, 11.0], "Crop to a size")
    equal(compute(folder, "Affine", [vector("f32", [1.0, 2.0])], "f32", opset=1, alpha=3.0, beta=1.0),
          [4.0, 7.0], "Affine")
    equal(compute(folder, "Cast", [vector("f32", [1.5])], "i32", opset=1, to="INT32"), [1], "Cast by name")
    got = compute(folder, "Greater", [("f32", [2, 2], [1.0, 2.0, 3.0, 4.0]), ("f32", [2], [2.0, 3.0])],
                  "bool", opset=1, broadcast=1, axis=0)
    equal(got, [False, False, False, True], "Greater")
    got = compute(folder, "Softmax", [("f32", [1, 2, 2], [0.0] * 4)], "f32", opset=1)
    equal(got, [0.25] * 4, "Softmax of everything behind the axis")
    got = compute(folder, "ReduceMax", [("f32", [2, 2], [1.0, 5.0, 2.0, 3.0])], "f32", opset=1, axes=[0])
    equal(got, [2.0, 5.0], "ReduceMax")
    got = compute(folder, "Selu", [vector("f32", [1.0])], "f32", opset=1)
    close_to(got[0], 1.0507, 1e-6, "Selu's first gamma")


def test_results_do_not_depend_on_threads(folder):
    x = ("f32", [37, 41, 53])
    for operator, inputs, opset, attributes in (
            ("Exp", [x], 13, {}), ("Add", [x, ("f32", [41, 1])], 13, {}), ("Softmax", [x], 13, {"axis": 1}),
            ("ReduceSum", [x], 11, {"axes": [0, 2]}), ("ReduceMean", [x], 11, {"axes": [1]}),
            ("LogSoftmax", [x], 13, {}), ("ReduceLogSumExp", [x], 11, {})):
        names = [f"x{i}" for i in range(len(inputs))]
        graph = make_graph([make_node(operator, names, ["y"], **attributes)],
                           [make_value(name, *type) for name, type in zip(names, inputs)], [make_value("y")])
        path = write(folder / "m.onnx", make_model(graph, opset=opset))
        results = []
        for threads in (1, 2, 5):
            opscope("infer", path, "--threads", threads, "--output", folder / "y.bin")
            results.append((folder / "y.bin").read_bytes())
        true(results[0] == results[1] == results[2] and len(results[0]) > 0, f"{operator} depends on threads")


def test_wrong_inputs_are_refused(folder):
    def refused(operator, inputs, message, opset=21, **attributes):
        names = [f"x{i}" for i in range(len(inputs))]
        graph = make_graph([make_node(operator, names, ["y"], **attributes)],
                           [make_value(name, *type) for name, type in zip(names, inputs)], [make_value("y")])
        path = write(folder / "m.onnx", make_model(graph, opset=opset))
        contains(opscope("infer", path, code=1).err, message)

    refused("Add", [("f32", [2]), ("f32", [3])], "do not fit together")
    refused("Add", [("f32", [2]), ("i32", [2])], "inputs of f32 and i32")
    refused("Exp", [("i32", [2])], "cannot be of i32")
    refused("Softmax", [("f32", [2, 2])], "axis 2 of a tensor with 2 dimensions", axis=2)
    refused("ReduceSum", [("f32", [2, 2])], "axis 5", opset=11, axes=[0, 5])
    refused("ReduceSum", [("f32", [2, 2])], "given twice", opset=11, axes=[1, -1])
    refused("ArgMax", [("f32", [2, 0])], "no elements", axis=1)
    refused("Cast", [("f32", [2])], "no type to cast to", to=99)
    refused("BitShift", [("u8", [2]), ("u8", [2])], "neither LEFT nor RIGHT", direction="UP")
    refused("PRelu", [("f32", [2]), ("f32", [3, 2])], "does not fit into")
    refused("Clip", [("f32", [2]), ("f32", [2])], "not one number")
    refused("Where", [("f32", [2]), ("f32", [2]), ("f32", [2])], "cannot be of f32")
    refused("RandomNormal", [], "too large", shape=[2**40, 2**40])
    refused("Gelu", [("f32", [2])], "neither none nor tanh", approximate="maybe")


main()
