"""Cloud AI's three tools: a network compiled, run and summarised by the lines of their document."""
import struct

from support import *
from onnx_writer import *
from qaic_container import segments

BUFFER = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph-aiccyclecounts.bin"
RESULT = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph.qaic-opstats.{}"

DESCRIPTION = """
syntax = "proto3";
package aicnwdesc;
message OpNameKind { string name = 1; string kind = 2; string type = 3; string memory = 4; string shape = 5;
    uint64 output_size = 7; string attributes = 8; }
message ThreadGroupOpNameKinds { repeated OpNameKind op_name_kinds = 1; }
message CoreOpNameKinds { repeated ThreadGroupOpNameKinds tg_op_name_kinds = 1; }
message Stats { uint32 buff_num = 1; bool print_stats = 2; int32 stats_level = 3; bool print_op_stats = 5;
    int32 op_stats_level = 6; int32 batch_size = 7; bool count_ddr_bw = 8; int32 utimer_freq_ms = 9;
    repeated int32 pmu_events = 10; repeated int32 ops_per_core = 11;
    repeated CoreOpNameKinds core_op_name_kinds = 12; }
message IODescriptor { int32 type = 1; repeated int32 dims = 4; }
message IOBinding { string name = 1; IODescriptor io_initial = 2; }
message networkDescriptor { uint32 major_version = 1; uint32 minor_version = 2; string network_name = 3;
    repeated IOBinding inputs = 4; repeated IOBinding outputs = 5; uint32 num_cores = 7; uint32 num_threads = 8;
    uint32 num_hvx_threads = 9; repeated uint32 thread_groups = 10; uint32 thread_group_issue_count = 11;
    Stats stats = 12; repeated string thread_group_names = 13; int32 batch_size = 14;
    repeated uint32 cluster_offsets = 17; }
"""


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def network(folder, name="model.onnx", element="f16"):
    """A product, an activation and a sum: work for the matrix unit and the vector threads."""
    weights = make_tensor("w", element, [96, 64], [((i * 37) % 19 - 9) / 16 for i in range(96 * 64)])
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="/block/MatMul"),
             make_node("Tanh", ["p"], ["t"], name="/block/Tanh"),
             make_node("Add", ["t", "p"], ["y"], name="/block/Add")]
    graph = make_graph(nodes, [make_value("x", element, [128, 96])], [make_value("y", element, [128, 64])], [weights])
    return write(folder / name, make_model(graph))


def recorded(folder, *options, level=70):
    """Compiled and run: five samples in stats/."""
    network(folder)
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=./binaries", f"-stats-level={level}", *options,
         cwd=folder)
    (folder / "stats").mkdir(exist_ok=True)
    return tool("qaic-runner", "--test-data=./binaries", "--aic-profiling-type=raw_device_stats",
                "--aic-profiling-out-dir=./stats", "--aic-profiling-num-samples=5",
                "--aic-profiling-start-iter", "1", "--num-iter=20", cwd=folder)


def test_the_lines_of_the_document(folder):
    said = recorded(folder)
    contains(said.out, " ---- Stats ----\nInferenceCnt 20 ", "runner")
    contains(said.out, "Using bounded random inputs", "runner")
    equal(sorted(path.name for path in (folder / "stats").iterdir()), [BUFFER.format(i) for i in range(1, 6)],
          "buffers")
    out = tool("qaic-opstats", "--qpc", "./binaries/programqpc.bin", "--input-dir", "./stats/", "--output-dir",
               "./stats-out/", "--summary", "--trace", cwd=folder).out
    contains(out, "Generated summary outputs:", "opstats")
    equal(sorted(path.name for path in (folder / "stats-out").iterdir()),
          sorted(RESULT.format(i, ending) for i in range(1, 6) for ending in ("summary.txt", "trace.json")), "results")


