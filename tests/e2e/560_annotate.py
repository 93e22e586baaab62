"""annotate_profiling and opscope annotate: runtime profiles joined with the program that ran."""
import csv
import io
import random
import xml.etree.ElementTree
import zipfile

from support import *

ACTION_COLUMNS = (
    "action_id;job_id;operation;invocation_names;original_operator;total_time;"
    "slice_used_0_in_program;slice_used_1_in_program;dma_in_used_in_program;"
    "dma_out_used_in_program;cdma_used_in_program;css_used_in_program;"
    "timestamp_start;timestamp_end;location")
JOB_KEYS = (
    "nss_program_index;operation;slice_id;invocation_name;nss_program_timestamp_start;"
    "nss_program_timestamp_end;nss_program_timestamp_total;slice_used_0_in_program;"
    "slice_used_1_in_program;dma_in_used_in_program;dma_out_used_in_program")
TITLES = [
    "NSS Program Index", "torq-hw Operation in program", "Slice ID (if applicable)",
    "Invocation Name (if applicable)", "NSS Program Start Timestamp [us]", "NSS Program End Timestamp [us]",
    "NSS Program Total Time [us]", "Slice 0 Used in NSS Program", "Slice 1 Used in NSS Program",
    "DMA In Used in NSS Program", "DMA Out Used in NSS Program"]
# As document 001 has them; Torq's tool heads one column of its workbook with more.
JOB_COLUMNS = ";".join(TITLES).replace("Invocation Name (if applicable)", "Invocation Name")
ACTION_TITLES = [
    "Action ID", "Job ID", "Action in program", "Slice Invocation Names (if applicable)",
    "Original Operators", "Total Time [us]", "Slice 0 Used in NSS Program",
    "Slice 1 Used in NSS Program", "DMA In Used in NSS Program", "DMA Out Used in NSS Program",
    "CDMA Used in CSS Program", "CSS Used in CSS Program", "Timestamp Start [us]",
    "Timestamp End [us]", "Location"]
HEADERS = {"R1": "id;time_since_open;time_since_start;location",
           "R2": "actionIndex, elapsed_time(us), timestamp(us), event, location",
           "R4": "dispatch_name,invocation_id,action_id,timestamp_us,event"}
FORMS = ["R1", "R2", "R3", "R4"]
REAL = "data/torq/scalar_add.9.executable-targets.mlir"

# What the real dump does.
DUMP_ACTIONS = [
    ("main_dispatch_0_elementwise", 0, "HOST_COPY", None),
    ("main_dispatch_0_elementwise", 1, "NSS_START", 0),
    ("main_dispatch_0_elementwise", 2, "NSS_WAIT", 0),
    ("main_dispatch_0_elementwise", 3, "NSS_START", 1),
    ("main_dispatch_0_elementwise", 4, "NSS_WAIT", 1),
]


# A runtime that ran a dump ---------------------------------------------------------

def actions_of(dump):
    """(dispatch, action id, event, job id) of every action, from the text alone."""
    found, dispatch, jobs, number = [], None, {}, 0
    for line in dump.read_text().splitlines():
        if function := re.search(r"func\.func @(\S+?)\(", line):
            dispatch, jobs = function[1], {}
        if descriptor := re.match(r"\s*(%\w+).*= torq_hl\.(?:descriptor|create_invocation) ", line):
            job = re.search(r'"torq-job-id" = (\d+)', line)
            jobs[descriptor[1]] = int(job[1]) if job else None
        action = re.search(r'"torq-action-id" = (\d+)', line)
        if not action:
            continue
        number = int(action[1])
        operation = re.search(r"(torq_hl\.\w+|memref\.\w+)( %\w+ : !torq_hl\.invocation<(\w+)>)?", line)
        event = {"torq_hl.host_copy": "HOST_COPY", "memref.alloc": "ALLOC",
                 "memref.dealloc": "DEALLOC"}.get(operation[1])
        job = None
        if event is None:
            kind = {"nss": "NSS", "host": "HOST"}[operation[3]]
            event = kind + {"torq_hl.start_program": "_START",
                            "torq_hl.wait_program": "_WAIT"}[operation[1]]
            job = jobs[operation[2].split()[0]] if kind == "NSS" else None
        found.append((dispatch, number, event, job))
    return found


def runtime(form, actions, iterations=1, start=5000, step=7):
    """The CSV that a run of these actions leaves: each takes `step` us, then one passes."""
    if form == "R1":
        lines, at = [HEADERS["R1"]], start
        for _ in range(iterations):
            for _, _, event, job in actions:
                at += step + 1
                if event == "NSS_WAIT":
                    lines.append(f"{job};{at};{step};")
        return "\n".join(lines) + "\n"
    lines, at, invocation, previous = [HEADERS["R4" if form == "R4" else "R2"]], start, -1, None
    begin, end = ("_BEGIN", "_END") if form == "R4" else ("_START", "_END")
    for iteration in range(iterations):
        for dispatch, number, event, _ in actions:
            if (iteration, dispatch) != previous:
                previous, invocation = (iteration, dispatch), invocation + 1
            if form != "R4":
                if event == "HOST_WAIT":
                    continue  # these versions log nothing of it
                name = "HOST_PROGRAM" if event == "HOST_START" else event
                first = name if name == "NSS_START" else name + begin
                place = '"loc(""net.mlir"":3:5)"' if form == "R3" else ""
                lines.append(f"{number},{at - start},{at},{first},{place}")
                lines.append(f"{number},{at + step - start},{at + step},{name}{end},{place}")
            else:
                lines.append(f"{dispatch},{invocation},{number},{at},{event}{begin}")
                lines.append(f"{dispatch},{invocation},{number},{at + step},{event}{end}")
            at += step + 1
    return "\n".join(lines) + "\n"


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text()), delimiter=";"))


