"""A small transformer decoder whose keys and values lie in a cache, with named dimensions.

    onnx_decoder.py OUT.onnx

`input_ids` and `position_ids` are [batch_size, seq_len]; a cache is [batch_size, heads, ctx_len,
width / heads], comes in as past_key.N and past_value.N and goes out, with the new rows in it, as
past_key.N_RetainedState and so on. A place sees itself and what is before it, so that a sequence
gives the same `logits` as a whole, and piece by piece with the cache handed on.
"""

import random
import sys

from onnx_writer import *

VOCABULARY, WIDTH, HEADS, LAYERS = 48, 32, 4, 2


class Decoder:
    def __init__(self, seed=5):
        self.source = random.Random(seed)
        self.nodes, self.weights = [], []

    def weight(self, name, dims, mean=0.0, deviation=0.2):
        count = 1
        for length in dims:
            count *= length
        values = [mean + deviation * self.source.uniform(-1, 1) for _ in range(count)]
        self.weights.append(make_tensor(name, "f32", dims, values))
        return name

    def number(self, name, element, dims, values):
        self.weights.append(make_tensor(name, element, dims, values))
        return name

    def node(self, operator, inputs, name, **attributes):
        self.nodes.append(make_node(operator, inputs, [name], name="/" + name, **attributes))
        return name

    def normalise(self, x, name):
        scale, bias = self.weight(f"{name}.scale", [WIDTH], 1.0), self.weight(f"{name}.bias", [WIDTH])
        return self.node("LayerNormalization", [x, scale, bias], name, axis=-1)

    def heads(self, x, name):
        """[batch, seq, width] as [batch, heads, seq, width / heads]."""
        w = self.weight(f"{name}.weight", [WIDTH, WIDTH])
        parts = self.node("Reshape", [self.node("MatMul", [x, w], f"{name}.product"), "split"], f"{name}.split")
        return self.node("Transpose", [parts], f"{name}.heads", perm=[0, 2, 1, 3])

    def cached(self, new, past, name):
        """The cache with the new rows at their positions."""
        where = self.node("Expand", ["places", self.node("Shape", [new], f"{name}.shape")], f"{name}.where")
        return self.node("ScatterElements", [past, where, new], f"{past}_RetainedState", axis=2)

    def attend(self, x, layer):
        name = f"layer{layer}.attention"
        q = self.heads(x, f"{name}.q")
        k = self.cached(self.heads(x, f"{name}.k"), f"past_key.{layer}", f"{name}.key")
        v = self.cached(self.heads(x, f"{name}.v"), f"past_value.{layer}", f"{name}.value")
        turned = self.node("Transpose", [k], f"{name}.turned", perm=[0, 1, 3, 2])
        scores = self.node("Mul", [self.node("MatMul", [q, turned], f"{name}.scores"), "scale"], f"{name}.scaled")
        seen = self.node("Softmax", [self.node("Add", [scores, "mask"], f"{name}.masked")], f"{name}.seen", axis=-1)
        back = self.node("Transpose", [self.node("MatMul", [seen, v], f"{name}.sum")], f"{name}.back",
                         perm=[0, 2, 1, 3])
        joined = self.node("Reshape", [back, "join"], f"{name}.joined")
        return self.node("MatMul", [joined, self.weight(f"{name}.out", [WIDTH, WIDTH])], f"{name}.result")

    def feed(self, x, layer):
        name = f"layer{layer}.feed"
        up = self.node("MatMul", [x, self.weight(f"{name}.up", [WIDTH, 2 * WIDTH])], f"{name}.wide")
        return self.node("MatMul", [self.node("Relu", [up], f"{name}.relu"),
                                    self.weight(f"{name}.down", [2 * WIDTH, WIDTH])], f"{name}.result")

    def mask(self):
        """0 where a place may look, [batch, 1, seq, ctx]; else far below."""
        self.number("one", "i64", [1], [1])
        self.number("axes", "i64", [2], [1, 3])
        self.number("third", "i64", [], [2])
        self.number("zero", "i64", [], [0])
        self.number("step", "i64", [], [1])
        self.number("split", "i64", [4], [0, 0, HEADS, WIDTH // HEADS])
        self.number("join", "i64", [3], [0, 0, WIDTH])
        self.number("scale", "f32", [], [(WIDTH / HEADS) ** -0.5])
        self.number("open", "f32", [], [0.0])
        self.number("closed", "f32", [], [-10000.0])
        self.node("Unsqueeze", ["position_ids", "axes"], "places")
        length = self.node("Gather", [self.node("Shape", ["past_key.0"], "cache.shape"), "third"], "cache.length")
        numbers = self.node("Range", ["zero", length, "step"], "cache.places")
        visible = self.node("LessOrEqual", [numbers, "places"], "visible")
        self.node("Where", [visible, "open", "closed"], "mask")

    def model(self):
        self.mask()
        x = self.node("Gather", [self.weight("embedding", [VOCABULARY, WIDTH], 0.0, 1.0), "input_ids"], "embedded")
        for layer in range(LAYERS):
            attention = self.attend(self.normalise(x, f"layer{layer}.norm1"), layer)
            x = self.node("Add", [x, attention], f"layer{layer}.sum1")
            x = self.node("Add", [x, self.feed(self.normalise(x, f"layer{layer}.norm2"), layer)], f"layer{layer}.sum2")
        self.node("MatMul", [self.normalise(x, "norm"), self.weight("head", [WIDTH, VOCABULARY])], "logits")
        tokens = ["batch_size", "seq_len"]
        cache = ["batch_size", HEADS, "ctx_len", WIDTH // HEADS]
        names = [f"past_{what}.{layer}" for layer in range(LAYERS) for what in ("key", "value")]
        inputs = [make_value("input_ids", "i64", tokens), make_value("position_ids", "i64", tokens)]
        outputs = [make_value("logits", "f32", [*tokens, VOCABULARY])]
        return make_model(make_graph(self.nodes, inputs + [make_value(name, "f32", cache) for name in names],
                                     outputs + [make_value(f"{name}_RetainedState", "f32", cache) for name in names],
                                     self.weights, name="decoder"))


def decoder(seed=5):
    return Decoder(seed).model()


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(decoder())
