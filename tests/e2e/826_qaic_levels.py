"""What a level of statistics promises is in the buffer, field by field, and nothing else."""
import struct

from support import *
from onnx_writer import *
from qaic_container import segments

CLOCK, TICKS = 1450e6, 19.2e6
BUFFER = "aic-profiling-program-0-activation-0-inf-0-QAicGraph-aiccyclecounts.bin"
CORES, THREADS, WIDTH = 2, 6, 64
ITEMS = {"threads": "<QQQQ", "ddr": "<QQ", "pmu": "<16sIIQ", "ports": "<QQ", "doorbells": "<IIQ",
         "operations": "<IHHIIQQQII"}


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def network(folder):
    """Two inputs; products on the matrix unit, a sum on the vector threads; two outputs."""
    rows = 64 * CORES
    weights = [make_tensor("w", "f16", [WIDTH, WIDTH], [((k * 37) % 19 - 9) / 64 for k in range(WIDTH * WIDTH)])]
    nodes = [make_node("MatMul", ["a", "w"], ["p"], name="/l/MatMul"), make_node("Tanh", ["p"], ["t"], name="/l/Tanh"),
             make_node("Add", ["t", "b"], ["y"], name="/l/Add"), make_node("Relu", ["b"], ["z"], name="/l/Relu")]
    values = [make_value(name, "f16", [rows, WIDTH]) for name in "abyz"]
    return write(folder / "m.onnx", make_model(make_graph(nodes, values[:2], values[2:], weights)))


def sections(path):
    """All of a buffer: its header, and of each section the fields of its items. No byte is left over."""
    data = path.read_bytes()
    magic, version, count, level, cores, threads, measured, crc, device, inference, frequency = struct.unpack_from(
        "<8s8I2Q", data)
    equal((magic, version, cores, threads, measured, device, inference, frequency),
          (b"QAICSTAT", 1, CORES, THREADS, 0, 0, 0, 19200000), "header")
    found, end = {}, 56 + 40 * count
    for i in range(count):
        name, size, _, offset, number = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
        name = name.rstrip(b"\0").decode()
        equal((size, offset), (struct.calcsize(ITEMS[name]), end), f"{name} follow what is before")
        found[name] = [struct.unpack_from(ITEMS[name], data, offset + size * k) for k in range(number)]
        end = offset + size * number
    equal(end, len(data), "nothing else")
    return level, found


def recorded(folder, level, *options, code=0):
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", f"-stats-level={level}", f"-aic-num-cores={CORES}", *options,
         cwd=folder)
    tool("qaic-runner", "-t", "b", "-n", "1", "--aic-profiling-type=raw_device_stats", cwd=folder, code=code)
    return sections(folder / BUFFER)[1] if code == 0 else None


def kinds(folder, *options):
    """Of each operation in the buffer, by core and number: its kind and bytes, as the trace has them."""
    tool("qaic-opstats", "-q", "b", "-i", ".", "-o", "o", "--trace", *options, cwd=folder, code=None)
    events = json.loads(next((folder / "o").glob("*trace.json")).read_text())["traceEvents"]
    return {int(event["args"]["oc"]): (event["args"]["opKind"], int(event["args"]["opOutputSize"])) for event in events
            if "opKind" in event.get("args", {})}


def test_sections(folder):
    network(folder)
    at50 = ["doorbells", "operations", "ports", "threads"]
    for level, options, names in (
            (40, [], ["threads"]), (49, ["-ddr-stats"], ["ddr", "threads"]), (41, ["-aic-pmu-recipe=AxiRd"], ["pmu", "threads"]),
            (45, ["-aic-pmu-events=3F"], ["threads"]), (50, [], at50), (69, [], at50), (70, [], at50),
            (99, ["-aic-pmu-recipe=HmxMacs", "-ddr-stats"], sorted([*at50, "ddr", "pmu"])), (100, [], sorted([*at50, "pmu"]))):
        equal(sorted(recorded(folder, level, *options)), names, f"sections of level {level} {options}")
    for level in (0, 39, -1):
        recorded(folder, level, code=1)
    for option in ("-ddr-stats", "-aic-pmu-recipe=AxiRd", "-aic-pmu-events=3F"):
        said = tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=39", option, cwd=folder, code=255).err
        contains(said, "needs -stats-level=40", option)


