"""Invented networks on machines with invented memories: each program is proved, and computes what the network does.

Blocks as networks have them (fire modules, inverted residuals, poolings, windows with odd borders, softmax), with
sizes and memories at which tiles, chains and what stays near come out in other ways each time. OPSCOPE_ALL invents
fifty times as many.
"""

import math
import random

from support import *

sys.path += [str(ROOT / "tests"), str(ROOT / "tests/tools")]
import equality  # noqa: E402
from onnx_writer import *  # noqa: E402

TARGET = "torq-sl2610"
BF16 = "f32=bf16,i64=i32"
TOGETHER = True


class Network:
    """Nodes one after the other over values of one image."""

    def __init__(self, channels, side):
        self.channels, self.side = channels, side
        self.nodes, self.weights, self.value = [], [], "x"
        self.shape = [1, channels, side, side]

    def name(self):
        return f"v{len(self.nodes)}"

    def constant(self, *dims):
        name = f"w{len(self.weights)}"
        count = math.prod(dims)
        self.weights.append(make_tensor(name, "f32", list(dims), [((i * 7) % 17 - 8) / 16 for i in range(count)]))
        return name

    def add(self, kind, *inputs, channels=None, **attributes):
        name = self.name()
        self.nodes.append(make_node(kind, list(inputs), [name], **attributes))
        self.value, self.channels = name, channels or self.channels
        return name

    def conv(self, value, channels, kernel=1, group=1, relu=True, **attributes):
        weights = self.constant(channels, self.channels // group, kernel, kernel)
        name = self.add("Conv", value, weights, self.constant(channels), channels=channels, group=group,
                        kernel_shape=[kernel] * 2, **{"pads": [kernel // 2] * 4, **attributes})
        return self.add("Relu", name) if relu else name

    def write(self, folder):
        graph = make_graph(self.nodes, inputs=[make_value("x", "f32", self.shape)],
                           outputs=[make_value(self.value, "f32")], initializers=self.weights)
        return write(folder / "net.onnx", make_model(graph, opset=17))


def fire(network, pick):
    wide = pick.choice([4, 8, 16])
    before = network.conv(network.value, pick.choice([2, 4, 8]))
    narrow = network.channels
    left = network.conv(before, wide)
    network.channels = narrow
    right = network.conv(before, wide, 3)
    network.add("Concat", left, right, channels=2 * wide, axis=1)


def inverted(network, pick):
    start, narrow, wide, kernel = network.value, network.channels, pick.choice([8, 12, 24, 36]), pick.choice([3, 5])
    before = network.conv(start, wide, relu=False)
    before = network.add("Mul", before, network.add("Sigmoid", before))
    before = network.conv(before, wide, kernel, group=wide, relu=False)
    before = network.add("Mul", before, network.add("Sigmoid", before))
    network.add("Add", network.conv(before, narrow, relu=False), start)


def pool(network, pick):
    if network.side > 6:
        network.add("MaxPool", network.value, kernel_shape=[3, 3], strides=[2, 2])
        network.side = (network.side - 3) // 2 + 1


def odd_window(network, pick):
    kernel = pick.choice([2, 3, 5])
    border = [pick.randrange(kernel) for _ in range(2)]
    rest = [kernel - 1 - size for size in border]
    network.conv(network.value, pick.choice([3, 6, 16]), kernel, pads=border + rest)


def softmax(network, pick):
    network.add(pick.choice(["Softmax", "LogSoftmax"]), network.value, axis=pick.choice([1, 3]))


BLOCKS = [fire, inverted, inverted, pool, odd_window, softmax]


def invented(folder, seed):
    """A network, and a memory that it may or may not fit."""
    pick = random.Random(seed)
    network = Network(pick.choice([2, 4, 6, 8]), pick.choice([8, 10, 15, 20, 28]))
    for _ in range(pick.choice([1, 2, 3])):
        pick.choice(BLOCKS)(network, pick)
    return network.write(folder), pick.choice([9, 11, 13, 16, 21, 26, 29, 40, 58, 96, 112])


def proved(network, memory, conversion, folder):
    """False when the memory is too small."""
    done = opscope("compile", network, "-t", TARGET, "--set", f"lram.size={memory}KiB", "--convert", conversion,
                   "-o", folder / "net.opx", code=None)
    true(done.code == 0 or "use smaller shapes" in done.err, f"{memory} KiB: {done.err}")
    return done.code == 0


def test_invented_networks(folder):
    compiled = 0
    for seed in range(1000 if os.environ.get("OPSCOPE_ALL") else 8 if SANITIZED else 40):
        network, memory = invented(folder, seed)
        if not proved(network, memory, BF16, folder):
            continue
        compiled += 1
        if equality.RUNNER.exists():
            target = f"{TARGET} with lram.size={memory}KiB as {BF16}"
            equal(equality.check(target, f"seed {seed}", [network]), [], f"seed {seed}")
    true(compiled > 4, f"only {compiled} of them were compiled")


def test_what_lies_between_two_memories_is_let_go_by_who_took_it_on(folder):
    """Lines of a softmax go to the controller through two memories, tile by tile."""
    network = Network(3, 96)
    network.add("LogSoftmax", "x", axis=3)
    true(proved(network.write(folder), 512, BF16, folder), "it does not fit")
    program = opscope("program", folder / "net.opx", "--json").json()
    tasks = program["tasks"]
    groups = {task["group"] for task in tasks if task["engine"] == "css"}
    first = [task for task in tasks if task.get("group") in groups and task["engine"] == "dma_in"]
    waited = [tasks[on["task"]]["engine"] for task in first for on in task["dependencies"] if not on["true"]]
    true(len(first) > 3, f"only {len(first)} tiles")
    equal(set(waited), {"cdma"}, "whose end a load waits for")


main()
