"""Chrome traces that are written: what Perfetto's own reader finds in them is what it finds in
the .pb of the same profile, and they keep to the rules of the other viewers."""
import copy
import gzip
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/tools"))
from catapult_rules import problems, problems_of
from chrome_rows import rows
from chrome_traces import TEXTS, complete, dump, metadata, random_trace
from perfetto_cases import CASES
from torq_compile import compile_csv, random_spans
from torq_runtime import random_events, runtime_csv


def equal_traces(profile, folder, processes=True):
    """The .json and the .pb of a profile, row by row."""
    opscope("convert", profile, "-o", folder / "t.pb", code=None)
    opscope("convert", profile, "-o", folder / "t.json", code=None)
    equal(problems_of(folder / "t.json"), [], f"rules of {profile}")
    want, got = rows(folder / "t.pb", processes), rows(folder / "t.json", processes)
    for kind in want:
        equal(got[kind], want[kind], f"{kind} of {profile}")
    return want


def test_equal_to_the_perfetto_trace_row_by_row(folder):
    for seed in range(2):
        profile = folder / f"{seed}.prof"
        opscope("convert", write(folder / "in.json", dump(random_trace(seed))), "-o", profile)
        found = equal_traces(profile, folder)
        true(found["slices"] and found["samples"] and found["flows"], "an empty trace")


def test_equal_for_profiles_of_other_formats(folder):
    write(folder / "r4.csv", runtime_csv("r4", random_events("r4", 300, 1)))
    write(folder / "c2.csv", compile_csv("c2", random_spans(300, 2)))
    for name in ("r4.csv", "c2.csv"):
        equal_traces(folder / name, folder)
    for name in ("groups_in_groups", "equal_times", "overlapping_pairs", "instants", "flows"):
        opscope("convert", write(folder / f"{name}.pb", CASES[name].bytes), "-o",
                folder / f"{name}.prof")
        equal_traces(folder / f"{name}.prof", folder, processes=False)


def events_of(path):
    return json.loads(pathlib.Path(path).read_bytes())


def slices_of(events):
    return sorted((event["pid"], event["tid"], event["ts"], event["dur"], event["name"])
                  for event in events if event["ph"] == "X")


def test_every_text_comes_back(folder):
    texts = ["".join(map(chr, range(start, min(start + 4096, 0xd800)))) for start in
             range(1, 0xd800, 4096)]
    texts += ["".join(map(chr, range(0xe000, 0x10000))), "".join(map(chr, range(0x10000, 0x110000, 37)))]
    events = [complete(text, 1, 1, i * 10, i * 10 + 5, args={"text": text, text[:99]: i})
              for i, text in enumerate(texts + ["\0", "", *TEXTS])]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.json")
    got = [event for event in events_of(folder / "out.json") if event["ph"] == "X"]
    equal([event["name"] for event in got], [event["name"] for event in events], "names")
    for event, want in zip(got, events):
        # An argument without a name has no place in a profile; the ledger counts it.
        equal(event["args"], {key: value for key, value in want["args"].items() if key}, "arguments")
    equal(problems_of(folder / "out.json"), [], "rules")


def test_bytes_that_are_no_utf8_are_replaced_and_counted(folder):
    write(folder / "in.json", b'[{"ph":"X","name":"a\xffb","pid":1,"tid":1,"ts":1,"dur":2}]')
    result = opscope("convert", folder / "in.json", "-o", folder / "out.json", code=None)
    contains(result.err, "no UTF-8, which are replaced: 1", "ledger")
    equal(slices_of(events_of(folder / "out.json"))[0][4], "a\ufffdb", "name")


def test_large_numbers_stay_exact(folder):
    numbers = {"u64": 2**64 - 1, "i64": 2**63 - 1, "least": -2**63, "exact": 2**53 + 1,
               "real": 0.1, "tiny": 5e-324, "huge": 1.7976931348623157e308, "whole": 2.0}
    late = 1_785_000_000_123_456_789  # ns of this century
    events = [complete("a", 4294967295, 4294967295, late, late + 1, args=numbers),
              complete("b", 4294967296, 0, late + 7, late + 9),
              {"ph": "s", "id": 2**64 - 1, "name": "f", "cat": "f", "pid": 4294967295,
               "tid": 4294967295, "ts": events_time(late)},
              {"ph": "f", "bp": "e", "id": "0xffffffffffffffff", "name": "f", "cat": "f",
               "pid": 4294967296, "tid": 0, "ts": events_time(late + 7)}]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.json")
    text = (folder / "out.json").read_text(encoding="utf-8")
    equal(problems(text), [], "rules")
    contains(text, f'"base_ns":"{late}"', "trace")
    first, second = [event for event in json.loads(text) if event["ph"] == "X"]
    equal({**first["args"], "u64": int(first["args"]["u64"])}, numbers, "arguments")
    equal((first["pid"], first["tid"], first["ts"], first["dur"]),
          (4294967295, 4294967295, 0.0, 0.001), "the first")
    equal((second["ts"], second["dur"]), (0.007, 0.002), "the second")
    equal([(event["ph"], event["id"]) for event in json.loads(text) if event["ph"] in "sf"],
          [("s", 1), ("f", 1)], "flows")
    found = rows(folder / "out.json")
    equal([row[:3] for row in found["slices"]], [(0, 1, "a"), (7, 2, "b")], "slices in Perfetto")
    equal(len(found["flows"]), 1, "flows in Perfetto")


