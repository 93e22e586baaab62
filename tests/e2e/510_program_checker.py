"""Compiled programs against a checker that shares no code with the verifier, and
against the plain executor; altered programs must be refused by both."""

import random
import struct

from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker
from onnx_writer import *

RUNNER = program("opscope").parent.parent / "tests/program_run"
THREE_CORES = program("opscope").parent.parent / "tests/three_cores"
OLD = ROOT / "tests/testdata/programs_v1"


# Networks --------------------------------------------------------------------------

def small_target(folder, lram="24 KiB"):
    """A target with so little memory that everything is cut."""
    text = (ROOT / "targets/torq-sl2610.target").read_text()
    path = folder / "small.target"
    path.write_text(text + f"\n[target]\nname = small\n[memory lram]\nsize = {lram}\n")
    return path


def convolution(element="f32"):
    nodes = [make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], name="conv"),
             make_node("Relu", ["c"], ["r"], name="relu"),
             make_node("MaxPool", ["r"], ["y"], kernel_shape=[2, 2], strides=[2, 2], name="pool")]
    return make_graph(nodes, inputs=[make_value("x", element, [1, 3, 32, 32])],
                      outputs=[make_value("y", element)],
                      initializers=[make_tensor("w", element, [8, 3, 3, 3], numbers(216)),
                                    make_tensor("b", element, [8], numbers(8))])


def numbers(count):
    return [(i * 37 % 61 - 30) / 16 for i in range(count)]


def quantized():
    """Integers between quantized layers; one of them is read twice."""
    def back(name, source, zero="z"):
        return make_node("DequantizeLinear", [source, "s", zero], [name], name=name)
    nodes = [make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="in"), back("d", "q"),
             back("dw", "w"),
             make_node("Conv", ["d", "dw"], ["c"], pads=[1, 1, 1, 1], name="conv"),
             make_node("QuantizeLinear", ["c", "s", "z"], ["cq"], name="mid"), back("e", "cq"),
             make_node("Relu", ["e"], ["r"], name="relu"),
             make_node("Add", ["r", "e"], ["a"], name="add"),
             make_node("QuantizeLinear", ["a", "s", "z"], ["y"], name="out")]
    return make_graph(nodes, inputs=[make_value("x", "f32", [1, 4, 40, 40])],
                      outputs=[make_value("y", "i8")],
                      initializers=[make_tensor("s", "f32", [], [0.125]), make_tensor("z", "i8", [], [0]),
                                    make_tensor("w", "i8", [4, 4, 3, 3],
                                                [i % 7 - 3 for i in range(144)])])


def branches():
    def branch(kind):
        return make_graph([make_node(kind, ["x"], ["o"])], outputs=[make_value("o", "f32", [4])])
    nodes = [make_node("Neg", ["x"], ["n"], name="neg"),
             make_node("If", ["condition"], ["y"], name="if", then_branch=branch("Abs"),
                       else_branch=branch("Relu")),
             make_node("Add", ["y", "n"], ["z"], name="add")]
    return make_graph(nodes, inputs=[make_value("x", "f32", [4]), make_value("condition", "bool", [])],
                      outputs=[make_value("z", "f32"), make_value("n", "f32")])


def open_shapes():
    nodes = [make_node("NonZero", ["x"], ["i"], name="nonzero"),
             make_node("Cast", ["i"], ["c"], to=1, name="cast"),
             make_node("Relu", ["x"], ["y"], name="relu")]
    return make_graph(nodes, inputs=[make_value("x", "f32", [3, 4])],
                      outputs=[make_value("c", "f32"), make_value("y", "f32")])


def empties():
    """Nothing, one number, and an output that is an input."""
    nodes = [make_node("Relu", ["e"], ["ey"], name="none"), make_node("Relu", ["s"], ["sy"], name="one")]
    return make_graph(nodes, inputs=[make_value("e", "f32", [0, 5]), make_value("s", "f32", [])],
                      outputs=[make_value("ey", "f32"), make_value("sy", "f32"), make_value("s", "f32")])


