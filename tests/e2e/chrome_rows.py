"""What Perfetto's trace_processor sees in a trace, for comparing a Chrome trace and a .pb, which also says of
which call an event is."""
import collections

from support import re, without_loss

__all__ = ["rows"]

SLICES = """
    select slice.id, ts, dur, slice.name, category, slice.arg_set_id,
           coalesce(thread.name, track.name) as track, process.name as process
    from slice join track on slice.track_id = track.id
    left join thread_track on thread_track.id = track.id left join thread using (utid)
    left join process using (upid)"""
ARGUMENTS = """
    select arg_set_id, key, int_value, string_value, real_value, value_type from args
    where (key glob 'debug.*' or key glob 'args.*') and key <> 'debug.opscope_call'"""
SAMPLES = """
    select ts, value, counter_track.name, unit
    from counter join counter_track on track_id = counter_track.id"""
FLOWS = "select slice_out, slice_in from flow"


def argument(row):
    """(name, value): a Chrome trace has 2^63 and above as texts, for want of a number. Names in a
    .pb have no dots and brackets: Perfetto replaces them."""
    value = {"string": row["string_value"], "real": row["real_value"]}.get(
        row["value_type"], row["int_value"])
    if row["value_type"] == "uint" and value < 0:
        value = str(value + 2**64)
    return re.sub(r"[.[\]]", "_", row["key"].split(".", 1)[1]), value


def sample(row, base):
    """Perfetto appends the series to the name of a counter of a Chrome trace, which is the unit
    or "value"; the .pb has the unit beside it."""
    name = row["name"]
    if row["unit"] is None or name.endswith(" value") or name.endswith(f" {row['unit']}"):
        name = name.rsplit(" ", 1)[0]
    return row["ts"] - base, float(row["value"]), name


def rows(trace, processes=True):
    """Slices, samples and flows, with times from the start of the trace. Nothing may be lost."""
    slices, arguments, samples, flows = without_loss(trace, SLICES, ARGUMENTS, SAMPLES, FLOWS)
    base = min((row["ts"] for row in slices + samples), default=0)
    by_set = collections.defaultdict(list)
    for row in arguments:
        by_set[row["arg_set_id"]].append(argument(row))
    names = {"[No name]": "", None: ""}
    spans = {row["id"]: (row["ts"] - base, row["dur"], names.get(row["name"], row["name"]),
                         row["category"] or "", row["track"] or "",
                         row["process"] if processes else "",
                         sorted(by_set[row["arg_set_id"]], key=repr))
             for row in slices}
    return {"slices": sorted(spans.values(), key=repr),
            "samples": sorted(sample(row, base) for row in samples),
            "flows": sorted(((spans[row["slice_out"]], spans[row["slice_in"]])
                             for row in flows), key=repr)}
