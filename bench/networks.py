#!/usr/bin/env python3
"""Opening networks, against ONNX Runtime in the same run.

    bench/networks.py [--rounds 5] [--folder DIR]

Opens a network of about 100 MB (shaped like ResNet-50, random weights): opscope
reads it and infers all shapes, ONNX Runtime creates its session; each takes turns
in a fresh process, the best counts. Memory is what the process holds afterwards:
anonymous memory is what was copied, file pages are the mapped network itself.
"""

import json
import subprocess
import sys

from measuring import MIB, ROOT, judged, kept, row, run
from peer import fetch, onnxruntime

sys.path.append(str(ROOT / "tests/gen"))
from onnx_network import resnet50  # noqa: E402

OPENER = ROOT / "build/bench/open_network"

LEAST_RATIO = 20
MOST_ANONYMOUS = 8 * MIB


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
    kept.times("opscope", [round_["ms"][0] / 1000 for round_ in ours])
    if compare:
        kept.times("onnxruntime", [round_["open_ms"] / 1000 for round_ in theirs])
    size = path.stat().st_size
    kept.figure("input", size, "B")
    print(f"opening a network of {size / MIB:.0f} MiB and {ours[0]['nodes']} operators, best of {rounds}")
    row("opscope", f"{best:.2f} ms", f"{ours[0]['file'] / MIB:.0f} MiB of the mapped file touched")
    judged("anonymous memory", max(round_["anonymous"] for round_ in ours) / MIB, " MiB",
           MOST_ANONYMOUS // MIB)
    if compare:
        other = min(round_["open_ms"] for round_ in theirs)
        row("ONNX Runtime", f"{other:.1f} ms",
            f"{min(round_['anonymous'] for round_ in theirs) / MIB:.0f} MiB of anonymous memory")
        judged("ONNX Runtime / opscope", other / best, "", LEAST_RATIO, at_least=True)


def measure(options, folder):
    compare = fetch()
    path = folder / "resnet50.onnx"
    path.write_bytes(resnet50())
    measure_opening(options.rounds, path, compare)


run(__doc__, measure)
