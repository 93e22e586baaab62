"""Cycles of Torq's kernels, worked out from the published loops for one operator at a time: it
shares nothing with the price that opscope has for them."""
import math
import re

BYTES = {"i8": 1, "u8": 1, "bool": 1, "i16": 2, "bf16": 2, "i32": 4, "f32": 4}
FLOATS = ("bf16", "f32")
VECTOR = 64  # bytes of data at a time
ACT = 16  # results a cycle


def cd(a, b):
    return -(-a // b)


def read(case):
    """("Conv", [([1, 3, 8, 8], "i8"), ...], {"pads": [1, 1, 1, 1]}) of a line of --explain."""
    operator, inputs, *options = case.split()
    shapes = []
    for text in re.split(r",(?![^\[]*\])", inputs):
        if text.startswith("[") or not text:
            shapes.append(([int(number) for number in text.strip("[]").split(",") if number], "numbers"))
            continue
        *dims, element = text.split("x")
        shapes.append(([int(size) for size in dims], element))
    attributes = {}
    for option in options:
        if option != "-a":
            name, numbers = option.split("=")
            attributes[name] = [int(number) for number in numbers.split(",") if number.lstrip("-").isdigit()]
    return operator, shapes, attributes


def vector(element, weight):
    """Elements of a vector, and multipliers that one of them takes."""
    part = BYTES[element] * (1 if element in FLOATS else BYTES[weight])
    return VECTOR // part, part


def passes(count, width, part):
    """Of the activation unit, for a vector that may be short."""
    return cd(min(count, width) * part, ACT)


# Convolutions -----------------------------------------------------------------------------

def line(shapes, attributes):
    """A convolution over a line: windows side by side, times the weights, turned; or, of floats
    with one channel, products that are added up."""
    (n, channels, wide), element = shapes[0]
    (oc, ic, kw), _ = shapes[1]
    stride, dilation = attributes.get("strides", [1])[0], attributes.get("dilations", [1])[0]
    places = (wide + sum(attributes.get("pads", [0, 0])) - (kw - 1) * dilation - 1) // stride + 1
    if attributes.get("group", [1])[0] == channels > 1:
        side, least = (32, 8) if BYTES[element] == 1 else (16, 2)
        return n * places * cd(channels, side) * max(kw, least)
    if element in FLOATS and ic == 1 and kw > 1:
        block = min(16, kw)
        return n * oc * places * cd(kw, block) * max(ic, cd(block, 8)) + n * oc * places * kw
    loads = kw if dilation > 1 and kw > 4 else 1
    return (places * ic * loads + connected(places, ic * kw, oc, element)
            + turned(oc, places, element))


def conv(shapes, attributes):
    if len(shapes[0][0]) == 3:
        return line(shapes, attributes)
    (n, _, high, wide), element = shapes[0]
    (oc, ic, kh, kw), weight = shapes[1]
    group = attributes.get("group", [1])[0]
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    stride = attributes.get("strides", [1, 1])[0]
    rows = (high + top + bottom - kh) // stride + 1
    columns = (wide + left + right - kw) // stride + 1
    width, _ = vector(element, weight)
    if group > 1:
        return depthwise(n, oc, rows * columns, kh, kw, stride, width, element)
    if kh == kw == 1 and rows * columns == 1:
        return connected(n, ic, oc, element)
    turned = 0
    if stride > 2:  # space to depth: turned, then a smaller window over more channels
        ic *= stride * stride
        kh, kw = cd(kh, stride), cd(kw, stride)
        turned = cd(n * rows * columns * ic, 2 if BYTES[element] <= 2 else 1)
        stride, left, right = 1, kw // 2, kw // 2
    vectors = n * cd(rows * columns, width)
    together = 4 if oc >= 4 else 1
    products = ic * kh * kw
    if stride == 2:
        half = cd(kw, 2)
        loads = 4 * ic * cd(kh, 2) * cd(half, min(half, 3)) if kh * kw > 1 else 0
        each = max(products, loads, 8 * kh if kh * kw > 1 else 0, 4 * together)
        return vectors * cd(oc, together) * each
    reads = 0
    if not (left == right == kw // 2 and kh <= 7 and kw <= 7):
        reads = min(kw, 3) * kh * cd(kw, min(kw, 3)) * ic
    cycles = vectors * (oc // together) * max(products, reads, 4 * together)
    if oc % together:
        cycles += vectors * max(products, reads, 4 * (oc % together))
    return cycles + turned


def depthwise(n, channels, places, kh, kw, stride, width, element):
    if places == 1 and kh * kw > 1:
        side = 32 if BYTES[element] == 1 else 16
        return n * cd(channels, side) * max(kh * kw, side // 4)
    vectors = n * cd(places, width)
    half = cd(kw, 2)
    loads = cd(half, min(half, 3)) * cd(kh, 2)
    if stride == 2:
        if channels < 4:
            return vectors * channels * max(kh * kw, 4 * loads, 8 * kh, 4)
        return vectors * cd(channels, 4) * max(kh * kw, 16 * loads, 16 * kh, 16)
    if channels < 4:
        return vectors * channels * max(kh * kw, kh * cd(kw, 3), 4)
    cycles = vectors * (channels // 4) * max(kh * kw, 4 * kh * cd(kw, 3), 16)
    rest = channels % 4
    if rest:
        cycles += vectors * max(kh * kw, rest * kh * cd(kw, 3), 4 * rest)
    return cycles


# Matrices ---------------------------------------------------------------------------------

def connected(rows, ic, oc, element):
    width = 64 if BYTES[element] == 1 else 32
    if oc < width:
        width = max(size for size in (32, 16, 8, 4, 1) if size <= oc)
    results = 8 if element in FLOATS else 4
    return rows * cd(oc, width) * max(ic, cd(width, results))


def gemm(shapes, _):
    (rows, ic), element = shapes[0]
    return connected(rows, ic, shapes[1][0][1], element)


def matmul(shapes, _):
    (batch, rows, inner), element = shapes[0]
    columns = shapes[1][0][2]
    width, part = vector(element, shapes[1][1])
    return batch * rows * cd(columns, width) * max(inner, passes(columns, width, part))


# Elements ---------------------------------------------------------------------------------

def add(shapes, _):
    (dims, element), (other, _) = shapes[0], shapes[1]
    count = math.prod(dims)
    scalar = math.prod(other) == 1 and count > 1
    weight = {"i8": "i8" if scalar else "i16", "i16": "i16", "i32": "i8", "bf16": "bf16"}[element]
    width, part = vector(element, weight)
    return cd(count, width) * max(1 if scalar else 2, passes(count, width, part))


def each(width):
    """So many elements a cycle, by the element of the first input."""
    return lambda shapes, _: cd(math.prod(shapes[0][0]), width(shapes[0][1]))


def select(shapes, _):
    count, size = math.prod(shapes[1][0]), BYTES[shapes[1][1]]
    return cd(count, 16 if size > 2 else 32) * (2 if size == 1 else 4)


def choice(shapes, _):
    return cd(math.prod(shapes[0][0]), VECTOR) * max(2 * BYTES[shapes[0][1]], 4)


def reduce(shapes, attributes):
    dims, element = shapes[0]
    axis = attributes["axis"][0]
    outer, length, inner = math.prod(dims[:axis]), dims[axis], math.prod(dims[axis + 1:])
    if axis == len(dims) - 1:
        return outer * length
    width = VECTOR // BYTES[element]
    return outer * cd(inner, width) * max(length, passes(inner, width, BYTES[element]))


def argmax(shapes, attributes):
    (_, rows, columns), element = shapes[0]
    if attributes["axis"][0] == 2:  # turned first
        return turned(columns, rows, element) + argmax([([1, columns, rows], element)], {"axis": [1]})
    return cd(columns, VECTOR) * max(rows, VECTOR // ACT)


# Pooling and movement -----------------------------------------------------------------------

def max_pool(shapes, attributes):
    (n, channels, high, wide), element = shapes[0]
    kh, kw = attributes["kernel_shape"]
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    stride = attributes.get("strides", [1, 1])[0]
    places = (((high + top + bottom - kh) // stride + 1) * ((wide + left + right - kw) // stride + 1))
    vectors = n * channels * cd(places, VECTOR // BYTES[element])
    chosen = {1: 4, 2: 2, 4: 1}[BYTES[element]]
    half = cd(kw, 2)
    if stride == 1:
        if kh <= 3 and kw <= 3:
            return vectors * max(kh * kw, chosen)
        return vectors * max(kh * min(kw, 3) * cd(kw, min(kw, 3)), 4)
    if kh == kw <= 3 and top == left == 0:
        return vectors * max(kh * kw, 4 * cd(kh, 2), chosen)
    loads = cd(half, min(half, 3))
    return vectors * max(kh * kw, 4 * kh * min(half, 3), 4 * cd(kh, 2) * loads, 4)


def whole_pool(shapes, _):
    (n, channels, high, wide), element = shapes[0]
    return cd(n * channels, VECTOR // BYTES[element]) * max(high * wide, 4)


def transpose(shapes, attributes):
    dims, element = shapes[0]
    order = attributes["perm"]
    rank = len(dims)
    given = [dims[axis] for axis in order]
    turned = order == list(range(rank - 2)) + [rank - 1, rank - 2]
    size = BYTES[element]
    if turned and size <= 2 and min(given[-2:]) >= 32:
        return math.prod(given[:-2]) * cd(given[-2], 32) * cd(given[-1], 32 // size) * 16
    together = 2 if size <= 2 and given[-1] % 2 == 0 else 1
    if order[-1] == rank - 1 and 2 <= given[-1] <= 15:
        together = given[-1]
    return cd(math.prod(dims), together)


def turned(rows, columns, element):
    """A matrix that comes out with so many rows and columns."""
    size = BYTES[element]
    if size <= 2 and min(rows, columns) >= 32:
        return cd(rows, 32) * cd(columns, 32 // size) * 16
    return cd(rows * columns, 2 if size <= 2 and columns % 2 == 0 else 1)


def gather(shapes, _):
    (*_, rows, channels), element = shapes[0] if len(shapes[0][0]) > 1 else ([*shapes[0][0], 1], "")
    places = math.prod(shapes[1][0])
    matrix = len(shapes[0][0]) == 2
    together = 1 if matrix else next(size for size in (4, 2, 1) if places % size == 0)
    cycles = channels * cd(places, together) * max(2, together)
    if len(shapes[0][0]) < 3 or channels == 1:
        return cycles
    return cycles + turned(channels, rows, element) + turned(places, channels, element)


def scatter(shapes, _):
    (_, rows, channels), element = shapes[0]
    places = shapes[2][0][1]
    cycles = 2 * places * channels
    if channels == 1:
        return cycles
    return (cycles + turned(channels, rows, element) + turned(channels, places, element)
            + turned(rows, channels, element))


def resize(shapes, _):
    dims, _ = shapes[0]
    if len(shapes[1][0]) == 4:  # TOSA: channels last
        n, high, wide, channels = dims
        return 4 * n * high * wide * cd(channels, 16)
    n, channels, high, wide = dims
    return 2 * n * channels * high * cd(wide, 8)


def depth_to_space(shapes, attributes):
    (n, channels, high, wide), element = shapes[0]
    side, size = attributes["blocksize"][0], BYTES[element]
    together = min(wide, 16 // size)
    blocks = n * high * cd(wide, together) * (channels // side ** 2)
    return max(blocks * side * side, blocks * side * cd(together, 16 // (size * side)))


def sixteen(element):
    return 8 if element in FLOATS else 16


KERNELS = {
    "Conv": conv, "Gemm": gemm, "tosa.matmul": matmul,
    "tosa.add": add, "tosa.sub": add,
    "tosa.mul": each(lambda element: {"i8": 16, "i16": 4, "bf16": 8, "i32": 4}[element]),
    "tosa.rescale": each(lambda element: {"i8": 16, "i16": 8, "i32": 4}[element]),
    "tosa.abs": each(sixteen), "tosa.clamp": each(sixteen), "tosa.ceil": each(sixteen),
    "tosa.cast": each(sixteen),
    "tosa.table": each(lambda element: 2),
    "tosa.maximum": choice, "tosa.bitwise_and": choice, "tosa.greater": choice,
    "tosa.bitwise_not": each(lambda element: 16),
    "tosa.logical_left_shift": each(lambda element: 8 if element == "i32" else 16),
    "tosa.select": select,
    "tosa.reduce_sum": reduce, "tosa.argmax": argmax,
    "MaxPool": max_pool, "GlobalAveragePool": whole_pool,
    "Transpose": transpose,
    "Gather": gather, "tosa.gather": gather, "tosa.scatter": scatter,
    "Resize": resize, "tosa.resize": resize, "DepthToSpace": depth_to_space,
    "Identity": each(lambda element: 8 if element == "f32" else 16),
}


def cycles(case):
    operator, shapes, attributes = read(case)
    return max(1, KERNELS[operator](shapes, attributes))


# Loops ------------------------------------------------------------------------------------

APPENDED_MOST = 3  # loops that what is written is not indexed by, neighbours being one
REPEATED_MOST, STRIDED_MOST = 2, 2  # loops of a register
REPETITIONS_MOST = 256  # of its inner repeated loop, but for weights and biases


class Nest:
    """A kernel as it is published: loops around everything, those that products are added up in,
    and those that results leave in. A load is what is brought to a register: how many loops are
    around it, and which of those inside it is indexed by."""

    def __init__(self, outer, inner, leaving, written, data, weights, biases, partial):
        self.outer, self.inner, self.leaving = outer, inner, leaving
        self.written = written
        alu, act = {**outer, **inner}, {**outer, **leaving}
        self.registers = {"CEDR": (alu, *data, False), "CEWR": (alu, *weights, True),
                          "ACBR": (act, *biases, True), "ACPR": (act, len(outer), partial, False)}

    def cycles(self):
        outer = math.prod(self.outer.values())
        return outer * max(math.prod(self.inner.values()), math.prod(self.leaving.values()))

    def appended(self):
        loops = [name in self.written for name in {**self.outer, **self.leaving}]
        return sum(not indexed and (i == 0 or loops[i - 1]) for i, indexed in enumerate(loops))

    def beyond(self):
        """What the machine has not got."""
        if self.appended() > APPENDED_MOST:
            yield f"{self.appended()} loops of what is written"
        for register, (stack, depth, indexed, big) in self.registers.items():
            repeats, strides = [], 0
            for name, count in reversed(list(stack.items())[depth:]):
                if name in indexed:
                    strides += 1 if not (strides and register in ("CEWR", "ACPR")) else 0  # one after the other
                elif big and repeats:
                    repeats[-1] *= count
                else:
                    repeats.append(count)
            needed = len(repeats) + (not big and bool(repeats) and repeats[0] > REPETITIONS_MOST)
            if needed > REPEATED_MOST or strides > STRIDED_MOST:
                yield f"{register}: {repeats} repeated, {strides} strided"


def conv_nest(shapes, attributes):
    (n, _, high, wide), element = shapes[0]
    (oc, ic, kh, kw), weight = shapes[1]
    width, part = vector(element, weight)
    group = 4 if oc >= 4 else 1
    return Nest({"n": n, "oc": oc // group, "iv": cd(high * wide, width)}, {"ic": ic, "kh": kh, "kw": kw},
                {"o": group, "av": cd(width * part, ACT)}, {"n", "oc", "o"},
                (6, {"kw"}), (5 if kw <= 3 else 6, {"kw"}), (4, set()), {"o", "av"})


def gemm_nest(shapes, _):
    (rows, ic), element = shapes[0]
    oc = shapes[1][0][1]
    width = 64 if BYTES[element] == 1 else 32
    return Nest({"n": rows, "oc": cd(oc, width)}, {"ic": ic}, {"av": cd(width, 8 if element in FLOATS else 4)},
                {"n"}, (3, set()), (3, set()), (3, set()), {"av"})


def matmul_nest(shapes, _):
    (batch, rows, inner), element = shapes[0]
    columns = shapes[1][0][2]
    width, part = vector(element, shapes[1][1])
    return Nest({"b": batch, "m": rows, "n": cd(columns, width)}, {"k": inner},
                {"av": passes(columns, width, part)}, {"b", "m"},
                (4, set()), (4, set()), (0, set()), {"av"})


def add_nest(shapes, _):
    dims, element = shapes[0]
    count = math.prod(dims)
    width, part = vector(element, {"i8": "i16", "i16": "i16", "i32": "i8", "bf16": "bf16"}[element])
    return Nest({"iv": cd(count, width)}, {"it": 2}, {"av": passes(count, width, part)}, set(),
                (2, set()), (0, {"it"}), (0, set()), {"av"})


def reduce_nest(shapes, attributes):
    dims, element = shapes[0]
    axis = attributes["axis"][0]
    width = VECTOR // BYTES[element]
    inner = math.prod(dims[axis + 1:])
    outer = {f"b{i}": size for i, size in enumerate(dims[:axis])}
    return Nest({**outer, "rv": cd(inner, width)}, {"r": dims[axis]},
                {"av": passes(inner, width, BYTES[element])}, set(outer),
                (len(outer) + 2, set()), (0, set()), (len(outer), set()), {"av"})


NESTS = {"Conv": conv_nest, "Gemm": gemm_nest, "tosa.matmul": matmul_nest, "tosa.add": add_nest,
         "tosa.reduce_sum": reduce_nest}


def nest(case):
    operator, shapes, attributes = read(case)
    return NESTS[operator](shapes, attributes)
