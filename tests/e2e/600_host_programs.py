"""Programs for this machine: what is fused, and that it computes what the network says.

`infer --plain` computes operator by operator: what everything else is held against.
"""

import array
import math
import random

from support import *
from onnx_writer import *

CHANNELS, SIDE = 16, 12


def numbers(count, low=-1.0, high=1.0, seed=1):
    source = random.Random(seed)
    return [source.uniform(low, high) for _ in range(count)]


class Made:
    """A network that grows node by node; values are images of CHANNELS channels."""

    def __init__(self, dims=(1, CHANNELS, SIDE, SIDE)):
        self.nodes, self.constants, self.dims = [], [], dims
        self.inputs = [make_value("x", "f32", dims)]

    def node(self, operator, inputs, output=None, **attributes):
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def constant(self, element, dims, values):
        name = f"c{len(self.constants)}"
        self.constants.append(make_tensor(name, element, dims, values))
        return name

    def conv(self, source, outputs=CHANNELS, inputs=CHANNELS, kernel=3, output=None, **attributes):
        groups = attributes.get("group", 1)
        weights = self.constant("f32", [outputs, inputs // groups, kernel, kernel],
                                numbers(outputs * inputs // groups * kernel * kernel, -0.3, 0.3, outputs))
        bias = self.constant("f32", [outputs], numbers(outputs, seed=2))
        attributes.setdefault("pads", Ints([kernel // 2] * 4))
        return self.node("Conv", [source, weights, bias], output, **attributes)

    def normalized(self, source, channels=CHANNELS, first=0):
        lists = [numbers(channels, 0.5, 2, first + seed) for seed in range(4)]
        return self.node("BatchNormalization",
                         [source, *(self.constant("f32", [channels], values) for values in lists)])

    def scaled(self, operator, source, scale, zero):
        return self.node(operator, [source, self.constant("f32", [], [scale]),
                                    self.constant("u8", [], [zero])])

    def write(self, folder, *outputs, opset=17):
        graph = make_graph(self.nodes, self.inputs, [make_value(name) for name in outputs], self.constants)
        return write(folder / "m.onnx", make_model(graph, opset=opset))


def groups(folder, network):
    program = folder / "program.opx"
    opscope("compile", network, "--target", "host", "-o", program)
    opscope("verify", program)
    return [group["type"] for group in json.loads(opscope("program", program, "--json").out)["groups"]]


def outputs(folder, count, *command):
    files = [folder / f"out_{i}.npy" for i in range(count)]
    opscope(*command, "--seed", "3", *[f"--output={file}" for file in files])
    return [file.read_bytes() for file in files]


def reals(npy):
    return array.array("f", npy[10 + int.from_bytes(npy[8:10], "little"):])


def close(made, expected, rtol=1e-5):
    for one, other in zip(made, expected):
        one, other = reals(one), reals(other)
        most = max(map(abs, other))
        true(len(one) == len(other), "as many numbers")
        true(most > 0, "something to compare")
        true(max(abs(a - b) for a, b in zip(one, other)) <= rtol * most, "the same numbers")


def check(folder, network, count=1, same_bits=False, *options):
    """The same by infer and by run, with 1 and 2 threads, recorded and not."""
    program = folder / "program.opx"
    opscope("compile", network, "--target", "host", "-o", program)
    plain = outputs(folder, count, "infer", network, "--plain", *options)
    made = [outputs(folder, count, "infer", network, "--threads", threads, *options) for threads in "12"]
    made += [outputs(folder, count, "run", program, "--threads", threads) for threads in "12"]
    made.append(outputs(folder, count, "run", program, "--profile", folder / "run.prof"))
    for one in made[1:]:
        equal(one == made[0], True, "the same bits whoever runs it, with any number of threads")
    if same_bits:
        equal(made[0] == plain, True, "the same bits as operator by operator")
    else:
        close(made[0], plain)


def test_what_follows_a_convolution_joins_it(folder):
    made = Made()
    first = made.node("Relu", [made.conv("x")])
    second = made.node("Clip", [made.normalized(made.conv(first, output="second")),
                                made.constant("f32", [], [-0.5]), made.constant("f32", [], [0.75])])
    added = made.node("Relu", [made.node("Add", [made.conv(second), first])])
    network = made.write(folder, added)
    equal(groups(folder, network), ["Conv_Relu", "Conv_BatchNormalization_Clip", "Conv_Add_Relu"], "groups")
    check(folder, network)


def test_two_ways_that_meet_again_are_one_group(folder):
    made = Made()
    value = made.conv("x")
    value = made.node("Mul", [value, made.node("Sigmoid", [value])])
    value = made.conv(value)
    half = made.node("Erf", [made.node("Div", [value, made.constant("f32", [], [1.4142135])])])
    value = made.node("Mul", [value, made.node("Add", [half, made.constant("f32", [], [1.0])])])
    network = made.write(folder, value)
    equal(groups(folder, network), ["Conv_Sigmoid_Mul", "Conv_Div_Erf_Add_Mul"], "groups")
    check(folder, network)


def test_what_is_read_elsewhere_ends_a_group(folder):
    made = Made()
    first = made.conv("x")
    second = made.node("Relu", [first])
    third = made.node("Abs", [second])
    network = made.write(folder, first, made.node("Neg", [third]), third)
    equal(groups(folder, network), ["Conv", "Relu_Abs", "Neg"], "groups")
    check(folder, network, 3)


def test_images_of_every_kind(folder):
    made = Made()
    value = made.conv("x", 24, strides=Ints([2, 2]))
    value = made.node("LeakyRelu", [value], alpha=0.2)
    wide = made.conv(value, 24, 24, group=24, dilations=Ints([2, 2]), pads=Ints([2] * 4))
    pooled = made.node("MaxPool", [wide], kernel_shape=Ints([3, 3]), pads=Ints([1] * 4))
    mean = made.node("AveragePool", [wide], kernel_shape=Ints([3, 3]), pads=Ints([1] * 4),
                     count_include_pad=1)
    both = made.node("Concat", [pooled, mean, value], axis=1)
    scales = made.constant("f32", [4], [1, 1, 2, 2])
    large = made.node("Resize", [both, "", scales], mode="linear")
    weights = made.constant("f32", [72, 10, 2, 3], numbers(72 * 10 * 6, -0.3, 0.3, 9))
    spread = made.node("ConvTranspose", [large, weights, made.constant("f32", [10], numbers(10))],
                       strides=Ints([2, 3]))
    spread = made.node("MaxPool", [made.node("Tanh", [spread])], kernel_shape=Ints([2, 3]),
                       strides=Ints([2, 3]))
    last = made.node("HardSwish", [made.conv(spread, 5, 10, kernel=1)])
    turned = made.node("Transpose", [last], perm=Ints([0, 2, 3, 1]))
    averaged = made.node("GlobalAveragePool", [large])
    network = made.write(folder, turned, averaged)
    check(folder, network, 2)


def odd_places(npy):
    return [(at, str(number)) for at, number in enumerate(reals(npy)) if not math.isfinite(number)]


def same_odd_places(folder, network):
    plain, fused = (outputs(folder, 1, "infer", network, *options)[0] for options in (["--plain"], []))
    true(odd_places(plain), "something that is no number")
    equal(odd_places(fused), odd_places(plain), "NaN and infinite where they are")


def test_what_is_no_number_stays_so(folder):
    bounds = [-0.5, 0.75]
    for outputs_, group in ((CHANNELS, CHANNELS), (CHANNELS, 1), (8, 1)):  # each has its kernels
        for operator, more in (("Relu", []), ("Clip", bounds)):
            made = Made()
            made.conv("x", outputs_, group=group, output="y")
            made.constants[1] = make_tensor("c1", "f32", [outputs_], [math.nan] + [0.1] * (outputs_ - 1))
            clipped = made.node(operator, ["y", *(made.constant("f32", [], [bound]) for bound in more)])
            same_odd_places(folder, made.write(folder, clipped))
    for variance in (0.0, -1.0, math.nan):
        made = Made()
        value = made.conv("x")
        lists = [[1.0], [0.5], [0.1], [variance]]
        parameters = [made.constant("f32", [CHANNELS], first + [1.0] * (CHANNELS - 1)) for first in lists]
        value = made.node("BatchNormalization", [value, *parameters], epsilon=0.0)
        same_odd_places(folder, made.write(folder, made.node("Relu", [value])))


def test_integers_are_the_same_bit_for_bit(folder):
    made = Made()
    whole = made.scaled("QuantizeLinear", "x", 0.01, 128)
    value = made.scaled("DequantizeLinear", whole, 0.01, 128)
    first = made.scaled("QuantizeLinear", made.node("Relu", [made.conv(value)]), 0.02, 3)
    left = made.scaled("DequantizeLinear", first, 0.02, 3)
    second = made.scaled("QuantizeLinear", made.conv(left), 0.03, 100)
    right = made.scaled("DequantizeLinear", second, 0.03, 100)
    added = made.scaled("QuantizeLinear", made.node("Add", [right, left]), 0.04, 90)
    back = made.scaled("DequantizeLinear", added, 0.04, 90)
    pooled = made.node("MaxPool", [back], kernel_shape=Ints([2, 2]), strides=Ints([2, 2]))
    pooled = made.scaled("QuantizeLinear", pooled, 0.04, 90)
    halves = [made.scaled("DequantizeLinear", value, scale, zero)
              for value, scale, zero in ((pooled, 0.04, 90), (pooled, 0.05, 80))]
    joined = made.scaled("QuantizeLinear", made.node("Concat", halves, axis=1), 0.045, 85)
    network = made.write(folder, joined, first)
    found = groups(folder, network)
    equal(found.count("DequantizeLinear_Conv_Relu_QuantizeLinear"), 1, f"fused with what scales: {found}")
    equal(found.count("DequantizeLinear_Add_QuantizeLinear"), 1, f"also sums: {found}")
    check(folder, network, 2, True)


def test_quantized_images_are_whole_numbers(folder):
    """Weights that were bytes: the same on every processor, and within a step of sums of reals."""
    made = Made()
    value = made.scaled("QuantizeLinear", "x", 0.01, 128)
    for outputs_, inputs, kernel in ((CHANNELS, CHANNELS, 3), (33, CHANNELS, 1), (5, 33, 3)):
        source = random.Random(outputs_)
        weights = made.constant("i8", [outputs_, inputs, kernel, kernel],
                                [source.randint(-127, 127) for _ in range(outputs_ * inputs * kernel * kernel)])
        scales = made.constant("f32", [outputs_], numbers(outputs_, 0.001, 0.003, outputs_))
        zeros = made.constant("i8", [outputs_], [0] * outputs_)
        weights = made.node("DequantizeLinear", [weights, scales, zeros], axis=0)
        image = made.scaled("DequantizeLinear", value, 0.01, 128)
        bias = made.constant("f32", [outputs_], numbers(outputs_, seed=2))
        image = made.node("Conv", [image, weights, bias], pads=Ints([kernel // 2] * 4))
        value = made.scaled("QuantizeLinear", made.node("Relu", [image]), 0.01, 128)
    network = made.write(folder, value)
    found = set()
    for isa in ("sse4", "avx2", "avx512", "vnni"):
        opscope("infer", network, "--seed", "3", f"--output={folder / 'y.npy'}", env={"OPSCOPE_ISA": isa})
        found.add((folder / "y.npy").read_bytes())
    equal(len(found), 1, "the same bits on every processor")
    plain = outputs(folder, 1, "infer", network, "--plain")[0]
    steps = [abs(one - other) for one, other in zip(found.pop(), plain)]
    true(max(steps) <= 1 and sum(steps) * 100 < len(steps), f"{sum(steps)} of {len(steps)} are a step away")
    true(len(set(plain)) > 50, "something to compare")


def test_normalizations_stay_among_images(folder):
    made = Made()
    parts = [made.conv("x"), made.node("Relu", [made.conv("x", 8)])]
    joined = made.node("Concat", parts, axis=1)
    channels = CHANNELS + 8
    first = made.conv(made.node("Relu", [made.normalized(joined, channels)]), channels, channels, 1)
    second = made.node("Add", [made.normalized(joined, channels, 4), first])  # another: what is the same is joined
    network = made.write(folder, second, made.conv(made.normalized(second, channels), 8, channels))
    true("BatchNormalization_Relu" in groups(folder, network), "a group of its own")
    check(folder, network, 2)
    for variance in (0.0, -1.0, math.nan):
        made = Made()
        joined = made.node("Concat", [made.conv("x"), made.conv("x")], axis=1)
        parameters = [made.constant("f32", [2 * CHANNELS], [first] + [1.0] * (2 * CHANNELS - 1))
                      for first in (1.0, 0.5, 0.1, variance)]
        value = made.node("BatchNormalization", [joined, *parameters], epsilon=0.0)
        same_odd_places(folder, made.write(folder, made.node("Relu", [value])))


def test_joined_images_are_normalized_on_their_way(folder):
    made = Made()
    parts = [made.node("Relu", [made.conv("x", channels)]) for channels in (3, 16, 40)]
    value = made.node("Concat", parts, axis=1)
    value = made.node("Relu", [made.normalized(value, 59)])
    rest = made.node("Concat", [*parts, parts[0]], axis=1)
    rest = made.normalized(rest, 62)
    network = made.write(folder, made.conv(value, 8, 59), made.conv(rest, 8, 62))
    true("Concat_BatchNormalization_Relu" in groups(folder, network), "it is one pass")
    check(folder, network, 2)


def test_many_images_are_joined(folder):
    made = Made()
    parts = [made.conv("x", 2, kernel=1) for _ in range(24)]
    network = made.write(folder, made.conv(made.node("Concat", parts, axis=1), 8, 48))
    check(folder, network)


def shuffled(made, source, count, dims, order=(0, 2, 1, 3, 4)):
    channels, high, wide = dims
    apart = made.constant("i64", [5], [1, count, channels // count, high, wide])
    back = made.constant("i64", [4], [1, channels, high, wide])
    value = made.node("Transpose", [made.node("Reshape", [source, apart])], perm=Ints(list(order)))
    return made.node("Reshape", [value, back])


def part_of(made, source, first, last, axis=1):
    return made.node("Slice", [source, *(made.constant("i64", [1], [value]) for value in (first, last, axis))])


def test_channels_are_shuffled_where_they_lie(folder):
    dims = (2 * CHANNELS, SIDE, SIDE)
    made = Made()
    left, right = (made.node("Relu", [made.conv("x")]) for _ in range(2))
    value = shuffled(made, made.node("Concat", [left, right], axis=1), 2, dims)
    value = made.node("Concat", [part_of(made, value, 0, 9), made.conv(part_of(made, value, 9, 32), 23, 23)],
                      axis=1)
    value = shuffled(made, made.conv(value, 32, 32), 4, dims)
    value = shuffled(made, made.node("Relu", [value]), 16, dims)
    network = made.write(folder, made.conv(value, 8, 32, 1))
    names = groups(folder, network)
    true("Concat_Reshape_Transpose_Reshape" in names and names.count("Reshape_Transpose_Reshape") == 2,
         f"shuffles are groups: {names}")
    check(folder, network)


def test_what_only_looks_like_a_shuffle(folder):
    dims = (2 * CHANNELS, SIDE, SIDE)
    made = Made()
    source = made.conv("x", 32)
    turned = shuffled(made, source, 2, dims, (0, 2, 1, 4, 3))
    other = made.node("Concat", [made.conv("x", 8), source, made.conv("x", 24)], axis=1)
    uneven = shuffled(made, other, 2, (64, SIDE, SIDE))
    rows = part_of(made, source, 2, 9, 2)
    ports = shuffled(made, "x", 4, (CHANNELS, SIDE, SIDE))
    network = made.write(folder, made.conv(turned, 8, 32), made.conv(uneven, 8, 64), made.conv(rows, 8, 32), ports)
    check(folder, network, 4)


def test_means_of_images(folder):
    """Over the pixels, as pooling does it; and over other dimensions, which is something else."""
    made = Made((2, CHANNELS, CHANNELS, CHANNELS))
    image = made.conv("x")
    means = [made.node("ReduceMean", [image], axes=Ints(axes), keepdims=keep)
             for axes, keep in (([2, 3], 0), ([-1, -2], 1), ([1, 2], 0), ([3], 1))]
    after = made.node("Add", [made.node("Relu", [means[0]]),
                              made.constant("f32", [CHANNELS], numbers(CHANNELS))])
    network = made.write(folder, after, *means[1:])
    check(folder, network, 4)


def test_open_shapes_are_those_of_the_inputs(folder):
    made = Made(("batch", CHANNELS, "side", SIDE))
    network = made.write(folder, made.node("Relu", [made.conv("x")]))
    shape = ["--input", f"2x{CHANNELS}x9x{SIDE}xf32=0.25"]
    close(outputs(folder, 1, "infer", network, *shape), outputs(folder, 1, "infer", network, "--plain", *shape))


def test_replaced_initializers_and_branches(folder):
    made = Made()
    made.inputs.append(make_value("c1", "f32", [CHANNELS]))
    network = made.write(folder, made.conv("x"))
    given = ["--input", f"c1={CHANNELS}xf32=7"]
    equal(outputs(folder, 1, "infer", network, *given) ==
          outputs(folder, 1, "infer", network, "--plain", *given), True, "another bias")
    equal(outputs(folder, 1, "infer", network) == outputs(folder, 1, "infer", network, *given), False,
          "which makes a difference")
    branches = {name: make_graph([make_node(operator, ["y"], ["z"])], [], [make_value("z")])
                for name, operator in (("then_branch", "Neg"), ("else_branch", "Abs"))}
    made = Made()
    made.conv("x", output="y")
    positive = made.node("Greater", [made.node("ReduceMax", ["y"], keepdims=0),
                                     made.constant("f32", [], [0.0])])
    chosen = made.node("If", [positive], **branches)
    network = made.write(folder, made.node("Relu", [made.conv(chosen)]))
    check(folder, network)


main()
