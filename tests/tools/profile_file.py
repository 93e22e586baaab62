"""Reads the profile's own file form from docs/formats/profile.md alone.

Shares nothing with opscope's reader, so that what a run leaves can be checked
without it: `Profile(bytes)` has texts, tracks, calls, facts and spans.
"""

import struct
import zlib

HEADERS = [b"OPSCOPE\n" + struct.pack("<II", version, 0) for version in (1, 2)]
BLOCK = struct.Struct("<6I")
MAGIC = 0x4B4C424F
STRINGS, CLOCKS, TRACKS, OPERATORS, CALLS, BUFFERS, FACTS, NOTES, EVENTS, END, ACCOUNTS, FITS = range(1, 13)
UINT, INT, BOOL, REAL, STRING, TEXT, FLOW_OUT, FLOW_IN, TICKS, JSON = range(10)
SPAN = 0


class Damaged(Exception):
    """What is no whole profile."""


class Bytes:
    """Takes numbers from the front of bytes."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def __bool__(self):
        return self.at < len(self.data)

    def take(self, size):
        self.at += size
        if self.at > len(self.data):
            raise Damaged("a record ends early")
        return self.data[self.at - size:self.at]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def folded(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)


class Span:
    """One interval on one track, in ticks of its clock; `values` by name."""

    def __init__(self, track, name, start, end, call):
        self.track, self.name, self.start, self.end, self.call = track, name, start, end, call
        self.values, self.flows_out, self.flows_in = {}, [], []


class Track:
    def __init__(self, parent, name, clock, kind):
        self.parent, self.name, self.clock, self.kind = parent, name, clock, kind
        self.expected = self.recorded = self.lost = self.impossible = 0


class Profile:
    def __init__(self, data):
        self.texts, self.tracks, self.calls, self.facts, self.spans = [], [], [None], {}, []
        self.clocks = []  # frequency, base tick, base ns
        self.buffers = []  # memory, address, size, from, to, device + 1, core + 1
        if data[:16] not in HEADERS:
            raise Damaged("no profile of version 1 or 2")
        at, ended = 16, False
        while at < len(data):
            magic, kind, size, count, track, checksum = BLOCK.unpack_from(data, at)
            payload = data[at + BLOCK.size:at + BLOCK.size + size]
            if magic != MAGIC or zlib.crc32(data[at:at + 20] + payload) != checksum:
                raise Damaged(f"the block at byte {at}")
            at += BLOCK.size + (size + 7) // 8 * 8
            ended = kind == END
            self.block(kind, Bytes(payload), count, track)
        if not ended:
            raise Damaged("no end block")

    def block(self, kind, payload, count, track):
        for _ in range(count):
            if kind == EVENTS:
                break
            record = Bytes(payload.take(payload.varint()))
            if kind == STRINGS:
                self.texts.append(record.data.decode())
            elif kind in (CLOCKS, FITS):
                number = record.varint()  # the clock that a fit is of, or a name
                clock = [record.varint() for _ in range(3)]
                if kind == CLOCKS:
                    self.clocks.append(clock)
                else:
                    self.clocks[number] = clock
            elif kind == TRACKS:
                self.add_track(record)
            elif kind == CALLS:
                self.calls.append([record.varint() for _ in range(3)])  # operator, parent, iteration
            elif kind == BUFFERS:
                memory, _, _, *numbers = [record.varint() for _ in range(9)]
                self.buffers.append((self.texts[memory], *numbers))
            elif kind == FACTS:
                self.facts[self.texts[record.varint()]] = self.texts[record.varint()]
            elif kind == ACCOUNTS:
                self.account(self.tracks[record.varint()], record)
        if kind == EVENTS:
            self.add_events(payload, count, track)

    def add_track(self, record):
        parent, name, clock, kind = (record.varint() for _ in range(4))
        track = Track(parent, self.texts[name], clock, kind)
        for _ in range(6):  # role (of version 1, engine), index, provenance, rank, nests, unit
            record.varint()
        self.account(track, record)
        self.tracks.append(track)

    @staticmethod
    def account(track, record):
        track.expected = record.varint() - 1
        track.recorded, track.lost, track.impossible = (record.varint() for _ in range(3))

    def nanoseconds(self, span):
        """Start and end, by the one rounding rule: floor(ticks * 1e9 / frequency)."""
        frequency, tick, base = self.clocks[self.tracks[span.track].clock]
        return [base + (ticks - tick) * 10**9 // frequency for ticks in (span.start, span.end)]

    def add_events(self, payload, count, track):
        start = 0
        for _ in range(count):
            head = payload.take(1)[0]
            start += payload.folded()
            end = start + (payload.varint() if head & 3 == SPAN else 0)
            span = Span(track, self.texts[payload.varint()], start, end, payload.varint() if head & 4 else 0)
            if head & 8:
                self.add_values(span, Bytes(payload.take(payload.varint())))
            if head & 3 == SPAN:
                self.spans.append(span)

    def add_values(self, span, values):
        while values:
            key = self.texts[values.varint()]
            kind = values.take(1)[0] & 31
            if kind == FLOW_OUT:
                span.flows_out.append(values.varint())
            elif kind == FLOW_IN:
                span.flows_in.append(values.varint())
            elif kind in (UINT, BOOL):
                span.values[key] = values.varint()
            elif kind == INT:
                span.values[key] = values.folded()
            elif kind == REAL:
                span.values[key] = struct.unpack("<d", values.take(8))[0]
            elif kind == STRING:
                span.values[key] = self.texts[values.varint()]
            elif kind in (TEXT, JSON):
                span.values[key] = values.take(values.varint()).decode()
            elif kind == TICKS:
                values.varint(), values.varint(), values.folded()
            else:
                raise Damaged(f"a value of kind {kind}")
