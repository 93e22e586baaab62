#!/usr/bin/env python3
"""Whether compiled programs compute what the plain executor does: part of `make conformance`.

    equality.py [--target NAME]... [--every N] [--list]
    equality.py --cores [--every N] [--list]

A target is a name or file, "NAME with core.count=3" with settings, "NAME as f32=f16" converted before.

Every network that is at hand (the project's own, the TOSA networks and models beside the
project, the ONNX project's tests with static shapes) is compiled for each target and run on
the device `host`: with 1 and 2 workers, recorded and not, twice each. Integers must be
the same bit for bit, reals within the tolerances of tests/tools/device_run.c. --every takes
each N-th network of the large sets and the quick ones of the models, --list prints a line for
every network. --cores is the same for Cloud AI 100 with 1 to 16 cores, of which each takes every N-th
network, from another one on.

EXCEPTIONS holds the cases that may differ, each with the reason.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("OPSCOPE_BIN", ROOT / "build/bin")).resolve()
RUNNER = BIN.parent / "tests/device_run"
DATA = pathlib.Path(os.environ.get("ONNX_TESTDATA", "/usr/share/libonnx-testdata/data"))
MADE_UP = [str(ROOT / f"tests/testdata/targets/{name}.target") for name in ("trio", "relay")]
# With the elements that networks are converted to before.
CONVERTED = ["torq-sl2610 as f32=bf16,i64=i32", "host as f32=f16", "aic100 as f32=f16"]
TARGETS = ["torq-sl2610", "host", "aic100", "wormhole_b0", *MADE_UP]
# A card with any number of its cores; each takes another part of the networks where not all do.
CARDS = [f"{'aic100' if cores <= 14 else 'aic100-pro'} with core.count={cores}" for cores in range(1, 17)]
BATCH = 40
FEW = ("speech_lstm", "vit_micro")

# A processor multiplies the bytes of a quantized network as whole numbers, where the plain executor, which computes
# it as it is written, rounds sums of reals: a result on the border between two steps may be the next one. (ONNX
# Runtime's outputs for these networks are nearer to the former.)
STEP = ("products of bytes are exact, sums of reals are rounded", 0.01)
EXCEPTIONS = {  # (target without its conversion, name): reason, and by how much of the largest number
    ("host", "models/mobilenet_v2_int8"): STEP,
    ("host", "models/squeezenet1_1_int8"): STEP,
}


def networks(every=1):
    """Paths of the networks of each set, by the set's name; of models, which take long, two stand for
    the others in a sample."""
    beside = ROOT.parent / "shared/data"
    models = sorted((beside / "models").glob("*/model.onnx"))
    return {
        "own": [*sorted((ROOT / "samples/tosa").glob("*.mlir")),
                *sorted((ROOT / "tests/testdata/tosa_ops").glob("*.mlir"))],
        "tosa": sorted((beside / "tosa").glob("*.mlir"))[::every],
        "models": models if every == 1 else [path for path in models if path.parent.name in FEW],
        "onnx": sorted(DATA.glob("*/*/model.onnx"))[::every],
    }


def ask(target, paths):
    """(path, what device_run says) of each; a network that ends it counts as different."""
    whole, _, conversion = target.partition(" as ")
    name, _, settings = whole.partition(" with ")
    asked = {"CONVERT": conversion} if conversion else {}
    asked |= {"SETTINGS": settings} if settings else {}
    done = subprocess.run([RUNNER, name, *paths], capture_output=True, text=True, check=False, env=os.environ | asked)
    said = [line.split("\t", 1) for line in done.stdout.splitlines()]
    if len(said) < len(paths):
        culprit = paths[len(said)]
        said.append([str(culprit), f"differs it ends the process ({done.returncode}) {done.stderr[-300:]}"])
        said += ask(target, paths[len(said):]) if len(said) < len(paths) else []
    return said


def name_of(path):
    """'onnx/node/test_abs', 'tosa/abs.mlir'"""
    parts = pathlib.Path(path).parts
    return "/".join(parts[-3:-1]) if parts[-1] == "model.onnx" else "/".join(parts[-2:])


def outcomes(target, paths):
    """(name, 'same'|'near'|'differs'|'not run', detail) of each network."""
    for at in range(0, len(paths), BATCH):
        for path, said in ask(target, paths[at:at + BATCH]):
            for kind in ("same", "near", "differs", "not run"):
                if said.startswith(kind):
                    yield name_of(path), kind, said.removeprefix(kind).strip()


def shown(target):
    """The name alone of a file's path; settings and conversion stay."""
    name, space, rest = target.partition(" ")
    return pathlib.Path(name).name.removesuffix(".target") + space + rest


def excepted(target, name, detail):
    """The reason why it may differ so far; None."""
    reason, most = EXCEPTIONS.get((target.partition(" ")[0], name), (None, 0))
    far = re.search(r"\(most (\S+), the largest is (\S+)\)", detail)
    return reason if far and float(far[1]) <= most * float(far[2]) else None


def check(target, group, paths, listed=False):
    """Prints a row; returns what is not as it should be, as lines."""
    counts, nearest, lines = collections.Counter(), 0.0, []
    for name, kind, detail in outcomes(target, paths):
        counts[kind] += 1
        if listed:
            print(f"  {target} {name}: {kind} {detail}")
        if kind == "near":
            nearest = max(nearest, float(detail))
        if kind == "differs" and (reason := excepted(target, name, detail)):
            print(f"  {name} for {target} differs, since {reason}: {detail}")
        elif kind == "differs":
            lines.append(f"{name} for {target}: {detail}")
    print(f"{shown(target):12} {group:7} {counts['same']:5} the same bits {counts['near']:5} within tolerance"
          f"{f' (at most {nearest:.2g} of it)' if counts['near'] else ''}"
          f" {counts['differs']:4} differ {counts['not run']:4} not run")
    return lines


def compare_all(targets=None, every=1, listed=False):
    """Prints a table; returns what is not as it should be, as lines."""
    if not RUNNER.exists():
        print(f"skipped: there is no {RUNNER}: ninja -C build")
        return []
    lines = []
    for target in targets or [*TARGETS, *CONVERTED]:
        for group, paths in networks(every).items():
            if paths:
                lines += check(target, group, paths, listed)
            else:
                print(f"{shown(target):12} {group:7} skipped: not at hand")
    return lines


def compare_cards(every=len(CARDS), listed=False):
    """The same on 1 to 16 cores. With `every` 1 all networks on each, else each takes every N-th, from another one on."""
    lines = []
    for number, target in enumerate(CARDS):
        for group, paths in networks().items():
            own = paths[number % every::every]
            if own:
                lines += check(target, group, own, listed)
    return lines


def sample(targets, every):
    """(words, what differs) of some networks of each group on each target."""
    for target in targets:
        for group, paths in networks(every=every).items():
            yield f"{group} for {target}", check(str(target), group, paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--target", action="append")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cores", action="store_true", help="Cloud AI 100 with 1 to 16 cores")
    options = parser.parse_args()
    if options.cores:
        lines = compare_cards(options.every, options.list)
    else:
        lines = compare_all(options.target, options.every, options.list)
    print("\n".join(lines) if lines else "all the same")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
