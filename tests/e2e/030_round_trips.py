"""What goes from one form to another and back is the same, as far as the forms go."""
import csv
import gzip
import random
from collections import Counter

from support import *
from spans import *
from torq_compile import *
from torq_runtime import *

SPANS = random_spans(400, seed=1) + random_spans(40, seed=2, start=2**33)
HEADS = {"c1": "ID,Start,End,Location,Op Type",
         "c4": "taskId, elapsed_time(us), timestamp(us), event, location, bytes",
         "r1": "ID;time_since_open;time_since_start;Location",
         "r2": "actionIndex, elapsed_time(us), timestamp(us), event, location",
         "r4": "dispatch_name,invocation_id,action_id,timestamp_us,event"}


def convert(folder, path, *steps):
    """Converts from step to step ("prof", "pb", "torq-c1" ...); returns the last file."""
    for number, step in enumerate(steps):
        form = ["--to", step] if step.startswith("torq-") else []
        out = folder / f"{number}.{'csv' if form else step}"
        result = opscope("convert", path, "-o", out, *form)
        matches(result.err, r"\A(ledger: .* 0 lost, 0 impossible\n(  remark: .*\n)+)?\Z")
        path = out
    return path


def table(path, form):
    """The rows of a CSV as Python's own reader sees them, without the header. The location of
    R1 and R2 is all that is left of a row, and is quoted only where it is no whole `loc(...)`."""
    separator = ";" if form == "r1" else ","
    lines = path.read_text().splitlines()
    rows = list(csv.reader(lines, delimiter=separator))
    last = {"r1": 3, "r2": 4}.get(form)
    for index, line in enumerate(lines if last else ()):
        raw = line.split(separator, last)[-1]
        if raw.startswith("loc("):
            rows[index] = [*line.split(separator, last)[:-1], raw]
    if form in HEADS:
        equal(path.read_text().splitlines()[0], HEADS[form], f"header of {form}")
        return rows[1:]
    return rows


def bag(rows):
    return sorted(Counter(map(tuple, rows)).items())


# Compile profiles --------------------------------------------------------------

NAMES = {"DMA IN": "DMA_IN", "DMA OUT": "DMA_OUT", "CSS": "CSS"}


def projected(row, source, target):
    """What `target` keeps of a row that came from `source`; its own IDs aside."""
    args = dict(row.args)
    start, length = start_of(row), args["cycles"]
    if target == "c4":
        names = {"DMA IN": "DMA In", "DMA OUT": "DMA Out", "CSS": "CSS"}
        name = names.get(row.thread) or row.thread.replace("SLICE", "Slice")
        if row.thread == "CDMA":
            name = row.name.replace("CDMA_", "CDMA ").replace("_TO_", " to ")
        keep = (str(args["ID"]),) if source in ("c3", "c4") else ()
        return keep + (str(length), str(start), name, args["location"], str(args.get("bytes", "")))
    name = row.name
    if source in ("c3", "c4"):
        name = NAMES.get(row.thread) or "unknown"
        if row.thread == "CDMA":
            name = "CDMA_" + row.name[5:].replace(" to ", "_TO_")
    fields = (str(start), str(start + length), args["location"], name)
    if target == "c2" and "bytes" in args:
        fields += (str(args["bytes"]),)
    if source in ("c3", "c4"):
        return fields
    numbered = source == "c1" and target == "c2" and "SLICE" in row.thread
    return (args["ID"] + "_" * numbered + row.thread[6:] * numbered,) + fields


