#!/usr/bin/env python3
"""PyTorch's profiles (Kineto): operators, calls, host and device, nothing lost."""

import gzip
from decimal import Decimal

from support import *

import kineto

sys.path.append(str(ROOT / "tests/tools"))
from profile_file import Profile  # pylint: disable=wrong-import-position


def made(folder, name="trace.json", **options):
    return write(folder / name, kineto.trace(**options))


def events_of(path):
    """The events with start and end in whole ns."""
    events = json.loads(path.read_text(), parse_float=Decimal)["traceEvents"]
    for event in events:
        event["start"] = int(event["ts"] * 1000)
        event["end"] = event["start"] + int(event.get("dur", 0) * 1000)
    return events


def innermost(around, event):
    """The shortest of the operators around an event, by looking at all of them."""
    inside = [op for op in around if op is not event and op["pid"] == event["pid"]
              and op["tid"] == event["tid"] and op["start"] <= event["start"] and op["end"] >= event["end"]]
    return min(inside, key=lambda op: op["end"] - op["start"], default=None)


NAMES = {"float": "f32", "c10::Half": "f16"}


def key_of(op):
    args = op["args"]
    inputs = ", ".join("".join(f"{side}x" for side in dims) + NAMES.get(kind, kind)
                       for dims, kind in zip(args.get("Input Dims", []), args.get("Input type", [])))
    return op["name"], inputs


HOST = ("cpu_op", "cuda_runtime", "python_function", "user_annotation")
NOBODYS = "(no operator)", ""


def outside(spans):
    """How long a thread was in some span, but in no operator."""
    edges = sorted({event[side] for event in spans for side in ("start", "end")})
    return sum(end - start for start, end in zip(edges, edges[1:])
               if (inside := [event for event in spans if event["start"] <= start and event["end"] >= end])
               and all(event["cat"] != "cpu_op" for event in inside))


def totals_of(events):
    """(name, inputs) to [calls, host ns without operators inside, device ns], from the JSON alone."""
    spans = [event for event in events if event["ph"] == "X"]
    operators = [event for event in spans if event["cat"] == "cpu_op"]
    totals = {}
    for op in operators:
        row = totals.setdefault(key_of(op), [0, 0, 0])
        row[0] += 1
        row[1] += op["end"] - op["start"]
        outer = innermost(operators, op)
        if outer is not None:
            totals.setdefault(key_of(outer), [0, 0, 0])[1] -= op["end"] - op["start"]
    launches = {event["args"]["correlation"]: event for event in spans if event["cat"] == "cuda_runtime"}
    externals = {op["args"]["External id"]: op for op in operators}
    for work in spans:
        if work["cat"] not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        launch = launches.get(work["args"]["correlation"])
        op = innermost(operators, launch) if launch else externals.get(work["args"]["External id"])
        key = NOBODYS if op is None else key_of(op)
        totals.setdefault(key, [0, 0, 0])[2] += work["end"] - work["start"]
    for thread in {(event["pid"], event["tid"]) for event in spans if event["cat"] in HOST}:
        totals.setdefault(NOBODYS, [0, 0, 0])[1] += outside(
            [event for event in spans if (event["pid"], event["tid"]) == thread])
    return totals


def check_totals(path, want):
    report = opscope("operators", path, "--json").json()
    got = {(op["name"], op.get("inputs", "")): [op["calls"], op["host_ns"], op["device_ns"]]
           for op in report["operators"]}
    for key in sorted(set(want) | set(got)):
        equal(got.get(key), want.get(key), f"{path.name}: {key}")
    equal(report["device_ns"], sum(row[2] for row in want.values()), "device time of all")
    return report


def test_totals_are_those_of_the_json(folder):
    for relative in (True, False):
        path = made(folder, f"relative-{relative}.json", steps=3, relative=relative)
        want = totals_of(events_of(path))
        true(sum(row[2] for row in want.values()) > 0 and len(want) > 8, f"the trace says little: {want}")
        check_totals(path, want)
        for out in ("a.prof.zst", "a.json", "a.json.gz"):
            opscope("convert", path, "-o", folder / out)
            check_totals(folder / out, want)


def test_every_event_is_accounted_for(folder):
    path = made(folder, steps=2)
    events = events_of(path)
    account = opscope("info", path, "--json").json()[0]
    equal(account["format"], "kineto")
    counted = sum(event["ph"] in "Xi" for event in events)
    equal(account["ledger"], {**account["ledger"], "expected": counted, "recorded": counted, "lost": 0,
                              "impossible": 0}, "ledger")
    equal(account["spans"], sum(event["ph"] == "X" for event in events), "spans")
    equal(account["first_ns"], kineto.BASE + min(event["start"] for event in events
                                                 if event["ph"] != "M"), "first, since 1970")
    opscope("convert", path, "-o", folder / "a.pb")
    slices, flows = without_loss(folder / "a.pb", "select count(*) as n from slice",
                                 "select count(*) as n from flow")
    equal(slices[0]["n"], counted, "slices")
    equal(flows[0]["n"], sum(event["ph"] == "f" for event in events), "flows")


