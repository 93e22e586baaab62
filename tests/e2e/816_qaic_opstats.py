"""qaic-opstats, option by option: what each changes in traces, what is merged on one clock, what is said of buffers that
are missing or lack something, and the report."""
import shutil
import struct

from support import *
from onnx_writer import *
from qaic_container import segments

BUFFER = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph-aiccyclecounts.bin"
SLICE = "aic-profiling-program-0-inf-{0}-QAicGraph_slice{1:02d}-aiccyclecounts_QAicGraph_slice{1:02d}_.bin"
RESULT = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph.qaic-opstats.{}"


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def recorded(folder, *options, cores=4, samples=1, layers=2, level=70, width=64, rows=None, add=True,
             slow=()):
    """Layers of a product, an activation and a sum, compiled and run on as many cores."""
    rows = rows or 64 * cores
    weights = [make_tensor(f"w{i}", "f16", [width, width], [((k * 37 + i) % 19 - 9) / 64 for k in range(width * width)])
               for i in range(layers)]
    nodes, source = [], "x"
    for i in range(layers):
        to = "y" if i + 1 == layers else f"a{i}"
        nodes += [make_node("MatMul", [source, f"w{i}"], [f"p{i}"], name=f"/layer.{i}/mlp/MatMul"),
                  make_node("Tanh", [f"p{i}"], [f"t{i}" if add or slow else to], name=f"/layer.{i}/mlp/Tanh")]
        for before, kind in zip(("t", *slow), slow):  # what keeps all cores busy for as long as data needs to get there
            nodes.append(make_node(kind, [f"{before}{i}"], [to if kind is slow[-1] else f"{kind}{i}"], name=f"/layer.{i}/{kind}"))
        nodes += [make_node("Add", [f"t{i}", f"p{i}"], [to], name=f"/layer.{i}/Add")] if add else []
        source = to
    graph = make_graph(nodes, [make_value("x", "f16", [rows, width])], [make_value("y", "f16", [rows, width])], weights)
    write(folder / "model.onnx", make_model(graph))
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=b", f"-stats-level={level}", f"-aic-num-cores={cores}",
         *options, cwd=folder)
    equal(opscope("info", folder / "b/programqpc.bin", "--json").json()[0]["networks"][0]["cores"], cores, "cores in use")
    (folder / "s").mkdir(exist_ok=True)
    tool("qaic-runner", "-t", "b", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s",
         f"--aic-profiling-num-samples={samples}", "-n", str(samples), cwd=folder)


def traced(folder, out, *options, source="s", code=0):
    said = tool("qaic-opstats", "-q", "b", "-i", source, "-o", out, "--trace", *options, cwd=folder, code=code)
    return said, {path.name: json.loads(path.read_text())["traceEvents"] for path in sorted((folder / out).iterdir())}


def events(folder, out, *options):
    _, found = traced(folder, out, *options)
    return found[RESULT.format(0, "trace.json")]


def names(found, what="thread_name"):
    return {(event["pid"], event["tid"]): event["args"]["name"] for event in found if event["name"] == what}


def without(found, drop):
    return sorted(json.dumps(event, sort_keys=True) for event in found if not drop(event))


def segment(path, wanted):
    data = path.read_bytes()
    *_, base, count, at = struct.unpack_from("<IBBHQQQQ", data)
    for i in range(count):
        length, _, name, start = struct.unpack_from("<QQQQ", data, at - base + 32 * i)
        if data[name - base:data.index(b"\0", name - base)].decode() == wanted:
            return data[start - base:start - base + length]
    return None


