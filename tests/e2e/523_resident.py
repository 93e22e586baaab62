"""Values and constants stay in the local memory from job to job, and leave it in the right order."""

import csv
import math
from collections import Counter
from fractions import Fraction

from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker
from onnx_writer import *

TARGET = "--target=torq-sl2610"
UNLIMITED = ("--set=lram.size=1GiB", "--set=dma_in.bytes_per_cycle=100000",
             "--set=dma_out.bytes_per_cycle=100000")


def layered(folder, layers, shape, shared=True, skip=None):
    """1x1 convolutions of u8, one after the other; the value `skip` is added at the end."""
    channels = shape[1]
    nodes = [make_node("DequantizeLinear", ["x", "scale", "zero"], ["x_real"])]
    weights = [make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
               make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0])]
    before = "x_real"
    for i in range(layers):
        name = "w" if shared else f"w{i}"
        if i == 0 or not shared:
            weights.append(make_tensor(name, "i8", [channels, channels, 1, 1],
                                       [(k * 7 + i) % 17 - 8 for k in range(channels * channels)]))
            nodes.append(make_node("DequantizeLinear", [name, "wscale", "wzero"], [f"{name}_real"]))
        nodes += [make_node("Conv", [before, f"{name}_real"], [f"c{i}"]),
                  make_node("QuantizeLinear", [f"c{i}", "scale", "zero"], [f"q{i}"]),
                  make_node("DequantizeLinear", [f"q{i}", "scale", "zero"], [f"d{i}"])]
        before = f"d{i}"
    if skip is not None:
        nodes += [make_node("Add", [before, skip], ["sum"]),
                  make_node("QuantizeLinear", ["sum", "scale", "zero"], ["y"])]
    else:
        nodes[-2] = make_node("QuantizeLinear", [f"c{layers - 1}", "scale", "zero"], ["y"])
        nodes.pop()
    graph = make_graph(nodes, inputs=[make_value("x", "u8", shape)], outputs=[make_value("y", "u8")],
                       initializers=weights)
    return write(folder / "net.onnx", make_model(graph, opset=17))


def compiled(folder, network, *options):
    """What the compiler says, the tables of the program, and that it computes the same bits."""
    program = folder / "net.opx"
    report = opscope("compile", network, TARGET, *options, "-o", program, "--json").json()
    plain, run = folder / "plain.npy", folder / "run.npy"
    opscope("infer", "--plain", network, f"--output={plain}")
    opscope("run", program, f"--output={run}")
    true(plain.read_bytes() == run.read_bytes(), f"other bits with {options}")
    return report, opscope("program", program, "--json").json()


def moved(program):
    """By name of a value: how often all of its bytes come in, and go out."""
    found, buffers = {}, program["buffers"]
    for task in program["tasks"]:
        if task["kind"] != "transfer" or task.get("group") is None:
            continue
        count = 1
        for length in task["operands"][0]["size"]:
            count *= length
        value = program["values"][buffers[task["operands"][0]["buffer"]]["value"]]
        whole = 1
        for length in value["type"].split("x")[:-1]:
            whole *= int(length)
        found.setdefault(value["name"], [0, 0])[task["engine"] == "dma_out"] += Fraction(count, whole)
    return {name: tuple(way) for name, way in found.items()}


def test_what_lies_between_two_layers_stays(folder):
    report, program = compiled(folder, layered(folder, 2, [1, 8, 32, 32]))
    found = moved(program)
    equal(found["x"], (1, 0), "the input is loaded once, whatever its tiles overlap in")
    equal(found["w_real"], (1, 0), "weights that two layers share are loaded once")
    equal(found["y"], (0, 1), "the output is stored once")
    true("q0" not in found, f"8 KiB between two layers go nowhere: {found}")
    _, without = compiled(folder, layered(folder, 2, [1, 8, 32, 32]), "--set=plan.keep=no")
    equal(moved(without)["q0"], (1, 1), "without keeping, they do")


def test_halos_are_loaded_once(folder):
    pool = make_node("MaxPool", ["x"], ["y"], kernel_shape=[5, 5], pads=[2, 2, 2, 2])
    graph = make_graph([pool], inputs=[make_value("x", "i8", [1, 1, 128, 128])], outputs=[make_value("y", "i8")])
    _, program = compiled(folder, write(folder / "net.onnx", make_model(graph, opset=17)))
    equal(moved(program)["x"], (1, 0), "tiles that overlap")
    true(sum(task["kind"] == "compute" for task in program["tasks"]) > 1, "there are tiles")


