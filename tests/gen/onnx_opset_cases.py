"""Small networks for every operator that ONNX added or changed in operator sets 18 to 21.

A case is a network, its inputs and, where ONNX Runtime lacks the operator or the type or computes what
depends on the processor, outputs worked out by hand or exactly, with the reason. Types that cannot be
inputs of ONNX Runtime (bf16, f8, 4-bit integers) are made inside the network by Cast.
"""
import cmath
import random

import integer_products
from onnx_writer import *
from pictures import make_bmp, make_png, make_pnm

CASES = []


class Case:
    def __init__(self, name, opset, nodes, inputs, outputs, initializers, expected, why, tolerance):
        self.name = name
        self.opset = opset
        self.nodes = nodes
        self.inputs = inputs            # name: (element, dims, values)
        self.outputs = outputs          # name: element
        self.initializers = initializers
        self.expected = expected        # by hand: list of (element, dims, values), or None
        self.why = why                  # ONNX Runtime cannot tell
        self.tolerance = tolerance

    def model(self):
        graph = make_graph(
            self.nodes,
            [make_value(name, element, dims) for name, (element, dims, _) in self.inputs.items()],
            [make_value(name, element) for name, element in self.outputs.items()],
            [make_tensor(name, *tensor) for name, tensor in self.initializers.items()])
        return make_model(graph, opset=self.opset, ir_version=10 if self.opset > 20 else 9)


def case(name, opset, nodes, inputs=None, outputs=None, fixed=None, expected=None, why=None,
         tolerance=1e-5):
    """Outputs are f32 'y' unless told otherwise; `fixed` are initializers."""
    if isinstance(nodes, bytes):
        nodes = [nodes]
    assert (expected is None) == (why is None), name
    assert all(name != other.name for other in CASES), name
    CASES.append(Case(f"{opset}_{name}", opset, nodes, inputs or {}, outputs or {"y": "f32"},
                      fixed or {}, expected, why, tolerance))


def count(dims):
    product = 1
    for length in dims:
        product *= length
    return product


def reals(dims, seed=0, low=-2.0, high=2.0, element="f32"):
    """Random numbers in sixty-fourths, so that f16 and bf16 hold most of them exactly."""
    source = random.Random(seed)
    return element, dims, [round(source.uniform(low, high) * 64) / 64 for _ in range(count(dims))]


def integers(dims, seed=0, low=-9, high=9, element="i64"):
    source = random.Random(seed)
    return element, dims, [source.randint(low, high) for _ in range(count(dims))]


def i64(*values):
    return "i64", [len(values)], list(values)


def scalar(value, element="f32"):
    return element, [], [value]


