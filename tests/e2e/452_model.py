"""opscope model: shapes and work of operators against figures counted by hand."""
import csv
import io

from support import *
from onnx_writer import *

HEADER = ("index,graph,name,type,domain,version,location,inputs,outputs,macs,flops,elements,"
          "bytes_read,bytes_written,weight_bytes")
FIGURES = HEADER.split(",")[-6:]


def model(folder, nodes, inputs, outputs, initializers=(), opset=17):
    graph = make_graph(nodes, inputs, outputs, initializers)
    return write(folder / "m.onnx", make_model(graph, opset=opset))


def one(folder, operator, inputs, weights, outputs=1, opset=17, **attributes):
    """The report on a network of one operator; inputs and weights are (element, dims)."""
    names = [f"x{i}" for i in range(len(inputs))], [f"w{i}" for i in range(len(weights))]
    outs = [f"y{i}" for i in range(outputs)]
    tensors = []
    for name, (element, dims, *values) in zip(names[1], weights):
        count = 1
        for length in dims:
            count *= length
        tensors.append(make_tensor(name, element, dims, values[0] if values else [1] * count))
    path = model(folder, [make_node(operator, names[0] + names[1], outs, **attributes)],
                 [make_value(name, *type_) for name, type_ in zip(names[0], inputs)],
                 [make_value(name) for name in outs], tensors, opset)
    return opscope("model", path, "--json").json()["operators"][0]


def figures(operator):
    return [operator[name] for name in FIGURES]


X = "f32", [1, 3, 8, 8]  # 192 elements, 768 bytes

