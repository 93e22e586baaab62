"""Malformed rows are named with file and line, the good ones are kept: exit 3."""
import random

from support import *
from spans import *
from torq_compile import *
from torq_runtime import *

SPANS = random_spans(40, seed=1)
EVENTS = {form: random_events(form, 40, seed=2) for form in ("r2", "r3", "r4")}
JOBS = random_jobs(40, seed=3)

# Rows that cannot be read, with what the message says of each.
BAD = {
    "c1": [("DI9,abc,20,loc(unknown),DMA_IN", "column 'Start': 'abc' is not a number"),
           ("DI9,1,2x,loc(unknown),DMA_IN", "column 'End': '2x' is not a number"),
           ("DI9,-5,20,loc(unknown),DMA_IN", "column 'Start': '-5' is negative"),
           ("DI9,1.5,20,loc(unknown),DMA_IN", "column 'Start': '1.5' is not a number"),
           ("DI9,1,99999999999999999999,loc(unknown),DMA_IN", "column 'End': .* 64 bits"),
           ("DI9,,20,loc(unknown),DMA_IN", "column 'Start'"),
           ("DI9,1,20", "column 'Location' is missing"),
           ("DI9,1", "column 'End' is missing"), ("DI9", "column 'Start' is missing"),
           (",1,20,loc(unknown),DMA_IN", "column 'ID' is missing"),
           ('S9,1,20,loc(fused["a":1:2, "b":3,add', "column 'Location': .* is not closed"),
           ("\x01\x02\x7f,\x03", "column 'Start'")],
    "c4": [("x,1,2,DMA In,loc(unknown),5", "column 'taskId': 'x' is not a number"),
           ("1,one,2,DMA In,loc(unknown),5", r"column 'elapsed_time\(us\)': 'one'"),
           ("1,1,two,DMA In,loc(unknown),5", r"column 'timestamp\(us\)': 'two'"),
           ("1,1,-2,DMA In,loc(unknown),5", r"column 'timestamp\(us\)': '-2' is negative"),
           ("1,1,2,DMA In,loc(unknown),many", "column 'bytes': 'many' is not a number"),
           ("1,18446744073709551615,2,DMA In,loc(unknown),5", r"column 'timestamp\(us\)'.*64 bits"),
           ("1,1,2", "column 'event' is missing"), ("1,1", r"column 'timestamp\(us\)' is missing")],
    "r1": [("x;100;20;", "column 'id': 'x' is not a number"),
           ("1;late;20;", "column 'time_since_open': 'late' is not a number"),
           ("1;100;-20;", "column 'time_since_start': '-20' is negative"),
           ("1;100", "column 'time_since_start' is missing")],
    "r2": [("x,1,2,ALLOC_START,", "column 'actionIndex': 'x' is not a number"),
           ("1,x,2,ALLOC_START,", r"column 'elapsed_time\(us\)': 'x' is not a number"),
           ("1,1,x,ALLOC_START,", r"column 'timestamp\(us\)': 'x' is not a number"),
           ("1,1,2", "column 'event' is missing")],
    "r4": [("d,x,1,5,ALLOC_BEGIN", "column 'invocation_id': 'x' is not a number"),
           ("d,1,x,5,ALLOC_BEGIN", "column 'action_id': 'x' is not a number"),
           ("d,1,1,x,ALLOC_BEGIN", "column 'timestamp_us': 'x' is not a number"),
           ("d,1,1,-5,ALLOC_BEGIN", "column 'timestamp_us': '-5' is negative"),
           ("d,1", "missing")],
}
IMPOSSIBLE = {
    "c1": [("DI9,20,10,loc(unknown),DMA_IN", "ends at 10, before its start at 20")],
    "r1": [("9;100;200;", "took 200 us, longer than the 100 us")],
    "r4": [("d,9,1,20,ALLOC_BEGIN\nd,9,1,10,ALLOC_END", "ends at 10, before its start at 20")],
    "r2": [("9,0,20,ALLOC_START,\n9,0,10,ALLOC_END,", "ends at 10, before its start at 20")],
}
UNPAIRED = {
    "r2": [("8,0,20,ALLOC_END,", "ALLOC ends and did not begin"),
           ("7,0,20,ALLOC_START,", "ALLOC begins and does not end")],
    "r4": [("d,9,-1,20,HAL_CALL_END", "HAL_CALL ends and did not begin"),
           ("d,9,7,20,HOST_COPY_BEGIN", "HOST_COPY begins and does not end"),
           ("d,9,7,20,HOST_COPY_BEGIN\nd,8,7,30,HOST_COPY_END", "HOST_COPY")],
}


