#!/usr/bin/env python3
"""`opscope profile` and programs that Tracy is linked with: found, asked, captured, whatever they do.

The program is one of the tests' own (tests/tools/tracy_program.py), written from the protocol. Ports are shared
by all tests of a machine: each program takes a free one, and captures look at their own processes only.
"""

import socket
import threading

from support import *

PROGRAM = ROOT / "tests/tools/tracy_program.py"
TOGETHER = True


def profile(folder, *command, code=0, options=()):
    out = folder / "out.prof"
    result = opscope("profile", "-o", out, *options, "--", *command, code=code, cwd=folder)
    return result, opscope("info", out, "--json", code=None).json()[0]


def traced(*options):
    return [sys.executable, PROGRAM, *options]


def lanes(about):
    return {track["name"]: track["spans"] + track["instants"] + track["samples"] for track in about["tracks"]
            if track["provenance"] == "measured"}


WANTED = {"Main thread": 202, "helper": 200, "loss": 100, "frames": 100, "BRISC": 2}


def test_all_that_a_program_sends(folder):
    result, about = profile(folder, *traced())
    contains(result.err, "recordings 0, programs with Tracy 1", "summary")
    equal(lanes(about), WANTED, "events by lane")
    equal(about["ledger"]["lost"], 0, "lost")
    opscope("convert", folder / "out.prof", "-o", folder / "out.json")
    events = json.loads((folder / "out.json").read_text())
    spans = [event for event in events if event["ph"] == "X"]
    outer = [event for event in spans if event["name"] == "outer"]
    equal({round(event["dur"] * 1000) for event in outer}, {500}, "length of a zone")
    equal({event["args"]["source"] for event in outer}, {"main.cpp:1", "main.cpp:2", "main.cpp:3"}, "sources")
    equal(len([event for event in spans if event["name"] == "work"]), 100, "named by the function")
    equal({event["args"]["text"] for event in spans if event["name"] == "inner"}, {f"id:{at}" for at in range(100)},
          "texts")
    firmware = sorted((event["dur"], event["args"]["function"]) for event in spans if event["name"] == "BRISC-FW")
    equal(firmware, [(0.5, "OP ID:2048"), (1, "OP ID:1024")], "zones of the device")
    messages = {event["name"] for event in events if event["ph"] == "i"}
    equal(messages, {"a literal", "hello"}, "messages")


def test_times_lie_where_the_processes_do(folder):
    _, about = profile(folder, *traced("zones=3"))
    tracks = {track["name"]: track for track in about["tracks"]}
    true("Main thread" in tracks, "thread")
    opscope("convert", folder / "out.prof", "-o", folder / "out.json")
    spans = [event for event in json.loads((folder / "out.json").read_text()) if event["ph"] == "X"]
    command = next(event for event in spans if "parent" in event["args"])
    for event in spans:
        true(command["ts"] <= event["ts"] <= command["ts"] + command["dur"] + 1000,
             f"{event['name']} while the command ran")


def test_many_frames_and_many_names(folder):
    _, about = profile(folder, *traced("zones=3000"))
    equal(lanes(about)["Main thread"], 6002, "zones")
    equal(about["ledger"]["lost"], 0, "lost")


def test_upstreams_narrow_contexts(folder):
    _, about = profile(folder, *traced("wide=0", "zones=5"))
    names = {track["name"] for track in about["tracks"]}
    true("Vulkan context 0: queue" in names or any("Vulkan" in name for name in names), f"context among {names}")
    equal(about["ledger"]["lost"], 0, "lost")


def test_upstreams_protocols(folder):
    """Items have other numbers, some other sizes, and there are more or fewer of them."""
    def zones(protocol):
        result, about = profile(folder, *traced(f"protocol={protocol}", "wide=0", "zones=5", "late=1"))
        equal(about["ledger"]["lost"], 0, f"{protocol}: {result.err}")
        opscope("convert", folder / "out.prof", "-o", folder / "out.json")
        events = [event for event in json.loads((folder / "out.json").read_text()) if event["ph"] in "Xi"]
        first = min(event["ts"] for event in events if event["name"] == "outer")
        return lanes(about), sorted((event["name"], round(event["ts"] - first, 3), event.get("dur", 0),
                                     event.get("args", {}).get("text", ""))
                                    for event in events if "parent" not in event.get("args", {}))

    want = zones("66")
    true(any(name == "late" and dur == 300 and len(text) > 1000 for name, _, dur, text in want[1]), "a late zone")
    for protocol in ("63", "64", "69", "74", "76", "82"):
        equal(zones(protocol), want, protocol)


