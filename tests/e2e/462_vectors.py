"""Integers come out the same, bit by bit, whatever vectors the processor has: OPSCOPE_ISA and oneDNN's own
ONEDNN_MAX_CPU_ISA make this machine one with less."""
import random

from support import *
from onnx_cases import *
import integer_products
import tosa_cases
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value
from onnx_opset_cases import CASES, Case, count, node, scalar

LESS = [{"OPSCOPE_ISA": name} for name in ("sse4", "avx2", "avx512", "vnni")]
LESS += [{"ONEDNN_MAX_CPU_ISA": name} for name in ("SSE41", "AVX2", "AVX512_CORE")]

# Kinds of TOSA's integer networks whose loops are compiled for several processors, one of each.
TOSA = ["add_i32_1", "avg_pool2d_i8_i32_2", "clamp_i8", "conv2d_1_i8_i8_i32", "conv2d_2_i16_i8_i48",
        "conv3d_4_i8_i8_i32", "depthwise_conv2d_6_i8_i8_i32", "matmul_i16_i48_3x17x33x9", "matmul_i8_i32_3x17x33x9",
        "max_pool2d_i8_2",
        "mul_i16_1", "reduce_max_i8_1", "reduce_sum_i32_1", "rescale_i16_i8_3_SINGLE_ROUND_31",
        "rescale_i16_i8_3_DOUBLE_ROUND_45", "rescale_i16_i16_4_SINGLE_ROUND_channels"]


def extremes(element, dims, seed):
    """The largest magnitudes with others between them: pairs of products that 16 bits do not hold."""
    low, high = integer_products.LIMITS[element]
    values, state = [], seed
    for _ in range(count(dims)):
        state = state * 1103515245 + 12345 & 0x7fffffff
        values.append((high, low, high, state >> 16 & 0x7f)[state >> 24 & 3])
    return element, dims, values


def extreme_cases():
    """Products with more columns than a vector has, odd depths, and convolutions of each kind."""
    for a, b in (("u8", "i8"), ("i8", "i8"), ("u8", "u8")):
        for rows, depth, columns in ((1, 700, 33), (5, 257, 40), (9, 31, 17), (26, 13, 50)):
            data = {"a": extremes(a, [rows, depth], 1), "b": extremes(b, [depth, columns], 2)}
            none = [(element, [], [0]) for element in (a, b)]
            yield Case(f"product_{a}_{b}_{depth}", 21, [node("MatMulInteger", "a b")], data, {"y": "i32"}, {},
                       [integer_products.matmul(data["a"], data["b"], *none)], None, 0)
        for name, x, w, attributes in (("full", [1, 19, 7, 9], [18, 19, 3, 3], {"pads": [1, 1, 1, 1]}),
                                       ("depthwise", [1, 35, 9, 9], [35, 1, 3, 3], {"group": 35}),
                                       ("pointwise", [1, 67, 4, 5], [34, 67, 1, 1], {})):
            data = {"x": extremes(a, x, 3), "w": extremes(b, w, 4)}
            none = [(element, [], [0]) for element in (a, b)]
            sums = integer_products.convolve(data["x"], data["w"], *none, **attributes)
            yield Case(f"convolution_{name}_{a}_{b}", 21, [node("ConvInteger", "x w", **attributes)], data,
                       {"y": "i32"}, {}, [sums], None, 0)


def scaled_products():
    """Bytes scaled to reals, multiplied by constants and scaled back."""
    for rows, depth, columns in ((1, 70, 33), (14, 65, 40), (40, 129, 96)):
        x, w = extremes("u8", [rows, depth], 5), extremes("i8", [depth, columns], 6)
        fixed = {"w": w, "xs": scalar(0.5), "ws": scalar(0.25), "ys": scalar(500.125),
                 "xz": ("u8", [], [7]), "wz": ("i8", [], [0]), "yz": ("u8", [], [20])}
        sums = integer_products.matmul(x, w, fixed["xz"], fixed["wz"])
        expected = integer_products.requantize(sums, fixed["xs"], fixed["ws"], fixed["ys"], fixed["yz"], 1)
        nodes = [node("DequantizeLinear", "x xs xz", "a"), node("DequantizeLinear", "w ws wz", "b"),
                 node("MatMul", "a b", "m"), node("QuantizeLinear", "m ys yz", "y")]
        yield Case(f"scaled_{rows}_{depth}_{columns}", 17, nodes, {"x": x}, {"y": "u8"}, fixed, [expected], None, 0)


def lay_out_expected(folder, cases):
    for case in cases:
        data = lay_out(folder, case)
        for index, (name, tensor) in enumerate(zip(case.outputs, case.expected)):
            (data / f"output_{index}.pb").write_bytes(make_tensor(name, *tensor))


def test_products_are_exact(folder):
    cases = [case for case in CASES if case.name.endswith("_exact")]
    true(len(cases) > 30, "cases with exact outputs")
    cases += [*extreme_cases(), *scaled_products()]
    lay_out_expected(folder, cases)
    for environment in LESS:
        for plain in ([], ["--plain"]):
            wrong = wrong_cases(folder, cases, environment, *plain)
            true(not wrong, f"{environment} {plain}: " + "\n".join(wrong))