def content_of(form):
    if form == "r1":
        return job_csv(JOBS)
    return runtime_csv(form, EVENTS[form]) if form in EVENTS else compile_csv(form, SPANS)


def rows_of(form, process):
    if form == "r1":
        return list(job_rows(JOBS, process))
    return (runtime_rows(form, EVENTS[form], process) if form in EVENTS
            else compile_rows(form, SPANS, process))


def recorded_rows(form):
    return len([row for row in rows_of(form, "") if not row.thread.endswith(" PROGRAM")])


def option_of(form):
    return "--compile_profile" if form[0] == "c" else "--runtime_profile"


def insert(content, text, at):
    """Puts a text before line `at` (from 1)."""
    lines = content.split(b"\n")
    return b"\n".join(lines[:at - 1] + [text.encode()] + lines[at - 1:])


def ledger_of(folder, path, code):
    """Converts to a profile; returns what stderr says and the profile's ledger."""
    result = opscope("convert", path, "-o", folder / "p.prof", code=code)
    [found] = opscope("info", "--json", folder / "p.prof", code=code).json()
    ledger = found["ledger"]
    equal(ledger["recorded"] + ledger["lost"] + ledger["impossible"], ledger["expected"], "account")
    return result.err, ledger


def check(folder, form, cases, kind, lines=(2, 11)):
    for text, why in cases:
        for line in lines:
            path = write(folder / "bad.csv", insert(content_of(form), text, line))
            err, ledger = ledger_of(folder, path, 3)
            matches(err, rf"{kind}: {path}:\d+: .*{why}")
            numbers = range(line, line + 1 + text.count("\n"))
            true(any(f"{path}:{number}:" in err for number in numbers), f"line {line} in\n{err}")
            true(ledger[kind] >= 1, f"{text}: {ledger}")
            equal(ledger["recorded"], recorded_rows(form), f"{text}: rows that are kept")


def test_rows_that_cannot_be_read(folder):
    for form, cases in BAD.items():
        check(folder, form, cases, "lost")


def test_rows_that_contradict_themselves(folder):
    for form, cases in IMPOSSIBLE.items():
        check(folder, form, cases, "impossible")


def test_begins_and_ends_without_the_other(folder):
    for form, cases in UNPAIRED.items():
        check(folder, form, cases, "lost")


def test_the_trace_has_the_good_rows(folder):
    """perfetto_logger with many kinds of bad rows at once."""
    for form in (*BAD, "c2", "c3", "r3"):
        content = content_of(form)
        for text, _ in [*BAD.get(form, ()), *IMPOSSIBLE.get(form, ()), *UNPAIRED.get(form, ())[:1]]:
            content = insert(content, text, 5)
        path = write(folder / f"{form}.csv", content)
        result = perfetto_logger(option_of(form), path, "--pb", folder / "one.pb", code=None)
        equal(result.code, 3 if form in BAD else 0, f"exit for {form}\n{result}")
        equal_spans(folder / "one.pb", rows_of(form, f"{form}.csv"), form)


def test_the_first_row_may_be_a_bad_one(folder):
    for form, (text, why) in {"c1": BAD["c1"][0], "c4": BAD["c4"][0], "r1": BAD["r1"][1],
                              "r4": BAD["r4"][0]}.items():
        check(folder, form, [(text, why)], "lost", lines=(1,) if form == "c1" else (2,))


