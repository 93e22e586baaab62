#!/usr/bin/env python3
"""What a capture costs the runtime: a program run alone and under `opscope profile`, turn by turn.

    bench/capture.py [--runs N] [--iterations N]

The time is what the program itself measures for its iterations, which leaves out starting and ending; the
difference of each pair gives a median and an interval of 95 % (by ranks). The limit is 2 %.
"""

import argparse
import json
import pathlib
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


def median_ms(command, folder):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    about = json.loads(done.stdout)
    return about["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--iterations", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = ROOT / "tests/testdata/tosa_ops/add.mlir"
        subprocess.run([OPSCOPE, "compile", model, "--target", "host", "-o", "p.opx"], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL)
        alone = [OPSCOPE, "run", "p.opx", "--iterations", str(options.iterations), "--json", "--max-elements", "1"]
        captured = [OPSCOPE, "profile", "-o", "out.prof", "--", *alone]
        median_ms(alone, folder)
        pairs = [(median_ms(alone, folder), median_ms(captured, folder)) for _ in range(options.runs)]
    middle, low, high = median_interval([100 * (b / a - 1) for a, b in pairs])
    plain = median_interval([a for a, _ in pairs])[0]
    print(f"capture: {model.stem} on host, {plain * 1e3:.1f} us an iteration, {options.runs} pairs:"
          f" {middle:+.2f} % ({low:+.2f} to {high:+.2f}), at most {LIMIT} %")
    sys.exit(0 if middle < LIMIT else 1)


if __name__ == "__main__":
    main()
