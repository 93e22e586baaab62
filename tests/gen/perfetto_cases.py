"""Small traces, one for each thing that a Perfetto trace can hold.

CASES maps a name to a Case. The reader's fuzz seeds are made of them
(perfetto_seeds.py), and the comparison with Perfetto's own trace_processor goes
over them: where opscope deliberately reads a trace otherwise than Perfetto,
`differs` says why.
"""

import os
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

from perfetto_wire import *  # noqa: E402,F403


@dataclass
class Case:
    packets: list
    differs: str = ""  # in what opscope knowingly differs from Perfetto
    lost: int = 0  # what opscope's ledger must say
    impossible: int = 0

    @property
    def bytes(self):
        return trace(self.packets)


CASES = {}


def case(function):
    made = function()
    CASES[function.__name__] = made if isinstance(made, Case) else Case(made)
    return function


def span(start, end, track, name, *more, **options):
    return [event(start, BEGIN, track, name, *more, **options), event(end, END, track, **options)]


# Tracks ----------------------------------------------------------------------


@case
def plain_track():
    return [plain(1, "lane"), *span(10, 20, 1, "a"), *span(20, 35, 1, "b")]


@case
def processes_and_threads():
    return [
        process(1, 100, "proc"),
        thread(2, 100, 101, "main thread"),
        thread(3, 200, 201, "orphan"),
        *span(10, 20, 2, "a"),
        *span(15, 25, 1, "on the process"),
        *span(12, 22, 3, "b"),
    ]


@case
def groups_in_groups():
    return [
        plain(1, "top", None, (11, 3)),
        plain(2, "middle", 1, (12, 5)),
        plain(3, "leaf", 2, (12, -2)),
        plain(4, "empty", 2),
        *span(1, 2, 3, "a"),
    ]


@case
def ordered_children():
    return [
        plain(1, "by name", None, (11, 1)),
        plain(2, "zebra", 1),
        plain(3, "ant", 1),
        plain(4, "by time", None, (11, 2)),
        plain(5, "late", 4),
        plain(6, "early", 4),
        *[p for u, t in ((2, 10), (3, 20), (5, 40), (6, 30)) for p in span(t, t + 5, u, "x")],
    ]


@case
def descriptor_at_the_end():
    return [*span(10, 20, 7, "a"), plain(7, "late name")]


@case
def first_descriptor_stays():
    return [plain(7, "first"), plain(7, "second"), plain(8), plain(8, "named later"),
            *span(10, 20, 7, "a"), *span(10, 20, 8, "b")]


@case
def undeclared_track():
    return [*span(10, 20, 99, "names the track"), *span(30, 40, 99, "another")]


@case
def default_track():
    return span(10, 20, None, "a")


@case
def parents_in_a_circle():
    return Case([plain(1, "a", 2), plain(2, "b", 1), *span(10, 20, 1, "x")],
                differs="Perfetto drops the events of such tracks")


@case
def unknown_parent():
    return Case([plain(1, "a", 55), *span(10, 20, 1, "x")], differs="Perfetto drops its events")


@case
def engines():
    names = ["DMA IN", "NDMA Out", "CDMA", "Slice 1", "CSS", "Host Copy", "CDMA (Compile)"]
    packets = [plain(1, "NPU Task Breakdown")]
    for i, name in enumerate(names):
        packets += [plain(2 + i, name, 1), *span(i, i + 10, 2 + i, f"work {i}")]
    packets += [plain(50, "Host Profile Overview"), plain(51, "Slice 0", 50),
                *span(0, 10, 51, "SLICE 0: 10ns (100.00%)", (22, "overview"))]
    return packets


# Spans -----------------------------------------------------------------------


@case
def nested_spans():
    return [plain(1, "lane"), event(0, BEGIN, 1, "outer"), event(5, BEGIN, 1, "inner"),
            event(7, INSTANT, 1, "now"), event(9, END, 1), event(20, END, 1)]


@case
def equal_times():
    return [plain(1, "lane"), *span(0, 10, 1, "a"), *span(10, 10, 1, "empty"), *span(10, 20, 1, "b")]