def test_the_last_line_cut_off_anywhere(folder):
    """Cut in any column: the row is whole, or lost, or remarked; the others are kept."""
    for form in ("c1", "c2", "c3", "c4", "r1", "r2", "r3", "r4"):
        lines = content_of(form).splitlines(keepends=True)[:12]
        if form in ("c1", "c2", "c3", "c4"):
            lines = lines[:11] + [next(line for line in content_of(form).splitlines(keepends=True)
                                       if b"DMA" in line and b"fused" in line)]
        good = len(lines) - 2 + (form in ("c1", "c2"))  # rows before the last
        last = lines[-1]
        for size in range(0, len(last), 7 if SANITIZED else 1):
            path = write(folder / "cut.csv", b"".join(lines[:-1]) + last[:size])
            result = opscope("info", "--json", path, code=None)
            true(result.code in (0, 3), f"{form} cut to {last[:size]!r}\n{result}")
            ledger = result.json()[0]["ledger"]
            what = f"{form} cut to {last[:size]!r}: {ledger}"
            equal(ledger["recorded"] + ledger["lost"] + ledger["impossible"], ledger["expected"],
                  what)
            said = "".join(note["text"] for note in ledger["notes"])
            if size > 0 and form[0] == "c":
                true(good <= ledger["recorded"] <= good + 1, what)
            if size > 0:
                contains(said, f"{path}:{len(lines)}:", what)
            equal(result.code, 3 if ledger["lost"] + ledger["impossible"] else 0, what)


def test_times_beyond_the_clock_of_a_trace(folder):
    """Perfetto counts up to 2^63 ns; the profile keeps what a trace cannot carry."""
    far = [Span("DMA IN", 2**63, 2**63 + 5), Span("CSS", 2**64 - 3, 2**64 - 1)]
    path = write(folder / "far.csv", compile_csv("c2", SPANS + far))
    result = opscope("convert", path, "-o", folder / "far.pb", code=3)
    contains(result.err, "2 not carried")
    equal_spans(folder / "far.pb", compile_rows("c2", SPANS, "far.csv"))
    # The overview has such events, too.
    result = perfetto_logger("--compile_profile", path, "--pb", folder / "far.pb", code=3)
    matches(result.err, r", \d+ not carried\n")
    equal_spans(folder / "far.pb", compile_rows("c2", SPANS, "far.csv"))
    opscope("convert", path, "-o", folder / "far.prof")
    opscope("convert", folder / "far.prof", "-o", folder / "again.csv", "--to", "torq-c2")
    contains((folder / "again.csv").read_text(), f",{2**64 - 3},{2**64 - 1},")


def test_nothing_in_it(folder):
    for form in ("c1", "c4", "r1", "r2", "r4"):
        head = content_of(form).split(b"\n")[0] + b"\n"
        if form == "c1":
            head = b"ID,Start,End,Location,Op Type\n"
        for content, code, says in ((b"", 3, "lost: {}: is empty"),
                                    (b"\n\r\n", 3, "lost: {}: is empty"),
                                    (head, 0, "remark: {}: has a header")):
            path = write(folder / "empty.csv", content)
            result = perfetto_logger(option_of(form), path, "--pb", folder / "e.pb", code=code)
            contains(result.err, says.format(path), "message")
            equal_spans(folder / "e.pb", [], f"{form} {content!r}")


def test_garbage(folder):
    rng = random.Random(4)
    contents = [rng.randbytes(5000), b"\0" * 100, b"{\"events\": []}\n", b"hello\nworld\n",
                b"a,b,c,d,e\n1,2,3,4,5\n", "\u20ac;\u20ac\n".encode(), b"\n" * 50 + b"x"]
    for content in contents:
        path = write(folder / "garbage.csv", content)
        for result in (perfetto_logger("--compile_profile", path, "--pb", folder / "g.pb", code=1),
                       perfetto_logger("--runtime_profile", path, "--pb", folder / "g.pb", code=1),
                       opscope("convert", path, "-o", folder / "g.prof", code=1),
                       opscope("info", path, code=1), opscope("overview", path, code=1)):
            contains(result.err, str(path), "message")
            contains(result.err, "expected", "message")
        true(not (folder / "g.pb").exists(), "no trace of garbage")


def test_garbage_in_the_middle(folder):
    for form in ("c2", "c4", "r2", "r4"):
        lines = content_of(form).split(b"\n")
        junk = random.Random(5).randbytes(300).replace(b"\n", b"").replace(b"\r", b"")
        path = write(folder / "junk.csv", b"\n".join(lines[:8] + [junk] + lines[8:]))
        err, ledger = ledger_of(folder, path, 3)
        contains(err, f"{path}:9:")
        equal((ledger["recorded"], ledger["lost"]), (recorded_rows(form), 1), form)


main()
