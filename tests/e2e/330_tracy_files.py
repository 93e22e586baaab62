#!/usr/bin/env python3
"""Traces that Tracy saved: every version, both packings, damage, and the host's side of a report."""

from support import *

import tenstorrent_logs
from tracy_file import OPEN, Context, Plot, Thread, Trace, Zone, ordinary, pack

VERSIONS = [(0, 9, 0), (0, 9, 1), (0, 9, 2), (0, 10, 0), (0, 11, 0), (0, 11, 1), (0, 11, 2), (0, 12, 2), (0, 12, 3),
            (0, 12, 4), (0, 13, 0), (0, 13, 2), (0, 13, 4), (0, 13, 5), (0, 14, 0)]


def save(path, trace, *arguments, **options):
    path.write_bytes(trace.file(*arguments, **options))
    return path


def chrome(path, folder, code=0):
    """The events of a file as opscope writes them."""
    out = folder / "out.json"
    opscope("convert", path, "-o", out, code=code)
    events = json.loads(out.read_text())
    return [event for event in events if event["ph"] != "M"], [event for event in events if event["ph"] == "M"]


def spans(events):
    return sorted((round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000), event["name"])
                  for event in events if event["ph"] == "X")


def flatten(zones):
    for zone in zones:
        if zone.end != OPEN:
            yield zone.start, zone.end, zone.name or zone.function
        yield from flatten(zone.children)


def test_every_version_says_the_same(folder):
    wanted = None
    for version in VERSIONS:
        for packing, streams in (("lz4", None), ("zstd", None), ("lz4", 3), ("zstd", 2)):
            path = save(folder / "trace.tracy", ordinary(), version, packing, streams)
            result = opscope("info", path, "--json", code=3)
            about = result.json()[0]
            facts = {fact["key"]: fact["text"] for fact in about.pop("facts")}
            equal(facts["tracy_version"], ".".join(map(str, version)), "version")
            wanted = wanted or about
            equal(about, wanted, f"{version} {packing} {streams}")
    equal((wanted["spans"], wanted["instants"], wanted["samples"]), (12, 3, 3), "events")
    equal(wanted["ledger"]["lost"], 1, "the zone that never ends")


def test_zones_messages_frames_and_plots(folder):
    path = save(folder / "trace.tracy", ordinary())
    events, _ = chrome(path, folder, code=3)
    trace = ordinary()
    zones = [zone for thread in trace.threads.values() for zone in flatten(thread.zones)]
    zones += [zone for context in trace.contexts for lane in context.zones.values() for zone in flatten(lane)]
    zones += [(0, 500, "frame"), (500, 1500, "frame"), (100, 400, "batch"), (500, 900, "batch")]
    equal(spans(events), sorted(zones), "spans")
    by_name = {event["name"]: event for event in events if event["ph"] == "X"}
    equal(by_name["read"]["args"]["text"], "weights.bin", "text of a zone")
    equal(by_name["compute"]["args"]["zone_name"], "step 1", "name of a zone")
    contains(json.dumps(by_name["compute"]["args"]), "main.cpp:12", "source")
    equal(by_name["BRISC-FW"]["args"]["function"], "OP ID:1024", "operation of a device's zone")
    messages = {event["name"]: event for event in events if event["ph"] == "i"}
    equal(set(messages), {"begun", "several", "of nobody"}, "messages")
    equal(messages["several"]["args"]["message"], "several\nlines of a message", "whole text")
    samples = sorted((event["name"], event["ts"], *event["args"].values()) for event in events if event["ph"] == "C")
    equal(samples, [("CPU usage", 0.1, 12.5), ("loss", 0.1, 0.5), ("loss", 0.2, 0.25)], "samples")


def test_lanes_of_devices_and_threads(folder):
    about = opscope("info", save(folder / "trace.tracy", ordinary()), code=3).out
    for line in ("runner", "Main thread", "thread 8", "no thread", "device 0", "core 1,2", "BRISC", "TRISC_0",
                 "Vulkan context 1: my queue"):
        matches(about, rf"(?m)^ +{re.escape(line)}( |$)", line)


def test_many_blocks_and_deep_zones(folder):
    """Several blocks of 64 KiB, with matches across them, and more depth than a stack would take."""
    trace = Trace()
    zones = [Zone(f"zone {at % 50}", at * 100, at * 100 + 50, text=f"id:{at}") for at in range(20_000)]
    trace.threads[1] = Thread("wide", zones)
    deep = Zone("bottom", 5000, 5000)
    for at in range(900):
        deep = Zone("deep", 4999 - at, 5001 + at, [deep])
    trace.threads[2] = Thread("deep", [deep])
    for packing, streams in (("lz4", None), ("zstd", 4), ("lz4", 5)):
        path = save(folder / "trace.tracy", trace, (0, 11, 0), packing, streams)
        about = opscope("info", path, "--json").json()[0]
        equal(about["spans"], 20_901, f"{packing} {streams}")
        equal(about["ledger"]["lost"], 0, "lost")


def test_a_file_that_fills_its_last_block(folder):
    content = ordinary().content()
    content += bytes(65536 - len(content) % 65536)
    whole = pack(content)
    for name, data in (("with a short block behind", whole), ("without", whole[:-5])):
        path = folder / "trace.tracy"
        path.write_bytes(data)
        equal(opscope("info", path, "--json", code=3).json()[0]["spans"], 12, name)


