"""Writes Perfetto traces byte by byte, for tests: no library, no schema.

A message is a Python list of fields. A field is (number, value), where the
type of the value says how it is written:

    int (negative ones as ten bytes) and bool    varint
    Fixed64(number)                              eight bytes
    float                                        eight bytes, a double
    str, bytes                                   length-delimited
    list                                         length-delimited, a message

`trace([...packets])` gives the bytes of a file. Being independent of opscope's
own writer is the point: what this writes is checked with Perfetto's
trace_processor and read with opscope's reader.
"""

import struct
import zlib

# Field numbers, named as in Perfetto's proto files.
TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED_DATA, FLAGS = 8, 10, 11, 12, 13
CLOCK_SNAPSHOT, COMPRESSED, CLOCK_ID, DEFAULTS, DESCRIPTOR = 6, 50, 58, 59, 60
ATTRIBUTES, COMPRESSED_ZSTD = 126, 133
BEGIN, END, INSTANT, COUNTER, STATE = 1, 2, 3, 4, 5
CLEARED, NEEDED = 1, 2
BOOTTIME = 6


class Fixed64(int):
    """A number that is written as eight bytes."""


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, Fixed64):
        return varint(number << 3 | 1) + struct.pack("<Q", int(value) & (1 << 64) - 1)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, str):
        value = value.encode()
    elif isinstance(value, list):
        value = message(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(fields):
    return b"".join(field(number, value) for number, value in fields)


def trace(packets):
    """The bytes of a file; `bytes` among the packets are taken as they are."""
    return b"".join(p if isinstance(p, bytes) else field(1, p) for p in packets)


def compressed(packets):
    """A packet that holds others, packed with zlib."""
    return [(COMPRESSED, zlib.compress(trace(packets)))]


# Packets ---------------------------------------------------------------------


def plain(uuid, name=None, parent=None, *more):
    """A track that is neither a process nor a thread nor a counter."""
    fields = [(1, uuid)]
    if name is not None:
        fields.append((2, name))
    if parent is not None:
        fields.append((5, parent))
    return [(DESCRIPTOR, fields + list(more))]


def process(uuid, pid, name, *more):
    return [(DESCRIPTOR, [(1, uuid), (3, [(1, pid), (6, name)]), *more])]


def thread(uuid, pid, tid, name, *more):
    return [(DESCRIPTOR, [(1, uuid), (4, [(1, pid), (2, tid), (5, name)]), *more])]


def counter(uuid, name, parent=None, counter_fields=(), *more):
    parents = [] if parent is None else [(5, parent)]
    return [(DESCRIPTOR, [(1, uuid), (2, name), *parents, (8, list(counter_fields)), *more])]


def event(time, kind, track=None, name=None, *more, sequence=1, flags=None, packet=()):
    """A track event; `more` are further fields of it, `packet` of its packet."""
    fields = [(9, kind)]
    if track is not None:
        fields.append((11, track))
    if name is not None:
        fields.append((23, name))
    out = []
    if time is not None:
        out.append((TIMESTAMP, time))
    if sequence is not None:
        out.append((SEQUENCE, sequence))
    if flags is not None:
        out.append((FLAGS, flags))
    return out + list(packet) + [(TRACK_EVENT, fields + list(more))]


def interned(number, *entries):
    """A field of interned data: entries are (iid, text)."""
    return [(number, [(1, iid), (2, text)]) for iid, text in entries]


def snapshot(*clocks, primary=None):
    """A clock snapshot: clocks are (id, timestamp[, incremental[, unit]])."""
    fields = []
    for clock in clocks:
        fields.append((1, [(i + 1, value) for i, value in enumerate(clock)]))
    if primary is not None:
        fields.append((2, primary))
    return (CLOCK_SNAPSHOT, fields)
