"""Small TOSA networks, at least one for each operator and type, as MLIR text.

`cases()` gives (name, text). Each network has one function `main`; its inputs
may be anything, so what an operator does not allow (a negative shift) is kept
away inside the network.
"""

FLOATS = ["f32", "f16", "bf16"]
INTEGERS = ["i8", "i16", "i32"]


def tensor(shape, element):
    return "tensor<" + "x".join([*map(str, shape), element]) + ">"


def function(inputs, outputs, lines):
    """`inputs` are (name, type); `outputs` too; `lines` is the body."""
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in inputs)
    kinds = ", ".join(kind for _, kind in outputs)
    names = ", ".join(f"%{name}" for name, _ in outputs)
    body = "".join(f"    {line}\n" for line in lines)
    return (f"func.func @main({arguments}) -> ({kinds}) {{\n{body}"
            f"    return {names} : {kinds}\n}}\n")


def constant(name, values, shape, element):
    return f'%{name} = "tosa.const"() <{{values = dense<{values}> : {tensor(shape, element)}}}> ' \
           f": () -> {tensor(shape, element)}"


def shape_constant(name, values):
    return f"%{name} = tosa.const_shape {{values = dense<{list(values)}> : " \
           f"tensor<{len(values)}xindex>}} : () -> !tosa.shape<{len(values)}>"


def zero(element):
    return "0.0" if "f" in element else "0"


def zero_points(names, elements, values=None):
    values = values or [None] * len(names)
    return [constant(name, zero(element) if value is None else value, [1], element)
            for name, element, value in zip(names, elements, values)]


def apply(op, operands, outputs, attributes=""):
    """One line: `operands` and `outputs` are (name, type)."""
    names = ", ".join(f"%{name}" for name, _ in operands)
    results = ", ".join(f"%{name}" for name, _ in outputs)
    kinds = ", ".join(kind for _, kind in operands)
    given = ", ".join(kind for _, kind in outputs)
    braces = f" {{{attributes}}}" if attributes else ""
    return f"{results} = tosa.{op} {names}{braces} : ({kinds}) -> " + \
        (f"({given})" if len(outputs) > 1 else given)


def simple(op, inputs, output, attributes="", before=(), more=()):
    """A network of one operator; `more` are operands made by the lines `before`."""
    named = [(f"x{index}", kind) for index, kind in enumerate(inputs)]
    result = [("y", output)]
    return function(named, result, [*before, apply(op, named + list(more), result, attributes)])


def unary():
    for element in FLOATS:
        kind = tensor([3, 5, 17], element)
        for op in ["ceil", "cos", "erf", "exp", "floor", "reciprocal", "sigmoid", "sin", "tanh"]:
            yield f"{op}_{element}", simple(op, [kind], kind)
        for op in ["log", "rsqrt"]:
            positive = [apply("abs", [("x0", kind)], [("p", kind)]),
                        apply(op, [("p", kind)], [("y", kind)])]
            yield f"{op}_{element}", function([("x0", kind)], [("y", kind)], positive)
        for mode in ["PROPAGATE", "IGNORE"]:
            limits = f"max_val = 1.5 : {element}, min_val = -2.0 : {element}, nan_mode = {mode}"
            nan = [apply("log", [("x0", kind)], [("l", kind)]),
                   apply("clamp", [("l", kind)], [("y", kind)], limits)]
            yield f"clamp_{mode}_{element}", function([("x0", kind)], [("y", kind)], nan)
    for element in FLOATS + INTEGERS:
        kind = tensor([3, 5, 17], element)
        yield f"abs_{element}", simple("abs", [kind], kind)
        one = tensor([1], element)
        yield f"negate_{element}", simple("negate", [kind], kind, "",
                                          zero_points(["a", "b"], [element] * 2),
                                          [("a", one), ("b", one)])
    for element in ["i8", "i16"]:
        kind = tensor([3, 5, 17], element)
        limits = f"max_val = 100 : {element}, min_val = -50 : {element}"
        yield f"clamp_{element}", simple("clamp", [kind], kind, limits)
    kind, one = tensor([512], "i8"), tensor([1], "i8")
    yield "negate_zero_points", simple("negate", [kind], kind, "",
                                       zero_points(["a", "b"], ["i8"] * 2, [-7, 30]),
                                       [("a", one), ("b", one)])
    for element in INTEGERS:
        kind = tensor([3, 5, 17], element)
        yield f"bitwise_not_{element}", simple("bitwise_not", [kind], kind)
    kind = tensor([3, 5, 17], "i32")
    yield "clz_i32", simple("clz", [kind], kind)
    kind = tensor([300], "i1")
    yield "logical_not", simple("logical_not", [kind], kind)
    yield "identity", simple("identity", [kind], kind)


