#!/usr/bin/env python3
"""Single operators against ONNX Runtime in the same run.

    bench/operators.py [--rounds 3] [--only NAME]... [--threads 1]

Each is a network of one operator on a tensor as networks have them, and a Slice behind
it that gives out one element: ONNX Runtime's outputs are copied to node. For whoever
makes kernels faster: no limits, the slowest comes first.
"""

import sys

from measuring import ROOT, run
from peer import fetch, inputs_of, onnxruntime, opscope

sys.path.append(str(ROOT / "tests/gen"))
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value  # noqa: E402

ITERATIONS = 20
IMAGE = [1, 64, 56, 56]
TOKENS = [1, 128, 768]


# Constants: element, dimensions and values.

def weight(dims):
    count = 1
    for length in dims:
        count *= length
    return "f32", dims, [((i * 7919) % 2003) / 1001 - 1 for i in range(count)]


def indices(values):
    return "i64", [len(values)], values


def scalar(value):
    return "f32", [], [value]


# Name: operator, shapes of its inputs, constants behind them, shape of the output, attributes.
CASES = {
    **{name: (name, [IMAGE], [], IMAGE, {}) for name in (
        "Relu", "Sigmoid", "Tanh", "Exp", "Sqrt", "Erf", "HardSwish", "HardSigmoid", "Softplus", "Elu",
        "LeakyRelu", "Neg", "Abs", "Floor", "Log", "Identity")},
    "Gelu": ("Gelu", [TOKENS], [], TOKENS, {}),
    "Clip": ("Clip", [IMAGE], [scalar(0), scalar(6)], IMAGE, {}),
    "Add": ("Add", [IMAGE, IMAGE], [], IMAGE, {}),
    "Mul": ("Mul", [IMAGE, IMAGE], [], IMAGE, {}),
    "Div": ("Div", [IMAGE, IMAGE], [], IMAGE, {}),
    "Add channels": ("Add", [IMAGE], [weight([1, 64, 1, 1])], IMAGE, {}),
    "Add rows": ("Add", [TOKENS], [weight([768])], TOKENS, {}),
    "Pow 2": ("Pow", [TOKENS], [scalar(2)], TOKENS, {}),
    "PRelu": ("PRelu", [IMAGE], [weight([64, 1, 1])], IMAGE, {}),
    "Sum": ("Sum", [IMAGE, IMAGE, IMAGE], [], IMAGE, {}),
    "Max": ("Max", [IMAGE, IMAGE], [], IMAGE, {}),
    "Softmax rows": ("Softmax", [[12, 128, 128]], [], [12, 128, 128], {"axis": -1}),
    "Softmax channels": ("Softmax", [IMAGE], [], IMAGE, {"axis": 1}),
    "LogSoftmax": ("LogSoftmax", [[128, 1000]], [], [128, 1000], {"axis": -1}),
    "LayerNormalization": ("LayerNormalization", [TOKENS], [weight([768]), weight([768])],
                           TOKENS, {"axis": -1}),
    "InstanceNormalization": ("InstanceNormalization", [IMAGE], [weight([64]), weight([64])],
                              IMAGE, {}),
    "BatchNormalization": ("BatchNormalization", [IMAGE], [
        weight([64]), weight([64]), weight([64]), ("f32", [64], [1] * 64)],
        IMAGE, {}),
    "ReduceMean planes": ("ReduceMean", [IMAGE], [], [1, 64, 1, 1], {"axes": [2, 3]}),
    "ReduceMean channels": ("ReduceMean", [IMAGE], [], [1, 1, 56, 56], {"axes": [1]}),
    "ReduceMean rows": ("ReduceMean", [TOKENS], [], [1, 128, 1], {"axes": [-1]}),
    "ReduceSum": ("ReduceSum", [TOKENS], [indices([-1])], [1, 128, 1], {}),
    "ReduceMax": ("ReduceMax", [TOKENS], [], [1, 128, 1], {"axes": [-1]}),
    "ArgMax": ("ArgMax", [TOKENS], [], [1, 128, 1], {"axis": -1}),
    "TopK": ("TopK", [TOKENS], [indices([10])], [1, 128, 10], {"axis": -1}),
    "GlobalAveragePool": ("GlobalAveragePool", [IMAGE], [], [1, 64, 1, 1], {}),
    "MaxPool 3x3/2": ("MaxPool", [IMAGE], [], [1, 64, 28, 28],
                      {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "AveragePool 2x2/2": ("AveragePool", [IMAGE], [], [1, 64, 28, 28],
                          {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "AveragePool 3x3": ("AveragePool", [IMAGE], [], IMAGE, {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "Transpose to last": ("Transpose", [IMAGE], [], [1, 56, 56, 64], {"perm": [0, 2, 3, 1]}),
    "Transpose to first": ("Transpose", [[1, 56, 56, 64]], [], IMAGE, {"perm": [0, 3, 1, 2]}),
    "Transpose heads": ("Transpose", [[1, 128, 12, 64]], [], [1, 12, 128, 64], {"perm": [0, 2, 1, 3]}),
    "Transpose matrix": ("Transpose", [[768, 768]], [], [768, 768], {"perm": [1, 0]}),
    "Concat": ("Concat", [IMAGE, IMAGE], [], [1, 128, 56, 56], {"axis": 1}),
    "Concat last": ("Concat", [TOKENS, TOKENS], [], [1, 128, 1536], {"axis": -1}),
    "Slice": ("Slice", [IMAGE], [indices([0, 0]), indices([28, 28]), indices([2, 3])],
              [1, 64, 28, 28], {}),
    "Pad": ("Pad", [IMAGE], [indices([0, 0, 1, 1, 0, 0, 1, 1])], [1, 64, 58, 58], {}),
    "Gather": ("Gather", [[1000, 768]], [indices([(i * 37) % 1000 for i in range(128)])], [128, 768],
               {"axis": 0}),
    "Expand": ("Expand", [[1, 64, 1, 1]], [indices(IMAGE)], IMAGE, {}),
    "Resize nearest": ("Resize", [IMAGE], [("f32", [0], []),
                                           ("f32", [4], [1, 1, 2, 2])],
                       [1, 64, 112, 112], {"mode": "nearest"}),
    "Resize linear": ("Resize", [IMAGE], [("f32", [0], []),
                                          ("f32", [4], [1, 1, 2, 2])],
                      [1, 64, 112, 112], {"mode": "linear"}),
    "DepthToSpace": ("DepthToSpace", [IMAGE], [], [1, 16, 112, 112], {"blocksize": 2}),
    "ConvTranspose": ("ConvTranspose", [[1, 64, 28, 28]], [weight([64, 32, 2, 2])], [1, 32, 56, 56],
                      {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "MatMul": ("MatMul", [TOKENS], [weight([768, 768])], TOKENS, {}),
    "MatMul attention": ("MatMul", [[12, 128, 64], [12, 64, 128]], [], [12, 128, 128], {}),
    "Gemm one row": ("Gemm", [[1, 1280]], [weight([1000, 1280]), weight([1000])], [1, 1000],
                     {"transB": 1}),
    "QuantizeLinear": ("QuantizeLinear", [IMAGE], [scalar(0.1), ("u8", [], [128])],
                       IMAGE, {}),
    "LSTM": ("LSTM", [[50, 1, 128]], [weight([1, 1024, 128]), weight([1, 1024, 256])],
             [50, 1, 1, 256], {"hidden_size": 256}),
    "GRU": ("GRU", [[50, 1, 128]], [weight([1, 768, 128]), weight([1, 768, 256])],
            [50, 1, 1, 256], {"hidden_size": 256}),
}
OPSETS = {"Gelu": 20}
OUTPUT_TYPES = {"QuantizeLinear": "u8", "ArgMax": "i64"}


def write_case(name, path):
    operator, inputs, constants, output, attributes = CASES[name]
    names = [f"x{i}" for i in range(len(inputs))]
    held = [make_tensor(f"c{i}", *constant) for i, constant in enumerate(constants)]
    outputs = ["y", "places"] if operator == "TopK" else ["y"]
    node = make_node(operator, names + [f"c{i}" for i in range(len(held))], outputs, name="node", **attributes)
    one = make_node("Slice", ["y", "starts", "ends"], ["one"], name="one")
    held += [make_tensor("starts", *indices([0] * len(output))), make_tensor("ends", *indices([1] * len(output)))]
    graph = make_graph([node, one], [make_value(n, "f32", dims) for n, dims in zip(names, inputs)],
                       [make_value("one", OUTPUT_TYPES.get(operator, "f32"), [1] * len(output))], held)
    path.write_bytes(make_model(graph, opset=OPSETS.get(operator, 17)))


def measure_case(path, folder, options):
    ours = theirs = float("inf")
    for _ in range(options.rounds):
        ours = min(ours, opscope("infer", path, "--max-elements=1", f"--threads={options.threads}",
                                 f"--iterations={ITERATIONS}")["least_ms"])
        theirs = min(theirs, *onnxruntime(model=str(path), inputs=inputs_of(path, folder), folder=str(folder),
                                          iterations=ITERATIONS, threads=options.threads)["run_ms"])
    return ours, theirs


def add_options(parser):
    parser.add_argument("--only", action="append", default=[], help="operators to measure (all)")
    parser.add_argument("--threads", type=int, default=1)


def measure(options, folder):
    if not fetch():
        return
    found = {}
    for name in options.only or CASES:
        path = folder / "one.onnx"
        write_case(name, path)
        found[name] = measure_case(path, folder, options)
    print(f"one operator, ms, best of {options.rounds} x {ITERATIONS}, {options.threads} threads")
    for name, (ours, theirs) in sorted(found.items(), key=lambda item: item[1][1] / item[1][0]):
        print(f"  {name:<24} {ours:>8.3f}   ONNX Runtime {theirs:>8.3f}   {ours / theirs:>6.2f}")


run(__doc__, measure, add_options, rounds=3)
