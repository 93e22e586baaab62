"""Real traces of PyTorch on an H200 (tests/gen/pytorch_traces.py made them) against what its own profiler
added up."""
import gzip
from decimal import Decimal

from support import *

FOLDER = ROOT / "tests/testdata/pytorch"
CASES = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json.gz"))
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def events_of(case):
    with gzip.open(FOLDER / f"{case}.json.gz") as file:
        return json.load(file, parse_float=Decimal)["traceEvents"]


def averages_of(case):
    return {row["name"]: row for row in json.loads((FOLDER / f"{case}.averages.json").read_text())["rows"]}


def operators_of(case, *words):
    return opscope("operators", FOLDER / f"{case}.json.gz", "--json", *words).json()


def device_ns(case):
    return sum(int(event["dur"] * 1000) for event in events_of(case) if event.get("cat") in DEVICE)


def once_around_itself(events, name):
    """PyTorch leaves an operator out that is all that one of the same name calls."""
    spans = [event for event in events if event.get("cat") == "cpu_op" and event["name"] == name]
    return any(a is not b and a["tid"] == b["tid"] and a["ts"] <= b["ts"] and b["ts"] + b["dur"] <= a["ts"] + a["dur"]
               for a in spans for b in spans)


def test_every_nanosecond_of_the_device_is_in_one_row(folder):
    true(len(CASES) >= 7, f"traces: {CASES}")
    for case in CASES:
        report = operators_of(case)
        want = device_ns(case)
        equal(report["device_ns"], want, f"{case}: the whole")
        for table in ("operators", "types"):
            equal(sum(row["device_ns"] for row in report[table]), want, f"{case}: {table}")
            close_to(sum(row["share"] for row in report[table]), 1, 1e-9, f"{case}: shares of {table}")


def test_sums_are_those_of_key_averages(folder):
    """Its own quirks: of a call that runs inside a launch its totals count kernels twice, and its self
    times on the host leave out the runtime's calls."""
    for case in CASES:
        theirs, events = averages_of(case), events_of(case)
        rows = {row["type"]: row for row in operators_of(case)["types"]}
        compared = 0
        for name, row in rows.items():
            if name not in theirs or "GraphLaunch" in name:
                continue
            want = theirs[name]
            close_to(row["device_ns"], want["device_self"] * 1000, 2 * row["spans"], f"{case}: {name}: device, self")
            close_to(row["host_total_ns"], want["host"] * 1000, 2 * row["calls"], f"{case}: {name}: host")
            true(row["device_total_ns"] <= want["device"] * 1000 + 2 * row["spans"], f"{case}: {name}: device")
            if not once_around_itself(events, name):
                equal(row["calls"], want["count"], f"{case}: {name}: calls")
            compared += 1
        true(compared >= (0 if case == "graph_alone" else 4), f"{case}: {compared} compared")


def test_totals_have_what_is_called(folder):
    rows = {row["type"]: row for row in operators_of("inference")["types"]}
    theirs = averages_of("inference")
    for name in ("aten::conv2d", "aten::linear", "aten::batch_norm"):
        true(rows[name]["device_ns"] == 0 < rows[name]["device_total_ns"], f"{name} calls what works")
        close_to(rows[name]["device_total_ns"], theirs[name]["device"] * 1000, 1000, f"device time of {name}")
    backward = [row for name, row in ((row["type"], row) for row in operators_of("training")["types"])
                if name.startswith("autograd::engine::evaluate_function: ") and "AccumulateGrad" not in name]
    true(len(backward) > 5 and sum(row["device_total_ns"] > 0 for row in backward) > 5, "backward")


def union(spans):
    total, reached = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def test_the_overview_is_by_role(folder):
    """Of a GPU: computing, copies by direction, what overlaps, what is idle."""
    kinds = {"Compute": lambda event: event["cat"] == "kernel",
             "Transfer In": lambda event: "HtoD" in event["name"],
             "Transfer Out": lambda event: "DtoH" in event["name"]}
    for case in CASES:
        shown = opscope("overview", FOLDER / f"{case}.json.gz", "--json").json()
        rows = {row["name"]: row["ns"] for overview in shown if "GPU" in overview["model"] for row in overview["metrics"]}
        work = [event for event in events_of(case) if event.get("cat") in DEVICE]
        spans = {id(event): (int(event["ts"] * 1000), int(event["ts"] * 1000) + int(event["dur"] * 1000))
                 for event in work}
        for name, takes in kinds.items():
            want = union([spans[id(event)] for event in work if takes(event)])
            equal(rows.get(name, 0), want, f"{case}: {name}")
        equal(rows["OVERALL"] - rows["Idle"], union(spans.values()), f"{case}: busy")
        true(all(row["ns"] is not None for overview in shown for row in overview["metrics"]), f"{case}: all are there")


