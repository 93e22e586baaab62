"""Chrome traces that are read: what opscope makes of them is what Perfetto's own reader sees, in
both forms, by every command; and what cannot be kept is in the ledger."""
import random

from support import *

from chrome_rows import rows
from chrome_traces import complete, dump, metadata, random_trace


def time(ns):
    return complete("", 1, 1, ns, ns)["ts"]


def edges_of(slices):
    """The same slices of one thread as beginnings and ends, in order of time."""
    edges, stack = [], []

    def close(until):
        while stack and stack[-1]["ts"].ns + stack[-1]["dur"].ns <= until:
            last = stack.pop()
            edges.append({"ph": "E", "pid": last["pid"], "tid": last["tid"],
                          "ts": time(last["ts"].ns + last["dur"].ns)})
    for event in slices:
        close(event["ts"].ns)
        edges.append({key: value for key, value in event.items() if key != "dur"} | {"ph": "B"})
        stack.append(event)
    close(2**62)
    return edges


def threads_of(events):
    threads = {}
    for event in events:
        if event["ph"] == "X" and event["dur"].ns > 0:
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    return threads


def equal_to_perfetto(folder, events, file_events=None, form="array", indent=None):
    """What opscope reads from `file_events` is what Perfetto reads from `events`."""
    write(folder / "in.json", dump(events, escaped=False))  # Perfetto knows no escaped pairs
    write(folder / "file.json", dump(file_events or events, form, indent))
    opscope("convert", folder / "file.json", "-o", folder / "out.pb")
    want, got = rows(folder / "in.json"), rows(folder / "out.pb")
    for kind in want:
        equal(got[kind], want[kind], kind)
    return want


def test_reads_what_perfetto_reads(folder):
    found = equal_to_perfetto(folder, random_trace(20), form="object", indent=1)
    true(found["slices"] and found["samples"] and found["flows"], "an empty trace")


def test_beginnings_and_ends_in_any_order(folder):
    events = random_trace(21, 200_000)
    names = [event for event in events if event["ph"] == "M"]
    edges = [edge for thread in threads_of(events).values() for edge in edges_of(thread)]
    shuffled = list(edges)
    random.Random(1).shuffle(shuffled)
    equal_to_perfetto(folder, names + edges, names + shuffled)


def account(folder, events, code=None):
    path = write(folder / "account.json", events if isinstance(events, (str, bytes)) else dump(events))
    result = opscope("info", path, "--json", code=code)
    ledger = result.json()[0]["ledger"]
    return ledger, " | ".join(note["text"] for note in ledger["notes"])


def instant(ns, **more):
    return {"ph": "i", "name": "i", "pid": 1, "tid": 1, "ts": time(ns), **more}