def test_threads(folder):
    """Every thread begins and ends with the inference; setting it up took what the target says."""
    network(folder)
    threads = recorded(folder, 40)["threads"]
    equal(len(threads), CORES * THREADS, "one for each core and thread")
    equal(len(set(threads)), 1, "alike")
    start, end, pcycles, activation = threads[0]
    equal((start, end), (0, int(pcycles * TICKS / CLOCK)), "ticks are those of its cycles")
    equal(activation, int(275600 * TICKS / CLOCK), "activation")
    tool("qaic-opstats", "-q", "b", "-i", ".", "-o", "o", "--summary", cwd=folder, code=3)
    text = next((folder / "o").iterdir()).read_text()
    equal(re.findall(r"c01t5 activate ucycles: +(\d+)", text), [str(activation)], "in the summary")
    contains(text, "     N/A utilization", "what a thread did is not known below level 70")


def test_doorbells_and_waits(folder):
    """Only inputs ring; a thread waits no longer than until the last one is there."""
    network(folder)
    found = recorded(folder, 50)
    equal([bell[:2] for bell in found["doorbells"]], [(100, 0), (100, 1)], "ports and inputs")
    true(found["doorbells"][0][2] < found["doorbells"][1][2] < found["threads"][0][1], "times")
    equal(len(found["ports"]), CORES * THREADS, "waits of each thread")
    equal({wait for _, wait in found["ports"]}, {0}, "nothing waits for outputs")
    true(0 < max(wait for wait, _ in found["ports"]) <= found["doorbells"][1][2], "waits for inputs")


def test_semaphores(folder):
    """A core that read inputs, or wrote outputs, raises a semaphore when it has done the last of it."""
    network(folder)
    alone = recorded(folder, 50)["operations"]
    equal({kind for kind, _ in kinds(folder).values()}, {"aicinputsemaphoreinc", "aicoutputsemaphoreinc"},
          "level 50 has no other operations")
    every = recorded(folder, 70)["operations"]
    write(folder / "b.opx", segments(folder / "b/programqpc.bin")["opscope.opx"])
    compiled = opscope("program", folder / "b.opx", "--json").json()
    tasks, buffers, values = compiled["tasks"], compiled["buffers"], compiled["values"]
    ports = {name: number for number, value in enumerate(values) for name in [value["name"]] if name in "abyz"}
    sides = {number: name in "yz" for name, number in ports.items()}
    ends, bytes_ = {}, {}
    by_task = {item[4]: item for item in every if item[4] < len(tasks)}
    for number, task in enumerate(tasks):
        for operand in task["operands"]:
            value = buffers[operand["buffer"]]["value"]
            if buffers[operand["buffer"]]["memory"] != "ddr" or sides.get(value) != operand["writes"]:
                continue
            place = (by_task[number][0], operand["writes"])
            ends[place] = max(ends.get(place, 0), by_task[number][6])
            size = 2
            for length in operand["size"]:
                size *= length
            bytes_[place] = bytes_.get(place, 0) + size
    named = kinds(folder)
    found = {(item[0], named[item[4]][0] == "aicoutputsemaphoreinc"): item for item in every if item[4] >= len(tasks)}
    equal(sorted(found), sorted(ends), "cores and sides")
    for place, item in found.items():
        core, thread, group, ordinal, number, start, end, pcycles, sync, barrier = item
        equal(start, ends[place], f"{place} starts when the last is done")
        equal((pcycles, barrier), (275, 0), f"{place} cycles")
        true(end - start in (3, 4), f"{place} ticks")
        equal(named[number][1], bytes_[place], f"{place} bytes")
    without_waits = sorted(item[:8] for item in found.values())
    equal(sorted(item[:8] for item in alone), without_waits, "the same at level 50")
    equal({item[8:] for item in alone}, {(0, 0)}, "where waits are not known")


