"""Operators that move, choose, resize and match elements, with random shapes, types and requests.

Cases as in onnx_opset_cases, the same at every run; ONNX Runtime tells what they give.
"""
from onnx_opset_cases import *

MOVEMENTS = []
ROUNDS = 8
NUMBERS = ["f32", "f64", "i32", "i64", "u8", "i8"]
ANY = NUMBERS + ["f16", "i16", "u16", "u32", "u64", "bool"]
FAR = 2**63 - 1

dice = random.Random(4)


def moving(operator, opset, inputs, outputs=None, fixed=None, tolerance=1e-5, **attributes):
    """A network of one operator; inputs and initializers in the order of their names."""
    fixed = fixed or {}
    names = sorted({**inputs, **fixed})
    outputs = outputs or {"y": inputs["a"][0]}
    MOVEMENTS.append(Case(f"{opset}_{operator}_{len(MOVEMENTS)}", opset,
                          [node(operator, " ".join(names), " ".join(outputs), **attributes)], inputs, outputs,
                          fixed, None, None, tolerance))


def graph(name, opset, nodes, inputs, outputs, fixed=None):
    MOVEMENTS.append(Case(f"{opset}_{name}_{len(MOVEMENTS)}", opset, nodes, inputs, outputs, fixed or {}, None,
                          None, 1e-5))


def dims(rank, least=1, most=5):
    return [dice.randint(least, most) for _ in range(rank)]


def tensor(shape, element):
    seed = dice.random()
    if element in ("f32", "f64", "f16"):
        return reals(shape, seed, element=element)
    low, high = (0, 1) if element == "bool" else (0, 99) if element[0] == "u" else (-99, 99)
    return integers(shape, seed, low, high, element)


def texts(shape):
    return "text", shape, [dice.choice(["", "a", "b", "abc", "\u00e9"]) for _ in range(count(shape))]


def either_end(axis, rank):
    return dice.choice([axis, axis - rank])


def slices(shape, x):
    axes = dice.sample(range(len(shape)), dice.randint(1, len(shape)))
    steps = [dice.choice([1, 1, 2, 3, -1, -2]) for _ in axes]
    starts = [dice.randint(-7, 7) for _ in axes]
    ends = [dice.choice([dice.randint(-7, 7), FAR if step > 0 else -FAR]) for step in steps]
    moving("Slice", dice.choice([10, 11, 13]), {"a": x}, fixed={
        "b": i64(*starts), "c": i64(*ends), "d": i64(*(either_end(axis, len(shape)) for axis in axes)),
        "e": i64(*steps)})
    moving("Slice", 9, {"a": x}, axes=sorted(axes), starts=starts, ends=ends)


def copies(shape, x, element):
    rank, axis = len(shape), dice.randrange(len(shape))
    order = dice.sample(range(rank), rank)
    moving("Transpose", 13, {"a": x}, perm=order)
    moving("Tile", 13, {"a": x}, fixed={"b": i64(*dims(rank, 0, 3))})
    wide = dims(dice.randint(0, 1)) + [dice.choice([1, n]) if n > 1 else dice.randint(1, 4) for n in shape]
    moving("Expand", 13, {"a": x}, fixed={"b": i64(*wide)})
    parts = {f"x{i}": tensor(shape[:axis] + [dice.randint(0, 4)] + shape[axis + 1:], element) for i in range(3)}
    moving("Concat", 13, parts, {"y": element}, axis=either_end(axis, rank))
    first = dice.randint(0, shape[axis])
    moving("Split", 13, {"a": x}, {"y": element, "z": element},
           {"b": i64(first, shape[axis] - first)}, axis=axis)
    moving("Split", 11, {"a": x}, {"y": element, "z": element}, axis=axis, split=[first, shape[axis] - first])


