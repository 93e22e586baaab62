"""Models that are damaged, lie or never end: an error that names file, node and
reason, exit 1, and memory that stays small."""
import tempfile

from support import *
from onnx_writer import *

X = make_value("x", "f32", [2, 3])
Y = [make_value("y")]

# Resident memory that reading a file of a few hundred bytes may take.
MEMORY_MOST = (1000 if SANITIZED else 200) * 1024  # KiB


# The most memory of a process counts from that of the one that started it, which may be large here.
STARTER = """
import os, sys
child = os.fork() or os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=file)
"""


def measured(*arguments):
    """Runs opscope; the result, and the most memory it had, in KiB."""
    with tempfile.NamedTemporaryFile() as figures:
        result = run(sys.executable, "-I", "-S", "-c", STARTER, figures.name, program("opscope"), *arguments)
        code, memory = map(int, figures.read().split())
        return code, result.out, result.err, memory


def refused(folder, model, *pieces, command=("model",), most=MEMORY_MOST):
    """The model fails with exit 1 and a message with the pieces, in little memory."""
    path = write(folder / "bad.onnx", make_model(model) if isinstance(model, Graph) else model)
    code, out, err, memory = measured(*command, path)
    true(code == 1, f"exit {code} instead of 1: {pieces}\n{out}\n{err}")
    equal(err.count("\n"), 1, f"lines of the message: {err}")
    for piece in ("bad.onnx", *pieces):
        contains(err, piece)
    true(memory < most, f"{memory} KiB: {err}")


def graph(*nodes, inputs=(X,), outputs=Y, initializers=(), values=()):
    return make_graph(nodes, inputs, outputs, initializers, values)


def small_model():
    then = make_graph([make_node("Neg", ["x"], ["r"])], [], [make_value("r", "f32", [2, 3])])
    other = make_graph([make_node("Add", ["x", "w"], ["r"])], [], [make_value("r", "f32", [2, 3])])
    return make_model(graph(
        make_node("If", ["c"], ["t"], name="choose", then_branch=then, else_branch=other),
        make_node("Concat", ["t", "t"], ["y"], axis=-1),
        inputs=(X, make_value("c", "bool", [])),
        initializers=[make_tensor("w", "f32", [3], [1.0, 2.0, 3.0])]))


def test_a_model_cut_anywhere_is_refused(folder):
    model = small_model()
    write(folder / "whole.onnx", model)
    opscope("model", folder / "whole.onnx")
    step = 7 if SANITIZED else 1
    for size in range(0, len(model), step):
        path = write(folder / "cut.onnx", model[:size])
        result = opscope("model", path, code=1)
        contains(result.err, "cut.onnx")
        equal(result.out, "", "output")


def test_a_model_with_any_byte_changed_never_crashes(folder):
    model = small_model()
    step = 11 if SANITIZED else 2
    for at in range(0, len(model), step):
        for byte in (0, 0x7f, 0xff):
            path = write(folder / "bent.onnx", model[:at] + bytes([byte]) + model[at + 1:])
            result = opscope("model", path, code=None)
            true(result.code in (0, 1), f"byte {at} = {byte}: exit {result.code}\n{result}")
            true(result.code == 0 or "bent.onnx" in result.err, f"{result}")


def test_files_that_are_no_models(folder):
    for content in (b"", b"\0" * 500, b"\xff" * 500, b"PK\x03\x04" + b"\0" * 100, b"hello\n", b"\x08"):
        path = write(folder / "bad.onnx", content)
        contains(opscope("model", path, code=1).err, "bad.onnx")
    contains(opscope("model", folder / "missing.onnx", code=1).err, "missing.onnx: cannot open")


