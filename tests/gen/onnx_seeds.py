#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets onnx and onnx_tensor: small models and
tensors that between them use every part of the format, and a layer of each kind.

    tests/gen/onnx_seeds.py tests/fuzz/corpus
"""

import pathlib
import sys

from onnx_layer_cases import LAYERS, RECIPES
from onnx_writer import *

X = make_value("x", "f32", [2, 3])


def plain():
    return make_graph(
        [make_node("Add", ["x", "w"], ["t"], name="add", doc="model.py(7): forward"),
         make_node("Relu", ["t"], ["y"], metadata=[("namespace", "net/relu")])],
        [X], [make_value("y", "f32", [2, 3])], [make_tensor("w", "f32", [3], [1.0, 2.0, 3.0])],
        [make_value("t", "f32", ["rows", 3])])


def disordered():
    return make_graph([make_node("Relu", ["t"], ["y"]), make_node("Neg", ["x"], ["t"])], [X],
                      [make_value("y")])


def cycle():
    return make_graph([make_node("Add", ["x", "b"], ["a"]), make_node("Neg", ["a"], ["b"])], [X],
                      [make_value("a")])


def branches():
    then = make_graph([make_node("Neg", ["x"], ["r"])], [], [make_value("r", "f32", [2, 3])])
    other = make_graph([make_node("Mul", ["x", "w"], ["r"])], [], [make_value("r", "f32", [2, 3])],
                       [make_tensor("w", "f32", [], [2.0], raw=False)])
    return make_graph([make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                      [X, make_value("c", "bool", [])], [make_value("y", "f32", [2, 3])])


def loop():
    body = make_graph(
        [make_node("Add", ["v", "x"], ["w"]), make_node("Identity", ["c"], ["d"])],
        [make_value("i", "i64", []), make_value("c", "bool", []), make_value("v", "f32", [2, 3])],
        [make_value("d", "bool", []), make_value("w", "f32", [2, 3])])
    return make_graph([make_node("Loop", ["n", "", "x"], ["y"], body=body)], [X],
                      [make_value("y")], [make_tensor("n", "i64", [], [3], raw=False)])


def scan():
    body = make_graph([make_node("Add", ["s", "r"], ["t"]), make_node("Identity", ["t"], ["u"])],
                      [make_value("s"), make_value("r")], [make_value("t"), make_value("u")])
    return make_graph([make_node("Scan", ["z", "x"], ["a", "b"], body=body, num_scan_inputs=1)],
                      [X], [make_value("a"), make_value("b")],
                      [make_tensor("z", "f32", [3], [0.0] * 3)])


def called():
    inner = make_function("Inner", ["a"], ["b", "a"],
                          [make_node("LeakyRelu", ["a"], ["b"], alpha=ref("slope"))],
                          attributes=["slope"])
    outer = make_function(
        "Outer", ["p"], ["q"],
        [make_node("Inner", ["p"], ["r", "s"], name="in", domain="local", slope=ref("slope")),
         make_node("Add", ["r", "s"], ["q"])], defaults={"slope": 0.25})
    graph = make_graph([make_node("Outer", ["x"], ["h"], name="one", domain="local"),
                        make_node("Outer", ["h"], ["y"], domain="local", slope=0.5)],
                       [X], [make_value("y")])
    return make_model(graph, functions=[inner, outer], opsets=[("local", 1)])


def sparse():
    return make_graph([make_node("Add", ["x", "w"], ["y"]),
                       make_node("Constant", [], ["z"],
                                 sparse_value=make_sparse("", "f32", [4], [2.5], [2]))],
                      [X], [make_value("y"), make_value("z")],
                      [make_sparse("w", "f32", [2, 3], [5.0, 6.0], [[0, 1], [1, 2]])])


def shapes():
    return make_graph(
        [make_node("Shape", ["x"], ["s"]),
         make_node("Gather", ["s", "first"], ["n"], axis=0),
         make_node("Unsqueeze", ["n", "axes"], ["u"]),
         make_node("Concat", ["u", "rest"], ["c"], axis=0),
         make_node("Reshape", ["x", "c"], ["y"])],
        [X], [make_value("y")],
        [make_tensor("first", "i64", [], [0], raw=False), make_tensor("axes", "i64", [1], [0]),
         make_tensor("rest", "i64", [1], [-1])])


def convolution():
    return make_graph(
        [make_node("Conv", ["x", "w", ""], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                   strides=[2, 2], auto_pad="NOTSET"),
         make_node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2]),
         make_node("GlobalAveragePool", ["p"], ["g"]),
         make_node("Flatten", ["g"], ["f"]),
         make_node("Gemm", ["f", "m"], ["y"], alpha=0.5, transB=1)],
        [make_value("x", "f32", ["batch", 1, 8, 8])], [make_value("y", "f32", ["batch", 2])],
        [make_tensor("w", "f32", [2, 1, 3, 3], [0.5] * 18),
         make_tensor("m", "f32", [2, 2], [1.0, 2.0, 3.0, 4.0], raw=False)])


def quantized():
    return make_graph(
        [make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
         make_node("DequantizeLinear", ["q", "scale", "zero"], ["d"]),
         make_node("DequantizeLinear", ["w", "scale"], ["e"]),
         make_node("MatMul", ["d", "e"], ["y"])],
        [X], [make_value("y")],
        [make_tensor("scale", "f32", [], [0.5]), make_tensor("zero", "u8", [], [128]),
         make_tensor("w", "i4", [3, 1], [1, -2, 7])])


def values_of_all_kinds():
    sequence = make_sequence_type(make_type("f32", ["n"]))
    return make_graph(
        [make_node("SequenceAt", ["s", "i"], ["a"]),
         make_node("OptionalHasElement", ["o"], ["h"]),
         make_node("CategoryMapper", ["a"], ["y"], domain="ai.onnx.ml",
                   cats_strings=["a", "b"], cats_int64s=[1, 2], default=b"\xff", reals=[1.0, 2.0],
                   tensors=[make_tensor("", "text", [2], ["a", "b"])], none=Ints([]))],
        [make_value("s", sequence), make_value("o", make_optional_type(sequence)),
         make_value("i", "i64", [])], [make_value("y")])


def outside():
    return make_graph([make_node("Add", ["x", "w"], ["y"])], [X], [make_value("y")],
                      [make_external("w", "f32", [3], location="weights.bin", offset=0, length=12)])


MODELS = [plain, disordered, cycle, branches, loop, scan, called, sparse, shapes, convolution,
          quantized, values_of_all_kinds, outside]

VALUES = {
    "f32": [1.0, -2.5, 3.0], "u8": [0, 200, 255], "i8": [-128, 0, 127], "u16": [0, 1, 65535],
    "i16": [-32768, 0, 1], "i32": [-5, 0, 5], "i64": [-(1 << 62), 0, 3], "text": ["", "a", "bc"],
    "bool": [True, False, True], "f16": [0.5, -1.0, 2.0], "f64": [1e300, -0.5, 0.0],
    "u32": [0, 1, 4000000000], "u64": [0, 1, 1 << 63], "c64": [1 + 2j, 0, -1j],
    "c128": [1 + 2j, 0, -1j], "bf16": [0x3f80, 0, 0xff80], "f8e4m3fn": [0, 1, 0x7f],
    "u4": [0, 9, 15], "i4": [-8, 0, 7],
}


def tensors():
    for element, values in VALUES.items():
        yield element, make_tensor("t", element, [3], values)
        yield element + "_listed", make_tensor("t", element, [1, 3], values, raw=False)
    yield "empty", make_tensor("", "f32", [0, 5], [])
    first = make_tensor("a", "f32", [2], [1.0, 2.0])
    yield "sequence", make_sequence([first, make_tensor("b", "text", [1], ["x"])], "s")
    yield "optional", make_optional(first)
    yield "optional_sequence", make_optional(make_sequence([first]))
    yield "outside", make_external("w", "f32", [3], location="w.bin")


def main():
    corpus = pathlib.Path(sys.argv[1])
    for folder in ("onnx", "onnx_tensor"):
        (corpus / folder).mkdir(parents=True, exist_ok=True)
    for make in MODELS:
        made = make()
        model = make_model(made) if isinstance(made, Graph) else made
        (corpus / "onnx" / (make.__name__ + ".onnx")).write_bytes(model)
    for case, (operator, *_) in reversed(list(zip(LAYERS, RECIPES))):
        (corpus / "onnx" / f"layer_{operator}.onnx").write_bytes(case.model())
    for name, tensor in tensors():
        (corpus / "onnx_tensor" / (name + ".pb")).write_bytes(tensor)


if __name__ == "__main__":
    main()
