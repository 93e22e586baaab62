"""Writes .tracy files of any version that opscope reads, from the layout in docs/formats/tracy.md.

    trace = Trace(program="runner")
    trace.threads[7] = Thread("worker", [Zone("load", 100, 900, children=[Zone("read", 200, 300)])])
    path.write_bytes(trace.file(version=(0, 10, 0), packing="lz4"))

Nothing of Tracy's own is used: what reads these files is a second opinion on what they mean.
"""

import dataclasses
import pathlib
import struct
import sys

BLOCK = 65536
OPEN = -1  # the end of a zone that never ends


@dataclasses.dataclass
class Zone:
    name: str
    start: int
    end: int
    children: list = dataclasses.field(default_factory=list)
    text: str = ""
    zone_name: str = ""
    function: str = "main"
    file: str = "main.cpp"
    line: int = 1
    static: bool = False  # a location that lies in the program, rather than one that was sent


@dataclasses.dataclass
class Thread:
    name: str
    zones: list


@dataclasses.dataclass
class Context:
    """What Tracy calls a GPU context; `zones` by thread."""
    name: str
    zones: dict
    type: int = 6


@dataclasses.dataclass
class Plot:
    points: list  # (time, value)
    format: int = 0


def u8(number):
    return struct.pack("<B", number)


def u16(number):
    return struct.pack("<H", number)


def i16(number):
    return struct.pack("<h", number)


def u24(number):
    return struct.pack("<I", number)[:3]


def u32(number):
    return struct.pack("<I", number)


def i32(number):
    return struct.pack("<i", number)


def u64(number):
    return struct.pack("<Q", number)


def i64(number):
    return struct.pack("<q", number)


def f64(number):
    return struct.pack("<d", number)


def text(content):
    data = content.encode()
    return u64(len(data)) + data


def items(parts):
    """A count of 64 bits and what it counts."""
    parts = list(parts)
    return u64(len(parts)) + b"".join(parts)


class Times:
    """Differences to a running reference."""

    def __init__(self, reference=0):
        self.reference = reference

    def put(self, time):
        difference, self.reference = time - self.reference, time
        return i64(difference)


