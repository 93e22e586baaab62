"""What the compiler makes one piece of work of ONNX networks, and what it keeps apart."""

from support import *
from onnx_writer import *


def constant(name, shape, element="f32"):
    count = 1
    for length in shape:
        count *= length
    return make_tensor(name, element, shape, [1] * count)


def groups(folder, nodes, inputs, outputs, constants=(), opset=13):
    """The types of the groups in order, after checking that every operator is in one."""
    graph = make_graph(nodes, inputs=inputs, outputs=[make_value(*output) for output in outputs],
                       initializers=list(constants))
    network = write(folder / "net.onnx", make_model(graph, opset=opset))
    program = folder / "net.opx"
    opscope("compile", network, "--target=torq-sl2610", "-o", program)
    opscope("verify", program)
    found = opscope("program", program, "--groups", "--operators", "--json").json()
    members = sorted(index for group in found["groups"] for index in set(group["operators"]))
    equal(sorted(set(members)), list(range(len(nodes))), "every operator is in a group")
    return [group["type"] for group in found["groups"]]


REALS = [make_value("x", "f32", [2, 8, 16])]


def test_convolution_with_bias_and_activation(folder):
    nodes = [make_node("Conv", ["x", "w", "b"], ["c"]), make_node("Relu", ["c"], ["y"])]
    found = groups(folder, nodes, [make_value("x", "f32", [1, 3, 8, 8])], [("y", "f32")],
                   [constant("w", [4, 3, 3, 3]), constant("b", [4])])
    equal(found, ["Conv_Relu"], "groups")


def test_gelu(folder):
    nodes = [make_node("Div", ["x", "root"], ["d"]), make_node("Erf", ["d"], ["e"]),
             make_node("Add", ["e", "one"], ["a"]), make_node("Mul", ["x", "a"], ["m"]),
             make_node("Mul", ["m", "half"], ["y"])]
    numbers = [constant(name, []) for name in ("root", "one", "half")]
    equal(groups(folder, nodes, REALS, [("y", "f32")], numbers), ["gelu"], "groups")


def layernorm():
    return [make_node("ReduceMean", ["x"], ["mean"], axes=[-1]), make_node("Sub", ["x", "mean"], ["d"]),
            make_node("Pow", ["d", "two"], ["p"]), make_node("ReduceMean", ["p"], ["v"], axes=[-1]),
            make_node("Add", ["v", "epsilon"], ["e"]), make_node("Sqrt", ["e"], ["s"]),
            make_node("Div", ["d", "s"], ["n"]), make_node("Mul", ["n", "scale"], ["m"]),
            make_node("Add", ["m", "bias"], ["y"])]


NORM = [constant("two", []), constant("epsilon", []), constant("scale", [16]), constant("bias", [16])]


def test_layernorm(folder):
    equal(groups(folder, layernorm(), REALS, [("y", "f32")], NORM), ["layernorm"], "groups")


def test_layernorm_whose_inside_is_read_is_none(folder):
    found = groups(folder, layernorm(), REALS, [("y", "f32"), ("d", "f32")], NORM)
    true("layernorm" not in found, f"groups {found}")


def test_attention(folder):
    nodes = [make_node("MatMul", ["q", "k"], ["qk"]), make_node("Div", ["qk", "scale"], ["s"]),
             make_node("Softmax", ["s"], ["p"], axis=-1), make_node("MatMul", ["p", "v"], ["y"])]
    inputs = [make_value("q", "f32", [2, 8, 16]), make_value("k", "f32", [2, 16, 8]),
              make_value("v", "f32", [2, 8, 16])]
    found = groups(folder, nodes, inputs, [("y", "f32")], [constant("scale", [])])
    equal(found, ["attention"], "groups")


def test_integers_with_several_readers_are_scaled_back_by_each(folder):
    def back(source, name):
        return make_node("DequantizeLinear", [source, "s", "z"], [name])

    def narrow(source, name):
        return make_node("QuantizeLinear", [source, "s", "z"], [name])
    nodes = [back("x", "d"), make_node("Relu", ["d"], ["r"]), narrow("r", "q"), back("q", "e"),
             make_node("Sigmoid", ["e"], ["a"]), narrow("a", "y"), make_node("Tanh", ["e"], ["b"]),
             narrow("b", "z1")]
    found = groups(folder, nodes, [make_value("x", "i8", [4, 64])], [("y", "i8"), ("z1", "i8")],
                   [make_tensor("s", "f32", [], [0.1]), make_tensor("z", "i8", [], [0])])
    equal(found, ["act", "table", "table"], "groups: each a kernel that scales before and after")


main()