@case
def never_ends():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a"), event(20, BEGIN, 1, "open")],
                differs="Perfetto keeps it with a duration of -1", lost=1)


@case
def never_begins():
    return Case([plain(1, "lane"), event(5, END, 1), *span(10, 20, 1, "a")], lost=1)


@case
def ends_before_it_begins():
    return Case([plain(1, "lane"), *span(20, 10, 1, "back"), *span(30, 40, 1, "a")],
                differs="Perfetto ignores the end and leaves the span open", impossible=1)


@case
def ends_by_name():
    return [plain(1, "lane"), event(0, BEGIN, 1, "a"), event(5, BEGIN, 1, "b"),
            event(5, END, 1, "b"), event(9, END, 1, "a")]


@case
def ends_out_of_order():
    return Case([plain(1, "lane"), event(0, BEGIN, 1, "a"), event(5, BEGIN, 1, "b"),
                 event(10, END, 1, "a"), event(20, END, 1, "b")],
                differs="Perfetto cuts b off where a ends")


@case
def end_of_another_category():
    return Case([plain(1, "lane"), event(0, BEGIN, 1, "a"), event(5, END, 1, None, (22, "c")),
                 event(9, END, 1)], lost=1)


@case
def too_deep():
    deep = [event(i, BEGIN, 1, f"level {i}") for i in range(520)]
    return Case([plain(1, "lane"), *deep, *[event(1000 + i, END, 1) for i in range(520)]],
                differs="Perfetto lets the ends of dropped spans end others", lost=8)


@case
def unsorted_pairs():
    return [plain(1, "lane"), *span(100, 110, 1, "late"), *span(0, 10, 1, "early"),
            *span(50, 60, 1, "middle")]


@case
def overlapping_pairs():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a"), *span(5, 20, 1, "b")],
                differs="Perfetto pairs in order of time and mixes the two up")


@case
def unsorted_edges():
    return [plain(1, "lane"), event(0, BEGIN, 1, "a"), event(20, BEGIN, 1, "b"),
            event(10, END, 1), event(30, END, 1)]


@case
def two_writers_on_a_track():
    ends = [event(t, END, 1, sequence=2) for t in (20, 40, 60)]
    begins = [event(t, BEGIN, 1, f"at {t}", (4, [(10, "n"), (3, t)]), sequence=1) for t in (10, 30, 50)]
    return [plain(1, "lane"), *ends, *begins]


@case
def instants():
    return [plain(1, "lane"), event(5, INSTANT, 1, "i", (22, "cat")), event(6, INSTANT, 1, "j")]


@case
def categories():
    return [plain(1, "lane"), event(0, BEGIN, 1, "a", (22, "x"), (22, "y")),
            event(9, END, 1), *span(10, 20, 1, "b", (22, "overview"))]


@case
def no_sequence_id():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a", sequence=None)],
                differs="Perfetto drops them")


@case
def no_timestamp():
    return Case([plain(1, "lane"), event(None, INSTANT, 1, "i"), *span(0, 10, 1, "a")], lost=1)


@case
def no_type():
    return Case([plain(1, "lane"), event(3, 0, 1, "i"), event(4, STATE, 1, "s"),
                 *span(0, 10, 1, "a")], lost=2)


# Interning, defaults, state --------------------------------------------------


@case
def interned_texts():
    return [
        [(SEQUENCE, 1), (FLAGS, CLEARED), (INTERNED_DATA, [
            *interned(1, (1, "cat one"), (2, "cat two")),
            *interned(2, (1, "name one"), (7, "name seven")),
            *interned(3, (1, "key"), (2, "location")),
            *interned(29, (1, "text one"), (2, "conv.mlir:10:3")),
            *interned(43, (1, "corr"))])],
        plain(1, "lane"),
        event(0, BEGIN, 1, None, (10, 1), (3, 1), (4, [(1, 1), (17, 1)]), flags=NEEDED),
        event(10, END, 1, flags=NEEDED),
        event(20, BEGIN, 1, None, (10, 7), (3, 1), (3, 2), (4, [(1, 2), (17, 2)]), (54, 1),
              flags=NEEDED),
        event(30, END, 1, flags=NEEDED),
    ]