PAIRS = [([2, 3, 5], [2, 3, 5]), ([2, 3, 5], [1, 1, 1]), ([1, 3, 5], [2, 1, 5]), ([4, 1, 7], [1, 6, 7])]


def joined(a, b):
    return [max(pair) for pair in zip(a, b)]


def binary():
    for index, (a, b) in enumerate(PAIRS):
        for element in FLOATS + ["i32"]:
            kinds = [tensor(a, element), tensor(b, element)]
            for op in ["add", "sub"]:
                yield f"{op}_{element}_{index}", simple(op, kinds, tensor(joined(a, b), element))
            for mode in ["PROPAGATE", "IGNORE"]:
                for op in ["maximum", "minimum"]:
                    yield f"{op}_{mode}_{element}_{index}", extreme(op, mode, a, b, element)
            for op in ["equal", "greater", "greater_equal"]:
                yield f"{op}_{element}_{index}", simple(op, kinds, tensor(joined(a, b), "i1"))
        for element in INTEGERS:
            kinds = [tensor(a, element), tensor(b, element)]
            for op in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
                yield f"{op}_{element}_{index}", simple(op, kinds, tensor(joined(a, b), element))
        kinds = [tensor(a, "i1"), tensor(b, "i1")]
        for op in ["logical_and", "logical_or", "logical_xor"]:
            yield f"{op}_{index}", simple(op, kinds, tensor(joined(a, b), "i1"))
        for element in FLOATS + INTEGERS:
            kinds = [tensor([1, 1, a[2]], "i1"), tensor(a, element), tensor(b, element)]
            yield f"select_{element}_{index}", simple("select", kinds,
                                                      tensor(joined(a, b), element))
    for element in FLOATS:
        kind = tensor([3, 50], element)
        lines = [apply("abs", [("x0", kind)], [("p", kind)]),
                 apply("pow", [("p", kind), ("x1", kind)], [("y", kind)])]
        yield f"pow_{element}", function([("x0", kind), ("x1", kind)], [("y", kind)], lines)
    yield from shifts()
    yield from products()


def extreme(op, mode, a, b, element):
    """Floats get NaN: logarithms of negative numbers."""
    inputs = [("x0", tensor(a, element)), ("x1", tensor(b, element))]
    out = [("y", tensor(joined(a, b), element))]
    if element == "i32":
        return function(inputs, out, [apply(op, inputs, out)])
    logs = [("l0", inputs[0][1]), ("l1", inputs[1][1])]
    lines = [apply("log", [one], [log]) for one, log in zip(inputs, logs)]
    return function(inputs, out, lines + [apply(op, logs, out, f"nan_mode = {mode}")])


def shifts():
    for element in INTEGERS:
        kind = tensor([400], element)
        bits = int(element[1:]) - 1
        mask = [constant("m", bits, [1], element),
                apply("bitwise_and", [("x1", kind), ("m", tensor([1], element))], [("s", kind)])]
        inputs = [("x0", kind), ("x1", kind)]
        for op, attributes in [("logical_left_shift", ""), ("logical_right_shift", ""),
                               ("arithmetic_right_shift", "round = false"),
                               ("arithmetic_right_shift", "round = true")]:
            name = f"{op}_{attributes[8:]}_{element}".replace("__", "_")
            yield name, function(inputs, [("y", kind)], [
                *mask, apply(op, [("x0", kind), ("s", kind)], [("y", kind)], attributes)])
    kind = tensor([400], "i32")
    odd = [constant("m", 1, [1], "i32"),
           apply("bitwise_or", [("x1", kind), ("m", tensor([1], "i32"))], [("d", kind)])]
    yield "intdiv", function([("x0", kind), ("x1", kind)], [("y", kind)], [
        *odd, apply("intdiv", [("x0", kind), ("d", kind)], [("y", kind)])])


def products():
    shift = ("s", tensor([1], "i8"))
    for element, result in [("i8", "i32"), ("i16", "i32"), ("i32", "i32"), ("f32", "f32"),
                            ("f16", "f16"), ("bf16", "bf16")]:
        for index, (a, b) in enumerate(PAIRS):
            yield f"mul_{element}_{index}", simple(
                "mul", [tensor(a, element), tensor(b, element)], tensor(joined(a, b), result), "",
                [constant("s", 0, [1], "i8")], [shift])
    for bits in [1, 7, 31, 40]:
        kind = tensor([500], "i32")
        yield f"mul_shift_{bits}", simple("mul", [kind, kind], kind, "",
                                          [constant("s", bits, [1], "i8")], [shift])


