"""Block formats calculated with fractions: what bfp8_b and bfp4_b make of numbers, and their bytes.

Sixteen neighbours of a row share an exponent, that of the largest. A number keeps the bits of its
24-bit mantissa that are left when it is shifted to that exponent; they are rounded to 7 or 3, to
nearest, ties to even, and never above the largest. Subnormal numbers count as 0.
"""

import math
import struct
from fractions import Fraction

BITS = {"bfp8_b": 7, "bfp4_b": 3}
TILE_BYTES = {"bfp8_b": 1088, "bfp4_b": 576, "bf16": 2048, "f32": 4096}
LEAST = 2.0**-126  # that is not subnormal


def as_f32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def as_bf16(number):
    """To nearest, ties to even, of a finite number."""
    if number == 0 or not math.isfinite(number):
        return number
    unit = Fraction(2) ** max(math.frexp(number)[1] - 8, -133)
    return float(round(Fraction(number) / unit) * unit)


def round_block(numbers, bits):
    exponents = [math.frexp(number)[1] - 1 for number in numbers if abs(number) >= LEAST]
    if not exponents:
        return [0.0] * len(numbers)
    shared = Fraction(2) ** max(exponents)
    rounded = []
    for number in numbers:
        if abs(number) < LEAST:
            rounded.append(0.0)
            continue
        kept = math.floor(abs(Fraction(number)) / shared * 2**23)
        steps = min(round(Fraction(kept, 2 ** (24 - bits))), 2**bits - 1)
        size = float(steps * shared / 2 ** (bits - 1))
        rounded.append(-size if number < 0 and size else size)
    return rounded


def round_rows(numbers, columns, name):
    """Rows of `columns` numbers each, one after the other."""
    rounded = []
    for row in range(0, len(numbers), columns):
        for at in range(row, row + columns, 16):
            rounded += round_block(numbers[at:min(at + 16, row + columns)], BITS[name])
    return rounded


def tiles(*shape):
    """How many tiles of 32 x 32 a tensor takes."""
    shape = (1, 1, *shape)
    return math.prod(shape[:-2]) * -(-shape[-2] // 32) * -(-shape[-1] // 32)
