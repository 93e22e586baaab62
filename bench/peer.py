"""ONNX Runtime beside opscope: in processes of its own, so that they can take turns."""

import json
import subprocess

from measuring import ROOT

OPSCOPE = ROOT / "build/bin/opscope"
RUNTIME = ROOT / ".cache/opscope/onnxruntime"
MODELS = ROOT.parent / "shared/data/models"

SYMBOLS = {"batch": 1, "seq": 128}
ELEMENTS = {"f32": (4, "float32"), "i64": (8, "int64"), "i32": (4, "int32"), "f64": (8, "float64")}


def fetch():
    """Whether ONNX Runtime is there."""
    script = ROOT / "tests/tools/fetch-onnxruntime.sh"
    return subprocess.run([script, RUNTIME], check=False).returncode == 0


def onnxruntime(**request):
    """The answer to one request (tests/tools/onnxruntime.js) of a fresh process."""
    done = subprocess.run(["node", ROOT / "tests/tools/onnxruntime.js", RUNTIME], text=True, check=True,
                          input=json.dumps(request) + "\n", stdout=subprocess.PIPE)
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise SystemExit(f"ONNX Runtime: {answer['error']}")
    return answer


def opscope(*arguments):
    """The report that a command prints as JSON."""
    done = subprocess.run([OPSCOPE, *map(str, arguments), "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def symbols_of(model):
    """Options for the lengths that a network leaves open."""
    options = []
    for symbol, length in SYMBOLS.items():
        option = ["--define-symbol", f"{symbol},{length}"]
        known = subprocess.run([OPSCOPE, "model", model, *option], check=False, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        options += option if known.returncode == 0 else []
    return options


def inputs_of(model, folder, *options):
    """Zeros: the time does not depend on the numbers."""
    inputs = []
    for index, value in enumerate(opscope("model", model, *options)["inputs"]):
        if value["constant"]:
            continue
        *dims, element = value["type"].split("x")
        size, name = ELEMENTS[element]
        count = 1
        for length in map(int, dims):
            count *= length
        file = folder / f"zeros_{index}.bin"
        file.write_bytes(bytes(count * size))
        inputs.append({"name": value["name"], "type": name, "dims": list(map(int, dims)),
                       "file": str(file)})
    return inputs
