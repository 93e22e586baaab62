"""ONNX networks compiled for Torq, run here or on a board, and compared with numbers worked out here.

    pytest tests/test_onnx_model.py -k example-matmul_layer --torq-runtime-profiling-output-dir=./profile

python/opscope_pytest.py has the options. Inputs are ones; all numbers are small and whole, so that every
machine computes the same.
"""

import ast
import pathlib
import struct
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent / "gen"))
from onnx_writer import *  # pylint: disable=wrong-import-position,wildcard-import,unused-wildcard-import


def weight(row, column):
    return (row * 7 + column * 3) % 9 - 4


def matmul_layer(rows=8, depth=32, columns=16):
    """Products of bytes, summed as 32-bit integers: what the NPU's slices compute."""
    weights = [weight(i, j) for i in range(depth) for j in range(columns)]
    graph = make_graph(
        [make_node("MatMulInteger", ["x", "w"], ["y"], name="matmul")],
        inputs=[make_value("x", "i8", [rows, depth])], outputs=[make_value("y", "i32", [rows, columns])],
        initializers=[make_tensor("w", "i8", [depth, columns], weights)])
    line = [sum(weight(i, j) for i in range(depth)) for j in range(columns)]
    return make_model(graph, opset=13), (rows, columns), line * rows


def dense_layer(rows=8, depth=32, columns=16):
    """x W + b of reals, what is below zero becoming zero: the host computes it."""
    weights = [float(weight(i, j)) for i in range(depth) for j in range(columns)]
    offsets = [float(j % 5 - 2) for j in range(columns)]
    graph = make_graph(
        [make_node("MatMul", ["x", "w"], ["product"], name="matmul"),
         make_node("Add", ["product", "b"], ["sum"], name="bias"),
         make_node("Relu", ["sum"], ["y"], name="relu")],
        inputs=[make_value("x", "f32", [rows, depth])], outputs=[make_value("y", "f32", [rows, columns])],
        initializers=[make_tensor("w", "f32", [depth, columns], weights),
                      make_tensor("b", "f32", [columns], offsets)])
    line = [max(0.0, sum(weight(i, j) for i in range(depth)) + offsets[j]) for j in range(columns)]
    return make_model(graph, opset=13), (rows, columns), line * rows


def convolution_layer(size=6, channels=3):
    """A 3x3 convolution of ones without padding: each output is the sum of its weights."""
    weights = [float(weight(k // 9, k % 9)) for k in range(channels * 9)]
    graph = make_graph(
        [make_node("Conv", ["x", "w"], ["y"], name="conv", kernel_shape=[3, 3])],
        inputs=[make_value("x", "f32", [1, 1, size, size])],
        outputs=[make_value("y", "f32", [1, channels, size - 2, size - 2])],
        initializers=[make_tensor("w", "f32", [channels, 1, 3, 3], weights)])
    sums = [sum(weights[c * 9:c * 9 + 9]) for c in range(channels)]
    places = (size - 2) ** 2
    return make_model(graph, opset=13), (1, channels, size - 2, size - 2), [s for s in sums for _ in range(places)]


NETWORKS = {"example-matmul_layer": matmul_layer, "example-dense_layer": dense_layer,
            "example-convolution_layer": convolution_layer}


def read_npy(path):
    """Shape and numbers of a file of f32 or i32."""
    data = path.read_bytes()
    size = struct.unpack_from("<H", data, 8)[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    assert not head["fortran_order"]
    code = {"<f4": "<f", "<i4": "<i"}[head["descr"]]
    return head["shape"], [number for number, in struct.iter_unpack(code, data[10 + size:])]


@pytest.mark.parametrize("name", NETWORKS)
def test_onnx_model(name, tmp_path, torq_network):
    model, shape, wanted = NETWORKS[name]()
    path = tmp_path / f"{name}.onnx"
    path.write_bytes(model)
    result = torq_network(path)
    assert len(result.outputs) == 1
    assert read_npy(result.outputs[0]) == (shape, wanted)
