"""A small network for handwritten digits, for the example of Tenstorrent's document on profiling:

    python tt_torch/tools/tt_profile.py "pytest -svv tests/models/mnist/test_mnist.py::test_mnist_train[single_device-full-eval]"

It is compiled for `wormhole_b0` and run with real numbers; its times are those that the target's rules give it
(`--device sim`). What it does is recorded by opscope's Python module and runtime.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/gen")]
import opscope  # pylint: disable=wrong-import-position
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value  # pylint: disable=wrong-import-position


def numbers(count, seed):
    return [((seed + at * 37) % 101 - 50) / 400 for at in range(count)]


def mnist():
    """Two convolutions with pooling, and a classifier of ten digits."""
    return make_model(make_graph(
        [make_node("Conv", ["image", "w1"], ["a"], name="conv1", pads=[1, 1, 1, 1]),
         make_node("Relu", ["a"], ["b"], name="relu1"),
         make_node("MaxPool", ["b"], ["c"], name="pool1", kernel_shape=[2, 2], strides=[2, 2]),
         make_node("Conv", ["c", "w2"], ["d"], name="conv2", pads=[1, 1, 1, 1]),
         make_node("Relu", ["d"], ["e"], name="relu2"),
         make_node("MaxPool", ["e"], ["f"], name="pool2", kernel_shape=[2, 2], strides=[2, 2]),
         make_node("Flatten", ["f"], ["g"], name="flatten"),
         make_node("Gemm", ["g", "w3", "b3"], ["h"], name="classify"),
         make_node("Softmax", ["h"], ["digits"], name="softmax", axis=1)],
        inputs=[make_value("image", "f32", [1, 1, 28, 28])],
        outputs=[make_value("digits", "f32", [1, 10])],
        initializers=[make_tensor("w1", "f32", [8, 1, 3, 3], numbers(72, 1)),
                      make_tensor("w2", "f32", [16, 8, 3, 3], numbers(1152, 2)),
                      make_tensor("w3", "f32", [784, 10], numbers(7840, 3)),
                      make_tensor("b3", "f32", [10], numbers(10, 4))]), opset=13)


def program():
    built = pathlib.Path(os.environ.get("OPSCOPE_BIN", ROOT / "build/bin")) / "opscope"
    return str(built) if built.exists() else shutil.which("opscope") or pytest.skip("no opscope: run make")


@pytest.mark.parametrize("mode", ["eval"])
@pytest.mark.parametrize("depth", ["full"])
@pytest.mark.parametrize("devices", ["single_device"])
def test_mnist_train(devices, depth, mode, tmp_path):
    model = tmp_path / "mnist.onnx"
    model.write_bytes(mnist())
    with opscope.span("compile", devices=devices, depth=depth):
        subprocess.run([program(), "compile", model, "--target", "wormhole_b0", "-o", tmp_path / "mnist.opx"],
                       check=True)
    with opscope.span(mode):
        done = subprocess.run([program(), "run", tmp_path / "mnist.opx", "--device", "sim", "--json"], check=True,
                              stdout=subprocess.PIPE)
    digits = json.loads(done.stdout)["outputs"][0]
    assert digits["name"] == "digits"
    assert sum(digits["values"]) == pytest.approx(1, abs=1e-3)