def annotate(folder, dump, text, *options, out="annotated.csv", code=0):
    source = write(folder / "runtime.csv", text)
    result = opscope("annotate", dump, source, folder / out, *options, code=code)
    return folder / out, result


def sheet(path):
    """The cells of a workbook's only sheet, as rows of {column letters: value}."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        equal(book.testzip(), None, "damaged file")
        parts = {name: xml.etree.ElementTree.fromstring(book.read(name))
                 for name in book.namelist()}
    true("[Content_Types].xml" in parts and "_rels/.rels" in parts, f"parts {list(parts)}")
    equal([item.get("name") for item in parts["xl/workbook.xml"].iter(space + "sheet")],
          ["Detailed Performance Data"], "sheets")
    table = []
    for number, row in enumerate(parts["xl/worksheets/sheet1.xml"].iter(space + "row"), 1):
        equal(row.get("r"), str(number), "row number")
        cells = {}
        for cell in row:
            value = cell.find(f"{space}is/{space}t")
            kind = cell.get("t")
            letters = cell.get("r").removesuffix(str(number))
            text = value.text if value is not None else cell.find(space + "v").text
            cells[letters] = text if kind == "inlineStr" else bool(int(text)) if kind == "b" \
                else float(text)
        table.append(cells)
    return table


# By hand ---------------------------------------------------------------------------

def test_real_dump_by_hand(folder):
    dump = shared(REAL)
    equal(actions_of(dump), DUMP_ACTIONS, "actions of the real dump")
    text = (HEADERS["R2"] + "\n"
            "0,0,1000,HOST_COPY_START,\n0,10,1010,HOST_COPY_END,\n"
            "1,10,1010,NSS_START,\n1,12,1012,NSS_START_END,\n"
            "2,12,1012,NSS_WAIT_START,\n2,30,1030,NSS_WAIT_END,\n"
            "3,30,1030,NSS_START,\n3,31,1031,NSS_START_END,\n"
            '4,31,1031,NSS_WAIT_START,loc("x;y.mlir":1:2)\n'
            '4,99,1099,NSS_WAIT_END,loc("x;y.mlir":1:2)\n')
    out, result = annotate(folder, dump, text)
    equal(result.err, "", "nothing to report")
    equal(out.read_text(), ACTION_COLUMNS + "\n"
          "0;;torq_hl.host_copy;;;10.0;;;;;;;1000.0;1010.0;\n"
          "1;0;torq_hl.start_program;;;2.0;False;False;True;False;False;False;1010.0;1012.0;\n"
          "2;0;torq_hl.wait_program;;;18.0;False;False;True;False;False;False;1012.0;1030.0;\n"
          "3;1;torq_hl.start_program;add_0;;1.0;True;False;True;True;False;False;1030.0;1031.0;\n"
          "4;1;torq_hl.wait_program;add_0;;68.0;True;False;True;True;False;False;1031.0;1099.0;"
          '"loc(""x;y.mlir"":1:2)"\n', "annotated")


def test_jobs_by_hand(folder):
    """Job 0 runs 100..120 and job 1 130..200 since the device was opened."""
    text = HEADERS["R1"] + "\n0;120;20;\n1;200;70;\n"
    out, _ = annotate(folder, shared(REAL), text)
    one, other = "0;20;20;False;False;True;False\n", "30;100;70;True;False;True;True\n"
    transfer = ["torq_hw.dma_in_cfg", "torq_hw.dma_in_start", "torq_hw.dma_in_wait"]
    want = JOB_COLUMNS + "\n" + "".join(f"0;{name};;;{one}" for name in transfer)
    want += "".join(f"1;{name};;;{other}" for name in transfer * 6)
    want += f"1;torq_hw.slice_start;0;add_0;{other}1;torq_hw.slice_wait;0;add_0;{other}"
    want += "".join(f"1;{name.replace('in', 'out')};;;{other}" for name in transfer)
    equal(out.read_text(), want, "annotated")
    out, _ = annotate(folder, shared(REAL), text, "--keys")
    equal(out.read_text(), want.replace(JOB_COLUMNS, JOB_KEYS), "with the keys of Torq's tool")
    out, _ = annotate(folder, shared(REAL), text, "--columns", "operation,nss_program_index")
    equal(out.read_text().splitlines()[0], "torq-hw Operation in program;NSS Program Index", "chosen")


def test_engines_of_a_dump(folder):
    """All kinds of units; the flag of what still runs when a job begins."""
    dump = ROOT / "tests/testdata/torq_dump/units.9.executable-targets.mlir"
    out, _ = annotate(folder, dump, runtime("R4", actions_of(dump)))
    used = {name for row in rows(out) for name, value in row.items() if value == "True"}
    for name in ("slice_used_0", "slice_used_1", "dma_in_used", "dma_out_used", "cdma_used",
                 "css_used"):
        true(f"{name}_in_program" in used, f"{name} in {sorted(used)}")


def test_slice_that_runs_on(folder):
    """The wait for the slice is moved to a job of its own: both jobs use the slice."""
    text = shared(REAL).read_text()
    wait = re.search(r'\n *torq_hw\.nss_task \{"torq-task-id" = 8 : i64\}\(\) \{\n.*\n *\}', text)[0]
    program = ('          %90 = torq_hl.program "nss_program_2" {block_sizes = array<i32: 8>} : '
               "!torq_hl.program<nss> {\n          ^bb0(%arg0: memref<640xi8, #torq_hl<enc mem_space"
               " = lram>>):" + wait + "\n            torq_hl.return\n          }\n"
               '          %inv9, %code9 = torq_hl.descriptor "nss_program_2" on 0 program %90 : <nss>'
               ' code [] {"torq-job-id" = 2 : i32} : !torq_hl.invocation<nss>, memref<8xi8>\n'
               "          torq_hl.start_program %inv9 : !torq_hl.invocation<nss> args(%0 : "
               "memref<640xi8, #torq_hl<enc mem_space = lram>>) code(%0 : memref<640xi8, "
               '#torq_hl<enc mem_space = lram>>) {"torq-action-id" = 5 : i32}\n'
               "          torq_hl.wait_program %inv9 : !torq_hl.invocation<nss> "
               '{"torq-action-id" = 6 : i32}\n')
    at = text.index("\n", text.index('"torq-action-id" = 4')) + 1
    dump = write(folder / "x.mlir", text[:at].replace(wait, "") + program + text[at:])
    out, _ = annotate(folder, dump, runtime("R4", actions_of(dump)))
    last = rows(out)[-1]
    equal((last["job_id"], last["slice_used_0_in_program"], last["dma_in_used_in_program"],
           last["invocation_names"]), ("2", "True", "False", ""), "job that only waits")


# Every version ---------------------------------------------------------------------

def compiled(folder, network):
    """The dump and the program of a network."""
    phases = folder / network.stem
    run(program("torq-compile"), network, "-o", folder / "model.vmfb",
        f"--dump-compilation-phases-to={phases}")
    return phases / f"{network.stem}.9.executable-targets.mlir", folder / "model.vmfb"


def matched_everywhere(folder, dump, program_file=None):
    actions = actions_of(dump)
    true(actions, f"{dump}: no actions")
    for form in FORMS:
        if form == "R1" and not any(job is not None for *_, job in actions):
            continue
        text = runtime(form, actions, iterations=2)
        places = []  # as the dump has them, and the program
        for source in filter(None, (dump, program_file)):
            out, result = annotate(folder, source, text)
            equal(result.err, "", f"{source} with {form}")
            table = rows(out)
            if form == "R1":
                jobs = sum(event == "NSS_WAIT" for _, _, event, _ in actions)
                true(len(table) >= 2 * jobs, f"{len(table)} rows of {jobs} jobs")
                true(all(row["NSS Program Total Time [us]"] == "7" for row in table), "times")
                continue
            equal([int(row["action_id"]) for row in table],
                  [number for _, number, _, _ in actions] * 2, f"{source} with {form}: ids")
            times = {row["total_time"] for row in table}
            true(times <= {"7.0", ""}, f"{form}: times {times}")
            equal([row["job_id"] for row in table],
                  ["" if job is None else str(job) for *_, job in actions] * 2, "jobs")
            places.append([row["location"] for row in table])
        equal(places[1:], places[:1] if program_file and places else [], f"{dump} with {form}: locations")


def test_real_dump_with_every_version(folder):
    matched_everywhere(folder, shared(REAL))


def test_own_dumps_with_every_version(folder):
    for network in sorted([*(ROOT / "tests/testdata/tosa_ops").glob("*.mlir"),
                           *(ROOT / "samples/tosa").glob("*.mlir")]):
        matched_everywhere(folder, *compiled(folder, network))


def test_dumps_of_all_networks(folder):
    """One after the other, each version in its turn; one in five in a sanitized run."""
    networks = sorted(shared("data/tosa").glob("*.mlir"))
    true(len(networks) > 200, f"{len(networks)} networks")
    idle = []
    for index, network in enumerate(networks[::5 if SANITIZED else 1]):
        dump, _ = compiled(folder, network)
        actions = actions_of(dump)
        if not actions:  # all of it was calculated while compiling
            idle.append(network.name)
            continue
        jobs = any(job is not None for *_, job in actions)
        form = FORMS[index % 4] if jobs else FORMS[1 + index % 3]
        out, result = annotate(folder, dump, runtime(form, actions, iterations=2))
        equal(result.err, "", f"{network.name} with {form}")
        true(len(rows(out)) >= (2 if form == "R1" else 2 * len(actions)), f"{network.name}: rows")
        shutil.rmtree(dump.parent)
    true(len(idle) < 5, f"networks without an action: {idle}")


def test_original_operators(folder):
    network = ROOT / "tests/testdata/tosa_ops/add.mlir"
    shutil.copy(network, folder / "add.mlir")
    run(program("torq-compile"), "add.mlir", "-o", "model.vmfb",
        "--dump-compilation-phases-to=phases", cwd=folder)
    dump = folder / "phases/add.9.executable-targets.mlir"
    text = write(folder / "runtime.csv", runtime("R4", actions_of(dump)))
    lines = network.read_text().splitlines()
    numbers = [int(found) for found in re.findall(r'"add\.mlir":(\d+):', dump.read_text())]
    want = [f"{re.search(r'tosa[.][a-z_0-9]+', lines[number - 1])[0]}@L{number}"
            for number in sorted(set(numbers))]
    opscope("annotate", dump, text, "out.csv", cwd=folder)
    equal(sorted(rows(folder / "out.csv")[0]["original_operator"].split()), sorted(want),
          "source in the folder")
    (folder / "add.mlir").rename(folder / "phases/add.mlir")
    opscope("annotate", dump, text, "out.csv", cwd=folder)
    equal(len(rows(folder / "out.csv")[0]["original_operator"].split()), len(want), "beside")
    (folder / "phases/add.mlir").unlink()
    opscope("annotate", dump, text, "out.csv", cwd=folder)
    equal(len(rows(folder / "out.csv")[0]["original_operator"].split()), len(want), "of the phases")
    (folder / "phases/add.0.source.mlir").unlink()
    opscope("annotate", dump, text, "out.csv", cwd=folder)
    equal(rows(folder / "out.csv")[0]["original_operator"], "", "no source")
    opscope("annotate", dump, text, "out.csv", f"--original_mlir_file={network}", cwd=folder)
    equal(len(rows(folder / "out.csv")[0]["original_operator"].split()), len(want), "given")


def test_folder_of_debug_information(folder):
    """`annotate_profiling dbg events.csv out.csv`: locations name the source, which lies beside."""
    network = ROOT / "tests/testdata/tosa_ops/add.mlir"
    run(program("torq-compile"), network, "-o", "model.vmfb", "--torq-debug-info=dbg",
        "--dump-compilation-phases-to=phases", cwd=folder)
    dump = folder / "phases/add.9.executable-targets.mlir"
    write(folder / "events.csv", runtime("R4", actions_of(dump)))
    for source in ("dbg", "phases", dump, "./dbg/"):
        result = run(program("annotate_profiling"), source, "events.csv", "out.csv", cwd=folder)
        equal((result.out, result.err), ("", ""), f"{source}")
        waits = [row for row in rows(folder / "out.csv") if row["slice_used_0_in_program"] == "True"]
        true(waits and all("tosa.add@L21" in row["original_operator"] for row in waits), f"{source}")
    debug = run(program("annotate_profiling"), "--debug", "dbg", "events.csv", "out.csv", cwd=folder)
    matches(debug.err, r"^debug: program dbg/add\.executable-targets\.mlir: 1 dispatches, \d+ actions",
            "program")
    matches(debug.err, r"^debug: profile events\.csv: torq-r4, \d+ rows annotated, 0 not in", "profile")
    # A folder without one, with Torq's bytecode, with two.
    (folder / "empty").mkdir()
    contains(opscope("annotate", "empty", "events.csv", "x.csv", cwd=folder, code=1).err,
             "has 0 files *.executable-targets.mlir, not one; torq-compile --torq-debug-info")
    write(folder / "empty/main_dispatch_0.mlirb", b"ML\xefR")
    contains(opscope("annotate", "empty", "events.csv", "x.csv", cwd=folder, code=1).err, "bytecode")
    shutil.copy(dump, folder / "dbg/other.executable-targets.mlir")
    contains(opscope("annotate", "dbg", "events.csv", "x.csv", cwd=folder, code=1).err,
             "has 2 files")


def test_original_operators_of_onnx(folder):
    """A network without a text: locations name the lines of its listing."""
    network = ROOT / "tests/fuzz/corpus/onnx/quantized.onnx"
    run(program("torq-compile"), network, "-o", "model.vmfb", "--torq-debug-info=dbg", cwd=folder)
    dump = next((folder / "dbg").glob("*.executable-targets.mlir"))
    write(folder / "events.csv", runtime("R4", actions_of(dump)))
    listing = (folder / f"dbg/{network.stem}.0.source.mlir").read_text().splitlines()
    for source in ("dbg", "model.vmfb"):
        opscope("annotate", source, "events.csv", "out.csv", cwd=folder)
        table = [row for row in rows(folder / "out.csv") if row["operation"] != "torq_hl.host_copy"]
        for row in table:
            true(row["original_operator"], f"{source}: {row}")
            for word in row["original_operator"].split():
                name, line = word.split("@L")
                contains(listing[int(line) - 1], f'torch.operator "{name}"', word)
                contains(row["location"], f'"{network.stem}.mlir":{line}:5', "location")


# Forms of output -------------------------------------------------------------------

def test_workbook(folder):
    for form in FORMS:
        text = runtime(form, DUMP_ACTIONS)
        table = rows(annotate(folder, shared(REAL), text)[0])
        book = sheet(annotate(folder, shared(REAL), text, out="annotated.xlsx")[0])
        names = TITLES if form == "R1" else ACTION_TITLES
        equal(list(book[0].values()), names, f"{form}: titles")
        equal(len(book), 1 + len(table), f"{form}: rows")
        for cells, row in zip(book[1:], table):
            for letters, text_value in zip("ABCDEFGHIJKLMNO", row.values()):
                value = cells.get(letters, "")
                equal(f"{value:g}" if type(value) is float else str(value),
                      text_value.removesuffix(".0"), f"{form}: cell {letters}")


def test_json(folder):
    text = runtime("R4", DUMP_ACTIONS, iterations=2)
    out, _ = annotate(folder, shared(REAL), text, out="annotated.json")
    found = json.loads(out.read_text())
    equal((found["form"], found["unmatched"], found["missing"]), ("torq-r4", 0, 0), "head")
    equal([(row["invocation"], row["action_id"], row["dispatch"]) for row in found["rows"]],
          [(run_, number, dispatch) for run_ in (0, 1) for dispatch, number, *_ in DUMP_ACTIONS],
          "rows")
    equal(found["rows"][3]["slice_used_0_in_program"], True, "a flag")
    equal(found["rows"][0]["job_id"], None, "absent")


def test_trace(folder):
    for form in FORMS:
        text = runtime(form, DUMP_ACTIONS)
        out, _ = annotate(folder, shared(REAL), text, out="annotated.pb")
        overview = opscope("overview", out).out
        # Job 1 runs from the begin of its start to the end of its wait; R1 has the wait's 7 us.
        matches(overview, rf"Slice 0 +{'7' if form == 'R1' else '15'}\.000µs", f"{form}: overview")
        matches(overview, r"Slice 1 +0ns", f"{form}: overview")
        without_loss(out)


BREAKDOWN = ["NSS CFG Tasks", "CDMA", "NDMA In", "NDMA Out", "Slice 0", "Slice 1", "CSS"]
TRACKS = [
    ("Host", ["HAL", "NSS Programs", "Host Programs", "Host Copy"]),
    ("NPU Task Breakdown", BREAKDOWN),
    ("NPU Task Measurements", ["DMA In Used", "DMA Out Used", "CDMA Used", "Slice 0 Used",
                               "Slice 1 Used", "CSS Used"]),
]
ESTIMATES = [("NPU Task Breakdown", [f"{name} (Compile)" for name in ["NSS Programs", *BREAKDOWN]])]
OVERVIEW = [
    "00 OVERVIEW DMA COMBINED", "01 OVERVIEW COMPUTE COMBINED", "02 OVERVIEW DMA",
    "03 OVERVIEW CDMA", "04 OVERVIEW SLICE", "05 OVERVIEW SLICE 0", "06 OVERVIEW SLICE 1",
    "07 OVERVIEW CSS", "08 OVERVIEW DMA ONLY", "09 OVERVIEW COMPUTE ONLY",
    "10 OVERVIEW DMA COMPUTE OVERLAP", "11 OVERVIEW HAL", "12 OVERVIEW HOST",
    "13 OVERVIEW HOST COPY", "14 OVERVIEW IDLE", "15 OVERALL"]
LANES = ("select g.name grp, t.name lane, t.id id, s.name, s.ts, s.dur from slice s join track t on "
         "s.track_id = t.id join track g on t.parent_id = g.id order by g.id, t.id, s.ts, s.id")


def layout(trace):
    """Groups of a trace with their tracks, as `info` orders them."""
    found = []
    for indent, name in re.findall(r"^( {2}| {4})(\S.*?)(?:  .*)?$", opscope("info", trace, "--all").out, re.M):
        if len(indent) == 2:
            found.append((name, []))
        else:
            found[-1][1].append(name)
    return found


def test_layout_of_the_trace(folder):
    """Tracks and names of events as Torq's own tool has them."""
    text = runtime("R4", DUMP_ACTIONS) + (
        f"{HAL},7,-1,4000,HAL_QUEUE_WAIT_BEGIN\n{HAL},7,-1,4017,HAL_QUEUE_WAIT_END\n")
    out, _ = annotate(folder, shared(REAL), text, out="annotated.pb")
    equal(layout(out), [*TRACKS, *ESTIMATES, ("Compiler Input Locations", []),
                        ("Host Profile Overview", OVERVIEW)], "tracks")
    spans = without_loss(out, "select t.name lane, s.name, s.ts, s.dur from slice s join track t on "
                              "s.track_id = t.id where t.name not like '%OVER%' and t.name not like "
                              "'%(Compile)' order by t.name, s.ts")
    one = "Nss Program | nss_program_0 |  | Job: 0 | Start Action: 1 | Wait Action: 2"
    other = ("Nss Program | nss_program_1 | | Torq Kernels: [add_0] | Job: 1 | Start Action: 3 | "
             "Wait Action: 4")
    first, second = (5008000, 15000), (5024000, 15000)
    equal([(span["lane"], span["name"], int(span["ts"]), int(span["dur"])) for span in spans],
          [("DMA In Used", one, *first), ("DMA In Used", other, *second),
           ("DMA Out Used", other, *second), ("HAL", "Hal | HAL_QUEUE_WAIT", 4000000, 17000),
           ("Host Copy", "Host Copy | ", 5000000, 7000), ("NSS Programs", one, *first),
           ("NSS Programs", other, *second), ("Slice 0 Used", other, *second)], "events")
    overview = opscope("overview", out).out
    for row in (r"OVERALL +1\.039ms", r"Dma +30\.000µs", r"Compute +15\.000µs", r"Overlap +15\.000µs",
                r"Hal +17\.000µs", r"Host Copy +7\.000µs", r"Idle +985\.000µs"):
        matches(overview, rf"^ *{row}", row)