def casts():
    names = FLOATS + INTEGERS + ["i1"]
    for a in names:
        for b in names:
            if a != b:
                yield f"cast_{a}_{b}", simple("cast", [tensor([3, 100], a)], tensor([3, 100], b))
    for scale, name in [("1.0e+3", "large"), ("1.0e+10", "huge")]:
        for b in INTEGERS:
            kind = tensor([200], "f32")
            yield f"cast_{name}_f32_{b}", function([("x0", kind)], [("y", tensor([200], b))], [
                constant("f", scale, [1], "f32"), constant("s", 0, [1], "i8"),
                apply("mul", [("x0", kind), ("f", tensor([1], "f32")), ("s", tensor([1], "i8"))],
                      [("p", kind)]),
                apply("cast", [("p", kind)], [("y", tensor([200], b))])])


RESCALES = [
    # in, out, input zero point, output zero point, in unsigned, out unsigned
    ("i8", "i8", -3, 17, False, False), ("i8", "i16", 5, 0, False, False),
    ("i8", "i32", -128, 0, False, False), ("i16", "i8", 0, -100, False, False),
    ("i16", "i16", 0, 0, False, False), ("i16", "i32", 0, 0, False, False),
    ("i32", "i8", 0, 127, False, False), ("i32", "i16", 0, 0, False, False),
    ("i32", "i32", 0, 0, False, False), ("i8", "i8", -100, 3, True, False),
    ("i8", "i8", 3, -100, False, True),
]


def rescale(case, multipliers, shifts, mode, scale32, per_channel):
    a, b, a_zero, b_zero, a_unsigned, b_unsigned = case
    count = len(multipliers)
    wide = "i32" if scale32 else "i16"
    operands = [("m", tensor([count], wide)), ("s", tensor([count], "i8")), ("a", tensor([1], a)),
                ("b", tensor([1], b))]
    attributes = (f"input_unsigned = {str(a_unsigned).lower()}, output_unsigned = "
                  f"{str(b_unsigned).lower()}, per_channel = {str(per_channel).lower()}, "
                  f"rounding_mode = {mode}, scale32 = {str(scale32).lower()}")
    return simple("rescale", [tensor([40, 4], a)], tensor([40, 4], b), attributes,
                  [constant("m", multipliers, [count], wide), constant("s", shifts, [count], "i8"),
                   constant("a", a_zero, [1], a), constant("b", b_zero, [1], b)], operands)


def rescales():
    for index, case in enumerate(RESCALES):
        name = f"rescale_{case[0]}_{case[1]}_{index}"
        for mode in ["SINGLE_ROUND", "DOUBLE_ROUND"]:
            for shift in [30, 31, 32, 45]:
                yield f"{name}_{mode}_{shift}", rescale(case, [1518500250], [shift], mode, True, False)
            yield f"{name}_{mode}_channels", rescale(
                case, [1073741824, 2147483647, 1500000001, 1], [33, 40, 29, 2], mode, True, True)
        if case[0] != "i32":
            yield f"{name}_16", rescale(case, [19661], [15], "SINGLE_ROUND", False, False)


def tables():
    entries = [(i * 37 + 11) % 256 - 128 for i in range(256)]
    kind = tensor([600], "i8")
    yield "table_i8", simple("table", [kind], kind, "", [constant("t", entries, [256], "i8")],
                             [("t", tensor([256], "i8"))])
    entries = [(i * 127 - 32000) for i in range(513)]
    yield "table_i16", simple("table", [tensor([3000], "i16")], tensor([3000], "i32"), "",
                              [constant("t", entries, [513], "i16")], [("t", tensor([513], "i16"))])