def test_several_programs_at_once(folder):
    """Without -p each chooses a port and is found."""
    command = " & ".join(f"{sys.executable} {PROGRAM} zones=20" for _ in range(3)) + " & wait"
    result, about = profile(folder, "sh", "-c", command)
    contains(result.err, "programs with Tracy 3", "summary")
    mains = [track for track in about["tracks"] if track["name"] == "Main thread"]
    equal([track["spans"] for track in mains], [40, 40, 40], "zones of each")


def free_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        return holder.getsockname()[1]


def test_a_port_that_was_given(folder):
    port = free_port()
    result, about = profile(folder, *traced(), options=["-p", port])
    contains(result.out, f"listening {port}", "TRACY_PORT")
    equal(lanes(about), WANTED, "events by lane")


def test_statuses_are_passed_on(folder):
    result, about = profile(folder, *traced("exit=9"), code=9)
    equal(lanes(about), WANTED, result.err)


def test_a_program_that_is_killed_in_the_middle(folder):
    result, about = profile(folder, *traced("die=1"), code=128 + 9)
    equal(lanes(about)["thread 11"], 103, "zones until then, of a thread whose name it did not say")
    contains(result.err, "never ends", "the zone that was open")
    true(".opscope-capture-" not in result.err, "no paths that are gone")
    matches(result.err, "before the program said that it was done", "the connection")
    true(about["ledger"]["lost"] > 0, "lost")


def take_over(port, ends, heard):
    """Listens at a port as soon as it is free, and hears what is said there."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        while not ends.is_set():
            try:
                server.bind(("127.0.0.1", port))
                server.listen()
                break
            except OSError:
                continue
        server.settimeout(0.02)
        while not ends.is_set():
            try:
                peer, _ = server.accept()
            except OSError:
                continue
            with peer:
                peer.settimeout(1)
                try:
                    heard.append(peer.recv(64))
                except OSError:
                    pass


def test_a_port_that_somebody_else_takes_is_left_alone(folder):
    """A program that ends when it is asked the first time leaves its port to others."""
    for _ in range(3):
        port, ends, heard = free_port(), threading.Event(), []
        start_of = folder / "begun"
        start_of.unlink(missing_ok=True)
        other = threading.Thread(target=lambda: (until(start_of.exists, "the program"), take_over(port, ends, heard)))  # pylint: disable=cell-var-from-loop
        other.start()
        try:
            command = f"{sys.executable} {PROGRAM} protocol=83 last=66 | while read line; do touch {start_of}; done; sleep 0.3"
            result, _ = profile(folder, "sh", "-c", command, options=["-p", port])
        finally:
            start_of.touch()
            ends.set()
            other.join()
        equal([said for said in heard if said], [], "what the other program heard")
        contains(result.err, "another protocol of Tracy's than 66, and was over before", "the one of the command")


def test_what_cannot_be_captured_is_named_with_what_to_do(folder):
    # Asked to the last that is offered, and one that ends when it is asked the first time.
    for last, problem, advice in (
            ("63", "another protocol of Tracy's than those of its releases 0.9 to 0.14",
             "give the .tracy file to opscope"),
            ("66", "another protocol of Tracy's than 66, and was over before", "TRACY_NO_EXIT=1 a program")):
        result, _ = profile(folder, *traced("protocol=83", f"last={last}"))
        contains(result.err, problem, "mismatch")
        contains(result.err, advice, "what to do")
        contains(result.err, "nothing in the command records", "no report called done")
    result, _ = profile(folder, *traced("status=3"))
    contains(result.err, "somebody else has captured it", "taken")
    result, _ = profile(folder, *traced("garbage=1"), code=3)
    contains(result.err, "cannot be unpacked", "garbage")


def test_something_else_that_listens(folder):
    text = """
import socket, sys
for port in range(8110, 8499):
    server = socket.socket()
    try:
        server.bind(("127.0.0.1", port))
        break
    except OSError:
        server.close()
server.listen()
peer, _ = server.accept()
peer.recv(12)
peer.sendall(b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n")
peer.close()
"""
    result, _ = profile(folder, sys.executable, "-c", text)
    contains(result.err, "something else than Tracy answers there", "message")


def test_beside_recorders(folder):
    path = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", "torq-sl2610", "-o", path)
    result, about = profile(folder, "sh", "-c", f"{program('opscope')} run {path} >/dev/null & "
                            f"{sys.executable} {PROGRAM} zones=10; wait")
    contains(result.err, "recordings 1, programs with Tracy 1", "summary")
    true({"Main thread", "SLICE 0"} <= set(lanes(about)), "both")


main()