def cycles_of(dump):
    """What the compiler wrote into its dump: programs as (name, start, end), tasks of the controller
    as (number, start, end), and engines as (operation, cycles), in the order of the text."""
    programs, tasks, engines, names, starts = [], [], [], {}, {}
    for line in dump.read_text().splitlines():
        start, end, lasts = (re.search(rf'"torq-{what}-cycles" = (\d+)', line)
                             for what in ("start-time", "end-time", "async-duration"))
        if made := re.match(r'\s*(%\w+).*torq_hl\.descriptor "(nss\w+)"', line):
            names[made[1]] = made[2]
        if "torq_hw.nss_task" in line:
            tasks.append((int(re.search(r'"torq-task-id" = (\d+)', line)[1]), int(start[1]), int(end[1])))
        elif lasts:
            engines.append((re.search(r"torq_hw\.(\w+)_start", line)[1], int(lasts[1])))
        elif of := re.search(r"torq_hl\.(start|wait)_program (%\w+) : !torq_hl\.invocation<nss>", line):
            if of[1] == "start":
                starts[of[2]] = int(start[1])
            else:
                programs.append((names[of[2]], starts[of[2]], int(end[1])))
    return programs, tasks, engines


def test_estimates_beside_the_runtime(folder):
    """Lanes of a program's estimate begin where it began; cycles are those of the dump."""
    run(program("torq-compile"), ROOT / "tests/testdata/tosa_ops/add.mlir", "-o", "model.vmfb",
        "--torq-rules=public", "--torq-enable-profiling", "--torq-debug-info=dbg", cwd=folder)
    dump = folder / "dbg/add.executable-targets.mlir"
    programs, tasks, engines = cycles_of(dump)
    true(len(programs) > 1 and len(tasks) > 10 and len(engines) > 5, "a program of some size")
    out, _ = annotate(folder, dump, runtime("R4", actions_of(dump), step=500), "--torq-rules=public",
                      out="annotated.pb")
    spans = without_loss(out, LANES)
    lane = lambda name: [span for span in spans if span["lane"] == name]
    began = [int(span["ts"]) for span in lane("NSS Programs")]
    equal([(int(span["ts"]), int(span["dur"])) for span in lane("NSS Programs (Compile)")],
          [(at, 10 * (end - start)) for at, (_, start, end) in zip(began, programs)], "programs")
    want = []
    for number, start, end in tasks:
        at, (_, zero, _) = next((at, item) for at, item in zip(began, programs)
                                if item[1] <= start and end <= item[2])
        if end > start:
            want.append((f"Nss Cfg | Task: {number} | ", at + 10 * (start - zero), 10 * (end - start)))
    got = [(re.match(r"Nss Cfg \| Task: \d+ \| ", span["name"])[0], int(span["ts"]), int(span["dur"]))
           for span in lane("NSS CFG Tasks (Compile)")]
    equal(got, want, "tasks of the controller")
    for operation, prefix, names in (("dma_in", "Dma In | ", ["NDMA In"]),
                                     ("dma_out", "Dma Out | ", ["NDMA Out"]),
                                     ("slice", "Slice Program | ", ["Slice 0", "Slice 1"])):
        worked = [int(span["dur"]) for name in names for span in lane(f"{name} (Compile)")
                  if span["name"].startswith(prefix)]
        equal(sorted(worked), sorted(10 * cycles for name, cycles in engines if name == operation),
              operation)
    fast, _ = annotate(folder, dump, runtime("R4", actions_of(dump), step=500), "--torq-rules=public",
                       "--clock_mhz=1000", out="fast.pb")
    equal([int(span["dur"]) for span in without_loss(fast, LANES)
           if span["lane"] == "NSS Programs (Compile)"], [end - start for _, start, end in programs],
          "another clock")
    host = {span["name"] for span in spans if span["grp"] == "Compiler Input Locations"}
    true(host and all(name.startswith("Host Copy | @L") for name in host), f"by location: {host}")


