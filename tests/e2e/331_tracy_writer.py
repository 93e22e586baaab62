#!/usr/bin/env python3
"""Profiles written as Tracy saves traces: read back they are the same, and Tracy's own tools say the same.

    pytest-3 tests/e2e -k 331 --tracy FOLDER     # with csvexport and update, built of tt-metal's fork
"""

import csv
import io
from collections import Counter

from support import *

import tracy_file
from every_format import write_all
from tracy_file import Context, Plot, Thread, Trace, Zone


def chrome(path, folder, code=0):
    out = folder / f"{path.name}.json"
    opscope("convert", path, "-o", out, "--to", "chrome", code=code)
    return json.loads(out.read_text())


def convert(path, folder, code=0):
    out = folder / f"{path.stem}-written.tracy"
    return out, opscope("convert", path, "-o", out, code=code)


def saved(folder, trace, name="trace.tracy"):
    path = folder / name
    path.write_bytes(trace.file())
    return path


def written(folder, name, events):
    path = folder / name
    path.write_text(json.dumps(events))
    return path


def times(events):
    """Start, end and name of everything: what a format of Tracy's keeps of any profile, and from when on."""
    found = Counter((event["ph"], round(event["ts"] * 1000), round((event["ts"] + event.get("dur", 0)) * 1000),
                     event["name"] if event["ph"] != "C" else "") for event in events if event["ph"] in "XiC")
    first = min(start for _, start, _, _ in found)
    return Counter({(kind, start - first, end - first, name): count
                    for (kind, start, end, name), count in found.items()})


def same_trace(folder, trace, what):
    """The whole of a trace of Tracy's: threads, contexts, messages, values."""
    path = saved(folder, trace)
    out, _ = convert(path, folder)
    equal(out.read_bytes()[:4], b"tlZ\x04", "packing")
    equal(chrome(out, folder), chrome(path, folder), what)
    again = folder / "again.tracy"
    opscope("convert", out, "-o", again)
    equal(again.read_bytes(), out.read_bytes(), f"{what}: bytes of what was read and written again")
    facts = {fact["key"]: fact["text"] for fact in opscope("info", out, "--json").json()[0]["facts"]}
    equal(facts["tracy_version"], "0.10.0", "version")
    return out


def test_what_was_read_is_written_the_same(folder):
    same_trace(folder, tracy_file.closed(), "a little of everything")
    trace = Trace("cores")
    trace.threads[3] = Thread("Main thread", [Zone("run", 0, 10_000)])
    for device in range(2):
        for core in range(4):
            lanes = {core << 3 | 1 << 7 | device << 11 | risc:
                     [Zone("FW", 100 * at, 100 * at + 90, [Zone("KERNEL", 100 * at + 5, 100 * at + 80)],
                           function=f"OP ID:{at}") for at in range(5)] for risc in range(5)}
            trace.contexts.append(Context(f"Device: {device}, Core ({core},1)", lanes))
    same_trace(folder, trace, "cores of two devices")


def test_frames_of_all_sorts(folder):
    trace = tracy_file.closed()
    trace.frames = {"": [100, 500, 1500, 1501], "marks": [10, 20, 30], "pairs": [(1, 1), (5, 9), (20, 30)]}
    same_trace(folder, trace, "frames")


def test_many_blocks_and_deep_zones(folder):
    trace = Trace()
    trace.threads[1] = Thread("wide", [Zone(f"zone {at % 50}", at * 100, at * 100 + 50, text=f"id:{at}")
                                       for at in range(2000 if SANITIZED else 8000)])
    deep = Zone("bottom", 5000, 5000)
    for at in range(900):
        deep = Zone("deep", 4999 - at, 5001 + at, [deep])
    trace.threads[2] = Thread("deep", [deep])
    trace.messages = [(at, 1 + at % 2, f"message {at % 7}") for at in range(300)]
    trace.plots = {"loss": Plot([(at, at / 7) for at in range(500)]), "size": Plot([(1, 2.0)], format=1)}
    same_trace(folder, trace, "blocks")


def test_every_format_keeps_its_events(folder):
    for name, path in write_all(folder).items():
        out, result = convert(path, folder)
        true("not carried" not in result.err, f"{name}: {result.err}")
        equal(times(chrome(out, folder)), times(chrome(path, folder)), name)


def test_spans_that_overlap_go_to_further_lanes(folder):
    events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "runner"}},
              {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "lane"}}]
    events += [{"ph": "X", "pid": 1, "tid": 1, "ts": at * 10, "dur": 25, "name": f"{at % 3}"} for at in range(50)]
    path = written(folder, "overlap.json", events)
    out, _ = convert(path, folder)
    read = chrome(out, folder)
    equal(times(read), times(chrome(path, folder)), "spans")
    lanes = {event["args"]["name"] for event in read if event["name"] == "thread_name"}
    equal(lanes, {"lane"}, "names of lanes")


def test_values_become_text(folder):
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "all",
               "args": {"function": "main", "source": "a:b.cpp:17", "zone_name": "own", "text": "first", "count": 3,
                        "ratio": 0.5, "is": True, "word": "w"}},
              {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "name": "odd", "args": {"source": "no line"}},
              {"ph": "i", "pid": 1, "tid": 1, "ts": 6, "name": "said", "s": "t", "args": {"by": "me"}}]
    path = written(folder, "values.json", events)
    out, _ = convert(path, folder)
    read = {event["name"]: event for event in chrome(out, folder) if event["ph"] in "Xi"}
    equal(read["all"]["args"], {"zone_name": "own", "text": "first\ncount: 3\nratio: 0.5\nis: true\nword: w",
                                "function": "main", "source": "a:b.cpp:17"}, "values")
    equal(read["odd"]["args"], {"text": "source: no line"}, "a source that is none")
    equal(read["said"]["args"], {"message": "said\nby: me"}, "values of a message")


