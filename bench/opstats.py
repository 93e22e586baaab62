#!/usr/bin/env python3
"""Speed and memory of qaic-opstats: statistics buffers to summaries, traces and a report.

    bench/opstats.py [--bytes 1000000000] [--operations 200000] [--rounds 3] [--folder DIR]

Generates buffers of as many bytes, of a network of 16 cores with as many operations. Takes turns:
`cat` of all buffers, `qaic-opstats --summary` and `--report` of them, and `--trace` of one of them;
the best of each counts. `cat` of the same files in the same run is the yardstick, so that the
ratios hold on any machine. Prints executions of operations a second and the bytes of each. Memory
is the most anonymous memory (RssAnon: not mapped files): of many buffers it must be that of one,
for each thread.
Prints a table; says what is over its limit, and exits 0 all the same.
"""

import os
import shutil
import subprocess

from measuring import MIB, ROOT, best_times, judged, kept, most_anonymous, row, run

OPSTATS = str(ROOT / "build/bin/qaic-opstats")
GENERATOR = ROOT / "build/bench/generate_qaic"

LIMIT_SUMMARY = 10  # times as long as cat
LIMIT_TRACE = 150  # times as long as cat of the same buffer, which is a tenth of the trace
LIMIT_MEMORY = 1.1  # of many buffers beside one


def measure(options, folder):
    subprocess.run([GENERATOR, folder, str(options.bytes), str(options.operations)], check=True)
    buffers = sorted((folder / "stats").iterdir())
    size = sum(path.stat().st_size for path in buffers)
    executions = len(buffers) * options.operations
    one = folder / "one"
    one.mkdir(exist_ok=True)
    shutil.copy(buffers[0], one)

    def opstats(source, *what):
        return [OPSTATS, "-q", str(folder), "-i", str(source), "-o", str(folder / "out"), *what]
    print(f"qaic-opstats, {len(buffers)} buffers of {options.operations:,} operations, {size / 1e6:,.0f} MB, "
          f"{os.cpu_count()} CPUs, best of {options.rounds}", flush=True)
    best = best_times(options.rounds, {
        "cat": ["sh", "-c", 'cat "$@" > /dev/null', "cat", *map(str, buffers)],
        "summary": opstats(folder / "stats", "--summary"),
        "report": opstats(folder / "stats", "--report", "--json"),
        "cat of one": ["sh", "-c", 'cat "$@" > /dev/null', "cat", str(buffers[0])],
        "trace": opstats(one, "--trace"),
    })
    trace = next((folder / "out").glob("*.trace.json")).stat().st_size
    row("bytes of an execution", f"{size / executions:.1f}", "in a buffer")
    row("", f"{trace / options.operations:.0f}", "in a trace")
    kept.figure("input", size, "B")
    row("cat", f"{best['cat']:.3f} s", f"{size / best['cat'] / 1e6:,.0f} MB a second")
    for name in ("summary", "report"):
        row(name, f"{best[name]:.3f} s", f"{executions / best[name] / 1e6:.1f} million executions a second")
        judged(f"{name} / cat", best[name] / best["cat"], "", LIMIT_SUMMARY)
    row("trace of one", f"{best['trace']:.3f} s",
        f"{options.operations / best['trace'] / 1e6:.2f} million executions, {trace / best['trace'] / 1e6:,.0f} MB a second")
    judged("trace / cat of one", best["trace"] / best["cat of one"], "", LIMIT_TRACE)
    alone = ["env", "OPSCOPE_THREADS=1"]
    single = most_anonymous([*alone, *opstats(one, "--summary")])
    many = most_anonymous([*alone, *opstats(folder / "stats", "--summary")])
    threaded = most_anonymous(opstats(folder / "stats", "--summary"))
    row("anonymous memory, one buffer", f"{single / MIB:.1f} MiB", f"{single / options.operations:.0f} bytes an operation")
    row("anonymous memory, all", f"{many / MIB:.1f} MiB")
    judged("all / one", many / single, "", LIMIT_MEMORY, ", with one thread")
    row("with all threads", f"{threaded / MIB:.1f} MiB")
    row("anonymous memory, trace", f"{most_anonymous(opstats(one, '--trace')) / MIB:.1f} MiB")


def add_options(parser):
    parser.add_argument("--bytes", type=int, default=1_000_000_000)
    parser.add_argument("--operations", type=int, default=200_000)


run(__doc__, measure, add_options, rounds=3)