def united(spans):
    return len({tick for start, length in spans for tick in range(start, start + length)})


def test_debug_information_as_a_trace(folder):
    """`perfetto_logger dbg --pb folder`: all that is expected, by engine and by place of the text."""
    run(program("torq-compile"), ROOT / "tests/testdata/tosa_ops/add.mlir", "-o", "model.vmfb",
        "--torq-debug-info=dbg", cwd=folder)
    run(program("perfetto_logger"), "dbg", "--pb", "out/traces", cwd=folder)
    out, = (folder / "out/traces").iterdir()
    equal(out.name, actions_of(folder / "dbg/add.executable-targets.mlir")[0][0] + ".pb", "its name")
    # Beside the program lies no text whose operators could be named.
    for source, groups in (("dbg/add.executable-targets.mlir", 6), ("model.vmfb", 5)):
        run(program("perfetto_logger"), source, "--pb", "one/more/x.pb", cwd=folder)
        equal(len(layout(folder / "one/more/x.pb")), groups, source)
    shown = layout(out)
    equal(shown[:3], TRACKS, "tracks")
    equal([name for name, _ in shown[3:]],
          ["Compiler Input Locations", "Operator Type Totals", "Compile Profile Overview"], "groups")
    equal(shown[5][1], OVERVIEW, "overview")
    spans = [(span["grp"], span["lane"], span["id"], span["name"], int(span["ts"]), int(span["dur"]))
             for span in without_loss(out, LANES)]
    units = [span for span in spans if span[0] == "NPU Task Breakdown" and span[3] != "WAITING"]
    labels, totals = {span[1] for span in spans if span[0] == shown[3][0]}, {}
    true(labels, "places")
    for label in labels:
        mine = [span for span in spans if span[1] == label]
        of = lambda *kinds: [span[4:] for span in mine if span[3].startswith(kinds)]
        moves, computes = of("Dma", "Cdma"), of("Slice", "Css")
        both = united(moves) + united(computes) - united(moves + computes)
        figures = {"SLICE": united(of("Slice")), "DMA": united(of("Dma")), "DMA_IN": united(of("Dma In")),
                   "DMA_OUT": united(of("Dma Out")), "DMA_COMBINED": united(moves),
                   "COMPUTE_COMBINED": united(computes), "DMA_ONLY": united(moves) - both,
                   "COMPUTE_ONLY": united(computes) - both, "DMA_COMPUTE_OVERLAP": both}
        time = lambda ns: f"{ns / 1000:.3f}µs" if ns >= 1000 else f"{ns}ns"
        whole = united(span[4:] for span in mine)
        name = re.match(r'(tosa\.\w+)@L\d+|"[^"]+":\d+:\d+', label)
        equal(label, " \n ".join([f"{name[0]} - {time(whole)}"] +
                                 [f"{key}: {time(ns)}" for key, ns in figures.items() if ns > 0]), "label")
        if name[1]:
            totals[name[1]] = totals.get(name[1], 0) + whole
        true({span[3:5] for span in mine} - {span[3:5] for span in spans if span[1] == "Host Copy"}
             <= {span[3:5] for span in units}, f"work of {name[0]}")
    equal([span[1:2] + span[3:] for span in spans if span[0] == "Operator Type Totals"],
          [(f"{place:02} {name}", f"{name}: {time(ns)}", 0, ns) for place, (name, ns) in
           enumerate(sorted(totals.items(), key=lambda item: (-item[1], item[0])), 1)], "totals")
    for words in (("dbg", "dbg", "--pb", "x.pb"), ("dbg",), ("dbg", "--runtime_profile", "r", "--pb", "x")):
        run(program("perfetto_logger"), *words, cwd=folder, code=2)