class Trace:
    def __init__(self, program="program", pid=42, host=""):
        self.program, self.pid, self.host = program, pid, host
        self.threads = {}
        self.messages = []  # (time, thread or None, text)
        self.contexts = []
        self.plots = {}  # name: Plot; None is the use of the processor
        self.frames = {}  # name: list of times, or of (start, end); "" is the main set
        self.crash = None  # (thread, time, text)
        self.locks = 0

    # Tables ------------------------------------------------------------------

    def _string(self, content):
        return self._strings.setdefault(content, len(self._strings))

    def _index(self, content):
        return u24(self._string(content) + 1 if content else 0)

    def _pointer(self, content):
        """A pointer of the program that stands for a text."""
        if content not in self._pointers:
            self._string(content)
            self._pointers[content] = 0x400000 + 16 * len(self._pointers)
        return self._pointers[content]

    def _reference(self, content, by_pointer=False):
        if not content:
            return u64(0) + u8(0)
        if by_pointer:
            return u64(self._pointer(content)) + u8(2)
        return u64(self._string(content)) + u8(3)

    def _location(self, zone):
        """The number of a zone's location; negative for one that was sent."""
        key = (zone.static, zone.name, zone.function, zone.file, zone.line)
        if key not in self._locations:
            body = (self._reference(zone.name, zone.static) + self._reference(zone.function, zone.static)
                    + self._reference(zone.file, zone.static) + u32(zone.line) + u32(0x112233))
            if zone.static:
                self._static.append(body)
                self._locations[key] = len(self._static)  # entry 0 is none
            else:
                self._dynamic.append(body)
                self._locations[key] = -len(self._dynamic)
        return self._locations[key]

    def _extra(self, zone):
        if not zone.text and not zone.zone_name:
            return 0
        self._extras.append(u24(0) + self._index(zone.text) + self._index(zone.zone_name) + u24(0))
        return len(self._extras) - 1

    # Trees -------------------------------------------------------------------

    def _zones(self, zones, times):
        body = u32(len(zones))
        for zone in zones:
            location = self._location(zone)
            self._counts[location] = self._counts.get(location, 0) + 1
            body += i16(location) + times.put(zone.start) + u32(self._extra(zone))
            body += self._zones(zone.children, times) + times.put(zone.end)
        return body

    def _device_zones(self, zones, cpu, device, has_query):
        body = u64(len(zones))
        for zone in zones:
            body += cpu.put(5) + device.put(zone.start) + i16(self._location(zone)) + u24(0) + u16(0)
            body += self._device_zones(zone.children, cpu, device, has_query)
            body += cpu.put(6) + device.put(zone.end)
            body += u16(0) if has_query else b""
        return body

    # Sections ----------------------------------------------------------------

    def _head(self, version):
        body = b"tracy" + bytes(version)
        body += b"" if version >= (0, 12, 3) else i64(0)
        body += i64(1) + f64(1.0) + i64(10 ** 9) + u64(0) + u64(self.pid) + i64(0) + u8(2) + u32(0) + b"GenuineIntel"
        body += u8(0) if version >= (0, 9, 2) else b""
        body += text("capture") + text(self.program) + u64(1) + u64(1) + text(self.host)
        core = u32(0) + items([u32(0), u32(1)])
        die = u32(0) + items([core])
        return body + items([u32(0) + items([die if version >= (0, 11, 2) else core])])

    def _frame_sets(self):
        sets = []
        for name, frames in ({"": [0, 0]} | self.frames).items():
            pairs = bool(frames) and isinstance(frames[0], tuple)
            times = Times()
            marks = [b"".join(times.put(time) for time in (frame if pairs else (frame,))) + i32(-1)
                     for frame in frames]
            sets.append(u64(self._pointer(name) if name else 0) + u8(not pairs) + items(marks))
        return items(sets)

    def _sections(self, version):
        if version >= (0, 13, 5):
            item = bytes(6) + bytes(6) + u24(0)
            return items([u16(1) + items([item])]) + items([u16(1) + u24(0)])
        return items([bytes(15)]) if version >= (0, 13, 4) else b""

    def _lock_list(self):
        event = i64(5) + i16(0) + u8(0) + u8(0)
        lock = u32(1) + u24(0) + i16(0) + u8(0) + u8(1) + i64(10) + i64(20) + items([u64(7)])
        return items([lock + items([event] * self.locks)] if self.locks else [])

    def _message_list(self, version):
        times = Times()
        more = u8(0) + u8(2) if version >= (0, 13, 2) else b""
        return items(u64(0x9000 + 8 * at) + times.put(time) + self._reference(content) + u32(0) + u24(0) + more
                     for at, (time, _, content) in enumerate(self.messages))

    def _thread_list(self, version):
        threads = []
        for tid, thread in self.threads.items():
            own = [u64(0x9000 + 8 * at) for at, message in enumerate(self.messages) if message[1] == tid]
            threads.append(u64(tid) + u64(len(thread.zones)) + u64(0) + u8(0)
                           + (i32(0) if version >= (0, 11, 1) else b"")
                           + self._zones(thread.zones, Times()) + items(own) + items([])
                           + items([i64(1) + u24(1)]))
        return u64(0) + u64(1000) + items(threads)

    def _context_list(self, version):
        notes = version >= (0, 12, 4)
        contexts = []
        for context in self.contexts:
            lists = [u64(thread) + self._device_zones(zones, Times(), Times(), notes)
                     for thread, zones in context.zones.items()]
            contexts.append(u64(0) + u8(1) + u64(0) + struct.pack("<f", 1.0) + u8(context.type)
                            + self._index(context.name) + u64(0)
                            + (items([i64(3) + u24(0)]) if notes else b"") + items(lists)
                            + (items([u16(1) + items([i64(3) + f64(1.5)])]) if notes else b""))
        return u64(0) + u64(1000) + items(contexts)

    def _plot_list(self):
        plots = []
        for name, plot in self.plots.items():
            times = Times()
            plots.append(u8(0 if name else 2) + u8(plot.format) + u8(0) + u8(0) + u32(0)
                         + u64(self._pointer(name) if name else 0) + f64(0) + f64(0) + f64(0)
                         + items(times.put(time) + f64(value) for time, value in plot.points))
        return items(plots)

    def content(self, version=(0, 10, 0)):
        """The file before it is packed."""
        self._strings, self._pointers, self._locations = {}, {}, {}
        self._static, self._dynamic, self._counts = [], [], {}
        self._extras = [bytes(12)]
        crash = bytes(28)
        if self.crash:
            crash = u64(self.crash[0]) + i64(self.crash[1]) + u64(self._pointer(self.crash[2])) + u32(0)
        head, frames = self._head(version), self._frame_sets()
        messages = self._message_list(version)
        threads, contexts, plots = self._thread_list(version), self._context_list(version), self._plot_list()
        names = [(tid, thread.name) for tid, thread in self.threads.items() if thread.name]
        self._string("Frame")
        for _, name in names:
            self._string(name)
        handle = {content: 0x70000 + 32 * at for content, at in self._strings.items()}
        pointers = {"Frame": 0} | self._pointers
        static = [u64(0x800000 + 64 * at) + body for at, body in enumerate(self._static, 1)]
        return b"".join([
            head, crash, frames, self._sections(version),
            items(u64(handle[content]) + text(content) for content in self._strings),
            items(u64(pointer) + u64(handle[content]) for content, pointer in pointers.items()),
            items(u64(tid) + u64(handle[name]) for tid, name in names),
            items([]),
            items(u64(tid) for tid in [0, *self.threads]), items([u64(0)]),
            items(static), items(u64(0x800000 + 64 * at if at else 0) for at in range(len(static) + 1)),
            items(self._dynamic),
            items(i16(location) + u64(count) for location, count in self._counts.items()), items([]),
            self._lock_list(), messages, items(self._extras), threads, contexts, plots, self._memory(),
            self._rest()])

    @staticmethod
    def _memory():
        """The pool without a name, which is always there, empty."""
        return u64(1) + u64(0) + u64(0) * 4 + u64(0) + u64(2 ** 64 - 1) + u64(0) * 2

    @staticmethod
    def _rest():
        """Call stacks to sources, all empty but for the stack of the samples: Tracy's own tools fall over samples
        without one."""
        return (items([u16(1) + u64(0x1000)]) + u64(0) * 2 + u32(0) + u64(0) + u64(0) + u64(0) + u64(0) * 256 + u64(0) * 2
                + u64(0) * 3 + u64(0) * 4)

    def file(self, version=(0, 10, 0), packing="lz4", streams=None):
        return pack(self.content(version), packing, streams)


