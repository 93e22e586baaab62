"""What the benchmarks share: times, anonymous memory, a table of verdicts, and a file that keeps them."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from keeping import Kept

ROOT = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20
kept = Kept(pathlib.Path(sys.argv[0]).stem)


def measured(command):
    """Seconds by the clock, and of all processors."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}")
    return time.perf_counter() - started, used.ru_utime + used.ru_stime


def timed(command):
    return measured(command)[0]


def section(title):
    """What is measured from here on, of several inputs of a benchmark."""
    kept.title = title
    print(title, flush=True)


def all_times(rounds, commands, written=()):
    """Pairs of seconds (clock, processors) of each named command, round by round. They take turns, so that all share
    the noise.

    What they write (`written`) is removed beforehand: to throw away the file of the round before
    may mean to wait for the disk.
    """
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            for path in written:
                path.unlink(missing_ok=True)
            times[name].append(measured(command))
    for name, taken in times.items():
        kept.times(str(name), *zip(*taken))
    return times


def best_times(rounds, commands, written=()):
    """The best time of each by the clock."""
    return {name: min(clock for clock, _ in taken) for name, taken in all_times(rounds, commands, written).items()}


def c2_profile(folder, rows, seed=1):
    """A profile of so many spans, as opscope keeps it."""
    table, profile = folder / "profile.csv", folder / (f"{rows}.prof" if seed == 1 else f"{rows}-{seed}.prof")
    with open(table, "wb") as file:
        subprocess.run([ROOT / "build/bench/generate_c2", str(rows), str(seed)], check=True, stdout=file)
    subprocess.run([ROOT / "build/bin/opscope", "convert", table, "-o", profile], check=True,
                   stderr=subprocess.DEVNULL)
    table.unlink()
    return profile


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
    """RssAnon at its highest: not mapped files."""
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


def judged(name, value, unit, limit, note="", at_least=False):
    over = value < limit if at_least else value > limit
    kept.figure(name, value, unit, limit, at_least)
    verdict = ("UNDER" if at_least else "OVER") if over else "within"
    row(name, f"{value:.1f}{unit}", f"{verdict} {limit}{unit}{note}")


def run(description, measure, add_options=lambda parser: None, rounds=5):
    """Parses the options, with those of `add_options`, and calls measure(options, folder)."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=rounds)
    add_options(parser)
    parser.add_argument("--folder", help="where the files go (removed afterwards)")
    parser.add_argument("--keep", help="adds what is measured to this file (docs/formats/runs.md)")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-bench-", dir=options.folder))
    try:
        measure(options, folder)
        if options.keep:
            kept.save(options.keep)
    finally:
        shutil.rmtree(folder)