@case
def interned_in_the_same_packet():
    return [plain(1, "lane"),
            event(0, BEGIN, 1, None, (10, 3), flags=CLEARED | NEEDED,
                  packet=[(INTERNED_DATA, interned(2, (3, "own packet")))]),
            event(10, END, 1, flags=NEEDED)]


@case
def first_definition_stays():
    return [plain(1, "lane"),
            [(SEQUENCE, 1), (FLAGS, CLEARED), (INTERNED_DATA, interned(2, (1, "first")))],
            [(SEQUENCE, 1), (FLAGS, NEEDED), (INTERNED_DATA, interned(2, (1, "second")))],
            event(0, BEGIN, 1, None, (10, 1), flags=NEEDED), event(5, END, 1),
            [(SEQUENCE, 1), (FLAGS, CLEARED), (INTERNED_DATA, interned(2, (1, "third")))],
            event(10, BEGIN, 1, None, (10, 1), flags=NEEDED), event(15, END, 1)]


@case
def sequences_do_not_share():
    return [plain(1, "lane"), plain(2, "other"),
            [(SEQUENCE, 1), (FLAGS, CLEARED), (INTERNED_DATA, interned(2, (1, "one")))],
            [(SEQUENCE, 2), (FLAGS, CLEARED), (INTERNED_DATA, interned(2, (1, "two")))],
            *span(0, 10, 1, None, (10, 1), sequence=1), *span(0, 10, 2, None, (10, 1), sequence=2)]


@case
def unknown_iids():
    return Case([plain(1, "lane"), [(SEQUENCE, 1), (FLAGS, CLEARED)],
                 *span(0, 10, 1, "a", (3, 9), flags=NEEDED)],
                differs="Perfetto invents a category")


@case
def needs_lost_state():
    return Case([plain(1, "lane"), event(0, BEGIN, 1, "lost", flags=NEEDED),
                 event(5, END, 1, flags=NEEDED), *span(10, 20, 1, "kept")], lost=1)


@case
def packets_dropped():
    return Case([plain(1, "lane"), event(0, INSTANT, 1, "a", flags=CLEARED),
                 event(1, INSTANT, 1, "lost", flags=NEEDED, packet=[(42, 1)]),
                 event(2, INSTANT, 1, "b", flags=CLEARED, packet=[(42, 1)]),
                 event(3, INSTANT, 1, "c", flags=NEEDED)], lost=3)


@case
def default_track_and_counters():
    return [
        plain(1, "lane"), counter(2, "int counter"), counter(3, "real counter"),
        [(SEQUENCE, 1), (FLAGS, CLEARED),
         (DEFAULTS, [(11, [(11, 1), (31, 2), (45, 3)]), (CLOCK_ID, BOOTTIME)])],
        event(0, BEGIN, None, "a", (12, 7), (46, 1.5), flags=NEEDED),
        event(10, END, None, None, (12, 9), flags=NEEDED),
    ]


# Clocks ----------------------------------------------------------------------


def delta_setup(sequence, start, unit=None, track=1, clock=64):
    own = (clock, start, 1) if unit is None else (clock, start, 1, unit)
    ticks = start if unit is None else start * unit
    return [(SEQUENCE, sequence), (FLAGS, CLEARED),
            (DEFAULTS, [(11, [(11, track)]), (CLOCK_ID, clock)]),
            snapshot(own, (BOOTTIME, ticks))]


@case
def delta_clock():
    return [plain(1, "lane"), plain(2, "other"), delta_setup(1, 1000),
            event(5, BEGIN, None, "a", flags=NEEDED), event(10, END, None, flags=NEEDED),
            event(-3, BEGIN, 2, "b", flags=NEEDED), event(20, END, 2, flags=NEEDED)]


@case
def delta_clock_with_units():
    return [plain(1, "lane"), delta_setup(1, 100, 40),
            event(5, BEGIN, None, "a", flags=NEEDED), event(10, END, None, flags=NEEDED)]


