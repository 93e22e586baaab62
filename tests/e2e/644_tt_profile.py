#!/usr/bin/env python3
"""`tt_profile`, as tt-torch's tool is called: where the report goes, what is in it, and how it ends."""

import csv

from support import *

PROGRAM = ROOT / "tests/tools/tracy_program.py"
HEADER = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,"


def tt_profile(*arguments, folder, code=0, env=None):
    return run(program("tt_profile"), *arguments, cwd=folder, code=code, env={**os.environ, **(env or {})})


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def network(folder):
    path = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", "torq-sl2610", "-o", path)
    return f"{program('opscope')} run {path}"


def test_a_program_with_tracy(folder):
    command = f"{sys.executable} {PROGRAM} zones=2 ops=3 exit=6"
    result = tt_profile(command, folder=folder, code=6)
    found = rows(folder / "results/perf/device_ops_perf_trace.csv")
    equal([(row["OP CODE"], row["GLOBAL CALL COUNT"]) for row in found],
          [("Matmul", str(1024 * at)) for at in (1, 2, 3)], result.err)
    equal({row["HOST DURATION [ns]"] for row in found}, {"400"}, "durations")
    contains(result.err, "Wrote report to results/perf/device_ops_perf_trace.csv (3 rows)", "message")


def test_several_programs_with_tracy_have_a_report_each(folder):
    (folder / "results/perf").mkdir(parents=True)
    (folder / "results/perf/device_ops_perf_trace_4.csv").write_text("of somebody else")
    command = " & ".join(f"{sys.executable} {PROGRAM} zones=2 ops={ops}" for ops in (3, 5, 0, 4)) + " & wait"
    result = tt_profile(command, folder=folder, code=0)
    found = [rows(path) for path in sorted((folder / "results/perf").glob("device_ops_perf_trace*.csv"))]
    equal(sorted(map(len, found)), [0, 3, 4, 5], result.err)
    for report in found:
        equal([row["GLOBAL CALL COUNT"] for row in report], [str(1024 * (at + 1)) for at in range(len(report))], "calls")
    contains(result.err, "Wrote report to results/perf/device_ops_perf_trace_3.csv (", "message")
    equal((folder / "results/perf/device_ops_perf_trace_4.csv").read_text(), "of somebody else", "a file of others")
    equal(list((folder / "results/perf").glob(".opscope*")), [], "folders that are left")


def test_what_is_lost_is_named_by_its_program(folder):
    result = tt_profile(f"{sys.executable} {PROGRAM} zones=20 ops=3 open=1", folder=folder)
    matches(result.err, r"lost: python[\w.]* \d+: zones or messages are lost, the first: .*'open', from .* never ends",
            "loss")
    true(".opscope-capture-" not in result.err, "no paths that are gone")


def test_a_program_without_operations_has_no_report(folder):
    """Its status all the same, and what it did is kept."""
    for options, code in (("exit=5", 5), ("die=1", 128 + 9), ("", 1)):
        result = tt_profile(f"{sys.executable} {PROGRAM} zones=20 {options}", folder=folder, code=code)
        contains(result.err, "there is nothing to report", options)
        contains(result.err, "what was captured is kept in ", options)
        contains(result.err, "Tracy's viewer opens it", options)
        true(not (folder / "results/perf/device_ops_perf_trace.csv").exists(), "an empty report")