def test_graphs_that_make_no_sense(folder):
    neg = make_node("Neg", ["x"], ["y"], name="n1")
    refused(folder, graph(make_node("Add", ["x", "b"], ["a"], name="n1"),
                          make_node("Neg", ["a"], ["b"], name="n2"), outputs=[make_value("a")]),
            "node 'n1' (Add)", "needs its own result")
    refused(folder, graph(neg, make_node("Abs", ["x"], ["y"], name="n2")), "node 'n2' (Abs)",
            "'y' is defined twice")
    refused(folder, graph(make_node("Neg", ["z"], ["y"], name="n1")), "node 'n1' (Neg)",
            "'z' is defined nowhere")
    refused(folder, graph(make_node("Neg", ["x"], ["z"])), "output 'y' is computed by no node")
    refused(folder, graph(make_node("Nag", ["x"], ["y"], name="n1")), "node 'n1' (Nag)",
            "there is no operator 'Nag' in domain 'ai.onnx', version 21")
    refused(folder, make_model(graph(make_node("Neg", ["x"], ["y"], domain="com.acme")),
                               opsets=[("com.acme", 4)]), "'Neg' in domain 'com.acme', version 4")
    refused(folder, make_model(graph(neg), opset=99), "operator set 99", "1 to 21 are read")
    refused(folder, make_model(graph(neg), ir_version=99), "version 99 of the file format")
    refused(folder, graph(make_node("Neg", [], ["y"], name="n1")), "node 'n1' (Neg)", "0 inputs")
    refused(folder, graph(make_node("Neg", ["x", "x"], ["y"], name="n1")), "node 'n1' (Neg)", "2 inputs")


def test_types_and_shapes_that_do_not_fit(folder):
    text = make_value("x", "text", [2])
    refused(folder, graph(make_node("Neg", ["x"], ["y"], name="n1"), inputs=[text]),
            "node 'n1' (Neg)", "text")
    other = make_value("z", "f32", [4, 5])
    refused(folder, graph(make_node("Add", ["x", "z"], ["y"], name="n1"), inputs=[X, other]),
            "node 'n1' (Add)", "2x3", "4x5")
    refused(folder, graph(make_node("MatMul", ["x", "z"], ["y"], name="n1"), inputs=[X, other]),
            "node 'n1' (MatMul)")
    refused(folder, graph(make_node("Concat", ["x"], ["y"], name="n1", axis=7)), "node 'n1' (Concat)",
            "axis 7")
    whole = make_value("z", "i64", [2, 3])
    refused(folder, graph(make_node("Add", ["x", "z"], ["y"], name="n1"), inputs=[X, whole]),
            "node 'n1' (Add)", "f32", "i64")
    refused(folder, graph(make_node("Neg", ["x"], ["y"]), inputs=[make_value("x", make_map_type(
        "i64", make_type("f32")))]), "value 'x'", "a map, which is not supported")
    refused(folder, graph(make_node("Neg", ["x"], ["y"]), inputs=[make_value("x", 99, [1])]),
            "value 'x'", "element type 99")
    refused(folder, graph(make_node("Neg", ["x"], ["y"]), inputs=[make_value("x", "f32", [1] * 40)]),
            "value 'x'", "dimensions")


def test_weights_that_are_missing(folder):
    def with_weight(tensor):
        return graph(make_node("Add", ["x", "w"], ["y"]), initializers=[tensor])

    empty = make_external("w", "f32", [3])[:-2]  # without the mark that its data lies elsewhere
    refused(folder, with_weight(Tensor(empty)), "tensor 'w'", "0 numbers instead of 3")
    refused(folder, with_weight(make_tensor("w", "f32", [3], [1.0])), "tensor 'w'",
            "4 bytes instead of 12")
    refused(folder, with_weight(make_external("w", "f32", [3], location="none.bin")), "tensor 'w'",
            "none.bin: cannot open")
    refused(folder, with_weight(make_external("w", "f32", [3])), "tensor 'w'", "folder")
    refused(folder, with_weight(make_external("w", "f32", [3], location="../bad.onnx")), "tensor 'w'",
            "inside the model's folder")
    refused(folder, with_weight(make_external("w", "f32", [3], location="/etc/passwd")), "tensor 'w'",
            "inside the model's folder")
    write(folder / "short.bin", b"1234")
    refused(folder, with_weight(make_external("w", "f32", [3], location="short.bin")), "tensor 'w'",
            "short.bin: ends at byte 4")
    os.mkfifo(folder / "pipe.bin")
    refused(folder, with_weight(make_external("w", "f32", [3], location="pipe.bin")), "tensor 'w'",
            "not a regular file")


