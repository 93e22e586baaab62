#!/usr/bin/env python3
"""What a capture costs the runtime: a program run alone and under `opscope profile`, turn by turn.

    bench/capture.py [--runs N] [--iterations N]

The time is what the program itself measures for its iterations, which leaves out starting and ending: the least of
a run, which others on the machine disturb least, and the median; and the processor time of the program, which waits
do not add to: of as many further iterations as it takes to leave starting and ending out. The difference of each pair,
whose order changes from one to the next, gives a median and an interval of 95 % (by ranks). Where valgrind is installed, instructions
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
# Runs a command and prints what it says, with the seconds that its processors were busy.
SPENT = """import json, resource, subprocess, sys
about = json.loads(subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE).stdout)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({**about, "processor_s": used.ru_utime + used.ru_stime}))"""


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
    return {"least": about["least_ms"], "median": about["median_ms"], "processor": about["processor_s"] * 1e3}


def commands(iterations):
    """The program alone, and captured."""
    alone = [sys.executable, "-c", SPENT, OPSCOPE, "run", "p.opx", "--iterations", str(iterations), "--json",
             "--max-elements", "1"]
    return alone, [OPSCOPE, "profile", "-o", "out.prof", "--", *alone]


def measure(iterations, captured, folder):
    """Of an iteration; processor time of those that a run of twice as many has more."""
    few = times(commands(iterations)[captured], folder)
    more = times(commands(2 * iterations)[captured], folder)
    return {**more, "processor": (more["processor"] - few["processor"]) / iterations}


def measure_pairs(options, folder):
    measure(options.iterations, False, folder)
    pairs = []
    for number in range(options.runs):
        if number % 2:
            second, first = measure(options.iterations, True, folder), measure(options.iterations, False, folder)
        else:
            first, second = measure(options.iterations, False, folder), measure(options.iterations, True, folder)
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
        pairs = measure_pairs(options, folder)
        for kind in ("least", "median", "processor"):
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