GENERATED = {"convolution": convolution, "quantized": quantized, "branches": branches,
             "open_shapes": open_shapes, "empties": empties}


def networks(folder):
    """Paths of networks of every kind."""
    found = sorted((ROOT / "samples/tosa").glob("*.mlir"))
    found += sorted((ROOT / "tests/testdata/tosa_ops").glob("*.mlir"))
    for name, make in GENERATED.items():
        path = folder / f"{name}.onnx"
        path.write_bytes(make_model(make(), opset=13))
        found.append(path)
    return found


ALL = os.environ.get("OPSCOPE_ALL") == "1"


def shared_networks(target):
    """Some of the networks that the project shares, where they are there; all of them,
    and ONNX's own, when everything is asked for, but not cut to crumbs."""
    found = sorted((ROOT.parent / "shared/data/tosa").glob("*.mlir"))
    if not ALL or target not in ("torq-sl2610", "host"):
        return found[::96] if SANITIZED else found[::24]
    found += sorted((ROOT.parent / "shared/data/models").glob("*/model.onnx"))
    return found + sorted(pathlib.Path("/usr/share/libonnx-testdata/data").glob("*/*/model.onnx"))


def compiled(folder, network, target):
    """The path of the program; None where the network's inputs have no fixed shapes."""
    path = folder / (network.stem + ".opx")
    result = opscope("compile", network, "--target", target, "-o", path, code=None)
    if result.code == 2 and "is not known" in result.err and network.name == "model.onnx":
        return None
    equal(result.code, 0, f"compile {network} for {target}\n{result}")
    return path


def checker_refuses(data):
    """Why, or None."""
    try:
        checker.check(bytes(data))
        return None
    except checker.Wrong as wrong:
        return str(wrong)


def proved(path):
    result = opscope("verify", path, code=None)
    equal(result.code, 0, f"verify\n{result}")
    equal(checker_refuses(path.read_bytes()), None, f"the checker on {path}")


def three_cores(folder):
    """A program of six streams on three cores, with a cast and semaphores."""
    if not THREE_CORES.exists():
        raise Skip(f"there is no {THREE_CORES}")
    path = folder / "three.opx"
    run(THREE_CORES, path)
    return path


def test_programs_of_several_streams_are_proved_by_both(folder):
    proved(three_cores(folder))


def test_programs_of_version_1_are_proved_by_both(folder):
    for path in sorted(OLD.glob("*.opx")):
        proved(path)


def test_programs_are_proved_by_both(folder):
    for target in ("torq-sl2610", small_target(folder), "host"):
        for network in networks(folder) + shared_networks(target):
            path = compiled(folder, network, target)
            if path is not None:
                proved(path)


def test_programs_compute_what_the_network_does(folder):
    if not RUNNER.exists():
        raise Skip(f"there is no {RUNNER}")
    for target in ("torq-sl2610", small_target(folder), small_target(folder, "8 KiB"), "host"):
        for network in networks(folder) + shared_networks(target):
            result = run(RUNNER, target, network, code=None)
            equal(result.code, 0, f"{network} for {target}\n{result}")
            true(result.out.startswith(("same", "not run: ")), f"{network} for {target}\n{result}")


# Altered programs -------------------------------------------------------------------

def altered(data, changes):
    copy = bytearray(data)
    for table, item, field, number, *index in changes:
        checker.put(copy, table, item, field, number, *index)
    checker.sign(copy)
    return copy


def refused(folder, data, what):
    """Both refuse, and the verifier says so in a line."""
    path = folder / "altered.opx"
    path.write_bytes(data)
    result = opscope("verify", path, code=None)
    equal(result.code, 1, f"{what}: the verifier's exit\n{result}")
    true(result.err.startswith("opscope: ") and result.err.count("\n") == 1, f"{what}: a message\n{result}")
    true(checker_refuses(data) is not None, f"{what}: the checker takes it; verify says {result.err}")


