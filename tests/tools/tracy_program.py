#!/usr/bin/env python3
"""Acts as a program that Tracy is linked with: listens, sends items of protocol 66, answers questions.

    tracy_program.py SCENARIO [OPTION=VALUE ...]

Written from docs/formats/tracy-stream.md; nothing of Tracy's own is used. Listens where TRACY_PORT says,
else at the first free port from 8086 on, prints "listening PORT" and waits for a capture. Options:
    ops=N         messages and zones of so many operations, as tt-metal sends them (0)
    zones=N       how many zones of two threads are sent (100)
    status=N      the answer to the hello: 1 welcome, 2 another protocol, 3 captured already
    wide=0        as upstream's 66: numbers of contexts of one byte
    protocol=N    speaks upstream's 63, 64, 69, 74, 76 or 82 (66), and refuses all others
    exit=N        its status
    die=1         ends in the middle, without a word
    garbage=1     sends nonsense after the greeting
    open=1        has a zone that never ends
    late=1        has zones that begin and last long, with a long text
    last=N        ends when it has refused that protocol
"""

import json
import os
import pathlib
import signal
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gen"))
from tracy_file import lz4_block  # pylint: disable=wrong-import-position

FRAME = 40_000  # bytes of items that go together
TICK = 2.0  # ns


# Upstream's protocols: items of 66 that they do not have, and others with their sizes, by the item of 66 that they
# come before.
MISSING = {63: [61, 82], 64: [61]}
ADDED = {69: [(99, 9)], 74: [(33, 21), (33, 21), (99, 9)], 76: [(33, 21), (33, 21), (50, 10), (99, 9), (99, 24)],
         82: [(13, 9), (13, 7), (14, 9), (14, 7), (16, 13), (16, 11), (17, 13), (17, 11), (18, 5), (18, 3), (33, 21),
              (33, 21), (50, 10), (57, 15), (57, 13), (57, 3), (98, 1), (98, 1), (99, 9), (99, 24)]}
SHORTER = (16, 17, 18, 98)  # of 82: those added before these are other forms of items of 66


def number_of(protocol, kind):
    """What a protocol calls an item of 66."""
    return (kind - sum(item < kind for item in MISSING.get(protocol, []))
            + sum(before <= kind for before, _ in ADDED.get(protocol, [])))