def reductions():
    for axis in range(3):
        shape = [3, 40, 7]
        out = [1 if i == axis else length for i, length in enumerate(shape)]
        for op in ["reduce_all", "reduce_any"]:
            yield f"{op}_{axis}", simple(op, [tensor(shape, "i1")], tensor(out, "i1"),
                                         f"axis = {axis} : i32")
        for element in FLOATS + ["i32"]:
            kinds = [tensor(shape, element)], tensor(out, element), f"axis = {axis} : i32"
            yield f"reduce_sum_{element}_{axis}", simple("reduce_sum", *kinds)
            if element != "i32":
                yield f"reduce_product_{element}_{axis}", simple("reduce_product", *kinds)
        for element in FLOATS + INTEGERS:
            for op in ["reduce_max", "reduce_min"]:
                yield f"{op}_{element}_{axis}", simple(
                    op, [tensor(shape, element)], tensor(out, element), f"axis = {axis} : i32")
        for element in FLOATS + ["i8", "i16"]:
            rest = [length for i, length in enumerate(shape) if i != axis]
            yield f"argmax_{element}_{axis}", simple(
                "argmax", [tensor(shape, element)], tensor(rest, "i32"), f"axis = {axis} : i32")
    for mode in ["PROPAGATE", "IGNORE"]:
        for op in ["reduce_max", "reduce_min"]:
            kind = tensor([30, 4], "f32")
            out = tensor([30, 1], "f32")
            yield f"{op}_nan_{mode}", function([("x0", kind)], [("y", out)], [
                apply("log", [("x0", kind)], [("l", kind)]),
                apply(op, [("l", kind)], [("y", out)], f"axis = 1 : i32, nan_mode = {mode}")])
        kind = tensor([30, 4], "f32")
        yield f"argmax_nan_{mode}", function([("x0", kind)], [("y", tensor([30], "i32"))], [
            apply("log", [("x0", kind)], [("l", kind)]),
            apply("argmax", [("l", kind)], [("y", tensor([30], "i32"))],
                  f"axis = 1 : i32, nan_mode = {mode}")])


def movement():
    for element in ["f32", "bf16", "i8", "i16", "i32", "i1"]:
        kind = tensor([3, 5, 7], element)
        yield f"concat_{element}", simple("concat", [kind, tensor([3, 2, 7], element)],
                                          tensor([3, 7, 7], element), "axis = 1 : i32")
        yield f"pad_{element}", simple(
            "pad", [kind], tensor([4, 10, 8], element), "",
            [shape_constant("p", [1, 0, 2, 3, 0, 1]),
             constant("v", "true" if element == "i1" else "1.5" if "f" in element else "-9", [1],
                      element)],
            [("p", "!tosa.shape<6>"), ("v", tensor([1], element))])
        yield f"reshape_{element}", simple("reshape", [kind], tensor([5, 21], element), "",
                                           [shape_constant("s", [5, 21])], [("s", "!tosa.shape<2>")])
        for axis in range(3):
            yield f"reverse_{element}_{axis}", simple("reverse", [kind], kind, f"axis = {axis} : i32")
        yield f"slice_{element}", simple(
            "slice", [kind], tensor([1, 3, 6], element), "",
            [shape_constant("a", [2, 1, 0]), shape_constant("b", [1, 3, 6])],
            [("a", "!tosa.shape<3>"), ("b", "!tosa.shape<3>")])
        yield f"tile_{element}", simple("tile", [kind], tensor([6, 5, 21], element), "",
                                        [shape_constant("m", [2, 1, 3])], [("m", "!tosa.shape<3>")])
        yield f"transpose_{element}", simple("transpose", [kind], tensor([7, 3, 5], element),
                                             "perms = array<i32: 2, 0, 1>")
        if element == "i1":
            continue
        indices = constant("i", [[0, 4, 4], [1, 3, 2]], [2, 3], "i32")
        yield f"gather_{element}", simple("gather", [tensor([2, 5, 7], element)],
                                          tensor([2, 3, 7], element), "", [indices],
                                          [("i", tensor([2, 3], "i32"))])


RESIZES = [
    # in, out, scale, offset, border
    ([4, 5], [8, 10], [4, 2, 4, 2], [-1, -1], [1, 1]), ([4, 4], [7, 7], [2, 1, 2, 1], [0, 0], [0, 0]),
    ([9, 6], [3, 2], [1, 3, 1, 3], [1, 1], [-1, -1]), ([5, 4], [9, 7], [4, 2, 4, 2], [1, 1], [1, 1]),
    ([1, 3], [3, 9], [6, 2, 6, 2], [-2, -2], [2, 2]),
]


