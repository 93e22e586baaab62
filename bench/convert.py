#!/usr/bin/env python3
"""Speed, size and memory of the conversion of a Torq profile to Perfetto.

    bench/convert.py [--rows 10000000] [--rounds 5] [--folder DIR]

Generates a C2 profile, then takes turns: `wc -l`, perfetto_logger, and
perfetto_logger --no-args; the best of each counts. `wc -l` on the same file in
the same run is the yardstick, so that the ratios hold on any machine. Memory is
the most anonymous memory (RssAnon: not mapped files) in runs of their own.
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
LOGGER = ROOT / "build/bin/perfetto_logger"
GENERATOR = ROOT / "build/bench/generate_c2"

MIB = 1 << 20
LIMIT_RATIO, AIM_RATIO = 12, 8
LIMIT_BYTES, LIMIT_BYTES_BARE = 50, 32
# 16 MiB and 512 bytes for each distinct pair of location and op type (docs/architecture.md); the
# generator makes 70,000 of them.
LIMIT_MEMORY = 16 * MIB + 512 * 70_000


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def anonymous(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
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


def row(name, value, note=""):
    print(f"  {name:<28} {value:>12}   {note}".rstrip())


def judged(name, value, unit, limit, note=""):
    verdict = "OVER" if value > limit else "within"
    row(name, f"{value:.1f}{unit}", f"{verdict} {limit}{unit}{note}")


def measure(options, folder):
    profile = folder / "profile.csv"
    trace = folder / "trace.pb"
    bare = folder / "trace-no-args.pb"
    with open(profile, "wb") as file:
        subprocess.run([GENERATOR, str(options.rows)], check=True, stdout=file)
    size = profile.stat().st_size
    print(f"{options.rows:,} rows, {size / MIB:,.0f} MiB, {os.cpu_count()} CPUs, "
          f"best of {options.rounds}", flush=True)

    count = ["wc", "-l", str(profile)]
    full = [str(LOGGER), "--compile_profile", str(profile), "--pb", str(trace)]
    short = [str(LOGGER), "--compile_profile", str(profile), "--no-args", "--pb", str(bare)]
    times = {"count": [], "full": [], "short": []}
    for _ in range(options.rounds):
        for name, command in (("count", count), ("full", full), ("short", short)):
            times[name].append(timed(command))
    best = {name: min(seconds) for name, seconds in times.items()}
    memory = max(most_anonymous(full), most_anonymous(short))
    report(options.rows, best, trace.stat().st_size, bare.stat().st_size, memory)


def report(rows, best, trace_size, bare_size, memory):
    row("wc -l", f"{best['count']:.3f} s", f"{best['count'] / rows * 1e9:.0f} ns a row")
    for name, key in (("convert", "full"), ("convert --no-args", "short")):
        row(name, f"{best[key]:.3f} s", f"{best[key] / rows * 1e9:.0f} ns a row")
        judged(f"{name} / wc -l", best[key] / best["count"], "", LIMIT_RATIO, f", aim {AIM_RATIO}")
    judged("bytes a span", trace_size / rows, "", LIMIT_BYTES)
    judged("bytes a span --no-args", bare_size / rows, "", LIMIT_BYTES_BARE)
    judged("most anonymous memory", memory / MIB, " MiB", LIMIT_MEMORY // MIB)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files go (removed afterwards)")
    options = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-bench-", dir=options.folder))
    try:
        measure(options, folder)
    finally:
        shutil.rmtree(folder)


main()