class Program:
    """The texts of the program, by pointers; times are in ticks since the profiler began."""

    def __init__(self, peer, options):
        self.peer, self.options = peer, options
        self.begin = 1000
        self.texts, self.pointers, self.locations = {}, {}, {}
        self.pending, self.history = bytearray(), b""
        self.thread, self.reference, self.serial, self.device = None, 0, 0, 0
        self.protocol = int(options.get("protocol", "66"))
        self.wide = options.get("wide", "1") == "1" and self.protocol == 66
        self.received = b""

    # Sending -----------------------------------------------------------------

    def item(self, kind, payload=b"", body=None, size="<H"):
        number = number_of(self.protocol, kind)
        text = b"" if body is None else struct.pack(size, len(body)) + body
        if self.protocol == 82:
            number, payload, text = self.shorter(kind, number, payload, body, text)
        if len(self.pending) + len(payload) + len(text) > FRAME:
            self.flush()
        self.pending += bytes([number]) + payload + text

    def shorter(self, kind, number, payload, body, text):
        """Protocol 82: times and texts in as many bytes as they need, messages with a byte more."""
        if kind in (15, 16, 17):
            time_ = struct.unpack_from("<q", payload)[0]
            if 0 <= time_ < 1 << 16:
                return number + 2, struct.pack("<H", time_) + payload[8:], text
            if 0 <= time_ < (1 << 16) + (1 << 32):
                return number + 1, struct.pack("<I", time_ - (1 << 16)) + payload[8:], text
            less = (1 << 16) + (1 << 32) if time_ >= 0 else 0
            return number, struct.pack("<q", time_ - less) + payload[8:], text
        if 2 <= kind <= 5:
            return number, payload + b"\x20", text
        if 75 <= kind <= 78:
            pointer = struct.unpack("<Q", payload[-8:])[0]
            return number, payload[:-8] + struct.pack("<Q", pointer << 8 | 0x21), text
        if kind in (96, 97) and len(body) < 256:
            return number_of(82, 98) - 2 + kind - 96, payload, bytes([len(body)]) + body
        if kind in (96, 97):
            return number, payload, struct.pack("<H", len(body) - 256) + body
        return number, payload, text

    def others(self):
        """All that 66 does not have: what was discarded moves the reference of what has no thread."""
        for index, (before, size) in enumerate(ADDED.get(self.protocol, [])):
            if self.protocol == 82 and before in SHORTER:
                continue
            number = number_of(self.protocol, before) - sum(item[0] == before for item in
                                                            ADDED[self.protocol][index:])
            payload = self.at_serial(8000) if before == 33 else b""
            self.pending += bytes([number]) + payload.ljust(size - 1, b"\x07")

    def flush(self):
        if not self.pending:
            return
        data, self.pending = bytes(self.pending), bytearray()
        packed = lz4_block(data, self.history)
        self.history = (self.history + data)[-65536:]
        self.peer.sendall(struct.pack("<I", len(packed)) + packed)

    def pointer(self, text):
        if text not in self.pointers:
            self.pointers[text] = 0x10000 + 32 * len(self.pointers)
            self.texts[self.pointers[text]] = text.encode()
        return self.pointers[text]

    def location(self, name, function, file, line):
        key = (name, function, file, line)
        address = 0x900000 + 64 * len(self.locations)
        for known, value in self.locations.items():
            if value == key:
                return known
        self.locations[address] = key
        for text in (name, function, file):
            if text:
                self.pointer(text)
        return address

    # Items -------------------------------------------------------------------

    def enter(self, thread):
        if self.thread != thread:
            self.thread, self.reference = thread, 0
            self.item(59, struct.pack("<I", thread))

    def tick(self, ns):
        return self.begin + int(ns / TICK)

    def at(self, ns):
        difference = self.tick(ns) - self.reference
        self.reference += difference
        return struct.pack("<q", difference)

    def at_serial(self, ns):
        difference = self.tick(ns) - self.serial
        self.serial += difference
        return struct.pack("<q", difference)

    def single(self, text):
        self.item(96, body=text.encode())

    def begin_zone(self, thread, ns, name, function="main", file="main.cpp", line=1, sent=False):
        self.enter(thread)
        if sent:
            body = struct.pack("<II", 2, line) + function.encode() + b"\0" + file.encode() + b"\0" + name.encode()
            self.item(102, struct.pack("<Q", 7), body)
            self.item(7, self.at(ns))
        else:
            self.item(15, self.at(ns) + struct.pack("<Q", self.location(name, function, file, line)))

    def zone_text(self, text):
        self.single(text)
        self.item(0)

    def end_zone(self, thread, ns):
        self.enter(thread)
        self.item(17, self.at(ns))

    def message(self, thread, ns, text):
        self.enter(thread)
        self.single(text)
        self.item(2, struct.pack("<q", self.tick(ns)))

    def literal(self, thread, ns, text):
        self.enter(thread)
        self.item(75, struct.pack("<qQ", self.tick(ns), self.pointer(text)))

    def plot(self, thread, ns, name, value):
        self.enter(thread)
        self.item(45, struct.pack("<Q", self.pointer(name)) + self.at(ns) + struct.pack("<d", value))

    def frame(self, ns, name=""):
        self.item(67, struct.pack("<qQ", self.tick(ns), self.pointer(name) if name else 0))

    def context(self, number):
        return struct.pack("<H" if self.wide else "<B", number)

    def device_context(self, number, name, ns, kind):
        self.item(79, struct.pack("<qqIf", self.tick(ns), 5000, 0, 1.0) + self.context(number)
                  + struct.pack("<BB", 1, kind))
        self.single(name)
        self.item(49, self.context(number))

    def device_zone(self, number, thread, query, start, end, name, function):
        """Times of the device are ns; its 5000 is when the context was made."""
        body = struct.pack("<II", 2, 9) + function.encode() + b"\0kernel.cpp\0" + name.encode()
        self.item(102, struct.pack("<Q", 7), body)
        self.item(40, self.at_serial(9000) + struct.pack("<IH", thread, query) + self.context(number))
        self.device_time(number, query, start)
        self.item(42, self.at_serial(9100) + struct.pack("<IH", thread, query + 1) + self.context(number))
        self.device_time(number, query + 1, end)

    def device_time(self, number, query, time_):
        difference = time_ - self.device
        self.device = time_
        self.item(48, struct.pack("<qH", difference, query) + self.context(number))

    # The connection ----------------------------------------------------------

    def welcome(self):
        host = b"made by a test\n"
        delay = [] if self.protocol >= 76 else [0]
        self.peer.sendall(bytes([1]) + struct.pack("<dqq" + "Q" * (len(delay) + 4) + "q", TICK, self.begin, self.begin,
                                                   *delay, 1, 1, 1, os.getpid(), 0)
                          + bytes([0, 2]) + b"GenuineIntel" + bytes(4)
                          + b"tracy_program".ljust(64, b"\0") + host.ljust(1024, b"\0"))

    def answer(self, question):
        kind, pointer, _ = struct.unpack("<BQI", question)
        known = self.texts.get(pointer, b"")
        if kind == 0:
            return False
        if kind == 3:
            name, function, file, line = self.locations[pointer]
            self.item(71, struct.pack("<QQQIBBB", self.pointer(name) if name else 0, self.pointer(function),
                                      self.pointer(file), line, 0, 0, 0))
        elif kind == 2:
            self.item(100, struct.pack("<Q", pointer), {11: b"Main thread", 12: b"helper"}.get(pointer, b"other"))
        else:
            self.item({1: 99, 4: 101, 5: 105}[kind], struct.pack("<Q", pointer), known)
        return True

    def serve(self):
        """Until the capture says that it has all, or is gone."""
        while True:
            self.flush()
            data = self.peer.recv(65536)
            if not data:
                return
            self.received += data
            while len(self.received) >= 13:
                question, self.received = self.received[:13], self.received[13:]
                if not self.answer(question):
                    return

    def operation(self, number, ns):
        call = 1024 * number
        self.begin_zone(11, ns, "TT_DNN_DEVICE_OP", file="/ttnn/device_operation.hpp", line=244)
        self.zone_text(f"id:{call}")
        about = {"global_call_count": call, "op_code": "Matmul", "device_id": 0, "op_type": "tt_dnn_device"}
        self.message(11, ns + 100, f'`TT_DNN_DEVICE_OP: "Matmul", {number}, 0, {call} ->\n{json.dumps(about)}`')
        self.end_zone(11, ns + 400)

    def say(self):
        count = int(self.options.get("zones", "100"))
        self.literal(11, 50, "a literal\nof two lines")
        self.frame(0)
        for number in range(count):
            start = 1000 + number * 1000
            for thread in (11, 12):
                self.begin_zone(thread, start, "outer" if thread == 11 else "", function="work", line=number % 3 + 1)
                self.begin_zone(thread, start + 100, "inner", sent=True)
                self.zone_text(f"id:{number}")
                self.end_zone(thread, start + 200)
                self.end_zone(thread, start + 500)
            self.plot(11, start + 600, "loss", 1 / (number + 1))
            self.frame(start + 900)
            if self.options.get("die") == "1" and number == count // 2:
                self.begin_zone(11, start + 950, "open")
                self.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            if number == 1:
                self.others()
        if self.options.get("late") == "1":  # times that do not fit 16 and 32 bits, and one that goes back
            self.begin_zone(13, 20_000_000_000, "late")
            self.zone_text("a text of " + 300 * "many " + "words")
            self.end_zone(13, 20_000_300_000)
            self.begin_zone(13, 20_000_200_000, "back")
            self.end_zone(13, 40_000_000_000)
        if self.options.get("open") == "1":
            self.begin_zone(13, 500, "open")
        self.message(11, 10, "hello")
        for number in range(1, int(self.options.get("ops", "0")) + 1):
            self.operation(number, 1000 + (count + number) * 1000)
        self.device_context(3, "Device: 0, Core (1,2)" if self.wide else "queue", 2000, 6 if self.wide else 2)
        self.device_zone(3, 1 << 3 | 2 << 7, 0, 6000, 7000, "BRISC-FW", "OP ID:1024")
        self.device_zone(3, 1 << 3 | 2 << 7, 2, 8000, 8500, "BRISC-FW", "OP ID:2048")


