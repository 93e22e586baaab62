"""Every version of the runtime profile becomes the trace that its events describe."""
from support import *
from spans import *
from torq_compile import compile_csv, compile_rows, random_spans
from torq_runtime import *

JOBS = random_jobs(200, seed=1)
EVENTS = {form: random_events(form, 300, seed=2) for form in ("r2", "r3", "r4")}


def log(folder, content, *options):
    path = write(folder / "runtime.csv", content)
    out = perfetto_logger("--runtime_profile", path, "--pb", folder / "out.pb", *options)
    equal((out.out, out.err), ("", ""), "what it says")
    return folder / "out.pb"


def log_many(folder, cases):
    """One trace of many profiles: (content, function that gives the rows of a process)."""
    want = []
    paths = []
    for number, (content, rows) in enumerate(cases, 1):
        paths.append(write(folder / f"{number}.csv", content))
        want += rows(f"{number:02} {number}.csv")
    result = perfetto_logger("--runtime_profile", *paths, "--pb", folder / "many.pb")
    equal(result.err, "", "what it says")
    equal_spans(folder / "many.pb", want)


def test_r1_is_stamped_when_a_job_has_ended(folder):
    trace = log(folder, b"id;time_since_open;time_since_start;location\n0;100;30;\n1;250;60;here\n")
    equal_spans(trace, [
        Row("runtime.csv", "NSS", 70_000, 30_000, "NSS", (("job", 0),)),
        Row("runtime.csv", "NSS", 190_000, 60_000, "NSS", (("job", 1), ("location", "here")))])


def test_r1(folder):
    log_many(folder, [
        (job_csv(JOBS), lambda process: job_rows(JOBS, process)),
        (job_csv(JOBS, header=False), lambda process: job_rows(JOBS, process)),
        (job_csv(JOBS, located=False), lambda process: job_rows(JOBS, process, located=False)),
        (job_csv(JOBS, newline="\r\n"), lambda process: job_rows(JOBS, process)),
        (job_csv(JOBS, blank=" "), lambda process: job_rows(JOBS, process)),
        (b"\xef\xbb\xbf" + job_csv(JOBS), lambda process: job_rows(JOBS, process)),
        (b"dispatch_id;time_since_open;time_since_start;mlir_loc\n" + job_csv(JOBS, header=False),
         lambda process: job_rows(JOBS, process))])


def test_r2_r3_r4(folder):
    cases = []
    for form, events in EVENTS.items():
        for options in ({}, {"header": False}, {"newline": "\r\n"}, {"elapsed": "previous"}):
            def rows(process, form=form, events=events):
                return runtime_rows(form, events, process)
            cases.append((runtime_csv(form, events, **options), rows))
    log_many(folder, cases)


def test_r2_begins_one_event_without_a_suffix(folder):
    text = """actionIndex, elapsed_time(us), timestamp(us), event, location
0,0,1000,NSS_START,loc("a, b":1:2)
0,5,1005,NSS_START_END,loc("a, b":1:2)
1,9,1009,NSS_WAIT_START,loc(unknown)
1,20,1020,NSS_WAIT_END,loc(unknown)
"""
    start = ("location", 'loc("a, b":1:2)')
    equal_spans(log(folder, text), [
        Row("runtime.csv", "NSS_START", 1_000_000, 5000, "NSS_START", (("action", 0), start)),
        Row("runtime.csv", "NSS_WAIT", 1_009_000, 11_000, "NSS_WAIT",
            (("action", 1), ("location", "loc(unknown)"))),
        Row("runtime.csv", "NSS PROGRAM", 1_000_000, 20_000, "NSS PROGRAM",
            (("action", 0), start, ("wait_action", 1)))])


