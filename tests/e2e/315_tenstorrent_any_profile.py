#!/usr/bin/env python3
"""The report of operations from any profile, tt-perf of whatever has one in it, and the folders of
process_ops_logs."""

import csv
import json
import sys

from support import *
from onnx_writer import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import ordinary  # pylint: disable=wrong-import-position

NETWORK = ROOT / "samples/tosa/fc.mlir"


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def run_on(target, folder, *options):
    opscope("compile", NETWORK, "--target", target, "-o", folder / "fc.opx")
    opscope("run", folder / "fc.opx", "--profile", folder / f"{target}.prof", *options)
    return folder / f"{target}.prof"


def test_our_own_runs_on_every_target(folder):
    for target in ("wormhole_b0", "torq-sl2610", "aic100"):
        profile = run_on(target, folder, "--device", "sim")
        opscope("tt-report", profile, "-o", folder / "ops.csv")
        rows = rows_of(folder / "ops.csv")
        timed = {operator["type"] for operator in
                 opscope("operators", profile, "--json").json()["operators"]} - {"(no operator)"}
        equal({row["OP CODE"] for row in rows}, timed, f"operators on {target}")
        for row in rows:
            if row["OP TYPE"] == "tt_dnn_device":
                true(int(row["DEVICE KERNEL DURATION [ns]"]) <= int(row["DEVICE FW DURATION [ns]"]),
                     "kernels lie inside")
                true(row["LOC"].startswith("loc("), "place")
        answer = opscope("tt-perf", profile, "--json").json()
        equal(answer["device_ops"], sum(row["OP TYPE"] == "tt_dnn_device" for row in rows), target)


def test_the_modelled_report_has_its_77_columns(folder):
    opscope("tt-report", run_on("wormhole_b0", folder, "--device", "sim"), "-o", folder / "ops.csv")
    row = rows_of(folder / "ops.csv")[0]
    equal(len(row), 77, "columns")
    least, most, mean = (int(row[f"DEVICE KERNEL DURATION PER CORE {name} [ns]"])
                         for name in ("MIN", "MAX", "AVG"))
    true(0 < least <= mean <= most <= int(row["DEVICE KERNEL DURATION [ns]"]), "per core")
    for processor in ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"):
        true(int(row[f"DEVICE {processor} KERNEL DURATION [ns]"]) > 0, processor)
    equal([row["INPUT_0_LAYOUT"], row["INPUT_0_MEMORY"]], ["ROW_MAJOR", "DEV_0_DRAM_INTERLEAVED"], "place of an image")
    true(int(row["PM IDEAL [ns]"]) == max(int(row["PM COMPUTE [ns]"]), int(row["PM BANDWIDTH [ns]"])), "ideal")
    for name in ("MATH FIDELITY", "NOC UTIL (%)", "METAL TRACE ID", "COMPUTE KERNEL HASH"):
        equal(row[name], "", f"{name} does not apply")
    opscope("tt-report", run_on("aic100", folder, "--device", "sim"), "-o", folder / "ops.csv")
    for name in ("INPUT_0_MEMORY", "PM IDEAL [ns]", "DEVICE COMPUTE CB WAIT FRONT [ns]"):
        equal(rows_of(folder / "ops.csv")[0][name], "", f"{name} does not apply to other machines")