def listen():
    told = os.environ.get("TRACY_PORT")
    for port in [int(told)] if told else range(8086, 8106):
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
            server.listen()
            return server, port
        except OSError:
            server.close()
    return None, 0


def main():
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    server, port = listen()
    print(f"listening {port}", flush=True)
    if server is None:
        sys.exit(int(options.get("exit", "0")))
    answer = int(options.get("status", "1"))
    while True:
        peer, _ = server.accept()
        hello = peer.recv(12, socket.MSG_WAITALL)
        assert hello[:8] == b"TracyPrf", hello
        asked = struct.unpack("<I", hello[8:])[0]
        if answer != 1 or asked != int(options.get("protocol", "66")):
            peer.sendall(bytes([answer if answer != 1 else 2]))
            peer.close()
            if answer == 3 or asked == int(options.get("last", "0")):
                break
            continue
        program = Program(peer, options)
        program.begin = time.monotonic_ns() // 2 - 1000  # ticks of two ns since the machine started
        program.welcome()
        if options.get("garbage") == "1":
            peer.sendall(struct.pack("<I", 9) + b"\xff" * 9)
            peer.recv(1)
            break
        program.say()
        program.item(57)
        program.serve()
        break
    sys.exit(int(options.get("exit", "0")))


if __name__ == "__main__":
    main()
