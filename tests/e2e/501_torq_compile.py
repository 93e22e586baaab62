"""torq-compile: the commands of the documents as printed, profiles, phases, hardware."""
from compiling import *
from support import *

PHASES = ["1.input", "2.abi", "3.preprocessing", "4.global-optimization", "5.dispatch-creation",
          "6.flow", "7.stream", "8.executable-sources", "9.executable-targets"]
C1 = "ID,Start,End,Location,Op Type"
C4 = "taskId, elapsed_time(us), timestamp(us), event, location, bytes"


def document(number):
    return shared(f"seeds/{number}").read_text(errors="replace")


def phase_names(folder):
    return sorted(path.name for path in folder.iterdir())


# The documents -----------------------------------------------------------------

def test_document_000(folder):
    line = ("torq-compile tests/testdata/tosa_ops/add.mlir -o model.vmfb --torq-enable-profiling"
            " --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./compilation_phases")
    equal(shell(at_root(folder), line).out, "", "a compiler that succeeds is silent")
    equal(sorted(path.name for path in folder.iterdir()),
          ["compilation_phases", "model.vmfb", "samples", "tests", "trace.csv"], "files")
    equal(phase_names(folder / "compilation_phases"),
          [f"add.{phase}.mlir" for phase in ["0.source", *PHASES]], "phases")
    equal((folder / "compilation_phases/add.0.source.mlir").read_bytes(), ADD.read_bytes(), "text")
    equal((folder / "trace.csv").read_text().splitlines()[0], C1, "header")
    types = {row["Op Type"] for row in rows(folder / "trace.csv")}
    equal(types, {"DMA_IN", "DMA_OUT", "add"}, "op types")
    opscope("verify", folder / "model.vmfb")


def test_document_001(folder):
    line = ("torq-compile samples/tosa/fc.mlir -o model.vmfb --torq-enable-profiling"
            " --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./compilation_phases")
    shell(at_root(folder), line)
    equal(phase_names(folder / "compilation_phases"),
          [f"fc.{phase}.mlir" for phase in ["0.source", *PHASES]], "phases")
    true(rows(folder / "trace.csv"), "rows")


def test_document_003(folder):
    """Its absolute paths are those of a machine: the folders in front are left out."""
    line = ("torq-compile tests/testdata/tosa_ops/conv-stride1-notile.mlir -o ./output_torq.vmfb"
            " --dump-compilation-phases-to=output_torq_phases --mlir-print-ir-after-all"
            " --mlir-print-ir-tree-dir=output_torq_passes  --torq-enable-profiling"
            " --torq-dump-profiling=./compile_profile.csv")
    result = shell(at_root(folder), line)
    equal((result.out, result.err), ("", ""), "the folder takes the place of stderr")
    tree = folder / "output_torq_passes/builtin_module_no-symbol-name"
    equal(sorted(path.name for path in tree.iterdir()),
          [f"{index}_{phase.split('.')[1]}.mlir" for index, phase in enumerate(PHASES)], "passes")
    equal(len(phase_names(folder / "output_torq_phases")), 10, "phases")
    # The next step of the document takes the profile.
    run(program("perfetto_logger"), "--compile_profile", "./compile_profile.csv", "--pb",
        "./perfetto_log.pb", cwd=folder)
    true((folder / "perfetto_log.pb").stat().st_size > 0, "trace")


def test_documents_still_print_these_commands():
    for number, piece in (("000_07a1d1165eb0a9a6.txt", "tests/testdata/tosa_ops/add.mlir"),
                          ("001_c98472b827b0147f.txt", "samples/tosa/fc.mlir"),
                          ("003_1213d4cd569c583c.txt", "tosa_ops/conv-stride1-notile.mlir")):
        contains(document(number), f"{piece} -o ", number)


# Profiles ------------------------------------------------------------------------

