"""opscope estimate: real dumps, ours, and compiled programs."""
from compiling import *
from support import *

UNITS = ROOT / "tests/testdata/torq_dump/units.9.executable-targets.mlir"
HEADER = "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"

REAL_ROWS = HEADER + """0,77,0,DMA In,loc(unknown),364
1,1,77,DMA In,loc(unknown),2
2,2,78,DMA In,loc(unknown),8
3,1,80,DMA In,loc(unknown),4
4,1,81,DMA In,loc(unknown),4
5,40,82,DMA In,loc(unknown),188
6,56,122,DMA In,loc(unknown),264
9,1,180,DMA Out,loc(unknown),4
7,2,178,Slice 0,loc(unknown),
"""

# Worked out by hand under the published rules: task, cycles, start, unit, bytes.
UNITS_ROWS = [(0, 22, 0, "DMA In", 100), (1, 11, 0, "DMA Out", 48),
              (6, 8, 31, "CDMA LRAM to DTCM", 42), (8, 2, 8039, "DMA In", 8),
              (9, 2, 8039, "DMA In", 8), (10, 2, 8041, "CDMA DTCM to LRAM", 9),
              (2, 12, 0, "Slice 0", None), (3, 30, 1, "Slice 1", None), (7, 8000, 39, "CSS", None)]


def estimate(path, rules="best"):
    return opscope("estimate", path, f"--torq-rules={rules}", "--json").json()


def test_real_dump_row_for_row(folder):
    real = shared("data/torq/scalar_add.9.executable-targets.mlir")
    opscope("estimate", real, "--torq-rules=public", "-o", folder / "trace.csv")
    equal((folder / "trace.csv").read_text(), REAL_ROWS, "rows")
    out = opscope("estimate", real, "--torq-rules", "public").out
    matches(out, r"^  modelled  226 ns  \(181 cycles at 800 MHz\)")


def test_units_by_hand(folder):
    report = estimate(UNITS, "public")
    found = [(row["task"], row["end_cycles"] - row["start_cycles"], row["start_cycles"],
              row["unit"], row["bytes"]) for row in report["rows"]]
    equal(found, UNITS_ROWS, "rows")
    equal(report["cycles"], 8043, "cycles")
    equal([action["action"] for action in report["actions"]], list(range(9)), "actions")


def test_hardware(folder):
    """Another throughput, one slice."""
    rows = opscope("estimate", UNITS, "--torq-rules=public", "--json",
                   "--torq-hw=1:512:2:coral_v1:nss_v1:16:0.65").json()["rows"]
    equal(rows[0]["end_cycles"], 11, "100 bytes at twice the rate")
    failure = opscope("estimate", UNITS, "--torq-hw=1:512:1:coral_v1:nss_v1", code=1).err
    matches(failure, r"torq_hw.slice_start starts a slice that the target does not have")


def networks(folder):
    """Networks of every engine: slices, CSS, host, several dispatches."""
    yield ADD
    yield CONV
    yield FC
    yield write(folder / "dispatches.mlir", DISPATCHES)
    yield from sorted((ROOT / "../shared/data/tosa").glob("*.mlir"))[::10]


def test_a_dump_says_what_its_program_says(folder):
    for network in networks(folder):
        program = compiled(folder, network)
        for rules in ("best", "public"):
            opscope("estimate", program, f"--torq-rules={rules}", "-o", folder / "p.mlir")
            first, second = estimate(program, rules), estimate(folder / "p.mlir", rules)
            for key in ("cycles", "dispatches", "jobs", "actions", "rows"):
                equal(second[key], first[key], f"{network.name}, {rules} rules: {key}")


def test_the_profile_is_what_the_dump_says(folder):
    """trace.csv of torq-compile against the evaluator on the dump of its last phase."""
    for network in networks(folder):
        torq_compile(network, "-o", folder / "m.vmfb", "--torq-enable-profiling",
                     f"--torq-dump-profiling={folder}/trace.csv",
                     f"--dump-compilation-phases-to={folder}/phases")
        dump = folder / "phases" / f"{network.stem}.9.executable-targets.mlir"
        opscope("estimate", dump, "--to", "torq-c1", "-o", folder / "again.csv")
        equal((folder / "again.csv").read_text(), (folder / "trace.csv").read_text(),
              f"{network.name}: trace.csv")