def test_nobody_listens_to_the_messages(folder):
    """The report is written all the same, and nothing is left behind."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([program("tt_profile"), f"{sys.executable} {PROGRAM} zones=2 ops=3 exit=6"], cwd=folder,
                          stderr=writing, stdout=subprocess.DEVNULL, timeout=PATIENCE, check=False)
    os.close(writing)
    equal(done.returncode, 6, "status")
    equal(len(rows(folder / "results/perf/device_ops_perf_trace.csv")), 3, "rows")
    equal(list((folder / "results/perf").glob(".opscope*")), [], "folders that are left")


def test_a_trace_for_tracys_viewer(folder):
    """Where tt-metal keeps its logs; the folder gives the same report once more."""
    command = f"{sys.executable} {PROGRAM} zones=2 ops=3"
    result = tt_profile(command, folder=folder)
    logs = folder / "install/tt-metal/generated/profiler/.logs"
    contains(result.err, "tracy_profile_log_host.tracy: Tracy's viewer opens it", "message")
    opscope("tt-report", logs, "-o", folder / "again.csv", code=None)
    equal((folder / "again.csv").read_bytes(), (folder / "results/perf/device_ops_perf_trace.csv").read_bytes(),
          "report of the trace")
    for name, below in (("TT_METAL_HOME", "home/generated/profiler/.logs"), ("TT_METAL_PROFILER_DIR", "home/.logs")):
        tt_profile(f"{sys.executable} {PROGRAM} zones=2 ops=1", folder=folder, env={name: str(folder / "home")})
        about = opscope("info", folder / "home" / below.removeprefix("home/") / "tracy_profile_log_host.tracy").out
        contains(about, "Main thread", name)


def test_a_trace_that_cannot_be_written_is_said(folder):
    (folder / "install").write_text("a file in the way")
    result = tt_profile(f"{sys.executable} {PROGRAM} zones=2 ops=1", folder=folder)
    contains(result.err, "tt_profile: no trace for Tracy's viewer: ", "message")
    true((folder / "results/perf/device_ops_perf_trace.csv").exists(), "the report is there")


def test_a_program_of_our_own_runtime(folder):
    tt_profile(network(folder) + " >/dev/null", folder=folder, code=0)
    found = rows(folder / "results/perf/device_ops_perf_trace.csv")
    true(found and all(row["OP CODE"] for row in found), f"operations: {found}")
    about = opscope("info", folder / "install/tt-metal/generated/profiler/.logs/tracy_profile_log_host.tracy").out
    contains(about, "DMA IN", "a lane of the device, in the trace")
    matches(about, r"from 0 to \d+ ns", "times of the trace")


def test_a_simulated_run_is_said_to_be_modelled(folder):
    result = tt_profile(network(folder) + " --device sim >/dev/null", folder=folder)
    contains(result.err, "all modelled: nothing was measured)", "message")
    report = folder / "results/perf/device_ops_perf_trace.csv"
    equal({row["PROGRAM_METADATA"] for row in rows(report)}, {'{"provenance": "modelled"}'}, "cells")
    lanes = opscope("info", report, "--json").json()[0]["tracks"]
    true(all(lane["provenance"] != "measured" for lane in lanes if lane["spans"]), f"{lanes}")


EXAMPLE = "pytest -svv tests/models/mnist/test_mnist.py::test_mnist_train[single_device-full-eval]"


def run_example(folder, start):
    """In a folder that looks like the project's; the rows of the report."""
    if SANITIZED:
        raise Skip("a sanitized library cannot be loaded into Python")
    if shutil.which("python") is None or shutil.which("pytest") is None:
        raise Skip("no python or pytest of that name")
    for name in ("tt_torch", "tests", "python", "build", "pytest.ini"):
        (folder / name).symlink_to(ROOT / name)
    run("sh", "-c", f'{start} "{EXAMPLE}"', cwd=folder,
        env={**os.environ, "OPSCOPE_BIN": str(program("opscope").parent)})
    return rows(folder / "results/perf/device_ops_perf_trace.csv")


def test_the_example_of_the_document(folder):
    """As it is printed, on wormhole_b0: its operations, with what the device's processors did."""
    found = run_example(folder, "python tt_torch/tools/tt_profile.py")
    equal([row["OP CODE"] for row in found], ["Conv_Relu", "MaxPool", "Conv_Relu", "MaxPool", "Gemm", "Softmax"],
          "operations")
    for row in found:
        for column in ("CORE COUNT", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]",
                       "DEVICE KERNEL DURATION PER CORE MIN [ns]", "DEVICE KERNEL DURATION PER CORE MAX [ns]",
                       "DEVICE BRISC KERNEL DURATION [ns]", "DEVICE NCRISC KERNEL DURATION [ns]",
                       "DEVICE TRISC0 KERNEL DURATION [ns]", "DEVICE TRISC1 KERNEL DURATION [ns]",
                       "DEVICE TRISC2 KERNEL DURATION [ns]"):
            true(int(row[column]) > 0, f"{row['OP CODE']}: {column}: {row[column]!r}")
        true(int(row["CORE COUNT"]) <= 64, "cores")
        true(int(row["DEVICE KERNEL DURATION PER CORE MIN [ns]"]) <= int(row["DEVICE KERNEL DURATION PER CORE MAX [ns]"])
             <= int(row["DEVICE KERNEL DURATION [ns]"]) < int(row["DEVICE FW DURATION [ns]"]),
             f"durations of {row['OP CODE']}")
        equal(int(row["PM IDEAL [ns]"]), max(int(row["PM COMPUTE [ns]"]), int(row["PM BANDWIDTH [ns]"])), "ideal")
    equal([row["OUTPUT_0_MEMORY"] for row in found], [*["DEV_0_DRAM_INTERLEAVED"] * 4, "DEV_0_L1_HEIGHT_SHARDED",
                                                      "DEV_0_DRAM_INTERLEAVED"], "what stays on the cores")