@case
def resync_and_absolute():
    return [plain(1, "lane"), delta_setup(1, 1000),
            event(5, BEGIN, None, "a", flags=NEEDED), event(10, END, None, flags=NEEDED),
            event(5000, INSTANT, None, "absolute", flags=NEEDED, packet=[(CLOCK_ID, BOOTTIME)]),
            event(5, INSTANT, None, "goes on", flags=NEEDED),
            [(SEQUENCE, 1), (FLAGS, NEEDED), snapshot((64, 9000, 1), (BOOTTIME, 9000))],
            event(1, INSTANT, None, "after", flags=NEEDED)]


@case
def clock_without_snapshot():
    return Case([plain(1, "lane"), event(5, INSTANT, 1, "lost", packet=[(CLOCK_ID, 64)]),
                 event(6, INSTANT, 1, "lost", packet=[(CLOCK_ID, 3)]),
                 event(7, INSTANT, 1, "kept")], lost=2)


@case
def monotonic_clock():
    return [plain(1, "lane"), [(SEQUENCE, 1), snapshot((3, 1000), (BOOTTIME, 5000))],
            event(1010, BEGIN, 1, "a", packet=[(CLOCK_ID, 3)]),
            event(1020, END, 1, packet=[(CLOCK_ID, 3)]),
            [(SEQUENCE, 1), snapshot((3, 2000), (BOOTTIME, 7000))],
            event(2010, BEGIN, 1, "b", packet=[(CLOCK_ID, 3)]),
            event(2020, END, 1, packet=[(CLOCK_ID, 3)])]


@case
def chained_clocks():
    return [plain(1, "lane"), [(SEQUENCE, 1), snapshot((3, 1000), (BOOTTIME, 5000))],
            [(SEQUENCE, 1), snapshot((64, 7, 0, 1000), (3, 1100))],
            event(8, BEGIN, 1, "a", packet=[(CLOCK_ID, 64)]),
            event(9, END, 1, packet=[(CLOCK_ID, 64)])]


@case
def primary_clock():
    return [plain(1, "lane"), [(SEQUENCE, 1), snapshot((3, 1000), (BOOTTIME, 5000), primary=3)],
            event(1010, BEGIN, 1, "a", packet=[(CLOCK_ID, 3)]),
            event(5020, END, 1, packet=[(CLOCK_ID, BOOTTIME)]), *span(30, 40, 1, "trace time")]


@case
def time_before_zero():
    return Case([plain(1, "lane"), delta_setup(1, 1000),
                 event(-2000, INSTANT, None, "lost", flags=NEEDED),
                 event(1500, INSTANT, None, "kept", flags=NEEDED)], lost=1)


# Annotations -----------------------------------------------------------------


@case
def annotations():
    return [plain(1, "lane"), event(
        0, BEGIN, 1, "a",
        (4, [(10, "bool"), (2, 1)]), (4, [(10, "uint"), (3, (1 << 64) - 1)]),
        (4, [(10, "int"), (4, -5)]), (4, [(10, "double"), (5, 2.5)]),
        (4, [(10, "string"), (6, "text")]), (4, [(6, "value first"), (10, "late name")]),
        (4, [(10, "pointer"), (7, 0xabcd)])), event(10, END, 1)]


@case
def nested_annotations():
    return [plain(1, "lane"), event(
        0, BEGIN, 1, "a",
        (4, [(10, "dict"), (11, [(10, "x"), (4, 1)]),
             (11, [(10, "y"), (11, [(10, "z"), (6, "deep")])])]),
        (4, [(10, "array"), (12, [(4, 1)]), (12, [(12, [(5, 0.5)])]),
             (12, [(11, [(10, "k"), (2, 0)])])])), event(10, END, 1)]


@case
def old_nested_annotations():
    return [plain(1, "lane"), event(
        0, BEGIN, 1, "a",
        (4, [(10, "old"), (8, [(1, 1), (2, "i"), (2, "list"), (3, [(5, 7)]),
                               (3, [(1, 2), (4, [(8, "s")]), (4, [(7, 1)]), (4, [(6, 1.5)])])])])),
        event(10, END, 1)]


@case
def json_annotation():
    return Case([plain(1, "lane"),
                 *span(0, 10, 1, "a", (4, [(10, "json"), (9, '{"x": 1}')]))],
                differs="Perfetto takes the JSON apart")


