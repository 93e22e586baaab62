"""An independent reader of Cloud AI's container (docs/formats/qaic.md)."""
import struct


def segments(path):
    """Of a programqpc.bin: bytes by name, in the order of the file."""
    data = path.read_bytes()
    magic, major, minor, kind, size, base, count, at = struct.unpack_from("<IBBHQQQQ", data)
    assert (magic, major, minor, kind, size) == (0x00A1CD7C, 0, 1, 1, len(data)), "header"
    found = {}
    for i in range(count):
        length, _, name, start = struct.unpack_from("<QQQQ", data, at - base + 32 * i)
        found[data[name - base:data.index(b"\0", name - base)].decode()] = data[start - base:start - base + length]
    return found
