#!/usr/bin/env python3
"""Time and memory of pictures of a timeline.

    bench/timeline.py [--rows 10000000] [--rounds 5] [--folder DIR]

Generates a C2 profile and converts it to opscope's own form, then takes turns:
`opscope info` of it, which reads it once, and a picture as SVG and as PNG; the best of
each counts. Memory is the most anonymous memory (not mapped files) in runs of their own:
it must not grow with the number of spans, so that a tenth of them is measured too. A PNG
may take what its pixels take besides.
"""

import struct

from measuring import MIB, ROOT, best_times, c2_profile, judged, kept, most_anonymous, row, run

OPSCOPE = ROOT / "build/bin/opscope"
LIMIT_MEMORY = 16 * MIB
LIMIT_GROWTH = 1.5
BYTES_OF_PIXEL = 5


def pictures(folder, profile):
    return {form: [str(OPSCOPE), "timeline", str(profile), "-o", str(folder / f"t.{form}")]
            for form in ("svg", "png")}


def limit_memory(form, picture):
    """In MiB."""
    if form != "png":
        return LIMIT_MEMORY // MIB
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return round((LIMIT_MEMORY + BYTES_OF_PIXEL * width * height) / MIB)


def measure(options, folder):
    profile = c2_profile(folder, options.rows)
    few = c2_profile(folder, max(1000, options.rows // 10))
    print(f"{options.rows:,} spans, {profile.stat().st_size / MIB:,.0f} MiB, best of {options.rounds}",
          flush=True)
    kept.figure("rows", options.rows, "")
    commands = pictures(folder, profile)
    best = best_times(options.rounds, {"info": [str(OPSCOPE), "info", str(profile)], **commands})
    for name, seconds in best.items():
        row(f"timeline -o x.{name}" if name != "info" else name, f"{seconds:.3f} s",
            f"{seconds / options.rows * 1e9:.0f} ns a span")
    for form, command in commands.items():
        memory = most_anonymous(command)
        judged(f"most anonymous memory, {form}", memory / MIB, " MiB", limit_memory(form, folder / f"t.{form}"))
        judged("  against a tenth of the spans", memory / most_anonymous(pictures(folder, few)[form]),
               " times", LIMIT_GROWTH)
        row(f"size of the {form}", f"{(folder / f't.{form}').stat().st_size / 1024:.0f} KiB")


run(__doc__, measure)