def steps_of(program, kind):
    return [i for i, step in enumerate(program.steps) if step.kind == kind]


def start_of(program, task):
    return next(i for i in steps_of(program, checker.START) if program.steps[i].task == task)


def wait_of(program, task):
    return next(i for i in steps_of(program, checker.WAIT) if program.steps[i].task == task)


def dropped_waits(program):
    """A wait that becomes a wait for something that was waited for before."""
    for at in steps_of(program, checker.WAIT):
        earlier = [program.steps[i].task for i in steps_of(program, checker.WAIT) if i < at]
        if earlier:
            yield [("steps", at, "task", earlier[0])]


def swapped_steps(program):
    """A task is waited for before it starts."""
    for at in steps_of(program, checker.START):
        task = program.steps[at].task
        yield [("steps", at, "kind", checker.WAIT), ("steps", wait_of(program, task), "kind", checker.START)]


def double_starts(program):
    starts = steps_of(program, checker.START)
    for a, b in zip(starts, starts[1:]):
        yield [("steps", b, "task", program.steps[a].task)]


def moved_buffers(program):
    """To where another one lies that is in use at the same time, or beyond memory."""
    for i, buffer in enumerate(program.buffers):
        if buffer.kind in (checker.PIPELINE, checker.DYNAMIC) or not buffer.size:
            continue
        yield [("buffers", i, "address", 1 << 40)]
        if buffer.alias != checker.NONE:
            yield [("buffers", i, "address", buffer.address + 64)]
            continue
        for other in program.buffers:
            if (other is not buffer and (other.memory, other.unit) == (buffer.memory, buffer.unit) and other.size and
                    other.kind not in (checker.PIPELINE, checker.DYNAMIC) and other.alias == checker.NONE
                    and max(getattr(buffer, "from"), getattr(other, "from")) <= min(buffer.to, other.to)):
                yield [("buffers", i, "address", other.address)]
                break


def places_given_away(program):
    """A value that stays near loses its place to another one before it is read for the last
    time; or its place is said to be free by then."""
    tiles = sorted((getattr(buffer, "from"), i) for i, buffer in enumerate(program.buffers)
                   if buffer.kind == checker.TILE and buffer.size)
    for at, (start, i) in enumerate(tiles):
        buffer = program.buffers[i]
        for later, j in tiles[at + 1:]:
            other = program.buffers[j]
            if start < later <= buffer.to and (other.memory, other.unit) == (buffer.memory, buffer.unit):
                yield [("buffers", j, "address", buffer.address)]
                yield [("buffers", j, "address", buffer.address), ("buffers", i, "to", later - 1)]
                break


def other_windows(program):
    """What kernels see of a buffer is another part than the task reads or writes."""
    parts = set()
    for operand in program.operands:
        buffer = program.buffers[operand.buffer]
        if operand.size[:operand.rank] != buffer.dims[:operand.rank]:
            parts.add((buffer.value, *(a + b for a, b in zip(getattr(operand, "from")[:operand.rank], buffer.origin)),
                       *operand.size[:operand.rank]))
    for i, buffer in enumerate(program.buffers):
        if buffer.kind == checker.PIPELINE and buffer.rank and (
                buffer.value, *buffer.origin[:buffer.rank], *buffer.dims[:buffer.rank]) in parts:
            yield [("buffers", i, "origin", buffer.origin[0] + 1, 0)]
            yield [("buffers", i, "dims", buffer.dims[0] + 1, 0)]


def short_lives(program):
    """A buffer that is given back before the last use, or taken after the first."""
    used = set()
    for task in program.tasks:
        used.update(program.operands[task.first_operand + i].buffer for i in range(task.operand_count))
    for i in used:
        buffer = program.buffers[i]
        if buffer.kind == checker.TILE and getattr(buffer, "from") < buffer.to:
            yield [("buffers", i, "to", buffer.to - 1)]
            yield [("buffers", i, "from", getattr(buffer, "from") + 1)]