def test_fold(folder):
    """Ten runs of 1 to 10 us, out of order: the median lies between 5 and 6, p90 is 9."""
    lines, at = [HEADERS["R4"]], 0
    for index, time in enumerate([3, 1, 10, 2, 9, 4, 8, 5, 7, 6]):
        for dispatch, number, event, _ in DUMP_ACTIONS:
            lines += [f"{dispatch},{index},{number},{at},{event}_BEGIN",
                      f"{dispatch},{index},{number},{at + time},{event}_END"]
            at += time
    out, _ = annotate(folder, shared(REAL), "\n".join(lines) + "\n", "--fold")
    equal(out.read_text().splitlines()[0], ACTION_COLUMNS +
          ";runs;total_time_min;total_time_median;total_time_p90;total_time_max", "header")
    equal([[row[name] for name in ("action_id", "total_time", "timestamp_start", "runs",
                                   "total_time_min", "total_time_median", "total_time_p90",
                                   "total_time_max")] for row in rows(out)],
          [[str(number), "5.5", "", "10", "1.0", "5.5", "9.0", "10.0"] for number in range(5)],
          "rows")
    opscope("annotate", shared(REAL), folder / "runtime.csv", folder / "x.pb", "--fold", code=2)


# Runs and ids ----------------------------------------------------------------------