def test_default_name_of_the_profile(folder):
    torq_compile(ADD, "-o", "m.vmfb", "--torq-enable-profiling", cwd=folder)
    true(rows(folder / "timeline.csv"), "rows of timeline.csv")
    (folder / "timeline.csv").unlink()
    torq_compile(ADD, "-o", "m.vmfb", cwd=folder)
    torq_compile(ADD, "-o", "m.vmfb", "--torq-enable-profiling=false", cwd=folder)
    equal([path.name for path in folder.iterdir()], ["m.vmfb"], "files without profiling")


def test_rows_are_what_the_evaluator_says(folder):
    """Sorted by start, unique IDs, no lane twice at once, and as long as the whole."""
    network = write(folder / "d.mlir", DISPATCHES)
    for source in (ADD, CONV, FC, network):
        torq_compile(source, "-o", folder / "m.vmfb", f"--torq-dump-profiling={folder / 't.csv'}")
        report = compile_json(folder, source)
        table = rows(folder / "t.csv")
        equal(len(table), report["tasks"], "rows")
        equal([row["Start"] for row in table], sorted(row["Start"] for row in table), "order")
        equal(len({row["ID"] for row in table}), len(table), "unique IDs")
        equal(max(row["End"] for row in table), report["modelled"]["cycles"], "end")
        for prefix in ("DI", "DO"):
            lane = [row for row in table if row["ID"].startswith(prefix)]
            for before, after in zip(lane, lane[1:]):
                true(before["End"] <= after["Start"], f"{prefix} does two at once: {after}")
        for row in table:
            true(row["Location"].startswith("loc("), f"location of {row}")


def test_all_dispatches_are_in_it(folder):
    network = write(folder / "d.mlir", DISPATCHES)
    torq_compile(network, "-o", folder / "m.vmfb", f"--torq-dump-profiling={folder / 't.csv'}")
    lines = {row["Location"] for row in rows(folder / "t.csv") if row["ID"].startswith("S")}
    equal(lines, {'loc("d.mlir":5:10)', 'loc("d.mlir":6:10)', 'loc("d.mlir":9:10)'},
          "locations of both dispatches")


def test_columns_on_request(folder):
    def head(form):
        torq_compile(CONV, "-o", folder / "m.vmfb", "--torq-enable-profiling",
                     f"--torq-dump-profiling={folder / 't.csv'}", f"--torq-profiling-format={form}")
        contains(opscope("info", folder / "t.csv").out, f"torq-{form}", "format")
        return (folder / "t.csv").read_text().splitlines()

    equal(head("c1")[0], C1, "C1")
    matches(head("c2")[0], r'^DI0,0,\d+,".*",DMA_IN,\d+$', "C2 has no header")
    equal(head("c4")[0], C4, "C4")


def test_profile_as_a_trace(folder):
    torq_compile(ADD, "-o", folder / "m.vmfb", f"--torq-dump-profiling={folder / 't.pb'}")
    contains(opscope("info", folder / "t.pb").out, "perfetto", "format")


# Phases --------------------------------------------------------------------------

def test_phases_say_what_was_decided(folder):
    torq_compile(ADD, "-o", folder / "m.vmfb", f"--dump-compilation-phases-to={folder / 'a/b'}")

    def phase(name):
        return (folder / f"a/b/add.{name}.mlir").read_text()

    contains(phase("1.input"), "graph main(%arg0: 1x56x56x24xi8", "the network")
    contains(phase("5.dispatch-creation"), "group 0 rescale_add_rescale", "groups")
    true(" on slice" not in phase("5.dispatch-creation"), "no engine is chosen yet")
    contains(phase("6.flow"), " on slice: the slices compute it", "engines")
    true("tile 0" not in phase("6.flow"), "no tile is cut yet")
    contains(phase("7.stream"), "tile 1:", "tiles")
    contains(phase("8.executable-sources"), "\nbuffers: memory, address", "buffers")
    contains(phase("9.executable-targets"), "torq_hw.nss_task", "Torq's own form")


