"""What the benchmarks share: times, anonymous memory, and a table of verdicts."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def best_times(rounds, commands, written=()):
    """The best time of each named command. They take turns, so that all share the noise.

    What they write (`written`) is removed beforehand: to throw away the file of the round before
    may mean to wait for the disk.
    """
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for name, command in commands.items():
            for path in written:
                path.unlink(missing_ok=True)
            best[name] = min(best[name], timed(command))
    return best


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
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-bench-", dir=options.folder))
    try:
        measure(options, folder)
    finally:
        shutil.rmtree(folder)