def test_runs_within_a_microsecond(folder):
    """Actions that take no time at all still belong to their own run."""
    text = runtime("R2", DUMP_ACTIONS, iterations=3, step=0).splitlines()
    same = [re.sub(r"^(\d+),\d+,\d+", r"\1,0,77", line) for line in text[1:]]
    out, result = annotate(folder, shared(REAL), "\n".join(text[:1] + same) + "\n")
    equal(result.err, "", "report")
    equal([row["action_id"] for row in rows(out)], [str(number) for number in range(5)] * 3, "ids")


def test_other_ids_are_kept(folder):
    dump = shared(REAL)
    more = DUMP_ACTIONS + [("main_dispatch_0_elementwise", 9, "HOST_COPY", None),
                           ("other", 0, "HOST_COPY", None)]
    out, result = annotate(folder, dump, runtime("R4", more), "--keep-unmatched", code=3)
    table = rows(out)
    equal([(row["action_id"], row["operation"], row["total_time"]) for row in table[5:]],
          [("9", "HOST_COPY", "7.0"), ("0", "HOST_COPY", "7.0")], "kept")
    contains(result.err, "action 9 (HOST_COPY)")
    contains(result.err, "action 0 (HOST_COPY) of invocation 1 is not in the program's other")
    out, result = annotate(folder, dump, runtime("R4", DUMP_ACTIONS[:3]), code=3)
    equal([row["total_time"] for row in rows(out)], ["7.0"] * 3 + [""] * 2, "missing ones")
    contains(result.err, "nothing is there of 2 actions")
    out, result = annotate(folder, dump, HEADERS["R1"] + "\n7;50;5;\n", "--keep-unmatched", code=3)
    contains(result.err, "job 7")
    equal([row["NSS Program Total Time [us]"] for row in rows(out)
           if row["NSS Program Index"] == "7"], ["5"], "the job")
    run(program("annotate_profiling"), dump, folder / "runtime.csv", folder / "x.csv",
        "--keep-unmatched")


