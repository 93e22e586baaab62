"""Rows and tiles: values are laid out anew where an engine needs them otherwise, and nowhere else."""

import re
import struct

from support import *

sys.path.append(str(ROOT / "tests/tools"))
sys.path.append(str(ROOT / "tests"))
import equality
import program_checker as checker
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value

TO, WEIGHTS, FROM = "to_tiles", "weights_to_tiles", "from_tiles"
RATES = {TO: 4.45, WEIGHTS: 3.25, FROM: 8}  # elements a cycle of a thread, as targets/aic100.target says


def weights(name="w", dims=(64, 64), element="f16"):
    return make_tensor(name, element, list(dims), [((k * 37) % 19 - 9) / 64 for k in range(dims[0] * dims[1])])


def network(folder, nodes, inputs, outputs, constants=(), element="f16", name="model.onnx"):
    graph = make_graph([make_node(kind, *words, name=f"/{kind}{i}", **more)
                        for i, (kind, words, more) in enumerate(nodes)],
                       [make_value(key, element, dims) for key, dims in inputs],
                       [make_value(key, element, dims) for key, dims in outputs], list(constants))
    return write(folder / name, make_model(graph))


def node(kind, inputs, outputs, **attributes):
    return kind, (inputs, outputs), attributes


def compiled(folder, model, target="aic100", *options):
    path = folder / "program.opx"
    opscope("compile", model, "-t", target, "-o", path, *options)
    return path, opscope("program", path, "--json").json()


def groups(listed):
    return [group["type"] for group in listed["groups"]]


SQUARE = [64, 64]

# What, nodes, inputs, outputs, constants, the groups that there are.
CASES = [
    ("a product", [node("MatMul", ["x", "w"], ["y"])], [("x", SQUARE)], [("y", SQUARE)], [weights()],
     [TO, "MatMul", FROM]),
    ("of two that are computed", [node("MatMul", ["x", "v"], ["y"])], [("x", SQUARE), ("v", SQUARE)],
     [("y", SQUARE)], [], [TO, WEIGHTS, "MatMul", FROM]),
    ("a value that is both factors", [node("MatMul", ["x", "x"], ["y"])], [("x", SQUARE)], [("y", SQUARE)], [],
     [TO, "MatMul", FROM]),
    ("what is elementwise lies as it comes",
     [node("MatMul", ["x", "w"], ["a"]), node("Tanh", ["a"], ["b"]), node("MatMul", ["b", "w"], ["y"])],
     [("x", SQUARE)], [("y", SQUARE)], [weights()], [TO, "MatMul", "Tanh", "MatMul", FROM]),
    ("a turn needs rows",
     [node("MatMul", ["x", "w"], ["a"]), node("Transpose", ["a"], ["b"], perm=[1, 0]), node("MatMul", ["b", "w"], ["y"])],
     [("x", SQUARE)], [("y", SQUARE)], [weights()], [TO, "MatMul", FROM, "Transpose", TO, "MatMul", FROM]),
    ("parts are joined in tiles",
     [node("MatMul", ["x", "w"], ["a"]), node("MatMul", ["x", "u"], ["b"]), node("Concat", ["a", "b"], ["c"], axis=0),
      node("MatMul", ["c", "w"], ["y"])],
     [("x", SQUARE)], [("y", [128, 64])], [weights(), weights("u")], [TO, "MatMul", "MatMul", "Concat", "MatMul", FROM]),
    ("a view with other sides",
     [node("MatMul", ["x", "w"], ["a"]), node("Reshape", ["a", "s"], ["b"]), node("MatMul", ["b", "u"], ["y"])],
     [("x", SQUARE)], [("y", [32, 64])], [weights(), weights("u", (128, 64)), make_tensor("s", "i64", [2], [32, 128])],
     [TO, "MatMul", FROM, "Reshape", TO, "MatMul", FROM]),
    ("a view with the same sides",
     [node("MatMul", ["x", "w"], ["a"]), node("Reshape", ["a", "s"], ["b"]), node("MatMul", ["b", "w"], ["y"])],
     [("x", SQUARE)], [("y", [1, 64, 64])], [weights(), make_tensor("s", "i64", [3], [1, 64, 64])],
     [TO, "MatMul", "Reshape", "MatMul", FROM]),
    ("one is enough for two readers",
     [node("MatMul", ["x", "w"], ["a"]), node("MatMul", ["x", "u"], ["b"]), node("Add", ["a", "b"], ["y"])],
     [("x", SQUARE)], [("y", SQUARE)], [weights(), weights("u")], [TO, "MatMul", "MatMul", "Add", FROM]),
    ("a row lies in both ways", [node("MatMul", ["x", "w"], ["y"])], [("x", [1, 64])], [("y", [1, 64])], [weights()],
     ["MatMul"]),
    ("no product", [node("Tanh", ["x"], ["y"])], [("x", SQUARE)], [("y", SQUARE)], [], ["Tanh"]),
    ("a constant for both",
     [node("MatMul", ["x", "w"], ["a"]), node("Transpose", ["w"], ["b"], perm=[1, 0]), node("Add", ["w", "x"], ["c"]),
      node("Transpose", ["c"], ["d"], perm=[1, 0]), node("Add", ["d", "b"], ["z"])],
     [("x", SQUARE)], [("a", SQUARE), ("z", SQUARE)], [weights()], None),
]