def node(operator, inputs="x", outputs="y", **attributes):
    """Names separated by blanks; '-' is an input that is left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return make_node(operator, names, outputs.split(), **attributes)


def cast(source, target, element, **attributes):
    return make_node("Cast", [source], [target], to=ELEMENTS[element][0], **attributes)


# 18 -----------------------------------------------------------------------------

def bitwise():
    for element, low in (("i32", -99), ("u8", 0), ("i64", -99), ("u16", 0), ("i8", -99)):
        pair = {"a": integers([2, 3], 1, low, 99, element), "b": integers([3], 2, low, 99, element)}
        for operator in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            case(f"{operator}_{element}", 18, node(operator, "a b"), pair, {"y": element})
        case(f"BitwiseNot_{element}", 18, node("BitwiseNot", "a"), {"a": pair["a"]}, {"y": element})


def center_crop_pad():
    x = {"x": reals([7, 8, 3])}
    case("CenterCropPad_crop", 18, node("CenterCropPad", "x shape"), x, fixed={"shape": i64(4, 5, 3)})
    case("CenterCropPad_pad", 18, node("CenterCropPad", "x shape"), x, fixed={"shape": i64(10, 13, 6)})
    case("CenterCropPad_axes", 18, node("CenterCropPad", "x shape", axes=[1, 0]), x,
         fixed={"shape": i64(9, 4)})
    case("CenterCropPad_negative_axes", 18, node("CenterCropPad", "x shape", axes=[-3, -2]), x,
         fixed={"shape": i64(10, 9)})


def col2im():
    case("Col2Im", 18, node("Col2Im", "x image block"), {"x": reals([1, 5, 5])},
         fixed={"image": i64(5, 5), "block": i64(1, 5)})
    case("Col2Im_strides_pads", 18, node("Col2Im", "x image block", strides=[2, 2], pads=[1, 0, 1, 0]),
         {"x": reals([2, 8, 9])}, fixed={"image": i64(4, 7), "block": i64(2, 2)})
    case("Col2Im_dilations", 18, node("Col2Im", "x image block", dilations=[1, 5]),
         {"x": reals([1, 4, 5])}, fixed={"image": i64(6, 6), "block": i64(2, 2)})
    case("Col2Im_5d", 18, node("Col2Im", "x image block"), {"x": reals([1, 10, 12])},
         fixed={"image": i64(3, 4, 5), "block": i64(1, 1, 5)})


def normalize():
    x = {"x": reals([2, 4, 3, 2], 5)}
    case("GroupNormalization", 18, node("GroupNormalization", "x scale bias", num_groups=2, epsilon=0.01),
         x, fixed={"scale": reals([2], 1), "bias": reals([2], 2)})
    case("GroupNormalization", 21, node("GroupNormalization", "x scale bias", num_groups=2, epsilon=0.01),
         x, fixed={"scale": reals([4], 1), "bias": reals([4], 2)})
    case("GroupNormalization_f16", 21, node("GroupNormalization", "x scale bias", num_groups=4),
         {"x": reals([1, 8, 5], 5, element="f16")}, {"y": "f16"},
         fixed={"scale": reals([8], 1, element="f16"), "bias": reals([8], 2, element="f16")}, tolerance=2e-3)


def pool():
    x = {"x": reals([1, 2, 7, 8], 3)}
    case("LpPool_dilations", 18, node("LpPool", kernel_shape=[2, 2], dilations=[2, 2]), x)
    case("LpPool_p3_pads", 18, node("LpPool", kernel_shape=[3, 2], p=3, pads=[1, 0, 1, 1], strides=[2, 1]), x)
    case("LpPool_same_upper", 18, node("LpPool", kernel_shape=[3, 3], auto_pad="SAME_UPPER", strides=[2, 2]), x)
    case("LpPool_1d", 18, node("LpPool", kernel_shape=[3], p=1), {"x": reals([2, 3, 9])})
    case("AveragePool_dilations", 19, node("AveragePool", kernel_shape=[2, 2], dilations=[2, 2]), x)
    case("AveragePool_dilations_pads", 19,
         node("AveragePool", kernel_shape=[2, 3], dilations=[2, 1], pads=[1, 1, 1, 1], strides=[2, 1]), x)
    case("AveragePool_count_include_pad", 19,
         node("AveragePool", kernel_shape=[2, 2], dilations=[3, 2], pads=[1, 1, 1, 1], count_include_pad=1), x)
    case("AveragePool_ceil", 19, node("AveragePool", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1), x)
    case("AveragePool_3d", 19, node("AveragePool", kernel_shape=[2, 2, 2], dilations=[1, 2, 1]),
         {"x": reals([1, 1, 4, 5, 4])})


def mish():
    case("Mish", 18, node("Mish"), {"x": reals([4, 5], 0, -9, 9)})


def optional():
    x = {"x": reals([2, 3])}
    case("OptionalGetElement_tensor", 18, node("OptionalGetElement"), x)
    case("OptionalHasElement_tensor", 18, node("OptionalHasElement"), x, {"y": "bool"})
    case("OptionalHasElement_absent", 18, make_node("OptionalHasElement", [], ["y"]), {}, {"y": "bool"},
         expected=[("bool", [], [False])], why="ONNX Runtime wants an input")


def pad():
    x = {"x": reals([2, 3, 4])}
    for mode in ("constant", "reflect", "edge"):
        case(f"Pad_axes_{mode}", 18, node("Pad", "x pads - axes", mode=mode), x,
             fixed={"pads": i64(1, 2, 1, 0), "axes": i64(1, -1)})
    case("Pad_axes_value", 18, node("Pad", "x pads value axes"), x,
         fixed={"pads": i64(0, 2), "axes": i64(2), "value": scalar(1.5)})
    case("Pad_wrap", 19, node("Pad", "x pads", mode="wrap"), x, fixed={"pads": i64(0, 1, 3, 1, 2, 0)})
    case("Pad_wrap_axes", 19, node("Pad", "x pads - axes", mode="wrap"), x,
         fixed={"pads": i64(3, 6), "axes": i64(2)})
    case("Pad_negative", 21, node("Pad", "x pads"), x, fixed={"pads": i64(0, -1, 1, 0, 0, -2)})


REDUCTIONS = ["ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
              "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"]


def reduce():
    x = {"x": reals([2, 3, 4], 1, 0.25, 2)}
    for operator in REDUCTIONS:
        case(f"{operator}_axes", 18, node(operator, "x axes", keepdims=0), x, fixed={"axes": i64(-1, 0)})
        case(f"{operator}_all", 18, node(operator), x)
        case(f"{operator}_noop", 18, node(operator, "x axes", noop_with_empty_axes=1), x,
             fixed={"axes": i64()})
    for operator in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceMean"):
        case(f"{operator}_i32", 18, node(operator, "x axes"), {"x": integers([3, 4], 2, element="i32")},
             {"y": "i32"}, fixed={"axes": i64(1)})
    for operator in ("ReduceMax", "ReduceMin"):
        for axes in ([0], [1], [0, 1]):
            case(f"{operator}_bool_{'_'.join(map(str, axes))}", 20, node(operator, "x axes", keepdims=0),
                 {"x": integers([3, 2], 3, 0, 1, "bool")}, {"y": "bool"}, fixed={"axes": i64(*axes)})


def resize():
    x = {"x": reals([1, 1, 4, 6])}
    for mode in ("linear", "cubic"):
        for name, sizes in (("down", i64(1, 1, 2, 3)), ("uneven", i64(1, 1, 3, 5)), ("up", i64(1, 1, 7, 9))):
            case(f"Resize_antialias_{mode}_{name}", 18, node("Resize", "x - - sizes", mode=mode, antialias=1),
                 x, fixed={"sizes": sizes})
        case(f"Resize_antialias_{mode}_outside", 18,
             node("Resize", "x - - sizes", mode=mode, antialias=1, exclude_outside=1), x,
             fixed={"sizes": i64(1, 1, 2, 4)})
    case("Resize_axes", 18, node("Resize", "x - scales", mode="linear", axes=[3, 2]), x,
         fixed={"scales": ("f32", [2], [1.5, 2.0])})
    for policy in ("stretch", "not_larger", "not_smaller"):
        case(f"Resize_{policy}", 18,
             node("Resize", "x - - sizes", mode="linear", axes=[2, 3], keep_aspect_ratio_policy=policy), x,
             fixed={"sizes": i64(7, 8)})
        case(f"Resize_nearest_{policy}", 18,
             node("Resize", "x - - sizes", mode="nearest", axes=[3, 2], keep_aspect_ratio_policy=policy), x,
             fixed={"sizes": i64(9, 7)})
    for mode in ("linear", "cubic", "nearest"):
        case(f"Resize_half_pixel_symmetric_{mode}", 19,
             node("Resize", "x - scales", mode=mode, coordinate_transformation_mode="half_pixel_symmetric"),
             x, fixed={"scales": ("f32", [4], [1.0, 1.0, 2.3, 0.65])})
    for way, nearest in (("half_pixel", "floor"), ("asymmetric", "round_prefer_ceil")):
        case(f"Resize_scale_not_exact_{way}", 19,
             node("Resize", "x - scales", mode="nearest", coordinate_transformation_mode=way,
                  nearest_mode=nearest), x, fixed={"scales": ("f32", [4], [1.0, 1.0, 0.6, 0.4])})
    case("Resize_crop_axes", 18,
         node("Resize", "x roi - sizes", mode="linear", axes=[2, 3],
              coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0), x,
         fixed={"roi": ("f32", [4], [0.25, 0.5, 0.75, 1.25]), "sizes": i64(3, 4)})


def scatter():
    data = {"x": reals([3, 4], 1)}
    for reduction in ("add", "mul", "max", "min"):
        case(f"ScatterElements_{reduction}", 18,
             node("ScatterElements", "x indices updates", axis=1, reduction=reduction), data,
             fixed={"indices": ("i64", [2, 3], [1, 1, 3, -1, 0, 2]), "updates": reals([2, 3], 2)})
        case(f"ScatterND_{reduction}", 18, node("ScatterND", "x indices updates", reduction=reduction), data,
             fixed={"indices": ("i64", [3, 1], [2, 0, 2]), "updates": reals([3, 4], 3)})
        case(f"ScatterElements_i64_{reduction}", 18,
             node("ScatterElements", "x indices updates", reduction=reduction), {"x": integers([3, 2])},
             {"y": "i64"}, fixed={"indices": ("i64", [2, 2], [0, 2, 0, 2]), "updates": integers([2, 2], 4)})


def split():
    case("Split_num_outputs", 18, node("Split", "x", "a b c", num_outputs=3, axis=1),
         {"x": reals([2, 9])}, {"a": "f32", "b": "f32", "c": "f32"})
    case("Split_num_outputs_uneven", 18, node("Split", "x", "a b c", num_outputs=3),
         {"x": reals([7, 2])}, {"a": "f32", "b": "f32", "c": "f32"})
    case("Split_sizes", 18, node("Split", "x sizes", "a b", axis=-1), {"x": reals([2, 5])},
         {"a": "f32", "b": "f32"}, fixed={"sizes": i64(4, 1)})


# 19 -----------------------------------------------------------------------------

F8 = ["f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"]
EXTREMES = [0.0, -0.0, 1.0, -1.1, 0.017, 0.0009, 240.0, 447.9, 449.0, 500.0, -1e6, 57344.0,
            float("inf"), float("-inf"), float("nan"), 3.0, 17.0, 19.0, 1e-9]


def cast_f8():
    x = {"x": ("f32", [len(EXTREMES)], EXTREMES)}
    for element in F8:
        for saturate in (1, 0):
            case(f"Cast_{element}_saturate_{saturate}", 19,
                 [cast("x", "narrow", element, saturate=saturate), cast("narrow", "y", "f32")], x)
        case(f"Cast_f16_{element}", 19,
             [cast("x", "half", "f16"), cast("half", "narrow", element), cast("narrow", "y", "f16")],
             {"x": reals([12], 7, -300, 300)}, {"y": "f16"})
        case(f"CastLike_{element}", 19,
             [cast("one", "like", element), node("CastLike", "x like", "narrow"), cast("narrow", "y", "f32")],
             {"x": reals([9], 2, -9, 9), "one": ("f32", [1], [1.0])})
        case(f"Identity_Reshape_{element}", 19,
             [cast("x", "narrow", element), node("Identity", "narrow", "same"),
              node("Reshape", "same shape", "flat"), cast("flat", "y", "f32")],
             {"x": ("f32", [2, 3], [1.0, -4.0, 0.5, 0.0, 12.0, -0.0625])}, fixed={"shape": i64(3, -1)},
             expected=[("f32", [3, 2], [1.0, -4.0, 0.5, 0.0, 12.0, -0.0625])],
             why=f"ONNX Runtime has no Reshape of {element}")
        case(f"Constant_{element}", 19,
             [make_node("Constant", [], ["c"], value=make_tensor("", element, [2], [0x38, 0x3c])),
              cast("c", "y", "f32")], {})
    case("Cast_f8e5m2_beyond_the_largest", 19,
         [cast("x", "narrow", "f8e5m2", saturate=0), cast("narrow", "y", "f32")],
         {"x": ("f32", [3], [61439.0, 61440.0, -61441.0])},
         expected=[("f32", [3], [57344.0, float("inf"), float("-inf")])],
         why="ONNX Runtime makes NaN of what rounds up to infinity")
    case("Cast_bf16", 19, [cast("x", "narrow", "bf16"), cast("narrow", "y", "f32")],
         {"x": ("f32", [6], [1.0, 3.14159, -1e30, 1.00390625, 1.01171875, 0.1])})
    case("Cast_text", 19, [cast("x", "narrow", "text"), cast("narrow", "y", "f32")], {"x": reals([5])})


def deform_conv():
    x = reals([1, 4, 4, 5], 1)
    weights = {"w": reals([2, 4, 3, 3], 2)}
    case("DeformConv", 19, node("DeformConv", "x w offset", kernel_shape=[3, 3]),
         {"x": x, "offset": reals([1, 18, 2, 3], 3, -1, 1)}, fixed=weights, tolerance=1e-4)
    case("DeformConv_pads_strides_bias_mask", 19,
         node("DeformConv", "x w offset b mask", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 1]),
         {"x": x, "offset": reals([1, 18, 2, 5], 4, -2, 2), "mask": reals([1, 9, 2, 5], 5, 0, 1)},
         fixed={**weights, "b": reals([2], 6)}, tolerance=1e-4)
    case("DeformConv_groups", 19,
         node("DeformConv", "x w offset", kernel_shape=[2, 2], group=2, offset_group=2),
         {"x": x, "offset": reals([1, 16, 3, 4], 7, -1, 1)}, fixed={"w": reals([2, 2, 2, 2], 8)},
         tolerance=1e-4)


def equal_text():
    fixed = {"a": ("text", [2, 2], ["one", "two", "", "é"]), "b": ("text", [2], ["one", "é"])}
    case("Equal_text", 19, node("Equal", "a b"), {}, {"y": "bool"}, fixed=fixed)


def reshape():
    case("Reshape_allowzero", 19, node("Reshape", "x shape", allowzero=1), {"x": ("f32", [0, 3], [])},
         fixed={"shape": i64(3, 0)})
    case("Reshape_zero_copies", 19, node("Reshape", "x shape"), {"x": reals([2, 3, 4])},
         fixed={"shape": i64(0, -1)})
    case("Shape_start_end", 19, node("Shape", start=1, end=-1), {"x": reals([2, 3, 4, 5])}, {"y": "i64"})
    case("Size", 19, node("Size"), {"x": reals([2, 3, 4])}, {"y": "i64"})


def control():
    yes = make_graph([node("Neg", "x", "then_y")], [], [make_value("then_y", "f32")], name="yes")
    no = make_graph([node("Abs", "x", "else_y")], [], [make_value("else_y", "f32")], name="no")
    for value in (True, False):
        case(f"If_{str(value).lower()}", 19, node("If", "c", then_branch=yes, else_branch=no),
             {"c": ("bool", [], [value]), "x": reals([3])})
    body = make_graph(
        [node("Add", "carried x", "next"), node("Identity", "go_on", "still"), node("Identity", "next", "seen")],
        [make_value("i", "i64", []), make_value("go_on", "bool", []), make_value("carried", "f32", [3])],
        [make_value("still", "bool", []), make_value("next", "f32", [3]), make_value("seen", "f32", [3])],
        name="body")
    case("Loop", 19, node("Loop", "n c start", "y all", body=body), {"x": reals([3])},
         {"y": "f32", "all": "f32"},
         fixed={"n": scalar(4, "i64"), "c": ("bool", [], [True]), "start": reals([3], 9)})
    step = make_graph([node("Add", "sum item", "total"), node("Identity", "total", "seen")],
                      [make_value("sum", "f32", [2]), make_value("item", "f32", [2])],
                      [make_value("total", "f32", [2]), make_value("seen", "f32", [2])], name="step")
    case("Scan", 19, node("Scan", "zero x", "y all", body=step, num_scan_inputs=1), {"x": reals([3, 2])},
         {"y": "f32", "all": "f32"}, fixed={"zero": ("f32", [2], [0.0, 0.0])})


def quantize_f8():
    for element in F8:
        case(f"QuantizeLinear_{element}", 19,
             [cast("zero", "point", element), node("QuantizeLinear", "x scale point", "narrow"),
              cast("narrow", "y", "f32")],
             {"x": reals([2, 6], 3, -99, 99)}, fixed={"scale": scalar(0.5), "zero": scalar(0.0)})
        case(f"DequantizeLinear_{element}", 19,
             [cast("x", "narrow", element), node("DequantizeLinear", "narrow scale")],
             {"x": reals([3, 5], 4, -20, 20)}, fixed={"scale": scalar(1.5)})
        case(f"QuantizeLinear_unsaturated_{element}", 19,
             [cast("zero", "point", element), node("QuantizeLinear", "x scale point", "narrow", saturate=0),
              cast("narrow", "y", "f32")],
             {"x": ("f32", [5], [1.0, 100.0, -1e6, 230.0, 1e5])},
             fixed={"scale": scalar(1.0), "zero": scalar(0.0)})
    case("QuantizeLinear_f16", 19, node("QuantizeLinear", "x scale point"),
         {"x": reals([2, 3, 4], 5, -99, 99, "f16")}, {"y": "i8"},
         fixed={"scale": ("f16", [3], [0.5, 0.25, 3.0]), "point": ("i8", [3], [1, -7, 0])})
    case("DequantizeLinear_f16", 19, node("DequantizeLinear", "x scale point"),
         {"x": integers([2, 3, 4], 5, 0, 255, "u8")}, {"y": "f16"},
         fixed={"scale": ("f16", [3], [0.5, 0.25, 3.0]), "point": ("u8", [3], [1, 7, 128])})


# 20 -----------------------------------------------------------------------------

def affine_grid():
    for align in (0, 1):
        case(f"AffineGrid_2d_{align}", 20, node("AffineGrid", "theta size", align_corners=align),
             {"theta": reals([2, 2, 3], 1)}, fixed={"size": i64(2, 3, 4, 5)})
        case(f"AffineGrid_3d_{align}", 20, node("AffineGrid", "theta size", align_corners=align),
             {"theta": reals([1, 3, 4], 2)}, fixed={"size": i64(1, 2, 3, 4, 2)})


def constant_of_shape():
    for opset, element, bits in ((20, "bf16", 0x4049), (20, "f8e4m3fn", 0x44), (20, "f8e5m2", 0x3e),
                                 (21, "i4", -3), (21, "u4", 11)):
        case(f"ConstantOfShape_{element}", opset,
             [node("ConstantOfShape", "shape", "narrow", value=make_tensor("", element, [1], [bits])),
              cast("narrow", "y", "f32")], {}, fixed={"shape": i64(2, 3)},
             **by_hand_constant(element))


def by_hand_constant(element):
    values = {"bf16": 3.140625, "f8e4m3fn": 3.0, "f8e5m2": 1.5, "i4": -3.0, "u4": 11.0}
    return {"expected": [("f32", [2, 3], [values[element]] * 6)],
            "why": f"ONNX Runtime has no ConstantOfShape of {element}"}


def transform():
    for name, inputs, attributes in (
            ("default", "x", {}), ("axis", "x - axis", {}), ("length", "x length axis", {}),
            ("onesided", "x - axis", {"onesided": 1}), ("inverse", "z - axis", {"inverse": 1}),
            ("complex", "z length", {})):
        case(f"DFT_{name}", 20, node("DFT", inputs, **attributes),
             {"z": reals([2, 5, 3, 2], 1)} if inputs[0] == "z" else {"x": reals([2, 7, 5, 1], 2)},
             fixed={k: v for k, v in (("axis", scalar(1, "i64")), ("length", scalar(9, "i64")))
                    if k in inputs.split()}, tolerance=1e-4)
    case("DFT_f64", 20, node("DFT", "x - axis"), {"x": reals([1, 12, 2], 2, element="f64")}, {"y": "f64"},
         fixed={"axis": scalar(-2, "i64")})


def gelu():
    x = {"x": reals([5, 4], 0, -4, 4)}
    case("Gelu", 20, node("Gelu"), x)
    case("Gelu_tanh", 20, node("Gelu", approximate="tanh"), x)
    case("Gelu_f16", 20, node("Gelu"), {"x": reals([7], 0, -4, 4, "f16")}, {"y": "f16"}, tolerance=2e-3)


def grid_sample():
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for align in (0, 1):
                case(f"GridSample_{mode}_{padding}_{align}", 20,
                     node("GridSample", "x grid", mode=mode, padding_mode=padding, align_corners=align),
                     {"x": reals([1, 2, 4, 5], 1), "grid": reals([1, 3, 4, 2], 2, -1.3, 1.3)}, tolerance=1e-4)
    for mode in ("linear", "nearest"):
        for padding in ("zeros", "border", "reflection"):
            case(f"GridSample_3d_{mode}_{padding}", 20,
                 node("GridSample", "x grid", mode=mode, padding_mode=padding),
                 {"x": reals([1, 2, 3, 4, 5], 1), "grid": reals([1, 2, 3, 2, 3], 2, -1.3, 1.3)}, tolerance=1e-4)


def special_values():
    x = {"x": ("f32", [6], [1.0, float("inf"), float("-inf"), float("nan"), 0.0, -7.5])}
    for element in ("f32", "f16", "f64", "bf16"):
        to = [cast("x", "n", element)]
        case(f"IsNaN_{element}", 20, to + [node("IsNaN", "n")], x, {"y": "bool"})
        case(f"IsInf_{element}", 20, to + [node("IsInf", "n")], x, {"y": "bool"})
        case(f"IsInf_positive_{element}", 20, to + [node("IsInf", "n", detect_negative=0)], x, {"y": "bool"})
        case(f"IsInf_negative_{element}", 20, to + [node("IsInf", "n", detect_positive=0)], x, {"y": "bool"})
    for element in F8:
        to = [cast("x", "n", element, saturate=0)]
        case(f"IsNaN_{element}", 20, to + [node("IsNaN", "n")], x, {"y": "bool"})
        case(f"IsInf_{element}", 20, to + [node("IsInf", "n")], x, {"y": "bool"})


def texts():
    words = ("text", [5], ["www.google.com", "www.facebook.com", "www.bbc.co.uk", "", "x.com"])
    case("RegexFullMatch", 20, node("RegexFullMatch", "x", pattern=r"www\.[\w.-]+\.\bcom\b"), {},
         {"y": "bool"}, fixed={"x": words})
    case("RegexFullMatch_mail", 20, node("RegexFullMatch", "x", pattern=r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)"),
         {}, {"y": "bool"}, fixed={"x": ("text", [2, 2], ["account@gmail.com", "account@hotmail.com",
                                                          "not email", "account@yahoo.com"])})
    case("RegexFullMatch_digits", 20, node("RegexFullMatch", "x", pattern=r"[0-9]{2,3}|a+?b*"), {},
         {"y": "bool"}, fixed={"x": ("text", [6], ["12", "1", "1234", "aab", "b", "a"])})
    case("StringConcat", 20, node("StringConcat", "a b"), {}, {"y": "text"},
         fixed={"a": ("text", [2, 1], ["abc", "ü"]), "b": ("text", [3], ["", ".com", "x"])})
    words = ["hello world", " a  b c ", "x,y,,z", ""]
    for name, attributes in (("default", {}), ("delimiter", {"delimiter": ","}),
                             ("maxsplit", {"delimiter": " ", "maxsplit": 1}), ("blank", {"maxsplit": 2})):
        case(f"StringSplit_{name}", 20, node("StringSplit", "x", "y n", **attributes), {},
             {"y": "text", "n": "i64"}, fixed={"x": ("text", [4], words)})


def pictures():
    width, height = 11, 9
    source = random.Random(1)
    colours = [tuple(source.randrange(256) for _ in range(3)) for _ in range(16)]
    samples = [source.randrange(256) for _ in range(width * height * 4)]
    pixels = width * height

    def picture(name, file, expected, **attributes):
        channels = 1 if attributes.get("pixel_format") == "Grayscale" else 3
        case(f"ImageDecoder_{name}", 20, node("ImageDecoder", "x", **attributes), {"x": ("u8", [len(file)], list(file))},
             {"y": "u8"}, expected=[("u8", [height, width, channels], expected)],
             why="ONNX Runtime has no ImageDecoder")

    rgb = samples[:3 * pixels]
    for kind in range(5):
        picture(f"png_filter_{kind}", make_png(width, height, rgb, filter=kind), rgb)
    picture("png_interlaced", make_png(width, height, rgb, filter=4, interlaced=True), rgb)
    picture("png_bgr", make_png(width, height, rgb), [rgb[i // 3 * 3 + 2 - i % 3] for i in range(3 * pixels)],
            pixel_format="BGR")
    picture("png_grayscale", make_png(width, height, rgb),
            [(19595 * rgb[3 * i] + 38470 * rgb[3 * i + 1] + 7471 * rgb[3 * i + 2] + 32768) >> 16 for i in range(pixels)],
            pixel_format="Grayscale")
    for depth in (1, 2, 4, 8, 16):
        gray = [sample * ((1 << depth) - 1) // 255 for sample in samples[:pixels]]
        seen = [value * 255 // ((1 << depth) - 1) if depth < 16 else value >> 8 for value in gray]
        picture(f"png_gray_{depth}", make_png(width, height, gray, "gray", depth, 2, depth == 2),
                [value for value in seen for _ in range(3)])
    indices = [sample % 4 for sample in samples[:pixels]]
    picture("png_palette", make_png(width, height, indices, "palette", 2, interlaced=True,
                                    palette=[part for colour in colours for part in colour][:12]),
            [part for index in indices for part in colours[index]])
    picture("png_alpha", make_png(width, height, samples, "rgb_alpha", 8, 3),
            [samples[4 * (i // 3) + i % 3] for i in range(3 * pixels)])
    picture("png_gray_alpha_16", make_png(width, height, [sample * 257 for sample in samples[:2 * pixels]],
                                          "gray_alpha", 16, 1),
            [samples[2 * (i // 3)] for i in range(3 * pixels)])
    triples = [tuple(rgb[3 * i:3 * i + 3]) for i in range(pixels)]
    picture("bmp", make_bmp(width, height, triples), rgb)
    picture("bmp_32_top_down", make_bmp(width, height, triples, 32, True), rgb)
    for bits in (1, 4, 8):
        some = [sample % min(16, 1 << bits) for sample in samples[:pixels]]
        picture(f"bmp_{bits}", make_bmp(width, height, some, bits, palette=colours[:min(16, 1 << bits)]),
                [part for index in some for part in colours[index]])
    picture("ppm", make_pnm(width, height, rgb), rgb)
    picture("pgm_16", make_pnm(width, height, [sample * 257 for sample in samples[:pixels]], 1, 65535),
            [sample for sample in samples[:pixels] for _ in range(3)])


# 21 -----------------------------------------------------------------------------

def four_bits():
    x = {"x": ("f32", [9], [0.0, 1.5, 2.5, -3.5, 7.0, 7.4, -8.0, 3.0, 1.0])}
    for element in ("i4", "u4"):
        case(f"Cast_{element}", 21, [cast("x", "narrow", element), cast("narrow", "y", "f32")],
             {"x": ("f32", [5], [0.0, 1.0, 7.0, 3.0, 5.0])})
        low, high = (-8, 7) if element == "i4" else (0, 15)
        point = {"point": (element, [], [2])}
        case(f"QuantizeLinear_{element}", 21,
             [node("QuantizeLinear", "x scale point", "narrow"), cast("narrow", "y", "f32")], x,
             fixed={"scale": scalar(0.75), **point})
        values = [random.Random(i).randint(low, high) for i in range(12)]
        case(f"DequantizeLinear_{element}", 21, node("DequantizeLinear", "x scale zero", axis=0), {},
             fixed={"x": (element, [3, 4], values), "scale": ("f32", [3], [0.5, 2.0, 1.25]),
                    "zero": (element, [3], [1, 0, 3])})
        case(f"DequantizeLinear_blocked_{element}", 21,
             node("DequantizeLinear", "x scale zero", axis=1, block_size=2), {},
             fixed={"x": (element, [3, 4], values), "scale": reals([3, 2], 6, 0.5, 3),
                    "zero": (element, [3, 2], [1, 0, 3, 2, 4, 5])})
        moved = [3, 0, 5, 7, 1, 6]
        for operator, attributes, dims in (("Transpose", {"perm": [1, 0]}, [3, 2]), ("Flatten", {}, [2, 3]),
                                           ("Identity", {}, [2, 3])):
            order = [3, 7, 0, 1, 5, 6] if operator == "Transpose" else moved
            case(f"{operator}_{element}", 21,
                 [node(operator, "x", "narrow", **attributes), cast("narrow", "y", "f32")], {},
                 fixed={"x": (element, [2, 3], moved)}, expected=[("f32", dims, [float(v) for v in order])],
                 why=f"ONNX Runtime has no {operator} of {element} on its own")
        case(f"Shape_Size_{element}", 21, [node("Shape", "x", "y"), node("Size", "x", "n")], {},
             {"y": "i64", "n": "i64"}, fixed={"x": (element, [2, 3], moved)},
             expected=[i64(2, 3), scalar(6, "i64")], why=f"ONNX Runtime has no Shape of {element}")
        case(f"Squeeze_Unsqueeze_Reshape_{element}", 21,
             [node("Unsqueeze", "x axis", "a"), node("Reshape", "a shape", "b"), node("Squeeze", "b axis", "c"),
              cast("c", "y", "f32")], {},
             fixed={"x": (element, [2, 3], moved), "axis": i64(0), "shape": i64(1, 3, 2)},
             expected=[("f32", [3, 2], [float(v) for v in moved])],
             why=f"ONNX Runtime has no Unsqueeze of {element}")
        case(f"Pad_{element}", 21, [node("Pad", "x pads", "narrow"), cast("narrow", "y", "f32")], {},
             fixed={"x": (element, [2, 3], moved), "pads": i64(0, 1, 0, 0)},
             expected=[("f32", [2, 4], [0.0, 3.0, 0.0, 5.0, 0.0, 7.0, 1.0, 6.0])],
             why=f"ONNX Runtime has no Pad of {element}")
        case(f"CastLike_{element}", 21,
             [node("CastLike", "x like", "narrow"), cast("narrow", "y", "f32")], {"x": ("i32", [3], [1, 2, 7])},
             fixed={"like": (element, [1], [1])})
        case(f"Constant_{element}", 21,
             [make_node("Constant", [], ["c"], value=make_tensor("", element, [3], [1, 7, 3])),
              cast("c", "y", "f32")], {})
        branches = [make_graph([node("Identity", name, f"{name}_y")], [], [make_value(f"{name}_y", element)],
                               name=f"use_{name}") for name in ("a", "b")]
        case(f"If_{element}", 21,
             [node("If", "c", "narrow", then_branch=branches[0], else_branch=branches[1]), cast("narrow", "y", "f32")],
             {"c": ("bool", [], [False])}, fixed={"a": (element, [2], [1, 2]), "b": (element, [3], [3, 4, 5])},
             expected=[("f32", [3], [3.0, 4.0, 5.0])], why=f"ONNX Runtime has no Identity of {element}")


def quantize_21():
    x = reals([3, 4, 2], 3, -40, 40)
    for element, low, high in (("i16", -300, 300), ("u16", 0, 900), ("i8", -9, 9), ("u8", 0, 200)):
        case(f"QuantizeLinear_blocked_{element}", 21,
             node("QuantizeLinear", "x scale point", axis=1, block_size=2), {"x": x}, {"y": element},
             fixed={"scale": reals([3, 2, 2], 4, 0.25, 2), "point": integers([3, 2, 2], 5, low, high, element)})
        case(f"DequantizeLinear_blocked_{element}", 21,
             node("DequantizeLinear", "x scale point", axis=0, block_size=2),
             {"x": integers([4, 3], 1, low, high, element)},
             fixed={"scale": reals([2, 3], 4, 0.25, 2), "point": integers([2, 3], 5, low, high, element)})
        case(f"QuantizeLinear_output_dtype_{element}", 21,
             node("QuantizeLinear", "x scale", axis=0, output_dtype=ELEMENTS[element][0]), {"x": x},
             {"y": element}, fixed={"scale": reals([3], 4, 0.01, 0.5)})
        case(f"QuantizeLinear_axis_last_{element}", 21, node("QuantizeLinear", "x scale point", axis=-1),
             {"x": x}, {"y": element},
             fixed={"scale": ("f32", [2], [0.001, 2.5]), "point": (element, [2], [3, 4])})
    case("DequantizeLinear_last_block_f16", 21,
         node("DequantizeLinear", "x scale", axis=-1, block_size=3), {"x": integers([2, 6], 1, -128, 127, "i8")},
         {"y": "f16"}, fixed={"scale": ("f16", [2, 2], [0.5, 1.5, 2.0, 0.25])})
    case("QuantizeLinear_ties", 21, node("QuantizeLinear", "x scale point"),
         {"x": ("f32", [10], [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, -1e9, 127.5, float("nan")])}, {"y": "i8"},
         fixed={"scale": scalar(1.0), "point": scalar(0, "i8")},
         expected=[("i8", [10], [0, 2, 2, 0, -2, -2, 127, -128, 127, -128])],
         why="what ONNX Runtime makes of NaN depends on the machine")
    case("DequantizeLinear_i32", 21, node("DequantizeLinear", "x scale"),
         {"x": integers([2, 3], 1, -99999999, 99999999, "i32")}, fixed={"scale": scalar(0.001)})


def exact_case(name, opset, nodes, inputs, outputs, fixed, expected, elements):
    """A product of integers, held against exact arithmetic; where both sides are u8, which ONNX Runtime
    multiplies exactly on every processor, against ONNX Runtime as well."""
    if elements == ("u8", "u8"):
        case(name, opset, nodes, inputs, outputs, fixed)
    case(f"{name}_exact", opset, nodes, inputs, outputs, fixed, expected=[expected],
         why="ONNX Runtime saturates sums of two products on processors without VNNI")


def matmul_21():
    for a, b, y in (("u8", "u8", "u8"), ("u8", "i8", "u8"), ("i8", "i8", "i8")):
        limits = {"u8": (0, 255), "i8": (-128, 127)}
        data = {"a": integers([2, 3, 17], 1, *limits[a], a)}
        fixed = {"b": integers([17, 5], 2, *limits[b], b), "as": scalar(0.05), "az": scalar(3, a),
                 "bs": ("f32", [5], [0.01, 0.02, 0.005, 0.03, 0.1]), "bz": (b, [5], [1, 2, 3, 4, 5]),
                 "ys": scalar(0.7), "yz": scalar(7, y)}
        sums = integer_products.matmul(data["a"], fixed["b"], fixed["az"], fixed["bz"])
        exact_case(f"QLinearMatMul_{a}_{b}", 21, node("QLinearMatMul", "a as az b bs bz ys yz"), data, {"y": y},
                   fixed, integer_products.requantize(sums, fixed["as"], fixed["bs"], fixed["ys"], fixed["yz"], 2),
                   (a, b))
    for element in ("f16", "bf16"):
        scales = {"f16": (0.5, 0.25, 2.0), "bf16": (0x3f00, 0x3e80, 0x4000)}[element]
        case(f"QLinearMatMul_{element}_scales", 21, node("QLinearMatMul", "a as az b bs bz ys yz"),
             {"a": ("u8", [2, 2], [1, 2, 3, 200])}, {"y": "i8"},
             fixed={"b": ("i8", [2, 2], [1, -2, 3, 4]), "as": (element, [], [scales[0]]), "az": scalar(1, "u8"),
                    "bs": (element, [], [scales[1]]), "bz": scalar(0, "i8"),
                    "ys": (element, [], [scales[2]]), "yz": scalar(-1, "i8")},
             # (a - 1) x b = [[3, 4], [599, 792]], by 0.5 x 0.25 / 2 = 1/16, ties to even, less 1
             expected=[("i8", [2, 2], [-1, -1, 36, 49])], why=f"ONNX Runtime wants f32 scales, not {element}")
    case("QLinearMatMul_rows", 21, node("QLinearMatMul", "a as az b bs bz ys yz"),
         {"a": ("u8", [2, 2], [1, 2, 3, 200])}, {"y": "u8"},
         fixed={"b": ("u8", [2, 2], [1, 2, 3, 4]), "as": ("f32", [2], [0.5, 0.25]), "az": ("u8", [2], [1, 3]),
                "bs": scalar(1.0), "bz": scalar(0, "u8"), "ys": scalar(1.0), "yz": scalar(2, "u8")},
         # rows [[0, 1], [0, 197]] x b = [[3, 4], [591, 788]], by 0.5 and 0.25, and 2
         expected=[("u8", [2, 2], [4, 4, 150, 199])], why="ONNX Runtime has no scale for each row")


def top_k():
    for element, x in (("f32", reals([3, 5], 1)), ("i64", integers([3, 5], 1, -3, 3))):
        for largest in (0, 1):
            case(f"TopK_{element}_{largest}", 21, node("TopK", "x k", "y i", largest=largest, axis=-1),
                 {"x": x}, {"y": element, "i": "i64"}, fixed={"k": i64(3)})


def vision():
    """Not new, but without cases of their own in ONNX's tests."""
    x = {"x": reals([2, 3, 9, 8], 1)}
    rois = {"rois": ("f32", [3, 4], [0.0, 0.0, 6.5, 7.25, 1.0, 2.0, 3.0, 9.5, -2.0, 3.0, 12.0, 5.0]),
            "which": i64(0, 1, 0)}
    for mode in ("avg", "max"):
        for transformation in ("half_pixel", "output_half_pixel"):
            for ratio in (0, 2):
                case(f"RoiAlign_{mode}_{transformation}_{ratio}", 18,
                     node("RoiAlign", "x rois which", mode=mode, output_height=3, output_width=2,
                          sampling_ratio=ratio, spatial_scale=0.75, coordinate_transformation_mode=transformation),
                     x, fixed=rois)
    case("MaxRoiPool", 18, node("MaxRoiPool", "x rois", pooled_shape=[3, 2], spatial_scale=0.5), x,
         fixed={"rois": ("f32", [2, 5], [0.0, 1.0, 2.0, 13.0, 15.0, 1.0, 5.0, 0.0, 6.0, 30.0])})
    boxes = reals([1, 30, 4], 5, 0, 10)
    for center in (0, 1):
        case(f"NonMaxSuppression_{center}", 18,
             node("NonMaxSuppression", "boxes scores most overlap least", center_point_box=center),
             {"boxes": boxes, "scores": reals([1, 2, 30], 6, 0, 1)}, {"y": "i64"},
             fixed={"most": scalar(8, "i64"), "overlap": scalar(0.3), "least": scalar(0.2)})