def widened(folder, side, channels, wide, stride=1, extra=()):
    """A 1x1 convolution to many channels, and one that computes each of them from itself alone."""
    scales = [make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
              make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0])]
    weights = [make_tensor("w0", "i8", [wide, channels, 1, 1], [k * 7 % 17 - 8 for k in range(wide * channels)]),
               make_tensor("w1", "i8", [wide, 1, 3, 3], [k * 5 % 19 - 9 for k in range(wide * 9)])]
    nodes = [make_node("DequantizeLinear", ["x", "scale", "zero"], ["x_real"]),
             make_node("DequantizeLinear", ["w0", "wscale", "wzero"], ["w0_real"]),
             make_node("DequantizeLinear", ["w1", "wscale", "wzero"], ["w1_real"]),
             make_node("Conv", ["x_real", "w0_real"], ["c0"]),
             make_node("QuantizeLinear", ["c0", "scale", "zero"], ["q0"]),
             make_node("DequantizeLinear", ["q0", "scale", "zero"], ["d0"]),
             make_node("Conv", ["d0", "w1_real"], ["c1"], group=wide, pads=[1, 1, 1, 1], strides=[stride, stride]),
             make_node("QuantizeLinear", ["c1", "scale", "zero"], ["y"]), *extra]
    outputs = [make_value("y", "u8")] + [make_value("z", "u8")] * bool(extra)
    graph = make_graph(nodes, inputs=[make_value("x", "u8", [1, channels, side, side])], outputs=outputs,
                       initializers=scales + weights)
    return write(folder / "net.onnx", make_model(graph, opset=17))


def test_what_does_not_fit_is_handed_on(folder):
    """128 KiB between two convolutions in a memory of 96: tile by tile, and never as a whole."""
    for stride in (1, 2):
        network = widened(folder, 64, 8, 32, stride)
        report, program = compiled(folder, network, "--set=lram.size=96KiB")
        found = moved(program)
        true("q0" not in found, f"what is between goes nowhere: {found}")
        equal(found["x"], (1, 0), "the input is loaded once")
        opscope("verify", folder / "net.opx")
        _, without = compiled(folder, network, "--set=lram.size=96KiB", "--set=plan.keep=no")
        true(moved(without)["q0"][1] == 1, "without keeping, it does")


def test_what_others_read_is_not_only_handed_on(folder):
    """Both convolutions' results are wanted: the first one's goes to the far memory."""
    again = make_node("Identity", ["q0"], ["z"])
    program = folder / "net.opx"
    opscope("compile", widened(folder, 64, 8, 32, extra=[again]), TARGET, "--set=lram.size=96KiB", "-o", program)
    opscope("verify", program)
    opscope("run", program)


def test_channels_that_are_apart_have_no_halo(folder):
    """A convolution of 288 KiB in a memory of 128: cut by channels nothing comes twice."""
    nodes = [make_node("DequantizeLinear", ["x", "scale", "zero"], ["x_real"]),
             make_node("DequantizeLinear", ["w", "wscale", "wzero"], ["w_real"]),
             make_node("Conv", ["x_real", "w_real"], ["c"], group=32, pads=[1, 1, 1, 1]),
             make_node("QuantizeLinear", ["c", "scale", "zero"], ["y"])]
    weights = [make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
               make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0]),
               make_tensor("w", "i8", [32, 1, 3, 3], [k * 5 % 19 - 9 for k in range(288)])]
    graph = make_graph(nodes, inputs=[make_value("x", "u8", [1, 32, 96, 96])], outputs=[make_value("y", "u8")],
                       initializers=weights)
    network = write(folder / "net.onnx", make_model(graph, opset=17))
    found = moved(compiled(folder, network, "--set=lram.size=128KiB")[1])
    equal((found["x"], found["y"]), ((1, 0), (0, 1)), f"each once: {found}")


def handed_on(program, value):
    """(task, operand, buffer) of each task that reads part of a value, the operand by its number."""
    return [(task, task.first_operand + i, program.operands[task.first_operand + i].buffer)
            for task in program.tasks if task.kind == checker.COMPUTE
            for i in range(task.operand_count)
            if not program.operands[task.first_operand + i].writes
            and program.buffers[program.operands[task.first_operand + i].buffer].value == value]