def test_lanes_of_several_processes_are_told_apart(folder):
    events = []
    for pid, program in ((1, "first"), (2, "second")):
        events += [{"ph": "M", "pid": pid, "name": "process_name", "args": {"name": program}},
                   {"ph": "M", "pid": pid, "tid": 1, "name": "thread_name", "args": {"name": "main"}},
                   {"ph": "X", "pid": pid, "tid": 1, "ts": 1, "dur": 2, "name": "work"},
                   {"ph": "C", "pid": pid, "ts": 1, "name": "load", "args": {"value": pid}}]
    out, _ = convert(written(folder, "two.json", events), folder)
    about = opscope("info", out).out
    for line in ("first", "main", "load", "second / main", "second / load"):
        matches(about, rf"(?m)^ +{re.escape(line)}( |$)", line)


def test_what_tracy_has_no_room_for(folder):
    """Times of more than 47 bits count from the first; what is too late, and samples that are no numbers, are said."""
    late = 2 ** 47 // 1000
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": 1000 + at, "dur": 1, "name": f"{at}"} for at in (0, 5, late)]
    out, result = convert(written(folder, "late.json", events), folder, code=3)
    contains(result.err, "times count from 1000000 ns", "base")
    matches(result.err, r"events more than 2\^47 ns after the first", "too late")
    equal(sorted(times(chrome(out, folder))), [("X", 0, 1000, "0"), ("X", 5000, 6000, "5")], "what remains")


def test_more_names_than_locations(folder):
    """A zone whose location has no room keeps its name as its own."""
    if SANITIZED:
        raise Skip("many names: slow under sanitizers")
    count = 32767 + 20
    events = [{"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": 1, "name": f"name {at}"} for at in range(count)]
    out, _ = convert(written(folder, "names.json", events), folder)
    read = [event for event in chrome(out, folder) if event["ph"] == "X"]
    equal(len(read), count, "spans")
    names = [event.get("args", {}).get("zone_name", event["name"]) for event in read]
    equal(names, [f"name {at}" for at in range(count)], "names")
    equal(sum(event["name"] == "other" for event in read), count - 32766, "those without a location")


def test_packed_and_refused_outputs(folder):
    path = saved(folder, tracy_file.closed())
    opscope("convert", path, "-o", folder / "packed.tracy.gz")
    equal(chrome(folder / "packed.tracy.gz", folder), chrome(path, folder), "packed")
    opscope("convert", path, "-o", folder / "named", "--to", "tracy")
    equal((folder / "named").read_bytes(), convert(path, folder)[0].read_bytes(), "by name")
    result = opscope("convert", path, "-o", folder / "missing/out.tracy", code=1)
    contains(result.err, "missing/out.tracy", "no folder")


# Tracy's own tools -----------------------------------------------------------

def tools():
    where = os.environ.get("OPSCOPE_TRACY_TOOLS")
    if not where:
        raise Skip("no tools of Tracy's: --tracy FOLDER or OPSCOPE_TRACY_TOOLS, with csvexport and update")
    return pathlib.Path(where)


def totals_of_tracy(path):
    """Count and sum by name, of zones of threads that last."""
    found = {}
    for row in csv.DictReader(io.StringIO(run(tools() / "csvexport", path).out)):
        count, total = found.get(row["name"], (0, 0))
        found[row["name"]] = (count + int(row["counts"]), total + int(row["total_ns"]))
    return found


def totals_of_ours(events):
    """The same of what opscope reads; lanes of devices and of frames apart, which csvexport does not list."""
    devices = {event["pid"] for event in events if event["name"] == "process_name"
               and re.match(r"device \d|\w+( \d\d)? context", event["args"]["name"])}
    frames = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"
              and event["args"]["name"].split()[0] == "frames"}
    found = {}
    for event in events:
        if event["ph"] == "X" and event["pid"] not in devices and (event["pid"], event["tid"]) not in frames:
            ns = round(event["dur"] * 1000)
            count, total = found.get(event["name"], (0, 0))
            if ns > 0:
                found[event["name"]] = (count + 1, total + ns)
    return found


def test_tracys_tools_say_the_same(folder):
    tools()
    files = write_all(folder)
    files["closed"] = saved(folder, tracy_file.closed(), "closed.tracy")
    compared = 0
    for name, path in files.items():
        out, _ = convert(path, folder)
        ours = chrome(out, folder)
        theirs = totals_of_tracy(out)
        if not any("," in key or '"' in key for key in theirs):  # csvexport does not quote
            equal(theirs, totals_of_ours(ours), name)
            compared += len(theirs)
        run(tools() / "update", out, folder / "updated.tracy")
        equal(times(chrome(folder / "updated.tracy", folder)), times(ours), f"{name}, saved anew by Tracy")
        messages = run(tools() / "csvexport", "-m", out).out
        for event in ours:
            if event["ph"] == "i":
                contains(messages, event["name"], f"message of {name}")
    true(compared > 20, f"only {compared} names compared")


main()
