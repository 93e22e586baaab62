"""Torq's documents from the first command line to the last, as they are printed.

Each list holds the lines of one document in their order; the board's test session apart, and
the making of Perfetto's Python files, which opscope does not need.
"""
import csv
import random

from compiling import *
from support import *

DOCUMENT_000 = [
    "torq-compile tests/testdata/tosa_ops/add.mlir -o model.vmfb --torq-enable-profiling"
    " --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./compilation_phases",
    'torq-run-module --module=model.vmfb --input="1x56x56x24xi8=1"'
    " --torq_profile_host=./runtime.csv",
    "annotate_profiling.py ./compilation_phases/add.9.executable-targets.mlir ./runtime.csv"
    " ./annotated_runtime.csv",
]

DOCUMENT_001 = [
    "torq-compile samples/tosa/fc.mlir -o model.vmfb --torq-enable-profiling"
    " --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./compilation_phases",
    'iree-run-module --device=torq --module=model.vmfb --input="1x1280xi8=0"'
    " --torq_profile=./runtime.csv",
    "annotate_profiling.py ./compilation_phases/fc.9.executable-targets.mlir ./runtime.csv"
    " ./annotated_runtime.csv",
]

# The folders of a machine that the document was written on, and what they are here.
MACHINE = {"/buildsrc/iree-build/third_party/iree/tools/": "", "/buildsrc/iree-synaptics-synpu/": ""}
TOOLS = "/buildsrc/iree-build/third_party/iree/tools"
COMPILE = "--compile_profile ./compile_profile.csv"
RUNTIME = "--runtime_profile ./runtime_profile.csv"
DOCUMENT_003 = [
    f"{TOOLS}/torq-compile /buildsrc/iree-synaptics-synpu/tests/testdata/tosa_ops/"
    "conv-stride1-notile.mlir -o ./output_torq.vmfb --dump-compilation-phases-to=output_torq_phases"
    " --mlir-print-ir-after-all --mlir-print-ir-tree-dir=output_torq_passes  --torq-enable-profiling"
    " --torq-dump-profiling=./compile_profile.csv",
    f"{TOOLS}/iree-run-module --device=torq --module=./output_torq.vmfb  --function=main"
    " --output=@./output_torq-cmodel.npy --input=@./in_rnd_0.npy  --torq_profile=./runtime_profile.csv",
    f"python3 perfetto_logger.py {COMPILE} {RUNTIME} --pb ./perfetto_log.pb",
    f"python3 perfetto_logger.py {COMPILE} ./compile_profile.csv --pb ./perfetto_log.pb",
    f"python3 perfetto_logger.py {RUNTIME} ./runtime_profile.csv --pb ./perfetto_log.pb",
    f"python3 perfetto_logger.py {COMPILE} ./compile_profile.csv {RUNTIME} ./runtime_profile.csv"
    " --pb ./perfetto_log.pb",
]

A0 = ("action_id;job_id;operation;invocation_names;original_operator;total_time;"
      "slice_used_0_in_program;slice_used_1_in_program;dma_in_used_in_program;"
      "dma_out_used_in_program;cdma_used_in_program;css_used_in_program;timestamp_start;"
      "timestamp_end;location")
A1 = ("NSS Program Index;torq-hw Operation in program;Slice ID (if applicable);Invocation Name;"
      "NSS Program Start Timestamp [us];NSS Program End Timestamp [us];NSS Program Total Time [us];"
      "Slice 0 Used in NSS Program;Slice 1 Used in NSS Program;DMA In Used in NSS Program;"
      "DMA Out Used in NSS Program")


def prepared(folder):
    """As the reader of the documents has it: the networks, and the scripts on the way."""
    at_root(folder)
    (folder / "scripts").mkdir()
    for name in ("annotate_profiling.py", "perfetto_logger.py"):
        shutil.copy(ROOT / "scripts" / name, folder / "scripts")
    shutil.copy(ROOT / "scripts/perfetto_logger.py", folder)
    return folder


def follow(folder, lines):
    """What each line printed."""
    path = f"{folder / 'scripts'}:{program('opscope').parent}:{os.environ['PATH']}"
    results = []
    for line in lines:
        for machine, here in MACHINE.items():
            line = line.replace(machine, here)
        results.append(run("sh", "-c", line, cwd=folder, env={"PATH": path}))
    return results


def table(path, separator):
    lines = pathlib.Path(path).read_text().splitlines()
    return lines[0], list(csv.DictReader(lines, delimiter=separator))


