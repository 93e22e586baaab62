#!/usr/bin/env python3
"""Speed and memory of the operations report from Tenstorrent's logs.

    bench/tt_report.py [--rows 10000000] [--rounds 5] [--folder DIR]

Generates a capture, then takes turns: `wc -l` on its three files and `opscope
tt-report`; the best of each counts. `wc -l` on the same files in the same run is
the yardstick, so that the ratio holds on any machine. bench/tt_yardstick.py, a
plain pass of Python's csv module, runs once. Memory is the most anonymous memory
(RssAnon: not mapped files), against the bound of src/formats/tenstorrent/logs.h.
Prints a table; says what is over its limit, and exits 0 all the same.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPSCOPE = ROOT / "build/bin/opscope"
GENERATOR = ROOT / "build/bench/generate_tt_logs"
YARDSTICK = ROOT / "bench/tt_yardstick.py"

MIB = 1 << 20
LIMIT_RATIO = 15
LIMIT_PYTHON = 10
CORES, ROWS_PER_OP = 64, 1600
# Arrays grow by doubling, so twice the bytes that the headers state: 32 per run
# and core, 320 per run, and the report's cells (16 bytes each, about 80 a row)
# and texts; 4 MiB for everything that does not grow.
BYTES_PER_OP = 2 * (32 * CORES + 320 + 200 + 80 * 16 + 2500)
BASE = 4 * MIB


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def anonymous(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def most_anonymous(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, anonymous(process.pid))
        time.sleep(0.001)
    if process.returncode != 0:
        sys.exit(f"{command[0]}: exit {process.returncode}")
    return most


def row(name, value, limit="", over=False, note=""):
    verdict = ("over" if over else "ok") if limit else ""
    print(f"  {name:<34} {value:>12}   {limit:>10}   {verdict:<4}  {note}".rstrip())


def measure(options, folder):
    subprocess.run([options.generator, str(options.rows), folder / "logs"], check=True)
    files = sorted((folder / "logs").iterdir())
    size = sum(file.stat().st_size for file in files)
    print(f"{options.rows:,} rows, {size / MIB:,.0f} MiB, {os.cpu_count()} CPUs, "
          f"best of {options.rounds}", flush=True)
    count = ["wc", "-l", *map(str, files)]
    report = [str(options.opscope), "tt-report", str(folder / "logs"), "-o",
              str(folder / "report.csv")]
    best = {"count": 1e9, "report": 1e9}
    for _ in range(options.rounds):
        for name, command in (("count", count), ("report", report)):
            best[name] = min(best[name], timed(command))
    python = timed([sys.executable, str(YARDSTICK), str(folder / "logs/profile_log_device.csv")])
    memory = most_anonymous(report)
    bound = BASE + (options.rows // ROWS_PER_OP + 1) * BYTES_PER_OP
    ratio = best["report"] / best["count"]
    print(f"\n  {'':<34} {'measured':>12}   {'limit':>10}")
    for name, key in (("wc -l", "count"), ("tt-report", "report")):
        row(name, f"{best[key]:.3f} s", note=f"{best[key] / options.rows * 1e9:.0f} ns a row")
    row("tt-report / wc -l", f"{ratio:.1f}", str(LIMIT_RATIO), ratio > LIMIT_RATIO)
    row("Python's csv module", f"{python:.3f} s", note=f"{python / options.rows * 1e9:.0f} ns a row")
    row("Python / tt-report", f"{python / best['report']:.1f}", f">= {LIMIT_PYTHON}",
        python / best["report"] < LIMIT_PYTHON)
    row("most anonymous memory", f"{memory / MIB:.1f} MiB", f"{bound / MIB:.0f} MiB",
        memory > bound)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files go (removed afterwards)")
    parser.add_argument("--opscope", default=OPSCOPE, help="the program to measure")
    parser.add_argument("--generator", default=GENERATOR)
    options = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-bench-", dir=options.folder))
    try:
        measure(options, folder)
    finally:
        shutil.rmtree(folder)


main()
