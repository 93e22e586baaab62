"""Writes small pictures, for tests: PNG of every colour type, depth and filter, BMP and PNM.

    make_png(width, height, samples, colour="rgb", depth=8, filter=4, interlaced=True)

`samples` are the numbers of all pixels row by row, as many for each pixel as its colour has.
"""
import struct
import zlib

COLOURS = {"gray": (0, 1), "rgb": (2, 3), "palette": (3, 1), "gray_alpha": (4, 2), "rgb_alpha": (6, 4)}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pack_row(samples, depth):
    if depth == 16:
        return struct.pack(f">{len(samples)}H", *samples)
    bits = "".join(format(sample, f"0{depth}b") for sample in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def paeth(left, up, corner):
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]


def filter_row(kind, row, above, step):
    out = bytearray([kind])
    for i, byte in enumerate(row):
        left = row[i - step] if i >= step else 0
        up = above[i] if above else 0
        corner = above[i - step] if above and i >= step else 0
        guess = [0, left, up, (left + up) // 2, paeth(left, up, corner)][kind]
        out.append((byte - guess) & 255)
    return bytes(out)


def make_png(width, height, samples, colour="rgb", depth=8, filter=0, interlaced=False, palette=()):
    kind, each = COLOURS[colour]
    step = max(1, each * depth // 8)
    data = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        above = None
        for y in range(y0, height, dy):
            row = [samples[(y * width + x) * each + c] for x in range(x0, width, dx) for c in range(each)]
            if not row:
                continue
            packed = pack_row(row, depth)
            data += filter_row(filter, packed, above, step)
            above = packed
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    packed = zlib.compress(data)
    middle = len(packed) // 2
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + (chunk(b"PLTE", bytes(palette)) if palette else b"") +
            chunk(b"tEXt", b"Title\0x") + chunk(b"IDAT", packed[:middle]) + chunk(b"IDAT", packed[middle:]) +
            chunk(b"IEND", b""))


def make_bmp(width, height, pixels, bits=24, top_down=False, palette=()):
    """`pixels` are (red, green, blue), or indices into a palette of such."""
    rows = []
    for y in range(height) if top_down else reversed(range(height)):
        line = pixels[y * width:(y + 1) * width]
        if bits >= 24:
            row = b"".join(bytes([b, g, r] + [0] * (bits // 8 - 3)) for r, g, b in line)
        else:
            row = pack_row(line, bits)
        rows.append(row + bytes(-len(row) % 4))
    colours = b"".join(bytes([b, g, r, 0]) for r, g, b in palette)
    place = 54 + len(colours)
    data = b"".join(rows)
    return (b"BM" + struct.pack("<IHHI", place + len(data), 0, 0, place) +
            struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, bits, 0, len(data), 0, 0,
                        len(palette), 0) + colours + data)


def make_pnm(width, height, samples, channels=3, highest=255):
    head = f"P{6 if channels == 3 else 5}\n# made here\n{width} {height}\n{highest}\n"
    return head.encode() + pack_row(samples, 16 if highest > 255 else 8)
