#!/usr/bin/env python3
"""Speed and memory of reading and writing Chrome traces.

    bench/chrome.py [--bytes 1000000000] [--rounds 5] [--folder DIR]

Generates a trace without flows and one with an arrow for each kernel. For each takes turns:
`wc -l`, `opscope info` (which reads all of it into a profile), and `opscope convert` of that
profile to a Chrome trace again; the best of each counts. `wc -l` on the same file in the same run
is the yardstick, so that the ratios hold on any machine; of what is written, its bytes count, for
the same file has others. Memory is the most anonymous memory (RssAnon: not mapped files) in runs of
their own. Prints a table; says what is over its limit, and exits 0 all the same.
"""

import os
import subprocess

from measuring import MIB, ROOT, best_times, judged, kept, most_anonymous, row, run, section

OPSCOPE = str(ROOT / "build/bin/opscope")
GENERATOR = ROOT / "build/bench/generate_chrome"

LIMIT_READING = LIMIT_WRITING = 10  # times as long as wc -l for as many bytes
LIMIT_MEMORY = 32 * MIB  # src/formats/chrome/reader.h


def measure_trace(options, folder, flows):
    trace, profile, again = (folder / name for name in ("trace.json", "trace.prof", "again.json"))
    with open(trace, "wb") as file:
        subprocess.run([GENERATOR, str(options.bytes), *flows], check=True, stdout=file)
    subprocess.run([OPSCOPE, "convert", str(trace), "-o", str(profile)], check=True)
    kept.figure("input", trace.stat().st_size, "B")
    reading = [OPSCOPE, "info", str(trace)]
    writing = [OPSCOPE, "convert", str(profile), "-o", str(again)]
    best = best_times(options.rounds, {"count": ["wc", "-l", str(trace)], "read": reading,
                                       "write": writing}, written=[again])
    kept.figure("output", again.stat().st_size, "B")
    # "write" comes last in its round: its file is still there.
    speed = {"read": trace.stat().st_size / best["read"], "write": again.stat().st_size / best["write"]}
    row("wc -l", f"{best['count']:.3f} s")
    for name in ("read", "write"):
        row(name, f"{best[name]:.3f} s", f"{speed[name] / 1e6:.0f} MB a second")
    judged("read / wc -l", best["read"] / best["count"], "", LIMIT_READING)
    judged("write / wc -l, a byte", trace.stat().st_size / best["count"] / speed["write"], "", LIMIT_WRITING)
    for name, command in (("reading", reading), ("writing", writing)):
        judged(f"anonymous memory {name}", most_anonymous(command) / MIB, " MiB",
               LIMIT_MEMORY // MIB)
    for path in (trace, profile, again):
        path.unlink()


def measure(options, folder):
    print(f"Chrome traces, {options.bytes / 1e6:,.0f} MB, {os.cpu_count()} CPUs, "
          f"best of {options.rounds}", flush=True)
    for title, flows in (("without flows", []), ("with flows", ["--flows"])):
        section(title)
        measure_trace(options, folder, flows)


def add_options(parser):
    parser.add_argument("--bytes", type=int, default=1_000_000_000)


run(__doc__, measure, add_options)