def grown_buffers(program):
    for i, buffer in enumerate(program.buffers):
        if buffer.kind not in (checker.PIPELINE, checker.DYNAMIC):
            yield [("buffers", i, "size", 1 << 50)]


def shrunk_buffers(program):
    for i, buffer in enumerate(program.buffers):
        if buffer.size and buffer.kind not in (checker.PIPELINE, checker.DYNAMIC, checker.RING):
            yield [("buffers", i, "size", buffer.size - 1)]


def changed_boxes(program):
    """A box of another place, a smaller one, one that is too large."""
    for i, operand in enumerate(program.operands):
        for d in range(operand.rank):
            start, length = getattr(operand, "from")[d], operand.size[d]
            if length:
                yield [("operands", i, "size", length - 1, d)]
            yield [("operands", i, "from", start + 1, d)]
            yield [("operands", i, "size", length + 1, d)]
            if start:
                yield [("operands", i, "from", start - 1, d)]


def changed_dependencies(program):
    """A dependency on another task than the one that wrote the data."""
    for i, dependency in enumerate(program.dependencies):
        if dependency.data:
            yield [("dependencies", i, "task", (dependency.task + 1) % len(program.tasks))]
            yield [("dependencies", i, "data", 0)]


def doubled_stores(program):
    """One store writes where another one of the same shape did, from its own tile."""
    stores = [task for task in program.tasks if task.kind == checker.TRANSFER and
              program.buffers[program.operands[task.first_operand + 1].buffer].kind in
              (checker.OUTPUT, checker.INNER)]
    for a, b in zip(stores, stores[1:]):
        x, y = program.operands[a.first_operand + 1], program.operands[b.first_operand + 1]
        if x.buffer == y.buffer and x.size == y.size:
            yield [("operands", b.first_operand + 1, "from", getattr(x, "from")[d], d)
                   for d in range(x.rank)]


def other_operands(program):
    """An operand or a kernel's buffer that is another one of the same size."""
    sizes = {}
    for i, buffer in enumerate(program.buffers):
        sizes.setdefault((buffer.size, buffer.rank, buffer.kind), []).append(i)
    for i, operand in enumerate(program.operands):
        buffer = program.buffers[operand.buffer]
        alike = [j for j in sizes[buffer.size, buffer.rank, buffer.kind] if j != operand.buffer]
        if alike:
            yield [("operands", i, "buffer", alike[0])]
    for i, item in enumerate(program.call_buffers):
        if item.id != checker.NONE:
            buffer = program.buffers[item.id]
            alike = [j for j in sizes[buffer.size, buffer.rank, buffer.kind] if j != item.id]
            yield [("call_buffers", i, "id", alike[0] if alike else checker.NONE)]


def other_engines(program):
    for i, task in enumerate(program.tasks):
        yield [("tasks", i, "engine", 15)]
        yield [("tasks", i, "lane", 200)]
        if task.kind == checker.TRANSFER:
            yield [("tasks", i, "bytes", task.bytes + 1)]


def other_semaphores(program):
    """A signal or an await of a semaphore of another stream, or an await of more."""
    for i, step in enumerate(program.steps):
        if step.kind in (checker.SIGNAL, checker.AWAIT):
            other = (step.semaphore + 1) % len(program.semaphores)
            if program.semaphores[other].stream != program.semaphores[step.semaphore].stream:
                yield [("steps", i, "semaphore", other)]
        if step.kind == checker.AWAIT:
            yield [("steps", i, "count", step.count + 2)]


def other_streams(program):
    """A step of another stream than its task or semaphore."""
    for i, step in enumerate(program.steps):
        if len(program.streams) > 1 and step.kind != checker.AWAIT:
            yield [("steps", i, "stream", (step.stream + 1) % len(program.streams))]
    for i, semaphore in enumerate(program.semaphores):
        yield [("semaphores", i, "stream", (semaphore.stream + 1) % len(program.streams))]
    for i, stream in enumerate(program.streams):
        yield [("streams", i, "unit", stream.unit + 1)]