def test_a_small_file_that_claims_much(folder):
    neg = make_node("Neg", ["w"], ["y"], name="n1")
    for raw in (True, False):
        for element in ("f32", "i64", "i32", "text", "f16", "i4"):
            values = ["a"] if element == "text" else [1]
            tensor = make_tensor("w", element, [1 << 29], values, raw=raw and element != "text")
            refused(folder, graph(neg, initializers=[tensor]), "tensor 'w'", "instead of")
    refused(folder, graph(neg, initializers=[make_tensor("w", "f32", [1 << 40, 1 << 40], [1.0])]),
            "tensor 'w'", "too large")
    refused(folder, graph(neg, initializers=[make_sparse("w", "f32", [1 << 29], [1.0], [5])]),
            "sparse tensor 'w'", "too large")
    refused(folder, graph(neg, initializers=[make_sparse("w", "f32", [10], [1.0], [10])]),
            "sparse tensor 'w'", "index 10")


def test_shapes_beyond_all_memory(folder):
    """Reading them is harmless; running them is refused before anything is allocated."""
    huge = make_value("x", "f32", [1 << 45])
    path = write(folder / "huge.onnx", make_model(graph(make_node("Neg", ["x"], ["y"]), inputs=[huge])))
    code, _, err, memory = measured("infer", path)
    equal((code, "input 0 'x'" in err, memory < MEMORY_MOST), (1, True, True), f"{err}: refused")
    shape = make_tensor("s", "i64", [3], [1 << 20, 1 << 20, 1 << 5])
    refused(folder, graph(make_node("ConstantOfShape", ["s"], ["y"], name="fill"), inputs=[],
                          initializers=[shape]), "'fill'", command=("infer",))
    more = make_tensor("s", "i64", [3], [1 << 40, 1 << 40, 1 << 40])
    for node in (make_node("ConstantOfShape", ["s"], ["y"], name="n1"),
                 make_node("Expand", ["one", "s"], ["y"], name="n1"),
                 make_node("Tile", ["cube", "s"], ["y"], name="n1")):
        one = make_tensor("one", "f32", [1], [1.0])
        cube = make_tensor("cube", "f32", [1, 1, 1], [1.0])
        refused(folder, graph(node, inputs=[], initializers=[more, one, cube]), "node 'n1'",
                command=("infer",))
    sizes = [make_tensor(name, "i64", [], [value]) for name, value in
             (("from", 0), ("to", 1 << 60), ("by", 1))]
    refused(folder, graph(make_node("Range", ["from", "to", "by"], ["y"], name="n1"), inputs=[],
                          initializers=sizes), "'n1'", command=("infer",))


def test_functions_that_never_end(folder):
    def call(name):
        return make_node(name, ["a"], ["b"], domain="local")

    itself = make_function("F", ["a"], ["b"], [call("F")])
    main_graph = graph(make_node("F", ["x"], ["y"], name="n1", domain="local"))
    refused(folder, make_model(main_graph, functions=[itself]), "node 'n1' (F)", "calls itself")
    doubling = [make_function(f"F{i}", ["a"], ["b"], [
        make_node(f"F{i + 1}", ["a"], ["t"], domain="local"),
        make_node(f"F{i + 1}", ["t"], ["b"], domain="local")]) for i in range(40)]
    doubling.append(make_function("F40", ["a"], ["b"], [make_node("Neg", ["a"], ["b"])]))
    main_graph = graph(make_node("F0", ["x"], ["y"], name="n1", domain="local"))
    refused(folder, make_model(main_graph, functions=doubling), "node 'n1' (F0)", "too many nodes",
            most=4 * MEMORY_MOST)


def test_graphs_inside_one_another_without_end(folder):
    leaf = inner = make_graph([make_node("Neg", ["x"], ["y"])], [], Y)
    for _ in range(500):
        inner = make_graph([make_node("If", ["c"], ["y"], then_branch=inner, else_branch=leaf)], [], Y)
    outer = Graph(inner + field(11, X) + field(11, make_value("c", "bool", [])))
    refused(folder, outer, "more than 64 deep")


main()