def test_old_and_new_times_are_the_same(folder):
    for relative in (True, False):
        made(folder, f"{relative}.json", relative=relative)
        opscope("convert", folder / f"{relative}.json", "-o", folder / f"{relative}.pb")
    rows = [without_loss(folder / f"{relative}.pb", "select ts, dur, name from slice order by ts, dur, name")
            for relative in (True, False)]
    equal(rows[0], rows[1], "slices")


def test_host_and_device_are_told_apart(folder):
    path = made(folder)
    tracks = {track["name"]: track for track in opscope("info", path, "--json").json()[0]["tracks"]}
    equal(tracks["thread 4000 (python)"]["engine"], "host")
    equal(tracks["thread 4077 (pt_autograd_0)"]["engine"], "host")
    for stream in ("stream 7 ", "stream 20 "):
        equal([tracks[stream][key] for key in ("engine", "role")], ["device", "device"], stream)
    true("python (GPU 0)" in tracks and "python" in tracks, f"processes among {list(tracks)}")
    text = opscope("overview", path, "--all").out
    matches(text, r"Host +\d", "overview")
    matches(text, r"Compute +\d", "overview")
    matches(text, r"Transfer In +\d", "overview")
    true("Slice" not in text and "absent" not in opscope("overview", path).out, "no rows of another machine")


def test_the_gpu_is_idle_inside_an_annotation(folder):
    """An annotation lasts from its first kernel to its last one: that is no work."""
    path = made(folder)
    kernels = sorted((event["start"], event["end"]) for event in events_of(path)
                     if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))
    busy, reached = 0, 0
    for start, end in kernels:
        busy += max(0, end - max(start, reached))
        reached = max(reached, end)
    rows = {row["name"]: row["ns"] for overview in opscope("overview", path, "--json").json()
            if "GPU" in overview["model"] for row in overview["metrics"]}
    equal(rows["OVERALL"] - rows["Idle"], busy, "busy time of the GPU")
    equal(rows["Compute"] + rows["Transfer Only"], busy, "of its parts")


def test_annotations_of_streams_that_are_texts(folder):
    """As older versions call them: one track for the annotations of each."""
    events = [{"ph": "X", "cat": kind, "name": "fwd", "pid": 0, "tid": f"stream {stream}", "ts": 5 * stream,
               "dur": 20, "args": {"correlation": stream}}
              for stream in (7, 20) for kind in ("kernel", "gpu_user_annotation")]
    report = opscope("info", write(folder / "in.json", json.dumps({"traceEvents": events})), "--json").json()
    equal({track["name"]: track["spans"] for track in report[0]["tracks"] if track["spans"]},
          {name: 1 for stream in (7, 20) for name in (f"stream {stream}", f"stream {stream} annotations")},
          "tracks")
    equal(report[0]["ledger"]["notes"], [], "notes")