def test_the_same_bytes_twice(folder):
    program = compiled(folder, ADD)
    for name in ("a.mlir", "b.mlir"):
        opscope("estimate", program, "-o", folder / name)
    equal((folder / "a.mlir").read_bytes(), (folder / "b.mlir").read_bytes(), "dumps")
    # What was read and written once stays as it is.
    opscope("estimate", folder / "a.mlir", "-o", folder / "c.mlir")
    opscope("estimate", folder / "c.mlir", "-o", folder / "d.mlir")
    equal((folder / "d.mlir").read_text().splitlines()[5:],
          (folder / "c.mlir").read_text().splitlines()[5:], "a dump of a dump")


def test_profiling_is_in_the_dump(folder):
    program = compiled(folder, CONV)
    opscope("estimate", program, "-o", folder / "conv.mlir")
    text = (folder / "conv.mlir").read_text()
    rows = estimate(program)["rows"]
    longest = max(row["end_cycles"] - row["start_cycles"] for row in rows
                  if row["unit"].startswith("Slice"))
    matches(text, rf"torq_hw.dispatch_profiling\n +memory : \d+ bytes\n +total_cycle : {longest}$")
    matches(text, rf"max_cycle : {longest}$")
    true(text.count("torq-async-duration-cycles") == len(rows), "a duration for each start")
    matches(text, r"torq_hw.dma_in_start .* loc\(fused\[")


def test_other_forms(folder):
    for name in ("t.pb", "t.prof", "t.json"):
        opscope("estimate", UNITS, "-o", folder / name)
        true((folder / name).stat().st_size > 100, name)
    for form, first in (("torq-c1", "ID,Start,End,Location,Op Type"), ("torq-c4", HEADER.strip())):
        opscope("estimate", UNITS, "--to", form, "-o", folder / "t.txt")
        equal((folder / "t.txt").read_text().splitlines()[0], first, form)
    info = opscope("info", folder / "t.prof").out
    matches(info, r"SLICE 1")


def test_wrong_use(folder):
    cases = [
        ((), 2, r"give one dump or program"),
        ((UNITS, UNITS), 2, r"give one dump or program"),
        ((UNITS, "--torq-rules=free"), 2, r"--torq-rules free: expected best or public"),
        ((UNITS, "-o", folder / "x.txt"), 2, r"cannot tell the format from .*x.txt"),
        ((UNITS, "--to", "json"), 2, r"say where it goes"),
        ((UNITS, "--to", "tar", "-o", folder / "x"), 2, r"--to tar: expected"),
        ((UNITS, "--target", "abacus"), 2, r"there is no target 'abacus'"),
        ((folder / "none.mlir",), 1, r"none.mlir"),
        ((ADD,), 1, r"is no dump of executable targets"),
        ((write(folder / "empty.mlir", ""),), 1, r"is no dump of executable targets"),
        ((write(folder / "noise.opx", "noise"),), 1, r"noise.opx"),
    ]
    for words, code, expected in cases:
        matches(opscope("estimate", *words, code=code).err, expected)
    true(not (folder / "x.txt").exists(), "no file is left behind")
    copy = write(folder / "copy.mlir", UNITS.read_text())
    matches(opscope("estimate", copy, "-o", copy, code=2).err, r"copy.mlir")


def test_unknown_operation_names_its_place(folder):
    text = UNITS.read_text().replace("torq_hw.css_wait", "torq_hw.css_pray")
    path = write(folder / "pray.mlir", text)
    line = text[:text.index("torq_hw.css_pray")].count("\n") + 1
    matches(opscope("estimate", path, code=1).err,
            rf"pray.mlir:{line}:\d+: torq_hw.css_pray is not known inside an nss_task")


main()