def test_a_container_that_others_read(folder):
    recorded(folder, "-stats-batchsize=8", "-ddr-stats", "-aic-num-cores=4")
    found = segments(folder / "binaries/programqpc.bin")
    for name in ("network.elf", "networkdesc.bin", "constantsdesc.bin"):
        true(name in found, f"segment {name}")
    contains(found["opscope.command"].decode(), "qaic-compile -model=model.onnx", "how it was made")
    true(found["network.elf"].startswith(b"\x7fELF"), "an image")
    write(folder / "d.proto", DESCRIPTION)
    decoded = subprocess.run(["protoc", "--decode=aicnwdesc.networkDescriptor", "d.proto"], cwd=folder, check=True,
                             input=found["networkdesc.bin"], capture_output=True).stdout.decode()
    for line in ("major_version: 9", 'network_name: "QAicGraph"', "num_cores: 4", "num_threads: 6",
                 "num_hvx_threads: 4", 'thread_group_names: "HMX"', "  stats_level: 70", "  batch_size: 8",
                 "  count_ddr_bw: true", "  utimer_freq_ms: 19200", 'memory: "TCM"', 'name: "x"'):
        contains(decoded, line, "description")
    true(not re.search(r"^ *\d+:", decoded, re.MULTILINE), f"fields that the description does not have: {decoded}")


def parsed(text):
    """Rows of each core, and what the footer says, by another reader."""
    rows, threads = {}, {}
    for line in text.splitlines():
        words = line.split()
        if re.match(r"c\d+ +(\d+) +[\d.]+%", line):
            rows.setdefault(words[0], []).append(words[1:10] + [line[109:]])
        match = re.match(r"c(\d+) +t(\d+) (\S+) +(\d+) ucycles \[(\d+), (\d+)\] +(\d+) pcycles +([\d.]+)%", line)
        if match:
            threads[int(match[1]), int(match[2])] = match
    return rows, threads


def test_sums_of_the_summary(folder):
    """Held against the trace of the same buffer, which has every operation."""
    recorded(folder)
    tool("qaic-opstats", "-q", "binaries/programqpc.bin", "-i", "stats", "-o", "out", "--summary", "--trace",
         "--merge-thread-groups", "false", cwd=folder)
    text = (folder / "out" / RESULT.format(1, "summary.txt")).read_text()
    events = json.loads((folder / "out" / RESULT.format(1, "trace.json")).read_text())["traceEvents"]
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    rows, threads = parsed(text)
    true(len(rows) > 1 and len(threads) == 6 * len(rows), "cores and threads")
    for core, lines in rows.items():
        sums = {}
        for event in events:
            thread = names.get((event["pid"], event["tid"]), "")
            if event["ph"] != "X" or "opKind" not in event.get("args", {}) or f"_Core_{core[1:]}_" not in thread:
                continue
            group = thread.split("_")[3]
            key = f"{event['args']['opKind']} {group} {event['args']['opMemory']} "
            sums.setdefault(key, [0, 0, 0])
            sums[key] = [sums[key][0] + int(event["args"]["opUCycle"]), sums[key][1] + int(event["args"]["opPCycle"]),
                         sums[key][2] + 1]
        shown = {}
        for words in lines:
            if not words[9].startswith(("sync", "barrier")):
                shown[words[9].split("(")[0]] = [int(words[0]), int(words[2]), int(words[4])]
        equal(shown, sums, f"rows of {core}")
    total = re.search(r"total batch ucycles: +(\d+) \[(\d+), (\d+)\]", text)
    equal(int(total[1]), int(total[3]) - int(total[2]), "the batch")
    rate = re.search(r"inf/s: \(1/([\d.e-]+)\): ([\d.]+)", text)
    near = int(total[1]) / 19.2e6
    true(abs(float(rate[1]) / near - 1) < 1e-5 and abs(float(rate[2]) * near - 1) < 1e-5, "rates")


def test_traces_load_in_perfetto(folder):
    recorded(folder)
    for flows in ("none", "full"):
        tool("qaic-opstats", "-q", "binaries/programqpc.bin", "-i", "stats", "-o", flows, "--trace", "--flow-events",
             flows, cwd=folder)
    path = folder / "full" / RESULT.format(1, "trace.json")
    equal(loss_query(path), [], "what Perfetto lost")
    events = json.loads(path.read_text())["traceEvents"]
    spans = sum(event["ph"] == "X" for event in events)
    equal(trace_query(path, "select count(*) as n from slice")[0]["n"], spans, "slices")
    starts = sum(event["ph"] == "s" for event in events)
    true(starts > 0, "there are dependencies")
    equal(trace_query(path, "select count(*) as n from flow")[0]["n"], starts, "flows")
    none = (folder / "none" / RESULT.format(1, "trace.json")).read_text()
    equal(sum(event["ph"] in "sf" for event in json.loads(none)["traceEvents"]), 0, "without flows")