SCOPES = [
    Event("INIT", 100, 900, invocation=0, dispatch="main_dispatch_0"),
    Event("INIT_HW_OPEN", 120, 300, invocation=0, dispatch="main_dispatch_0"),
    Event("INIT_LOAD_HOST_CODE", 300, 900, invocation=0, dispatch="main_dispatch_0"),
    Event("HAL_CALL", 1000, 9000, invocation=1, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("HAL_QUEUE_WAIT", 1000, 1100, invocation=1, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("HAL_QUEUE_APPLY_DEFERRED", 1100, 8800, invocation=1, dispatch="__HAL_QUEUE_EXECUTE__"),
    # Another thread's scope runs at the same time.
    Event("HAL_CALL", 1050, 9500, invocation=2, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("HAL_QUEUE_WAIT", 1060, 1090, invocation=2, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("DISPATCH", 1200, 8000, invocation=3, dispatch="main_dispatch_0"),
    Event("DISPATCH_EXECUTE_ACTIONS", 1300, 7900, invocation=3, dispatch="main_dispatch_0"),
    Event("ALLOC", 1300, 1310, 0, invocation=3, dispatch="main_dispatch_0"),
    Event("HOST_COPY", 1310, 2000, 1, invocation=3, dispatch="main_dispatch_0"),
    Event("NSS_START", 2000, 2020, 2, invocation=3, dispatch="main_dispatch_0"),
    Event("NSS_START", 2020, 2050, 3, invocation=3, dispatch="main_dispatch_0"),
    Event("HOST_START", 2050, 2100, 4, invocation=3, dispatch="main_dispatch_0"),
    Event("NSS_WAIT", 2100, 3000, 5, invocation=3, dispatch="main_dispatch_0"),
    Event("NSS_WAIT", 3000, 4000, 6, invocation=3, dispatch="main_dispatch_0"),
    Event("HOST_WAIT", 4000, 4000, 7, invocation=3, dispatch="main_dispatch_0"),
    Event("DEALLOC", 4000, 4100, 8, invocation=3, dispatch="main_dispatch_0"),
    Event("DISPATCH_SYNC_BINDINGS_OUT", 7900, 7950, invocation=3, dispatch="main_dispatch_0"),
    # The same event inside itself, and the same action once more.
    Event("HAL_QUEUE_SIGNAL", 8800, 8900, invocation=1, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("HAL_QUEUE_SIGNAL", 8810, 8840, invocation=1, dispatch="__HAL_QUEUE_EXECUTE__"),
    Event("ALLOC", 8900, 8910, 0, invocation=4, dispatch="main, dispatch 1"),
    Event("ALLOC", 8920, 8930, 0, invocation=4, dispatch="main, dispatch 1"),
]


def test_r4_with_scopes(folder):
    equal_spans(log(folder, runtime_csv("r4", SCOPES)),
                runtime_rows("r4", SCOPES, "runtime.csv"))


def test_r4_scope_after_scope(folder):
    """Before the rows were merged by time, each scope was written as a whole."""
    text = runtime_csv("r4", []) + b"".join(
        runtime_csv("r4", [event for event in SCOPES if event.invocation == number], header=False)
        for number in (3, 1, 0, 4, 2))
    equal_spans(log(folder, text), runtime_rows("r4", SCOPES, "runtime.csv"))


def test_large_times(folder):
    events = random_events("r4", 50, seed=3, start=2**62 // 1000)
    equal_spans(log(folder, runtime_csv("r4", events)), runtime_rows("r4", events, "runtime.csv"))
    events = random_events("r2", 50, seed=4, start=2**33)
    equal_spans(log(folder, runtime_csv("r2", events)), runtime_rows("r2", events, "runtime.csv"))


def test_unknown_events_are_points_in_time(folder):
    text = runtime_csv("r2", EVENTS["r2"][:10])
    first = EVENTS["r2"][0].begin
    trace = log(folder, text + f"4,{5000009999 - first},5000009999,Unknown,\n".encode())
    rows = runtime_rows("r2", EVENTS["r2"][:10], "runtime.csv")
    rows.append(Row("runtime.csv", "Unknown", 5000009999000, 0, "Unknown", (("action", 4),)))
    equal_spans(trace, rows)


def test_only_timestamps_count(folder):
    """Elapsed times that fit neither reading of the documents are remarked."""
    text = runtime_csv("r2", EVENTS["r2"][:10]).replace(b"\n1,", b"\n1,12", 1)
    path = write(folder / "runtime.csv", text)
    result = perfetto_logger("--runtime_profile", path, "--pb", folder / "out.pb")
    matches(result.err, r"remark: .*runtime.csv:4: column 'elapsed_time\(us\)'")
    equal_spans(folder / "out.pb", runtime_rows("r2", EVENTS["r2"][:10], "runtime.csv"))


def test_profiles_come_in_the_order_given(folder):
    spans = random_spans(40, seed=5)
    write(folder / "a.csv", compile_csv("c2", spans))
    write(folder / "b.csv", runtime_csv("r4", SCOPES))
    perfetto_logger("--runtime_profile", folder / "b.csv", "--compile_profile", folder / "a.csv",
                    "--pb", folder / "both.pb")
    equal_spans(folder / "both.pb", runtime_rows("r4", SCOPES, "01 b.csv") +
                compile_rows("c2", spans, "02 a.csv"))


def test_runtime_profiles_have_no_use_for_the_clock(folder):
    trace = log(folder, runtime_csv("r4", SCOPES), "--clock_mhz", 100, "--num_slices", 1)
    equal_spans(trace, runtime_rows("r4", SCOPES, "runtime.csv"))


def test_folder_of_the_trace_is_made(folder):
    source = write(folder / "r.csv", job_csv(JOBS))
    run(program("perfetto_logger"), "--runtime_profile", source, "--pb", "out/dir/x.pb", cwd=folder)
    equal_spans(folder / "out/dir/x.pb", list(job_rows(JOBS, "r.csv")))
    run(program("perfetto_logger"), "--runtime_profile", "none.csv", "--pb", "other/x.pb", cwd=folder,
        code=1)
    true(not (folder / "other").exists(), "nothing is made where there is nothing to write")
    write(folder / "file", "x")
    contains(run(program("perfetto_logger"), "--runtime_profile", source, "--pb", "file/x.pb",
                 cwd=folder, code=1).err, "cannot make the folder")


def test_no_args(folder):
    trace = log(folder, runtime_csv("r4", SCOPES), "--no-args")
    equal_spans(trace, [Row(row.process, row.thread, row.ts, row.dur, row.name, ())
                        for row in runtime_rows("r4", SCOPES, "runtime.csv")])


main()