LONG = 140000  # of 32 such rows no part fits the memory of a core
NOWHERE = [
    ("a product",
     [node("MatMul", ["x", "v"], ["a"]), node("Tanh", ["a"], ["b"]), node("MatMul", ["b", "w"], ["y"])],
     [("x", [64, LONG]), ("v", [LONG, 64])], [("y", SQUARE)], [weights()],
     [("MatMul", "host"), ("Tanh", "hvx"), (TO, "hvx"), ("MatMul", "hmx"), (FROM, "hvx")]),
    ("a reduction of what a product gives",
     [node("MatMul", ["x", "w"], ["a"]), node("ReduceMax", ["a"], ["m"]), node("Add", ["m", "z"], ["y"])],
     [("x", [LONG, 64]), ("z", [1, 1])], [("y", [1, 1])], [weights()],
     [(TO, "hvx"), ("MatMul", "hmx"), (FROM, "hvx"), ("ReduceMax", "host"), ("Add", "hvx")]),
    ("two of them, one after the other",
     [node("MatMul", ["x", "v"], ["a"]), node("MatMul", ["z", "w"], ["b"]), node("ReduceMax", ["b"], ["m"]),
      node("MatMul", ["a", "w"], ["c"]), node("Add", ["c", "m"], ["y"])],
     [("x", [64, LONG]), ("v", [LONG, 64]), ("z", [LONG, 64])], [("y", SQUARE)], [weights()],
     [("MatMul", "host"), (TO, "hvx"), (TO, "hvx"), ("MatMul", "hmx"), (FROM, "hvx"), ("ReduceMax", "host"),
      ("MatMul", "hmx"), ("Add", "hvx"), (FROM, "hvx")]),
]


def test_where_it_is_due(folder):
    for what, nodes, inputs, outputs, constants, expected in CASES:
        path, listed = compiled(folder, network(folder, nodes, inputs, outputs, constants))
        if expected is not None:
            equal(groups(listed), expected, what)
        contains(opscope("verify", path).out, "proved", what)
        checker.check(path.read_bytes())
        constant = [i for i, value in enumerate(listed["values"]) if value["kind"] == "constant"]
        laid = [operand["buffer"] for task in listed["tasks"]
                if task["engine"] == "hvx" and listed["groups"][task["group"]]["type"] in RATES
                for operand in task["operands"]]
        true(not {listed["buffers"][buffer].get("value") for buffer in laid} & set(constant),
             f"{what}: constants are laid out before")


def test_floats_are_not_for_the_matrix_unit(folder):
    _, nodes, inputs, outputs, _, _ = CASES[0]
    _, listed = compiled(folder, network(folder, nodes, inputs, outputs, [weights(element="f32")], element="f32"))
    equal(groups(listed), ["MatMul"], "on vector threads")


def test_images(folder):
    """Convolutions, what scales and adds, and pooling hand images on as they lie."""
    kernel = make_tensor("k", "f16", [32, 32, 3, 3], [((k * 37) % 19 - 9) / 64 for k in range(32 * 32 * 9)])
    pads = {"pads": [1, 1, 1, 1]}
    model = network(folder, [node("Conv", ["x", "k"], ["a"], **pads), node("Relu", ["a"], ["b"]),
                             node("Conv", ["b", "k"], ["c"], **pads), node("Add", ["c", "b"], ["d"]),
                             node("MaxPool", ["d"], ["e"], kernel_shape=[2, 2], strides=[2, 2]),
                             node("Conv", ["e", "k"], ["y"], **pads)],
                    [("x", [1, 32, 16, 16])], [("y", [1, 32, 8, 8])], [kernel])
    path, listed = compiled(folder, model)
    found = groups(listed)
    equal((found[0], found[-1], sum(kind in RATES for kind in found)), (TO, FROM, 2), f"at the ends: {found}")
    checker.check(path.read_bytes())


def test_what_fits_nowhere_goes_to_the_host(folder):
    """It is found out when groups are cut, after values were laid out for where the group was placed."""
    for what, nodes, inputs, outputs, constants, expected in NOWHERE:
        path, listed = compiled(folder, network(folder, nodes, inputs, outputs, constants))
        found = [(group["type"], group["engine"]) for group in listed["groups"]]
        equal(found, expected, what)
        contains(opscope("program", path, "--groups").out, "no part of it fits", what)
        contains(opscope("verify", path).out, "proved", what)
        checker.check(path.read_bytes())