def test_counters(folder):
    """Recipes against what the operations of the same program say; level 100 has all."""
    network(folder)
    found = recorded(folder, 70, "-ddr-stats", "-aic-pmu-recipe=AxiRdWr")
    named = kinds(folder)
    counted = {(name.rstrip(b"\0").decode(), core, thread): value for name, core, thread, value in found["pmu"]}
    equal({name for name, _, _ in counted}, {"AxiRdBytes", "AxiWrBytes"}, "counters of the recipe")
    for core, (read, written) in enumerate(found["ddr"]):
        equal((counted["AxiRdBytes", core, 5], counted["AxiWrBytes", core, 5]), (read, written), "bytes")
        equal(sum(counted[name, core, thread] for name in ("AxiRdBytes", "AxiWrBytes") for thread in range(5)), 0, "others")
        copies = {"aiccopytovtcm": 0, "aiccopyfromvtcm": 0}
        for item in found["operations"]:
            kind, size = named[item[4]]
            if item[0] == core and kind in copies:
                copies[kind] += size
        equal((read, written), (copies["aiccopytovtcm"], copies["aiccopyfromvtcm"]), "what copies write")
    macs = recorded(folder, 70, "-aic-pmu-recipe=HmxMacs")["pmu"]
    equal(sum(value for *_, value in macs), 64 * CORES * WIDTH * WIDTH, "products of the network")
    equal({thread for *_, thread, value in macs if value}, {4}, "on the matrix unit")
    found = recorded(folder, 100)
    counted = {(name.rstrip(b"\0").decode(), core, thread): value for name, core, thread, value in found["pmu"]}
    equal({name for name, _, _ in counted}, {"AxiRdBytes", "AxiWrBytes", "ActivePCycles", "HmxMacs"}, "level 100")
    named = kinds(folder)
    for core in range(CORES):
        for thread in range(5):
            busy = sum(item[7] for item in found["operations"] if item[:2] == (core, thread) and "semaphore" not in named[item[4]][0])
            equal(counted["ActivePCycles", core, thread], busy, f"c{core}t{thread}")
        true(0 < counted["ActivePCycles", core, 5] <= found["threads"][0][2], "transfers, none counted twice")


def test_lines_of_our_own(folder):
    """What published summaries have no lines for says that it is opscope's, and is read again."""
    network(folder)
    found = recorded(folder, 70, "-ddr-stats", "-aic-pmu-recipe=KernelUtil")
    tool("qaic-opstats", "-q", "b", "-i", ".", "-o", "o", "--summary", cwd=folder)
    path = next((folder / "o").iterdir())
    text = path.read_text()
    contains(text, "opscope: times are modelled by the simulated card", "where times come from")
    for core, (read, written) in enumerate(found["ddr"]):
        contains(text, f"opscope: c{core:02} DDR traffic: {read} bytes read, {written} written (modelled)", "traffic")
    total = found["threads"][0][2]
    for name, core, thread, value in found["pmu"]:
        contains(text, f"opscope: c{core:02}t{thread} PMU ActivePCycles: {value} (modelled)", "counter")
    hmx = next(value for _, core, thread, value in found["pmu"] if (core, thread) == (1, 4))
    equal(re.search(r"c01 .*HMXActivePct: ([\d.]+)", text)[1], f"{100 * hmx / total:.2f}", "use of the matrix unit")
    said = opscope("info", path, "--json").json()[0]
    equal(said["ledger"]["lost"], 0, "its own lines are known")
    contains(opscope("info", path).out, "modelled", "and what they say")
    made = tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=70", "-aic-pmu-events=100,7b", cwd=folder).out
    contains(made, "100, HVX_ACTIVE of V75: its values are of the card alone", "said while compiling")
    tool("qaic-runner", "-t", "b", "-n", "1", "--aic-profiling-type=raw_device_stats", cwd=folder)
    tool("qaic-opstats", "-q", "b", "-i", ".", "-o", "o", "--summary", cwd=folder)
    contains(path.read_text(), "opscope: PMU event 100 (HVX_ACTIVE of V75): N/A\nopscope: PMU event 7B: N/A\n", "events")