def test_the_last_phase_is_read_back(folder):
    """What the evaluator says of the dump is what it says of the program, row for row."""
    network = write(folder / "d.mlir", DISPATCHES)
    for rules in ("public", "best"):
        for source in (ADD, CONV, FC, network):
            torq_compile(source, "-o", folder / "m.vmfb", "--torq-enable-profiling",
                         "--torq-profiling-format=c4", f"--torq-rules={rules}",
                         f"--torq-dump-profiling={folder / 't.csv'}",
                         f"--dump-compilation-phases-to={folder / 'phases'}")
            dump = folder / f"phases/{source.stem}.9.executable-targets.mlir"
            opscope("estimate", dump, "-o", folder / "e.csv", f"--torq-rules={rules}")
            equal(c4_times(folder / "e.csv"), c4_times(folder / "t.csv"),
                  f"rows of {source.name} under {rules} rules")


def c4_times(path):
    """(start, cycles, unit) of the NPU's work."""
    lines = path.read_text().splitlines()
    equal(lines[0], C4, "header")
    cells = [line.split(",")[1:4] for line in lines[1:]]
    return sorted((int(start), int(cycles), unit) for cycles, start, unit in cells
                  if unit != "HOST")


def test_profiling_puts_cycles_into_the_last_phase(folder):
    def last(*arguments):
        torq_compile(ADD, "-o", folder / "m.vmfb", *arguments,
                     f"--torq-dump-profiling={folder / 't.csv'}",
                     f"--dump-compilation-phases-to={folder / 'phases'}")
        return (folder / "phases/add.9.executable-targets.mlir").read_text()

    contains(last("--torq-enable-profiling"), "torq_hw.dispatch_profiling", "profiled")
    true("dispatch_profiling" not in last(), "not profiled")


def test_compile_to(folder):
    """The text of a phase instead of the program."""
    for number, phase in (name.split(".") for name in PHASES):
        torq_compile(ADD, "-o", "out", f"--compile-to={phase}", "--dump-compilation-phases-to=phases",
                     cwd=folder)
        equal((folder / "out").read_bytes(),
              (folder / f"phases/add.{number}.{phase}.mlir").read_bytes(), phase)
    torq_compile(ADD, "-o", "whole.vmfb", cwd=folder)
    for phase in ("end", "vm", "hal"):
        torq_compile(ADD, "-o", "out", f"--compile-to={phase}", cwd=folder)
        equal((folder / "out").read_bytes(), (folder / "whole.vmfb").read_bytes(), phase)
    contains(torq_compile(ADD, "-o", "out", "--compile-to=nonesuch", cwd=folder, code=2).err,
             "expected input, abi")


def test_disable_host(folder):
    torq_compile(ADD, "-o", "a.vmfb", "--torq-disable-host", cwd=folder)
    float_ = write(folder / "exp.mlir", "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
                   "  %0 = tosa.exp %a : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                   "  return %0 : tensor<4x4xf32>\n}\n")
    torq_compile(float_, "-o", "b.vmfb", cwd=folder)
    result = torq_compile(float_, "-o", "c.vmfb", "--torq-disable-host", cwd=folder, code=1)
    contains(result.err, "1 group would run on the host; the first is exp")
    true(not (folder / "c.vmfb").exists(), "nothing is written")


def test_debug_info(folder):
    torq_compile(FC, "-o", folder / "m.vmfb", f"--torq-debug-info={folder / 'debug'}")
    equal(phase_names(folder / "debug"), ["fc.0.source.mlir", "fc.executable-targets.mlir"], "files")
    contains((folder / "debug/fc.executable-targets.mlir").read_text(), "torq_hw.nss_task", "dump")


def test_phases_on_stderr(folder):
    err = torq_compile(FC, "-o", folder / "m.vmfb", "--mlir-print-ir-after-all").err
    heads = re.findall(r"^// -----// IR Dump After (\w+) \((.*)\) //----- //$", err, re.MULTILINE)
    equal([phase for _, phase in heads], [phase.split(".")[1] for phase in PHASES], "headers")
    equal(heads[3][0], "GlobalOptimization", "name of a pass")
    contains(err, "graph main(%features: 1x1280xi8)", "the network")
    line = 'echo before >&2; exec "$0" "$1" -o "$2" --mlir-print-ir-after-all'
    with open(folder / "log", "wb") as log:
        subprocess.run(["sh", "-c", line, program("torq-compile"), FC, folder / "m.vmfb"],
                       stderr=log, check=True)
    equal((folder / "log").read_text(), "before\n" + err, "a file gets the same")


