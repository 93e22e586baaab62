"""Machines that exist only as target files: what no line of the program knows the words of.

trio.target: three cores with memories of their own, a shared port, casts, two clocks, a pooling
unit. relay.target: cores whose tasks run through stages. Everything works on them that works on a
machine that somebody built. tests/equality.py runs them on all networks (make conformance).
"""
import random
import re

from support import *
from onnx_writer import *

sys.path.append(str(ROOT / "tests"))
import equality

TARGETS = ROOT / "tests/testdata/targets"
TRIO = TARGETS / "trio.target"
RELAY = TARGETS / "relay.target"
ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"
CONV = ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir"
EVERY = ROOT / "tests/testdata/tosa_ops/every_operator.mlir"


def compiled(folder, network, target=TRIO, *options):
    """The path of a program, and what the compiler says of it."""
    path = folder / "program.opx"
    said = opscope("compile", network, "--target", target, "-o", path, "--json", *options).json()
    return path, said


def tables(path):
    return opscope("program", path, "--json").json()


def cycles(folder, network, target=TRIO, *options):
    return compiled(folder, network, target, *options)[1]["modelled"]["cycles"]


def layer(folder, operator, x, w, out, **attributes):
    """A network of one layer with constant weights."""
    count = 1
    for length in w:
        count *= length
    graph = make_graph([make_node(operator, ["x", "w"], ["y"], name="layer", **attributes)],
                       [make_value("x", "f32", x)], [make_value("y", "f32", out)],
                       [make_tensor("w", "f32", w, [((i * 37) % 19 - 9) / 16 for i in range(count)])])
    return write(folder / f"{operator}.onnx", make_model(graph))


def convolution(folder):
    return layer(folder, "Conv", [1, 32, 56, 56], [64, 32, 3, 3], [1, 64, 56, 56], pads=[1, 1, 1, 1])


def product(folder):
    return layer(folder, "MatMul", [1, 384, 256], [256, 512], [1, 384, 512])


