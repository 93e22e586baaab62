"""Spans that viewers like to drop: overlapping, empty, tiny, out of order."""
import itertools
import random

from support import *
from spans import *
from torq_compile import *
from torq_runtime import Event, runtime_csv, runtime_rows

ONE_NS = 10**9  # Hz: a cycle is a nanosecond


def check(folder, spans, *options, form="c2", hz=HZ):
    """The spans in the trace are those of the file, and each lies alone on its lane."""
    write(folder / "d.csv", compile_csv(form, spans))
    perfetto_logger("--compile_profile", folder / "d.csv", "--pb", folder / "d.pb", *options)
    equal_spans(folder / "d.pb", compile_rows(form, spans, "d.csv", hz=hz))
    [deepest] = trace_query(folder / "d.pb", "select max(depth) as depth from slice")
    equal(deepest["depth"], 0, "depth of spans of one engine")


def slices(*times, op=None):
    return [Span("SLICE", start, end, op=op or f"op{number}")
            for number, (start, end) in enumerate(times)]


def lanes(trace):
    [row] = trace_query(trace, "select count(distinct track_id) as n from slice s join thread_track"
                        " tt on s.track_id = tt.id join thread t using (utid) where t.name ="
                        " 'SLICE 0'")
    return row["n"]


def test_overlapping_spans(folder):
    check(folder, slices((0, 100), (50, 150), (60, 90), (140, 160), (150, 151)))


def test_overlapping_spans_take_no_more_lanes_than_they_need(folder):
    check(folder, slices(*((i * 10, i * 10 + 15) for i in range(100))))
    equal(lanes(folder / "d.pb"), 2, "lanes of a chain in which two overlap at a time")
    check(folder, slices(*((i * 10, i * 10 + 10) for i in range(100))))
    equal(lanes(folder / "d.pb"), 1, "lanes of spans that only touch")


def test_spans_inside_one_another(folder):
    check(folder, slices((0, 1000), (10, 900), (20, 800), (30, 40), (50, 60), (850, 860)))


def test_hundred_at_once(folder):
    check(folder, slices(*((i, 1000 + i) for i in range(100))))
    equal(lanes(folder / "d.pb"), 100, "lanes")


def test_empty_spans(folder):
    check(folder, slices((0, 0), (0, 0), (5, 5), (5, 10), (10, 10), (10, 10), (10, 20), (15, 15)))


def test_spans_that_are_empty_in_nanoseconds_only(folder):
    # At 3 GHz two of three begin and end in the same nanosecond.
    spans = slices(*((i, i + 1) for i in range(60)))
    check(folder, spans, "--clock_mhz", 3000, hz=3 * 10**9)


def test_one_nanosecond(folder):
    spans = slices(*((i, i + 1) for i in range(200))) + slices((500, 501), (500, 501), (501, 502))
    check(folder, spans, "--clock_mhz", 1000, hz=ONE_NS)


def test_equal_starts(folder):
    check(folder, slices((7, 9), (7, 12), (7, 8), (7, 7), (7, 12), (7, 100)))


def test_equal_spans(folder):
    check(folder, slices(*[(10, 20)] * 9, op="same"))


def test_rows_in_reverse(folder):
    check(folder, slices(*((i * 10, i * 10 + 15) for i in reversed(range(300)))))


def test_rows_in_any_order(folder):
    for seed in range(4):
        rng = random.Random(seed)
        times = [(start, start + rng.choice((0, 1, 3, 40, 400))) for start in
                 (rng.randrange(3000) for _ in range(500))]
        check(folder, slices(*times) + [Span("DMA IN", start, end) for start, end in times[:99]])


def test_one_row_long_before_the_others(folder):
    times = [(10**6 + i * 10, 10**6 + i * 10 + 5) for i in range(5000)]
    check(folder, slices(*times, (3, 4), (10**6, 10**6 + 1)))


def test_every_pair(folder):
    """Two spans in every position to one another, and in both orders of rows."""
    marks = list(itertools.combinations_with_replacement(range(4), 2))
    spans = []
    for number, (one, other) in enumerate(itertools.product(marks, marks)):
        base = 10 * number
        spans += slices((base + one[0], base + one[1]), (base + other[0], base + other[1]))
    check(folder, spans, "--clock_mhz", 1000, hz=ONE_NS)


def test_every_form(folder):
    times = [(20, 30), (0, 50), (25, 60), (20, 30), (20, 20)]
    for form in FORMS:
        check(folder, slices(*times) + [Span("DMA OUT", *pair) for pair in times], form=form)


def test_runtime_events_overlap_across_invocations(folder):
    rng = random.Random(7)
    events = []
    for invocation in range(60):
        begin = rng.randrange(200)
        events.append(Event("HAL_CALL", begin, begin + rng.choice((0, 1, 90)),
                            invocation=invocation, dispatch="__HAL_QUEUE_EXECUTE__"))
    write(folder / "r.csv", runtime_csv("r4", events))
    perfetto_logger("--runtime_profile", folder / "r.csv", "--pb", folder / "r.pb")
    equal_spans(folder / "r.pb", runtime_rows("r4", events, "r.csv"))


main()