def pads(shape, element):
    if element in ("f16", "i16", "u16"):
        return  # not in ONNX Runtime
    x = tensor(shape, element)
    for mode in ("constant", "reflect", "edge", "wrap"):
        longest = [3 if mode in ("constant", "edge") else n - 1 for n in shape * 2]
        moving("Pad", 19, {"a": x}, fixed={"b": i64(*(dice.randint(0, n) for n in longest))}, mode=mode)
    cut = [-dice.randint(0, n // 2) if dice.random() < 0.5 else dice.randint(0, 2) for n in shape * 2]
    moving("Pad", 13, {"a": x}, fixed={"b": i64(*cut), "c": (element, [], [1])})
    if element in ("f32", "f64"):
        moving("Pad", 9, {"a": x}, pads=[abs(n) for n in cut], value=1.5)


def choices(shape, x, element):
    rank, axis = len(shape), dice.randrange(len(shape))
    length = shape[axis]

    def places(where, limits):
        return "i64", where, [dice.randint(-limits[i % len(limits)], limits[i % len(limits)] - 1)
                                             for i in range(count(where))]

    moving("Gather", 13, {"a": x, "b": places(dims(dice.randint(0, 2)), [length])}, axis=axis)
    some = [dice.randint(1, n) for n in shape]
    some[axis] = dice.randint(1, 6)
    chosen = places(some, [length])
    moving("GatherElements", 13, {"a": x, "b": chosen}, axis=either_end(axis, rank))
    moving("ScatterElements", 13, {"a": x, "b": chosen, "c": tensor(some, element)}, axis=axis)
    width, outer = dice.randint(1, rank), dims(dice.randint(0, 2))
    tuples = places(outer + [width], shape[:width])
    moving("GatherND", 13, {"a": x, "b": tuples})
    moving("ScatterND", 13, {"a": x, "b": tuples, "c": tensor(outer + shape[width:], element)})
    if rank > 1:
        moving("GatherND", 13, {"a": x, "b": places([shape[0], 2, 1], shape[1:2])}, batch_dims=1)
    if element in NUMBERS:
        for reduction in ("add", "mul", "max", "min"):
            moving("ScatterElements", 18, {"a": x, "b": chosen, "c": tensor(some, element)}, axis=axis,
                   reduction=reduction)
    kept = length if dice.random() < 0.5 else None
    condition = [dice.randint(0, 1) for _ in range(kept or count(shape))]
    moving("Compress", 11, {"a": x, "b": ("bool", [len(condition)], condition)}, **({"axis": axis} if kept else {}))


def orders(shape):
    axis = dice.randrange(len(shape))
    for element in ("f32", "f64", "i64", "i32", "i8"):
        x = element, shape, [value % 7 for value in tensor(shape, "i64")[2]]
        moving("TopK", 11, {"a": x}, {"y": element, "i": "i64"}, {"b": i64(dice.randint(0, shape[axis]))},
               axis=axis, largest=dice.randint(0, 1))
    few = "i64", shape, [value % 3 for value in tensor(shape, "i64")[2]]
    found = {"y": "i64", "i": "i64", "v": "i64", "c": "i64"}
    moving("Unique", 11, {"a": few}, found, sorted=dice.randint(0, 1))
    moving("Unique", 11, {"a": few}, found, sorted=dice.randint(0, 1), axis=either_end(axis, len(shape)))
    moving("NonZero", 13, {"a": few})
    depth = dice.randint(1, 6)
    moving("OneHot", 11, {"a": integers(shape, dice.random(), -depth - 2, depth + 2)}, {"y": "f32"},
           {"b": ("i64", [1], [depth]), "c": ("f32", [2], [0.5, 3.0])}, axis=dice.randint(-len(shape) - 1, len(shape)))


def matrices(shape, x, element):
    if len(shape) < 2:
        return
    batch = dice.randint(0, 1)
    lengths = "i64", [shape[batch]], [dice.randint(1, shape[1 - batch]) for _ in range(shape[batch])]
    moving("ReverseSequence", 10, {"a": x, "b": lengths}, batch_axis=batch, time_axis=1 - batch)
    if element in ("f32", "f64", "i64", "bool"):
        moving("Trilu", 14, {"a": x}, fixed={"b": ("i64", [], [dice.randint(-6, 6)])}, upper=dice.randint(0, 1))
    block, (n, c, h, w) = dice.randint(1, 3), dims(4, 1, 3)
    deep = tensor([n, c * block * block, h, w], "f32")
    moving("DepthToSpace", 13, {"a": deep}, blocksize=block, mode=dice.choice(["DCR", "CRD"]))
    moving("SpaceToDepth", 13, {"a": tensor([n, c, h * block, w * block], "f32")}, blocksize=block)


def resizes():
    """Without align_corners by scales, where ONNX counts with lengths that are no integers."""
    size = [1, 2] + dims(2, 2, 7)
    for mode in ("nearest", "linear", "cubic"):
        for coordinates in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"):
            options = {"mode": mode, "coordinate_transformation_mode": coordinates}
            if mode == "nearest":
                options["nearest_mode"] = dice.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
            if mode == "cubic":
                options.update(cubic_coeff_a=dice.choice([-0.5, -0.75]), exclude_outside=dice.randint(0, 1))
            wanted = i64(1, 2, *dims(2, 1, 12))
            graph(f"Resize_{mode}", 19, [node("Resize", "x - - s", **options)], {"x": tensor(size, "f32")},
                  {"y": "f32"}, {"s": wanted})
            if coordinates != "align_corners":
                scales = "f32", [4], [1.0, 1.0] + [dice.choice([0.5, 2.0, 3.0, 1.5]) for _ in range(2)]
                graph(f"Resize_{mode}", 13, [node("Resize", "x - s", **options)], {"x": tensor(size, "f32")},
                      {"y": "f32"}, {"s": scales})
    double = "f32", [4], [1.0, 1.0, 2.0, 3.0]
    for mode in ("nearest", "linear"):
        moving("Upsample", 9, {"a": tensor(size, "f32")}, fixed={"b": double}, mode=mode)
        moving("Upsample", 7, {"a": tensor(size, "f32")}, mode=mode, scales=double[2])
        moving("Resize", 10, {"a": tensor(size, "f32")}, fixed={"b": double}, mode=mode)


def samples():
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            options = {"mode": mode, "padding_mode": padding, "align_corners": dice.randint(0, 1)}
            grid = reals([2, 3, 4, 2], dice.random(), -1.6, 1.6)
            moving("GridSample", 20, {"a": tensor([2, 2, 4, 5], "f32"), "b": grid}, tolerance=1e-4, **options)
            if mode != "cubic":
                grid = reals([1, 2, 3, 2, 3], dice.random(), -1.6, 1.6)
                moving("GridSample", 20, {"a": tensor([1, 2, 3, 4, 5], "f32"), "b": grid}, tolerance=1e-4,
                       **options)


def words():
    """Texts come from constants: they cannot be given to ONNX Runtime as bytes."""
    def text(operator, opset, outputs, fixed, **attributes):
        graph(operator, opset, [node(operator, " ".join(fixed), " ".join(outputs), **attributes)], {}, outputs,
              fixed)

    x = texts([3, 4])
    text("Transpose", 13, {"y": "text"}, {"x": x})
    text("Concat", 13, {"y": "text"}, {"a": x, "b": texts([3, 2])}, axis=1)
    text("Gather", 13, {"y": "text"}, {"x": x, "i": ("i64", [2], [-1, 0])}, axis=1)
    text("Slice", 13, {"y": "text"}, {"x": x, "s": i64(3), "e": i64(-9), "a": i64(1), "t": i64(-2)})
    text("Expand", 13, {"y": "text"}, {"x": texts([3, 1]), "s": i64(2, 3, 2)})
    text("ScatterElements", 13, {"y": "text"}, {"x": x, "i": ("i64", [1, 2], [2, 0]), "u": texts([1, 2])})
    text("Unique", 11, {"y": "text", "i": "i64", "v": "i64", "c": "i64"}, {"x": x})
    text("Reshape", 13, {"y": "text"}, {"x": x, "s": i64(2, -1)})
    text("StringConcat", 20, {"y": "text"}, {"a": texts([2, 1]), "b": texts([3])})


def sequences():
    x = {"x": reals([5, 3])}
    ends = [node("ConcatFromSequence", "q", "y", axis=0), node("SequenceLength", "q", "n")]
    outputs = {"y": "f32", "n": "i64"}
    for fixed in ({}, {"s": ("i64", [], [2])}, {"s": i64(1, 4)}):
        split = node("SplitToSequence", "x s" if fixed else "x", "q")
        graph("SplitToSequence", 11, [split] + ends, x, outputs, fixed)
    stack = [node("SplitToSequence", "x", "q", axis=1, keepdims=0),
             node("ConcatFromSequence", "q", "y", axis=-1, new_axis=1)]
    graph("ConcatFromSequence", 11, stack, x, {"y": "f32"})
    change = [node("SequenceConstruct", "x z", "p"), node("SequenceInsert", "p x at", "o"),
              node("SequenceErase", "o at", "q"), node("SequenceAt", "q back", "l")] + ends
    fixed = {"at": ("i64", [], [1]), "back": ("i64", [], [-1]), "z": reals([2, 3], 7)}
    graph("SequenceInsert", 11, change, x, {"l": "f32", **outputs}, fixed)


for turn in range(ROUNDS):
    for kind in dice.sample(ANY, 3):
        lengths = dims(dice.randint(1, 5))
        value = tensor(lengths, kind)
        slices(lengths, value)
        copies(lengths, value, kind)
        choices(lengths, value, kind)
        matrices(lengths, value, kind)
        pads(lengths, kind)
    orders(dims(dice.randint(1, 4)))
resizes()
samples()
words()
sequences()