def test_kernels_of_a_graph_go_to_its_launch(folder):
    launch = operators_of("graph_alone")["operators"][0]
    equal([launch["name"], launch["calls"]], ["cudaGraphLaunch", 4], "the launches")
    equal(launch["device_ns"], device_ns("graph_alone"), "all of it")
    rows = {row["name"]: row for row in operators_of("graphs")["operators"]}
    correlations = {event["args"]["correlation"] for event in events_of("graphs") if event["name"] == "cudaGraphLaunch"}
    equal(rows["cudaGraphLaunch"]["device_ns"],
          sum(int(event["dur"] * 1000) for event in events_of("graphs")
              if event.get("cat") in DEVICE and event["args"]["correlation"] in correlations), "kernels of the graph")


def flow_pairs(events):
    """Kineto's own arrows from forward to backward: names of the operators at both ends."""
    at = {(event["tid"], event["ts"]): event["name"] for event in events if event.get("cat") == "cpu_op"}
    ends = {"s": {}, "f": {}}
    for event in events:
        if event.get("cat") == "fwdbwd":
            ends[event["ph"]][event["id"]] = at[event["tid"], event["ts"]]
    return sorted((ends["s"][number], ends["f"][number]) for number in ends["s"])


def test_backward_belongs_to_its_forward_as_arrows_say(folder):
    for case in ("training", "memory", "modules"):
        rows = opscope("sql", FOLDER / f"{case}.json.gz", "--json",
                       "select f.name as forward, o.name as backward from arg a join call c on c.id = a.call_id"
                       " join operator o on o.id = c.operator_id join call g on g.id = a.value"
                       " join operator f on f.id = g.operator_id where a.name = 'forward'").json()["results"][0]["rows"]
        prefix = "autograd::engine::evaluate_function: "
        got = sorted((forward, backward.removeprefix(prefix)) for forward, backward in rows)
        want = flow_pairs(events_of(case))
        true(len(want) > 5, f"{case}: arrows")
        equal(got, want, f"{case}: pairs")