def test_firmware_around_kernels(folder):
    """What the target says of its firmware, in cycles of 1 ns: before and after the kernels of each row, and
    between two of them. All cores begin within the time that the signal takes to the last one."""
    nodes = [make_node("Softmax", [source], [result], name=result, axis=axis)
             for source, result, axis in (("x", "a", 0), ("a", "b", 1), ("b", "y", 1))]
    sides = [[make_value(name, "f32", [512, 512])] for name in "xy"]
    network = write(folder / "three.onnx", make_model(make_graph(nodes, *sides), opset=13))
    for settings in ((200, 4, 700, 185), (0, 0, 0, 0), (50, 7, 1000, 30)):
        keys = dict(zip(("signal", "signal_next", "begin", "end"), settings))
        words = [word for key, number in keys.items() for word in ("--set", f"firmware.{key}={number}")]
        opscope("compile", network, "-t", "wormhole_b0", "-o", folder / "a.opx", *words)
        opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
        opscope("tt-report", folder / "a.prof", "-o", folder / "ops.csv")
        rows = [row for row in rows_of(folder / "ops.csv") if row["OP TYPE"] == "tt_dnn_device"]
        equal(len(rows), 3, "rows")
        before = None
        for row in rows:
            firmware, kernel = (int(row[f"DEVICE {name} DURATION [ns]"]) for name in ("FW", "KERNEL"))
            equal(firmware - kernel, keys["begin"] + keys["end"], f"{settings}: around the kernels")
            start, end = (int(row[f"DEVICE FW {name} CYCLE"]) for name in ("START", "END"))
            equal(end - start, firmware, f"{settings}: cycles")
            cores = int(row["CORE COUNT"])
            equal(row["DEVICE KERNEL FIRST TO LAST START [ns]"], str(keys["signal_next"] * (cores - 1)), "starts")
            for processor in ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"):
                true(0 < int(row[f"DEVICE {processor} KERNEL DURATION [ns]"]) <= kernel, processor)
            true(int(row["DEVICE NCRISC KERNEL DURATION [ns]"]) < kernel, "the reader is done before the writer")
            for name in ("OP TO OP LATENCY [ns]", "OP TO OP LATENCY BR/NRISC START [ns]"):
                equal(row[name], str(0 if before is None else start + keys["begin"] - before), name)
            before = end - keys["end"]


def test_modelled_reports_are_sound(folder):
    """Read as those of a device are: derived columns are what they say, at any clock, and nothing changes when
    they are written again."""
    nodes = [make_node("MatMul", ["x", "w"], ["a"], name="product"),
             make_node("Softmax", ["a"], ["b"], name="first", axis=1),
             make_node("Transpose", ["b"], ["y"], name="turn", perm=[1, 0])]
    sides = [[make_value(name, "f32", shape) for name, shape in side]
             for side in ((("x", [320, 128]), ("w", [128, 352])), (("y", [352, 320]),))]
    network = write(folder / "net.onnx", make_model(make_graph(nodes, *sides), opset=13))
    for target in ("wormhole_b0", "blackhole"):
        opscope("compile", network, "-t", target, "-o", folder / "a.opx")
        opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
        for version in ("v1", "v2", "v2.1"):
            opscope("tt-report", folder / "a.prof", "--format", version, "-o", folder / "ops.csv")
            said = opscope("convert", folder / "ops.csv", "-o", folder / "again.prof")
            remarks = [line for line in said.err.splitlines() if "remark" in line and "its clock is placed" not in line]
            equal(remarks, [], f"{target}, {version}")
            opscope("tt-report", folder / "again.prof", "--format", version, "-o", folder / "again.csv")
            equal((folder / "again.csv").read_text(), (folder / "ops.csv").read_text(), f"{target}, {version}")
            mhz = 1350 if target == "blackhole" else 1000
            for row in rows_of(folder / "ops.csv"):
                cycles = int(row["DEVICE FW END CYCLE"]) - int(row["DEVICE FW START CYCLE"])
                equal(row["DEVICE FW DURATION [ns]"], f"{cycles * 1000 / mhz:.0f}", f"{target}: its cycles")


