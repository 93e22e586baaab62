"""Whole networks: their reference outputs, and every value inside against ONNX Runtime.

Some of the outputs say little (those of vit_micro are all 0, those of
mobilenet_v2_int8 are of the order of 1e-9), so the values inside count.
"""
from support import *
from onnx_values import *
from onnxruntime import *

# Of quantized networks a number may come out one step of its scale away: where a sum lies
# between two steps its rounding decides, and ONNX Runtime itself differs from the reference
# in as many elements on another machine.
REFERENCES = {
    "squeezenet1_1": ("1e-4", "1e-5"),
    "unet_small": ("1e-4", "1e-5"),
    "vit_micro": ("1e-4", "1e-5"),
    "speech_lstm": ("1e-4", "1e-5"),
    "squeezenet1_1_int8": ("0", "0.00449"),
    "mobilenet_v2_int8": ("0", "3.08e-11"),
}

ELEMENT_NAMES = {"f32": "f32", "ui8": "u8", "i8": "i8", "i64": "i64", "i32": "i32", "i1": "bool"}


def test_outputs_are_those_of_the_reference():
    for name, (rtol, atol) in REFERENCES.items():
        opscope("check", shared(f"data/models/{name}"), "--rtol", rtol, "--atol", atol)


def exposed_network(folder, name):
    """A network all of whose values are outputs, and those values."""
    path = shared(f"data/models/{name}/model.onnx")
    values = inner_values(path)
    exposed = [(value, ELEMENT_NAMES[type_.split("x")[-1]]) for value, type_ in values]
    return write(folder / "inside.onnx", expose(path.read_bytes(), exposed)), values


def compare_inside(folder, name, tolerance):
    """Numbers within `tolerance` of the magnitude of their value."""
    model, values = exposed_network(folder, name)
    report = opscope("model", model, "--json").json()
    inputs = []
    for index, value in enumerate(report["inputs"]):
        opscope("infer", identity(folder, value["type"]), "--input",
                shared(f"data/models/{name}/test_data_set_0/input_{index}.pb"), "--output", "input.bin", cwd=folder)
        numbers = array.array("f", (folder / "input.bin").read_bytes())
        inputs.append((value["name"], value["type"], numbers))
    ours, theirs = compute_both(model, inputs, folder, optimization="disabled")
    true(len(ours) > 10, f"{name} has only {len(ours)} values inside")
    for (value, _), mine, other in zip(values, ours, theirs):
        equal(mine[:2], other[:2], f"type of '{value}' of {name}")
        worst = 0 if mine[2] == other[2] else largest_difference(mine[2], other[2])
        true(worst <= tolerance, f"'{value}' of {name} differs by {worst:.3g} of its magnitude")


def identity(folder, type_):
    """A network that gives its input: turns a .pb into a .bin."""
    from onnx_writer import make_graph, make_model, make_node
    *dims, element = type_.split("x")
    dims = list(map(int, dims))
    graph = make_graph([make_node("Identity", ["x"], ["y"])], [make_value("x", element, dims)],
                       [make_value("y", element, dims)])
    return write(folder / "identity.onnx", make_model(graph))


def test_values_inside_vit_micro(folder):
    compare_inside(folder, "vit_micro", 2e-5)


def test_values_inside_unet_small(folder):
    compare_inside(folder, "unet_small", 2e-5)


def test_values_inside_speech_lstm(folder):
    compare_inside(folder, "speech_lstm", 2e-5)


def test_values_inside_mobilenet_v2_int8(folder):
    """A step that one layer takes moves many in the next ones: some percent after fifty layers."""
    if SANITIZED:
        raise Skip("too slow with sanitizers; the plain run has it")
    compare_inside(folder, "mobilenet_v2_int8", 0.05)


def test_threads_change_nothing(folder):
    """Not a bit of any value inside."""
    networks = ["speech_lstm"] if SANITIZED else ["speech_lstm", "unet_small", "vit_micro", "squeezenet1_1_int8"]
    for name in networks:
        model, values = exposed_network(folder, name)
        places = [word for index in range(len(values)) for word in ("-o", f"{index}.bin")]
        found = []
        for threads in (1, 2, 5):
            opscope("infer", model, *places, "--threads", threads, cwd=folder)
            found.append([(folder / f"{index}.bin").read_bytes() for index in range(len(values))])
        for threads, other in zip((2, 5), found[1:]):
            different = [values[index][0] for index in range(len(values)) if found[0][index] != other[index]]
            equal(different, [], f"values of {name} that {threads} threads change")


main()