@case
def annotations_without_a_name():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a", (4, [(10, ""), (3, 1)]), (4, [(3, 2)]))],
                differs="Perfetto has no name for them either, and keeps one")


@case
def annotations_on_the_end():
    return [plain(1, "lane"), event(0, BEGIN, 1, "a", (4, [(10, "x"), (3, 1)])),
            event(10, END, 1, None, (4, [(10, "y"), (3, 2)]), (47, Fixed64(5))),
            *span(20, 30, 1, "b", (48, Fixed64(5)))]


@case
def location_names_the_operator():
    return [plain(1, "lane"),
            *[p for t in (0, 20) for p in span(t, t + 10, 1, "conv2d", (4, [(10, "location"), (6, "a.mlir:3:1")]))],
            *span(40, 50, 1, "conv2d", (4, [(10, "location"), (6, "a.mlir:9:1")]))]


@case
def correlation_ids():
    return [plain(1, "lane"), *span(0, 5, 1, "a", (52, 77)), *span(5, 9, 1, "b", (53, "seventy"))]


# Flows -----------------------------------------------------------------------


@case
def flows():
    return [plain(1, "one"), plain(2, "two"), plain(3, "three"),
            *span(0, 10, 1, "source", (47, Fixed64(11)), (47, Fixed64(12))),
            *span(20, 30, 2, "step", (47, Fixed64(11))),
            *span(40, 50, 3, "target", (48, Fixed64(11))),
            *span(45, 55, 1, "other", (48, Fixed64(12))),
            *span(60, 70, 1, "again", (47, Fixed64(11))), *span(80, 90, 2, "end", (48, Fixed64(11)))]


@case
def old_flows():
    return [plain(1, "one"), plain(2, "two"), *span(0, 10, 1, "source", (36, 11)),
            *span(20, 30, 2, "target", (42, 11))]


@case
def packed_flows():
    ids = b"".join(int(i).to_bytes(8, "little") for i in (11, 12))
    return Case([plain(1, "one"), plain(2, "two"), *span(0, 10, 1, "source", (47, ids)),
                 *span(20, 30, 2, "target", (48, ids))], differs="Perfetto loses packed flow ids")


# Counters --------------------------------------------------------------------


@case
def counters():
    return [counter(1, "plain"), counter(2, "bytes", None, [(3, 3), (4, 1024)]),
            counter(3, "own unit", None, [(6, "GB/s")]), counter(4, "ns", None, [(3, 1)]),
            *[event(t, COUNTER, u, None, (30, v)) for t, u, v in
              ((0, 1, 5), (10, 1, -7), (0, 2, 3), (5, 4, 9))],
            event(3, COUNTER, 3, None, (44, 2.25))]


@case
def counter_below_a_process():
    return [process(1, 5, "p"), counter(2, "c", 1), event(0, COUNTER, 2, None, (30, 1))]


@case
def incremental_counters():
    return [counter(5, "c", None, [(5, 1), (4, 10)]),
            event(10, COUNTER, 5, None, (30, 4)), event(11, COUNTER, 5, None, (30, 4)),
            event(12, COUNTER, 5, None, (30, 4), sequence=2), event(13, COUNTER, 5, None, (30, -9)),
            event(14, COUNTER, 5, None, (30, 4), flags=CLEARED)]


@case
def spans_on_a_counter():
    return [counter(5, "c"), event(10, COUNTER, 5, None, (30, 4)), *span(20, 30, 5, "a")]


@case
def counter_mistakes():
    return Case([plain(1, "no counter"), counter(2, "c"), event(0, COUNTER, 1, None, (30, 1)),
                 event(0, COUNTER, 2), event(1, COUNTER, 2, None, (30, 1)),
                 *span(5, 10, 1, "a")], lost=2)


@case
def undeclared_counter():
    return Case([event(0, COUNTER, 77, "names itself", (30, 4))], differs="Perfetto drops it")


@case
def extra_counters():
    return [plain(1, "lane"), counter(2, "a"), counter(3, "b"), counter(4, "c"),
            event(0, BEGIN, 1, "x", (31, 2), (31, 3), (12, 10), (12, 20), (45, 4), (46, 0.25)),
            event(5, END, 1)]