def test_images_lie_in_rows_and_what_products_need_in_tiles(folder):
    """Wherever they go: nothing takes less time than what is said of it would."""
    nodes = [make_node("Conv", ["x", "w1"], ["a"], name="first", pads=[1, 1, 1, 1]),
             make_node("Sigmoid", ["a"], ["b"], name="curve"),
             make_node("Add", ["a", "b"], ["c"], name="sum"),
             make_node("Concat", ["b", "c"], ["d"], name="both", axis=1),
             make_node("GlobalAveragePool", ["d"], ["e"], name="mean"),
             make_node("Flatten", ["e"], ["f"], name="flat"),
             make_node("Gemm", ["f", "w2"], ["g"], name="classify"),
             make_node("Softmax", ["g"], ["y"], name="last", axis=1)]
    sides = [[make_value(name, "f32", shape) for name, shape in side] for side in (
        (("x", [1, 8, 13, 13]), ("w1", [24, 8, 3, 3]), ("w2", [48, 40])), (("y", [1, 40]),))]
    network = write(folder / "net.onnx", make_model(make_graph(nodes, *sides), opset=13))
    for target in ("wormhole_b0", "blackhole"):
        opscope("compile", network, "-t", target, "-o", folder / "a.opx")
        opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
        opscope("tt-report", folder / "a.prof", "--format", "v2.1", "-o", folder / "ops.csv")
        found = {}
        for row in rows_of(folder / "ops.csv"):
            for name in re.findall(r'"(\w+)"\(', row["LOC"]):
                found[name] = (row["INPUT_0_LAYOUT"], row["INPUT_0_Y_PAD[LOGICAL]"])
            true(int(row["PM IDEAL [ns]"]) <= int(row["DEVICE KERNEL DURATION [ns]"]), f"{target}: {row['LOC']}")
        for name in ("first", "curve", "sum", "both", "mean"):
            equal(found[name], ("ROW_MAJOR", "13[13]"), f"{target}: {name}")
        for name in ("classify", "last"):
            equal(found[name], ("TILE", "32[1]"), f"{target}: {name}")
        said = opscope("tt-perf", folder / "ops.csv")
        true("above peak" not in said.out and "remark" not in said.err, f"{target}: {said.err}")