def test_the_network_says_which_values(folder):
    """Inputs and outputs lie in rows; the file is of a version that says so."""
    _, nodes, inputs, outputs, constants, _ = CASES[3]
    path, listed = compiled(folder, network(folder, nodes, inputs, outputs, constants))
    tiles = [value["name"] for value in listed["values"] if value.get("layout") == "tiles"]
    equal(sorted(tiles), ["a", "b", "w", "x.tiles", "y.tiles"], "in tiles")
    equal([value["name"] for value in listed["values"] if "layout" not in value and value["kind"] != "constant"],
          ["x", "y"], "in rows")
    equal(struct.unpack_from("<I", path.read_bytes(), 8)[0], 4, "version")
    contains(opscope("program", path, "--values").out, '"a" in tiles', "printed")
    _, nodes, inputs, outputs, constants, _ = CASES[10]
    path, _ = compiled(folder, network(folder, nodes, inputs, outputs, constants))
    equal(struct.unpack_from("<I", path.read_bytes(), 8)[0], 2, "version without")


def test_lying_otherwise_is_refused_by_both(folder):
    for case in (3, 4, 6):
        _, nodes, inputs, outputs, constants, _ = CASES[case]
        path, listed = compiled(folder, network(folder, nodes, inputs, outputs, constants))
        for i, value in enumerate(listed["values"]):
            data = bytearray(path.read_bytes())
            checker.put(data, "values", i, "layout", 0 if "layout" in value else 1)
            checker.sign(data)
            other = write(folder / "altered.opx", bytes(data))
            matches(opscope("verify", other, code=1).err, r"(rows|tiles|lays nothing out anew)", f"value {i}")
            try:
                checker.check(bytes(data))
                raise Failure(f"{value} lies otherwise, and the checker proves it")
            except checker.Wrong as wrong:
                contains(str(wrong), "rule 18", f"value {i}")


def test_prices(folder):
    """Elements at the published rates, on each of four threads."""
    for kind, rate in RATES.items():
        said = opscope("targets", "aic100", "--explain", f"layout.{kind}", "384x768xf16").out
        cycles = int(re.search(r"=\s+([\d ]+?)  cycles", said)[1].replace(" ", ""))
        equal(cycles, 100 + -(-384 * 768 * 100 // round(rate * 100)), kind)


def test_networks_compute_the_same(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    paths = []
    for i, (_, nodes, inputs, outputs, constants, _) in enumerate(CASES + NOWHERE):
        (folder / str(i)).mkdir()
        paths.append(network(folder / str(i), nodes, inputs, outputs, constants, name="model.onnx"))
    for target in ("aic100", "aic100-ultra"):
        equal(equality.check(target, "layouts", paths), [], target)


def test_vendors_names(folder):
    """In summaries and traces, and as a bound of its own in the report."""
    _, nodes, inputs, outputs, constants, _ = CASES[4]
    network(folder, nodes, inputs, outputs, constants)
    run(program("qaic-compile"), "-m=model.onnx", "-aic-binary-dir=b", "-stats-level=100", "-aic-num-cores=2", cwd=folder)
    (folder / "s").mkdir()
    run(program("qaic-runner"), "-t", "b", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s", "-n", "1",
        "--aic-profiling-num-samples=1", cwd=folder)
    words = ("-q", "b", "-i", "s", "-o", "out")
    run(program("qaic-opstats"), *words, "--summary", "--trace", cwd=folder)
    text = "".join(path.read_text() for path in sorted((folder / "out").glob("*summary.txt")))
    trace = "".join(path.read_text() for path in sorted((folder / "out").glob("*trace.json")))
    for name in ("aicconverttod32", "aicconvertfromd32"):
        contains(text, f"{name} HVX", "summary")
        contains(trace, name, "trace")
    page = run(program("qaic-opstats"), *words, "--report", "--json", cwd=folder).json()
    layout = next(row for row in page["bounds"] if row["bound"] == "layout")
    true(layout["work_ns"] > 0, f"a bound: {layout}")


def test_targets_that_say_too_little(folder):
    text = (ROOT / "targets/aic100.target").read_text()
    model = network(folder, *CASES[0][1:5])
    for was, becomes, message in (("depth = 32 ", "# ", "needs the 'depth' of its tiles"),
                                  ("either = elementwise", "either = nonsense", "takes 'nonsense'"),
                                  ("depth = 32 ", "depth = 0 ", "a number of channels"),
                                  ("either = elementwise normalization reduction pooling concat", "either =", "expected")):
        true(was in text, was)
        target = write(folder / "other.target", text.replace(was, becomes))
        contains(opscope("compile", model, "-t", target, "-o", folder / "a.opx", code=1).err, message, becomes)


if __name__ == "__main__":
    main()
