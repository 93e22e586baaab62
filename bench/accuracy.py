#!/usr/bin/env python3
"""How well the target `host` foretells this machine: the table of docs/accuracy.md.

    bench/accuracy.py [--threads 1] [--rounds 3] [--target FILE] [--folder DIR]

Calibrates (unless a calibrated target is given) and scores the networks of
../shared/data/models, and resnet18 and mobilenet_v2 with random weights as PyTorch
exports them where Debian's python3-torch, python3-torchvision and python3-onnx are
installed. Each is scored in several processes; of every operator the fastest counts.
"""

import json
import pathlib
import statistics
import subprocess

from measuring import ROOT, run

OPSCOPE = ROOT / "build/bin/opscope"
MODELS = ROOT.parent / "shared/data/models"

EXPORT = """
import sys, torch, torchvision
torch.manual_seed(0)
for name in ("resnet18", "mobilenet_v2"):
    model = getattr(torchvision.models, name)().eval()
    torch.onnx.export(model, torch.zeros(1, 3, 224, 224), sys.argv[1] + "/" + name + ".onnx",
                      opset_version=13)
"""


def exported(folder):
    """Networks that PyTorch writes; none where it is not installed."""
    done = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", EXPORT, folder], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print("PyTorch's exports are left out:", done.stderr.strip().splitlines()[-1])
        return []
    return sorted(folder.glob("*.onnx"))


def scores(path, options):
    """Times of every operator, (measured, modelled) in microseconds."""
    best = []
    for _ in range(options.rounds):
        done = subprocess.run([OPSCOPE, "score", path, "--target", options.target, "--json", "-n", "30",
                               f"--threads={options.threads}"], check=True, stdout=subprocess.PIPE)
        made = sorted(json.loads(done.stdout)[0]["operators"], key=lambda op: op["name"])
        times = [(op["measured_us"], op["modelled_us"]) for op in made]
        best = [min(pair) for pair in zip(best, times)] if best else times
    return best


def ranks(values):
    ordered = sorted(values)
    return [(ordered.index(value) + len(ordered) - 1 - ordered[::-1].index(value)) / 2 for value in values]


def table_row(name, times):
    measured = sum(time for time, _ in times)
    modelled = sum(time for _, time in times)
    large = [pair for pair in times if pair[0] >= measured / 100]
    mape = statistics.mean(abs(model / time - 1) for time, model in large)
    spearman = statistics.correlation(ranks([a for a, _ in large]), ranks([b for _, b in large]))
    print(f"| {name} | {measured / 1000:.2f} | {modelled / 1000:.2f} | {modelled / measured - 1:+.1%} |"
          f" {len(large)} | {mape:.1%} | {spearman:.3f} |", flush=True)
    return mape, abs(modelled / measured - 1)


def measure(options, folder):
    if options.target is None:
        options.target = folder / "host.target"
        subprocess.run([OPSCOPE, "calibrate", f"--threads={options.threads}", "-o", options.target],
                       check=True)
    networks = {path.parent.name: path for path in sorted(MODELS.glob("*/model.onnx"))}
    networks.update((path.stem, path) for path in exported(folder))
    print("| network | measured ms | modelled ms | error | operators above 1 % | MAPE | Spearman |")
    print("|---|---|---|---|---|---|---|")
    errors = [table_row(name, scores(path, options)) for name, path in networks.items()]
    print(f"| mean | | | {statistics.mean(error for _, error in errors):.1%} (absolute) | |"
          f" {statistics.mean(mape for mape, _ in errors):.1%} | |")


def add_options(parser):
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--target", help="a calibrated target (else calibrate now)")


run(__doc__, measure, add_options, rounds=3)
