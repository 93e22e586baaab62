#!/usr/bin/env python3
"""What a capture costs the runtime: a program run alone and under `opscope profile`, turn by turn.

    bench/capture.py [--runs N] [--iterations N]

The time is what the program itself measures for its iterations, which leaves out starting and ending: the least of
a run, which others on the machine disturb least, and the median. The difference of each pair, whose order changes
from one to the next, gives a median and an interval of 95 % (by ranks). Where valgrind is installed, instructions
are counted too, which repeat on a busy machine: those of an iteration, in the threads that work and in the one that
writes down what they record. That one wakes by time, and under valgrind an iteration takes fifty times as long: it
counts for more there than it is. The limit is 2 %, of times and of the instructions of the threads that work.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPSCOPE = ROOT / "build/bin/opscope"
LIMIT = 2.0


def median_interval(values):
    """The median, and the order statistics around it that hold it in 95 % of samples."""
    values = sorted(values)
    count = len(values)
    width = int(0.98 * count ** 0.5 + 0.5)
    low, high = max(0, count // 2 - width), min(count - 1, count // 2 + width)
    return values[count // 2], values[low], values[high]


def times(command, folder):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    about = json.loads(done.stdout)
    return {"least": about["least_ms"], "median": about["median_ms"]}


def measure_pairs(alone, captured, runs, folder):
    times(alone, folder)
    pairs = []
    for number in range(runs):
        if number % 2:
            second, first = times(captured, folder), times(alone, folder)
        else:
            first, second = times(alone, folder), times(captured, folder)
        pairs.append((first, second))
    return pairs


def count_threads(folder):
    """Instructions of the threads that work, and of the one that writes down what is recorded."""
    working, writing = 0, 0
    for path in folder.glob("counted-*"):
        text = path.read_text(errors="replace")
        total = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
        if "record_session_take_event" in text:
            writing += total
        else:
            working += total
        path.unlink()
    return working, writing


def instructions(folder, captured):
    """Of an iteration, as above: the difference between a long run and a short one."""
    counts = []
    for iterations in (50, 250):
        command = ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=counted", OPSCOPE,
                   "run", "p.opx", "--json", "--iterations", str(iterations), "--max-elements", "1", "--max-memory", "0"]
        if captured:
            command = [OPSCOPE, "profile", "-o", "captured.prof", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
                       env={**os.environ, "OPSCOPE_ISA": "avx2"})
        counts.append(count_threads(folder))
    return [(long - short) / 200 for short, long in zip(*counts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--iterations", type=int, default=300)
    options = parser.parse_args()
    costs = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = ROOT / "tests/testdata/tosa_ops/add.mlir"
        subprocess.run([OPSCOPE, "compile", model, "--target", "host", "-o", "p.opx"], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
        alone = [OPSCOPE, "run", "p.opx", "--iterations", str(options.iterations), "--json", "--max-elements", "1"]
        captured = [OPSCOPE, "profile", "-o", "out.prof", "--", *alone]
        pairs = measure_pairs(alone, captured, options.runs, folder)
        for kind in ("least", "median"):
            middle, low, high = median_interval([100 * (b[kind] / a[kind] - 1) for a, b in pairs])
            plain = median_interval([a[kind] for a, _ in pairs])[0]
            print(f"capture: {model.stem} on host, {kind} of an iteration {plain * 1e3:.1f} us, {options.runs} pairs:"
                  f" {middle:+.2f} % ({low:+.2f} to {high:+.2f}), at most {LIMIT} %")
            costs.append(middle)
        if shutil.which("valgrind"):
            plain, _ = instructions(folder, False)
            working, writing = instructions(folder, True)
            more = 100 * (working / plain - 1)
            print(f"capture: {model.stem} on host, {plain / 1e6:.3f} M instructions an iteration: {more:+.2f} % in the"
                  f" threads that work, at most {LIMIT} %; {100 * writing / plain:+.2f} % in the one that writes")
            costs.append(more)
    sys.exit(0 if all(cost < LIMIT for cost in costs) else 1)


if __name__ == "__main__":
    main()