def start_of(row):
    """The first cycle that begins in the row's nanosecond: the one there was."""
    return -(-row.ts * HZ // 10**9)


def check_compile(folder, source, target, *steps):
    path = write(folder / "source.csv", compile_csv(source, SPANS))
    out = convert(folder, path, *steps, "torq-" + target)
    rows = table(out, target)
    if (source in ("c3", "c4")) != (target == "c4"):
        rows = [row[1:] for row in rows]
    want = [projected(row, source, target) for row in compile_rows(source, SPANS, "")]
    equal(bag(rows), bag(want), f"{source} -> {steps} -> {target}")
    starts = [int(row[2 if target == "c4" else 1]) for row in table(out, target)]
    equal(starts, sorted(starts), "rows are in the order of time")
    if target != "c2":
        again = convert(folder, out, "prof", "torq-" + target)
        true(again.read_bytes() == out.read_bytes(), f"{source} -> {target} once more: same bytes")


def test_compile_forms_through_a_profile(folder):
    for source in FORMS:
        for target in ("c1", "c2", "c4"):
            check_compile(folder, source, target, "prof")


def test_compile_forms_through_a_trace(folder):
    for source, target in (("c1", "c1"), ("c2", "c2"), ("c3", "c4"), ("c4", "c4"), ("c2", "c4")):
        check_compile(folder, source, target, "pb")
        check_compile(folder, source, target, "prof.zst", "pb.gz", "prof.gz")


def test_cycles_of_any_clock_survive_a_trace(folder):
    path = write(folder / "source.csv", compile_csv("c2", SPANS))
    direct = convert(folder, path, "prof", "torq-c2").read_bytes()
    for mhz in ("100", "812.5", "933.333333", "1000"):
        opscope("convert", path, "-o", folder / "clock.pb", "--clock_mhz", mhz)
        result = opscope("convert", folder / "clock.pb", "-o", folder / "c.csv", "--to", "torq-c2")
        equal(result.err, "", f"what it says at {mhz} MHz")
        true((folder / "c.csv").read_bytes() == direct, f"the same cycles at {mhz} MHz")


def test_what_is_written_is_read_by_perfetto_logger(folder):
    for form in ("c1", "c2", "c4"):
        path = write(folder / "a.csv", compile_csv(form, SPANS))
        out = convert(folder, path, "prof", "torq-" + form).rename(folder / "b.csv")
        perfetto_logger("--compile_profile", out, "--pb", folder / "b.pb")
        equal_spans(folder / "b.pb", compile_rows(form, SPANS, "b.csv"), form)


# Runtime profiles --------------------------------------------------------------

def events_of(rows, form):
    """The events that the rows of R2 or R4 describe, as sorted tuples."""
    begun, events = {}, []
    for row in rows:
        if form == "r4":
            *place, action, time, name = row
        else:
            action, _, time, name, *place = row
        match = re.fullmatch(r"(NSS_START|.+?)(_START|_BEGIN|_END|)", name)
        key = (match[1], action, *place)
        if match[2] == "_END":
            events.append((*key, int(begun[key].pop()), int(time)))
        else:
            begun.setdefault(key, []).append(time)
    equal([key for key, left in begun.items() if left], [], "begins without an end")
    return sorted(events)


def as_tuples(events, source, target):
    keep = {("r4", "r4"): lambda e: (e.dispatch, str(e.invocation)),
            ("r4", "r2"): lambda e: ("",)}.get((source, target))
    keep = keep or (lambda e: (e.location,) if target == "r2" else ("", "0"))
    return sorted((e.name, str(e.action), *keep(e), e.begin, e.end) for e in events)


def test_runtime_forms(folder):
    for source in ("r2", "r3", "r4"):
        events = random_events(source, 300, seed=3)
        path = write(folder / "source.csv", runtime_csv(source, events))
        for target in ("r2", "r4"):
            for steps in ((), ("prof",), ("pb",), ("prof.zst", "pb")):
                rows = table(convert(folder, path, *steps, "torq-" + target), target)
                equal(events_of(rows, target), as_tuples(events, source, target),
                      f"{source} -> {steps} -> {target}")
                check_times(rows, target)


def check_times(rows, form):
    times = [int(row[3 if form == "r4" else 2]) for row in rows]
    equal(times, sorted(times), "rows are in the order of time")
    if form == "r2":  # since the first row, as the runtime writes it
        equal([int(row[1]) for row in rows], [time - times[0] for time in times], "elapsed times")


def test_jobs(folder):
    jobs = random_jobs(200, seed=4)
    path = write(folder / "source.csv", job_csv(jobs))
    want = [(str(job.number), str(job.end), str(job.end - job.start), job.location) for job in jobs]
    for steps in ((), ("prof",), ("pb",), ("prof.zst", "pb")):
        equal(bag(table(convert(folder, path, *steps, "torq-r1"), "r1")), bag(want), str(steps))


def test_a_program_of_the_npu_is_a_job(folder):
    events = random_events("r4", 100, seed=5)
    path = write(folder / "source.csv", runtime_csv("r4", events))
    opscope("convert", path, "-o", folder / "jobs.csv", "--to", "torq-r1", code=3)
    got = sorted((int(end) - int(took), int(end)) for _, end, took, _ in
                 table(folder / "jobs.csv", "r1"))
    want = sorted((row.ts // 1000, (row.ts + row.dur) // 1000)
                  for row in runtime_rows("r4", events, "") if row.thread == "NSS PROGRAM")
    true(len(want) > 5, "there are programs")
    equal(got, want, "jobs")


# Both --------------------------------------------------------------------------

def test_a_profile_keeps_everything(folder):
    """A trace made of the profile is the trace made of the file, byte for byte."""
    files = [write(folder / f"{form}.csv", compile_csv(form, SPANS)) for form in FORMS]
    files += [write(folder / f"{form}.csv", runtime_csv(form, random_events(form, 200, seed=6)))
              for form in ("r2", "r3", "r4")]
    files.append(write(folder / "r1.csv", job_csv(random_jobs(100, seed=7))))
    for path in files:
        direct = convert(folder, path, "pb").read_bytes()
        for steps in (("prof", "pb"), ("prof.zst", "prof", "prof.gz", "pb")):
            true(convert(folder, path, *steps).read_bytes() == direct, f"{path.name} {steps}")


def test_packed_files_are_seen_by_content(folder):
    path = write(folder / "plain.csv", gzip.compress(compile_csv("c2", SPANS)))
    perfetto_logger("--compile_profile", path, "--pb", folder / "p.pb")
    equal_spans(folder / "p.pb", compile_rows("c2", SPANS, "plain.csv"))


def test_csv_alone_means_the_documents_forms(folder):
    write(folder / "c.csv", compile_csv("c2", SPANS[:9]))
    write(folder / "r.csv", runtime_csv("r4", random_events("r4", 9, seed=8)))
    for name, head in (("c", HEADS["c1"]), ("r", HEADS["r2"])):
        for middle in ("prof", "pb"):
            via = convert(folder, folder / f"{name}.csv", middle)
            opscope("convert", via, "-o", folder / "out.csv")
            equal((folder / "out.csv").read_text().splitlines()[0], head, f"{name} {middle}")


def test_what_a_form_cannot_carry_is_in_the_ledger(folder):
    path = write(folder / "c.csv", compile_csv("c2", SPANS[:50]))
    result = opscope("convert", path, "-o", folder / "out.csv", "--to", "torq-r4", code=3)
    contains(result.err, "50 not carried")
    matches(result.err, r"not carried: .*out.csv: torq-r4 has no place for 50 spans")
    equal(table(folder / "out.csv", "r4"), [], "rows")
    result = opscope("convert", path, "-o", folder / "out.csv", "--to", "torq-c1")
    moved = sum(span.unit not in ("SLICE", "CSS") for span in SPANS[:50])
    contains(result.err, f"torq-c1 has no place for {moved} numbers of bytes")


main()
