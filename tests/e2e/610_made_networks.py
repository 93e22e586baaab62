"""Networks that the generator makes, computed as ONNX Runtime does and the same with any threads.

What the stored networks do not have: convolutions by products in every shape of ResNet-18 and
MobileNet v2, a recurrent layer that keeps its weights, a single row by a large matrix.
"""
import array
import random

from support import *
from onnx_network import mobilenet_v2, resnet18
from onnx_writer import *
from onnxruntime import *


def picture():
    source = random.Random(3)
    return [("input", "1x3x224x224xf32", array.array("f", [source.uniform(-1, 1) for _ in range(150528)]))]


def outputs_with(model, folder, threads):
    file = folder / f"threads_{threads}.bin"
    opscope("infer", model, "--threads", threads, "--output", file)
    return file.read_bytes()


def check(model, inputs, folder, tolerance):
    ours, theirs = compute_both(model, inputs, folder)
    equal_outputs(ours, theirs, tolerance, model.name)
    one = outputs_with(model, folder, 1)
    for threads in (2, 5):
        equal(outputs_with(model, folder, threads) == one, True, f"{model.name}: bits with {threads} threads")


def test_resnet18(folder):
    check(write(folder / "resnet18.onnx", resnet18()), picture(), folder, 1e-5)


def test_mobilenet_v2(folder):
    check(write(folder / "mobilenet_v2.onnx", mobilenet_v2()), picture(), folder, 1e-4)


def weights(name, dims, seed):
    source = random.Random(seed)
    count = 1
    for length in dims:
        count *= length
    return make_tensor(name, "f32", dims, [source.gauss(0, 0.2) for _ in range(count)])


def recurrent(operator, gates, batch):
    """Both directions, a hidden size that fills no vector, and one output behind a product."""
    hidden, width, steps = 37, 19, 23
    graph = make_graph(
        [make_node(operator, ["x", "w", "r", "b"], ["y", "h"], name="layer", hidden_size=hidden,
                   direction="bidirectional"),
         make_node("MatMul", ["h", "m"], ["z"], name="product")],
        [make_value("x", "f32", [steps, batch, width])],
        [make_value("y", "f32", [steps, 2, batch, hidden]), make_value("z", "f32", [2, batch, 50])],
        [weights("w", [2, gates * hidden, width], 1), weights("r", [2, gates * hidden, hidden], 2),
         weights("b", [2, 2 * gates * hidden], 3), weights("m", [hidden, 50], 4)])
    numbers = random.Random(5)
    values = array.array("f", [numbers.uniform(-1, 1) for _ in range(steps * batch * width)])
    return make_model(graph, opset=17), [("x", f"{steps}x{batch}x{width}xf32", values)]


def test_recurrent_layers(folder):
    for operator, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for batch in (1, 3, 11):
            model, inputs = recurrent(operator, gates, batch)
            path = write(folder / f"{operator}_{batch}.onnx", model)
            ours, theirs = compute_both(path, inputs, folder)
            equal_outputs(ours, theirs, 1e-5, path.name)


main()
