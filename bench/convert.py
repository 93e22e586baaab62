#!/usr/bin/env python3
"""Speed, size and memory of the conversion of a Torq profile to Perfetto.

    bench/convert.py [--rows 10000000] [--rounds 5] [--folder DIR]

Generates a C2 profile, then takes turns: `wc -l`, perfetto_logger, and
perfetto_logger --no-args; the best of each counts. Then the same of a profile in
which every row has a location of its own. `wc -l` on the same file in the same run
is the yardstick, so that the ratios hold on any machine. Memory is the most
anonymous memory (RssAnon: not mapped files) in runs of their own. Prints a table;
says what is over its limit, and exits 0 all the same.
"""

import os
import subprocess

from measuring import MIB, ROOT, best_times, judged, kept, most_anonymous, row, run, section

LOGGER = ROOT / "build/bin/perfetto_logger"
GENERATOR = ROOT / "build/bench/generate_c2"

LIMIT_RATIO, AIM_RATIO = 12, 8
LIMIT_RATIO_OWN, AIM_RATIO_OWN = 40, 16
LIMIT_BYTES, LIMIT_BYTES_BARE = 50, 32
# 16 MiB and 512 bytes for each distinct pair of location and op type
# (docs/architecture.md), of which the generator makes 70,000; 3 MiB for each thread beyond two.
THREADS = len(os.sched_getaffinity(0))
PAIRS = 70_000


def limit_memory(pairs):
    return (16 * MIB + 512 * pairs + 3 * MIB * max(0, THREADS - 2)) // MIB


def generate(options, profile, *more):
    with open(profile, "wb") as file:
        subprocess.run([GENERATOR, str(options.rows), "1", *more], check=True, stdout=file)
    kept.figure("input", profile.stat().st_size, "B")
    kept.figure("rows", options.rows, "")


def measure(options, folder):
    profile = folder / "profile.csv"
    trace = folder / "trace.pb"
    bare = folder / "trace-no-args.pb"
    generate(options, profile)
    print(f"{options.rows:,} rows, {profile.stat().st_size / MIB:,.0f} MiB, {os.cpu_count()} CPUs, "
          f"best of {options.rounds}", flush=True)

    full = [str(LOGGER), "--compile_profile", str(profile), "--pb", str(trace)]
    short = [str(LOGGER), "--compile_profile", str(profile), "--no-args", "--pb", str(bare)]
    best = best_times(options.rounds,
                      {"count": ["wc", "-l", str(profile)], "full": full, "short": short})
    memory = max(most_anonymous(full), most_anonymous(short))
    report(options.rows, best, trace.stat().st_size, bare.stat().st_size, memory)
    section("own locations")
    generate(options, profile, "--own")
    best = best_times(options.rounds, {"count": ["wc", "-l", str(profile)], "full": full}, written=[trace])
    report_own(options.rows, best, most_anonymous(full))


def report(rows, best, trace_size, bare_size, memory):
    row("wc -l", f"{best['count']:.3f} s", f"{best['count'] / rows * 1e9:.0f} ns a row")
    for name, key in (("convert", "full"), ("convert --no-args", "short")):
        row(name, f"{best[key]:.3f} s", f"{best[key] / rows * 1e9:.0f} ns a row")
        judged(f"{name} / wc -l", best[key] / best["count"], "", LIMIT_RATIO, f", aim {AIM_RATIO}")
    judged("bytes a span", trace_size / rows, "", LIMIT_BYTES)
    judged("bytes a span --no-args", bare_size / rows, "", LIMIT_BYTES_BARE)
    judged("most anonymous memory", memory / MIB, " MiB", limit_memory(PAIRS))


def report_own(rows, best, memory):
    row("convert", f"{best['full']:.3f} s", f"{best['full'] / rows * 1e9:.0f} ns a row")
    judged("convert / wc -l", best["full"] / best["count"], "", LIMIT_RATIO_OWN, f", aim {AIM_RATIO_OWN}")
    judged("most anonymous memory", memory / MIB, " MiB", limit_memory(rows))


run(__doc__, measure)
