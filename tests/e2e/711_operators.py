#!/usr/bin/env python3
"""opscope operators: the time of each operator and of each type."""

from support import *

from onnx_writer import *
from torq_compile import *


def test_totals_are_those_of_the_rows(folder):
    """Torq's compile-time rows: id, start, end (cycles), location, operator. 800 MHz."""
    spans = random_spans(300, seed=5)
    opscope("convert", write(folder / "a.csv", compile_csv("c1", spans)), "-o", folder / "a.prof")
    want = {}
    for line in (folder / "a.csv").read_text().splitlines():
        row = re.match(r"[^,]+,(\d+),(\d+),.*,([^,]+)$", line)
        if row:
            want[row[3]] = want.get(row[3], 0) + int(row[2]) - int(row[1])
    for name in ("a.csv", "a.prof"):
        report = opscope("operators", folder / name, "--json").json()
        got = {row["type"]: (row["device_ns"] or 0) + (row["host_ns"] or 0) for row in report["types"]}
        true(len(want) > 1, f"types {want}")
        for kind, cycles in want.items():
            close_to(got[kind], cycles * 1.25, len(spans), f"time of {kind}")
        close_to(sum(op["share"] for op in report["operators"]), 1, 1e-6, "sum of the shares")


def test_what_a_network_took_on_this_machine(folder):
    model = ROOT / "tests/testdata/tosa_ops/add.mlir"
    opscope("compile", model, "--target", "host", "-o", folder / "add.opx")
    opscope("run", folder / "add.opx", "--profile", folder / "add.prof")
    report = opscope("operators", folder / "add.prof", "--json").json()
    true(any(op["type"] == "tosa.add" and op["host_ns"] > 0 and "inputs" in op
             for op in report["operators"]), f"{report['operators']}")
    text = opscope("operators", folder / "add.prof").out
    contains(text, "tosa.add")


def test_what_nobody_said_the_role_of_is_apart(folder):
    """As in top: torq's ALLOC is neither the host's work nor the device's."""
    events = [(5, "HOST_COPY_BEGIN"), (9, "HOST_COPY_END"), (10, "ALLOC_BEGIN"), (17, "ALLOC_END")]
    write(folder / "r.csv", "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
          + "".join(f"d,0,0,{at},{event}\n" for at, event in events))
    types = opscope("operators", folder / "r.csv", "--json").json()["types"]
    (row,) = types
    equal((row["host_ns"], row["unknown_ns"], row["device_ns"], row["spans"]),
          (4000, 7000, None, 2), "times of no operator")
    top = opscope("top", folder / "r.csv", "--json").json()["spans"]
    equal({group["where"]: group["self_ns"] for group in top}, {"host": 4000, "unknown": 7000}, "top")


def test_operators_without_a_name_are_not_nobodys_time(folder):
    """Tenstorrent's table of times alone knows that operations ran, and not what they are called."""
    write(folder / "tracy_ops_times.csv", "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
          "special_parent_text\nTT_DNN_DEVICE_OP,a.hpp,1,,id:1,1000,3000,1,\nother,a.hpp,2,,,9000,1000,1,\n")
    report = opscope("operators", folder / "tracy_ops_times.csv", "--json").json()
    for rows, key in ((report["types"], "type"), (report["operators"], "name")):
        equal([(row[key], row["spans"], row["host_ns"], row["share"]) for row in rows],
              [("(no name)", 1, 3000, 1), ("(no operator)", 1, 1000, None)], key)
    contains(opscope("operators", folder / "tracy_ops_times.csv").out, "1 operators of 1 types")


def test_every_span_is_in_a_row_or_told(folder):
    profile = ROOT / "samples/pytorch/training.json.gz"
    report = opscope("operators", profile, "--json").json()
    (row,) = [row for row in report["types"] if row["type"] == "(no operator)"]
    equal(row["spans"], report["spans_without_operator"], "spans of no operator")
    top = opscope("top", profile, "--json", "--top", "0").json()["spans"]
    equal(row["unknown_ns"], sum(group["self_ns"] for group in top if group["where"] == "unknown"),
          "of lanes of unknown role")
    trace = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 9,
              "args": {"External id": 1}},
             {"ph": "X", "cat": "python_function", "name": "f.py(1): g", "pid": 1, "tid": 1, "ts": 2,
              "dur": 3, "args": {}}]
    write(folder / "t.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
                                         "traceEvents": trace}))
    contains(opscope("operators", folder / "t.json").out,
             "1 spans belong to no operator, of these 1 in no row: others have their time")


def test_what_one_core_or_the_host_does_is_not_hidden(folder):
    """64 cores have hours together; what takes most of a run is what everybody waits for."""
    nodes = [make_node("Relu", ["x"], ["a"], name="first"), make_node("CumSum", ["a", "axis"], ["b"], name="sums"),
             make_node("Relu", ["b"], ["y"], name="last")]
    sides = [[make_value(name, "f32", [256, 256])] for name in "xy"]
    network = write(folder / "net.onnx", make_model(
        make_graph(nodes, *sides, [make_tensor("axis", "i64", [], [0])]), opset=14))
    opscope("compile", network, "-t", "wormhole_b0", "-o", folder / "a.opx")
    opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
    report = opscope("operators", folder / "a.prof", "--json").json()
    first, second = report["operators"][:2]
    equal(first["name"], "sums")
    true(first["share"] > 0.5 and first["device_ns"] < second["device_ns"], f"{first}, {second}")
    close_to(sum(op["share"] for op in report["operators"]), 1, 1e-6, "sum of the shares")
    path = opscope("explain", folder / "a.prof", "--json").json()
    true("sums" in str(path)[:2000], "as explain says")


def test_an_operator_on_the_host_of_a_program_is_the_first(folder):
    model = shared("data/models/unet_small/model.onnx")
    opscope("compile", model, "-t", "wormhole_b0", "-o", folder / "a.opx")
    opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
    first = opscope("operators", folder / "a.prof", "--json").json()["operators"][0]
    equal([first["type"], first["device_ns"]], ["Resize", 0])
    equal(first["time_ns"], first["host_ns"])
    true(first["share"] > 0.5, f"{first}")
    matches(opscope("operators", folder / "a.prof").out, r"time +device +host +share")


def test_a_profile_without_operators(folder):
    write(folder / "r.csv", "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
          "d,0,0,5,HOST_COPY_BEGIN\nd,0,0,9,HOST_COPY_END\n")
    result = opscope("operators", folder / "r.csv", code=None)
    contains(result.out, "operators")


def test_wrong_use(folder):
    csv = write(folder / "a.csv", compile_csv("c1", random_spans(3, seed=5)))
    contains(opscope("operators", code=2).err, "one file")
    contains(opscope("operators", csv, "--top", "x", code=2).err, "--top 'x'")
    opscope("operators", folder / "missing.csv", code=1)
    contains(opscope("operators", write(folder / "empty.csv", ""), code=1).err, "empty")


main()
