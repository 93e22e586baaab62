"""Seeded inputs for TOSA networks, and the comparison of two results.

Integers must be the same bit by bit, f32 within 1e-5 of the output's magnitude,
f16 and bf16 within one unit of their type (or 1e-5 of the output's magnitude,
where sums cancel).
"""

import array
import math
import random
import struct

from tosa_reference import SIZES, count_of

CODES = {"i1": "B", "ui8": "B", "i8": "b", "i16": "h", "ui16": "H", "i32": "i", "ui32": "I",
         "i48": "q", "i64": "q", "index": "q", "f32": "f", "f64": "d"}


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bf16_bits(value):
    """Cut, not rounded: any number will do."""
    return float_bits(value) >> 16


def f16_bits(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def random_bytes(kind, seed):
    """A tensor of (dims, element): integers of all sizes, floats around 0."""
    dims, element = kind
    count = count_of(dims)
    source = random.Random(seed)
    if element in ("i8", "ui8", "i16", "ui16"):
        return source.randbytes(count * SIZES[element])
    if element == "i1":
        return bytes(byte & 1 for byte in source.randbytes(count))
    if element == "i4":
        return bytes((byte & 15) - 8 & 255 for byte in source.randbytes(count))
    if element in ("i32", "ui32", "i48", "i64", "index"):
        return array.array(CODES[element], (integer_of(source) for _ in range(count))).tobytes()
    reals = [source.gauss(0, 3) for _ in range(count)]
    if element in ("f32", "f64"):
        return array.array(CODES[element], reals).tobytes()
    if element in ("bf16", "f16"):
        bits = bf16_bits if element == "bf16" else f16_bits
        return array.array("H", map(bits, reals)).tobytes()
    return bytes(byte & 0xbf for byte in source.randbytes(count))  # 8-bit floats, none infinite


def integer_of(source):
    """Half of them small, so that not everything saturates."""
    return source.randrange(-1 << 31, 1 << 31) if source.random() < 0.5 else \
        source.randrange(-1000, 1000)


def half_value(bits, element):
    if element == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def rank_of(bits):
    """16-bit floats as integers in the same order, neighbours one apart."""
    return -(bits & 0x7fff) if bits & 0x8000 else bits


def same_special(a, b):
    return (math.isnan(a) and math.isnan(b)) or a == b


def differ_reals(got, want, tolerance):
    finite = [abs(value) for value in want if math.isfinite(value)]
    limit = tolerance * max(finite, default=0)
    for index, (a, b) in enumerate(zip(got, want)):
        if not same_special(a, b) and not abs(a - b) <= limit:
            return f"element {index} is {a!r} instead of {b!r} (within {limit:.3g})"
    return None


def differ_halves(got, want, element):
    wrong = [index for index, (a, b) in enumerate(zip(got, want))
             if abs(rank_of(a) - rank_of(b)) > 1]
    if not wrong:
        return None
    return differ_reals([half_value(got[index], element) for index in wrong],
                        [half_value(want[index], element) for index in wrong], 1e-5)


def differ(kind, got, want):
    """What is wrong with the bytes `got`, or None."""
    if len(got) != len(want):
        return f"{len(got)} bytes instead of {len(want)}"
    if got == want:
        return None
    _, element = kind
    if element in ("f16", "bf16"):
        return differ_halves(array.array("H", got), array.array("H", want), element)
    if element in ("f32", "f64"):
        return differ_reals(array.array(CODES[element], got), array.array(CODES[element], want),
                            1e-5)
    one, other = array.array(CODES.get(element, "B"), got), array.array(CODES.get(element, "B"), want)
    index = next(index for index, (a, b) in enumerate(zip(one, other)) if a != b)
    count = sum(a != b for a, b in zip(one, other))
    return f"element {index} is {one[index]} instead of {other[index]}; {count} of {len(one)} differ"