@case
def too_many_extra_values():
    return Case([plain(1, "lane"), counter(2, "a"),
                 *span(0, 5, 1, "x", (31, 2), (12, 10), (12, 20))],
                differs="Perfetto drops the whole event", lost=1)


# Legacy, compressed, damaged -------------------------------------------------


@case
def legacy_events():
    return [process(1, 5, "p"), thread(2, 5, 6, "t"),
            event(1000, 0, 2, "whole", (6, [(2, ord("X")), (3, 4)])),
            event(9000, 0, 2, "pair", (6, [(2, ord("B"))])),
            event(9500, 0, 2, "pair", (6, [(2, ord("E"))])),
            event(9700, 0, 2, "instant", (6, [(2, ord("I"))]))]


@case
def legacy_whole_on_a_plain_track():
    return Case([plain(1, "lane"), event(1000, 0, 1, "whole", (6, [(2, ord("X")), (3, 4)]))],
                differs="Perfetto loses it")


@case
def legacy_asynchronous():
    return Case([plain(1, "lane"), event(1, 0, 1, "b", (6, [(2, ord("b")), (6, 3)])),
                 event(9, 0, 1, "b", (6, [(2, ord("e")), (6, 3)]))],
                differs="Perfetto makes a track of it", lost=2)


@case
def compressed_packets():
    return [compressed([plain(1, "lane"), *span(0, 10, 1, "a"), event(20, BEGIN, 1, "b")]),
            compressed([event(30, END, 1), plain(2, "second"), *span(0, 10, 2, "c")])]


@case
def damaged_compression():
    whole = zlib.compress(trace([plain(1, "lane"), *span(0, 10, 1, "a"), *span(20, 30, 1, "b")]))
    return Case([[(COMPRESSED, whole[:-20])], *span(40, 50, 1, "c")],
                differs="Perfetto refuses the file", lost=2)


@case
def compressed_in_compressed():
    return Case([compressed([compressed(span(0, 10, 1, "a"))]), *span(20, 30, 1, "b")],
                differs="opscope does not unpack twice", lost=1)


@case
def malformed_packet():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a"), b"\x0a\x03\x40\xff\xff",
                 *span(20, 30, 1, "b")], differs="Perfetto refuses the file", lost=1)


@case
def malformed_event():
    return Case([plain(1, "lane"), [(TIMESTAMP, 3), (SEQUENCE, 1), (TRACK_EVENT, b"\x48\x03\x12\x7f")],
                 *span(20, 30, 1, "b")], differs="Perfetto reads what stands before", lost=1)


@case
def malformed_descriptor():
    return Case([[(DESCRIPTOR, b"\x08\x01\x12\x7f")], *span(20, 30, 1, "b")], lost=1)


@case
def cut_off():
    whole = trace([plain(1, "lane"), *span(0, 10, 1, "a"), *span(20, 30, 1, "b")])
    return Case([whole[:-5]], differs="Perfetto keeps the last span open", lost=2)


@case
def garbage_at_the_end():
    return Case([plain(1, "lane"), *span(0, 10, 1, "a"), b"\x00garbage"], lost=1)


@case
def other_packets():
    return [[(36, b"\x00" * 16)], [(SEQUENCE, 1), (45, [(1, [(1, "Linux")])])], [(777, [(1, 1)])],
            [(777, [(1, 1)])], plain(1, "lane"), *span(0, 10, 1, "a")]


@case
def attributes():
    return [[(ATTRIBUTES, [(1, [(1, "model"), (3, "mobilenet")]), (1, [(1, "runs"), (2, 50)])])],
            plain(1, "lane"), *span(0, 10, 1, "a")]


@case
def modelled():
    return [plain(1, "lane", None, (14, "modelled, 800000000 Hz cycles")),
            *span(0, 10, 1, "a", (4, [(10, "cycles"), (3, 8)]))]


@case
def empty_packets():
    return [b"\x0a\x00", plain(1, "lane"), b"\x0a\x00", *span(0, 10, 1, "a")]