def test_cores_of_a_trace(folder):
    recorded(folder)
    tool("qaic-opstats", "-q", "binaries", "-i", "stats", "-o", "out", "--trace", "-c", "2,0", cwd=folder)
    events = json.loads((folder / "out" / RESULT.format(1, "trace.json")).read_text())["traceEvents"]
    equal({event["pid"] for event in events}, {2000, 2002}, "cores")
    contains(tool("qaic-opstats", "-q", "binaries", "-i", "stats", "--trace", "-c", "99", cwd=folder, code=2).err,
             "cores 0 to", "a core that is not there")


def test_levels(folder):
    """A buffer holds what its level promises, and opstats says what to compile with."""
    for level, sections in ((0, None), (40, ["threads"]), (69, ["doorbells", "operations", "ports", "threads"]),
                            (70, ["doorbells", "operations", "ports", "threads"])):
        network(folder)
        tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=b", f"-stats-level={level}", cwd=folder)
        (folder / "s").mkdir(exist_ok=True)
        words = ("--test-data=b", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s", "-n", "2")
        if sections is None:
            contains(tool("qaic-runner", *words, cwd=folder, code=1).err, "-stats-level=70", "no statistics")
            continue
        tool("qaic-runner", *words, cwd=folder)
        data = (folder / "s" / BUFFER.format(0)).read_bytes()
        count = struct.unpack_from("<I", data, 12)[0]
        names = [data[56 + 40 * i:72 + 40 * i].rstrip(b"\0").decode() for i in range(count)]
        equal(sorted(names), sections, f"sections of level {level}")
        opstats = ("-q", "b", "-i", "s", "-o", "out", "--summary")
        if level < 70:
            contains(tool("qaic-opstats", *opstats, cwd=folder, code=3).err, "-stats-level=70", f"level {level}")
            contains((folder / "out" / RESULT.format(0, "summary.txt")).read_text(), "c0 total:", "threads are there")
        else:
            tool("qaic-opstats", *opstats, cwd=folder)


def test_buffers_that_are_wrong(folder):
    recorded(folder)
    stats = folder / "stats"
    words = ("-q", "binaries", "-i", "stats", "-o", "out", "--summary")
    whole = (stats / BUFFER.format(1)).read_bytes()
    write(stats / BUFFER.format(2), whole[:-100])
    write(stats / BUFFER.format(3), b"")
    write(stats / BUFFER.format(4), b"\x01\x02\x03" * 100)
    (stats / BUFFER.format(5)).unlink()
    said = tool("qaic-opstats", *words, cwd=folder, code=3).err
    contains(said, "operations are lost", "cut")
    contains(said, "not public", "the card's own")
    contains(said, BUFFER.format(3) + ": is empty", "nothing")
    write(stats / BUFFER.format(3), whole[:5])
    said = tool("qaic-opstats", *words, cwd=folder, code=3).err
    contains(said, BUFFER.format(3) + ": is cut off within its first bytes", "too little to tell whose it is")
    contains(opscope("info", stats / BUFFER.format(3), code=1).err, "is cut off within its first bytes", "info")
    true((folder / "out" / RESULT.format(1, "summary.txt")).exists(), "the rest is processed")
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=other", "-stats-level=70", "-aic-num-cores=2", cwd=folder)
    contains(tool("qaic-opstats", "-q", "other", *words[2:], cwd=folder, code=1).err, "another program", "another")


def test_samples(folder):
    network(folder)
    tool("qaic-compile", "-m=model.onnx", "-aic-binary-dir=b", "-stats-level=70", cwd=folder)
    run = ("-t", "b", "--aic-profiling-type=raw_device_stats")
    contains(tool("qaic-runner", *run, "--aic-profiling-out-dir=none", cwd=folder, code=1).err, "make it first",
             "no folder")
    # A delay that is longer than the run: it goes on until there is a sample, and says so.
    (folder / "s").mkdir()
    said = tool("qaic-runner", *run, "--aic-profiling-out-dir=s", "--aic-profiling-start-delay=300", "--num-iter=2",
                cwd=folder)
    contains(said.err, "longer than 2 inferences take", "delay")
    equal(len(list((folder / "s").iterdir())), 1, "samples")
    said = tool("qaic-runner", *run, "--aic-profiling-out-dir=s", "--aic-profiling-start-iter=50", "-n", "5",
                cwd=folder, code=3)
    contains(said.err, "0 of 1 samples", "a start after the end")
    for kind, name in (("stats", "activation-0-inf-0.txt"), ("trace", "trace.json"), ("latency", "latency.txt")):
        tool("qaic-runner", "-t", "b", f"--aic-profiling-type={kind}", "-n", "3", cwd=folder)
        true((folder / f"aic-profiling-program-0-{name}").stat().st_size > 0, kind)
    lines = (folder / "aic-profiling-program-0-latency.txt").read_text().splitlines()
    equal(lines[3], "NumSamples collected: 1 Num Requested: 1", "latency")
    equal(len(lines[4].split(",")), len(lines[5].split(",")), "columns")


def test_numbers(folder):
    """What the runner computes is what the network computes."""
    path = network(folder, element="f32")
    tool("qaic-compile", f"-model={path}", "-aic-binary-dir=b", cwd=folder)
    opscope("infer", path, "--seed", "0", "-o", folder / "want.npy")
    tool("qaic-runner", "-t", "b", "-n", "1", "--write-output-dir", "out", cwd=folder)
    got = (folder / "out/y-inf-0.bin").read_bytes()
    want = (folder / "want.npy").read_bytes()[-len(got):]
    equal(len(got), 128 * 64 * 4, "bytes")
    worst = max(abs(a - b) for (a,), (b,) in zip(struct.iter_unpack("<f", got), struct.iter_unpack("<f", want)))
    true(worst < 1e-5, f"they differ by {worst}")


def test_wrong_use(folder):
    network(folder)
    compiled = ("-model=model.onnx", "-aic-binary-dir=b")
    for words, message in (([], "-model"), (["-model=model.onnx"], "-aic-binary-dir"),
                           ([*compiled, "-stats-level=x"], "-stats-level"),
                           ([*compiled, "-stats-level=4294967296"], "to 2147483647"),
                           ([*compiled, "-stats-level=30", "-ddr-stats"], "-ddr-stats needs"),
                           ([*compiled, "-aic-pmu-recipe=Nothing"], "KernelUtil"),
                           ([*compiled, "-aic-pmu-events=1,2,3,4,5,6,7,8,9"], "at most 8"),
                           ([*compiled, "-aic-pmu-events=xyz"], "hexadecimal"),
                           ([*compiled, "-aic-pmu-events=3F", "-aic-pmu-recipe=AxiRd"], "exclude"),
                           ([*compiled, "-aic-num-cores=17"], "1 to 16"),
                           ([*compiled, "-nonsense"], "Invalid option -nonsense. Use -h")):
        contains(tool("qaic-compile", *words, cwd=folder, code=255).err, message, str(words))
    contains(tool("qaic-compile", "-model=none.onnx", "-aic-binary-dir=b", cwd=folder, code=255).err, "none.onnx", "file")
    tool("qaic-compile", *compiled, "-aic-pmu-events=3F,0x70,200", cwd=folder)
    contains(tool("qaic-runner", cwd=folder, code=1).err, "--test-data", "no program")
    contains(tool("qaic-runner", "-t", "nowhere", cwd=folder, code=1).err, "nowhere", "no such folder")
    contains(tool("qaic-runner", "-t", "b", "--aic-profiling-type=all", cwd=folder, code=1).err, "raw_device_stats",
             "type")
    contains(tool("qaic-opstats", "--summary", cwd=folder, code=2).err, "--qpc", "no program")
    contains(tool("qaic-opstats", "-q", "b", "-i", ".", cwd=folder, code=2).err, "--summary", "nothing to make")
    contains(tool("qaic-opstats", "-q", "b", "-i", ".", "--trace", cwd=folder, code=1).err, "raw_device_stats",
             "no buffers")
    for cut in (0, 10, 100, 400):
        data = (folder / "b/programqpc.bin").read_bytes()[:cut]
        write(folder / "cut.bin", data)
        tool("qaic-opstats", "-q", "cut.bin", "-i", ".", "--trace", cwd=folder, code=1)


if __name__ == "__main__":
    main()