def awaits_that_say_nothing(program):
    """An await of what the stream has awaited before: what it was for is not ordered."""
    for i, step in enumerate(program.steps):
        earlier = [other.semaphore for other in program.steps[:i]
                   if other.kind == checker.AWAIT and other.stream == step.stream]
        if step.kind == checker.AWAIT and earlier:
            yield [("steps", i, "semaphore", earlier[0]), ("steps", i, "count", 1)]


def other_units(program):
    for i, buffer in enumerate(program.buffers):
        yield [("buffers", i, "unit", buffer.unit + 1)]
    for i, task in enumerate(program.tasks):
        yield [("tasks", i, "unit", task.unit + 1)]
    for i, unit in enumerate(program.task_units):
        yield [("task_units", i, "id", unit.id + 1)]


ALTERATIONS = [dropped_waits, swapped_steps, double_starts, moved_buffers, places_given_away, short_lives, grown_buffers,
               shrunk_buffers, changed_boxes, changed_dependencies, doubled_stores, other_operands,
               other_engines, other_units]
OF_WINDOWS = [other_windows]
OF_STREAMS = [other_semaphores, other_streams, awaits_that_say_nothing]


def refused_alterations(folder, samples, alterations, most):
    for alter in alterations:
        tried = 0
        for path in samples:
            data = path.read_bytes()
            all_changes = list(alter(checker.Program(data)))
            random.Random(alter.__name__).shuffle(all_changes)
            for changes in all_changes[:most]:
                refused(folder, altered(data, changes), f"{alter.__name__} {changes} in {path.name}")
                tried += 1
        true(tried > 0, f"{alter.__name__} changed nothing")


def near(folder, network):
    """A program whose input lies on chip as a whole, and is computed on in parts."""
    (folder / "near").mkdir()
    return compiled(folder / "near", network, "torq-sl2610")


def test_altered_programs_are_refused_by_both(folder):
    cut = [ROOT / f"tests/testdata/tosa_ops/{name}.mlir" for name in ("add", "conv-stride1-notile")]
    samples = [*(compiled(folder, network, small_target(folder)) for network in cut),
               compiled(folder, ROOT / "samples/tosa/fc.mlir", "torq-sl2610"), near(folder, cut[1])]
    refused_alterations(folder, samples, ALTERATIONS + OF_WINDOWS, 2 if SANITIZED else 6)


def test_altered_programs_of_several_streams_are_refused_by_both(folder):
    refused_alterations(folder, [three_cores(folder)], ALTERATIONS + OF_STREAMS, 3 if SANITIZED else 16)


def sharded(folder):
    """A program of four cores that keep what one group hands to the next, each its part."""
    text = (ROOT / "targets/wormhole_b0.target").read_text().replace("grid = 8x8", "grid = 2x2")
    nodes = [make_node("Softmax", [source], [result], name=result, axis=1)
             for source, result in (("x", "a"), ("a", "b"), ("b", "y"))]
    graph = make_graph(nodes, [make_value("x", "f32", [128, 64])], [make_value("y", "f32", [128, 64])])
    network = write(folder / "sharded.onnx", make_model(graph, opset=13))
    path = compiled(folder, network, write(folder / "four.target", text))
    program = checker.Program(path.read_bytes())
    equal(len([buffer for buffer in program.buffers if buffer.kind == checker.TILE]), 8, "parts of two values")
    return path


def other_parts(program):
    """A part that is read on another core, or of which less is read; a task that reads another's part, or a
    part where a ring should be; a part that lies where the next value's parts do."""
    parts = [i for i, buffer in enumerate(program.buffers) if buffer.kind == checker.TILE]
    for i, operand in enumerate(program.operands):
        if operand.buffer not in parts:
            continue
        place = parts.index(operand.buffer)
        yield [("operands", i, "buffer", parts[place - 1])]
        yield [("operands", i, "size", operand.size[0] - 1, 0)]
        yield [("operands", i, "writes", 1 - operand.writes)]
    for place, part in enumerate(parts):
        buffer = program.buffers[part]
        yield [("buffers", part, "unit", (buffer.unit + 1) % 4)]
        yield [("buffers", part, "memory", 1 - buffer.memory)]
        yield [("buffers", part, "kind", checker.RING)]
        yield [("buffers", part, "address", program.buffers[parts[(place + 4) % 8]].address)]


