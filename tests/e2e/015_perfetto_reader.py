"""Traces of every kind: what opscope reads is what Perfetto's own reader sees.

Each case of tests/gen/perfetto_cases.py is converted to a trace again, and
trace_processor must find the same spans, arguments, flows and samples in both.
Cases that opscope knowingly reads otherwise are left out of that; all must have
the account that they claim.
"""
import collections
import random

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from perfetto_cases import BEGIN, CASES, END, event, plain, trace

SLICES = """
    select slice.id, ts, dur, slice.name, category, slice.arg_set_id,
           coalesce(thread.name, process.name, track.name) as track
    from slice join track on slice.track_id = track.id
    left join thread_track on thread_track.id = track.id left join thread using (utid)
    left join process_track on process_track.id = track.id and process_track.name is null
    left join process on process.upid = process_track.upid"""
ARGUMENTS = """
    select arg_set_id, key, int_value, string_value, real_value, value_type from args
    where key glob 'debug.*' or key = 'correlation_id'"""
SAMPLES = """
    select ts, value, counter_track.name, unit
    from counter join counter_track on track_id = counter_track.id"""
FLOWS = "select slice_out, slice_in from flow"


def argument(row):
    """An argument as (name, value), whatever the value was written as. Perfetto has no
    dots and brackets in plain names, which dictionaries and arrays become."""
    value = {"string": row["string_value"], "real": row["real_value"]}.get(
        row["value_type"], row["int_value"])
    if row["value_type"] in ("uint", "pointer") and value < 0:
        value += 2**64
    if row["key"].endswith("correlation_id"):
        value = str(value).removeprefix("tp:#")
    return re.sub(r"[.[\]]", "_", row["key"].removeprefix("debug.")), value


def view(path):
    """What trace_processor sees in a trace, in an order of its own."""
    slices, arguments, samples, flows = trace_queries(path, SLICES, ARGUMENTS, SAMPLES, FLOWS)
    by_set = collections.defaultdict(list)
    for row in arguments:
        by_set[row["arg_set_id"]].append(argument(row))
    spans = {row["id"]: (row["ts"], row["dur"], row["name"] or "", row["category"] or "",
                         row["track"] or "", sorted(by_set[row["arg_set_id"]], key=str))
             for row in slices}
    return {"spans": sorted(spans.values(), key=str),
            "samples": sorted((row["ts"], float(row["value"]), row["name"], row["unit"] or "")
                              for row in samples),
            "flows": sorted((spans[row["slice_out"]][:3], spans[row["slice_in"]][:3])
                            for row in flows)}


def ledger(path):
    return opscope("info", "--json", path, code=None).json()[0]["ledger"]


def same_view(folder, path, code=0):
    opscope("convert", path, "-o", folder / "again.pb", code=code)
    before, after = view(path), view(folder / "again.pb")
    for part in before:
        equal(after[part], before[part], f"{part} of {path.name}")


def test_perfetto_sees_the_same_before_and_after(folder):
    for name, case in list(CASES.items())[::5 if SANITIZED else 1]:
        path = write(folder / f"{name}.pb", case.bytes)
        if not case.differs:
            same_view(folder, path, 3 if case.lost or case.impossible else 0)


def test_accounts(folder):
    for name, case in CASES.items():
        account = ledger(write(folder / f"{name}.pb", case.bytes))
        equal((account["lost"], account["impossible"]), (case.lost, case.impossible), name)
        if account["expected"] is not None:
            equal(account["expected"],
                  account["recorded"] + account["lost"] + account["impossible"], name)


def random_spans(chance, tracks):
    """Properly nested spans on some tracks: [(track, start, end, name)]."""
    spans = []
    for track in range(1, tracks + 1):
        now = 0
        for number in range(chance.randint(1, 8)):
            now += chance.randint(1, 50)
            start, now = now, now + chance.randint(20, 90)
            spans.append((track, start, now, f"{track}.{number}"))
            if chance.random() < 0.5:
                spans.append((track, start + 3, now - 5, f"{track}.{number} inside"))
    return spans


def test_packets_in_any_order(folder):
    """Perfetto sorts by time; so must a reader of a file that is not sorted."""
    for seed in range(2 if SANITIZED else 10):
        chance = random.Random(seed)
        edges = [(time, kind, track, name) for track, start, end, name in random_spans(chance, 3)
                 for time, kind in ((start, BEGIN), (end, END))]
        packets = [plain(track, f"track {track}") for track in (1, 2, 3)]
        packets += [event(time, kind, track, name) for time, kind, track, name in edges]
        chance.shuffle(packets)
        same_view(folder, write(folder / f"shuffled{seed}.pb", trace(packets)))


def test_every_cut_is_read_and_accounted_for(folder):
    whole = CASES["flows"].bytes
    for size in range(2, len(whole), 7):
        path = write(folder / "cut.pb", whole[:size])
        result = opscope("info", "--json", path, code=None)
        true(result.code in (0, 1, 3), f"cut at {size}: {result}")
        if result.code == 1:
            true(size < 5, f"cut at {size} is not recognised")


main()