def convolve():
    """Integers bit by bit, where ONNX's tests have few."""
    limits = {"u8": (0, 255), "i8": (-128, 127)}
    for a, b in (("u8", "u8"), ("u8", "i8"), ("i8", "i8")):
        for name, x, w, attributes in (
                ("2d", [1, 3, 9, 8], [5, 3, 3, 3], {"pads": [1, 1, 1, 1]}),
                ("strided", [2, 3, 9, 8], [5, 3, 3, 2], {"strides": [2, 3], "dilations": [2, 1]}),
                ("groups", [1, 6, 7, 7], [4, 3, 3, 3], {"group": 2}),
                ("depthwise", [1, 6, 7, 7], [6, 1, 3, 3], {"group": 6, "pads": [0, 1, 1, 0]}),
                ("1d", [2, 4, 19], [7, 4, 5], {"auto_pad": "SAME_LOWER"})):
            data = {"x": integers(x, 1, *limits[a], a)}
            weights = {"w": integers(w, 2, *limits[b], b)}
            fixed = {**weights, "xs": scalar(0.02), "xz": scalar(5, a),
                     "ws": ("f32", [w[0]], [0.01 * (i + 1) for i in range(w[0])]), "wz": (b, [w[0]], [0] * w[0]),
                     "ys": scalar(0.3517), "yz": scalar(9, a), "b": integers([w[0]], 3, -999, 999, "i32")}
            sums = integer_products.convolve(data["x"], weights["w"], fixed["xz"], fixed["wz"], **attributes)
            exact_case(f"QLinearConv_{name}_{a}_{b}", 18,
                       node("QLinearConv", "x xs xz w ws wz ys yz b", **attributes), data, {"y": a}, fixed,
                       integer_products.requantize(integer_products.add_channels(sums, fixed["b"]), fixed["xs"],
                                                   fixed["ws"], fixed["ys"], fixed["yz"], 1), (a, b))
            if a == "u8":
                fixed = {**weights, "xz": scalar(77, a), "wz": scalar(3, b)}
                exact_case(f"ConvInteger_{name}_{b}", 18, node("ConvInteger", "x w xz wz", **attributes), data,
                           {"y": "i32"}, fixed,
                           integer_products.convolve(data["x"], weights["w"], fixed["xz"], fixed["wz"], **attributes),
                           (a, b))
        data = {"a": integers([3, 4, 33], 1, *limits[a], a), "b": integers([3, 33, 7], 2, *limits[b], b)}
        fixed = {"az": scalar(11, a), "bz": scalar(6, b)}
        exact_case(f"MatMulInteger_{a}_{b}", 18, node("MatMulInteger", "a b az bz"), data, {"y": "i32"}, fixed,
                   integer_products.matmul(data["a"], data["b"], fixed["az"], fixed["bz"]), (a, b))


