"""Traces as Torq's own Python tools write them, in the styles of their history.

    process(es) and thread(s) by descriptors without timestamps, uuids 1, 2, 3 ...,
    BEGIN and END with track, name and category each, sequence 1, nothing interned.

Style "tracks" is today's (plain tracks, children in order of time); style
"threads" the one before 2026-02 (process and thread descriptors).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import perfetto_wire as wire  # noqa: E402

__all__ = ["DOCUMENT", "DOCUMENT_MODEL", "DOCUMENT_TEXT", "OVERVIEW", "OLD_LABELS",
           "document_trace", "overview_process", "torq_trace"]

LEXICOGRAPHIC, CHRONOLOGICAL = 1, 2

# Track, label and key of every overview event.
OVERVIEW = (
    ("00 OVERVIEW DMA COMBINED", "DMA+CDMA union"),
    ("01 OVERVIEW COMPUTE COMBINED", "SLICE+CSS union"),
    ("02 OVERVIEW DMA", "DMA total"),
    ("03 OVERVIEW CDMA", "CDMA total"),
    ("04 OVERVIEW SLICE", "SLICE 0 + 1 union"),
    ("05 OVERVIEW SLICE 0", "SLICE 0"),
    ("06 OVERVIEW SLICE 1", "SLICE 1"),
    ("07 OVERVIEW CSS", "CSS"),
    ("08 OVERVIEW DMA ONLY", "DMA/CDMA ONLY (no compute)"),
    ("09 OVERVIEW COMPUTE ONLY", "COMPUTE ONLY (no DMA/CDMA)"),
    ("10 OVERVIEW DMA COMPUTE OVERLAP", "DMA/CDMA<->COMPUTE overlap"),
    ("11 OVERVIEW HAL", "HAL total"),
    ("12 OVERVIEW HOST", "HOST total"),
    ("13 OVERVIEW HOST COPY", "HOST COPY total"),
    ("14 OVERVIEW IDLE", "IDLE"),
    ("15 OVERALL", "OVERALL"),
)
OLD_LABELS = {"SLICE 0": "SLICE 0 total", "SLICE 1": "SLICE 1 total", "CSS": "CSS total"}

# The figures of the document's sample, in nanoseconds, by label.
DOCUMENT = {
    "DMA+CDMA union": 453_000, "SLICE+CSS union": 407_000, "DMA total": 453_000, "CDMA total": 0,
    "SLICE 0 + 1 union": 407_000, "SLICE 0": 407_000, "SLICE 1": 407_000, "CSS": 0,
    "DMA/CDMA ONLY (no compute)": 46_000, "COMPUTE ONLY (no DMA/CDMA)": 0,
    "DMA/CDMA<->COMPUTE overlap": 407_000, "HOST total": 0, "HOST COPY total": 12_386_000,
    "IDLE": 6000, "OVERALL": 12_845_000,
}
DOCUMENT_MODEL = "conv2d_f4_s4_64x64x16_i16"
# The sample with the blanks that its page has swallowed.
DOCUMENT_TEXT = f"""\
====================== Host Profile Overview =======================
  Model: {DOCUMENT_MODEL}
  {chr(0x2500) * 56}
  WALL_TIME                       207.000ms
  OVERALL                          12.845ms
  Dma                             453.000\u00b5s  (3.53%)
  Dma Only                         46.000\u00b5s  (0.36%)
  Dma Total                       453.000\u00b5s  (3.53%)
  Cdma                                  0ns  (0.00%)
  Compute                         407.000\u00b5s  (3.17%)
  Compute Only                          0ns  (0.00%)
  Slice                           407.000\u00b5s  (3.17%)
  Slice 0                         407.000\u00b5s  (3.17%)
  Slice 1                         407.000\u00b5s  (3.17%)
  Css                                   0ns  (0.00%)
  Overlap                         407.000\u00b5s  (3.17%)
  Idle                              6.000\u00b5s  (0.05%)
  Host                                  0ns  (0.00%)
  Host Copy                        12.386ms  (96.43%)

"""


def duration(ns):
    for limit, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "\u00b5s")):
        if ns >= limit:
            return f"{ns / limit:.3f}{unit}"
    return f"{ns}ns"


def overview_process(name, figures, start=0, labels=(), more=()):
    """A process for `torq_trace`. `labels` replaces some, `more` are further tracks."""
    overall = figures["OVERALL"]
    threads = []
    for track, label in OVERVIEW:
        if label not in figures:
            continue
        percent = "" if label == "OVERALL" else f" ({figures[label] / overall * 100:.2f}%)"
        text = f"{dict(labels).get(label, label)}: {duration(figures[label])}{percent}"
        threads.append((track, [(start, start + figures[label], text)]))
    return name + " Overview", threads + list(more)


def torq_trace(processes, style="tracks"):
    """The bytes of a trace of (process, [(thread, [(start, end, name)])])."""
    packets = []
    uuid = 0
    for process, threads in processes:
        uuid += 1
        pid = uuid
        if style == "tracks":
            packets.append(wire.plain(uuid, process, None, (11, CHRONOLOGICAL)))
        else:
            packets.append(wire.process(uuid, pid, process, (11, LEXICOGRAPHIC)))
        for thread, spans in threads:
            uuid += 1
            packets.append(wire.plain(uuid, thread, pid) if style == "tracks"
                           else wire.thread(uuid, pid, uuid, thread))
            category = [(22, "overview")] if "OVERVIEW" in thread else []
            for start, end, name in spans:
                packets.append(wire.event(start, wire.BEGIN, uuid, name, *category))
                packets.append(wire.event(end, wire.END, uuid, name, *category))
    return wire.trace(packets)


def document_trace(style="tracks", labels=(), more=()):
    """A trace that carries the document's figures in the names of its events only."""
    work = ("Host", [("Host Copy", [(1000, 2000, "Host Copy | loc(unknown)")])])
    return torq_trace([work, overview_process("Host Profile", DOCUMENT, 1000, labels, more)], style)
