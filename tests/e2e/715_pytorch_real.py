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


main()