def test_sixteen_cores_in_perfetto(folder):
    """Flows are the dependencies of the program, of their two kinds, and nothing is lost."""
    recorded(folder, cores=16, layers=1, rows=1024, add=False, slow=("Softmax", "Erf", "LogSoftmax"))
    found = events(folder, "out", "--flow-events", "full")
    path = folder / "out" / RESULT.format(0, "trace.json")
    write(folder / "x.opx", segment(folder / "b/programqpc.bin", "opscope.opx"))
    tasks = opscope("program", folder / "x.opx", "--json").json()["tasks"]
    shown = {int(event["args"]["oc"]) for event in found if "opKind" in event.get("args", {})}
    wanted = [one for number, task in enumerate(tasks) for one in task["dependencies"]
              if number in shown and one["task"] in shown]
    starts = [event for event in found if event["ph"] == "s"]
    equal(len(starts), len(wanted), "flows")
    equal(sum(event["cat"] == "true" for event in starts), sum(bool(one["true"]) for one in wanted), "true ones")
    pairs = {}
    for event in found:
        if event["ph"] in "sf":
            pairs.setdefault(event["id"], []).append(int(event["args"]["oc"]))
    equal(sorted(map(tuple, pairs.values())),
          sorted((one["task"], number) for number, task in enumerate(tasks) for one in task["dependencies"]
                 if number in shown and one["task"] in shown), "from what to what")
    equal(loss_query(path), [], "what Perfetto lost")
    equal(trace_query(path, "select count(*) as n from flow")[0]["n"], len(wanted), "flows in Perfetto")
    equal(trace_query(path, "select count(*) as n from slice")[0]["n"], sum(event["ph"] == "X" for event in found),
          "slices in Perfetto")
    equal(trace_query(path, "select count(distinct upid) as n from thread join process using(upid) where pid >= 2000")
          [0]["n"], 16, "cores")


def test_each_option_changes_what_it_says(folder):
    recorded(folder, cores=4)
    plain = events(folder, "plain")
    true(not any(event["ph"] in "sf" for event in plain), "no flows")
    # Flows: the rest stays.
    full = events(folder, "full", "--flow-events", "full")
    equal(without(full, lambda event: event["ph"] in "sf"), without(plain, lambda event: False), "--flow-events full")
    equal(without(events(folder, "none", "--flow-events", "none"), lambda event: False),
          without(plain, lambda event: False), "--flow-events none")
    # Cores: all that is shown is of these, and nothing of theirs is left out.
    chosen = events(folder, "cores", "--select-cores", "2,0")
    equal(without(chosen, lambda event: False), without(plain, lambda event: event["pid"] not in (2000, 2002)),
          "--select-cores")
    both = events(folder, "both", "--select-cores", "0", "--flow-events", "full")
    true(any(event["ph"] == "s" for event in both), "flows within the core")
    equal({event["pid"] for event in both}, {2000}, "and no others")
    # Threads: the same operations at the same times, on more threads.
    apart = events(folder, "apart", "--merge-thread-groups", "false")
    place = ("tid", "pid")
    timed = [sorted(json.dumps({k: v for k, v in event.items() if k not in place}, sort_keys=True) for event in one
                    if event["ph"] == "X") for one in (plain, apart)]
    equal(timed[0], timed[1], "--merge-thread-groups false")
    true({f"QAicGraph_Core_0_HVX_t{i}" for i in range(4)} <= set(names(apart).values()), "t0 to t3")
    true("QAicGraph_Core_0_HVX" in names(plain).values(), "one track of all")
    # Barriers: threads of their own.
    barriers = events(folder, "barriers", "--show-barrier-events")
    equal(without(barriers, lambda event: event["name"].startswith("barrier ") or
                  event.get("args", {}).get("name", "").endswith("_Barrier")),
          without(plain, lambda event: False), "--show-barrier-events")
    true("QAicGraph_Core_3_HMX_Barrier" in names(barriers).values(), "threads of barriers")


def test_waits(folder):
    """A wait has no length, says how long it was, and ends where its operation starts."""
    recorded(folder, cores=2)
    found = events(folder, "out", "--merge-thread-groups", "false")
    starts = {(event["pid"], event["args"]["oc"]): event["ts"] for event in found if "opKind" in event.get("args", {})}
    waits = [event for event in found if event["name"].startswith("sync ")]
    true(len(waits) > 0, "there are waits")
    for event in waits:
        equal(event["dur"], 0, "duration")
        end = event["ts"] + float(event["args"]["opSyncDurUs"])
        true(abs(end - starts[event["pid"], event["args"]["oc"]]) < 0.002, f"ends at its operation: {event}")


def test_barriers_of_a_buffer(folder):
    """Waits after operations, which the simulated card has none of, where a buffer has them."""
    recorded(folder, cores=2)
    path = folder / "s" / BUFFER.format(0)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, len(data) - 4, 192)
    write(path, bytes(data))
    found = events(folder, "out", "--show-barrier-events")
    own = [event for event in found if event["name"].startswith("barrier ")]
    equal([event["dur"] for event in own], [10.0], "192 ticks are 10 us")
    true(names(found)[own[0]["pid"], own[0]["tid"]].endswith("_Barrier"), "on a thread of its own")


