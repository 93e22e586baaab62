"""Reads the pictures that opscope writes, and nothing else."""

import struct
import zlib

from support import equal, true


def png_pixels(path):
    """Width, height, the rows of palette indices, and the palette; every checksum must hold."""
    data = path.read_bytes()
    equal(data[:8], b"\x89PNG\r\n\x1a\n", "signature")
    at, chunks = 8, {}
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        crc, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        equal(crc, zlib.crc32(name + body), f"checksum of {name}")
        chunks[name] = body
        at += 12 + size
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    equal((depth, kind), (8, 3), "depth and kind")
    pixels = zlib.decompress(chunks[b"IDAT"])
    equal(len(pixels), (width + 1) * height, "pixels")
    rows = [pixels[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]
    palette = chunks[b"PLTE"]
    true(max(map(max, rows)) < len(palette) // 3, "pixels are in the palette")
    return width, height, rows, [palette[i:i + 3].hex() for i in range(0, len(palette), 3)]
