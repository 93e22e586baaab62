"""opscope annotate PROGRAM PROFILE: tables of a run, against the files read by other code."""

import collections
import csv
import io
import zipfile

from support import *
from onnx_writer import *
import program_checker
import run_checker

TARGET = "torq-sl2610"
CONV = ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir"
COLUMNS = (
    "action_id;job_id;operation;invocation_names;original_operator;total_time;"
    "slice_used_0_in_program;slice_used_1_in_program;dma_in_used_in_program;"
    "dma_out_used_in_program;cdma_used_in_program;css_used_in_program;"
    "timestamp_start;timestamp_end;location;"
    "iteration;task_id;lane;tile;bytes;bandwidth_mb_s;operators;device")
FOLDED = ";runs;total_time_min;total_time_median;total_time_p90;total_time_max"
HOST = "host: times are this machine's"


def recorded(folder, network, *options, target=TARGET, name="n"):
    program, profile = folder / f"{name}.opx", folder / f"{name}.prof"
    opscope("compile", network, "--target", target, "-o", program)
    opscope("run", program, "--max-elements", 1, "--profile", profile, *options)
    return program, profile


def table(folder, program, profile, *options, code=0, name="out.csv"):
    result = opscope("annotate", program, profile, folder / name, *options, code=code)
    text = (folder / name).read_text()
    return list(csv.DictReader(io.StringIO(text), delimiter=";")), result


def times_of(run_of):
    """us of every task and action, by iteration; and the first start of all, in ns."""
    found, first = {}, min(run_of.profile.nanoseconds(span)[0] for span in run_of.spans)
    for span in run_of.spans:
        start, end = run_of.profile.nanoseconds(span)
        task = span.values.get("program_task")
        key = ("action", span.values.get("dispatch"), span.values["action"]) if task is None \
            else ("task", task)
        found[span.values["iteration"], *key] = (start - first, end - first)
    return found


def near(text, ns, what):
    true(abs(float(text) * 1000 - ns) <= 2, f"{what}: {text} us instead of {ns} ns")


def bytes_of(program, task):
    """What a task moves: the box of a transfer, all boxes of kernels."""
    operands = program.operands[task.first_operand:][:task.operand_count]
    sizes = [program_checker.volume(operand.size[:operand.rank]) *
             program_checker.ELEMENT_BYTES[program.buffers[operand.buffer].element]
             for operand in operands]
    return sizes[0] if task.kind == program_checker.TRANSFER else sum(sizes)


def test_every_action_and_task_has_its_row(folder):
    program, profile = recorded(folder, CONV, "-n", 3, "--threads", 2)
    rows, result = table(folder, program, profile)
    equal((folder / "out.csv").read_text().splitlines()[0], COLUMNS, "header")
    equal(result.err, "", "nothing to report")
    run_of = run_checker.read(program, profile)
    times = times_of(run_of)
    equal(len(rows), len(times), "rows")
    for row in rows:
        iteration = int(row["iteration"])
        equal(row["device"], HOST, "whose times")
        if not row["task_id"]:
            [found] = [time for key, time in times.items() if key[:2] == (iteration, "action")
                       and key[3] == int(row["action_id"])]
            near(row["total_time"], found[1] - found[0], f"action {row['action_id']}")
            contains(row["location"], "backbone/conv", f"location of action {row['action_id']}")
            continue
        number = int(row["task_id"])
        task = run_of.program.tasks[number]
        start, end = times[iteration, "task", number]
        near(row["timestamp_start"], start, f"start of task {number}")
        near(row["total_time"], end - start, f"time of task {number}")
        equal(row["lane"], run_of.lane_of(task), f"lane of task {number}")
        equal(int(row["bytes"]), bytes_of(run_of.program, task), f"bytes of task {number}")
        rate = int(row["bytes"]) / float(row["total_time"])  # bytes a us are MB a s
        close_to(float(row["bandwidth_mb_s"]), rate, 0.011 + rate * 0.003, f"bandwidth of task {number}")
        equal(row["operators"], "backbone/conv, backbone/conv/rescale", f"operators of task {number}")
        equal(row["job_id"], str(run_of.program.jobs[task.job].number), f"job of task {number}")