def test_the_lines_are_the_documents():
    for number, lines in (("000", DOCUMENT_000), ("001", DOCUMENT_001)):
        text = next(shared("seeds").glob(f"{number}_*")).read_text(encoding="utf-8")
        equal(re.findall(r"\$ (.+)$", text, re.MULTILINE), lines, f"document {number}")
    text = next(shared("seeds").glob("003_*")).read_text(encoding="utf-8", errors="replace")
    printed = [line for line in text.splitlines()
               if line.startswith((TOOLS, "python3 perfetto_logger.py"))]
    equal(printed, DOCUMENT_003, "document 003")


def test_document_000(folder):
    compiled_as, ran, annotated = follow(prepared(folder), DOCUMENT_000)
    equal((compiled_as.out, compiled_as.err), ("", ""), "a compiler that succeeds is silent")
    matches(ran.out, r"\AEXEC @main\nresult\[0\]: hal\.buffer_view\n1x56x56x24xi8=\[\[\[", "output")
    matches(ran.out, r"^ +3 +[\d.]+ [mu]?s  nss_program_1  add$", "time of a block")
    contains(ran.err, "not cycle accurate", "the document's warning")
    equal((annotated.out, annotated.err), ("", ""), "every row matches")
    head, rows_of_run = table(folder / "runtime.csv", ",")
    equal(head, "actionIndex, elapsed_time(us), timestamp(us), event, location", "header")
    equal([row[" event"] for row in rows_of_run],
          ["HOST_COPY_START", "HOST_COPY_END"] +
          2 * ["NSS_START", "NSS_START_END", "NSS_WAIT_START", "NSS_WAIT_END"], "events")
    before = int(rows_of_run[0][" timestamp(us)"])
    for row in rows_of_run:
        now = int(row[" timestamp(us)"])
        equal(int(row[" elapsed_time(us)"]), now - before, "elapsed since the previous operation")
        before = now
    head, actions = table(folder / "annotated_runtime.csv", ";")
    equal(head, A0, "columns")
    equal([action["operation"] for action in actions],
          ["torq_hl.host_copy"] + 2 * ["torq_hl.start_program", "torq_hl.wait_program"], "actions")
    equal(actions[4]["original_operator"], "tosa.rescale@L11 tosa.rescale@L14 tosa.rescale@L19 "
                                           "tosa.add@L21 tosa.rescale@L26", "operators")
    for flag, want in (("slice_used_0", "True"), ("slice_used_1", "True"), ("dma_in_used", "True"),
                       ("dma_out_used", "True"), ("cdma_used", "False"), ("css_used", "False")):
        equal(actions[4][f"{flag}_in_program"], want, flag)
    true(float(actions[4]["total_time"]) > 0, "a time")


def test_document_001(folder):
    _, ran, annotated = follow(prepared(folder), DOCUMENT_001)
    contains(ran.out, "EXEC @main\nresult[0]: hal.buffer_view\n1x10xi8=[", "output")
    contains(ran.err, "not cycle accurate", "the document's warning")
    equal((annotated.out, annotated.err), ("", ""), "every row matches")
    head, jobs = table(folder / "runtime.csv", ";")
    equal(head, "ID;time_since_open;time_since_start;Location", "header")
    true(jobs, "jobs")
    equal([int(job["ID"]) for job in jobs], list(range(len(jobs))), "ids")
    for before, after in zip([None, *jobs], jobs):
        start = int(after["time_since_open"]) - int(after["time_since_start"])
        true(start >= (int(before["time_since_open"]) if before else 0), "one after the other")
    head, operations = table(folder / "annotated_runtime.csv", ";")
    equal(head, A1, "columns")
    equal(sorted({int(row["NSS Program Index"]) for row in operations}), list(range(len(jobs))),
          "programs")
    contains(" ".join(row["torq-hw Operation in program"] for row in operations),
             "torq_hw.slice_start", "operations")


def test_document_003(folder):
    prepared(folder)
    data = random.Random(0).randbytes(224 * 224 * 3)
    write_npy(folder / "in_rnd_0.npy", [1, 224, 224, 3], data)
    results = follow(folder, DOCUMENT_003[:3])
    contains(results[1].err, "not cycle accurate", "the warning")
    opscope("infer", "tests/testdata/tosa_ops/conv-stride1-notile.mlir", "--input", "@in_rnd_0.npy",
            "--output", "@want.npy", cwd=folder)
    equal((folder / "output_torq-cmodel.npy").read_bytes(), (folder / "want.npy").read_bytes(),
          "the output is what the network computes")
    names = without_loss(folder / "perfetto_log.pb", "select distinct name from process order by name")
    for name in ("01 compile_profile.csv", "02 runtime_profile.csv"):
        true(name in [row["name"] for row in names], f"{name} is among {names}")
    for line in DOCUMENT_003[3:]:
        (folder / "perfetto_log.pb").unlink()
        follow(folder, [line])
        true(without_loss(folder / "perfetto_log.pb", "select count(*) as n from slice")[0]["n"] > 0,
             line)


main()
