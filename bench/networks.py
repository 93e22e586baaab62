#!/usr/bin/env python3
"""Opening and computing networks, against ONNX Runtime in the same run.

    bench/networks.py [--rounds 5] [--folder DIR]

Opens a network of about 100 MB (shaped like ResNet-50, random weights): opscope
reads it and infers all shapes, ONNX Runtime creates its session; each takes turns
in a fresh process, the best counts. Memory is what the process holds afterwards:
anonymous memory is what was copied, file pages are the mapped network itself.
Then the time of one inference of each network in ../shared/data/models, for
information: the plain executor is made to be right, not yet to be fast.
"""

import json
import subprocess
import sys

from measuring import MIB, ROOT, judged, row, run

sys.path.append(str(ROOT / "tests/gen"))
from onnx_network import resnet50  # noqa: E402

OPSCOPE = ROOT / "build/bin/opscope"
OPENER = ROOT / "build/bench/open_network"
RUNTIME = ROOT / ".cache/opscope/onnxruntime"
MODELS = ROOT.parent / "shared/data/models"

LEAST_RATIO = 20
MOST_ANONYMOUS = 8 * MIB


def fetch():
    """Whether ONNX Runtime is there."""
    script = ROOT / "tests/tools/fetch-onnxruntime.sh"
    return subprocess.run([script, RUNTIME], check=False).returncode == 0


def onnxruntime(**request):
    done = subprocess.run(["node", ROOT / "tests/tools/onnxruntime.js", RUNTIME], text=True, check=True,
                          input=json.dumps(request) + "\n", stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def opened(path):
    """A fresh process, so that nothing is left from the round before."""
    done = subprocess.run([OPENER, path, "1"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def measure_opening(rounds, path, compare):
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(opened(path))
        theirs += [onnxruntime(model=str(path))] if compare else []
    best = min(round_["ms"][0] for round_ in ours)
    size = path.stat().st_size
    print(f"opening a network of {size / MIB:.0f} MiB and {ours[0]['nodes']} operators, best of {rounds}")
    row("opscope", f"{best:.2f} ms", f"{ours[0]['file'] / MIB:.0f} MiB of the mapped file touched")
    judged("anonymous memory", max(round_["anonymous"] for round_ in ours) / MIB, " MiB",
           MOST_ANONYMOUS // MIB)
    if compare:
        other = min(round_["open_ms"] for round_ in theirs)
        row("ONNX Runtime", f"{other:.1f} ms",
            f"{min(round_['anonymous'] for round_ in theirs) / MIB:.0f} MiB of anonymous memory")
        judged("ONNX Runtime / opscope", other / best, "", LEAST_RATIO, at_least=True)


def run_ours(model, threads, iterations):
    done = subprocess.run([OPSCOPE, "infer", model, "--json", "--max-elements=1", f"--threads={threads}",
                           f"--iterations={iterations}"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["least_ms"]


def inputs_of(model, folder):
    """Zeros: the time does not depend on the numbers."""
    sizes = {"f32": (4, "float32"), "i64": (8, "int64"), "i32": (4, "int32")}
    report = json.loads(subprocess.run([OPSCOPE, "model", model, "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    inputs = []
    for index, value in enumerate(report["inputs"]):
        *dims, element = value["type"].split("x")
        if value["constant"]:
            continue
        count = 1
        for length in dims:
            count *= int(length)
        file = folder / f"zeros_{index}.bin"
        file.write_bytes(bytes(count * sizes[element][0]))
        inputs.append({"name": value["name"], "type": sizes[element][1], "dims": list(map(int, dims)),
                       "file": str(file)})
    return inputs


def measure_inference(rounds, name, model, folder, compare):
    ours = theirs = float("inf")
    for _ in range(rounds):
        ours = min(ours, run_ours(model, 2, 5))
        if compare:
            answer = onnxruntime(model=str(model), inputs=inputs_of(model, folder), folder=str(folder),
                                 iterations=5, threads=2)
            theirs = min(theirs, *answer["run_ms"])
    note = f"ONNX Runtime {theirs:.2f} ms: {ours / theirs:.1f} times as long" if compare else ""
    row(name, f"{ours:.2f} ms", note)


def measure(options, folder):
    compare = fetch()
    path = folder / "resnet50.onnx"
    path.write_bytes(resnet50())
    measure_opening(options.rounds, path, compare)
    models = {"resnet50": path}
    models.update((model.parent.name, model) for model in sorted(MODELS.glob("*/model.onnx")))
    print(f"one inference with 2 threads, best of {options.rounds} x 5, for information")
    for name, model in models.items():
        measure_inference(min(options.rounds, 3), name, model, folder, compare)


run(__doc__, measure)