def host_trace(folder, inferences, other=None):
    """As the runner's: the host's spans, and the device's that stand in it already."""
    found = [{"ph": "M", "pid": 18, "tid": 0, "name": "process_name", "args": {"name": "HOST_PROC"}}]
    for i in inferences:
        at = 1000.0 + 500 * i
        found.append({"ph": "X", "pid": 18, "tid": 0, "ts": at, "dur": 400.0, "name": f"Inference-{i}"})
        for phase, ts in (("b", at + 50), ("e", at + 300)):
            found.append({"ph": phase, "pid": 18, "tid": 0, "cat": "host", "id": f"0-{i}", "ts": ts,
                          "name": "execToComplete", "args": {"inference": i}})
    found.append({"ph": "X", "pid": 2000, "tid": 1, "ts": 5.0, "dur": 1.0, "name": "aicadd"})
    return write(folder / "host.json", json.dumps({"traceEvents": found + (other or [])}, indent=1))


def test_host_trace(folder):
    recorded(folder, cores=2, samples=3)
    _, alone = traced(folder, "alone")
    _, merged = traced(folder, "merged", "--host-trace", host_trace(folder, range(3)))
    for i in range(3):
        name = RESULT.format(i, "trace.json")
        own = [event for event in merged[name] if event["pid"] == 18]
        equal(len(own), 1 + 3 * 3, "the host's events, all of them")
        first = min(event["ts"] for event in merged[name] if event["ph"] == "X" and event["pid"] != 18)
        equal(first, 1050.0 + 500 * i, "begins where the host saw it begin")
        shifted = without([{**event, "ts": round(event["ts"] + first, 3)} if "ts" in event else event
                           for event in alone[name]], lambda event: False)
        equal(without([{**event, "ts": round(event["ts"], 3)} if "ts" in event else event
                       for event in merged[name] if event["pid"] != 18], lambda event: False), shifted,
              "and is as it was otherwise")
        equal(loss_query(folder / "merged" / name), [], "what Perfetto lost")
    said, _ = traced(folder, "unnamed", "--host-trace", host_trace(folder, [0, 1]), code=3)
    contains(said.err, "does not name inference 2", "an inference that the host did not see")
    write(folder / "no.json", "{}")
    contains(tool("qaic-opstats", "-q", "b", "-i", "s", "--trace", "--host-trace", "no.json", cwd=folder, code=1).err,
             "is no trace", "no trace")


def on_devices(folder, devices=2, samples=1):
    """A program on all cores of several devices, and what its run writes."""
    write(folder / "mdp.json", json.dumps({"partitions": [
        {"name": "P", "devices": [{"deviceId": i, "numCores": 2} for i in range(devices)]}]}))
    weights = [make_tensor("w", "f16", [64, 64], [((k * 37) % 19 - 9) / 64 for k in range(64 * 64)])]
    graph = make_graph([make_node("MatMul", ["x", "w"], ["p"], name="/l/MatMul"), make_node("Tanh", ["p"], ["t"], name="/l/Tanh"),
                        make_node("Softmax", ["t"], ["y"], name="/l/Softmax")],
                       [make_value("x", "f16", [2048, 64])], [make_value("y", "f16", [2048, 64])], weights)
    write(folder / "model.onnx", make_model(graph))
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=b", "-stats-level=70", "-ddr-stats",
         "-mdp-load-partition-config=mdp.json", cwd=folder)
    (folder / "s").mkdir(exist_ok=True)
    return tool("qaic-runner", "-t", "b", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s",
                f"--aic-profiling-num-samples={samples}", "-n", str(samples), cwd=folder)