def test_cut_and_damaged_files_keep_what_was_read(folder):
    whole = ordinary().file()
    path = folder / "cut.tracy"
    for size in (4, 5, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        result = opscope("info", path, code=None)
        true(result.code in (1, 3), f"{size} bytes: exit {result.code}")
        matches(result.out + result.err, "cut off|damaged|does not begin with 'tracy'", f"{size} bytes")
    content = ordinary().content()
    read = []
    for size in range(200, len(content), 97):
        path.write_bytes(pack(content[:size]))
        result = opscope("info", path, "--json", code=None)
        equal(result.code, 3, f"{size} bytes inside")
        read.append(result.json()[0]["spans"])
    equal(read, sorted(read), "the more is there the more is read")
    true(0 in read and 12 in read, "from nothing to everything")


def test_numbers_that_make_no_sense(folder):
    content = bytearray(ordinary().content())
    path = folder / "wrong.tracy"
    for at in range(8, len(content), 41):
        changed = content[:at] + b"\xff" * 8 + content[at + 8:]
        path.write_bytes(pack(bytes(changed)))
        result = opscope("info", path, code=None)
        true(result.code in (0, 1, 3), f"at {at}: exit {result.code}\n{result.err}")


def test_versions_that_are_not_read(folder):
    path = folder / "trace.tracy"
    for version, what in (((0, 8, 9), "'update'"), ((0, 14, 1), "tracy-csvexport"), ((1, 0, 0), "tracy-csvexport")):
        path.write_bytes(ordinary().file(version))
        result = opscope("info", path, code=1)
        contains(result.err, "saved by Tracy %d.%d.%d: 0.9.0 to 0.14.0 are read" % version, "version")
        contains(result.err, what, "what to do")
    path.write_bytes(pack(b"something else"))
    contains(opscope("info", path, code=1).err, "does not begin with 'tracy'", "packed something else")
    path.write_bytes(b"tr\xfdP\x07\x01" + bytes(100))
    contains(opscope("info", path, code=1).err, "does not begin with 'tracy'", "an unknown packing")


def test_a_crash_and_what_is_not_read(folder):
    trace = ordinary()
    trace.crash = (7, 1234, "SIGSEGV")
    trace.locks = 5
    result = opscope("info", save(folder / "trace.tracy", trace), code=3)
    contains(result.out, "the program crashed at 1234 ns: SIGSEGV", "crash")
    contains(result.out, "events of locks are not read: 5", "locks")


# The host's side of a report -------------------------------------------------

def as_tracy(capture):
    """The host's logs of a made capture as Tracy saves them."""
    trace = Trace("pytest")
    zones = []
    for op in capture.ops:
        op.functions = {name: min(ns, 100) for name, ns in op.functions.items()}
        at, children = op.start, []
        for name, ns in op.functions.items():
            children.append(Zone(name, at + 1, at + 1 + ns, file="/metal/queue.cpp", line=7))
            at += ns + 1
        zones.append(Zone("TT_DNN_DEVICE_OP", op.start, op.start + op.duration, children, text=f"id:{op.count}",
                          file="/ttnn/device_operation.hpp", line=244))
    trace.threads[5] = Thread("Main thread", zones)
    trace.messages = [(time, 5, content) for time, content in capture.messages]
    return trace


def test_a_report_from_tracy_equals_one_from_its_csvs(folder):
    for seed in range(3):
        capture = tenstorrent_logs.ordinary(seed)
        trace = as_tracy(capture)
        capture.write(folder / "csv")
        opscope("tt-report", folder / "csv", "-o", folder / "wanted.csv")
        path = save(folder / "host.tracy", trace)
        opscope("tt-report", path, folder / "csv/profile_log_device.csv", "-o", folder / "report.csv")
        equal((folder / "report.csv").read_bytes(), (folder / "wanted.csv").read_bytes(), f"seed {seed}")


def test_a_folder_with_a_trace_of_tracys(folder):
    capture = tenstorrent_logs.ordinary(5)
    trace = as_tracy(capture)
    logs = capture.write(folder / "generated/.logs")
    opscope("tt-report", logs, "-o", folder / "wanted.csv")
    (logs / "tracy_ops_data.csv").unlink()
    (logs / "tracy_ops_times.csv").unlink()
    save(logs / "tracy_profile_log_host.tracy", trace)
    opscope("tt-report", folder / "generated", "-o", folder / "report.csv")
    equal((folder / "report.csv").read_bytes(), (folder / "wanted.csv").read_bytes(), "report")


def test_the_host_alone_and_what_contradicts(folder):
    capture = tenstorrent_logs.ordinary(2)
    path = save(folder / "host.tracy", as_tracy(capture))
    opscope("tt-report", path, "-o", folder / "report.csv", code=None)
    contains((folder / "report.csv").read_text(), "Matmul", "an operation")
    logs = capture.write(folder / "csv")
    result = opscope("tt-report", path, logs / "tracy_ops_data.csv", "-o", folder / "no.csv", code=2)
    contains(result.err, "two logs of the same kind", "twice")
    result = opscope("tt-report", logs / "tracy_ops_data.csv", path, "-o", folder / "no.csv", code=2)
    contains(result.err, "give either", "twice")


def test_what_is_lost_in_a_trace_is_said_in_the_report(folder):
    trace = as_tracy(tenstorrent_logs.ordinary(2))
    trace.threads[6] = Thread("", [Zone("open", 5, OPEN)])
    result = opscope("tt-report", save(folder / "host.tracy", trace), "-o", folder / "report.csv", code=3)
    contains(result.err, "zones or messages are lost", "loss")


main()