def test_altered_parts_are_refused_by_both(folder):
    path = sharded(folder)
    proved(path)
    alterations = [alter for alter in ALTERATIONS if alter is not doubled_stores] # it has no transfers
    refused_alterations(folder, [path], [*alterations, other_parts], 4 if SANITIZED else 40)


def test_both_judge_parts_alike(folder):
    true(judged_alike(folder, sharded(folder).read_bytes(), 7, 40 if SANITIZED else 300) > 0,
         "some changes are harmless")


def interesting(rng, code, number):
    limit = {"B": 8, "H": 16, "I": 32, "Q": 64, "q": 63}[code[-1]]
    choice = rng.choice([0, 1, number + 1, number - 1, number * 2, (1 << limit) - 1, rng.getrandbits(limit),
                         rng.randrange(16)])
    return choice % (1 << limit)


def judged_alike(folder, data, seed, most):
    """Any field of any table becomes anything. Returns how many changes are harmless."""
    program = checker.Program(data)
    layout = checker.layout_of(data)[1]
    tables = [name for name in layout if getattr(program, name)]
    rng = random.Random(seed)
    taken = 0
    for _ in range(most):
        table = rng.choice(tables)
        item = rng.randrange(len(getattr(program, table)))
        field, count = rng.choice(layout[table].names)
        index = rng.randrange(count)
        at, code = checker.place_of(data, table, item, field, index)
        number = interesting(rng, code, struct.unpack_from(code, data, at)[0])
        changed = altered(data, [(table, item, field, number, index)])
        changed_path = folder / "changed.opx"
        changed_path.write_bytes(changed)
        result = opscope("verify", changed_path, code=None)
        true(result.code in (0, 1), f"{table} {item} {field} {number}\n{result}")
        why = checker_refuses(changed)
        equal(why is None, result.code == 0,
              f"{table} {item} {field}[{index}] = {number}: the checker says {why}\n{result}")
        taken += result.code == 0
    return taken


def test_both_judge_alike(folder):
    path = compiled(folder, ROOT / "samples/tosa/fc.mlir", "torq-sl2610")
    true(judged_alike(folder, path.read_bytes(), 5, 40 if SANITIZED else 200) > 0,
         "some changes are harmless, a name for example")


def test_both_judge_several_streams_alike(folder):
    true(judged_alike(folder, three_cores(folder).read_bytes(), 6, 40 if SANITIZED else 300) > 0,
         "some changes are harmless")


def test_both_judge_version_1_alike(folder):
    true(judged_alike(folder, (OLD / "torq.opx").read_bytes(), 7, 30 if SANITIZED else 200) > 0,
         "some changes are harmless")


def test_damaged_files_are_refused_on_opening(folder):
    path = compiled(folder, ROOT / "samples/tosa/fc.mlir", "torq-sl2610")
    data = path.read_bytes()
    damaged = folder / "damaged.opx"
    rng = random.Random(7)
    cases = [data[:rng.randrange(len(data))] for _ in range(20)] + [b"", data[:7], data + b"\0" * 64]
    for _ in range(40):
        copy = bytearray(data)
        at = rng.randrange(len(copy))
        copy[at] ^= 1 << rng.randrange(8)
        cases.append(bytes(copy))
    for case in cases:
        damaged.write_bytes(case)
        for command in ("verify", "program"):
            result = opscope(command, damaged, code=None)
            equal(result.code, 1, f"{command}: exit\n{result}")
            contains(result.err, str(damaged), f"{command}: names the file")
            true(result.err.count("\n") == 1, f"{command}: one line\n{result}")
        true(checker_refuses(case) is not None, "the checker refuses it")


main()
