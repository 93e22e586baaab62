"""Operators that move, choose, resize and match elements against ONNX Runtime run beside."""
from support import *
from onnx_cases import *
from onnx_movement_cases import MOVEMENTS


def test_onnxruntime_computes_the_same(folder):
    compare_with_onnxruntime(folder, MOVEMENTS)


main()