# Packing ---------------------------------------------------------------------

def lz4_block(data, history=b""):
    """One block of LZ4, with matches that may reach into what came before."""
    whole = history[-65535:] + data
    at, start = len(whole) - len(data), len(whole) - len(data)
    literals, out, seen = start, bytearray(), {}
    for earlier in range(max(0, start - 2000), start - 3):
        seen[whole[earlier:earlier + 4]] = earlier

    def length(number):
        more = bytearray()
        while number >= 255:
            more.append(255)
            number -= 255
        return bytes(more) + bytes([number])

    def put(end, offset=0, match=0):
        count = end - literals
        token = min(count, 15) << 4 | (min(match - 4, 15) if match else 0)
        out.append(token)
        out.extend(length(count - 15) if count >= 15 else b"")
        out.extend(whole[literals:end])
        if match:
            out.extend(u16(offset))
            out.extend(length(match - 19) if match - 4 >= 15 else b"")

    limit = len(whole) - 12  # the format wants literals at the end
    while at < limit:
        key = whole[at:at + 4]
        found = seen.get(key)
        seen[key] = at
        if found is None or at - found > 65535:
            at += 1
            continue
        match = 4
        while at + match < len(whole) - 5 and whole[found + match] == whole[at + match]:
            match += 1
        put(at, at - found, match)
        at += match
        literals = at
    put(len(whole))
    return bytes(out)


def zstd_block(data, first):
    """A piece of a zstd frame that is never ended: its head and a block that is not packed."""
    head = bytes.fromhex("28b52ffd") + bytes([0x00, 0x58]) if first else b""
    return head + struct.pack("<I", len(data) << 3)[:3] + data


def pack(content, packing="lz4", streams=None):
    """`streams`: how many take turns, in the newer container; None: the older one, with one."""
    if streams is None:
        out = b"tlZ\x04" if packing == "lz4" else b"tZst"
    else:
        out = b"tr\xfdP" + bytes([0 if packing == "lz4" else 1, streams])
    history = {}
    blocks = [content[at:at + BLOCK] for at in range(0, len(content) + 1, BLOCK)]
    for number, block in enumerate(blocks):
        stream = number % (streams or 1)
        if packing == "lz4":
            packed = lz4_block(block, history.get(stream, b""))
        else:
            packed = zstd_block(block, stream not in history)
        history[stream] = block
        out += u32(len(packed)) + packed
    return out


# Examples --------------------------------------------------------------------

def ordinary():
    """A little of everything."""
    trace = Trace("runner", 42, "OS: test\n")
    trace.threads[7] = Thread("Main thread", [
        Zone("load", 100, 900, [Zone("read", 200, 300, text="weights.bin"), Zone("parse", 300, 800, static=True)]),
        Zone("", 1000, 1500, function="compute", zone_name="step 1", line=12)])
    trace.threads[8] = Thread("", [Zone("idle", 50, OPEN)])
    trace.messages = [(150, 7, "begun"), (1600, 8, "several\nlines of a message"), (1700, None, "of nobody")]
    trace.contexts = [Context("Device: 0, Core (1,2)", {
        1 << 3 | 2 << 7: [Zone("BRISC-FW", 2000, 2900, [Zone("BRISC-KERNEL", 2100, 2800)], function="OP ID:1024")],
        1 << 3 | 2 << 7 | 2: [Zone("TRISC-FW", 2050, 2700)]}),
        Context("my queue", {0: [Zone("draw", 2500, 2600)]}, type=2)]
    trace.plots = {"loss": Plot([(100, 0.5), (200, 0.25)]), None: Plot([(100, 12.5)], format=2)}
    trace.frames = {"": [0, 500, 1500], "batch": [(100, 400), (500, 900)]}
    return trace


def closed():
    """The same without anything that is lost."""
    trace = ordinary()
    trace.threads[8] = Thread("", [Zone("idle", 50, 60)])
    return trace


def write_seeds(folder):
    """Small inputs for the fuzzer: each version as it is inside, each packing once."""
    for version in [(0, 9, 0), (0, 10, 0), (0, 11, 2), (0, 12, 4), (0, 13, 4), (0, 14, 0)]:
        (folder / ("content-%d-%d-%d" % version)).write_bytes(ordinary().content(version))
    (folder / "lz4").write_bytes(ordinary().file())
    (folder / "zstd").write_bytes(ordinary().file(packing="zstd"))
    (folder / "streams").write_bytes(ordinary().file((0, 11, 0), streams=3))


if __name__ == "__main__":
    write_seeds(pathlib.Path(sys.argv[1]))