def test_operators_of_the_source(folder):
    (folder / CONV.name).write_bytes(CONV.read_bytes())
    program, profile = recorded(folder, folder / CONV.name)
    opscope("annotate", program.name, profile.name, "out.csv", cwd=folder)
    rows = list(csv.DictReader(io.StringIO((folder / "out.csv").read_text()), delimiter=";"))
    [slices] = {row["original_operator"] for row in rows if row["operation"] == "slice"}
    for word in slices.split():
        name, _, line = word.partition("@L")
        contains(CONV.read_text().splitlines()[int(line) - 1], name, "the line of the source")


def quantile_rows(rows):
    """What --fold must give, from the rows of every iteration."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["job_id"], row["action_id"], row["task_id"], row["operation"]].append(
            round(float(row["total_time"]) * 1000))
    for key, times in groups.items():
        times.sort()
        count = len(times)
        median = (times[(count - 1) // 2] + times[count // 2]) / 2
        yield key, [count, times[0] / 1000, median / 1000, times[count - 1 - count // 10] / 1000,
                    times[-1] / 1000]


def test_iterations_fold(folder):
    program, profile = recorded(folder, CONV, "-n", 10)
    rows, _ = table(folder, program, profile)
    folded, _ = table(folder, program, profile, "--fold")
    equal((folder / "out.csv").read_text().splitlines()[0], COLUMNS + FOLDED, "header")
    want = dict(quantile_rows(rows))
    equal(len(folded), len(want), "rows")
    for row in folded:
        found = want[row["job_id"], row["action_id"], row["task_id"], row["operation"]]
        equal([float(row[name]) for name in FOLDED[1:].split(";")], found, f"task {row['task_id']}")
        equal(row["total_time"], row["total_time_median"], "the time shown")
        equal((row["iteration"], row["timestamp_start"]), ("", ""), "no place in time")


def test_other_forms_have_the_same_rows(folder):
    program, profile = recorded(folder, CONV, "-n", 2)
    rows, _ = table(folder, program, profile)
    opscope("annotate", program, profile, folder / "out.json")
    found = json.loads((folder / "out.json").read_text())
    equal((found["form"], found["unmatched"], found["missing"]), ("opscope-run", 0, 0), "head")
    equal(len(found["rows"]), len(rows), "rows")
    for item, row in zip(found["rows"], rows):
        equal(item["matched"], True, "matched")
        for name in ("task_id", "bytes", "total_time", "bandwidth_mb_s", "action_id"):
            equal(item[name], float(row[name]) if row[name] else None, name)
        for name in ("lane", "operators", "device", "operation"):
            equal(item[name], row[name] or None, name)
    opscope("annotate", program, profile, folder / "out.xlsx")
    with zipfile.ZipFile(folder / "out.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    equal(sheet.count("<row "), len(rows) + 1, "rows of the workbook")
    contains(sheet, "this machine", "whose times, in the workbook")


def test_trace(folder):
    program, profile = recorded(folder, CONV, "-n", 2, "--threads", 2)
    rows, _ = table(folder, program, profile)
    trace = folder / "out.pb"
    opscope("annotate", program, profile, trace)
    spans = without_loss(
        trace, "select t.name as lane, count(*) as spans, sum(extract_arg(s.arg_set_id,"
        " 'debug.bytes')) as bytes from slice s join thread_track k on s.track_id = k.id"
        " join thread t using(utid) where t.name like '% annotated' group by t.name")
    want = collections.Counter(row["lane"] for row in rows if row["task_id"])
    sizes = collections.Counter()
    for row in rows:
        sizes[row["lane"]] += int(row["bytes"] or 0)
    equal({span["lane"]: (span["spans"], span["bytes"]) for span in spans},
          {f"{lane} annotated": (count, sizes[lane]) for lane, count in want.items()}, "lanes")
    # The run's own trace says as much as its profile.
    opscope("convert", profile, "-o", folder / "run.pb")
    again, _ = table(folder, program, folder / "run.pb", name="again.csv")
    equal([(row["task_id"], row["lane"], row["bytes"]) for row in again],
          [(row["task_id"], row["lane"], row["bytes"]) for row in rows], "by way of a trace")


def test_modelled_runs_say_so(folder):
    program, profile = recorded(folder, CONV, "--device", "sim")
    rows, result = table(folder, program, profile)
    equal(result.err, "", "nothing to report")
    equal({row["device"] for row in rows}, {"sim: times are modelled"}, "whose times")
    tasks = [row for row in rows if row["task_id"]]
    equal(len(tasks), len(run_checker.read(program, profile).program.tasks), "tasks")
    true(all(row["total_time"] for row in tasks), "times")


def test_groups_are_shown(folder):
    program, profile = recorded(folder, CONV, "-n", 4)
    text = opscope("annotate", program, profile).out
    contains(text, "4 iterations", "iterations")
    contains(text, f"{HOST}; they say nothing about {TARGET}", "whose times")
    true(max(map(len, text.splitlines())) <= 100, "width")
    said = opscope("annotate", program, profile, "--json").json()
    equal((said["target"], said["device"], said["iterations"]), (TARGET, HOST, 4), "head")
    rows, _ = table(folder, program, profile)
    sums = collections.Counter()
    for row in rows:
        if row["task_id"]:
            sums[row["iteration"]] += round(float(row["total_time"]) * 1000)
    low, high = sorted(sums.values())[1:3]
    close_to(said["groups"][0]["median_ns"], (low + high) / 2, 1, "the only group")
    program, profile = recorded(folder, CONV, target="host")
    true("they say nothing" not in opscope("annotate", program, profile).out, "host is this machine")


def test_what_does_not_match_is_kept(folder):
    program, _ = recorded(folder, CONV)
    other, profile = recorded(folder, ROOT / "samples/tosa/fc.mlir", name="other")
    rows, result = table(folder, program, profile, code=3)
    tasks = len(run_checker.read(other, profile).program.tasks)
    kept = [row for row in rows if row["total_time"]]
    actions = len(run_checker.read(other, profile).program.actions)
    equal(len(kept), tasks + actions, "every span has a row")
    contains(result.err, "the profile is of network 'fc.mlir'", "another network")
    contains(result.err, "nothing is there of", "missing ones")
    contains(result.err, "is not in the program", "unmatched ones")
    opscope("annotate", program, profile, folder / "out.json", code=3)
    said = json.loads((folder / "out.json").read_text())
    equal(said["unmatched"], sum(not row["matched"] for row in said["rows"]), "counted")
    true(said["missing"] > 0, "counted as missing")


def test_a_program_without_tasks_has_no_rows(folder):
    network = write(folder / "same.mlir", "func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {\n"
                    "  return %a : tensor<2xi8>\n}\n")
    program, profile = recorded(folder, network)
    rows, result = table(folder, program, profile)
    equal((rows, result.err), ([], ""), "rows and report")
    equal(table(folder, program, profile, "--fold")[0], [], "folded rows")
    contains(opscope("annotate", program, profile).out, "no task ran", "nothing to show")


def test_public_networks_match(folder):
    networks = sorted(shared("data/tosa").glob("*.mlir"))
    for network in networks if os.environ.get("OPSCOPE_ALL") else networks[5::80 if SANITIZED else 25]:
        program, profile = recorded(folder, network)
        rows, result = table(folder, program, profile)
        equal(result.err, "", f"{network}: nothing to report")
        true(all(row["total_time"] for row in rows), f"{network}: times")


def test_wrong_use(folder):
    program, profile = recorded(folder, CONV)
    runtime = write(folder / "r.csv", "dispatch_name,invocation_id,action_id,timestamp_us,event\n")
    contains(opscope("annotate", program, runtime, code=2).err, "and the output", "CSV without OUT")
    contains(opscope("annotate", program, code=2).err, "give a dump or program", "one file")
    contains(opscope("annotate", program, profile, folder / "x.txt", code=2).err, ".xlsx", "format")
    contains(opscope("annotate", CONV, profile, code=1).err, "is a network (TOSA)", "a network")
    empty = write(folder / "e.csv", "ID,Start,End,Location,Op Type\nDI0,0,1,x,DMA_IN\n")
    opscope("convert", empty, "-o", folder / "e.prof")
    contains(opscope("annotate", program, folder / "e.prof", code=1).err, "opscope run PROGRAM",
             "a profile of something else")
    cut = write(folder / "cut.prof", profile.read_bytes()[:-300])
    opscope("annotate", program, cut, folder / "x.csv", code=3)
    opscope("annotate", program, write(folder / "none.prof", ""), folder / "x.csv", code=None)


main()