def signals():
    for name, x, length, step, window in (("window", [2, 64, 1], None, 8, 16), ("plain", [1, 50, 1], 12, 5, None),
                                          ("both", [1, 61, 1], 15, 7, 15), ("prime", [1, 101, 1], 37, 30, None)):
        for onesided in (0, 1):
            inputs = f"x step {'w' if window else '-'} {'length' if length else ''}"
            fixed = {"step": scalar(step, "i64")}
            fixed.update({"w": reals([window], 3, 0, 1)} if window else {})
            fixed.update({"length": scalar(length, "i64")} if length else {})
            case(f"STFT_{name}_{onesided}", 18, node("STFT", inputs, onesided=onesided), {"x": reals(x, 1)},
                 fixed=fixed, tolerance=1e-4)
    case("STFT_complex", 18, node("STFT", "x step - length", onesided=0), {"x": reals([1, 40, 2], 1)},
         fixed={"step": scalar(9, "i64"), "length": scalar(16, "i64")}, tolerance=1e-4)
    case("STFT_f64", 18, node("STFT", "x step w"), {"x": reals([1, 40, 1], 1, element="f64")}, {"y": "f64"},
         fixed={"step": scalar(4, "i64"), "w": reals([16], 2, element="f64")})
    for length in (1, 2, 4, 64, 1024):
        case(f"DFT_length_{length}", 18, node("DFT", "x", axis=1), {"x": reals([1, length, 2], length)},
             tolerance=3e-4)
    for length in (31, 37, 210, 1009):
        x = reals([1, length, 2], length)
        case(f"DFT_length_{length}", 18, node("DFT", "x", axis=1), {"x": x},
             expected=[("f32", [1, length, 2], transformed(x[2]))],
             why="ONNX Runtime loses digits unless the length is a power of two")
    case("DFT_longer", 18, node("DFT", "x length", axis=2), {"x": reals([2, 3, 10, 1], 4)},
         fixed={"length": scalar(16, "i64")}, tolerance=1e-4)
    case("DFT_shorter", 18, node("DFT", "x length", axis=1, onesided=1), {"x": reals([2, 20, 3, 1], 4)},
         fixed={"length": scalar(7, "i64")}, tolerance=1e-4)
    for operator in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        for periodic in (0, 1):
            for element in ("f32", "f64", "f16", "i32"):
                case(f"{operator}_{periodic}_{element}", 18,
                     node(operator, "n", periodic=periodic, output_datatype=ELEMENTS[element][0]), {},
                     {"y": element}, fixed={"n": scalar(10, "i64")}, tolerance=1e-3 if element == "f16" else 1e-5)
    for rate, length, bins, low, high in ((8192, 16, 8, 0.0, 4096.0), (16000, 512, 40, 20.0, 7600.0),
                                          (44100, 1023, 64, 0.0, 20000.0)):
        case(f"MelWeightMatrix_{rate}", 18, node("MelWeightMatrix", "bins length rate low high"), {},
             fixed={"bins": scalar(bins, "i64"), "length": scalar(length, "i64"), "rate": scalar(rate, "i64"),
                    "low": scalar(low), "high": scalar(high)})


