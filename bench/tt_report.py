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

import os
import subprocess
import sys

from measuring import MIB, ROOT, best_times, judged, kept, most_anonymous, row, run, timed

OPSCOPE = ROOT / "build/bin/opscope"
GENERATOR = ROOT / "build/bench/generate_tt_logs"
YARDSTICK = ROOT / "bench/tt_yardstick.py"

LIMIT_RATIO = 15
LIMIT_PYTHON = 10
CORES, ROWS_PER_OP = 64, 1600
# Arrays grow by doubling, so twice the bytes that the headers state: 32 per run
# and core, 320 per run, and the report's cells (16 bytes each, about 80 a row)
# and texts; 4 MiB for everything that does not grow.
BYTES_PER_OP = 2 * (32 * CORES + 320 + 200 + 80 * 16 + 2500)
# 2 MiB for each thread, which has parts of the log under way.
BASE = 4 * MIB + 2 * MIB * len(os.sched_getaffinity(0))


def measure(options, folder):
    subprocess.run([GENERATOR, str(options.rows), folder / "logs"], check=True)
    files = sorted((folder / "logs").iterdir())
    size = sum(file.stat().st_size for file in files)
    print(f"{options.rows:,} rows, {size / MIB:,.0f} MiB, {os.cpu_count()} CPUs, "
          f"best of {options.rounds}", flush=True)
    kept.figure("input", size, "B")
    kept.figure("rows", options.rows, "")
    command = [str(OPSCOPE), "tt-report", str(folder / "logs"), "-o", str(folder / "report.csv")]
    best = best_times(options.rounds,
                      {"count": ["wc", "-l", *map(str, files)], "report": command})
    python = timed([sys.executable, str(YARDSTICK), str(folder / "logs/profile_log_device.csv")])
    report(options.rows, best, python, most_anonymous(command))


def report(rows, best, python, memory):
    bound = BASE + (rows // ROWS_PER_OP + 1) * BYTES_PER_OP
    for name, seconds in (("wc -l", best["count"]), ("tt-report", best["report"]),
                          ("Python's csv module", python)):
        row(name, f"{seconds:.3f} s", f"{seconds / rows * 1e9:.0f} ns a row")
    judged("tt-report / wc -l", best["report"] / best["count"], "", LIMIT_RATIO)
    judged("Python / tt-report", python / best["report"], "", LIMIT_PYTHON, at_least=True)
    judged("most anonymous memory", memory / MIB, " MiB", bound // MIB)


run(__doc__, measure)