# Hardware ------------------------------------------------------------------------

def modelled(folder, network, *arguments):
    """Cycles of the last row."""
    torq_compile(network, "-o", folder / "m.vmfb", f"--torq-dump-profiling={folder / 't.csv'}",
                 *arguments)
    return max(row["End"] for row in rows(folder / "t.csv"))


def test_hardware(folder):
    contains(torq_compile("--torq-hw=list").out, "SL2610", "list")
    usual = modelled(folder, ADD)
    equal(modelled(folder, ADD, "--torq-hw=SL2610"), usual, "by name")
    equal(modelled(folder, ADD, "--torq-hw=0x0:512:2:coral_v1:nss_v1:8:0.65"), usual, "the same")
    equal(modelled(folder, ADD,
                   "--torq-hw=0x0:512:2:coral_v1:nss_v1:8:0.65:aarch64-unknown-linux-gnu:generic:"),
          usual, "ten parts")
    true(modelled(folder, ADD, "--torq-hw=0x0:512:2:coral_v1:nss_v1") < usual, "a better DMA")
    true(modelled(folder, ADD, "--torq-hw=0x0:512:2:coral_v1:nss_v1:4:0.65") > usual, "a worse one")
    target = opscope("program", folder / "m.vmfb", "--json").json()["target"]
    equal(target, "torq-custom", "name of the target")
    torq_compile(ADD, "-o", folder / "m.vmfb", "--torq-hw=0x0:64:1:coral_v2:nss_v1")
    tasks = opscope("program", folder / "m.vmfb", "--tasks", "--json").json()["tasks"]
    equal({task["lane"] for task in tasks if task["engine"] == "slice"}, {0}, "one slice")
    opscope("verify", folder / "m.vmfb")


def test_bursts(folder):
    usual = modelled(folder, ADD)
    true(modelled(folder, ADD, "--torq-dma-in-mtu=0") > usual, "single beats in")
    true(modelled(folder, ADD, "--torq-dma-out-mtu=0") > usual, "single beats out")
    equal(modelled(folder, ADD, "--torq-dma-in-mtu=4", "--torq-dma-out-mtu", "4"), usual, "4 beats")


def test_public_rules_are_the_published_arithmetic(folder):
    """ceil(bytes / (8 * 0.65 * 16 / 17.5)) cycles for a transfer."""
    torq_compile(CONV, "-o", folder / "m.vmfb", f"--torq-dump-profiling={folder / 't.csv'}",
                 "--torq-rules=public", "--torq-profiling-format=c2")
    for line in (folder / "t.csv").read_text().splitlines():
        if not line.startswith("D"):
            continue
        start, end, size = int(line.split(",")[1]), int(line.split(",")[2]), line.split(",")[-1]
        equal(end - start, -(-int(size) * 175 // (52 * 16)), f"cycles of {line}")


def test_flags_of_the_vendor_are_taken(folder):
    torq_compile(ADD, "-o", folder / "m.vmfb", "--iree-input-type=tosa",
                 "--iree-hal-target-backends=torq", "--iree-hal-target-device=torq",
                 "--torq-css-qemu", "--torq-fake-reduce", "--torq-disable-ndl-cycle-check=true")
    for flag in ("torq-css-qemu", "torq-fake-reduce", "torq-disable-ndl-cycle-check",
                 "iree-input-type", "iree-hal-target-backends", "iree-hal-target-device"):
        matches(torq_compile("--help").out, rf"--{flag}[^\n]*\n?[^\n]* without effect", "help")


def test_same_bytes(folder):
    def everything(number):
        place = folder / str(number)
        place.mkdir()
        torq_compile(CONV, "-o", "m.vmfb", "--torq-enable-profiling", "--torq-dump-profiling=t.csv",
                     "--dump-compilation-phases-to=phases", cwd=place)
        return {path.relative_to(place): path.read_bytes()
                for path in place.rglob("*") if path.is_file()}

    equal(everything(1), everything(2), "files")


main()
