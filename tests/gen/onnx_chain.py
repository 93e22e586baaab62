"""Networks of any number of operators, for measuring how compiling grows.

    from onnx_chain import chain

    pathlib.Path("m.onnx").write_bytes(chain(1000))

Blocks as residual networks have them: a convolution, its normalisation as a
multiplication and an addition, a Relu, a second convolution beside them, and the
addition of both; every tenth block changes the layout there and back.
"""

from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value

CHANNELS = 8
SIDE = 16


def convolution(element, source, weights, made, **attributes):
    if element == "f32":
        return make_node("Conv", [source, weights], [made], name=made, **attributes)
    return make_node("QLinearConv", [source, "step", "zero", weights, "step", "zero", "step", "zero"],
                     [made], name=made, **attributes)


def block(element, index, source):
    """Nodes of a block, and what it gives."""
    name = f"block{index}"
    made = [f"{name}/{part}" for part in ("conv", "scaled", "shifted", "relu", "side", "sum")]
    conv, scaled, shifted, relu, side, total = made
    nodes = [
        convolution(element, source, "kernel", conv, pads=[1, 1, 1, 1]),
        make_node("Mul", [conv, "scale"], [scaled], name=scaled),
        make_node("Add", [scaled, "shift"], [shifted], name=shifted),
        make_node("Relu", [shifted], [relu], name=relu),
        convolution(element, source, "point", side),
        make_node("Add", [relu, side], [total], name=total),
    ]
    if index % 10 == 9:
        there, back = f"{name}/there", f"{name}/back"
        nodes += [make_node("Transpose", [total], [there], name=there, perm=[0, 2, 3, 1]),
                  make_node("Transpose", [there], [back], name=back, perm=[0, 3, 1, 2])]
        total = back
    return nodes, total


def chain(count, element="f32", outputs=1):
    """`count` operators on f32 or i8, of whose blocks the last `outputs` are given out."""
    nodes, ends = [], []
    source = "input"
    while len(nodes) < count:
        made, source = block(element, len(ends), source)
        nodes += made
        ends.append(source)
    dims = [1, CHANNELS, SIDE, SIDE]
    weights = CHANNELS * CHANNELS
    one = 1.0 if element == "f32" else 1
    return make_model(make_graph(
        nodes,
        inputs=[make_value("input", element, dims)],
        outputs=[make_value(end, element, dims) for end in ends[-outputs:]],
        initializers=[
            make_tensor("kernel", element, [CHANNELS, CHANNELS, 3, 3], [one] * (weights * 9)),
            make_tensor("point", element, [CHANNELS, CHANNELS, 1, 1], [one] * weights),
            make_tensor("scale", element, [CHANNELS, 1, 1], [one] * CHANNELS),
            make_tensor("shift", element, [CHANNELS, 1, 1], [one] * CHANNELS),
            make_tensor("step", "f32", [], [0.1]),
            make_tensor("zero", element, [], [one]),
        ]), opset=17)