def test_several_devices(folder):
    """A buffer of each device, by the names of SDK 1.21; a trace of all, also of what goes from one to the other."""
    said = on_devices(folder)
    equal(sorted(path.name for path in (folder / "s").iterdir()), [SLICE.format(0, i) for i in range(2)], "buffers")
    for i in range(2):
        contains(said.out, f"Writing file:s/{SLICE.format(0, i)}", "said")
    stem = "aic-profiling-program-0-inf-0-QAicGraph"
    tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "sums", "--summary", cwd=folder)
    equal(sorted(path.name for path in (folder / "sums").iterdir()),
          [f"{stem}_slice{i:02d}.qaic-opstats.summary.txt" for i in range(2)], "a summary of each")
    text = (folder / "sums" / f"{stem}_slice01.qaic-opstats.summary.txt").read_text()
    true(text.startswith("Specialization: QAicGraph_slice01\n\n\n"), "its name")
    equal(re.findall(r"^c(\d+) total:", text, re.M), ["0", "1"], "cores of a device are its own")
    _, merged = traced(folder, "merged", "--flow-events", "full")
    equal(list(merged), [f"{stem}-merged.qaic-opstats.trace.json"], "one trace of all")
    _, each = traced(folder, "each", "--merge-mq-traces", "false", "--flow-events", "full")
    equal(list(each), [f"{stem}_slice{i:02d}.qaic-opstats.trace.json" for i in range(2)], "or one of each")
    flows = lambda event: event["ph"] in "sf"
    found = next(iter(merged.values()))
    equal(without(found, flows), without([event for one in each.values() for event in one], flows), "of the same events")
    true("QAicGraph_slice01_Core_1_HMX" in names(found).values(), "names")
    path = folder / "merged" / f"{stem}-merged.qaic-opstats.trace.json"
    equal(loss_query(path), [], "what Perfetto lost")
    wanted = sum(len(task["dependencies"]) for task in program_of(folder)["tasks"])
    equal(trace_query(path, "select count(*) as n from flow")[0]["n"], wanted, "every dependency is a flow")
    own = sum(event["ph"] == "s" for one in each.values() for event in one)
    true(own < wanted, "those between devices are in the merged one alone")
    _, one = traced(folder, "one", "--select-devices", "1", "--flow-events", "full")
    equal(list(one.values()), [each[f"{stem}_slice01.qaic-opstats.trace.json"]], "--select-devices")
    for list_ in ("2", "0,x", ""):
        contains(tool("qaic-opstats", "-q", "b", "-i", "s", "--trace", "-d", list_, cwd=folder, code=2).err,
                 "devices 0 to 1", f"--select-devices {list_}")
    contains(tool("qaic-opstats", "-q", "b", "-i", "s", "--trace", "-c", "2", cwd=folder, code=2).err, "cores 0 to 1",
             "cores of each device")


def program_of(folder):
    write(folder / "b.opx", segments(folder / "b/programqpc.bin")["opscope.opx"])
    return opscope("program", folder / "b.opx", "--json").json()


def test_report_of_several_devices(folder):
    """Rows of the cores of each device, nodes of all, traffic as the buffers have it."""
    on_devices(folder, samples=2)
    page = report(folder, "--json").json()
    equal((page["buffers"], page["devices"]), (4, 2), "buffers")
    equal([(row["device"], row["core"]) for row in page["cores"]], [(0, 0), (0, 1), (1, 0), (1, 1)], "cores")
    equal({row["node"] for row in page["nodes"]}, {"/l/MatMul", "/l/Tanh", "/l/Softmax"}, "nodes")
    read = 0
    for device in range(2):
        data = (folder / "s" / SLICE.format(0, device)).read_bytes()
        equal(struct.unpack_from("<I", data, 36)[0], device + 1, "the header says which")
        for i in range(struct.unpack_from("<I", data, 12)[0]):
            name, size, _, offset, count = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
            if name.rstrip(b"\0") == b"ddr":
                read += sum(struct.unpack_from("<Q", data, offset + size * k)[0] for k in range(count))
    equal({row["figure"]: row["bytes"] for row in page["memory"]}["read from DDR"], read, "of one inference")
    said = opscope("info", folder / "s" / SLICE.format(0, 1), "--qpc", folder / "b").out
    contains(said, "QAicGraph_slice01 inference 0", "the record")
    # What the runner makes of it by itself: a file of each device, a trace of both.
    out = tool("qaic-runner", "-t", "b", "-n", "1", "-D", "0:1", "--aic-profiling-type=stats", "--aic-profiling-type=trace",
               cwd=folder).out
    for name in ("inf-0-QAicGraph_slice00.txt", "inf-0-QAicGraph_slice01.txt", "trace.json"):
        contains(out, f"Writing file:./aic-profiling-program-0-{name}", "files")
    found = json.loads((folder / "aic-profiling-program-0-trace.json").read_text())["traceEvents"]
    true({"QAicGraph_slice00_Core_0_HVX", "QAicGraph_slice01_Core_1_HVX"} <= set(names(found).values()), "threads of both")
    contains(tool("qaic-runner", "-t", "b", "-n", "1", "-D", "3", cwd=folder, code=1).err, "is for 2 devices", "too few")