def pooled(folder):
    """A convolution, an activation and a pooling: three engines of trio."""
    weights = make_tensor("w", "f32", [16, 8, 3, 3], [((i * 7) % 11 - 5) / 8 for i in range(1152)])
    nodes = [make_node("Conv", ["x", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
             make_node("Tanh", ["c"], ["t"], name="bend"),
             make_node("MaxPool", ["t"], ["y"], name="pool", kernel_shape=[2, 2], strides=[2, 2])]
    graph = make_graph(nodes, [make_value("x", "f32", [1, 8, 64, 64])],
                       [make_value("y", "f32", [1, 16, 32, 32])], [weights])
    return write(folder / "pooled.onnx", make_model(graph))


def random_network(folder, seed):
    """A few layers of any size, some of which branch."""
    source = random.Random(seed)
    channels, size = source.choice([4, 9, 16]), source.choice([12, 23, 40])
    nodes, weights = [], []
    values = [("x", channels)]
    for i in range(source.randint(2, 6)):
        name, width = source.choice(values)
        kind = source.choice(["Conv", "Relu", "Sigmoid", "Add", "Conv"])
        made = f"v{i}"
        if kind == "Conv":
            filters = source.choice([3, 8, 20])
            count = filters * width * 9
            weights.append(make_tensor(f"w{i}", "f32", [filters, width, 3, 3],
                                       [source.uniform(-1, 1) for _ in range(count)]))
            nodes.append(make_node("Conv", [name, f"w{i}"], [made], name=made, pads=[1, 1, 1, 1]))
            width = filters
        elif kind == "Add":
            other = [value for value, same in values if same == width]
            nodes.append(make_node("Add", [name, source.choice(other)], [made], name=made))
        else:
            nodes.append(make_node(kind, [name], [made], name=made))
        values.append((made, width))
    last, width = values[-1]
    graph = make_graph(nodes, [make_value("x", "f32", [1, channels, size, size])],
                       [make_value(last, "f32", [1, width, size, size])], weights)
    return write(folder / f"random_{seed}.onnx", make_model(graph))


def test_networks_compute_the_same(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    for words, differ in equality.sample((TRIO, RELAY), every=300 if SANITIZED else 25):
        equal(differ, [], words)


def test_all_cores_take_part(folder):
    path, _ = compiled(folder, convolution(folder))
    program = tables(path)
    used = {(task["engine"], task.get("unit", 0)) for task in program["tasks"]}
    for engine in ("fetch", "loom", "shed"):
        equal({unit for name, unit in used if name == engine}, {0, 1, 2}, f"cores of {engine}")
    true(any(task["engine"] == "chorus" for task in program["tasks"]), "weights are cast")
    steps = opscope("program", path, "--steps").out
    for word in ("signal", "await", "start", "wait"):
        contains(steps, word, "steps")
    contains(opscope("verify", path).out, "proved", "verify")


def test_each_engine_gets_what_it_takes(folder):
    _, said = compiled(folder, pooled(folder))
    engines = {group["type"]: group["engine"] for group in said["slowest"]}
    equal([engines[kind] for kind in ("Conv", "Tanh", "MaxPool")], ["loom", "abacus", "sieve"],
          f"engines of {engines}")


def test_values_stay_on_chip_between_groups(folder):
    _, kept = compiled(folder, pooled(folder))
    _, moved = compiled(folder, pooled(folder), TRIO, "--set", "plan.keep=no")
    true(kept["modelled"]["cycles"] < moved["modelled"]["cycles"], "keeping is quicker")


def test_what_is_cast_is_loaded_once(folder):
    network = convolution(folder)
    loads = {}
    for cast in ("yes", "no"):
        path, _ = compiled(folder, network, TRIO, "--set", f"plan.cast={cast}")
        loads[cast] = sum(task["engine"] == "fetch" for task in tables(path)["tasks"])
    true(loads["yes"] < loads["no"], f"loads with and without casts: {loads}")


def test_more_cores_are_never_slower(folder):
    for network in (convolution(folder), product(folder)):
        for target in (TRIO, RELAY):
            times = [cycles(folder, network, target, "--set", f"core.count={count}")
                     for count in (1, 2, 3, 4, 6, 9, 16)]
            equal(times, sorted(times, reverse=True), f"{network.name} on {target.stem}")
            true(times[2] < 0.7 * times[0], f"three cores help: {times}")


def test_a_faster_port_is_never_slower(folder):
    for seed in range(3 if SANITIZED else 8):
        network = random_network(folder, seed)
        for target, port in ((TRIO, "bridge"), (RELAY, "gate")):
            times = [cycles(folder, network, target, "--set", f"{port}.rate={rate}GB/s")
                     for rate in (4, 5, 7, 9, 13, 40)]
            equal(times, sorted(times, reverse=True), f"network {seed} on {target.stem}")


def test_the_model_is_the_same_every_time(folder):
    path, _ = compiled(folder, pooled(folder))
    first = path.read_bytes()
    times = {opscope("estimate", path, "--json").out for _ in range(3)}
    equal(len(times), 1, "estimates")
    compiled(folder, pooled(folder))
    equal(path.read_bytes() == first, True, "bytes of the program")


def test_profiles_say_core_engine_and_role(folder):
    path, _ = compiled(folder, pooled(folder), TRIO, f"--trace={folder / 'modelled.pb'}")
    for device in ("host", "sim"):
        profile = folder / f"{device}.prof"
        opscope("run", path, "--device", device, "--profile", profile, "-n", 2)
        said = opscope("info", profile).out
        contains(said, "0 lost", f"ledger of {device}")
        picture = folder / f"{device}.svg"
        opscope("timeline", profile, "-o", picture)
        for word in ("LOOM", "ABACUS", "SIEVE", "core 2"):
            contains(picture.read_text(), word, f"picture of {device}")
        overview = opscope("overview", profile).out
        for word in ("compute", "transfer", "loom", "sieve"):
            contains(overview.lower(), word, f"overview of {device}")
        true("slice" not in overview.lower(), "no other machine's words")


def test_perfetto_shows_the_cores(folder):
    trace = folder / "modelled.pb"
    compiled(folder, pooled(folder), TRIO, f"--trace={trace}")
    lanes = without_loss(trace, "select distinct t.name as lane, p.name as core from slice s"
                         " join track t on s.track_id = t.id left join track p on t.parent_id = p.id")
    for core in ("core 0", "core 1", "core 2"):
        true({"lane": "LOOM", "core": core} in lanes, f"LOOM of {core} in {lanes}")
    overview = opscope("overview", trace).out.lower()
    for word in ("compute", "loom", "sieve"):
        contains(overview, word, "overview of the trace")


def test_the_target_explains_its_prices(folder):
    text = opscope("targets", TRIO, "--explain", "Conv", "1x32x56x56xf32,64x32x3x3xf32").out
    for word in ("loom", "products", "cycles"):
        contains(text, word, "explanation")


def test_stages_overlap(folder):
    path, said = compiled(folder, product(folder), RELAY)
    stages = [stage for task in tables(path)["tasks"] for stage in task.get("stages", [])]
    equal({stage["engine"] for stage in stages}, {"reader", "maths", "writer"}, "engines of stages")
    true(re.search(r"reader|maths", opscope("program", path, "--tasks").out), "stages are printed")
    equal(len([task for task in tables(path)["tasks"]]) <= 4 * 4, True, "a task for each core and round")


main()
