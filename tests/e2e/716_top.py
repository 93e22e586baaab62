"""opscope top: kernels and spans of any profile, by what they have in common, against sums of the JSON."""
import gzip
from decimal import Decimal

from support import *

FOLDER = ROOT / "tests/testdata/pytorch"
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
KEYS = ("name", "category", "track", "engine", "role", "operator", "shape", "step", "module", "path")


def trace(case):
    return FOLDER / f"{case}.json.gz"


def spans_of(case):
    with gzip.open(trace(case)) as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    return [event for event in events if event["ph"] == "X"]


def nanoseconds(event):
    return int(event["dur"] * 1000)


def top(path, *words):
    return opscope("top", path, "--json", *words).json()


def rows_of(path, *words, where="device"):
    return {row["label"]: row for row in top(path, *words)["spans"] if row["where"] == where}


def grouped(events, key):
    groups = {}
    for event in events:
        groups.setdefault(key(event), []).append(nanoseconds(event))
    return groups


def check_rows(rows, groups, what):
    equal(set(rows), set(groups), f"{what}: groups")
    for label, durations in groups.items():
        durations.sort()
        count = len(durations)
        row = rows[label]
        equal([row[key] for key in ("count", "total_ns", "self_ns", "least_ns", "median_ns", "p90_ns", "most_ns")],
              [count, sum(durations), sum(durations), durations[0],
               (durations[(count - 1) // 2] + durations[count // 2]) // 2, durations[-(-count * 9 // 10) - 1],
               durations[-1]], f"{what}: {label}")


def test_kernels_by_name_and_category(folder):
    for case in ("inference", "training", "streams", "graphs", "graph_alone"):
        work = [event for event in spans_of(case) if event["cat"] in DEVICE]
        check_rows(rows_of(trace(case)), grouped(work, lambda event: event["name"]), case)
        check_rows(rows_of(trace(case), "--by", "category"), grouped(work, lambda event: event["cat"]), case)


def test_copies_have_their_direction_and_rate(folder):
    copies = [event for event in spans_of("inference") if event["cat"] == "gpu_memcpy"]
    rows = rows_of(trace("inference"))
    for name in {event["name"] for event in copies}:
        those = [event for event in copies if event["name"] == name]
        moved = sum(event["args"]["bytes"] for event in those)
        equal(rows[name]["bytes"], moved, f"bytes of {name}")
        close_to(rows[name]["gb_per_s"], moved / sum(map(nanoseconds, those)), 1e-9, f"rate of {name}")
    roles = rows_of(trace("inference"), "--by", "role")
    equal(set(roles), {"compute", "transfer in", "transfer out", "transfer"}, "roles")
    equal(roles["transfer in"]["total_ns"], sum(nanoseconds(event) for event in copies if "HtoD" in event["name"]),
          "to the device")


def test_every_key_shares_out_the_same_time(folder):
    for case in ("training", "graphs", "stacks"):
        whole = sum(nanoseconds(event) for event in spans_of(case) if event["cat"] in DEVICE)
        host = None
        for key in KEYS:
            report = top(trace(case), "--by", key)
            equal([report["by"], report["device_ns"]], [key, whole], f"{case} by {key}")
            for where, total in (("device", report["device_ns"]), ("host", report["host_ns"])):
                rows = [row for row in report["spans"] if row["where"] == where]
                equal(sum(row["self_ns"] for row in rows), total, f"{case} by {key}, {where}")
                close_to(sum(row["share"] for row in rows), 1, 1e-9, f"{case} by {key}, {where}: shares")
            host = report["host_ns"] if host is None else host
            equal(report["host_ns"], host, f"{case} by {key}: host")


def test_steps_modules_and_operators(folder):
    steps = rows_of(trace("training"), "--by", "step")
    equal(set(steps), {"1", "2"}, "steps")
    none = opscope("top", trace("training"), "--by", "step", "--filter", "ProfilerStep*", "--json").json()["spans"]
    equal({row["label"] for row in none if row["where"] == "host"}, {"1", "2"}, "steps themselves")
    one = top(trace("training"), "--step", "1")
    equal(one["device_ns"], steps["1"]["self_ns"], "one step")
    modules = rows_of(trace("stacks"), "--by", "module")
    true({"nn.Module: Conv2d_0", "nn.Module: BatchNorm2d_0", "nn.Module: Linear_0",
          "nn.Module: MultiheadAttention_0"} <= set(modules), f"modules: {set(modules)}")
    operators = {row["type"]: row["device_ns"] for row in
                 opscope("operators", trace("stacks"), "--json").json()["types"] if row["device_ns"]}
    equal({label: row["self_ns"] for label, row in rows_of(trace("stacks"), "--by", "operator").items()}, operators,
          "operators")
    shapes = rows_of(trace("inference"), "--by", "shape")
    true(any(label.startswith("aten::bmm (") for label in shapes), f"shapes: {list(shapes)[:5]}")


def test_a_window_and_a_filter(folder):
    path = trace("streams")
    whole = top(path)
    parts = [top(path, *words) for words in (("--to", "3ms"), ("--from", "3ms"))]
    equal(sum(part["device_ns"] for part in parts), whole["device_ns"], "both halves")
    true(all(part["host_ns"] < whole["host_ns"] for part in parts), "each is less")
    rows = rows_of(path, "--filter", "Memcpy*")
    true(rows and all(label.startswith("Memcpy") for label in rows), f"filtered: {list(rows)}")
    equal(top(path, "--filter", "no such name")["spans"], [], "none")
    matches(opscope("top", path, "--filter", "no such name", "--from", "0").out,
            r"0 spans by name: none of \d[\d ]* in [\d.]+ ms fits --filter no such name --from 0\n")
    for option, value in (("--step", "99"), ("--from", "99s")):
        contains(opscope("top", path, option, value).out, f" fits {option} {value}\n")


def test_paths_are_what_spans_lie_in(folder):
    rows = rows_of(trace("inference"), "--by", "path", where="host")
    inside = [label for label in rows if label.startswith("request;aten::linear;aten::addmm;")]
    true(inside, f"what a linear layer calls: {[label for label in rows if 'linear' in label]}")


def test_any_profile_and_wrong_use(folder):
    torq = ROOT / "tests/fuzz/corpus/torq/c1.csv"
    true(top(torq, "--by", "engine")["spans"], "Torq's")
    opscope("convert", trace("training"), "-o", folder / "a.prof")
    equal(top(folder / "a.prof")["spans"], top(trace("training"))["spans"], "stored")
    contains(opscope("top", trace("training")).out, "more: --top 0")
    contains(opscope("top", trace("training"), "--by", "colour", code=2).err, "--by colour: name, category")
    contains(opscope("top", trace("training"), "--from", "2ms", "--to", "1ms", code=2).err, "is not after")
    contains(opscope("top", trace("training"), "--step", "one", code=2).err, "no number")
    contains(opscope("top", code=2).err, "give one file")
    contains(opscope("top", folder / "none.json", code=1).err, "none.json")
    write(folder / "empty.json", "")
    contains(opscope("top", folder / "empty.json", code=1).err, "empty.json")
    csv = opscope("top", trace("training"), "--csv").out.splitlines()
    contains(csv[0], "label,where,count,self_ns,share")


def test_shapes_of_reports_with_a_value_for_each_tensor(folder):
    report = shared("data/tenstorrent/n300_ops_perf_results.csv")
    rows = rows_of(report, "--by", "shape")
    operators = opscope("operators", report, "--json").json()["operators"]
    want = {}
    for row in operators:
        label = row["name"] + (f" ({row['inputs']})" if "inputs" in row else "")
        want[label] = want.get(label, 0) + row["device_ns"]
    equal({label: row["self_ns"] for label, row in rows.items()}, want, "device time by shape")
    true(any("x" in label and "BFLOAT16" in label for label in rows), f"shapes: {list(rows)[:3]}")


main()
