"""Networks for measurements, of known architectures with random weights.

    onnx_network.py resnet50 OUT.onnx       25.6 million parameters, about 97 MiB
    onnx_network.py resnet18 OUT.onnx       as exporters give it: normalisations folded
    onnx_network.py mobilenet_v2 OUT.onnx   the same
"""

import array
import math
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
        self.pool = array.array("f", [source.gauss(0, 1) for _ in range(1 << 18)])
        self.offset = 0

    def weight(self, name, dims, mean=0.0, deviation=0.02):
        count = 1
        for length in dims:
            count *= length
        data = bytearray()
        while len(data) < 4 * count:
            self.offset = (self.offset + 7919) % (len(self.pool) // 2)
            part = self.pool[self.offset:self.offset + (count - len(data) // 4)]
            data += array.array("f", [mean + deviation * value for value in part]).tobytes()
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
        parts = [self.weight(f"{name}.{part}", [filters], mean)
                 for part, mean in (("scale", 1), ("bias", 0), ("mean", 0), ("var", 1))]
        y = self.node("BatchNormalization", [y, *parts], f"{name}.norm", epsilon=1e-5)
        return self.node("Relu", [y], f"{name}.relu") if relu else y

    def bottleneck(self, x, name, channels, middle, stride):
        y = self.convolve(x, f"{name}.1", channels, middle, 1)
        y = self.convolve(y, f"{name}.2", middle, middle, 3, stride)
        y = self.convolve(y, f"{name}.3", middle, 4 * middle, 1, relu=False)
        if channels != 4 * middle:
            x = self.convolve(x, f"{name}.short", channels, 4 * middle, 1, stride, relu=False)
        return self.node("Relu", [self.node("Add", [x, y], f"{name}.add")], f"{name}.out")


    def folded(self, x, name, channels, filters, size, stride=1, groups=1):
        """A Conv that its normalisation was folded into; activations keep their size."""
        depth = channels // groups
        w = self.weight(f"{name}.weight", [filters, depth, size, size],
                        deviation=math.sqrt(2 / (depth * size * size)))
        b = self.weight(f"{name}.bias", [filters])
        return self.node("Conv", [x, w, b], name, kernel_shape=[size, size], strides=[stride, stride],
                         pads=[size // 2] * 4, dilations=[1, 1], group=groups)

    def classify(self, x, channels):
        """The mean of each channel, and 1000 classes."""
        x = self.node("Flatten", [self.node("GlobalAveragePool", [x], "mean")], "flat", axis=1)
        w, b = self.weight("fc.weight", [1000, channels]), self.weight("fc.bias", [1000])
        self.node("Gemm", [x, w, b], "output", transB=1)

    def model(self, name):
        graph = make_graph(self.nodes, [make_value("input", "f32", [1, 3, 224, 224])],
                           [make_value("output", "f32", [1, 1000])], self.weights, name=name)
        return make_model(graph, opset=17)


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
    network.classify(x, channels)
    return network.model("resnet50")


def resnet18():
    """The bytes of the model."""
    network = Network()
    x = network.node("Relu", [network.folded("input", "stem", 3, 64, 7, 2)], "stem.relu")
    x = network.node("MaxPool", [x], "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, filters in enumerate((64, 128, 256, 512)):
        for block in range(2):
            name = f"stage{stage}.{block}"
            stride = 2 if block == 0 and stage > 0 else 1
            y = network.node("Relu", [network.folded(x, f"{name}.1", channels, filters, 3, stride)],
                             f"{name}.relu")
            y = network.folded(y, f"{name}.2", filters, filters, 3)
            if stride == 2:
                x = network.folded(x, f"{name}.short", channels, filters, 1, 2)
            x = network.node("Relu", [network.node("Add", [y, x], f"{name}.add")], f"{name}.out")
            channels = filters
    network.classify(x, channels)
    return network.model("resnet18")


def mobilenet_v2():
    """The bytes of the model."""
    network = Network()
    network.weights += [make_tensor("zero", "f32", [], [0]), make_tensor("six", "f32", [], [6])]

    def clipped(x, name, *shape, **options):
        return network.node("Clip", [network.folded(x, name, *shape, **options), "zero", "six"],
                            f"{name}.clip")

    x, channels = clipped("input", "stem", 3, 32, 3, 2), 32
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
              (6, 320, 1, 1))
    for stage, (expansion, filters, blocks, first) in enumerate(stages):
        for block in range(blocks):
            name, stride, wide = f"stage{stage}.{block}", first if block == 0 else 1, expansion * channels
            y = clipped(x, f"{name}.wide", channels, wide, 1) if expansion > 1 else x
            y = clipped(y, f"{name}.depth", wide, wide, 3, stride, groups=wide)
            y = network.folded(y, f"{name}.narrow", wide, filters, 1)
            same = stride == 1 and channels == filters
            x, channels = network.node("Add", [x, y], f"{name}.add") if same else y, filters
    x = clipped(x, "head", channels, 1280, 1)
    network.classify(x, 1280)
    return network.model("mobilenet_v2")


NETWORKS = {made.__name__: made for made in (resnet50, resnet18, mobilenet_v2)}

if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(NETWORKS[sys.argv[1]]())