def test_missing_samples(folder):
    """The rest is processed, and what to do is said."""
    recorded(folder, cores=2, samples=6)
    words = ("-q", "b", "-i", "s", "-o", "out", "--summary")
    equal(tool("qaic-opstats", *words, cwd=folder).err, "", "all are there")
    (folder / "s" / BUFFER.format(3)).unlink()
    said = tool("qaic-opstats", *words, cwd=folder, code=3)
    contains(said.err, "of inference 3, is missing", "which")
    contains(said.err, "run qaic-runner again", "what to do")
    equal(said.out.count("summary.txt"), 5, "the others")
    # Every second inference is sampled: nothing is missing.
    for i in (1, 5):
        (folder / "s" / BUFFER.format(i)).unlink()
    equal(tool("qaic-opstats", *words, cwd=folder).err, "", "0, 2 and 4")
    # A second run into the same folder starts anew.
    shutil.copy(folder / "s" / BUFFER.format(0), folder / "s" / BUFFER.format(100))
    equal(tool("qaic-opstats", *words, cwd=folder).err, "", "and 100")
    shutil.rmtree(folder / "s")
    on_devices(folder, samples=2)
    (folder / "s" / SLICE.format(1, 1)).unlink()
    said = tool("qaic-opstats", *words, cwd=folder, code=3).err
    contains(said, "inference 1: device 1 has no buffer", "a device")


def test_order_of_buffers(folder):
    """By number: 10 after 2."""
    recorded(folder, cores=2, samples=12)
    out = tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "out", "--summary", "-v", cwd=folder)
    equal([int(number) for number in re.findall(r"-inf-(\d+)-QAicGraph\.qaic", out.out)], list(range(12)), "order")
    contains(out.err, "operations", "--verbose")


def test_any_number_of_threads(folder):
    """Several buffers are processed at a time; what is said and written is that of one after the other."""
    recorded(folder, samples=12)
    cut = folder / "s" / BUFFER.format(4)
    cut.write_bytes(cut.read_bytes()[:-100])
    (folder / "s" / BUFFER.format(6)).write_bytes(b"of a card")
    (folder / "s" / BUFFER.format(9)).unlink()

    def outcome(threads):
        said = tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "out", "--summary", "--trace", "--report", "--json", "-v",
                    cwd=folder, code=3, env={"OPSCOPE_THREADS": str(threads)})
        files = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
        shutil.rmtree(folder / "out")
        return said.out, said.err, files
    first = outcome(1)
    equal(len(first[2]), 2 * 10, "summaries and traces of what can be processed")
    for wanted in ("inf-4", "is cut off", "inf-6", "no buffer of opscope's", "of inference 9, is missing"):
        contains(first[1], wanted, wanted)
    for threads in (2, 5, 16):
        true(outcome(threads) == first, f"the same with {threads} threads")


def report(folder, *options):
    return tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "out", "--report", *options, cwd=folder)


