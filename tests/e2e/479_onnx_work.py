"""The work of ONNX's arithmetic is what docs/work.md says, row by row."""
from support import *
from onnx_writer import *

SECTIONS = ["Functions of one number", "Functions of several numbers", "Reductions", "Random numbers"]
X = ("f32", [2, 3, 4])
IMAGE = ("f32", [1, 2, 3, 4])

# What an operator takes when it is not X: its inputs, its attributes.
INPUTS = {
    "Not": [("bool", [2, 3, 4])], "BitwiseNot": [("i32", [5])], "CastLike": [X, ("i8", [1])],
    "Where": [("bool", [4]), X, X], "Max": [X] * 3, "Min": [X] * 3, "Sum": [X] * 4, "Mean": [X] * 3,
    "CumSum": [X, ("i64", [])], "Multinomial": [("f32", [2, 7])], "RandomNormal": [], "RandomUniform": [],
    "Crop": [IMAGE], "ImageScaler": [IMAGE],
}
INPUTS.update({name: [("bool", [2, 3]), ("bool", [3])] for name in ("And", "Or", "Xor")})
INPUTS.update({name: [("u8", [2, 3]), ("u8", [3])] for name in
               ("BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor")})
ATTRIBUTES = {
    "Cast": {"to": 6}, "BitShift": {"direction": "LEFT"}, "Crop": {"border": [1, 1, 0, 0]},
    "ImageScaler": {"bias": [1.0, 2.0]}, "ArgMax": {"axis": 1}, "ArgMin": {"axis": 1},
    "Multinomial": {"sample_size": 5}, "RandomNormal": {"shape": [3, 5]}, "RandomUniform": {"shape": [3, 5]},
}
FIRST_SET = ["Affine", "Crop", "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh"]


def rows():
    """Pairs of a formula and an operator, by section."""
    text = (ROOT / "docs/work.md").read_text(encoding="utf-8")
    for section in SECTIONS:
        body = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL).group(1)
        for formula, names in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", body, re.MULTILINE):
            for name in re.sub(r":.*", "", names).split(", "):
                if formula not in ("FLOPs", "---"):
                    yield section, formula, name


def value_of(formula, names):
    """'2m + 4n' as a number."""
    python = re.sub(r"(\d|\)) ?(?=[mn]\b)", r"\1 * ", formula).replace(" x ", " * ")
    return eval(python, {}, names)  # the document is ours


def figures(folder, section, name):
    """What `opscope model` says of one node."""
    several = section == "Functions of several numbers"
    inputs = INPUTS.get(name, [X, ("f32", [4])] if several else [X])
    attributes = dict(ATTRIBUTES.get(name, {}))
    opset = 1 if name in FIRST_SET else 20
    if name.startswith("Reduce"):
        opset, attributes["axes"] = 11, [1]
    names = [f"x{i}" for i in range(len(inputs))]
    graph = make_graph([make_node(name, names, ["y"], **attributes)],
                       [make_value(*pair) for pair in zip(names, *zip(*inputs))] if inputs else [],
                       [make_value("y")])
    path = write(folder / "m.onnx", make_model(graph, opset=opset))
    said = json.loads(opscope("model", "--json", path).out)
    return inputs, said["operators"][0]


def test_every_row(folder):
    seen = 0
    for section, formula, name in rows():
        inputs, figure = figures(folder, section, name)
        first = 1
        for length in inputs[0][1] if inputs else [0]:
            first *= length
        known = {"n": figure["elements"], "m": first, "inputs": len(inputs),
                 "classes": inputs[0][1][-1] if inputs and inputs[0][1] else 0}
        equal(figure["flops"], value_of(formula, known), f"FLOPs of {name}, {formula}")
        equal(figure["macs"], 0, f"MACs of {name}")
        seen += 1
    true(seen > 90, f"only {seen} operators in the document")


def test_every_operator_that_counts_steps_has_a_row():
    text = (ROOT / "docs/work.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\w+", text))
    for source in sorted((ROOT / "src/network/onnx").glob("*.c")):
        for name, values in re.findall(r'\.name = "(\w+)",([^"]*)', source.read_text(encoding="utf-8")):
            if ".flops = " in values:
                true(name in named, f"docs/work.md does not say how the work of {name} is counted")


main()
