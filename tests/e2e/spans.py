"""The spans of a trace as Perfetto's trace_processor sees them, for comparing."""
from support import equal, fail, without_loss
from torq_compile import Row

__all__ = ["Row", "equal_spans", "is_overview", "sorted_rows", "trace_rows"]

SPANS = ("select s.id, s.ts, s.dur, s.name, t.name as thread, p.name as process from slice s"
         " join thread_track tt on s.track_id = tt.id join thread t using (utid)"
         " join process p using (upid)")
ARGS = ("select s.id, a.key, a.int_value, a.string_value, a.value_type from slice s"
        " join args a using (arg_set_id)")
COUNT = "select count(*) as spans, ifnull(max(depth), 0) as depth from slice"


def argument(row):
    if row["value_type"] not in ("string", "uint", "int"):
        fail(f"argument of an unexpected type: {row}")
    return row["string_value"] if row["value_type"] == "string" else row["int_value"]


def trace_rows(trace):
    """Every span of the trace as a Row; requires that nothing is lost."""
    spans, args, [count] = without_loss(trace, SPANS, ARGS, COUNT)
    equal(count["spans"], len(spans), "spans on threads of processes")
    by_span = {}
    for row in args:
        by_span.setdefault(row["id"], []).append((row["key"].removeprefix("debug."), argument(row)))
    return [Row(span["process"], span["thread"], span["ts"], span["dur"], span["name"],
                tuple(sorted(by_span.get(span["id"], ())))) for span in spans]


def is_overview(row):
    return row.process.endswith(" Overview")


def sorted_rows(rows):
    return sorted(rows, key=lambda row: (row.process, row.thread, row.ts, row.dur, row.name,
                                         repr(row.args)))


def equal_spans(trace, want, what="spans"):
    """The trace holds exactly these rows besides its overview."""
    got = [row for row in trace_rows(trace) if not is_overview(row)]
    equal(sorted_rows(got), sorted_rows(want), what)