def transformed(parts):
    """Of complex numbers, real and imaginary parts in turn: the sum that defines it."""
    numbers = [complex(*pair) for pair in zip(parts[0::2], parts[1::2])]
    length = len(numbers)
    roots = [cmath.exp(-2j * cmath.pi * k / length) for k in range(length)]
    sums = [sum(number * roots[i * k % length] for i, number in enumerate(numbers)) for k in range(length)]
    return [part for value in sums for part in (value.real, value.imag)]


def dynamic():
    for name, low, high in (("both", -3, 5), ("positive", 2, 5), ("negative", -7, -1), ("zero", 0, 0)):
        case(f"DynamicQuantizeLinear_{name}", 18, node("DynamicQuantizeLinear", "x", "y scale zero"),
             {"x": reals([3, 7], 1, low, high)}, {"y": "u8", "scale": "f32", "zero": "u8"})


def empty():
    case("QuantizeLinear_empty", 21, node("QuantizeLinear", "x scale"), {"x": ("f32", [0, 3], [])}, {"y": "u8"},
         fixed={"scale": scalar(1.0)})
    case("QuantizeLinear_scalar", 21, node("QuantizeLinear", "x scale"), {"x": scalar(3.4)}, {"y": "u8"},
         fixed={"scale": scalar(0.5)})
    case("MatMulInteger_no_depth", 21, node("MatMulInteger", "a b"), {"a": ("u8", [2, 0], []), "b": ("u8", [0, 3], [])},
         {"y": "i32"}, expected=[("i32", [2, 3], [0] * 6)], why="ONNX Runtime does not clear the sums")
    case("MatMulInteger_vectors", 21, node("MatMulInteger", "a b"),
         {"a": integers([5], 1, 0, 255, "u8"), "b": integers([5, 3], 2, 0, 255, "u8")}, {"y": "i32"})
    data = {"a": integers([4, 5], 1, 0, 255, "u8"), "b": integers([5, 3], 2, -128, 127, "i8")}
    fixed = {"az": scalar(100, "u8"), "bz": ("i8", [3], [-128, 127, 5])}
    exact_case("MatMulInteger_columns", 21, node("MatMulInteger", "a b az bz"), data, {"y": "i32"}, fixed,
               integer_products.matmul(data["a"], data["b"], fixed["az"], fixed["bz"]), ("u8", "i8"))
    case("MatMulInteger_rows", 21, node("MatMulInteger", "a b az"),
         {"a": ("u8", [2, 2], [1, 2, 3, 4]), "b": ("u8", [2, 2], [1, 10, 100, 200])}, {"y": "i32"},
         fixed={"az": ("u8", [2], [1, 3])}, expected=[("i32", [2, 2], [100, 200, 100, 200])],
         why="ONNX Runtime has no zero point for each row")
    case("NonMaxSuppression_none", 21, node("NonMaxSuppression", "boxes scores most"),
         {"boxes": ("f32", [1, 0, 4], []), "scores": ("f32", [1, 2, 0], [])}, {"y": "i64"},
         fixed={"most": scalar(3, "i64")})
    case("NonMaxSuppression_ties", 21, node("NonMaxSuppression", "boxes scores most overlap"),
         {"boxes": integers([2, 20, 4], 3, 0, 6, "f32"), "scores": integers([2, 3, 20], 4, 0, 3, "f32")},
         {"y": "i64"}, fixed={"most": scalar(20, "i64"), "overlap": scalar(0.5)})
    case("RoiAlign_none", 21, node("RoiAlign", "x rois which"),
         {"x": reals([1, 2, 3, 3]), "rois": ("f32", [0, 4], []), "which": ("i64", [0], [])})


for group in (bitwise, center_crop_pad, col2im, normalize, pool, mish, optional, pad, reduce, resize, scatter,
              split, cast_f8, deform_conv, equal_text, reshape, control, quantize_f8, affine_grid,
              constant_of_shape, transform, gelu, grid_sample, special_values, texts, pictures, four_bits, quantize_21,
              matmul_21, top_k, vision, convolve, signals, dynamic, empty):
    group()