def test_fused_operators_take_each_value_once(folder):
    """x sigmoid(x) reads x once: twice would be more than the peak allows."""
    nodes = [make_node("Sigmoid", ["x"], ["s"], name="s"), make_node("Mul", ["x", "s"], ["y"], name="m")]
    network = write(folder / "swish.onnx", make_model(
        make_graph(nodes, [make_value("x", "f32", [1024, 1024])], [make_value("y", "f32", [1024, 1024])]), opset=13))
    opscope("compile", network, "-t", "wormhole_b0", "-o", folder / "a.opx")
    opscope("run", folder / "a.opx", "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
    opscope("tt-report", folder / "a.prof", "-o", folder / "ops.csv")
    (row,) = rows_of(folder / "ops.csv")
    equal([row["INPUT_0_Y"], row["INPUT_0_X"], row.get("INPUT_1_X")], ["1024", "1024", None], "x")
    answer = opscope("tt-perf", folder / "ops.csv", "--json").json()
    limit = answer["operations"][0]["limit"]
    equal(limit["dram_bytes"], 2 * 4 * 1024 * 1024, "read and written")
    equal(answer["ledger"]["notes"], [], "no doubts")


def known_of(path):
    """How the lanes of a file are known, by name."""
    tracks = opscope("info", path, "--json").json()[0]["tracks"]
    return {track["name"]: track["provenance"] for track in tracks if track["spans"]}


def test_modelled_times_say_so(folder):
    """In the report, in what is read from it, and in what tt-perf says of it."""
    profile = run_on("wormhole_b0", folder, "--device", "sim")
    for version in ("v1", "v2", "v2.1"):
        said = opscope("tt-report", profile, "--format", version, "-o", folder / "ops.csv").out
        contains(said, "ops.csv, all modelled: nothing was measured", version)
        equal({row["PROGRAM_METADATA"] for row in rows_of(folder / "ops.csv")}, {'{"provenance": "modelled"}'}, version)
        equal(known_of(folder / "ops.csv")["operations"], "modelled", version)
        for path in (folder / "ops.csv", profile):
            answer = opscope("tt-perf", path, "--json").json()
            equal(answer["modelled_ops"], answer["device_ops"] + answer["host_ops"], version)
            true("Every time is modelled: nothing was measured." in answer["messages"], version)


def test_measured_and_modelled_rows_are_kept_apart(folder):
    ran = run_on("host", folder)
    opscope("merge", run_on("wormhole_b0", folder, "--device", "sim"), ran, "-o", folder / "both.prof", code=None)
    said = opscope("tt-report", folder / "both.prof", "-o", folder / "ops.csv", code=None).out
    rows = rows_of(folder / "ops.csv")
    modelled = [row for row in rows if "modelled" in row["PROGRAM_METADATA"]]
    true(0 < len(modelled) < len(rows), "some of them")
    contains(said, f"{len(modelled)} of {len(rows)} operations modelled, not measured")
    contains(opscope("tt-perf", folder / "ops.csv").out, f"the times of {len(modelled)} of {len(rows)} operations")
    lanes = opscope("info", folder / "ops.csv", "--json").json()[0]["tracks"]
    equal(sum(lane["spans"] for lane in lanes if lane["provenance"] == "modelled"), len(modelled), "lanes")
    equal(sum(lane["spans"] for lane in lanes if lane["provenance"] == "measured"), len(rows) - len(modelled), "lanes")


def test_a_run_on_this_machine(folder):
    profile = run_on("host", folder)
    said = opscope("tt-report", profile, "-o", folder / "ops.csv").out
    true(len(rows_of(folder / "ops.csv")) >= 1, "operators")
    true("modelled" not in said + (folder / "ops.csv").read_text(), "measured")


def test_reports_come_back_from_their_profiles(folder):
    for name, version in (("bh_64_clip_encoder_1.csv", "v2.1"), ("n300_ops_perf_results.csv", "v1"),
                          ("ops_perf_results_2025_09_18_11_39_20.csv", "v2")):
        path = shared(f"data/tenstorrent/{name}")
        opscope("convert", path, "-o", folder / "report.prof")
        opscope("tt-report", folder / "report.prof", "--format", version, "-o", folder / "again.csv")
        wanted, got = rows_of(path), rows_of(folder / "again.csv")
        equal(len(got), len(wanted), f"rows of {name}")
        for number, (ours, theirs) in enumerate(zip(got, wanted)):
            for column, cell in theirs.items():
                equal(ours.get(column, ""), cell, f"{name}, row {number}, {column}")


def test_merged_captures(folder):
    first = run_on("wormhole_b0", folder, "--device", "sim")
    second = run_on("torq-sl2610", folder, "--device", "sim")
    opscope("merge", first, second, "-o", folder / "both.prof", code=None)
    opscope("tt-report", folder / "both.prof", "-o", folder / "ops.csv", code=None)
    count = sum(len(opscope("operators", path, "--json").json()["operators"])
                for path in (first, second))
    equal(len(rows_of(folder / "ops.csv")), count, "rows of both")


def test_programs_side_by_side_have_gaps_of_their_own(folder):
    """Times of simulated machines all begin where their programs did."""
    def gaps(*profile):
        opscope("tt-report", *profile, "--format", "v2.1", "-o", folder / "ops.csv")
        return [(row["OP CODE"], row["DEVICE ARCH"], row["OP TO OP LATENCY [ns]"],
                 row["OP TO OP LATENCY BR/NRISC START [ns]"]) for row in rows_of(folder / "ops.csv")]

    first = run_on("wormhole_b0", folder, "--device", "sim")
    second = run_on("blackhole", folder, "--device", "sim")
    apart = gaps(first) + gaps(second)
    true(len(apart) >= 4 and len({gap for _, _, gap, _ in apart}) > 1, f"gaps among {apart}")
    opscope("merge", first, second, "-o", folder / "both.prof")
    equal(sorted(gaps(folder / "both.prof")), sorted(apart), "gaps")


def test_tt_perf_takes_folders_logs_and_profiles_alike(folder):
    ordinary(4).write(folder / "dir/.logs")
    opscope("tt-report", folder / "dir", "--format", "v2.1", "-o", folder / "ops.csv", code=None)
    opscope("convert", folder / "dir", "-o", folder / "logs.prof", code=None)

    def operations(source):
        """Where a file does not say a time the vendor's tool has a share of 0, where logs do not there is none."""
        found = opscope("tt-perf", source, "--json", code=None).json()["operations"]
        return [{**operation, "total_percent": operation["device_time_us"] and operation["total_percent"]}
                for operation in found]

    wanted = operations(folder / "ops.csv")
    for source in (folder / "dir", folder / "dir/.logs", folder / "logs.prof"):
        equal(operations(source), wanted, f"{source.name}")
    (folder / "dir/reports/2025_01_01_00_00_00").mkdir(parents=True)
    write(folder / "dir/reports/2025_01_01_00_00_00/ops_perf_results_2025_01_01_00_00_00.csv",
          "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\nOnly,tt_dnn_device,0,5\n")
    got = opscope("tt-perf", folder / "dir", "--json", "--ignore-signposts").json()["operations"]
    equal([operation["op_code"] for operation in got], ["Only"], "the newest report comes first")


def test_every_format_is_taken_as_it_is(folder):
    """Not only once it is a profile of opscope's own."""
    ours = run_on("wormhole_b0", folder, "--device", "sim")
    opscope("convert", ours, "-o", folder / "trace.pb")
    opscope("convert", ours, "--to", "chrome", "-o", folder / "trace.json")
    opscope("tt-report", ours, "-o", folder / "ops.csv")
    host = write(folder / "host.json", json.dumps(
        [{"cat": "Node", "pid": 1, "tid": 1, "dur": 5, "ts": 0, "ph": "X", "name": "a_kernel_time",
          "args": {"op_name": "Add", "node_index": "0", "provider": "CPUExecutionProvider"}}]))
    samples = (ROOT / "samples/pytorch/training.json.gz", ROOT / "samples/onnxruntime/mobilenet_v2.json.gz", host)
    for path in (folder / "trace.pb", folder / "trace.json", folder / "ops.csv", *samples):
        opscope("convert", path, "-o", folder / "same.prof", code=None)
        opscope("tt-report", folder / "same.prof", "-o", folder / "wanted.csv", code=None)
        opscope("tt-report", path, "-o", folder / "got.csv", code=None)
        equal((folder / "got.csv").read_text(), (folder / "wanted.csv").read_text(), path.name)
        wanted, got = (opscope("tt-perf", file, "--json", code=None).json() for file in (folder / "same.prof", path))
        equal([operation["op_code"] for operation in got["operations"]],
              [operation["op_code"] for operation in wanted["operations"]], path.name)
    equal(opscope("tt-perf", host, "--json").json()["host_ops"], 1, "nothing ran on a device")
    contains(opscope("tt-perf", samples[0], code=None).out, "Nothing names the architecture.", "and nothing is guessed")
    (folder / "y.json").write_text('{"a": 1}')
    for command in (("tt-report", "-o", folder / "x.csv"), ("tt-perf",)):
        contains(opscope(*command, folder / "y.json", code=1).err, "y.json: not a file that opscope knows")


def test_profiles_without_operators_are_refused(folder):
    trace = write(folder / "trace.json", '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"}]')
    opscope("convert", trace, "-o", folder / "trace.prof")
    contains(opscope("tt-report", folder / "trace.prof", "-o", folder / "x.csv", code=1).err,
             "trace.prof: its events name no operators")
    contains(opscope("tt-perf", folder / "trace.prof", code=1).err, "name no operators")


def test_folders_as_tt_metal_lays_them_out(folder):
    logs = folder / "home/generated/profiler/.logs"
    ordinary(1).write(logs)
    write(logs / "tracy_profile_log_host.tracy", "a trace")
    log = (logs / "profile_log_device.csv").read_bytes()
    tool = program("process_ops_logs")
    reports = folder / "home/generated/profiler/reports"

    def files(below):
        return sorted(path.name for path in (reports / below).iterdir() if path.is_file())

    env = {"TT_METAL_HOME": str(folder / "home"), "SOURCE_DATE_EPOCH": "1758195560"}
    beside = ["profile_log_device.csv", "tracy_profile_log_host.tracy"]
    run(tool, env=env)
    equal(files("."), ["ops_perf_results.csv"] + beside)
    run(tool, "--date", env=env)
    equal(files("2025_09_18_11_39_20"), ["ops_perf_results_2025_09_18_11_39_20.csv"] + beside)
    run(tool, "-n", "resnet", "--date", env=env)
    equal(files("resnet/2025_09_18_11_39_20"),
          ["ops_perf_results_resnet_2025_09_18_11_39_20.csv"] + beside)
    equal((reports / "2025_09_18_11_39_20/profile_log_device.csv").read_bytes(), log, "copied")
    ordinary(2).write(folder / "other/.logs")
    run(tool, env={"TT_METAL_PROFILER_DIR": str(folder / "other"), **env})
    true((folder / "other/reports/ops_perf_results.csv").exists(), "TT_METAL_PROFILER_DIR")
    ordinary(3).write(folder / "third/.logs")
    run(tool, "-o", folder / "third", env=env)
    true((folder / "third/reports/ops_perf_results.csv").exists(), "-o")
    opscope("tt-perf", folder / "home/generated/profiler", code=None)


main()
