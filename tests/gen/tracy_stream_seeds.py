"""Seeds for the fuzzer of Tracy's streams, from the program that the tests capture.

    tests/gen/tracy_stream_seeds.py tests/fuzz/corpus/tracy_stream
"""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import tracy_program  # pylint: disable=wrong-import-position


class Peer:
    """Keeps what is sent."""

    def __init__(self):
        self.data = b""

    def sendall(self, data):
        self.data += data


def stream(say=tracy_program.Program.say, old=False, **options):
    """`say` is given the program; `old`: as the first version stores it."""
    peer = Peer()
    program = tracy_program.Program(peer, options)
    program.welcome()
    say(program)
    program.item(57)
    for address in list(program.locations):
        program.answer(struct.pack("<BQI", 3, address, 0))
    for text, pointer in program.pointers.items():
        program.answer(struct.pack("<BQI", 4 if text == "loss" else 1, pointer, 0))
    program.answer(struct.pack("<BQI", 2, 11, 0))
    program.flush()
    head = struct.pack("<Q", 10 ** 9) + b"boot".ljust(64, b"\0")
    if old:
        return b"opscope tracy 1\n" + head + peer.data[1:]
    return b"opscope tracy 2\n" + head + struct.pack("<I", program.protocol) + peer.data[1:]


def items(**options):
    program = tracy_program.Program(Peer(), options)
    program.say()
    return bytes(program.pending)


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "stream").write_bytes(stream(old=True, zones="3"))
    (folder / "narrow").write_bytes(stream(old=True, zones="1", wide="0"))
    for protocol in ("63", "76", "82"):
        (folder / f"protocol_{protocol}").write_bytes(stream(zones="2", protocol=protocol, late="1"))
    (folder / "cut").write_bytes(stream(zones="2")[:-20])
    (folder / "items").write_bytes(items(zones="2"))


if __name__ == "__main__":
    main()