def test_many_operators_with_the_same_number(folder):
    """What autograd keeps nothing of has the number that would come next: the last one before the backward has it."""
    events = []
    for i in range(40_000):
        back = {"Sequence number": 5, "Fwd thread id": 1, "External id": i}
        events.append({"ph": "X", "cat": "cpu_op", "name": "aten::a", "pid": 1, "tid": 1, "ts": 20 * i, "dur": 5,
                       "args": {"Sequence number": 5, "External id": i}})
        events.append({"ph": "X", "cat": "cpu_op", "name": "bw", "pid": 1, "tid": 2, "ts": 20 * i + 9, "dur": 5, "args": back})
    path = write(folder / "same.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
    rows = opscope("sql", path, "--json", "select count(*), sum(b.ts - f.ts = 9000) from arg a join span b on "
                   "b.call_id = a.call_id join span f on f.call_id = a.value where a.name = 'forward'").json()
    equal(rows["results"][0]["rows"], [[40_000, 40_000]], "pairs, and those of neighbours")


def test_the_backward_of_every_operator(folder):
    """What lies under a backward that has a forward, added up by hand, is the sum over the forwards."""
    for case in ("training", "modules"):
        events = events_of(case)
        outer = [event for event in events if event.get("cat") == "cpu_op" and event["args"].get("Fwd thread id", 0)
                 and event["name"].startswith("autograd::engine")]
        launched = {event["args"]["correlation"]: event for event in events
                    if event.get("cat") in ("cuda_runtime", "cuda_driver")}
        inside = lambda event: any(op["tid"] == event["tid"] and op["ts"] <= event["ts"]
                                   and event["ts"] + event["dur"] <= op["ts"] + op["dur"] for op in outer)
        want = sum(int(event["dur"] * 1000) for event in events if event.get("cat") in DEVICE
                   and inside(launched[event["args"]["correlation"]]))
        rows = operators_of(case)["operators"]
        true(want > 1000, case)
        equal(sum(row.get("backward_device_ns", 0) for row in rows), want, f"{case}: device")
        true(all("backward_host_ns" in row for row in rows if "backward_device_ns" in row), f"{case}: host")


def test_modules_have_their_backward(folder):
    report = opscope("top", FOLDER / "modules.json.gz", "--by", "module", "--json").json()
    device = {row["label"]: row for row in report["spans"] if row["where"] == "device"}
    equal(sum(row["self_ns"] for row in device.values()), device_ns("modules"), "the whole")
    for module in ("nn.Module: Linear_0", "nn.Module: Conv2d_0", "nn.Module: ReLU_0"):
        row = device[module]
        true(0 < row["backward_ns"] < row["self_ns"], f"{module}: forward and backward: {row}")
    rows = {row["type"]: row for row in operators_of("modules")["types"]}
    equal(device["nn.Module: Linear_0"]["backward_ns"], rows["aten::addmm"]["backward_device_ns"], "the linear one")


def gaps_by_hand(events):
    """How long the device rested before work that was not launched yet, and before work that was."""
    launched = {event["args"]["correlation"]: event["ts"] for event in events
                if event.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in event["args"]}
    work = sorted(((event["ts"], event["ts"] + event["dur"], launched.get(event["args"]["correlation"]))
                   for event in events if event.get("cat") in DEVICE), key=lambda one: (one[0], -one[1]))
    before = after = 0
    reached = work[0][1]
    for start, end, launch in work[1:]:
        if start > reached and launch is not None:
            late = min(max(launch - reached, 0), start - reached)
            before, after = before + late, after + start - reached - late
        reached = max(reached, end)
    return int(before * 1000), int(after * 1000)


def test_why_the_device_rests(folder):
    for case in ("inference", "training", "streams", "modules"):
        rows = {row["name"]: row["ns"] for process in opscope("overview", FOLDER / f"{case}.json.gz", "--json").json()
                for row in process["metrics"] if "GPU" in process["model"]}
        before, after = gaps_by_hand(events_of(case))
        close_to(rows["Idle Not Launched"], before, 200, f"{case}: not launched")
        close_to(rows["Idle Launched"], after, 200, f"{case}: launched")
        equal(rows["Idle Not Launched"] + rows["Idle Launched"], rows["Idle"], f"{case}: all of it")


def test_work_that_nobody_launched_is_idle_of_its_own(folder):
    """Without the launches of half of the kernels the parts are still the whole; without any they are absent."""
    with gzip.open(FOLDER / "training.json.gz") as file:
        trace = json.load(file)
    for left_out in (2, 1):
        work = [event for event in trace["traceEvents"] if event.get("cat") in DEVICE][::left_out]
        starts = {event["ts"] for event in work}
        changed = [dict(event, args={"External id": event["args"]["External id"]}) if event in work else event for event in trace["traceEvents"]
                   if event["ph"] != "f" or event["ts"] not in starts]
        path = write(folder / f"{left_out}.json", json.dumps({**trace, "traceEvents": changed}))
        for words, keys in (((), ("Idle", "Idle Not Launched", "Idle Launched", "Idle Launch Unknown")),
                            (("--steps",), ("idle_ns", "not_launched_ns", "launched_ns", "launch_unknown_ns"))):
            report = opscope("overview", path, *words, "--json").json()
            rows = [{row["name"]: row["ns"] for row in part["metrics"]} for part in report if "GPU" in part["model"]] \
                if not words else [row for file in report for row in file["steps"] if "GPU" in row["process"]]
            true(len(rows) == (2 if words else 1), f"rows: {rows}")
            for row in rows:
                parts = [row.get(key) for key in keys[1:]]
                if left_out == 1:
                    equal(parts, [None] * 3, f"{words}: nothing is known")
                else:
                    true(None not in parts and sum(parts) == row[keys[0]], f"{words}: {row}")
                    true(all(part > 0 for part in parts), f"{parts}")


def test_steps_and_waiting_are_no_work_of_the_host(folder):
    host = next(process for process in opscope("overview", FOLDER / "training.json.gz", "--json").json()
                if "GPU" not in process["model"])
    rows = {row["name"]: row["ns"] for row in host["metrics"]}
    waits = sum(round(event["dur"] * 1000) for event in events_of("training")
                if event["ph"] == "X" and "Synchronize" in event["name"])
    close_to(rows["Wait"], waits, 2, "synchronizing")
    true(rows["Host"] < 0.7 * rows["OVERALL"] and rows["Idle"] > 0.3 * rows["OVERALL"], f"steps are no work: {rows}")


def test_steps_of_the_overview(folder):
    report = opscope("overview", FOLDER / "training.json.gz", "--steps", "--json").json()[0]["steps"]
    device = [row for row in report if "GPU" in row["process"]]
    true(len(device) == 2 and len({row["step"] for row in device}) == 2, f"two steps: {device}")
    by_step = {row["label"]: row["self_ns"] for row in
               opscope("top", FOLDER / "training.json.gz", "--by", "step", "--json").json()["spans"] if row["where"] == "device"}
    for row in device:
        work = row["compute_ns"] + row["within_ns"]
        equal(work, by_step[str(row["step"])], f"step {row['step']}: one stream, nothing at the same time")
        equal(row["idle_ns"], row["overall_ns"] - work, f"step {row['step']}: idle")
        equal(row["not_launched_ns"] + row["launched_ns"], row["idle_ns"], f"step {row['step']}: parts of idle")
    spans = {event["name"]: round(event["dur"] * 1000) for event in events_of("training") if event.get("cat") == "user_annotation"}
    for row in (row for row in report if "GPU" not in row["process"]):
        close_to(row["overall_ns"], spans[f"ProfilerStep#{row['step']}"], 2, f"step {row['step']} lasts as long as it says")
        true(row["idle_ns"] > 0, f"what is between operators is no work: {row}")
    text = opscope("overview", FOLDER / "training.json.gz", "--steps").out
    contains(text, "not_launched", "text")
    contains(opscope("overview", FOLDER / "training.json.gz", "--steps", "--csv").out, "process,step,overall_ns", "CSV")


main()
