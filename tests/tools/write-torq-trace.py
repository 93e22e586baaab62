#!/usr/bin/env python3
"""Writes a trace as Torq's own Python tools do, for trying out readers.

    write-torq-trace.py [options] [LABEL=NANOSECONDS ...] OUT.pb

    --style tracks     plain tracks, as Torq writes them today (the default)
    --style threads    process and thread descriptors, as until early 2026
    --view NAME        whose overview it is: "Host Profile" (the default) or
                       "Compile Profile"
    --metrics FILE     figures as a JSON object {LABEL: NANOSECONDS}
    --document         the figures of the sample in Torq's documentation
    --work N           N pieces of work on the tracks of Host and NPU (1)
    --seed N           of the work (1)

The work comes first, then the overview, whose events carry the figures in their
names: "DMA+CDMA union: 453.000\u00b5s (3.53%)". Labels are those of the overview,
OVERALL among them; without figures it has none.
"""

import argparse
import json
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[0:1] = [str(TESTS / "gen"), str(TESTS / "tools")]

import perfetto_wire as wire  # noqa: E402
import torq_trace as torq  # noqa: E402

HOST, NPU, USED = "Host", "NPU Task Breakdown", "NPU Task Measurements"

# Tracks in the order in which Torq makes them; those of today number on over
# all processes.
LAYOUT = [
    (HOST, None), (NPU, None),
    ("HAL", HOST), ("NSS Programs", HOST), ("NSS CFG Tasks", NPU), ("Host Programs", HOST),
    ("Host Copy", HOST), ("CDMA", NPU), ("NDMA In", NPU), ("NDMA Out", NPU), ("Slice 0", NPU),
    ("Slice 1", NPU), ("CSS", NPU),
    (USED, None), ("DMA In Used", USED), ("DMA Out Used", USED), ("CDMA Used", USED),
    ("Slice 0 Used", USED), ("Slice 1 Used", USED), ("CSS Used", USED),
]
ENGINES = {"NDMA In": ("Dma In", "DMA In Used"), "NDMA Out": ("Dma Out", "DMA Out Used"),
           "CDMA": ("Cdma", "CDMA Used"), "Slice 0": ("Slice Program", "Slice 0 Used"),
           "Slice 1": ("Slice Program", "Slice 1 Used"), "CSS": ("Css Program", "CSS Used")}


class Trace:
    """Packets, with uuids as they come."""

    def __init__(self, style):
        self.style = style
        self.packets = []
        self.uuids = {}
        self.count = 0

    def add_track(self, name, parent):
        self.count += 1
        self.uuids[name] = self.count
        if self.style == "tracks":
            made = (wire.plain(self.count, name, None, (11, torq.CHRONOLOGICAL)) if parent is None
                    else wire.plain(self.count, name, self.uuids[parent]))
        elif parent is None:
            made = wire.process(self.count, self.count, name, (11, torq.LEXICOGRAPHIC))
        else:
            made = wire.thread(self.count, self.uuids[parent], self.count, name)
        self.packets.append(made)

    def add_span(self, track, start, end, name):
        category = [(22, "overview")] if "OVERVIEW" in track else []
        for time, kind in ((start, wire.BEGIN), (end, wire.END)):
            self.packets.append(wire.event(time, kind, self.uuids[track], name, *category))


def add_program(trace, chance, number, start):
    """An NSS program with a task on some engines; gives its end."""
    place = f'"conv.mlir":{number % 90 + 1}:10'
    engines = chance.sample(sorted(ENGINES), chance.randint(1, 4))
    length = chance.randrange(20_000, 90_000)
    name = (f"Nss Program | program_{number} | {place} | Job: {number} | Start Action: {2 * number}"
            f" | Wait Action: {2 * number + 1}")
    ready = start + length * chance.randint(50, 100) // 100
    trace.add_span("NSS Programs", start, ready, name)
    trace.add_span("NSS Programs", ready, start + length, "WAITING")
    trace.add_span("NSS CFG Tasks", start, start + 500, f"Nss Cfg | Task: {number} | {place}")
    for engine in engines:
        kind, used = ENGINES[engine]
        begin = start + chance.randrange(500, 5_000)
        trace.add_span(engine, begin, chance.randrange(begin, start + length), f"{kind} | {place}")
        trace.add_span(used, start, start + length, name)
    return start + length


def add_work(trace, count, seed):
    """All tracks of Torq's, and work on them in the order of time."""
    chance = random.Random(seed)
    for track in LAYOUT:
        trace.add_track(*track)
    now = 1_000_000
    for number in range(count):
        end = now + chance.randrange(5_000, 20_000)
        trace.add_span("HAL", now, end, "Hal | loc(unknown)")
        trace.add_span("Host Copy", end, end + 3_000, "Host Copy | loc(unknown)")
        now = add_program(trace, chance, number, end + 3_000)
        trace.add_span("Host Programs", now, now + 2_000, "Host Program | loc(unknown)")
        now += 2_000 + chance.randrange(1_000)


def add_overview(trace, view, figures):
    labels = torq.OLD_LABELS if trace.style == "threads" else ()
    process, tracks = torq.overview_process(view, figures, 1_000_000, labels)
    trace.add_track(process, None)
    for name, spans in tracks:
        trace.add_track(name, process)
        for span in spans:
            trace.add_span(name, *span)


def figures_of(options):
    figures = dict(torq.DOCUMENT) if options.document else {}
    if options.metrics:
        figures.update(json.loads(pathlib.Path(options.metrics).read_text(encoding="utf-8")))
    for text in options.figures:
        label, _, number = text.rpartition("=")
        figures[label] = int(number)
    known = {label for _, label in torq.OVERVIEW}
    unknown = sorted(set(figures) - known)
    if unknown:
        sys.exit(f"write-torq-trace.py: no figure is called {unknown[0]!r}; there are {sorted(known)}")
    if figures and "OVERALL" not in figures:
        sys.exit("write-torq-trace.py: figures need OVERALL, which their shares are of")
    return figures


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--style", choices=("tracks", "threads"), default="tracks")
    parser.add_argument("--view", default="Host Profile")
    parser.add_argument("--metrics")
    parser.add_argument("--document", action="store_true")
    parser.add_argument("--work", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("figures", nargs="*")
    parser.add_argument("output")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    figures = figures_of(options)
    trace = Trace(options.style)
    add_work(trace, options.work, options.seed)
    if figures:
        add_overview(trace, options.view, figures)
    pathlib.Path(options.output).write_bytes(wire.trace(trace.packets))


main(sys.argv[1:])
