"""Programs for Cloud AI 100 with 1 to 16 cores give what ONNX Runtime and the plain executor give.

`make conformance` takes every network of the sets on some number of cores, `make test-long` on each.
"""
import array
import sys

from support import *
from support import ROOT, SANITIZED
from onnx_values import *
from onnxruntime import onnxruntime, largest_difference
from onnx_writer import make_graph, make_model, make_node, make_value

sys.path.insert(0, str(ROOT / "tests"))
import equality  # noqa: E402

HALVES = 2 ** -8  # docs/conversion.md
# Of the magnitude of an output; quantized networks: a step of the last scale.
NETWORKS = {"squeezenet1_1": 1e-4, "unet_small": 1e-4, "speech_lstm": 1e-4, "vit_micro": 1e-4,
            "squeezenet1_1_int8": 0.02, "mobilenet_v2_int8": 0.1}


def test_all_numbers_of_cores(folder):
    """The same bits as the plain executor, or sums in another order within the tolerance of it."""
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    equal(equality.compare_cards(every=400 if SANITIZED else 100), [], "what differs")


def stored_input(folder, name, value):
    """The network's own test input as bytes."""
    *dims, element = value["type"].split("x")
    dims = list(map(int, dims))
    graph = make_graph([make_node("Identity", ["x"], ["y"])], [make_value("x", element, dims)], [make_value("y", element, dims)], [])
    write(folder / "identity.onnx", make_model(graph))
    opscope("infer", "identity.onnx", "--input", shared(f"data/models/{name}/test_data_set_0/input_0.pb"), "--output",
            "input.bin", cwd=folder)
    return dims


def check(folder, name, cores, *options, tolerance):
    model = shared(f"data/models/{name}/model.onnx")
    if name == "vit_micro":  # whose only output is all 0: some values inside are outputs as well
        inside = [value for value, type_ in inner_values(model) if type_.endswith("f32")][::40]
        model = write(folder / "inside.onnx", expose(model.read_bytes(), [(value, "f32") for value in inside]))
    about = opscope("model", model, "--json").json()
    equal(len(about["inputs"]), 1, "inputs")
    dims = stored_input(folder, name, about["inputs"][0])
    answer = onnxruntime(model=str(model), folder=str(folder), inputs=[
        {"name": about["inputs"][0]["name"], "type": "float32", "dims": dims, "file": str(folder / "input.bin")}])
    true("error" not in answer, f"ONNX Runtime: {answer.get('error')}")
    run(program("qaic-compile"), f"-m={model}", "-aic-binary-dir=b", f"-aic-num-cores={cores}", *options, cwd=folder)
    run(program("qaic-runner"), "-t", "b", "-n", "1", "-i", "input.bin", "--write-output-dir", "out", cwd=folder)
    for output, theirs in zip(about["outputs"], answer["outputs"]):
        mine = array.array("f", (folder / "out" / f"{output['name'].replace('/', '_')}-inf-0.bin").read_bytes())
        other = array.array("f", pathlib.Path(theirs["file"]).read_bytes())
        equal(len(mine), len(other), f"elements of {output['name']}")
        worst = largest_difference(mine, other)
        true(worst <= tolerance, f"{name} on {cores} cores {options}: {output['name']} differs by {worst:.3g} of its magnitude")


def test_networks_against_onnx_runtime(folder):
    """The six networks on some cores each, as they are."""
    for number, (name, tolerance) in enumerate(NETWORKS.items()):
        check(folder, name, (1, 15, 5, 10, 8, 13)[number], tolerance=tolerance)


def test_networks_as_halves_against_onnx_runtime(folder):
    """-convert-to-fp16: within the tolerance that docs/conversion.md states."""
    for number, (name, tolerance) in enumerate(NETWORKS.items()):
        check(folder, name, (3, 14, 7, 16, 2, 11)[number], "-convert-to-fp16", tolerance=max(tolerance, HALVES))


if __name__ == "__main__":
    main()
