"""Products of quantized tensors by their definition, in whole numbers and fractions: nothing is rounded
before the end and nothing overflows, so that the outcome depends on no machine.

Tensors are (element, dims, values); zero points and scales are tensors of one or of several values.
"""
import itertools
import struct
from fractions import Fraction

LIMITS = {"u8": (0, 255), "i8": (-128, 127)}
# Nearer than this to the middle between two numbers, single precision may round either way.
BORDER = Fraction(1, 10000)


def matmul(a, b, a_zero, b_zero):
    """Sums of a [..., m, k] and b [..., k, n], of as many batches; zero points of one, or by column of b."""
    *batches, rows, depth = a[1]
    *b_batches, _, columns = b[1]
    assert b_batches in ([], batches), "no broadcasting here"
    sums = []
    for batch in range(_count(batches)):
        b_start = batch * depth * columns if b_batches else 0
        for row, column in itertools.product(range(rows), range(columns)):
            a_start = (batch * rows + row) * depth
            sums.append(sum((a[2][a_start + k] - a_zero[2][0]) *
                            (b[2][b_start + k * columns + column] - _pick(b_zero, column))
                            for k in range(depth)))
    return "i32", [*batches, rows, columns], sums


def convolve(x, w, x_zero, w_zero, pads=None, strides=None, dilations=None, group=1, auto_pad=None):
    """Sums of x [batch, channels, ...] and w [filters, channels of a group, ...]."""
    batch, channels, *size = x[1]
    filters, depth, *kernel = w[1]
    assert channels == depth * group
    rank = len(size)
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    reach = [(length - 1) * step + 1 for length, step in zip(kernel, dilations)]
    if auto_pad == "SAME_LOWER":
        out = [-(-length // step) for length, step in zip(size, strides)]
        missing = [max(0, (count - 1) * step + far - length)
                   for count, step, far, length in zip(out, strides, reach, size)]
        before = [count - count // 2 for count in missing]
    else:
        assert auto_pad is None
        pads = pads or [0] * 2 * rank
        before = pads[:rank]
        out = [(length + first + last - far) // step + 1
               for length, first, last, far, step in zip(size, before, pads[rank:], reach, strides)]
    sums = []
    for image, filter_, place in itertools.product(range(batch), range(filters), _places(out)):
        first = filter_ // (filters // group) * depth
        total = 0
        for channel, tap in itertools.product(range(depth), _places(kernel)):
            at = [p * s + t * d - b for p, s, t, d, b in zip(place, strides, tap, dilations, before)]
            if all(0 <= i < length for i, length in zip(at, size)):
                total += ((x[2][_index([image, first + channel, *at], x[1])] - x_zero[2][0]) *
                          (w[2][_index([filter_, channel, *tap], w[1])] - _pick(w_zero, filter_)))
        sums.append(total)
    return "i32", [batch, filters, *out], sums


def add_channels(sums, bias):
    """A number for each of axis 1."""
    each = _count(sums[1][2:])
    return sums[0], sums[1], [value + bias[2][i // each % sums[1][1]] for i, value in enumerate(sums[2])]


def requantize(sums, a_scale, b_scale, y_scale, y_zero, axis):
    """round(sum x a_scale x b_scale / y_scale) + y_zero, to even in the middle; b_scale along `axis`."""
    element, _, [zero] = y_zero
    dims = sums[1]
    each = _count(dims[axis + 1:])
    a, y = _single(a_scale[2][0]), _single(y_scale[2][0])
    low, high = LIMITS[element]
    values = []
    for i, value in enumerate(sums[2]):
        exact = value * a * _single(_pick(b_scale, i // each % dims[axis])) / y
        clamped = not low - 1 <= exact + zero <= high + 1
        assert clamped or abs(exact % 1 - Fraction(1, 2)) > BORDER, "take other numbers: either may be right"
        values.append(min(max(round(exact) + zero, low), high))
    return element, dims, values


def _single(value):
    return Fraction(struct.unpack("f", struct.pack("f", value))[0])


def _pick(tensor, index):
    return tensor[2][index if len(tensor[2]) > 1 else 0]


def _count(dims):
    product = 1
    for length in dims:
        product *= length
    return product


def _places(dims):
    return itertools.product(*(range(length) for length in dims))


def _index(place, dims):
    index = 0
    for at, length in zip(place, dims):
        index = index * length + at
    return index