def wrong_cases(folder, cases, environment, *options):
    report = opscope("check", "--json", "--in-process", *options, *(folder / case.name for case in cases), code=None,
                     env=environment)
    lines = [json.loads(line) for line in report.out.splitlines()]
    equal(len(lines), len(cases), f"cases in {report}")
    return [f"{pathlib.Path(line['case']).name}: {line['reason']}" for line in lines if line["status"] != "pass"]


def test_sums_that_saturate_would_be_seen(folder):
    """The cases are worth something: 16-bit sums of two products, as some processors make them, are others."""
    a, b = extremes("u8", [5, 257], 1), extremes("i8", [257, 40], 2)
    none = [(element, [], [0]) for element in ("u8", "i8")]
    exact = integer_products.matmul(a, b, *none)
    pairs = [(a[2][k] * b[2][k * 40], a[2][k + 1] * b[2][(k + 1) * 40]) for k in range(0, 256, 2)]
    saturated = sum(min(max(sum(pair), -32768), 32767) for pair in pairs) + a[2][256] * b[2][256 * 40]
    true(saturated != exact[2][0], "the first sum saturates")
    case = Case("saturated", 21, [node("MatMulInteger", "a b")], {"a": a, "b": b}, {"y": "i32"}, {},
                [(exact[0], exact[1], [saturated] + exact[2][1:])], None, 0)
    lay_out_expected(folder, [case])
    equal(len(wrong_cases(folder, [case], {})), 1, "wrong cases")


def test_tosa_networks_of_integers_are_the_same(folder):
    networks = dict(tosa_cases.cases())
    for name in TOSA:
        path = write(folder / f"{name}.mlir", networks[name])
        found = set()
        for environment in LESS[:3]:
            opscope("infer", path, "--seed", "7", "--output", folder / "y.bin", env=environment)
            found.add((folder / "y.bin").read_bytes())
        equal(len(found), 1, f"different outputs of {name}")
        true(any(found.pop()), f"{name} gives more than zeros")


def quantized_network():
    """Convolutions of quantized numbers one after the other, of each kind, with others between and beside them
    that take images in either order."""
    state = random.Random(1)
    constants, nodes = [make_tensor("s", "f32", [], [0.05]), make_tensor("z", "u8", [], [120]),
                        make_tensor("none", "i8", [], [0])], []

    def convolve(x, y, inputs, outputs, side, group=1, **attributes):
        weights = [outputs, inputs // group, side, side]
        constants.extend([
            make_tensor(f"{y}_w", "i8", weights, [state.choice((-128, 127, state.randint(-90, 90)))
                                                  for _ in range(count(weights))]),
            make_tensor(f"{y}_ws", "f32", [outputs], [0.006 + i / 9e3 for i in range(outputs)]),
            make_tensor(f"{y}_b", "i32", [outputs], [state.randint(-999, 999) for _ in range(outputs)])])
        nodes.append(make_node("QLinearConv", [x, "s", "z", f"{y}_w", f"{y}_ws", "none", "s", "z", f"{y}_b"], [y],
                               name=y, group=group, pads=[side // 2] * 4, **attributes))

    nodes.append(make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="q"))
    convolve("q", "a", 3, 33, 3, strides=[2, 2])
    convolve("a", "b", 33, 70, 1)
    convolve("b", "c", 70, 70, 3, group=70)
    nodes.append(make_node("MaxPool", ["c"], ["d"], name="d", kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    convolve("d", "e", 70, 16, 1)
    convolve("e", "f", 16, 16, 5, group=16, strides=[2, 2])
    convolve("f", "g", 16, 24, 3, group=4)
    nodes.append(make_node("Transpose", ["e"], ["h"], name="h", perm=[0, 2, 3, 1]))
    nodes.append(make_node("DequantizeLinear", ["g", "s", "z"], ["y"], name="y"))
    graph = make_graph(nodes, [make_value("x", "f32", [2, 3, 21, 17])],
                       [make_value("y", "f32"), make_value("h", "u8"), make_value("c", "u8")], constants)
    return make_model(graph, opset=13)


def test_the_order_of_images_changes_nothing(folder):
    path = write(folder / "quantized.onnx", quantized_network())
    names, found = [folder / f"{name}.bin" for name in "yhc"], set()
    for environment in LESS[:4]:
        for how in (["--plain"], ["--threads", "1"], ["--threads", "3"]):
            opscope("infer", path, "--seed", "5", *how, *(word for name in names for word in ("--output", name)),
                    env=environment)
            found.add(tuple(name.read_bytes() for name in names))
    equal(len(found), 1, "different outputs")
    true(all(len(set(output)) > 20 for output in found.pop()), "many numbers")


def test_a_value_that_is_not_known(folder):
    err = opscope("info", folder / "none", code=2, env={"OPSCOPE_ISA": "avx"}).err
    equal(err, "opscope: OPSCOPE_ISA: 'avx' is none of sse4, avx2, avx512, vnni\n", "message")
    opscope("infer", "--help", env={"OPSCOPE_ISA": "avx"})


main()