# (operator, inputs, weights, attributes): type of the output, MACs, FLOPs, elements, bytes read,
# bytes written, bytes of weights. A MAC is two FLOPs.
COUNTED = [
    # Every output element (4 x 8 x 8) takes 3 x 3 x 3 products, and an addition for the bias.
    ("Conv", [X], [("f32", [4, 3, 3, 3]), ("f32", [4])], {"pads": [1, 1, 1, 1]},
     "1x4x8x8xf32", 4 * 64 * 27, 2 * 4 * 64 * 27 + 256, 256, 768 + 432 + 16, 1024, 432 + 16),
    # Depthwise: 3 x 3 products each.
    ("Conv", [X], [("f32", [3, 1, 3, 3])], {"group": 3},
     "1x3x6x6xf32", 108 * 9, 2 * 108 * 9, 108, 768 + 108, 432, 108),
    ("Conv", [X], [("f32", [4, 3, 1, 1])], {"strides": [2, 2]},
     "1x4x4x4xf32", 64 * 3, 2 * 64 * 3, 64, 768 + 48, 256, 48),
    # Every input element meets 4 x 2 x 2 weights.
    ("ConvTranspose", [X], [("f32", [3, 4, 2, 2])], {"strides": [2, 2]},
     "1x4x16x16xf32", 192 * 16, 2 * 192 * 16, 1024, 768 + 192, 4096, 192),
    ("ConvInteger", [("u8", [1, 3, 8, 8])], [("i8", [4, 3, 3, 3])], {},
     "1x4x6x6xi32", 144 * 27, 2 * 144 * 27, 144, 192 + 108, 576, 108),
    ("MatMul", [("f32", [2, 5, 7])], [("f32", [7, 3])], {},
     "2x5x3xf32", 2 * 5 * 3 * 7, 2 * 2 * 5 * 3 * 7, 30, 280 + 84, 120, 84),
    ("MatMul", [("f16", [5, 7]), ("f16", [7, 3])], [], {},
     "5x3xf16", 105, 210, 15, 70 + 42, 30, 0),
    # And an addition for each element of the third input that it gets.
    ("Gemm", [("f32", [5, 7])], [("f32", [3, 7]), ("f32", [3])], {"transB": 1},
     "5x3xf32", 105, 210 + 15, 15, 140 + 84 + 12, 60, 96),
    # 5 steps of a batch of 2: four gates of 3 from 4 inputs and 3 states; then for each of the 3
    # states four sums, three sigmoids and two tanh of 4, and three products with a sum.
    ("LSTM", [("f32", [5, 2, 4])], [("f32", [1, 12, 4]), ("f32", [1, 12, 3])], {"hidden_size": 3},
     "5x1x2x3xf32", 10 * 12 * 7, 2 * 10 * 12 * 7 + 30 * (4 + 20 + 4), 30, 160 + 192 + 144, 120, 336),
    # Maximum, difference, exp (4), sum, division.
    ("Softmax", [("f32", [4, 10])], [], {}, "4x10xf32", 0, 8 * 40, 40, 160, 160, 0),
    # A window of 2 x 2 for each output element.
    ("MaxPool", [X], [], {"kernel_shape": [2, 2], "strides": [2, 2]},
     "1x3x4x4xf32", 0, 48 * 4, 48, 768, 192, 0),
    ("AveragePool", [X], [], {"kernel_shape": [3, 3]},
     "1x3x6x6xf32", 0, 108 * 9, 108, 768, 432, 0),
    ("GlobalAveragePool", [X], [], {}, "1x3x1x1xf32", 0, 192, 3, 768, 12, 0),
    # 6 x 6 windows of 2 x 2: squares and sums of 4, and a root; of power 3: magnitude, power, sum; power.
    ("LpPool", [("f32", [1, 1, 7, 7])], [], {"kernel_shape": [2, 2]},
     "1x1x6x6xf32", 0, 36 * (2 * 4 + 1), 36, 196, 144, 0),
    ("LpPool", [("f32", [1, 1, 7, 7])], [], {"kernel_shape": [2, 2], "p": 3},
     "1x1x6x6xf32", 0, 36 * (6 * 4 + 4), 36, 196, 144, 0),
    ("GlobalLpPool", [X], [], {"p": 1}, "1x3x1x1xf32", 0, 2 * 192, 3, 768, 12, 0),
    # 5 x 3 sums of 7 products, halved, and each added to.
    ("Gemm", [("f32", [5, 7]), ("f32", [7, 3]), ("f32", [3])], [], {"alpha": 0.5},
     "5x3xf32", 105, 210 + 15 + 15, 15, 140 + 84 + 12, 60, 0),
    ("Einsum", [("f32", [2, 3]), ("f32", [3, 4])], [], {"equation": "ij,jk->ki"},
     "4x2xf32", 24, 48, 8, 24 + 48, 32, 0),
    ("Einsum", [("f32", [2, 3])], [], {"equation": "ij->i"}, "2xf32", 0, 6 - 2, 2, 24, 8, 0),
    # 3 x 3: 2 + 1 quotients, 4 + 1 products and differences each, 3 pivots.
    ("Det", [("f32", [3, 3])], [], {}, "f32", 0, 3 + 2 * 5 + 3, 1, 36, 4, 0),
    # Difference, quotient, product and sum; of 3 channels a sum and a root.
    ("BatchNormalization", [X], [("f32", [3])] * 4, {}, "1x3x8x8xf32", 0, 4 * 192 + 2 * 3, 192, 768 + 48, 768, 48),
    # Sum, difference, square, sum, product, scale, bias; of 3 means 5 each.
    ("InstanceNormalization", [X], [("f32", [3])] * 2, {}, "1x3x8x8xf32", 0, 7 * 192 + 5 * 3, 192, 768 + 24, 768, 24),
    ("LayerNormalization", [X], [("f32", [8])], {}, "1x3x8x8xf32", 0, 6 * 192 + 5 * 24, 192, 768 + 32, 768, 32),
    ("LRN", [X], [], {"size": 3}, "1x3x8x8xf32", 0, 12 * 192, 192, 768, 768, 0),
    ("LpNormalization", [X], [], {}, "1x3x8x8xf32", 0, 3 * 192 + 24, 192, 768, 768, 0),
    ("MeanVarianceNormalization", [X], [], {}, "1x3x8x8xf32", 0, 5 * 192 + 5 * 3, 192, 768, 768, 0),
    # 2 steps of 1 item, 3 numbers wide: 4 hidden numbers meet 3 + 4 others in each gate.
    ("RNN", [("f32", [2, 1, 3])], [("f32", [1, 4, 3]), ("f32", [1, 4, 4])], {"hidden_size": 4},
     "2x1x1x4xf32", 8 * 7, 2 * 56 + 8 * (1 + 4), 8, 24 + 48 + 64, 32, 48 + 64),
    # An update and a reset gate of 1 + 4 each, a hidden one of 1 + 4, 5 to join them; biases twice 3.
    ("GRU", [("f32", [2, 1, 3])], [("f32", [1, 12, 3]), ("f32", [1, 12, 4]), ("f32", [1, 24])], {"hidden_size": 4},
     "2x1x1x4xf32", 3 * 8 * 7, 2 * 168 + 8 * (3 * 5 + 5 + 6), 8, 24 + 144 + 192 + 96, 32, 144 + 192 + 96),
    # Four gates of 1 + 4, tanh of the cell, 4 to join them.
    ("LSTM", [("f32", [2, 1, 3])], [("f32", [1, 16, 3]), ("f32", [1, 16, 4])], {"hidden_size": 4},
     "2x1x1x4xf32", 4 * 8 * 7, 2 * 224 + 8 * (4 * 5 + 4 + 4), 8, 24 + 192 + 256, 32, 192 + 256),
    ("Add", [X, ("f32", [8])], [], {}, "1x3x8x8xf32", 0, 192, 192, 768 + 32, 768, 0),
    ("Mul", [("i8", [4])], [("i8", [1])], {}, "4xi8", 0, 4, 4, 4 + 1, 4, 1),
    ("Relu", [X], [], {}, "1x3x8x8xf32", 0, 192, 192, 768, 768, 0),
    ("Sigmoid", [X], [], {}, "1x3x8x8xf32", 0, 4 * 192, 192, 768, 768, 0),
    ("ReduceSum", [X], [("i64", [1])], {}, "1x1x8x8xf32", 0, 192, 64, 768 + 8, 256, 8),
    ("Transpose", [X], [], {"perm": [0, 2, 3, 1]}, "1x8x8x3xf32", 0, 0, 192, 768, 768, 0),
    ("Reshape", [X], [("i64", [2], [3, 64])], {}, "3x64xf32", 0, 0, 192, 768 + 16, 768, 16),
    ("Gather", [("f32", [10, 4]), ("i64", [3])], [], {}, "3x4xf32", 0, 0, 12, 160 + 24, 48, 0),
]


