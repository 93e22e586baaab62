"""Reads the pictures that opscope writes, and nothing else."""

import struct
import zlib

from support import equal, true


def chunks_of(path):
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
    return chunks


def rows_of(chunks, width, height, size):
    """The bytes of each row, `size` a pixel; none is filtered."""
    pixels = zlib.decompress(chunks[b"IDAT"])
    step = width * size + 1
    equal(len(pixels), step * height, "pixels")
    equal({pixels[y * step] for y in range(height)}, {0}, "filters")
    return [pixels[y * step + 1:(y + 1) * step] for y in range(height)]


def png_pixels(path):
    """Width, height, the rows of palette indices, and the palette; every checksum must hold."""
    chunks = chunks_of(path)
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    equal((depth, kind), (8, 3), "depth and kind")
    rows = rows_of(chunks, width, height, 1)
    palette = chunks[b"PLTE"]
    true(max(map(max, rows)) < len(palette) // 3, "pixels are in the palette")
    return width, height, rows, [palette[i:i + 3].hex() for i in range(0, len(palette), 3)]


def png_colours(path):
    """Width, height, and a function of x and y that gives the colour there; with a palette or without."""
    chunks = chunks_of(path)
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    if kind == 3:
        width, height, rows, palette = png_pixels(path)
        return width, height, lambda x, y: palette[rows[y][x]]
    equal((depth, kind), (8, 2), "depth and kind")
    rows = rows_of(chunks, width, height, 3)
    return width, height, lambda x, y: rows[y][3 * x:3 * x + 3].hex()
