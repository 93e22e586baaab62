"""Perfetto traces of one world as clocks with an offset and a drift see it.

    clock = Clock(offset=1_500_000_000, drift=40e-6)
    write(path, seen_by(clock, [Seen("sync 1", 1000, 2000), ...]))

Times of the world are ns of the reference; a clock shows offset + time * (1 +
drift), as a whole number of its ticks.
"""

import os
import sys
from dataclasses import dataclass
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

from perfetto_wire import BEGIN, END, INSTANT, event, process, thread, trace  # noqa: E402


@dataclass
class Clock:
    offset: int = 0
    drift: Fraction = Fraction(0)
    tick: int = 1

    def shows(self, time):
        shown = self.offset + int(time * (1 + self.drift))
        return shown - shown % self.tick


@dataclass
class Seen:
    name: str
    start: int
    end: int = None  # an instant
    fields: tuple = ()  # further fields of the track event


def seen_by(clock, events, name="proc"):
    """The bytes of a trace with one process and one thread for each event that overlaps others."""
    packets = [process(1, 100, name)]
    ends = []  # of the lanes
    for item in sorted(events, key=lambda item: item.start):
        end = item.start if item.end is None else item.end
        lane = next((i for i, free in enumerate(ends) if free < item.start), len(ends))
        if lane == len(ends):
            ends.append(0)
            packets.append(thread(10 + lane, 100, 101 + lane, f"thread {lane}"))
        ends[lane] = end
        if item.end is None:
            packets.append(event(clock.shows(item.start), INSTANT, 10 + lane, item.name,
                                 *item.fields))
        else:
            packets.append(event(clock.shows(item.start), BEGIN, 10 + lane, item.name,
                                 *item.fields))
            packets.append(event(clock.shows(item.end), END, 10 + lane))
    return trace(packets)
