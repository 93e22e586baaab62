"""What chrome://tracing (catapult), Perfetto and tracy-import-chrome all want of a Chrome trace.

`problems(text)` lists what in a trace one of them would drop, mix up or complain about: [] for a
trace that all of them show alike. The rules are those of docs/formats/chrome.md, "Rules".
As a script: catapult_rules.py TRACE.json ..., exit 1 when there are problems.
"""

import collections
import gzip
import json
import pathlib
import re
import sys

METADATA = {"process_name": "name", "process_labels": "labels", "thread_name": "name",
            "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
LARGEST_ID = 2**53  # what JavaScript counts exactly


class Twice(Exception):
    """A key that stands twice in one object."""


def _pairs(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise Twice(key)
    return dict(pairs)


class _Number(str):
    """A number with a point, as it is written."""


def _load(text):
    events = json.loads(text, object_pairs_hook=_pairs, parse_float=_Number)
    return events if isinstance(events, list) else events["traceEvents"]


def _ns(value):
    """Nanoseconds of a time that is written with three decimals; None for any other."""
    if isinstance(value, _Number) and re.fullmatch(r"\d+\.\d{3}", value):
        return int(value.replace(".", ""))
    return None


def _is_id(value, least=0):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**32


def _check_shape(number, event):
    """What an event must have, whatever stands around it."""
    phase = event.get("ph")
    if phase not in ("M", "X", "i", "C", "s", "t", "f"):
        yield f"event {number}: phase {phase!r}"
    if not _is_id(event.get("pid"), 1) or not _is_id(event.get("tid"), 1):
        yield f"event {number}: pid and tid must be whole numbers from 1 on with 32 bits"
    if not isinstance(event.get("name"), str):
        yield f"event {number}: no name"
    if phase == "M":
        wanted = METADATA.get(event.get("name"))
        if wanted is None or wanted not in event.get("args", {}):
            yield f"event {number}: metadata {event.get('name')!r} that viewers do not know"
        return
    if _ns(event.get("ts")) is None:
        yield f"event {number}: ts must be microseconds with three decimals"
    if phase == "X" and _ns(event.get("dur")) is None:
        yield f"event {number}: dur must be microseconds with three decimals"
    if phase == "i" and event.get("s") not in ("t", "p", "g"):
        yield f"event {number}: an instant of no scope"
    if phase in "stf" and not (isinstance(event.get("id"), int) and event["id"] < LARGEST_ID
                               and event.get("cat")):
        yield f"event {number}: a flow needs cat and a number as its id"
    if phase == "f" and event.get("bp") != "e":
        yield f"event {number}: the end of a flow binds to the next slice"


def _check_slices(events):
    """Slices lie beside or inside one another, parents first."""
    lanes = collections.defaultdict(list)
    for number, event in enumerate(events):
        if event["ph"] == "X":
            start = _ns(event["ts"])
            lanes[event["pid"], event["tid"]].append((start, start + _ns(event["dur"]), number))
    for lane in lanes.values():
        if [(start, -end) for start, end, _ in lane] != sorted((s, -e) for s, e, _ in lane):
            yield f"slices of one thread out of order, near event {lane[0][2]}"
        open_ends = []
        for start, end, number in sorted(lane, key=lambda item: (item[0], -item[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and open_ends[-1] < end:
                yield f"event {number}: cuts into the slice around it"
            open_ends.append(end)


def _check_flows(events):
    """Each flow has one start, one end at most, goes forward, and lies on slices."""
    last = {}
    flows = collections.defaultdict(list)
    for number, event in enumerate(events):
        place = event["pid"], event["tid"]
        if event["ph"] in ("X", "i"):
            start = _ns(event["ts"])
            last[place] = start, start + (_ns(event["dur"]) if event["ph"] == "X" else 0)
        if event["ph"] in ("s", "t", "f"):
            start, end = last.get(place, (1, 0))
            if not start <= _ns(event["ts"]) <= end:
                yield f"event {number}: a flow outside the slice before it"
            flows[event["id"]].append((_ns(event["ts"]), number, event))
    for flow in flows.values():
        kinds = {(event["cat"], event["name"]) for _, _, event in flow}
        if len(kinds) != 1:
            yield f"flow {flow[0][2]['id']}: cat and name differ"
        phases = [event["ph"] for _, _, event in flow]
        if phases.count("s") != 1 or phases.count("f") > 1:
            yield f"flow {flow[0][2]['id']}: {phases.count('s')} starts, {phases.count('f')} ends"
            continue
        times = {phase: [ts for ts, _, event in flow if event["ph"] == phase] for phase in "stf"}
        middle = times["t"]
        if any(ts < times["s"][0] for ts in middle + times["f"]) or \
                (times["f"] and any(ts > times["f"][0] for ts in middle)):
            yield f"flow {flow[0][2]['id']}: goes back in time"


def _check_counters(events):
    """Every sample of a counter has the same series, and numbers in them."""
    series = {}
    for number, event in enumerate(events):
        if event["ph"] != "C":
            continue
        args = event.get("args", {})
        name = event["pid"], event["name"], event.get("id")
        if series.setdefault(name, set(args)) != set(args) or not args:
            yield f"event {number}: a counter whose series change"
        if any(isinstance(value, (str, bool)) and not isinstance(value, _Number)
               or not isinstance(value, (int, str)) for value in args.values()):
            yield f"event {number}: a sample that is no number"


def _check_names(events):
    """Every process and thread says what it is called."""
    named = {(event["name"], event["pid"], event["tid"] if "thread" in event["name"] else None)
             for event in events if event["ph"] == "M"}
    for event in events:
        if event["ph"] != "M" and ("process_name", event["pid"], None) not in named:
            yield f"process {event['pid']} has no name"
            return
        if event["ph"] in ("X", "i") and \
                ("thread_name", event["pid"], event["tid"]) not in named:
            yield f"thread {event['tid']} has no name"
            return


def problems(text):
    try:
        events = _load(text)
    except (ValueError, Twice, KeyError) as reason:
        return [f"no JSON: {reason!r}"]
    found = [problem for number, event in enumerate(events)
             for problem in _check_shape(number, event)]
    if found:
        return found
    return [problem for check in (_check_slices, _check_flows, _check_counters, _check_names)
            for problem in check(events)]


def problems_of(path):
    raw = pathlib.Path(path).read_bytes()
    return problems((gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8"))


if __name__ == "__main__":
    bad = [f"{path}: {problem}" for path in sys.argv[1:] for problem in problems_of(path)]
    print("\n".join(bad))
    sys.exit(1 if bad else 0)