def events_time(ns):
    return complete("", 1, 1, ns, ns)["ts"]


def test_overlaps_go_to_lanes_of_their_own(folder):
    events = [complete("a", 1, 1, 0, 10), complete("b", 1, 1, 5, 15), complete("c", 1, 1, 7, 9),
              complete("child", 1, 2, 0, 5), complete("parent", 1, 2, 0, 9)]
    result = opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.json")
    contains(result.err, "spans that cut into another one", "ledger")
    equal(problems_of(folder / "out.json"), [], "rules")
    equal([event["name"] for event in events_of(folder / "out.json") if event["ph"] == "X"],
          ["a", "b", "c", "parent", "child"], "order")


def test_a_round_trip_gives_the_same_bytes(folder):
    opscope("convert", write(folder / "in.json", dump(random_trace(5))), "-o", folder / "1.json")
    opscope("convert", folder / "1.json", "-o", folder / "1.prof.zst")
    opscope("convert", folder / "1.prof.zst", "-o", folder / "2.json.gz")
    opscope("convert", folder / "2.json.gz", "-o", folder / "3.json.zst")
    opscope("convert", folder / "3.json.zst", "-o", folder / "4.json")
    equal(gzip.decompress((folder / "2.json.gz").read_bytes()), (folder / "1.json").read_bytes(),
          "the packed file")
    equal((folder / "4.json").read_bytes(), (folder / "1.json").read_bytes(), "the last file")


def test_what_a_cut_leaves_can_be_read(folder):
    opscope("convert", write(folder / "in.json", dump(random_trace(6, 60_000))), "-o",
            folder / "whole.json")
    whole = (folder / "whole.json").read_bytes()
    lines = whole.count(b"\n", 0, len(whole) // 2)
    at_event = len(b"\n".join(whole.split(b"\n")[:lines]))
    for cut in (at_event, at_event - 1, at_event + 9, 3):
        write(folder / "cut.json", whole[:cut])
        inside = cut not in (at_event, at_event - 1)
        result = opscope("info", folder / "cut.json", code=3 if inside else 0)
        contains(result.out, "cut off inside what starts at byte" if inside
                 else "the closing bracket is missing", "ledger")
    write(folder / "cut.json", whole[:at_event])
    equal(len(rows(folder / "cut.json")["slices"]),
          whole[:at_event].count(b'"ph":"X"') + whole[:at_event].count(b'"ph":"i"'), "slices")


def test_parts_are_traces_of_their_own(folder):
    limit = 1 << 16
    opscope("convert", write(folder / "in.json", dump(random_trace(7, 3_000_000))), "-o",
            folder / "one.json")
    result = opscope("convert", folder / "one.json", "-o", folder / "t.json", "--split", "64KiB",
                     code=None)
    parts = sorted(folder.glob("t-*.json"), key=lambda path: int(path.stem[2:]))
    true(len(parts) > 3, f"only {len(parts)} parts")
    whole = events_of(folder / "one.json")
    slices = []
    spoken = 0
    for path in parts:
        equal(problems_of(path), [], f"rules of {path}")
        true(path.stat().st_size <= limit, f"{path}: {path.stat().st_size} bytes")
        events = events_of(path)
        slices += slices_of(events)
        spoken += sum(event["ph"] in "stf" for event in events)
    equal(sorted(slices), slices_of(whole), "slices of all parts")
    starts = [min(event["ts"] for event in events_of(path) if event["ph"] == "X") for path in parts]
    equal(starts, sorted(starts), "parts in order of time")
    # Arrows whose ends fall into different parts are left out, and counted.
    contains(result.err, "flows from one part to another", "ledger")
    true(0 < spoken <= sum(event["ph"] in "stf" for event in whole), f"{spoken} flow events")
    without_loss(parts[1], "select 1")
    equal(opscope("convert", folder / "one.json", "-o", folder / "x.pb", "--split", "1MB",
                  code=2).err.count("--split is for Chrome traces"), 1, "wrong use")
    contains(opscope("convert", folder / "one.json", "-o", folder / "x.json", "--split", "1x",
                     code=2).err, "expected a size", "wrong size")


def test_names_count_in_the_size_of_parts(folder):
    """Each part names its tracks: 200 of them take a third of it."""
    events = [complete("e", 1, 1 + i % 200, i * 1000, i * 1000 + 900) for i in range(5000)]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "t.json", "--split",
            "64KiB")
    parts = list(folder.glob("t-*.json"))
    sizes = sorted(path.stat().st_size for path in parts)
    true(sizes[-1] <= 1 << 16, f"sizes of parts: {sizes}")
    true(sizes[1] > 60_000, f"all but the last are full: {sizes}")
    equal(sum(len(slices_of(events_of(path))) for path in parts), len(events), "events")
    events = [complete("e", 1, 1 + i, i * 1000, i * 1000 + 900) for i in range(2000)]
    opscope("convert", write(folder / "many.json", dump(events)), "-o", folder / "m.json", "--split",
            "64KiB")
    sizes = sorted(path.stat().st_size for path in folder.glob("m-*.json"))
    true(sizes[-1] <= 1 << 16, f"sizes where each event has a thread of its own: {sizes}")
    contains(opscope("convert", folder / "in.json", "-o", "-", "--to", "chrome", "--split", "1MB",
                     code=2).err, "several files", "parts on the standard output")