def test_from_the_python_package(folder):
    found = run_example(folder, "PYTHONPATH=python python -m opscope.tt_profile")
    equal(len(found), 6, "operations")
    result = run(sys.executable, "-m", "opscope.tt_profile", "-h", cwd=folder,
                 env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    contains(result.out, '"test_command"', "help")


def test_where_the_report_goes(folder):
    command = f"{sys.executable} {PROGRAM} zones=2 ops=1"
    tt_profile("-o", "named.csv", command, folder=folder)
    tt_profile("-o", "./elsewhere/deep/x.csv", command, folder=folder)
    for path in ("results/perf/named.csv", "elsewhere/deep/x.csv"):
        true((folder / path).read_text().startswith(HEADER), path)
    equal(list(folder.rglob(".opscope-capture-*")), [], "folders left")


def test_a_device_log_of_this_run_is_taken_and_an_old_one_is_not(folder):
    import tenstorrent_logs
    capture = tenstorrent_logs.ordinary(1)
    made = capture.write(folder / "made")
    home = folder / "metal"
    logs = home / "generated/profiler/.logs"
    logs.mkdir(parents=True)
    shutil.copy(made / "profile_log_device.csv", logs)
    os.utime(logs / "profile_log_device.csv", (1, 1))
    environment = {"TT_METAL_HOME": str(home)}
    command = f"{sys.executable} {PROGRAM} zones=2 ops=1"
    result = tt_profile(command, folder=folder, env=environment)
    contains(result.err, "no device log was given", "an old one")
    result = tt_profile(f"touch {logs}/profile_log_device.csv; {command}", folder=folder, env=environment)
    true("no device log was given" not in result.err, "one of this run")
    # A launcher that Tracy is linked with, too, has no operations: the log is not its.
    wanted = (folder / "results/perf/device_ops_perf_trace.csv").read_text()
    launched = f"{sys.executable} {PROGRAM} zones=2 & {command}; wait"
    result = tt_profile(f"touch {logs}/profile_log_device.csv; {launched}", folder=folder, env=environment)
    contains(result.err, "programs with Tracy 2", "both are captured")
    found = rows(folder / "results/perf/device_ops_perf_trace.csv")
    equal([row["OP CODE"] for row in found], [row["OP CODE"] for row in csv.DictReader(wanted.splitlines())], "rows")
    true(not (folder / "results/perf/device_ops_perf_trace_2.csv").exists(), "one report")


def test_a_command_without_anything_to_report(folder):
    result = tt_profile("exit 3", folder=folder, code=3)
    contains(result.err, "nothing in the command records", "message")
    true(not list(folder.rglob("*.csv")), "no report is called done")
    result = tt_profile("true", folder=folder, code=1)
    contains(result.err, "tt_profile: no profiling data could be captured: there is no report", "as the vendor's")
    true(not list(folder.rglob(".opscope-capture-*")), "folders left")
    opscope("profile", "-o", folder / "x.prof", "--", "true", code=0)


def test_wrong_use(folder):
    contains(tt_profile(folder=folder, code=2).err, "in quotes", "no command")
    contains(tt_profile("pytest", "-svv", folder=folder, code=2).err, "tt_profile", "not quoted")
    contains(tt_profile("--help", folder=folder).out, "[-h] [-o OUTPUT_PATH] [-p PORT]", "help")


main()
