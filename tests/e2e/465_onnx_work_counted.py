"""The work of quantized, signal, training and image operators, each counted by hand from docs/work.md."""
from support import *
from onnx_writer import *


def figures(folder, operator, inputs, opset=20, outputs=1, domain="", **attributes):
    """(MACs, FLOPs) of one node; inputs are (element, dims) or, known beforehand, (element, dims, values)."""
    names = [f"x{i}" for i in range(len(inputs))]
    pairs = list(zip(names, inputs))
    results = [f"y{i}" for i in range(outputs)]
    graph = make_graph([make_node(operator, names, results, domain=domain, **attributes)],
                       [make_value(name, *tensor) for name, tensor in pairs if len(tensor) == 2],
                       [make_value(name) for name in results],
                       [make_tensor(name, *tensor) for name, tensor in pairs if len(tensor) == 3])
    path = write(folder / "m.onnx", make_model(graph, opset=opset, opsets=[("ai.onnx.preview.training", 1)]))
    said = opscope("model", path, "--json").json()["operators"][0]
    return said["macs"], said["flops"]


def scale(count=None):
    return "f32", [] if count is None else [count]


def zero(element, count=None):
    return element, [] if count is None else [count]


def test_quantized_numbers(folder):
    x = ("f32", [2, 3, 4])
    equal(figures(folder, "QuantizeLinear", [x, scale()]), (0, 5 * 24), "QuantizeLinear")
    equal(figures(folder, "DequantizeLinear", [("u8", [2, 3, 4]), scale()]), (0, 2 * 24), "DequantizeLinear")
    equal(figures(folder, "DynamicQuantizeLinear", [x], outputs=3), (0, 7 * 24), "DynamicQuantizeLinear")
    image, filters = ("u8", [2, 4, 6, 5]), ("i8", [8, 2, 3, 2])
    # 4 x 4 positions of 2 x 3 x 2 weights, for 8 filters of 2 images
    macs = 2 * 8 * 4 * 4 * 12
    equal(figures(folder, "ConvInteger", [image, filters], group=2), (macs, 2 * macs), "ConvInteger")
    parameters = [image, scale(), zero("u8"), filters, scale(8), zero("i8", 8), scale(), zero("u8")]
    equal(figures(folder, "QLinearConv", parameters, group=2), (macs, 2 * macs + 5 * 256), "QLinearConv")
    equal(figures(folder, "QLinearConv", parameters + [("i32", [8])], group=2), (macs, 2 * macs + 6 * 256), "with a bias")
    equal(figures(folder, "MatMulInteger", [("u8", [3, 2, 7]), ("i8", [7, 5])]), (210, 420), "MatMulInteger")
    equal(figures(folder, "QLinearMatMul", [("u8", [2, 7]), scale(), zero("u8"), ("i8", [7, 5]), scale(), zero("i8"),
                                            scale(), zero("u8")]), (70, 140 + 50), "QLinearMatMul")


def test_signals(folder):
    # Six transforms of 8 numbers: 5 x 8 x 3 each; of 12: the logarithm is 4.
    equal(figures(folder, "DFT", [("f32", [2, 8, 3, 1])], opset=17), (0, 6 * 120), "DFT")
    equal(figures(folder, "DFT", [("f32", [2, 8, 3, 1]), ("i64", [], [12])], opset=17, onesided=1), (0, 6 * 240),
          "DFT of a length")
    # 2 signals of 20, frames of 8 in steps of 4: 4 each, windowed
    equal(figures(folder, "STFT", [("f32", [2, 20, 1]), ("i64", [], [4]), ("f32", [8])]), (0, 8 * (120 + 8)), "STFT")
    for name, steps in (("HannWindow", 7), ("HammingWindow", 7), ("BlackmanWindow", 14)):
        equal(figures(folder, name, [("i64", [], [10])]), (0, 10 * steps), name)


def test_training(folder):
    scores, targets = ("f32", [2, 5, 3]), ("i64", [2, 3])
    equal(figures(folder, "NegativeLogLikelihoodLoss", [scores, targets]), (0, 18), "NegativeLogLikelihoodLoss")
    equal(figures(folder, "SoftmaxCrossEntropyLoss", [scores, targets]), (0, 18 + 240), "SoftmaxCrossEntropyLoss")
    for name, groups, steps, attributes in (
            ("Adagrad", 3, 9, {}), ("Adam", 4, 15, {}), ("Momentum", 3, 7, {"mode": "standard"}),
            ("Momentum", 3, 9, {"mode": "nesterov"})):
        tensors = [("f32", [4]), ("f32", [2, 3])] * groups
        equal(figures(folder, name, [scale(), ("i64", [])] + tensors, outputs=2 * (groups - 1),
                      domain="ai.onnx.preview.training", **attributes), (0, 10 * steps), name)


def test_images(folder):
    regions = [("f32", [1, 3, 8, 8]), ("f32", [2, 4]), ("i64", [2])]
    size = {"output_height": 2, "output_width": 5}
    equal(figures(folder, "RoiAlign", regions, sampling_ratio=3, **size), (0, 60 * 73), "RoiAlign")
    equal(figures(folder, "RoiAlign", regions, **size), (0, 60 * 9), "as many samples as the data ask for")
    equal(figures(folder, "MaxRoiPool", [regions[0], ("f32", [2, 5])], pooled_shape=[2, 5]), (0, 60), "MaxRoiPool")
    equal(figures(folder, "Col2Im", [("f32", [1, 12, 9]), ("i64", [2], [4, 4]), ("i64", [2], [2, 2])]), (0, 108), "Col2Im")


main()