def test_the_checker_finds_what_viewers_mind(folder):
    good = [metadata("process_name", 1, 1, name="p"), metadata("thread_name", 1, 2, name="t"),
            complete("a", 1, 2, 0, 100), complete("b", 1, 2, 10, 20),
            {"ph": "s", "pid": 1, "tid": 2, "ts": events_time(10), "id": 1, "cat": "f", "name": "f"},
            complete("c", 1, 2, 30, 40),
            {"ph": "f", "bp": "e", "pid": 1, "tid": 2, "ts": events_time(30), "id": 1, "cat": "f",
             "name": "f"},
            {"ph": "C", "pid": 1, "tid": 1, "ts": events_time(5), "name": "n", "args": {"v": 1}},
            {"ph": "C", "pid": 1, "tid": 1, "ts": events_time(6), "name": "n", "args": {"v": 2}},
            {"ph": "i", "s": "t", "pid": 1, "tid": 2, "ts": events_time(50), "name": "i"}]
    equal(problems(dump(good)), [], "a good trace")

    def broken(index, **changes):
        events = copy.deepcopy(good)
        for key, value in changes.items():
            if value is None:
                del events[index][key]
            else:
                events[index][key] = value
        return events

    faults = {"no dur": broken(2, dur=None), "pid 0": broken(2, pid=0), "no tid": broken(2, tid=None),
              "a large tid": broken(2, tid=2**32), "a text as tid": broken(2, tid="2"),
              "no ts": broken(3, ts=None), "whole ts": broken(3, ts=1), "no name": broken(3, name=None),
              "an overlap": broken(3, dur=complete("", 1, 1, 0, 95)["dur"]),
              "a child first": [good[0], good[1], good[3], good[2], *good[5:6]],
              "no bp": broken(6, bp=None), "a text as id": broken(6, id="q1"),
              "another cat": broken(6, cat="g"), "an end before its start": broken(6, id=2),
              "an end outside": broken(6, ts=events_time(41)), "an id again": good + good[4:5],
              "a start before any slice": good[:2] + [good[4], *good[2:4]] + good[5:],
              "a flow that goes back": broken(4, ts=events_time(10))[:4] + [
                  {**good[4], "ph": "f", "bp": "e"}, good[5], {**good[6], "ph": "s"}],
              "another series": broken(8, args={"w": 1}), "a text as a sample": broken(8, args={"v": "1"}),
              "no scope": broken(9, s=None), "unknown metadata": broken(0, name="colour"),
              "no process name": good[1:], "no thread name": good[:1] + good[2:],
              "an unknown phase": broken(9, ph="Z")}
    for fault, events in faults.items():
        true(problems(dump(events)), f"the checker does not see {fault}")
    for text in ('[{"ph":"M","ph":"M"}]', "[{]", '{"a":1}', '["\x01"]'):
        true(problems(text), f"the checker does not see {text!r}")


main()
