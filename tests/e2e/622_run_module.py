"""torq-run-module and iree-run-module: IREE's inputs and outputs, profiles, errors."""
import atexit
import signal
import time

from compiling import *
from support import *

ONES = "--input=1x56x56x24xi8=1"

# Scalars, floats and several ports, all computed on the host.
PORTS = """module {
  func.func @main(%a: tensor<1x4xf32>, %b: tensor<i32>, %c: tensor<2x2xi32>) -> (tensor<1x4xf32>, tensor<i32>, tensor<2x2xi32>) {
    %0 = tosa.add %a, %a : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %1 = tosa.add %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = tosa.add %c, %c : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0, %1, %2 : tensor<1x4xf32>, tensor<i32>, tensor<2x2xi32>
  }
}
"""


def module(folder, network=ADD):
    torq_compile(network, "-o", folder / "model.vmfb")
    return "--module=" + str(folder / "model.vmfb")


def ports(folder):
    return module(folder, write(folder / "ports.mlir", PORTS))


# Inputs and outputs ------------------------------------------------------------------------

def test_values_as_iree_writes_them(folder):
    out = torq_run_module(ports(folder), "--input=1x4xf32=[[1 2 3 4]]", "--input=i32=5",
                          "--input=2x2xi32=1,2,3,4").out
    equal(out, "EXEC @main\n"
               "result[0]: hal.buffer_view\n1x4xf32=[2 4 6 8]\n"
               "result[1]: hal.buffer_view\ni32=10\n"
               "result[2]: hal.buffer_view\n2x2xi32=[2 4][6 8]\n", "what is printed")


def test_files_as_inputs(folder):
    write_npy(folder / "a.npy", [1, 4], b"\0\0\x80\x3f" * 4, "<f4")
    write(folder / "c.bin", bytes([1, 0, 0, 0] * 4))
    out = torq_run_module(ports(folder), "--input=@a.npy", "--input=i32=-5", "--input=2x2xi32=@c.bin",
                          cwd=folder).out
    contains(out, "1x4xf32=[2 2 2 2]\n", "npy")
    contains(out, "i32=-10\n", "scalar")
    contains(out, "2x2xi32=[2 2][2 2]\n", "bin")


def test_outputs(folder):
    given = (ports(folder), "--input=1x4xf32=1", "--input=i32=5", "--input=2x2xi32=7")
    out = torq_run_module(*given, "--output=@x.npy", "--output=", "--output=-", cwd=folder).out
    equal(out, "EXEC @main\nresult[2]: hal.buffer_view\n2x2xi32=[14 14][14 14]\n", "the third")
    once = (folder / "x.npy").read_bytes()
    torq_run_module(*given, "--output=+x.npy", "--output=@y.bin", "--output=+x.npy", cwd=folder)
    content = (folder / "x.npy").read_bytes()
    equal(content[:2 * len(once)], once * 2, "behind what was there")
    equal(content[2 * len(once):].count(b"NUMPY"), 1, "the third output behind that")
    equal((folder / "y.bin").read_bytes(), (10).to_bytes(4, "little"), "elements alone")
    out = torq_run_module(*given, "--output_max_element_count=2").out
    contains(out, "1x4xf32=[2 2 ...]\n", "cut")


def test_expected_outputs(folder):
    given = (ports(folder), "--input=1x4xf32=1", "--input=i32=5", "--input=2x2xi32=7")
    expected = ("--expected_output=1x4xf32=2", "--expected_output=(ignored)")
    out = torq_run_module(*given, *expected, "--expected_output=2x2xi32=14").out
    equal(out, "EXEC @main\n[SUCCESS] all function outputs matched their expected values.\n", "same")
    out = torq_run_module(*given, *expected, "--expected_output=2x2xi32=[14 14 14 15]", code=1).out
    matches(out, r"^\[FAILED\] result\[2\]: .*14 instead of 15", "other")
    contains(torq_run_module(*given, *expected, code=2).err, "has 3 outputs", "too few")