def test_work_is_what_one_counts_by_hand(folder):
    for operator, inputs, weights, attributes, type_, *want in COUNTED:
        what = f"{operator} {inputs} {weights}"
        got = one(folder, operator, inputs, weights, **attributes)
        equal(got["outputs"][0]["type"], type_, what)
        equal(figures(got), want, what)


TOSA = """func.func @main(%x: tensor<1x8x8x3xi8>) -> tensor<1x6x6x4xi32> {
  %w = "tosa.const"() {values = dense<1> : tensor<4x3x3x3xi8>} : () -> tensor<4x3x3x3xi8>
  %b = "tosa.const"() {values = dense<0> : tensor<4xi32>} : () -> tensor<4xi32>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>,
    pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>)
    -> tensor<1x6x6x4xi32>
  return %y : tensor<1x6x6x4xi32>
}
"""


def test_tosa_counts_the_same(folder):
    report = opscope("model", write(folder / "m.mlir", TOSA), "--json").json()
    found = [operator for operator in report["operators"] if operator["type"] == "tosa.conv2d"]
    want = [144 * 27, 2 * 144 * 27 + 144, 144, 192 + 108 + 16 + 2, 576, 108 + 16 + 2]
    equal(figures(found[0]), want, "conv2d")
    equal(report["format"], "tosa", "format")


def small_network(folder, batch=2):
    """Conv and Relu, which share nothing, and a Gemm over what they give."""
    nodes = [make_node("Conv", ["x", "w"], ["c"], name="first/conv"),
             make_node("Relu", ["c"], ["r"], name="first/relu"),
             make_node("Add", ["r", "b"], ["y"], name="add")]
    return model(folder, nodes, [make_value("x", "f32", [batch, 1, 4, 4])],
                 [make_value("y", "f32", None)],
                 [make_tensor("w", "f32", [1, 1, 3, 3], [1] * 9), make_tensor("b", "f32", [1], [1])])


def test_totals_and_the_table(folder):
    path = small_network(folder)
    report = opscope("model", path, "--json").json()
    total = report["total"]
    # Conv 2 x 2 x 2 outputs of 9 products; Relu and Add 8 elements each.
    equal([total[name] for name in FIGURES], [72, 144 + 16, 24, (128 + 36) + 32 + (32 + 4), 96, 40], "total")
    equal((total["operators"], total["unknown"], total["weights"]), (3, 0, 2), "counts")
    equal(report["opsets"], [{"domain": "", "version": 17, "operators": 3}], "opsets")
    equal([value["type"] for value in report["inputs"] + report["outputs"]],
          ["2x1x4x4xf32", "2x1x2x2xf32"], "inputs and outputs")
    text = opscope("model", path).out
    equal([line for line in text.splitlines() if len(line) > 100 and str(path) not in line], [], "width")
    matches(text, r"^ +0 first/conv +Conv +2x1x2x2xf32 +72 +144 +8 +164 +32 +36$", "table")
    matches(text, r"^ +total +72 +160 +24 +232 +96 +40$", "total")
    contains(text, "3 operators, 2 weights of 40B")


