"""The profile's own file form, written from its description (docs/formats/profile.md).

    profile = ProfileFile()
    lane = profile.track("matrix 0", role="compute", engine="matrix", core=2)
    profile.span(lane, "conv", 100, 250)
    path.write_bytes(profile.bytes())

Times are nanoseconds. Version 1 has numbers of engines instead of roles.
"""

import struct
import zlib

__all__ = ["ENGINES_1", "ROLES", "ProfileFile"]

ROLES = ["none", "compute", "transfer in", "transfer out", "transfer", "communication", "control", "wait",
         "host", "host copy", "host call", "device"]
ENGINES_1 = ["none", "dma in", "dma out", "cdma", "slice", "css", "npu", "hal", "host", "host copy"]


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def fold(number):
    return number << 1 if number >= 0 else (-number << 1) - 1


def record(*fields):
    """Numbers as varints; bytes as a list of values."""
    body = b"".join(varint(len(field)) + field if isinstance(field, bytes) else varint(field) for field in fields)
    return varint(len(body)) + body


class ProfileFile:
    def __init__(self, version=2):
        self.version = version
        self.texts = ["", "ns"]
        self.tracks = []  # (fields, fields behind the values)
        self.events = {}
        self.buffers = []
        self.track("", kind=0)

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def track(self, name, parent=0, kind=2, role="none", engine="", index=0, device=None, core=None, queue="",
              provenance=1, rank=0):
        """kind: 0 group, 1 process, 2 lane. Of version 1, `engine` is one of ENGINES_1."""
        what = ROLES.index(role) if self.version > 1 else ENGINES_1.index(engine or "none")
        place = [self.text(engine), 0 if device is None else device + 1, 0 if core is None else core + 1,
                 self.text(queue), 0] if self.version > 1 else []
        self.tracks.append([[parent, self.text(name), 0, kind, what, index, provenance, fold(rank), 0, 0], place])
        return len(self.tracks) - 1

    def process(self, name):
        return self.track(name, kind=1)

    def span(self, track, name, start, end):
        self.events.setdefault(track, []).append((start, end, self.text(name)))

    def buffer(self, memory, address, size, start, end, device=None, core=None, name=""):
        place = [0 if device is None else device + 1, 0 if core is None else core + 1, self.text(name)]
        self.buffers.append(record(self.text(memory), 0, 0, address, size, start, end,
                                   *(place if self.version > 1 else [])))

    def event_bytes(self, events):
        out, before = b"", 0
        for start, end, name in events:
            out += bytes([0]) + varint(fold(start - before)) + varint(end - start) + varint(name)
            before = start
        return out

    def bytes(self, a_block=None):
        """With at most `a_block` events in a block."""
        out = b"OPSCOPE\n" + struct.pack("<II", self.version, 0)

        def block(kind, payload, count, track=0):
            head = struct.pack("<5I", 0x4B4C424F, kind, len(payload), count, track)
            return head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload + bytes(-len(payload) % 8)

        texts = [varint(len(text.encode())) + text.encode() for text in self.texts]
        out += block(1, b"".join(texts), len(texts))
        out += block(2, record(1, 1000000000, 0, 0, 0), 1)
        tracks = []
        for number, (fields, place) in enumerate(self.tracks):
            recorded = len(self.events.get(number, []))
            tracks.append(record(*fields, 1 + recorded, recorded, 0, 0, b"", *place))
        out += block(3, b"".join(tracks), len(tracks))
        if self.buffers:
            out += block(6, b"".join(self.buffers), len(self.buffers))
        for track, events in sorted(self.events.items()):
            for first in range(0, len(events), a_block or len(events)):
                part = events[first:first + (a_block or len(events))]
                out += block(9, self.event_bytes(part), len(part), track)
        return out + block(10, b"", 0)