def test_report(folder):
    recorded(folder, "-ddr-stats", cores=4, samples=2)
    text = report(folder).out
    for words in ("modelled by the simulated card", "bound", "/layer.0/mlp", "stays in VTCM", "read from DDR", "weights"):
        contains(text, words, "page")
    true(len(text.splitlines()) < 60, "one page")
    page = report(folder, "--json").json()
    data = (folder / "s" / BUFFER.format(0)).read_bytes()
    sections = {}
    for i in range(struct.unpack_from("<I", data, 12)[0]):
        name, size, _, offset, count = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
        sections[name.rstrip(b"\0").decode()] = (size, offset, count)
    size, offset, count = sections["operations"]
    items = [struct.unpack_from("<IHHIIQQQII", data, offset + size * k) for k in range(count)]
    tasks = len(program_of(folder)["tasks"])
    raised = sum(item[6] - item[5] for item in items if item[4] >= tasks)
    ticks = sum(item[6] - item[5] for item in items) - raised
    work = sum(row["work_ns"] for row in page["bounds"] if row["bound"] != "sync")
    true(abs(work - ticks * 1e9 / 19.2e6) <= 5, f"all work: {work}")
    sync = next(row for row in page["bounds"] if row["bound"] == "sync")
    true(abs(sync["work_ns"] - (raised + sum(item[8] for item in items)) * 1e9 / 19.2e6) <= 1,
         "all waits, and what raises semaphores")
    for rows in ("blocks", "nodes"):
        true(abs(sum(row["work_ns"] for row in page[rows]) - work) <= len(page[rows]) + 5, rows)
    spans = {}
    for event in events(folder, "spans"):
        name = event.get("args", {}).get("opName", "").rpartition("/__")[0]
        if name:
            first, last = spans.get(name, (event["ts"], 0))
            spans[name] = (min(first, event["ts"]), max(last, event["ts"] + event["dur"]))
    for row in page["nodes"]:
        true(abs(row["span_ns"] - 1000 * (spans[row["node"]][1] - spans[row["node"]][0])) <= 60, f"from first to last: {row}")
    for row in page["blocks"]:
        own = [span for name, span in spans.items() if name.rpartition("/")[0] == row["block"]]
        true(abs(row["span_ns"] - 1000 * (max(end for _, end in own) - min(start for start, _ in own))) <= 60, f"block {row}")
    equal({row["block"] for row in page["blocks"]},
          {row["node"].rpartition("/")[0] for row in page["nodes"]}, "blocks are those of nodes")
    found = opscope("operators", folder / "s" / BUFFER.format(0), "--qpc", folder / "b", "--json").json()
    equal({row["name"]: row["bound"] for row in found["operators"] if row["name"] != "(no operator)"},
          {row["node"]: row["bound"] for row in page["nodes"]}, "bounds, by both commands")
    size, offset, count = sections["ddr"]
    traffic = [struct.unpack_from("<QQ", data, offset + size * k) for k in range(count)]
    memory = {row["figure"]: row for row in page["memory"]}
    equal(memory["read from DDR"]["bytes"], sum(one[0] for one in traffic), "read")
    equal(memory["written to DDR"]["bytes"], sum(one[1] for one in traffic), "written")
    equal(memory["weights"]["bytes"], 2 * 64 * 64 * 2, "weights")
    equal(memory["read from DDR"]["ratio"], memory["read from DDR"]["bytes"] / memory["weights"]["bytes"], "ratio")
    true(0 < memory["most of a core's VTCM"]["ratio"] <= 1, "VTCM")
    equal([row["core"] for row in page["cores"]], [0, 1, 2, 3], "cores")


def test_stragglers(folder):
    """A core whose operations take far longer than those of the others."""
    recorded(folder, cores=4)
    path = folder / "s" / BUFFER.format(0)
    data = bytearray(path.read_bytes())
    for i in range(struct.unpack_from("<I", data, 12)[0]):
        name, size, _, offset, count = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
        if name.rstrip(b"\0") != b"operations":
            continue
        for k in range(count):
            core, *_ = struct.unpack_from("<I", data, offset + size * k)
            if core == 3:
                start, end = struct.unpack_from("<QQ", data, offset + size * k + 16)
                struct.pack_into("<Q", data, offset + size * k + 24, start + 20 * (end - start))
    write(path, bytes(data))
    page = report(folder, "--json").json()
    equal([row["core"] for row in page["cores"] if row["straggler"]], [3], "straggler")
    contains(opscope("overview", path, "--qpc", folder / "b").out, "Straggler: core 3", "overview")


def test_wrong_use(folder):
    recorded(folder, cores=2)
    base = ("-q", "b", "-i", "s")
    for words, message in (((*base, "--summary", "--json"), "--report"), ((*base, "--report", "--columns", "x"), "x"),
                           ((*base, "--summary", "--host-trace", "h.json"), "--trace"),
                           ((*base, "--trace", "--flow-events", "some"), "none or full"),
                           ((*base, "--trace", "--merge-mq-traces", "maybe"), "true or false"),
                           ((*base, "--trace", "--merge-thread-groups", "1"), "true or false"),
                           ((*base, "--trace", "--select-cores", "0,2"), "cores 0 to 1"),
                           ((*base, "--trace", "-d", "1"), "device 0"), (base, "--summary")):
        contains(tool("qaic-opstats", *words, cwd=folder, code=2).err, message, str(words))
    contains(tool("qaic-opstats", *base, "--trace", "--host-trace", "h.json", cwd=folder, code=1).err, "h.json", "host")


if __name__ == "__main__":
    main()
