"""Names that files bring along steer no terminal; links are not followed to foreign data."""
from support import *
from onnx_writer import *

BAD = "x\u202ey\u2066z\u200e\u061c\x1b[31m\x07"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(result):
    true(STEERING.search(result.out + result.err) is None, f"what it shows is raw: {result}")


def network(path):
    node = make_node("Relu", [f"in{BAD}"], [f"out{BAD}"], name=f"node{BAD}")
    graph = make_graph([node], [make_value(f"in{BAD}", "f32", [2])],
                       [make_value(f"out{BAD}", "f32", [2])])
    return write(path, make_model(graph, producer=f"made{BAD}"))


def test_networks(folder):
    path = network(folder / f"net{BAD}.onnx")
    program_path = folder / f"p{BAD}.opx"
    harmless(opscope("info", path))
    harmless(opscope("model", path))
    harmless(opscope("infer", path, "--random=1", code=None))
    harmless(opscope("compile", path, "--target", "host", "-o", program_path, code=None))
    harmless(opscope("program", program_path, code=None))
    harmless(opscope("run", program_path, code=None))
    harmless(opscope("model", folder / f"missing{BAD}.onnx", code=1))


def test_external_data_behind_links(folder):
    """What a network names lies in its folder, and no link leads out of it."""
    weight = make_external("w", "u8", [8], location="data/w.bin")
    graph = make_graph([make_node("Identity", ["w"], ["y"])], [], [make_value("y", "u8", [8])], [weight])
    path = write(folder / "net.onnx", make_model(graph))
    (folder / "data").mkdir()
    write(folder / "data/w.bin", bytes(range(8)))
    contains(opscope("infer", path).out, "0 1 2 3 4 5 6 7")
    (folder / "data/w.bin").unlink()
    (folder / "data/w.bin").symlink_to("/etc/passwd")
    contains(opscope("infer", path, code=1).err, "link")
    (folder / "data/w.bin").unlink()
    (folder / "data").rmdir()
    (folder / "other").mkdir()
    write(folder / "other/w.bin", bytes(range(8)))
    (folder / "data").symlink_to("other")
    contains(opscope("infer", path, code=1).err, "link")


def test_no_formulas_in_tables_for_people(folder):
    names = ["=1+1", "@sum", "+a", "-b", "plain", "-12"]
    nodes = [make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name=name) for i, name in enumerate(names)]
    graph = make_graph(nodes, [make_value("v0", "f32", [2])], [make_value(f"v{len(names)}", "f32", [2])])
    path = write(folder / "net.onnx", make_model(graph))
    lines = opscope("model", path, "--csv", "--columns", "name").out.splitlines()[1:]
    equal(lines, ["'=1+1", "'@sum", "'+a", "'-b", "plain", "-12"], "names")
    rows = opscope("model", path, "--json").json()["operators"]
    equal([row["name"] for row in rows], names, "names in JSON")


main()