def test_a_broken_chain_is_refused(folder):
    """What is handed on is read after it is written, and before its place is taken again."""
    _, tables = compiled(folder, widened(folder, 64, 8, 32), "--set=lram.size=96KiB")
    good = (folder / "net.opx").read_bytes()
    program = checker.Program(good)
    handed = handed_on(program, [value["name"] for value in tables["values"]].index("q0"))
    true(len(handed) > 3, f"tiles that are handed on: {len(handed)}")
    task, operand, buffer = handed[2]
    makers = [i for i in range(task.first_dependency, task.first_dependency + task.dependency_count)
              if program.tasks[program.dependencies[i].task].kind == checker.COMPUTE]
    for name, change in {
        "another tile's part is read": ("operands", operand, "buffer", handed[3][2]),
        "its place is that of the tile before": ("buffers", buffer, "address", program.buffers[handed[1][2]].address),
        "its place is given away before it is read": ("buffers", buffer, "to", getattr(program.buffers[buffer], "from")),
        "nobody is waited for that made it": ("dependencies", makers[0], "data", 0),
    }.items():
        bad = bytearray(good)
        checker.put(bad, *change)
        checker.sign(bad)
        result = opscope("verify", write(folder / "bad.opx", bytes(bad)), code=1)
        true(result.err, f"{name}: says why")
        try:
            checker.check(bytes(bad))
            fail(f"{name}: the second checker takes it")
        except checker.Wrong:
            pass


def windowed(folder, side, stride=1, channels=16):
    """A convolution or pooling over rows that neighbours share, of what no memory holds."""
    nodes = [make_node("DequantizeLinear", ["x", "scale", "zero"], ["x_real"]),
             make_node("DequantizeLinear", ["w", "wscale", "wzero"], ["w_real"]),
             make_node("Conv", ["x_real", "w_real"], ["c"], pads=[side // 2] * 4, strides=[stride, stride]),
             make_node("QuantizeLinear", ["c", "scale", "zero"], ["y"])]
    weights = [make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
               make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0]),
               make_tensor("w", "i8", [8, channels, side, side],
                           [k * 5 % 19 - 9 for k in range(8 * channels * side * side)])]
    graph = make_graph(nodes, inputs=[make_value("x", "u8", [1, channels, 90, 96])], outputs=[make_value("y", "u8")],
                       initializers=weights)
    return write(folder / "net.onnx", make_model(graph, opset=17))


def test_rows_in_common_come_once(folder):
    """135 KiB in a memory of 64: tiles read the last rows of the tile before where they lie."""
    for side, stride in ((3, 1), (3, 2), (5, 1)):
        network = windowed(folder, side, stride)
        _, program = compiled(folder, network, "--set=lram.size=64KiB")
        equal(moved(program)["x"], (1, 0), f"window {side}, stride {stride}: every row once")
        checker.check((folder / "net.opx").read_bytes())
        opscope("verify", folder / "net.opx")
        _, without = compiled(folder, network, "--set=lram.size=64KiB", "--set=plan.keep=no")
        true(moved(without)["x"][0] > 1, f"without keeping they come again: {moved(without)}")


def narrowed(folder, stride=1):
    """A convolution to many channels, one of each by itself, and one back to few: 192 KiB between."""
    scales = [make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
              make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0])]
    shapes = {"w0": [48, 8, 1, 1], "w1": [48, 1, 3, 3], "w2": [8, 48, 1, 1]}
    weights = [make_tensor(name, "i8", shape, [k * 7 % 17 - 8 for k in range(shape[0] * shape[1] * shape[2] ** 2)])
               for name, shape in shapes.items()]
    nodes = [make_node("DequantizeLinear", ["x", "scale", "zero"], ["d0"])]
    for i, name in enumerate(shapes):
        more = {"group": 48, "pads": [1, 1, 1, 1], "strides": [stride, stride]} if i == 1 else {}
        result = "y" if i == 2 else f"q{i}"
        nodes += [make_node("DequantizeLinear", [name, "wscale", "wzero"], [f"{name}_real"]),
                  make_node("Conv", [f"d{i}", f"{name}_real"], [f"c{i}"], **more),
                  make_node("QuantizeLinear", [f"c{i}", "scale", "zero"], [result]),
                  make_node("DequantizeLinear", [result, "scale", "zero"], [f"d{i + 1}"])]
    graph = make_graph(nodes[:-1], inputs=[make_value("x", "u8", [1, 8, 64, 64])], outputs=[make_value("y", "u8")],
                       initializers=scales + weights)
    return write(folder / "net.onnx", make_model(graph, opset=17))


