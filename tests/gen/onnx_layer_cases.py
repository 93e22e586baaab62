"""Layers in many shapes, types and versions: convolutions, poolings, products, normalizations, recurrent ones.

Cases as in onnx_opset_cases; ONNX Runtime tells what they give.
"""
import itertools

from onnx_opset_cases import *

LAYERS = []
RECIPES = []  # what the layers were made of


def layer(name, opset, operator, inputs, outputs=None, tolerance=1e-5, **attributes):
    """A network of one operator. `inputs` in its order, None where left out; outputs (name: element)."""
    names = ["-" if tensor is None else f"x{i}" for i, tensor in enumerate(inputs)]
    given = {label: tensor for label, tensor in zip(names, inputs) if tensor is not None}
    outputs = outputs or {"y": next(iter(given.values()))[0]}
    RECIPES.append((operator, opset, names, given, outputs, attributes, tolerance))
    LAYERS.append(Case(f"{opset}_{operator}_{name}_{len(LAYERS)}", opset,
                       [node(operator, " ".join(names), " ".join(outputs), **attributes)], given,
                       outputs, {}, None, None, tolerance))


def convolutions():
    shapes = [  # input, weights, attributes
        ([1, 3, 11], [4, 3, 3], {}),
        ([2, 4, 17], [6, 2, 5], {"group": 2, "pads": [3, 1], "strides": [2]}),
        ([1, 3, 9, 8], [5, 3, 3, 3], {"pads": [1, 2, 0, 1]}),
        ([1, 3, 9, 8], [5, 3, 3, 2], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ([1, 3, 9, 8], [5, 3, 2, 4], {"auto_pad": "SAME_LOWER", "strides": [1, 2]}),
        ([1, 3, 9, 8], [5, 3, 2, 4], {"auto_pad": "VALID", "dilations": [2, 2]}),
        ([2, 16, 12, 12], [16, 1, 3, 3], {"group": 16, "pads": [1, 1, 1, 1], "strides": [2, 2]}),
        ([1, 8, 10, 10], [24, 1, 3, 3], {"group": 8, "dilations": [2, 3], "pads": [2, 3, 2, 3]}),
        ([1, 32, 7, 7], [64, 32, 1, 1], {}),
        ([3, 32, 14, 14], [16, 32, 3, 3], {"pads": [1, 1, 1, 1]}),
        ([1, 2, 5, 6, 7], [4, 2, 2, 3, 2], {"pads": [0, 1, 1, 1, 0, 0], "strides": [1, 2, 1]}),
        ([1, 4, 6, 6, 6], [4, 1, 3, 3, 3], {"group": 4}),
        ([0, 3, 8, 8], [4, 3, 3, 3], {}),
    ]
    for x, w, attributes in shapes:
        for opset in (1, 11) if len(x) == 4 else (11,):
            layer("plain", opset, "Conv", [reals(x, 1), reals(w, 2)], tolerance=1e-4, **attributes)
        layer("bias", 11, "Conv", [reals(x, 1), reals(w, 2), reals(w[:1], 3)], tolerance=1e-4, **attributes)


def transposed_convolutions():
    shapes = [
        ([1, 3, 7], [3, 4, 3], {"strides": [2]}),
        ([2, 4, 5], [4, 3, 4], {"group": 2, "pads": [1, 2], "output_padding": [1], "strides": [3]}),
        ([1, 3, 4, 5], [3, 2, 3, 3], {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}),
        ([1, 3, 4, 5], [3, 2, 3, 3], {"strides": [2, 3], "output_shape": [10, 15]}),
        ([1, 3, 4, 5], [3, 2, 3, 3], {"strides": [2, 3], "output_shape": [8, 14], "auto_pad": "SAME_UPPER"}),
        ([1, 3, 4, 5], [3, 2, 3, 3], {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
        ([1, 3, 4, 5], [3, 2, 3, 3], {"strides": [2, 2], "auto_pad": "SAME_LOWER"}),
        ([1, 6, 4, 5], [6, 2, 2, 3], {"group": 3, "dilations": [2, 1]}),
        ([1, 2, 3, 4, 5], [2, 3, 2, 2, 3], {"strides": [2, 1, 2]}),
        ([1, 32, 8, 8], [32, 48, 4, 4], {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ]
    for x, w, attributes in shapes:
        outputs = w[1] * attributes.get("group", 1)
        layer("plain", 11, "ConvTranspose", [reals(x, 1), reals(w, 2)], tolerance=1e-4, **attributes)
        layer("bias", 11, "ConvTranspose", [reals(x, 1), reals(w, 2), reals([outputs], 3)], tolerance=1e-4,
              **attributes)


def deformable_convolutions():
    for element, tolerance in (("f32", 1e-4), ("f64", 1e-6)):
        for groups, offset_groups, masked in itertools.product((1, 2), (1, 4), (False, True)):
            real = lambda dims, seed, high=2.0: reals(dims, seed, -high, high, element)
            layer(element, 19, "DeformConv", [
                real([2, 4, 7, 6], 1), real([6, 4 // groups, 3, 2], 2), real([2, offset_groups * 12, 4, 6], 3),
                real([6], 4), real([2, offset_groups * 6, 4, 6], 5) if masked else None][:5 if masked else 4],
                tolerance=tolerance, kernel_shape=[3, 2], pads=[1, 1, 1, 0], strides=[2, 1], group=groups,
                offset_group=offset_groups)


WINDOWS = [
    ([2, 3, 13], {"kernel_shape": [3]}),
    ([2, 3, 13], {"kernel_shape": [4], "strides": [3], "pads": [1, 2]}),
    ([1, 2, 8, 9], {"kernel_shape": [3, 2], "strides": [2, 2]}),
    ([1, 2, 8, 9], {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ([1, 2, 8, 9], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ([1, 2, 8, 9], {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER", "strides": [2, 1]}),
    ([1, 2, 8, 9], {"kernel_shape": [2, 4], "auto_pad": "SAME_LOWER", "strides": [1, 2]}),
    ([1, 2, 8, 9], {"kernel_shape": [2, 4], "auto_pad": "VALID"}),
    ([1, 2, 6, 7, 8], {"kernel_shape": [2, 3, 2], "strides": [2, 1, 2], "pads": [0, 1, 0, 1, 1, 1]}),
]


def poolings():
    for (x, attributes), opset in itertools.product(WINDOWS, (11, 12)):
        layer("window", opset, "MaxPool", [reals(x, 4)], **attributes)
        layer("indices", opset, "MaxPool", [reals(x, 4)], {"y": "f32", "i": "i64"}, **attributes)
        if len(x) == 4:
            layer("columns", opset, "MaxPool", [reals(x, 4)], {"y": "f32", "i": "i64"}, storage_order=1,
                  dilations=[2, 1], kernel_shape=[2, 3], pads=[1, 0, 0, 1])
    for element, low in (("i8", -99), ("u8", 0)):
        for x, attributes in WINDOWS:
            layer("window", 12, "MaxPool", [integers(x, 5, low, 99, element)], **attributes)
    for (x, attributes), counted in itertools.product(WINDOWS, (0, 1)):
        layer("window", 11, "AveragePool", [reals(x, 4)], count_include_pad=counted, **attributes)
    for (x, attributes), power in itertools.product(WINDOWS, (1, 2, 3)):
        if "ceil_mode" not in attributes:
            layer("window", 11, "LpPool", [reals(x, 4)], p=power, **attributes)
    for x in ([2, 3, 7], [1, 4, 9, 5], [1, 2, 3, 4, 5]):
        for operator in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
            layer("whole", 2, operator, [reals(x, 6)])


def products():
    shapes = [([7], [7]), ([7], [7, 4]), ([5, 7], [7]), ([5, 7], [7, 4]), ([2, 5, 7], [7, 4]), ([5, 7], [3, 7, 4]),
              ([2, 1, 5, 7], [3, 7, 4]), ([2, 3, 5, 7], [2, 3, 7, 4]), ([1, 3, 5, 7], [2, 1, 7, 4]), ([7], [2, 7, 4]),
              ([2, 5, 7], [7]), ([0, 7], [7, 4]), ([1, 300], [300, 700]), ([200, 90], [90, 600])]
    for a, b in shapes:
        layer("shapes", 13, "MatMul", [reals(a, 1), reals(b, 2)], tolerance=1e-4)
    for element in ("i32", "u32", "i64", "u64"):
        low = 0 if element[0] == "u" else -99
        layer(element, 13, "MatMul", [integers([2, 4, 5], 1, low, 99, element), integers([5, 3], 2, low, 99, element)])
    layer("f64", 13, "MatMul", [reals([2, 4, 5], 1, element="f64"), reals([5, 3], 2, element="f64")])
    layer("f16", 13, "MatMul", [reals([2, 4, 5], 1, element="f16"), reals([5, 3], 2, element="f16")], tolerance=2e-3)
    addends = ([5, 4], [4], [1, 4], [5, 1], [1], [], [1, 1])
    for left, right, addend in itertools.product((0, 1), (0, 1), addends):
        a, b = [6, 5] if left else [5, 6], [4, 6] if right else [6, 4]
        layer("shapes", 13, "Gemm", [reals(a, 1), reals(b, 2), reals(addend, 3)], transA=left, transB=right,
              alpha=0.5, beta=2.0)
    layer("alone", 13, "Gemm", [reals([5, 6], 1), reals([6, 4], 2)], alpha=0.25)
    for element, tolerance in (("f64", 1e-9), ("f16", 2e-3)):
        layer(element, 13, "Gemm", [reals([5, 6], 1, element=element), reals([6, 4], 2, element=element),
                                    reals([4], 3, element=element)], alpha=0.5, tolerance=tolerance)
    for rank, n in itertools.product((0, 1, 2), (1, 2, 3, 6)):
        layer("matrices", 11, "Det", [reals([2, 3][:rank] + [n, n], n)], tolerance=1e-4)


def equations():
    for equation, *shapes in (
            ("ij->ji", [3, 4]), ("ij->", [3, 4]), ("ij->j", [3, 4]), ("ii->i", [4, 4]), ("ii->", [4, 4]),
            ("iij->j", [3, 3, 4]), ("iij->ji", [3, 3, 4]), ("...ij->...ji", [2, 3, 4]), ("i,j->ij", [3], [4]),
            ("i,i->", [5], [5]), ("i,i->i", [5], [5]), ("ij,jk->ik", [3, 4], [4, 5]), ("ij,jk", [3, 4], [4, 5]),
            ("ij,kj->ki", [3, 4], [5, 4]), ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]),
            ("bhid,bhjd->bhij", [2, 3, 4, 5], [2, 3, 6, 5]), ("bhij,bhjd->bihd", [2, 3, 4, 5], [2, 3, 5, 6]),
            ("...ij,...jk->...ik", [2, 3, 4], [2, 4, 5]), ("...ij,jk->...ik", [2, 2, 3, 4], [4, 5]),
            ("ijk,jil->kl", [3, 4, 5], [4, 3, 2]), ("i,ij,j->", [3], [3, 4], [4]),
            ("ij,jk,kl->il", [2, 3], [3, 4], [4, 5]), ("ab,cd,ac->bd", [2, 3], [4, 5], [2, 4]),
            ("bn,anm,bm->ba", [2, 3], [4, 3, 5], [2, 5]), ("b...,b...->b...", [2, 3, 4], [2, 3, 4]),
            ("abc,cd->abd", [2, 3, 4], [4, 5]), ("ji", [3, 4]), ("...", [3, 4]), ("i , j -> i j", [3], [4])):
        layer("equation", 12, "Einsum", [reals(dims, i) for i, dims in enumerate(shapes)], {"y": "f32"},
              tolerance=1e-4, equation=equation)
    for element in ("f64", "i32", "i64"):
        make = reals if element == "f64" else integers
        layer(element, 12, "Einsum", [make([3, 4], 1, element=element), make([4, 5], 2, element=element)],
              {"y": element}, equation="ij,jk->ki")


def normalizations():
    for x in ([4, 3], [2, 3, 5], [2, 3, 4, 5], [2, 3, 2, 3, 4]):
        parameters = [reals([3], 2), reals([3], 3), reals([3], 4), reals([3], 5, 0.1, 2.0)]
        for opset in (7, 9, 14, 15):
            layer("test", opset, "BatchNormalization", [reals(x, 1), *parameters], epsilon=1e-3)
        layer("training", 15, "BatchNormalization", [reals(x, 1), *parameters],
              {"y": "f32", "mean": "f32", "variance": "f32"}, training_mode=1, momentum=0.7, tolerance=1e-4)
        if len(x) > 2:
            layer("instances", 6, "InstanceNormalization", [reals(x, 1), *parameters[:2]], epsilon=1e-3,
                  tolerance=1e-4)
        for axis in range(-len(x), len(x)):
            shape = x[axis:]
            outputs = {"y": "f32", "mean": "f32", "inverse": "f32"} if axis >= 0 else {"y": "f32"}
            layer("axis", 17, "LayerNormalization", [reals(x, 1), reals(shape, 2), reals(shape, 3)], outputs,
                  axis=axis, tolerance=1e-4)
        layer("no_bias", 17, "LayerNormalization", [reals(x, 1), reals(x[-1:], 2)], tolerance=1e-4)
        for power, axis in itertools.product((1, 2), range(-1, len(x))):
            layer("axis", 1, "LpNormalization", [reals(x, 1)], p=power, axis=axis)
    for size, channels in itertools.product((1, 3, 5), (3, 9)):
        layer("size", 13, "LRN", [reals([2, channels, 4, 3], 1)], size=size, alpha=0.5, beta=0.6, bias=1.5)
    layer("usual", 13, "MeanVarianceNormalization", [reals([2, 3, 4, 5], 1)], tolerance=1e-4)
    for axes in ([0], [1, 2], [-1], [0, 1, 2, 3], [1, 3]):
        layer("axes", 13, "MeanVarianceNormalization", [reals([6, 3, 4, 5], 1)], axes=axes, tolerance=1e-4)
    for element, tolerance in (("f16", 4e-3), ("f64", 1e-6)):
        layer(element, 17, "LayerNormalization", [reals([4, 6], 1, element=element), reals([6], 2, element=element),
                                                  reals([6], 3, element=element)], tolerance=tolerance)


GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STATES = {"RNN": ["h"], "GRU": ["h"], "LSTM": ["h", "c"]}


def recurrent(name, operator, steps=4, batch=3, width=5, hidden=6, bias=True, states=False, lengths=None,
              peepholes=False, opset=14, element="f32", tolerance=1e-5, **attributes):
    d, gates = 2 if attributes.get("direction") == "bidirectional" else 1, GATES[operator]
    real = lambda dims, seed: reals(dims, seed, -0.8, 0.8, element)
    inputs = [real([steps, batch, width], 1), real([d, gates * hidden, width], 2),
              real([d, gates * hidden, hidden], 3), real([d, 2 * gates * hidden], 4) if bias else None,
              ("i32", [batch], lengths) if lengths else None, real([d, batch, hidden], 5) if states else None]
    if operator == "LSTM":
        inputs += [real([d, batch, hidden], 6) if states else None, real([d, 3 * hidden], 7) if peepholes else None]
    while inputs[-1] is None:
        inputs.pop()
    outputs = {"y": element, **{f"y_{state}": element for state in STATES[operator]}}
    layer(name, opset, operator, inputs, outputs, hidden_size=hidden, tolerance=tolerance, **attributes)


ACTIVATIONS = {
    "RNN": [["Relu"], ["Sigmoid"], ["Softsign"], ["Softplus"], ["Elu"], ["HardSigmoid"], ["LeakyRelu"],
            ["ThresholdedRelu"], ["ScaledTanh"], ["Affine"]],
    "GRU": [["HardSigmoid", "Softsign"], ["Sigmoid", "Relu"], ["Tanh", "Elu"]],
    "LSTM": [["HardSigmoid", "Softsign", "Tanh"], ["Sigmoid", "Relu", "Elu"], ["Tanh", "Tanh", "Sigmoid"]],
}
ALPHA = {"Elu": 0.7, "HardSigmoid": 0.3, "LeakyRelu": 0.2, "ThresholdedRelu": 0.1, "ScaledTanh": 0.9, "Affine": 0.6}
BETA = {"HardSigmoid": 0.4, "ScaledTanh": 1.1, "Affine": 0.1}


def recurrent_layers():
    for operator in GATES:
        for direction in ("forward", "reverse", "bidirectional"):
            recurrent("plain", operator, direction=direction)
            recurrent("states", operator, direction=direction, states=True)
            recurrent("lengths", operator, direction=direction, states=True, lengths=[4, 2, 1])
        recurrent("no_bias", operator, bias=False)
        recurrent("clip", operator, clip=0.3, states=True)
        recurrent("old", operator, opset=7, states=True)
        recurrent("large", operator, steps=3, batch=1, width=70, hidden=130, tolerance=1e-4)
        for names in ACTIVATIONS[operator]:
            recurrent("activations", operator, activations=names,
                      activation_alpha=[ALPHA[name] for name in names if name in ALPHA] or [0.0],
                      activation_beta=[BETA[name] for name in names if name in BETA] or [0.0], tolerance=1e-4)
    recurrent("linear", "GRU", linear_before_reset=1, states=True)
    recurrent("linear_both", "GRU", linear_before_reset=1, direction="bidirectional", lengths=[1, 4, 3])
    recurrent("linear_no_bias", "GRU", linear_before_reset=1, bias=False)
    recurrent("peepholes", "LSTM", peepholes=True, states=True)
    recurrent("peepholes_both", "LSTM", peepholes=True, states=True, direction="bidirectional")
    recurrent("coupled", "LSTM", input_forget=1, states=True)


for group in (convolutions, transposed_convolutions, deformable_convolutions, poolings, products, equations, normalizations,
              recurrent_layers):
    group()


def narrow_pairs(element, each=3):
    """Networks that compute layers in f16 or bf16, each with one that computes in f32 and rounds at the end.

    Up to `each` for every operator.
    """
    taken = {}
    for operator, opset, names, given, outputs, attributes, _ in RECIPES:
        f32 = all(tensor[0] in ("f32", "i32") for tensor in given.values()) and set(outputs.values()) == {"f32"}
        statistics = operator in ("LayerNormalization", "BatchNormalization") and len(outputs) > 1
        if not f32 or statistics or taken.setdefault(operator, 0) == each:
            continue
        taken[operator] += 1
        inputs = {name: tensor for name, tensor in given.items()}
        pair = []
        for wide in (True, False):
            nodes, used = [], []
            for name in names:
                if name == "-" or given[name][0] != "f32":
                    used.append(name)
                    continue
                nodes.append(cast(name, f"{name}n", element))
                if wide:
                    nodes.append(cast(f"{name}n", f"{name}w", "f32"))
                used.append(f"{name}{'w' if wide else 'n'}")
            nodes.append(node(operator, " ".join(used), " ".join(f"{name}_" for name in outputs), **attributes))
            for name in outputs:
                if wide:
                    nodes.append(cast(f"{name}_", f"{name}_n", element))
                nodes.append(cast(f"{name}_n" if wide else f"{name}_", name, "f32"))
            pair.append(Case(f"{element}_{operator}_{taken[operator]}", 21 if opset > 13 else 13, nodes, inputs, outputs,
                             {}, None, None, {"f16": 2 ** -10, "bf16": 2 ** -7}[element]))
        yield pair