def work(category, name, start, width, tid=7, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": tid, "ts": start, "dur": width, "args": args}


def device_rows(path, key):
    return {row["label"]: row["self_ns"] for row in opscope("top", path, "--by", key, "--json").json()["spans"]
            if row["where"] == "device"}


def test_waiting_streams_do_no_work(folder):
    """Waits lie on the stream's row, around and across its kernels; an arrow may end at each."""
    events = [work("kernel", "k1", 10, 10, correlation=1), work("kernel", "k2", 40, 5, correlation=2),
              {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamWaitEvent", "pid": 9, "tid": 9, "ts": 1, "dur": 2,
               "args": {"correlation": 3}},
              {"ph": "s", "id": 3, "pid": 9, "tid": 9, "ts": 1, "cat": "ac2g", "name": "ac2g"},
              work("cuda_sync", "Stream Wait Event", 15, 27, correlation=3),
              {"ph": "f", "id": 3, "pid": 0, "tid": 7, "ts": 15, "cat": "ac2g", "name": "ac2g", "bp": "e"},
              work("cuda_event", "Event Record", 16, 0), work("cuda_sync", "Event Sync", 41, 9), work("xpu_sync", "Context Sync", 5, 60, tid=1)]
    path = write(folder / "sync.json", json.dumps({"traceEvents": events}))
    equal(device_rows(path, "name"), {"k1": 10_000, "k2": 5_000}, "work")
    equal(opscope("info", path, "--json").json()[0]["ledger"]["notes"], [], "nothing to say of waits that overlap")
    flows = opscope("sql", path, "SELECT a.name AS a, b.name AS b FROM flow JOIN slice a ON a.id = span_out"
                                 " JOIN slice b ON b.id = span_in", "--json").json()
    equal(flows["results"][0]["rows"], [["cudaStreamWaitEvent", "Stream Wait Event"]], "the arrow")


def test_kernels_that_overlap(folder):
    """A moment counts once in self times, for what began last; totals have all of each."""
    path = write(folder / "overlap.json", json.dumps({"traceEvents": [
        work("kernel", "a", 0, 10, correlation=1), work("kernel", "b", 8, 12, correlation=2),
        work("kernel", "c", 30, 10, correlation=3), work("kernel", "d", 32, 3, correlation=4)]}))
    rows = opscope("top", path, "--json").json()["spans"]
    equal({row["label"]: (row["self_ns"], row["total_ns"]) for row in rows},
          {"a": (8_000, 10_000), "b": (12_000, 12_000), "c": (7_000, 10_000), "d": (3_000, 3_000)}, "self and total")


def test_work_of_any_backend_has_its_role(folder):
    cases = [("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "transfer in"), ("gpu_memcpy", "CopyHostToDevice", "transfer in"),
             ("gpu_memcpy", "Memcpy M2D (Host -> Device)", "transfer in"), ("gpu_memcpy", "CopyDeviceToHost", "transfer out"),
             ("gpu_memcpy", "Memcpy D2M (Device -> Host)", "transfer out"), ("GCU_MEMCPY", "Memcpy ? (? -> ?)", "transfer"),
             ("gpu_memcpy", "Memcpy PtoP (Device -> Device)", "communication"), ("gpu_memset", "Memset (Device)", "transfer"),
             ("kernel", "gemm", "compute"), ("kernel", "ncclDevKernel_AllReduce", "communication"),
             ("kernel", "oneccl_allreduce", "communication"), ("mtia_ccp_events", "fc", "compute")]
    events = [work(category, name, 10 * i, 10, correlation=i + 1) for i, (category, name, _) in enumerate(cases)]
    events.append(work("kernel", "reduce", 500, 10, **{"Collective name": "allreduce"}))
    path = write(folder / "roles.json", json.dumps({"traceEvents": events}))
    got = opscope("sql", path, "SELECT name, role FROM slice JOIN span USING(id)", "--json").json()
    equal(dict(got["results"][0]["rows"]),
          {**{name: role for _, name, role in cases}, "reduce": "communication"}, "roles")


def test_ranks_in_one_file_number_alike(folder):
    events = []
    for rank, name in enumerate(("aten::mm", "aten::add")):
        at, host = 1000 * rank, {"pid": 90 + rank, "tid": 90}
        events += [{**work("cpu_op", name, at, 10, **{"External id": 3}), **host},
                   {**work("cuda_runtime", "cudaLaunchKernel", at + 2, 2, correlation=5), **host},
                   {**work("kernel", "k", at + 20, 10 + rank, correlation=5, device=rank), "pid": rank}]
    for order in (events, events[::-1]):
        rows = opscope("operators", write(folder / "ranks.json", json.dumps({"traceEvents": order})), "--json").json()
        equal({row["type"]: row["device_ns"] for row in rows["types"]}, {"aten::mm": 10_000, "aten::add": 11_000}, "whose kernel")


def test_members_of_many_ranks_come_first(folder):
    """Megabytes of them, before the first event."""
    whole = json.loads(made(folder).read_text())
    ranks = [{"ranks": list(range(1000)), "name": str(group)} for group in range(500)]
    path = write(folder / "ranks.json", json.dumps({"distributedInfo": {"pg_config": ranks}, **whole}))
    true(path.read_text().index("traceEvents") > 2_000_000, "far behind")
    check_totals(path, totals_of(events_of(path)))
    packed = folder / "ranks.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    equal(opscope("info", packed, "--json").json()[0]["format"], "kineto", "packed")


def test_a_trace_without_arguments_is_one_of_pytorch(folder):
    events = [{key: value for key, value in event.items() if key != "args"} for event in
              (work("kernel", "k", 10, 10), {**work("cpu_op", "aten::mm", 1, 5, tid=9), "pid": 9})]
    path = write(folder / "bare.json", json.dumps(events))
    report = opscope("operators", path, "--json").json()
    equal([report["device_ns"], [row["type"] for row in report["types"]]], [10_000, ["aten::mm", "(no operator)"]], "operators")


def test_a_kernel_belongs_to_the_innermost_operator(folder):
    text = opscope("operators", made(folder), "--top", "0").out
    matches(text, r"^ +\S+ us +\S+ [um]s +0.00 ns +\S+ % .* aten::addmm", "operators")
    matches(text, r"^ +0.00 ns +\S+ [um]s +0.00 ns +0.0 % .* aten::linear", "operators")
    contains(text, "8x32xf16, 32x64xf16")


def test_a_trace_that_is_cut_off(folder):
    path = made(folder, steps=3)
    whole = path.read_bytes()
    write(folder / "cut.json", whole[:len(whole) // 2])
    result = opscope("operators", folder / "cut.json", "--json", code=3)
    true(len(result.json()["operators"]) > 3, "what is there is read")
    contains(result.err, "cut off")


def test_memory_has_lifetimes(folder):
    """From taking to giving back; what was taken before the trace has none, what stays lives on."""
    def memory(ts, address, size, type_, device):
        return {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
                "args": {"Addr": address, "Bytes": size, "Device Type": type_, "Device Id": device,
                         "Total Allocated": 0}}

    events = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 90,
         "args": {"External id": 1}},
        memory(20, 4096, 512, 1, 0), memory(21, 4096, 256, 1, 1), memory(22, 64, 8, 0, -1),
        memory(40, 4096, -512, 1, 0), memory(41, 777, -16, 1, 0), memory(50, 4096, 1024, 1, 0),
    ]
    path = write(folder / "trace.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
    opscope("convert", path, "-o", folder / "t.prof")
    buffers = Profile((folder / "t.prof").read_bytes()).buffers
    equal(sorted(buffers), [("CPU", 64, 8, 22000, 100000, 0, 0), ("CUDA", 4096, 256, 21000, 100000, 2, 0),
                            ("CUDA", 4096, 512, 20000, 40000, 1, 0), ("CUDA", 4096, 1024, 50000, 100000, 1, 0)],
          "buffers")
    equal(opscope("convert", folder / "t.prof", "-o", folder / "again.prof").err, "", "ledger")
    equal(Profile((folder / "again.prof").read_bytes()).buffers, buffers, "saved and read")


def test_impossible_overlaps_are_said(folder):
    path = made(folder)
    text = path.read_text().replace('"traceEvents": [', '"traceEvents": [\n  {"ph": "X", "cat": "cpu_op",'
                                    ' "name": "aten::cuts", "pid": 4000, "tid": 4000, "ts": 5001.000,'
                                    ' "dur": 6.5, "args": {"External id": 99999}},')
    result = opscope("info", write(folder / "cuts.json", text))
    contains(result.out, "cut into another")


PYTORCH = """
import json, sys, torch
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
data = torch.randn(64, 64)
with torch.autograd.profiler.profile(use_kineto=False) as profiler:
    for _ in range(3):
        net(data).sum().backward()
profiler.export_chrome_trace(sys.argv[1])
print(json.dumps({row.key: [row.count, row.cpu_time_total] for row in profiler.key_averages()}))
"""


def test_what_pytorch_itself_adds_up(folder):
    """Its profiler without Kineto, which the distributions' PyTorch has: the same totals as its table."""
    done = run("/usr/bin/python3", "-c", PYTORCH, folder / "own.json", code=None, env={"OMP_NUM_THREADS": "1"})
    if done.code != 0:
        raise Skip("no PyTorch to make a profile with: " + done.err.strip().splitlines()[-1][:80])
    want = done.json()
    report = opscope("operators", folder / "own.json", "--json").json()
    got = {op["name"]: op for op in report["operators"]}
    equal(set(got), set(want), "operators")
    for name, (calls, microseconds) in want.items():
        equal(got[name]["calls"], calls, f"calls of {name}")
        close_to(got[name]["host_total_ns"], microseconds * 1000, 1000 * calls, f"time of {name}")
    equal(report["ledger"]["expected"], sum(calls for calls, _ in want.values()), "expected")


def test_merging_two_ranks(folder):
    """Their operators stay apart, and the times are those since 1970."""
    for rank in (0, 1):
        made(folder, f"rank{rank}.json", seed=rank + 1)
    result = opscope("merge", folder / "rank0.json", folder / "rank1.json", "-o", folder / "both.prof",
                     "--json")
    equal(result.json()["shift_ns"], 0, "shift")
    second = result.json()["sources"][1]
    equal([second["placed_by"], second["offset_ns"], second["error_ns"]], ["same clock", 0, None], "rank 1")
    want = {}
    for rank in (0, 1):
        for key, row in totals_of(events_of(folder / f"rank{rank}.json")).items():
            want[key] = [a + b for a, b in zip(want.get(key, [0, 0, 0]), row)]
    got = {}
    for op in opscope("operators", folder / "both.prof", "--json").json()["operators"]:
        key = op["name"], op.get("inputs", "")
        got[key] = [a + b for a, b in zip(got.get(key, [0, 0, 0]),
                                          (op["calls"], op["host_ns"], op["device_ns"]))]
    equal(got, want, "operators of both")


main()