FAULTS = [  # events, recorded, lost, impossible, what the ledger says
    ([{"ph": "E", "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0, "ends without a beginning: 1"),
    ([{"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0, "spans that never end: 1"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5}], 1, 0, 0, "without a duration"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "dur": 5}], 0, 1, 0, "events without a time: 1"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": "x", "dur": 5}], 0, 1, 0, "before time 0 or"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1e30, "dur": 5}], 0, 1, 0, "beyond 2^63"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": -5, "dur": 9}], 0, 1, 0, "before time 0"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 9e15, "dur": 9e15}], 0, 1, 0, "beyond 2^63"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 9, "dur": "x"}], 0, 1, 0, "beyond 2^63"),
    ([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": -1}], 0, 0, 1,
     "spans that end before they begin: 1"),
    ([complete("a", 1, 1, 0, 10), complete("b", 1, 1, 5, 15)], 2, 0, 0,
     "cut into another one, which no call stack does: 1"),
    ([complete("b", 1, 1, 5, 15), complete("a", 1, 1, 0, 10)], 2, 0, 0, "cut into another one"),
    ([{"ph": "b", "name": "a", "cat": "c", "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0, "without an id: 1"),
    ([{"ph": "b", "name": "a", "cat": "c", "id": 1, "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0,
     "spans that never end: 1"),
    ([{"ph": "e", "name": "a", "cat": "c", "id": 1, "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0,
     "ends without a beginning: 1"),
    ([{"ph": "C", "name": "n", "pid": 1, "ts": 5, "args": {"v": "many"}}], 0, 1, 0,
     "counter samples without a number: 1"),
    ([{"ph": "C", "name": "n", "pid": 1, "ts": 5}], 0, 1, 0, "counter samples without a number: 1"),
    ([{"ph": "s", "name": "f", "cat": "f", "id": 1, "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0,
     "flow events outside every slice: 1"),
    ([{"ph": "s", "name": "f", "pid": 1, "tid": 1, "ts": 5}], 0, 1, 0, "flow events without an id: 1"),
    ([{"ph": "v", "pid": 1, "ts": 5}], 0, 1, 0, "a phase that is not read (phase 118): 1"),
    ([{"name": "a", "ph": "", "ts": 5}], 0, 1, 0, "do not say what they are: 1"),
    ([metadata("colour", 1, 1)], 0, 0, 0, "metadata that is not read: 1"),
    ([instant(5, args={"a": None, "b": {}})], 1, 0, 0, "arguments that hold nothing: 1"),
    ('[{"ph":"i","ts":1},\n{"ph" 1},\n{"ph":"i","ts":2}]', 2, 1, 0, "pieces that are no events: 1"),
    # One line: only what is no event is passed over, not the rest of the line.
    ('[{"ph":"i","ts":1},null,{"ph":"i","ts":2}]', 2, 1, 0, "pieces that are no events: 1"),
    ('[{"ph":"i","ts":1},5,"s{",[{"ph":"i"}],{"ph" {}},{"ph":"i","ts":2}]', 2, 4, 0,
     "pieces that are no events: 4"),
    ('[{"ph":"i","ts":1},{"ph" 1,{"ph":"i","ts":2},\n{"ph":"i","ts":3}]', 2, 1, 0,
     "pieces that are no events: 1"),
    ('[{"ph":"i","ts":1,"args":{"a":1,b:2,"c":3}}]', 1, 0, 0, "arguments that cannot be read"),
    ('[{"ph":"i","ts":1,"args":{"a":[1,:]}}]', 1, 0, 0, "arguments that cannot be read"),
    ([instant(5, args=[1, 2])], 1, 0, 0, "arguments that cannot be read"),
    ([instant(5, args=7)], 1, 0, 0, "arguments that cannot be read"),
    ([instant(5, args={"k" * 300: {"a": 1}})], 1, 0, 0, "arguments that cannot be read"),
    ('[{"ph":"i","ts":1,"args":{"a":%s1%s}}]' % ("[" * 40, "]" * 40), 1, 0, 0,
     "arguments that cannot be read"),
    ('[{"ph":"C","ts":1,"name":"c","args":{"a":1,b:2}}]', 1, 1, 0, "samples without a number: 1"),
    ('[{"ph":"i","ts":1},{"ph":"i","ts', 1, 1, 0, "cut off inside what starts at byte 19"),
    ('{"traceEvents":[{"ph":"i","ts":1}],"stackFrames":{"1":{}}} x', 1, 0, 0, "members beside"),
]


def test_what_cannot_be_kept_is_in_the_ledger(folder):
    for events, recorded, lost, impossible, note in FAULTS:
        ledger, notes = account(folder, events)
        equal((ledger["recorded"], ledger["lost"], ledger["impossible"]),
              (recorded, lost, impossible), f"ledger of {events}: {notes}")
        contains(notes, note, f"notes of {events}")
        true("at byte 0" not in notes, f"no event starts there: {notes}")
        unknown = "pieces" in note or "cut off" in note
        equal(ledger["expected"], None if unknown else recorded + lost + impossible,
              f"expected of {events}")


def test_names_and_order_of_tracks(folder):
    events = [complete("a", 1, 5, 0, 10), complete("b", "Spans", "stream 7", 0, 10),
              complete("c", 3, -1, 0, 10), complete("d", 4, 4, 0, 10),
              metadata("process_name", 1, 0, name="python"),
              metadata("thread_name", 1, 5, name="Slice 1"),
              metadata("process_sort_index", 1, 0, sort_index=9),
              metadata("process_sort_index", 3, 0, sort_index=-2),
              metadata("process_labels", 3, 0, labels="GPU 0")]
    text = opscope("info", write(folder / "in.json", dump(events))).out
    for name in ("python", "Slice 1", "Spans", "stream 7", "Process 3", "Thread -1", "Thread 4"):
        contains(text, name, "info")
    opscope("convert", folder / "in.json", "-o", folder / "out.json")
    got = json.loads((folder / "out.json").read_bytes())
    order = {event["args"]["sort_index"]: event["pid"] for event in got
             if event["name"] == "process_sort_index"}
    names = {event["pid"]: event["args"]["name"] for event in got if event["name"] == "process_name"}
    equal([names[order[index]] for index in sorted(order)],
          ["Process 3", "Spans", "Process 4", "python"], "order of processes")
    contains((folder / "out.json").read_text(), '"labels":"GPU 0"', "labels")


def test_names_cannot_steer_the_terminal(folder):
    events = [metadata("process_name", 1, 0, name="\x1b]0;title\x07 p"),
              metadata("thread_name", 1, 1, name="\x1b[2Jthread\n\x9bcleared"),
              complete("a", 1, 1, 0, 10), {"ph": "E", "pid": 1, "tid": 1, "ts": 5}]
    result = opscope("info", write(folder / "in.json", dump(events)), code=3)
    contains(result.out, "\ufffd[2Jthread\ufffd\ufffdcleared", "info")
    contains(result.out, "\ufffd]0;title\ufffd p", "info")
    timeline = opscope("timeline", write(folder / "object.json", dump(
        {"traceEvents": events, "device": "\x1b[2Jdevice", "network": "\x1b[2J", "target": "\x07"})), code=3)
    contains(timeline.out, "\ufffd[2Jdevice", "the note")
    wrong = opscope("timeline", folder / "in.json", "--tracks", "\x1b[2J\x9bnone", code=2)
    contains(wrong.err, "'?[2J??none'", "an error")
    shown = result.out + timeline.out + timeline.err + wrong.err
    equal(sorted(set(shown) & {chr(code) for code in (*range(32), *range(127, 160))}), ["\n"],
          "control characters on the terminal")


def test_tracks_are_listed_below_their_processes(folder):
    events = [complete("a", pid, tid, tid, tid + 1) for tid in range(20000) for pid in (2, 1)]
    events.append(metadata("process_sort_index", 1, 0, sort_index=-1))
    text = opscope("info", write(folder / "in.json", dump(events))).out.splitlines()
    names = [line[:30].rstrip() for line in text[2:-1]]
    lanes = [f"    Thread {tid}" for tid in range(20000)]
    equal(names, ["  Process 1", *lanes, "  Process 2", *lanes], "order of tracks")


def test_asynchronous_events_inside_one_another_stay_so(folder):
    """However many others are open at the same time."""
    def event(phase, us, number):
        return {"ph": phase, "name": "n", "cat": "c", "id": number, "pid": 1, "tid": 1, "ts": us}
    events = [event("b", 1, 101), event("b", 2, 102), event("e", 3, 101), event("e", 4, 102),
              event("b", 10, 1), event("b", 20, 1), *(event("b", 25, 200 + i) for i in range(100)),
              event("e", 30, 1), event("e", 100, 1), *(event("e", 200, 200 + i) for i in range(100))]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.json")
    got = [(item["ts"], item["dur"]) for item in json.loads((folder / "out.json").read_bytes())
           if item["ph"] == "X" and item["args"]["id"] == 1]
    equal(sorted(got), [(9, 90), (19, 10)], "outer and inner")


def test_asynchronous_events_pair_by_id(folder):
    def event(phase, ns, number, name="request", **more):
        return {"ph": phase, "name": name, "cat": "net", "id": number, "pid": 1, "tid": 1,
                "ts": time(ns), **more}
    events = [event("b", 0, 1, args={"url": "x"}), event("b", 5, "0x2"), event("n", 6, 1, "half"),
              event("e", 9, 2), event("b", 10, 1, "inner"), event("e", 15, 1, "inner"),
              event("e", 20, 1, args={"status": 200}), event("e", 50, 3), event("b", 40, 3)]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.json")
    got = sorted((item["ts"], item.get("dur"), item["name"], item["args"])
                 for item in json.loads((folder / "out.json").read_bytes()) if item["ph"] in "Xi")
    equal(got, [(0.0, 0.02, "request", {"url": "x", "id": 1, "status": 200}),
                (0.005, 0.004, "request", {"id": "0x2"}), (0.006, None, "half", {"id": 1}),
                (0.01, 0.005, "inner", {"id": 1}), (0.04, 0.01, "request", {"id": 3})], "spans")


def test_flows_of_both_versions_bind(folder):
    flow = {"name": "f", "cat": "f", "id": 7, "pid": 1}
    events = [complete("a", 1, 1, 0, 100), {"ph": "s", "tid": 1, "ts": time(50), **flow},
              complete("inner", 1, 1, 60, 70), complete("b", 1, 2, 200, 300),
              {"ph": "f", "tid": 2, "ts": time(150), **flow},  # the next slice
              complete("c", 1, 3, 0, 10, bind_id="0x9", flow_out=True),
              complete("d", 1, 4, 20, 30, bind_id="0x9", flow_in=True, flow_out=True),
              complete("e", 1, 5, 40, 50, bind_id="0x9", flow_in=True)]
    opscope("convert", write(folder / "in.json", dump(events)), "-o", folder / "out.pb")
    equal(sorted((source[2], target[2]) for source, target in rows(folder / "out.pb")["flows"]),
          [("a", "b"), ("c", "d"), ("d", "e")], "flows")


def test_a_mark_of_utf8_in_front(folder):
    events = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]
    for trace in (events, {"traceEvents": events}):
        path = folder / "mark.json"
        path.write_bytes(b"\xef\xbb\xbf" + json.dumps(trace).encode())
        report = opscope("info", path, "--json").json()[0]
        equal([report["spans"], report["ledger"]["notes"]], [1, []], "read without a word")


def test_every_command_takes_it_from_every_packing(folder):
    opscope("convert", write(folder / "in.json", dump(random_trace(22, 50_000))), "-o",
            folder / "in.prof")
    for name in ("a.json.gz", "a.json.zst"):
        opscope("convert", folder / "in.prof", "-o", folder / name)
        opscope("overview", folder / name, code=None)
        contains(opscope("info", folder / name).out, "chrome", "info")
    whole = (folder / "a.json.gz").read_bytes()
    result = opscope("info", write(folder / "cut.json.gz", whole[:len(whole) // 2]), code=3)
    contains(result.out, "the gzip data is cut off", "info")
    contains(opscope("info", write(folder / "bad.json", '{"a":[1,2]}'), code=1).err,
             "not a file that opscope knows", "a JSON file that is no trace")


main()
