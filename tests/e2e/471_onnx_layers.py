"""Convolutions, poolings, products, normalizations and recurrent layers against ONNX Runtime run beside."""
from support import *
from onnx_cases import *
from onnx_layer_cases import LAYERS


def test_onnxruntime_computes_the_same(folder):
    compare_with_onnxruntime(folder, LAYERS)


main()