def test_rows_are_handed_on_once(folder):
    """Three convolutions one after the other: rows that two tiles need are made for the first."""
    for stride in (1, 2):
        _, tables = compiled(folder, narrowed(folder, stride), "--set=lram.size=128KiB")
        found = moved(tables)
        equal({"q0", "q1"} & set(found), set(), f"stride {stride}: what is between goes nowhere: {found}")
        equal((found["x"], found["y"]), ((1, 0), (0, 1)), f"stride {stride}: the rest once")
        checker.check((folder / "net.opx").read_bytes())
        names = [value["name"] for value in tables["values"]]
        made = Counter()
        for task in tables["tasks"]:
            for operand in task["operands"] if task["kind"] == "compute" else ():
                if operand["writes"]:
                    made[names[tables["buffers"][operand["buffer"]]["value"]]] += math.prod(operand["size"])
        equal(made["q0"], 48 * 64 * 64, "elements between the first two: each is computed once")


def test_a_broken_window_is_refused(folder):
    """Rows of two pieces make up a window: all of it, in order, and while they are there. Pieces
    are loaded, or made by the convolution before."""
    opscope("compile", windowed(folder, 3), TARGET, "--set=lram.size=64KiB", "-o", folder / "net.opx")
    refuse_broken_windows(folder, "x")
    opscope("compile", narrowed(folder), TARGET, "--set=lram.size=128KiB", "-o", folder / "net.opx")
    refuse_broken_windows(folder, "q0")


def refuse_broken_windows(folder, name):
    tables = opscope("program", folder / "net.opx", "--json").json()
    wanted = [value["name"] for value in tables["values"]].index(name)
    good = (folder / "net.opx").read_bytes()
    program = checker.Program(good)
    joined = []
    for task in program.tasks:
        operands = [task.first_operand + i for i in range(task.operand_count)]
        values = [program.buffers[program.operands[i].buffer].value for i in operands]
        pair = [i for i, value in zip(operands, values) if value == wanted and not program.operands[i].writes]
        if task.kind == checker.COMPUTE and len(pair) == 2:
            joined.append((task, pair))
    true(len(joined) > 3, f"tiles that read two pieces: {len(joined)}")
    task, (kept, new) = joined[2]
    rest, piece = (program.operands[i] for i in (kept, new))
    window = next(i.id for call in program.calls[task.first_call:task.first_call + task.call_count]
                  for i in program.call_buffers[call.first_buffer:call.first_buffer + 1])
    equal(program.buffers[window].dims[2], rest.size[2] + piece.size[2], "rows of the window")
    loads = [i for i in range(task.first_dependency, task.first_dependency + task.dependency_count)
             if program.dependencies[i].data]
    for name, *change in (
        ("rows further up are read", "operands", kept, "from", getattr(rest, "from")[2] - 1, 2),
        ("a row is missing", "operands", new, "size", piece.size[2] - 1, 2),
        ("a row is read twice", "buffers", window, "dims", program.buffers[window].dims[2] - 1, 2),
        ("the window is of other rows", "buffers", window, "origin", program.buffers[window].origin[2] + 1, 2),
        ("the same piece twice", "operands", kept, "buffer", piece.buffer),
        ("a piece of two tiles before", "operands", kept, "buffer", program.operands[joined[1][1][0]].buffer),
        ("a piece is given away before it is read", "buffers", rest.buffer, "to",
         getattr(program.buffers[rest.buffer], "from")),
        ("a piece lies where the next one comes", "buffers", rest.buffer, "address",
         program.buffers[program.operands[joined[3][1][1]].buffer].address),
        ("nobody is waited for that brought it", "dependencies", loads[0], "data", 0),
    ):
        bad = bytearray(good)
        checker.put(bad, *change)
        checker.sign(bad)
        result = opscope("verify", write(folder / "bad.opx", bytes(bad)), code=1)
        true(result.err, f"{name}: says why")
        try:
            checker.check(bytes(bad))
            fail(f"{name}: the second checker takes it")
        except checker.Wrong:
            pass