def test_the_same_as_infer(folder):
    data = bytes(range(256)) * (56 * 56 * 24 // 256)
    write_npy(folder / "in.npy", [1, 56, 56, 24], data)
    opscope("infer", ADD, "--input=@in.npy", "--output=want.npy", cwd=folder)
    for options in ((), ("--threads=1",), ("--torq_profile=r.csv",), ("--iterations=3",)):
        run(program("iree-run-module"), "--device=torq", module(folder), "--function=main",
            "--input=@in.npy", "--output=@got.npy", *options, cwd=folder)
        equal((folder / "got.npy").read_bytes(), (folder / "want.npy").read_bytes(), f"{options}")


# Profiles ----------------------------------------------------------------------------------

def profiled(folder, network, *inputs, iterations=3):
    """The lines of R1, R2 and R4 of one run, each as its fields; and what was printed."""
    ran = torq_run_module(module(folder, network), *inputs, "--output=", "--torq_profile=r1.csv",
                          "--torq_profile_host=r2.csv", "--torq_profile_events=r4.csv",
                          f"--iterations={iterations}", cwd=folder)
    return [[line.split(separator, most) for line in (folder / name).read_text().splitlines()]
            for name, separator, most in (("r1.csv", ";", 3), ("r2.csv", ",", 4), ("r4.csv", ",", 4))
            ] + [ran]


def test_the_forms_agree(folder):
    """A host program between two jobs: the same moments in all three files."""
    network = write(folder / "d.mlir", DISPATCHES)
    r1, r2, r4, ran = profiled(folder, network, "--input=1x16x16xi8=1")
    equal(r2[0], ["actionIndex", " elapsed_time(us)", " timestamp(us)", " event", " location"], "R2")
    equal(r4[0], ["dispatch_name", "invocation_id", "action_id", "timestamp_us", "event"], "R4")
    ends = [int(row[3]) for row in r4[1:] if row[4] == "NSS_WAIT_END"]
    equal([int(row[2]) for row in r2[1:] if row[3] == "NSS_WAIT_END"], ends, "ends of jobs")
    # R2 has no waits for the host, and one event for a program of the host.
    equal([int(row[2]) for row in r2[1:] if row[3] == "HOST_PROGRAM_END"],
          [int(row[3]) for row in r4[1:] if row[4] == "HOST_WAIT_END"], "ends of host programs")
    equal(len(r1) - 1, len(ends), "jobs in R1")
    opened = int(next(row[3] for row in r4 if row[4] == "INIT_END"))
    for job, end in zip(r1[1:], ends):
        close_to(int(job[1]), end - opened, 1, "time since open")
    events = [row[3] for row in r2[1:]]
    equal(events.count("HOST_PROGRAM_START"), events.count("HOST_PROGRAM_END"), "host programs")
    true("HOST_PROGRAM_START" in events and not any("HOST_WAIT" in event for event in events), "R2")
    matches(ran.out, r"^ +\d+ +[\d.]+ [mu]?s  host program  ", "a block of the host")
    contains(ran.out, "(median)", "of several iterations")


def test_scopes_hold_their_actions(folder):
    network = write(folder / "d.mlir", DISPATCHES)
    *_, r4, _ = profiled(folder, network, "--input=1x16x16xi8=1", iterations=2)
    by_invocation = {}
    for row in r4[1:]:
        by_invocation.setdefault(int(row[1]), []).append(row)
    equal(sorted(by_invocation), list(range(len(by_invocation))), "invocations")
    equal([row[4] for row in by_invocation.pop(0)], ["INIT_BEGIN", "INIT_END"], "the first")
    dispatches = len({row[0] for row in r4[1:]})
    equal(len(by_invocation), 2 * dispatches, "an invocation for each dispatch and iteration")
    for scope in by_invocation.values():
        equal((scope[0][4], scope[-1][4]), ("DISPATCH_BEGIN", "DISPATCH_END"), "scope")
        equal(len({row[0] for row in scope}), 1, "one dispatch")
        times = [int(row[3]) for row in scope]
        equal(times, sorted(times), "in the order of time")
        for begin, end in zip(scope[1:-1:2], scope[2:-1:2]):  # one action after the other
            equal((end[2], end[4]), (begin[2], begin[4].replace("_BEGIN", "_END")), "pairs")


def test_elapsed_since_the_first(folder):
    """As one version of Torq's runtime counts; readers take both."""
    found = {}
    for since in ("previous", "first"):
        torq_run_module(module(folder, ADD), ONES, "--torq_profile_host=r2.csv", "--output=",
                        f"--torq_profile_elapsed={since}", cwd=folder)
        rows = [line.split(",", 4) for line in (folder / "r2.csv").read_text().splitlines()[1:]]
        times = [int(row[2]) for row in rows]
        found[since] = [int(row[1]) for row in rows]
        base = [times[0]] * len(times) if since == "first" else [times[0], *times]
        equal(found[since], [now - then for then, now in zip(base, times)], since)
        equal(opscope("info", folder / "r2.csv").err, "", f"{since}: nothing to remark")
    contains(torq_run_module(module(folder, ADD), ONES, "--torq_profile_elapsed=last", code=2).err,
             "expected previous or first")


def test_debug(folder):
    network = write(folder / "d.mlir", DISPATCHES)
    said = torq_run_module(module(folder, network), "--input=1x16x16xi8=1", "--torq_debug").err
    matches(said, r"^torq_debug: .*model\.vmfb: for torq-sl2610, \d+ dispatches, \d+ actions", "head")
    program_ = opscope("program", folder / "model.vmfb", "--json").json()
    equal(len(re.findall(r"^torq_debug:   action ", said, re.M)),
          int(re.search(r"(\d+) actions", said)[1]), "a line for each action")
    true(program_, "the program")
    quiet = torq_run_module(module(folder, network), "--input=1x16x16xi8=1").err
    equal(quiet, "", "without")


def test_dumped_buffers(folder):
    """What the last action that writes leaves is the output, byte for byte."""
    network = write(folder / "d.mlir", DISPATCHES)
    torq_run_module(module(folder, network), "--input=1x16x16xi8=3", "--output=@out.npy",
                    "--torq_dump_buffers_dir=dump/buffers", cwd=folder)
    files = sorted((folder / "dump/buffers").glob("*.npy"))
    true(files, "no buffers")
    for file in files:
        matches(file.name, r"^main_dispatch_\d+_.*_action\d+_buffer\d+\.npy$", "name")
    want = (folder / "out.npy").read_bytes()
    true(any(file.read_bytes() == want for file in files), f"no file has the output: {files}")
    write(folder / "file", "x")
    contains(torq_run_module(module(folder, network), "--input=1x16x16xi8=3",
                             "--torq_dump_buffers_dir=file/x", cwd=folder, code=1).err,
             "cannot make the folder")


def test_times_are_this_machines(folder):
    """Monotonic time, as Torq's steady clock; a profile is of no use with another."""
    before = time.monotonic_ns() // 1000
    _, r2, _, ran = profiled(folder, ADD, ONES)
    after = time.monotonic_ns() // 1000
    times = [int(row[2]) for row in r2[1:]]
    true(before - 1000 <= min(times) and max(times) <= after + 1000, f"{before} {times} {after}")
    equal([int(row[1]) for row in r2[1:]],
          [now - before for before, now in zip([times[0], *times], times)], "since the previous")
    contains(ran.err, "not cycle accurate", "the warning")


def test_own_profile(folder):
    torq_run_module(module(folder), ONES, "--output=", "--profile=run.prof", "--torq_profile_host=r.csv",
                    cwd=folder)
    info = opscope("info", folder / "run.prof").out
    contains(info, "SLICE 0", "lanes of engines")
    contains(info, "measured", "provenance")
    equal(sorted(path.name for path in folder.iterdir()), ["model.vmfb", "r.csv", "run.prof"], "files")


def test_statistics(folder):
    err = torq_run_module(module(folder), ONES, "--output=", "--print_statistics").err
    matches(err, r"^statistics of this machine: CPU [\d.]+ s user, [\d.]+ s system; peak memory [\d.]+ "
                 r"[KMG]iB, of which tensors [\d.]+ [KMG]iB$", "statistics")


def test_a_killed_run_leaves_what_it_did(folder):
    partial = folder / "r.csv.partial.prof"
    os.mkfifo(folder / "y.bin")  # nobody reads it, so that the run never ends by itself
    for how in (signal.SIGKILL, signal.SIGTERM):
        process = subprocess.Popen(
            [program("torq-run-module"), module(folder), ONES, f"--output=@{folder / 'y.bin'}", "--iterations=100000",
             f"--torq_profile_host={folder / 'r.csv'}"], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        atexit.register(process.kill)
        until(lambda: process.poll() is not None or (partial.exists() and partial.stat().st_size > 30000),
              "something to be recorded")
        process.send_signal(how)
        err = process.communicate(timeout=PATIENCE)[1].decode()
        equal(process.returncode, -how, "ended by it")
        if how == signal.SIGTERM:
            contains(err, partial.name, "where it is")
        true(not (folder / "r.csv").exists(), "no half profile")
        contains(opscope("info", partial, code=None).out, "ACTIONS", "what was recorded")
        opscope("annotate", folder / "model.vmfb", partial, folder / "out.csv", code=None)
        contains((folder / "out.csv").read_text(), "torq_hl.wait_program", "joined with the program")
        partial.unlink()


def test_help_and_devices(folder):
    for name in ("torq-run-module", "iree-run-module"):
        out = run(program(name), "--help").out
        contains(out, "--torq_profile_host FILE", "help")
        contains(out, "examples:", "examples")
        equal(run(program(name), "--list_devices").out, "torq\n", "devices")


# What is wrong -----------------------------------------------------------------------------

def test_wrong_inputs(folder):
    given = module(folder)
    write_npy(folder / "f.npy", [2], bytes(8), "<f4")
    write(folder / "bad.npy", b"\x93NUMPY\x01\x00nonsense")
    write(folder / "short.bin", b"123")
    for inputs, code, piece in (
            ((), 2, "0 times --input, but @main takes 1 (1x56x56x24xi8)"),
            ((ONES, ONES), 2, "2 times --input, but @main takes 1"),
            (("--input=1x56x56x23xi8=1",), 2, "is 1x56x56x24xi8, but 1x56x56x23xi8 was given"),
            (("--input=1x56x56x24xi16=1",), 2, "is 1x56x56x24xi8, but 1x56x56x24xi16 was given"),
            (("--input=@f.npy",), 2, "but 2xf32 was given"),
            (("--input=@bad.npy",), 1, "bad.npy"),
            (("--input=@none.npy",), 1, "none.npy"),
            (("--input=1x56x56x24xi8=@short.bin",), 1, "short.bin"),
            (("--input=1x56x56x24xi8=300",), 2, "'300' is not a value of type i8"),
            (("--input=1x56x56x24xi8=[1 2 3]",), 2, "arg0"),
            (("--input=nonsense",), 2, "nonsense")):
        result = torq_run_module(given, *inputs, code=code, cwd=folder)
        contains(result.err, piece, f"message for {inputs}")
        equal(result.out, "", "nothing ran")


def test_wrong_modules(folder):
    write(folder / "empty", "")
    write(folder / "iree.vmfb", b"\x20\0\0\0IREE" + bytes(100))
    for name, piece in (("empty", "shorter than a header"), ("nothing.vmfb", "cannot open"),
                        (ADD, "not a program, or damaged"), (folder, "folder"),
                        ("iree.vmfb", "a module of IREE's own compiler")):
        contains(torq_run_module(f"--module={name}", code=1, cwd=folder).err.replace(
            "directory", "folder"), piece, f"message for {name}")
    contains(torq_run_module(code=2).err, "--module=", "none")
    contains(torq_run_module("model.vmfb", code=2).err, "--module=model.vmfb", "a word")
    contains(torq_run_module("--module=empty", module(folder), ONES, code=1, cwd=folder).err, "empty",
             "every module must be one")
    torq_run_module(module(folder), module(folder, FC), "--input=1x1280xi8=0", cwd=folder)


def test_wrong_flags(folder):
    given = (module(folder), ONES, "--output=")
    for flag, piece in (
            ("--function=other", "has no function 'other'; it has: main"),
            ("--device=local-task", "only torq is here"),
            ("--torq_hw_type=astra_machina", "no such hardware"),
            ("--parameters=x.irpa", "unknown option '--parameters=x.irpa'"),
            ("--iterations=0", "--iterations"), ("--iterations=many", "--iterations"),
            ("--print_statistics=perhaps", "true or false"),
            ("--torq_profile_host=-", "name a file")):
        contains(torq_run_module(*given, flag, code=2).err, piece, f"message for {flag}")
    for flag in ("--function=module.main", "--function=", "--torq_hw_type=sim", "--device=torq"):
        torq_run_module(*given, flag)


def test_functions_of_other_names(folder):
    text = FC.read_text().replace("@main", "@classify_1")
    given = (module(folder, write(folder / "classify.mlir", text)), "--input=1x1280xi8=0")
    for name in ("--function=classify_1", "--function=module.classify_1", "--function="):
        matches(torq_run_module(*given, name).out, r"\AEXEC @classify_1\n", "what runs")
    contains(torq_run_module(*given, "--function=main", code=2).err, "it has: classify_1", "message")
    out = torq_run_module(*given, "--output=", f"--torq_profile_events={folder / 'r4.csv'}").out
    contains(out, "classify_1_dispatch_0_", "dispatches are called after it")


def test_files_that_cannot_be_written(folder):
    given = (module(folder), ONES)
    for flag in ("--torq_profile_host", "--torq_profile", "--torq_profile_events", "--profile"):
        result = torq_run_module(*given, f"{flag}=no/such/r.csv", code=1, cwd=folder)
        contains(result.err, "no folder 'no/such'", "message")
        equal(result.out, "", "nothing ran")
        contains(torq_run_module(*given, f"{flag}=model.vmfb", code=2, cwd=folder).err,
                 "would be overwritten", "the module")
        contains(torq_run_module(*given, f"{flag}=.", code=1, cwd=folder).err, "folder", "a folder")
    contains(torq_run_module(*given, "--output=@no/x.npy", code=1, cwd=folder).err, "no folder 'no'",
             "an output")
    contains(torq_run_module(*given, "--torq_profile=a.csv", "--torq_profile_host=a.csv", code=2,
                             cwd=folder).err, "cannot both be 'a.csv'", "one file for two")
    opscope("verify", folder / "model.vmfb")


def test_a_full_disk_is_said_and_the_run_kept(folder):
    if not pathlib.Path("/dev/full").exists():
        raise Skip("no /dev/full")
    result = torq_run_module(module(folder), ONES, "--output=", "--torq_profile_host=/dev/full", code=1,
                             env={"TMPDIR": str(folder)})
    contains(result.err, "No space left", "message")
    kept = matches(result.err, r"kept in (\S+\.prof);", "where the run is")[1]
    contains(opscope("info", kept).out, "ACTIONS", "the run")


main()