def test_long_names_and_numbers_are_shortened(folder):
    path = model(folder, [make_node("MatMul", ["a", "b"], ["c"], name="a/very/long/path/to/the/layer")],
                 [make_value("a", "f32", [1, 1234, 1000]), make_value("b", "f32", [1, 1000, 1000])],
                 [make_value("c", "f32", [1, 1234, 1000])])
    text = opscope("model", path).out
    matches(text, r"^   0 \.\.ath/to/the/layer +MatMul +1x1234x1000xf32 +1\.23G +2\.47G +1\.23M +8\.94M +4\.94M +0$")


def test_what_is_not_known_is_absent(folder):
    path = small_network(folder, "batch")
    report = opscope("model", path, "--json").json()
    equal(figures(report["operators"][0]), [None] * 6, "work")
    equal(report["total"]["unknown"], 3, "unknown")
    equal((report["total"]["macs"], report["at_least"]["macs"]), (None, 0), "total")
    text = opscope("model", path).out
    matches(text, r"^ +0 first/conv +Conv +\?x1x2x2xf32( +absent){6}$")
    matches(text, r"^ +total( +>0){5} +40$")
    contains(text, "work of 3 operators is not known and not in the total")
    rows = list(csv.DictReader(io.StringIO(opscope("model", path, "--csv").out)))
    equal([rows[1][name] for name in FIGURES], ["absent"] * 6, "CSV")
    equal(opscope("model", path, "--define-symbol", "batch,2", "--json").json()["total"]["macs"], 72, "symbol")
    equal(opscope("model", path, "--shape", "x=3x1x4x4", "--json").json()["total"]["macs"], 108, "shape")


def test_csv_is_an_interface(folder):
    text = opscope("model", small_network(folder), "--csv").out
    equal(text.splitlines()[0], HEADER, "header")
    rows = list(csv.DictReader(io.StringIO(text)))
    equal(rows[0], {"index": "0", "graph": "0", "name": "first/conv", "type": "Conv", "domain": "",
                    "version": "17", "location": rows[0]["location"],
                    "inputs": "2x1x4x4xf32; 1x1x3x3xf32", "outputs": "2x1x2x2xf32", "macs": "72",
                    "flops": "144", "elements": "8", "bytes_read": "164", "bytes_written": "32",
                    "weight_bytes": "36"}, "row")
    equal(len(rows), 3, "rows")


def test_the_most_work_first(folder):
    path = small_network(folder)
    report = opscope("model", path, "--top", "2", "--json").json()
    equal([operator["name"] for operator in report["operators"]], ["first/conv", "add"], "top")
    equal(report["total"]["operators"], 3, "all are counted")
    contains(opscope("model", path, "--top", "1").out, "3 operators (1 shown)")


def test_inner_graphs_are_listed_but_not_summed(folder):
    branches = [make_graph([make_node("Neg", ["x"], [name])], [], [make_value(name, "f32", [4])], name=name)
                for name in ("then", "other")]
    path = model(folder, [make_node("If", ["yes"], ["y"], then_branch=branches[0], else_branch=branches[1])],
                 [make_value("yes", "bool", []), make_value("x", "f32", [4])], [make_value("y", "f32", [4])])
    report = opscope("model", path, "--json").json()
    equal(report["total"]["inner_operators"], 2, "inner")
    equal(sorted((operator["type"], operator["graph"]) for operator in report["operators"]),
          [("If", 0), ("Neg", 1), ("Neg", 2)], "operators")
    contains(opscope("model", path).out, "2 operators are inside others")


def test_wrong_use(folder):
    path = small_network(folder)
    contains(opscope("model", code=2).err, "give one network")
    contains(opscope("model", path, "--json", "--csv", code=2).err, "only one of")
    contains(opscope("model", folder / "none.onnx", code=1).err, "none.onnx")
    contains(opscope("model", write(folder / "empty.onnx", b""), code=1).err, "empty.onnx")
    contains(opscope("model", "--help").out, "examples:")


main()