def resizes():
    for index, (a, b, scale, offset, border) in enumerate(RESIZES):
        before = [shape_constant("s", scale), shape_constant("o", offset),
                  shape_constant("e", border)]
        more = [("s", "!tosa.shape<4>"), ("o", "!tosa.shape<2>"), ("e", "!tosa.shape<2>")]
        for element, wide in [("i8", "i32"), ("i16", "i48"), ("f32", "f32"), ("f16", "f16"),
                              ("bf16", "bf16")]:
            kind = tensor([2, *a, 3], element)
            yield f"resize_nearest_{element}_{index}", simple(
                "resize", [kind], tensor([2, *b, 3], element), "mode = NEAREST_NEIGHBOR", before, more)
            # MLIR takes the remainder of a negative position for a negative one.
            if min(offset) >= 0 or element == "f32":
                yield f"resize_bilinear_{element}_{index}", simple(
                    "resize", [kind], tensor([2, *b, 3], wide), "mode = BILINEAR", before, more)


POOLS = [
    # in, out, kernel, stride, pad
    ([9, 8], [4, 4], [3, 2], [2, 2], [0, 0, 0, 0]), ([7, 7], [7, 7], [3, 3], [1, 1], [1, 1, 1, 1]),
    ([6, 10], [2, 3], [5, 5], [3, 3], [1, 1, 1, 0]), ([5, 5], [1, 1], [5, 5], [1, 1], [0, 0, 0, 0]),
]


def numbers(name, values):
    return f"{name} = array<i64: {', '.join(map(str, values))}>"


def pools():
    for index, (a, b, kernel, stride, pad) in enumerate(POOLS):
        window = ", ".join([numbers("kernel", kernel), numbers("pad", pad), numbers("stride", stride)])
        for element in FLOATS + ["i8", "i16"]:
            kind, out = tensor([2, *a, 5], element), tensor([2, *b, 5], element)
            yield f"max_pool2d_{element}_{index}", simple("max_pool2d", [kind], out, window)
            sums = ["i32"] if element[0] == "i" else ["f16", "f32"] if element == "f16" else ["f32"]
            for acc in sums:
                values = [-5, 9] if element == "i8" else None
                yield f"avg_pool2d_{element}_{acc}_{index}", simple(
                    "avg_pool2d", [kind], out, f"acc_type = {acc}, {window}",
                    zero_points(["a", "b"], [element] * 2, values),
                    [("a", tensor([1], element)), ("b", tensor([1], element))])
    for mode in ["PROPAGATE", "IGNORE"]:
        kind, out = tensor([1, 6, 6, 3], "f32"), tensor([1, 3, 3, 3], "f32")
        yield f"max_pool2d_nan_{mode}", function([("x0", kind)], [("y", out)], [
            apply("log", [("x0", kind)], [("l", kind)]),
            apply("max_pool2d", [("l", kind)], [("y", out)],
                  "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, "
                  f"stride = array<i64: 2, 2>, nan_mode = {mode}")])


# input, weight, result, accumulator, zero points of input and weight
PRODUCTS = [("i8", "i8", "i32", "i32", -4, 7), ("i8", "i4", "i32", "i32", 3, 0),
            ("i16", "i8", "i48", "i48", 0, 0), ("f32", "f32", "f32", "f32", None, None),
            ("f16", "f16", "f16", "f32", None, None), ("f16", "f16", "f16", "f16", None, None),
            ("bf16", "bf16", "bf16", "f32", None, None)]

# operator, input, weight, result, attributes, channels of the bias
CONVOLUTIONS = [
    ("conv2d", [2, 9, 8, 3], [5, 3, 3, 3], [2, 9, 8, 5],
     "dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>"),
    ("conv2d", [1, 11, 10, 6], [9, 3, 2, 6], [1, 5, 5, 9],
     "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"),
    ("conv2d", [1, 12, 12, 4], [3, 3, 3, 4], [1, 10, 8, 3],
     "dilation = array<i64: 2, 2>, pad = array<i64: 2, 0, 0, 0>, stride = array<i64: 1, 1>"),
    ("conv2d", [3, 1, 1, 33], [17, 1, 1, 33], [3, 1, 1, 17],
     "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"),
    ("conv3d", [1, 5, 6, 7, 3], [4, 2, 3, 3, 3], [1, 4, 6, 5, 4],
     "dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 1, 1, 0, 0>, "
     "stride = array<i64: 1, 1, 1>"),
    ("depthwise_conv2d", [2, 9, 8, 5], [3, 3, 5, 1], [2, 9, 8, 5],
     "dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>"),
    ("depthwise_conv2d", [1, 9, 9, 3], [3, 3, 3, 4], [1, 4, 4, 12],
     "dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>"),
    ("transpose_conv2d", [1, 5, 6, 3], [4, 3, 3, 3], [1, 7, 8, 4],
     "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"),
    ("transpose_conv2d", [2, 5, 4, 3], [4, 3, 2, 3], [2, 11, 9, 4],
     "out_pad = array<i64: 0, 0, 1, 0>, stride = array<i64: 2, 2>"),
    ("transpose_conv2d", [1, 5, 4, 3], [2, 4, 4, 3], [1, 10, 8, 2],
     "out_pad = array<i64: -1, -1, -1, -1>, stride = array<i64: 2, 2>"),
]


