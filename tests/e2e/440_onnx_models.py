"""ONNX models as exporters write them: every way to hold weights, subgraphs,
functions, symbols, old and new operator sets."""
import resource
import struct

from support import *
from onnx_writer import *

X = make_value("x", "f32", [3])


def infer(folder, model, *inputs, options=()):
    path = write(folder / "m.onnx", make_model(model) if isinstance(model, Graph) else model)
    arguments = [word for text in inputs for word in ("--input", text)]
    return opscope("infer", path, *arguments, *options).out


def add_constant(tensor, element="f32"):
    return make_graph([make_node("Add", ["x", "w"], ["y"])], [make_value("x", element, [3])],
                      [make_value("y", element, [3])], [tensor])


def test_weights_may_be_held_in_any_way(folder):
    values = [1, 2, 4]
    write(folder / "w.bin", b"----" + raw_elements("f32", values))
    for tensor in (make_tensor("w", "f32", [3], values), make_tensor("w", "f32", [3], values, raw=False),
                   make_external("w", "f32", [3], location="w.bin", offset=4, length=12),
                   make_external("w", "f32", [3], location="w.bin", offset=4),
                   make_sparse("w", "f32", [3], values, [0, 1, 2])):
        contains(infer(folder, add_constant(tensor), "3xf32=[10,20,30]"), "3xf32=11 22 34")
    for element in ("i64", "i32", "u8", "i8", "f64", "f16", "u64"):
        for raw in (True, False):
            tensor = make_tensor("w", element, [3], values, raw=raw)
            contains(infer(folder, add_constant(tensor, element), f"3x{element}=[10,20,30]"), "=11 22 34")


def test_four_bit_weights_are_unpacked(folder):
    for element, values, want in (("i4", [-8, 3, 7], "-16 6 14"), ("u4", [0, 9, 15], "0 18 30")):
        for raw in (True, False):
            graph = make_graph([make_node("DequantizeLinear", ["w", "s"], ["y"])], [],
                               [make_value("y", "f32", [3])],
                               [make_tensor("w", element, [3], values, raw=raw),
                                make_tensor("s", "f32", [], [2.0])])
            contains(infer(folder, graph), f"3xf32={want}")


def test_nodes_may_stand_in_any_order(folder):
    graph = make_graph([make_node("Neg", ["t"], ["y"]), make_node("Abs", ["x"], ["t"])], [X],
                       [make_value("y")])
    contains(infer(folder, graph, "3xf32=[1,-2,3]"), "3xf32=-1 -2 -3")


def test_branches_see_the_values_around_them(folder):
    then = make_graph([make_node("Neg", ["t"], ["r"])], [], [make_value("r", "f32", [3])])
    other = make_graph([make_node("Abs", ["x"], ["t"])], [], [make_value("t", "f32", [3])])
    graph = make_graph([make_node("If", ["c"], ["y"], then_branch=then, else_branch=other),
                        make_node("Add", ["x", "x"], ["t"])],
                       [X, make_value("c", "bool", [])], [make_value("y", "f32", [3])])
    contains(infer(folder, graph, "3xf32=[1,-2,3]", "i1=1"), "3xf32=-2 4 -6")
    contains(infer(folder, graph, "3xf32=[1,-2,3]", "i1=0"), "3xf32=1 2 3")


def scan_of_batches(folder, *inputs, lengths="i64", batch=2, code=0):
    """Opset 8: sums along the sequences of two tensors, for each item of the batch."""
    body = make_graph([make_node("Add", ["s", "a"], ["t"]), make_node("Add", ["t", "b"], ["u"])],
                      [make_value(name, "f32", []) for name in "sab"],
                      [make_value("t", "f32", []), make_value("u", "f32", [])])
    graph = make_graph([make_node("Scan", ["n", "s", "a", "b"], ["t", "u"], body=body, num_scan_inputs=2)],
                       [make_value("n", lengths, [2]), make_value("s", "f32", [2]),
                        make_value("a", "f32", [2, 3]), make_value("b", "f32", [batch, None])],
                       [make_value("t", "f32"), make_value("u", "f32")])
    path = write(folder / "m.onnx", make_model(graph, opset=8))
    return opscope("infer", path, *(word for text in inputs for word in ("-i", text)), code=code)


def test_scans_of_batches_with_short_sequences(folder):
    given = ("2xf32=[10,20]", "2x3xf32=[[1,2,3][4,5,6]]")
    result = scan_of_batches(folder, "2xi64=[3,2]", *given, "2x3xf32=0.5")
    contains(result.out, "2xf32=16 29")
    contains(result.out, "2x3xf32=[11.5 13.5 16.5][24.5 29.5 0]")
    refused = scan_of_batches(folder, "2xi64=3", *given, "2x1xf32=0.5", code=1)
    contains(refused.err, "node 0 (Scan): scan inputs of length 3 and 1")
    refused = scan_of_batches(folder, "2xi64=3", *given, "1x3xf32=0.5", batch=1, code=1)
    contains(refused.err, "node 0 (Scan): batches of length 2 and 1")
    refused = scan_of_batches(folder, "2xi32=3", *given, "2x3xf32=0.5", lengths="i32", code=1)
    contains(refused.err, "node 0 (Scan): input 0 cannot be of i32")


