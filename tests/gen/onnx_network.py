"""A large network for measurements: shaped like ResNet-50, with random weights.

    onnx_network.py OUT.onnx     25.6 million parameters, about 97 MiB
"""

import array
import random
import sys

import onnx_writer
from onnx_writer import *


class Network:
    """Collects nodes and weights."""

    def __init__(self, seed=1):
        self.nodes, self.weights = [], []
        source = random.Random(seed)
        # Weights are pieces of one pool, so that the generator takes seconds.
        self.pool = array.array("f", [source.gauss(0, 0.02) for _ in range(1 << 18)])
        self.offset = 0

    def weight(self, name, dims):
        count = 1
        for length in dims:
            count *= length
        data = bytearray()
        while len(data) < 4 * count:
            self.offset = (self.offset + 7919) % (len(self.pool) // 2)
            data += self.pool[self.offset:self.offset + (count - len(data) // 4)].tobytes()
        head = onnx_writer.tensor_head(name, "f32", dims)
        self.weights.append(Tensor(head + field(9, bytes(data))))
        return name

    def node(self, operator, inputs, name, **attributes):
        self.nodes.append(make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def convolve(self, x, name, channels, filters, size, stride=1, relu=True):
        """Conv, BatchNormalization and Relu."""
        w = self.weight(f"{name}.weight", [filters, channels, size, size])
        pad = size // 2
        y = self.node("Conv", [x, w], f"{name}.conv", kernel_shape=[size, size],
                      strides=[stride, stride], pads=[pad] * 4)
        parts = [self.weight(f"{name}.{part}", [filters]) for part in ("scale", "bias", "mean", "var")]
        y = self.node("BatchNormalization", [y, *parts], f"{name}.norm", epsilon=1e-5)
        return self.node("Relu", [y], f"{name}.relu") if relu else y

    def bottleneck(self, x, name, channels, middle, stride):
        y = self.convolve(x, f"{name}.1", channels, middle, 1)
        y = self.convolve(y, f"{name}.2", middle, middle, 3, stride)
        y = self.convolve(y, f"{name}.3", middle, 4 * middle, 1, relu=False)
        if channels != 4 * middle:
            x = self.convolve(x, f"{name}.short", channels, 4 * middle, 1, stride, relu=False)
        return self.node("Relu", [self.node("Add", [x, y], f"{name}.add")], f"{name}.out")


def resnet50():
    """The bytes of the model."""
    network = Network()
    x = network.convolve("input", "stem", 3, 64, 7, 2)
    x = network.node("MaxPool", [x], "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, (blocks, middle) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512))):
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            x = network.bottleneck(x, f"stage{stage}.{block}", channels, middle, stride)
            channels = 4 * middle
    x = network.node("Flatten", [network.node("GlobalAveragePool", [x], "mean")], "flat", axis=1)
    w, b = network.weight("fc.weight", [1000, 2048]), network.weight("fc.bias", [1000])
    network.node("Gemm", [x, w, b], "output", transB=1)
    graph = make_graph(network.nodes, [make_value("input", "f32", [1, 3, 224, 224])],
                       [make_value("output", "f32", [1, 1000])], network.weights, name="resnet50")
    return make_model(graph, opset=17)


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(resnet50())