def convolutions():
    for index, (op, shape, weight, out, attributes) in enumerate(CONVOLUTIONS):
        for a, b, result, acc, a_zero, b_zero in PRODUCTS:
            kinds = [tensor(shape, a), tensor(weight, b), tensor([out[-1]], result)]
            yield f"{op}_{index}_{a}_{b}_{acc}", simple(
                op, kinds, tensor(out, result), f"acc_type = {acc}, {attributes}",
                zero_points(["a", "b"], [a, b], [a_zero, b_zero]),
                [("a", tensor([1], a)), ("b", tensor([1], b))])
    op, shape, weight, out, attributes = CONVOLUTIONS[0]
    yield "conv2d_one_bias", simple(
        op, [tensor(shape, "i8"), tensor(weight, "i8"), tensor([1], "i32")], tensor(out, "i32"),
        f"acc_type = i32, {attributes}", zero_points(["a", "b"], ["i8", "i8"]),
        [("a", tensor([1], "i8")), ("b", tensor([1], "i8"))])


def matrices():
    for a, result, zeros in [("i8", "i32", [-9, 100]), ("i8", "i32", None), ("i16", "i48", None),
                             ("f32", "f32", None), ("f16", "f16", None), ("f16", "f32", None),
                             ("bf16", "f32", None)]:
        for shape in [(1, 4, 5, 6), (3, 17, 33, 9), (1, 1, 100, 1)]:
            n, h, c, w = shape
            name = f"matmul_{a}_{result}_{'x'.join(map(str, shape))}{'_zero' if zeros else ''}"
            yield name, simple(
                "matmul", [tensor([n, h, c], a), tensor([n, c, w], a)], tensor([n, h, w], result),
                "", zero_points(["a", "b"], [a, a], zeros),
                [("a", tensor([1], a)), ("b", tensor([1], a))])


def transforms():
    kind = tensor([2, 8, 16], "f32")
    for inverse in ["false", "true"]:
        inputs = [("x0", kind), ("x1", kind)]
        outputs = [("y", kind), ("z", kind)]
        yield f"fft2d_{inverse}", function(inputs, outputs, [
            apply("fft2d", inputs, outputs, f"inverse = {inverse}")])
    half = tensor([2, 8, 9], "f32")
    yield "rfft2d", function([("x0", kind)], [("y", half), ("z", half)], [
        apply("rfft2d", [("x0", kind)], [("y", half), ("z", half)])])


BRANCH = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>) {
    %0 = tosa.reduce_sum %a {axis = 0 : i32} : (tensor<4xf32>) -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.greater %0, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %s = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %c = tosa.reshape %2, %s : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
    %3 = tosa.cond_if %c (%x = %a, %y = %b) : tensor<i1> (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %4 = tosa.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tosa.yield %4 : tensor<4xf32>
    } else {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %4 = tosa.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      tosa.yield %4 : tensor<4xf32>
    }
    return %3 : tensor<4xf32>
}
"""

LOOP = """func.func @main(%a: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
    %0 = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %1:2 = tosa.while_loop (%i = %0, %x = %a) : (tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
      %2 = "tosa.const"() <{values = dense<7> : tensor<i32>}> : () -> tensor<i32>
      %3 = tosa.greater %2, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      tosa.yield %3 : tensor<i1>
    } do {
    ^bb0(%i: tensor<i32>, %x: tensor<3xi32>):
      %2 = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %3 = tosa.add %i, %2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %4 = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
      %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
      %5 = tosa.mul %x, %4, %s : (tensor<3xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<3xi32>
      tosa.yield %3, %5 : tensor<i32>, tensor<3xi32>
    }
    return %1#0, %1#1 : tensor<i32>, tensor<3xi32>
}
"""


def cases():
    for family in [unary, binary, casts, rescales, tables, reductions, movement, resizes, pools,
                   convolutions, matrices, transforms]:
        yield from family()
    yield "cond_if", BRANCH
    yield "while_loop", LOOP