def test_dump_of_another_program(folder):
    """What the program cannot have done is an error, under Torq's name as well, and nothing is
    written."""
    dump, dispatch = shared(REAL), DUMP_ACTIONS[0][0]
    longer = [(dispatch, 5, "NSS_START", 2), (dispatch, 6, "NSS_WAIT", 2)]
    kind = [(dispatch, 0, "ALLOC", None), *DUMP_ACTIONS[1:]]
    named = [("another_dispatch", *action[1:]) for action in DUMP_ACTIONS]
    cases = [(form, DUMP_ACTIONS + longer) for form in FORMS]
    cases += [(form, kind) for form in FORMS[1:]] + [("R4", named)]
    for form, actions in cases:
        _, result = annotate(folder, dump, runtime(form, actions), out="wrong.csv", code=1)
        contains(result.err, "the program is not the one that ran", f"{form} {actions[-1]}")
        run(program("annotate_profiling"), dump, folder / "runtime.csv", folder / "wrong.csv", code=1)
        true(not (folder / "wrong.csv").exists(), f"{form}: written")
        annotate(folder, dump, runtime(form, actions), "--keep-unmatched", code=3)
    # Runs that are known to be whole and stop short of the program's end.
    short = runtime("R4", DUMP_ACTIONS[:3]) + (
        f"{dispatch},0,-1,4999,DISPATCH_BEGIN\n{dispatch},0,-1,5099,DISPATCH_END\n")
    for text in (short, runtime("R1", DUMP_ACTIONS[:3], 2), runtime("R2", DUMP_ACTIONS[:3], 3)):
        contains(annotate(folder, dump, text, code=1)[1].err, "gets to its last", "short")
        annotate(folder, dump, text, "--keep-unmatched", code=3)


def shuffled(text, seed, times=False):
    """Rows of an R4, each invocation's in another order; `times`: all within a microsecond."""
    header, *lines = text.splitlines()
    if times:
        lines = [re.sub(r",\d+,(\w+)$", r",77,\1", line) for line in lines]
    groups = {}
    for line in lines:
        groups.setdefault(line.split(",")[1], []).append(line)
    for group in groups.values():
        random.Random(seed).shuffle(group)
    return "\n".join([header, *(line for group in groups.values() for line in group)]) + "\n"


def test_shuffled_rows(folder):
    """Whatever the order of an invocation's rows, the table is the same, and nothing is lost."""
    for step in (7, 0):
        text = runtime("R4", DUMP_ACTIONS, iterations=3, step=step)
        want = annotate(folder, shared(REAL), text)[0].read_text()
        for seed in range(8):
            out, result = annotate(folder, shared(REAL), shuffled(text, seed))
            equal((out.read_text(), result.err), (want, ""), f"step {step}, seed {seed}")
            without_loss(annotate(folder, shared(REAL), shuffled(text, seed), out="x.pb")[0])
    at_once = shuffled(runtime("R4", DUMP_ACTIONS, step=0), 1, times=True)
    equal([row["total_time"] for row in rows(annotate(folder, shared(REAL), at_once)[0])],
          ["0.0"] * 5, "all within a microsecond")


