#!/usr/bin/env python3
"""Time and memory of pictures of a timeline.

    bench/timeline.py [--rows 10000000] [--rounds 5] [--folder DIR]

Generates a C2 profile and converts it to opscope's own form, then takes turns:
`opscope info` of it, which reads it once, and a picture as SVG and as PNG; the best of
each counts. Memory is the most anonymous memory (not mapped files) in runs of their own:
it must not grow with the number of spans, so that a tenth of them is measured too.
"""

import subprocess

from measuring import MIB, ROOT, best_times, judged, most_anonymous, row, run

OPSCOPE = ROOT / "build/bin/opscope"
GENERATOR = ROOT / "build/bench/generate_c2"
LIMIT_MEMORY = 16 * MIB
LIMIT_GROWTH = 1.5


def make(folder, rows):
    table, profile = folder / "profile.csv", folder / f"{rows}.prof"
    with open(table, "wb") as file:
        subprocess.run([GENERATOR, str(rows)], check=True, stdout=file)
    subprocess.run([OPSCOPE, "convert", table, "-o", profile], check=True, stderr=subprocess.DEVNULL)
    table.unlink()
    return profile


def pictures(folder, profile):
    return {form: [str(OPSCOPE), "timeline", str(profile), "-o", str(folder / f"t.{form}")]
            for form in ("svg", "png")}


def measure(options, folder):
    profile = make(folder, options.rows)
    few = make(folder, max(1000, options.rows // 10))
    print(f"{options.rows:,} spans, {profile.stat().st_size / MIB:,.0f} MiB, best of {options.rounds}",
          flush=True)
    commands = pictures(folder, profile)
    best = best_times(options.rounds, {"info": [str(OPSCOPE), "info", str(profile)], **commands})
    for name, seconds in best.items():
        row(f"timeline -o x.{name}" if name != "info" else name, f"{seconds:.3f} s",
            f"{seconds / options.rows * 1e9:.0f} ns a span")
    for form, command in commands.items():
        memory = most_anonymous(command)
        judged(f"most anonymous memory, {form}", memory / MIB, " MiB", LIMIT_MEMORY // MIB)
        judged("  against a tenth of the spans", memory / most_anonymous(pictures(folder, few)[form]),
               " times", LIMIT_GROWTH)
        row(f"size of the {form}", f"{(folder / f't.{form}').stat().st_size / 1024:.0f} KiB")


run(__doc__, measure)