def test_functions_are_computed_with_their_attributes(folder):
    inner = make_function("Scale", ["a"], ["b"],
                          [make_node("Constant", [], ["f"], value_float=ref("by")),
                           make_node("Mul", ["a", "f"], ["b"], name="multiply")], attributes=["by"])
    outer = make_function("Twice", ["a"], ["b"],
                          [make_node("Scale", ["a"], ["t"], name="first", domain="local", by=ref("by")),
                           make_node("Scale", ["t"], ["b"], name="second", domain="local", by=10.0)],
                          defaults={"by": 3.0})
    graph = make_graph([make_node("Twice", ["x"], ["t"], name="one", domain="local"),
                        make_node("Twice", ["t"], ["y"], name="two", domain="local", by=0.5)],
                       [X], [make_value("y", "f32", [3])])
    model = make_model(graph, functions=[inner, outer], opsets=[("local", 1)])
    contains(infer(folder, model, "3xf32=[1,2,3]"), "3xf32=150 300 450")
    listing = opscope("model", folder / "m.onnx", "--json").json()
    names = [node["name"] for node in listing["operators"]]
    true("one/first/multiply" in names, f"names with their path: {names}")


def test_symbols_get_their_lengths_from_the_user(folder):
    graph = make_graph([make_node("Neg", ["x"], ["y"])], [make_value("x", "f32", ["batch", 2])],
                       [make_value("y", "f32", ["batch", 2])])
    path = write(folder / "m.onnx", make_model(graph))
    for option in (("--shape", "x=3x2"), ("--shape", "3x2"), ("--define-symbol", "batch,3")):
        contains(opscope("infer", path, *option).out, "3x2xf32=")
        contains(opscope("model", path, *option).out, "3x2")
    for option, message in ((("--shape", "z=3x2"), "there is no input 'z'; there is 'x'"),
                            (("--shape", "x=3x4"), "input 'x': shape ?x2, but also 3x4"),
                            (("--shape", "x=3y2"), "'3y2' is not a shape"),
                            (("--define-symbol", "bitch,3"), "no dimension is called 'bitch'"),
                            (("--define-symbol", "batch"), "not a name and a length")):
        result = opscope("model", path, *option, code=None)
        true(result.code in (1, 2), f"exit {result.code}\n{result}")
        contains(result.err, message)


def test_an_input_may_have_a_default(folder):
    graph = make_graph([make_node("Add", ["x", "w"], ["y"])], [X, make_value("w", "f32", [3])],
                       [make_value("y")], [make_tensor("w", "f32", [3], [1, 1, 1])])
    model = make_model(graph, ir_version=3, opset=8)
    contains(infer(folder, model, "3xf32=[1,2,3]"), "3xf32=2 3 4")


def test_the_first_models_have_no_operator_sets(folder):
    graph = make_graph([make_node("Neg", ["x"], ["y"])], [X], [make_value("y")])
    contains(infer(folder, make_model(graph, opset=None, ir_version=1), "3xf32=[1,2,3]"), "-1 -2 -3")


def test_a_packed_model_is_read(folder):
    import gzip
    path = write(folder / "m.onnx.gz", gzip.compress(make_model(add_constant(
        make_tensor("w", "f32", [3], [1, 2, 4])))))
    contains(opscope("infer", path, "--input", "3xf32=0").out, "3xf32=1 2 4")


def seconds_to_read(folder, count):
    """Of the processor, whatever else it does meanwhile, to list a chain of so many nodes."""
    nodes = [make_node("Neg", [f"v{i}"], [f"v{i + 1}"], name=f"node{i}") for i in range(count)]
    graph = make_graph(reversed(nodes), [make_value("v0", "f32", [1])], [make_value(f"v{count}")])
    path = write(folder / "m.onnx", make_model(graph))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    listing = opscope("model", path, "--csv").out
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    true(listing.count("\n") >= count, "every node is listed")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_each_of_many_nodes_takes_as_long(folder):
    """Names, order and outputs cost the same for each node: of ten times as many, a quadratic reader would
    take a hundred times as long."""
    many = 20000 if SANITIZED else 100000
    for _ in range(5):  # a machine that is shared may be slow for a moment
        few, all_ = seconds_to_read(folder, many // 10), seconds_to_read(folder, many)
        if all_ < 20 * few:
            return
    fail(f"{many} nodes take {all_} s, a tenth of them {few} s")


main()