def test_one_of_two_times(folder):
    """A wait without its end keeps its start, an end without its begin its end."""
    lines = runtime("R4", DUMP_ACTIONS).splitlines()
    for missing, want in (("4,5039,NSS_WAIT_END", ("5032.0", "")),
                          ("4,5032,NSS_WAIT_BEGIN", ("", "5039.0"))):
        kept = [line for line in lines if not line.endswith(missing)]
        equal(len(kept), len(lines) - 1, "one row less")
        out, _ = annotate(folder, shared(REAL), "\n".join(kept) + "\n", code=3)
        last = rows(out)[-1]
        equal((last["timestamp_start"], last["timestamp_end"], last["total_time"]), (*want, ""),
              missing)
        run(program("annotate_profiling"), shared(REAL), folder / "runtime.csv", folder / "x.csv")
        equal((folder / "x.csv").read_text(), out.read_text(), "under Torq's name")
    # R2 as well.
    text = runtime("R2", DUMP_ACTIONS).splitlines()
    out, _ = annotate(folder, shared(REAL), "\n".join(text[:-1]) + "\n", code=3)
    equal([rows(out)[-1][name] for name in ("timestamp_start", "timestamp_end")], ["5032.0", ""], "R2")


def test_invocations_numbered_again(folder):
    """The runtime counts from 0 whenever it is started: two logs behind one another."""
    one, other = (runtime("R4", DUMP_ACTIONS, iterations=2, start=start) for start in (5000, 9000))
    both = one + other.split("\n", 1)[1]
    out, result = annotate(folder, shared(REAL), both)
    equal(result.err, "", "nothing to report")
    equal([(row["action_id"], row["total_time"]) for row in rows(out)],
          [(str(number), "7.0") for number in range(5)] * 4, "rows")
    equal([float(row["timestamp_start"]) for row in rows(out)],
          sorted(float(row["timestamp_start"]) for row in rows(out)), "in order of time")


HAL = "__HAL_QUEUE_EXECUTE__"


def test_hal_calls_come_last(folder):
    text = runtime("R4", DUMP_ACTIONS) + (
        f"{HAL},7,-1,10,HAL_CALL_BEGIN\n{HAL},7,-1,14,HAL_CALL_END\n")
    out, _ = annotate(folder, shared(REAL), text)
    last = rows(out)[-1]
    equal((last["action_id"], last["operation"], last["total_time"], last["location"]),
          ("", f"{HAL}.HAL_CALL", "4.0", "HAL_QUEUE_EXECUTE"), "last row")


def test_hal_calls_give_way(folder):
    """A call of the HAL lasts 413 us, what it does of its own 17."""
    finer = [("HAL_QUEUE_WAIT", 1000, 1010), ("HAL_QUEUE_SIGNAL", 1400, 1407)]
    lines = [f"{HAL},7,-1,1000,HAL_CALL_BEGIN", f"{HAL},7,-1,1413,HAL_CALL_END"]
    for name, start, end in finer:
        lines += [f"{HAL},7,-1,{start},{name}_BEGIN", f"{HAL},7,-1,{end},{name}_END"]
    alone = [f"{HAL},8,-1,2000,HAL_CALL_BEGIN", f"{HAL},8,-1,2003,HAL_CALL_END"]
    for seed in range(4):
        text = shuffled("\n".join([HEADERS["R4"], *lines, *alone]) + "\n", seed)
        source = write(folder / "hal.csv", text)
        matches(opscope("overview", source).out, r"Hal +20\.000µs",
                "10 and 7 us, and the 3 us of a call that says no more")
        run(program("perfetto_logger"), "--runtime_profile", source, "--pb", folder / "hal.pb")
        matches(opscope("overview", folder / "hal.pb").out, r"Hal +20\.000µs", "of the trace")
        out, _ = annotate(folder, shared(REAL), runtime("R4", DUMP_ACTIONS) +
                          text.split("\n", 1)[1])
        equal([(row["operation"], row["location"]) for row in rows(out)[5:]],
              [(f"{HAL}.HAL_QUEUE_WAIT", "HAL_QUEUE_WAIT"),
               (f"{HAL}.HAL_QUEUE_SIGNAL", "HAL_QUEUE_SIGNAL"),
               (f"{HAL}.HAL_CALL", "HAL_QUEUE_EXECUTE")], "rows")


# Use -------------------------------------------------------------------------------

def test_document_commands(folder):
    """The commands of documents 000 and 001, on what torq-compile dumps."""
    for network, form in (("tests/testdata/tosa_ops/add.mlir", "R2"), ("samples/tosa/fc.mlir", "R1")):
        stem = pathlib.Path(network).stem
        run(program("torq-compile"), ROOT / network, "-o", "model.vmfb",
            "--dump-compilation-phases-to=./compilation_phases", cwd=folder)
        dump = f"./compilation_phases/{stem}.9.executable-targets.mlir"
        write(folder / "runtime.csv", runtime(form, actions_of(folder / dump)))
        run(sys.executable, ROOT / "scripts/annotate_profiling.py", dump, "./runtime.csv",
            "./annotated_runtime.csv", cwd=folder,
            env={"PATH": f"{program('opscope').parent}:{os.environ['PATH']}"})
        equal((folder / "annotated_runtime.csv").read_text().splitlines()[0],
              JOB_COLUMNS if form == "R1" else ACTION_COLUMNS, "header")


def test_wrong_use(folder):
    dump = shared(REAL)
    source = write(folder / "r.csv", runtime("R2", DUMP_ACTIONS))
    contains(opscope("annotate", dump, source, code=2).err, "give a dump or program")
    contains(opscope("annotate", dump, source, folder / "x.txt", code=2).err, ".xlsx")
    opscope("annotate", dump, source, source, code=2)
    opscope("annotate", dump, folder / "none.csv", folder / "x.csv", code=1)
    network = ROOT / "tests/testdata/tosa_ops/add.mlir"
    contains(opscope("annotate", network, source, folder / "x.csv", code=1).err,
             "is a network (TOSA), which 'annotate' does not read")
    compile_form = write(folder / "c.csv", "ID,Start,End,Location,Op Type\nDI0,0,1,x,DMA_IN\n")
    opscope("annotate", dump, compile_form, folder / "x.csv", code=1)


main()