def test_rows_of_the_runner(folder):
    """What was asked for while compiling stands among the device's figures, and nothing else."""
    network(folder)
    rows = lambda out: {name: [float(cell) for cell in rest.split(",")]
                        for name, rest in re.findall(r"(?m)^(\w+), *([\d. ,]+)$", out)}
    words = ("-n", "2", "--aic-profiling-type=raw_device_stats")
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=50", f"-aic-num-cores={CORES}", "-ddr-stats",
         "-aic-pmu-recipe=KernelUtil", cwd=folder)
    found = rows(tool("qaic-runner", "-t", "b", *words, cwd=folder).out)
    _, buffer = sections(folder / BUFFER)
    moved = sum(read + written for read, written in buffer["ddr"])
    equal(found["DDRTrafficMB"][0], round(moved / 1e6, 3), "traffic")
    true(abs(found["DDRBandwidthGBPerSec"][0] - moved / 1e3 / found["ExecTimeUs"][0]) < 0.01, "rate")
    total = buffer["threads"][0][2]
    for name, threads in (("HVX", range(4)), ("HMX", [4]), ("DMA", [5])):
        own = [value for _, _, thread, value in buffer["pmu"] if thread in threads]
        true(abs(found[f"{name}ActivePct"][0] - 100 * sum(own) / len(own) / total) < 0.001, f"use of {name}")
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=50", cwd=folder)
    equal(sorted(rows(tool("qaic-runner", "-t", "b", *words, cwd=folder).out)),
          ["ExecTimeUs", "InputWaitTimeUs", "OutputWaitTimeUs"], "where nothing was")


def test_in_the_record(folder):
    """Counters, waits and doorbells of a buffer are events of the profile, none lost."""
    network(folder)
    found = recorded(folder, 100, "-ddr-stats")
    path = folder / BUFFER
    opscope("convert", path, "--qpc", folder / "b", "-o", folder / "p.json")
    events = json.loads((folder / "p.json").read_text())
    samples = {}
    for event in events:
        if event["ph"] == "C":
            samples.setdefault(event["name"], []).append(*event["args"].values())
    equal(samples["DDR read"], [read for read, _ in found["ddr"]], "traffic")
    equal(sum(samples["t4 HmxMacs"]), 64 * CORES * WIDTH * WIDTH, "counters")
    equal(len(samples["t5 wait for port 100"]), CORES, "waits")
    equal(sum(event["ph"] in "iI" for event in events), len(found["doorbells"]), "doorbells")
    said = opscope("info", path, "--qpc", folder / "b", "--json").json()[0]["ledger"]
    equal((said["lost"], said["impossible"]), (0, 0), "the ledger")


def test_measured(folder):
    """This machine has no card's ports: what was not measured is absent."""
    network(folder)
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=70", f"-aic-num-cores={CORES}", cwd=folder)
    tool("qaic-runner", "-t", "b", "-n", "1", "--aic-profiling-type=raw_device_stats", "--device", "host", cwd=folder)
    data = (folder / BUFFER).read_bytes()
    names = [data[56 + 40 * i:72 + 40 * i].rstrip(b"\0").decode() for i in range(struct.unpack_from("<I", data, 12)[0])]
    equal(names, ["threads", "operations"], "sections")
    offset = struct.unpack_from("<Q", data, 56 + 24)[0]
    equal(struct.unpack_from("<Q", data, offset + 24)[0], 2 ** 64 - 1, "activation is not known")
    true("semaphore" not in str(kinds(folder)), "no semaphores")


if __name__ == "__main__":
    main()