def test_what_is_needed_last_leaves(folder):
    """Three values of 32 KiB do not fit: the input, which is added at the end, comes twice."""
    network = layered(folder, 4, [1, 8, 64, 64], skip="x_real")
    found = moved(compiled(folder, network, "--set=lram.size=96KiB")[1])
    equal(found["x"], (2, 0), f"loaded again: {found}")
    true(not {"q0", "q1", "q2", "q3"} & set(found), f"the others stay: {found}")
    found = moved(compiled(folder, network)[1])
    equal(found["x"], (1, 0), f"with room for all, none leaves: {found}")


def test_what_has_to_leave_is_stored_once(folder):
    network = layered(folder, 4, [1, 8, 64, 64], skip="d0")
    found = moved(compiled(folder, network, "--set=lram.size=96KiB")[1])
    between = {name: way for name, way in found.items() if name.startswith("q")}
    equal(list(between.values()), [(1, 1)], f"one value of four leaves and comes back: {found}")


def test_the_published_policy(folder):
    """What came first is written back as a whole, whether it changed or not; no loads ahead."""
    network = layered(folder, 4, [1, 8, 64, 64], shared=False, skip="x_real")
    _, program = compiled(folder, network, "--rules=public", "--set=lram.size=96KiB")
    equal(moved(program)["x"], (2, 1), "the input leaves first, and is written back")
    true(loads_for_themselves(program), "each job loads for itself")
    _, program = compiled(folder, network, "--set=lram.size=96KiB")
    equal(moved(program)["x"], (2, 0), "what the far memory has is not written again")
    true(not loads_for_themselves(program), "weights come while another job computes")


def loads_for_themselves(program):
    for dispatch in program["dispatches"]:
        for action in dispatch["actions"]:
            tasks = [program["tasks"][step["task"]] for step in action.get("steps") or [] if step["kind"] == "start"]
            if len({task["group"] for task in tasks if task.get("group") is not None}) > 1:
                return False
    return True


def test_a_bound_does_not_depend_on_the_policy(folder):
    network = layered(folder, 6, [1, 8, 64, 64], shared=False)
    bounds = {compiled(folder, network, option)[0]["modelled"]["least_cycles"]
              for option in ("--set=plan.keep=values", "--set=plan.keep=no")}
    equal(len(bounds), 1, f"traffic that can be avoided does not count: {bounds}")


def test_more_memory_is_quicker(folder):
    network = layered(folder, 6, [1, 16, 128, 128], shared=False)
    cycles = [compiled(folder, network, f"--set=lram.size={size}KiB")[0]["modelled"]["cycles"]
              for size in (256, 2048)]
    true(cycles[1] < 0.8 * cycles[0], f"eight times the memory: {cycles}")


def computing(folder, network, *options):
    """The modelled cycles, and those that slices (two at a time), CSS and host compute."""
    trace = folder / "times.csv"
    report = opscope("compile", network, TARGET, *options, "-o", folder / "net.opx", "--trace", trace,
                     "--json").json()
    work = {"S": 0, "CSS": 0, "H": 0}
    for row in csv.reader(trace.read_text().splitlines()[1:]):
        kind = re.match(r"[A-Z]+", row[0])[0]
        if kind in work:
            work[kind] += int(row[2]) - int(row[1])
    return report["modelled"]["cycles"], work["S"] / 2 + work["CSS"] + work["H"]


def test_with_all_memory_computing_is_all_that_counts(folder):
    """Of made layers and of whole networks, whose images the host quantizes before and after."""
    network = layered(folder, 6, [1, 16, 128, 128], shared=False)
    compiled(folder, network, *UNLIMITED)  # the same bits
    for network in (network, *(shared(f"data/models/{name}/model.onnx")
                               for name in ("mobilenet_v2_int8", "squeezenet1_1_int8"))):
        cycles, computed = computing(folder, network, *UNLIMITED)
        true(computed <= cycles <= 1.1 * computed, f"{network}: {cycles} cycles, {computed} to compute")


def test_plans_that_are_none(folder):
    for setting, text in (("plan.keep=some", "keep is yes, no or values"),
                          ("plan.spill=never", "spill is next-use or first-in"),
                          ("plan.prefetch=maybe", "yes or no")):
        result = opscope("compile", layered(folder, 2, [1, 8, 32, 32]), TARGET, f"--set={setting}", "-o",
                         folder / "net.opx", code=2)
        contains(result.err, text)


main()
