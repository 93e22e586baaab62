#!/usr/bin/env python3
"""Pages of 1 000, 1 M and 10 M spans: what they cost to write, and how quickly a browser shows them.

    bench/page.py [--rows 10000000] [--rounds 3] [--folder DIR]

Of each size: `opscope report` against `opscope top`, which reads the profile once and adds its spans up, in
processor time; the size of the page; the most anonymous memory. Then Chromium (without a GPU) opens the page: time to
the first picture, and how long frames take while the reader pans over all of it and zooms in and out; the same for
`opscope view`, with exact spans from its server. Without Chromium this part is left out, saying so.
"""

import pathlib
import statistics
import subprocess
import sys

from measuring import MIB, ROOT, all_times, c2_profile, judged, most_anonymous, row, run, section

sys.path.append(str(ROOT / "tests/e2e"))
sys.path.append(str(ROOT / "tests/gen"))
from browser import address, browse  # noqa: E402
from support import Skip  # noqa: E402

OPSCOPE = ROOT / "build/bin/opscope"
LIMIT_SIZE = 8.0  # MB, whatever the profile has
FRAMES = "performance.getEntriesByName('opscope-frame').map((one) => one.duration)"
FIRST = "performance.getEntriesByName('opscope-first-picture')[0].startTime"


def written(options, profile, page):
    commands = {"top": [str(OPSCOPE), "top", str(profile)],
                "report": [str(OPSCOPE), "report", str(profile), "-o", str(page)]}
    taken = {name: min(processor for _, processor in times)
             for name, times in all_times(options.rounds, commands).items()}
    for name, seconds in taken.items():
        row(f"{name}, processor time", f"{seconds:.2f} s")
    row("report against top", f"{taken['report'] / max(taken['top'], 1e-3):.1f} times")
    judged("size of the page", page.stat().st_size / 1e6, " MB", LIMIT_SIZE)
    row("most anonymous memory", f"{most_anonymous(commands['report']) / MIB:.0f} MiB")


def shown(place, name):
    steps = [["size", 1360, 900], ["goto", place], ["get", FIRST], ["click", "#timeline canvas"]]
    for key in [*"adadadad", *"wwwwwwwwww", *"dadada", *"ssssssssss"]:
        steps += [["press", key], ["wait", 80]]
    answers, _ = browse([*steps, ["get", FRAMES]])
    frames = sorted(answers[-1])
    row(f"{name}: first picture", f"{answers[2]:.0f} ms")
    row(f"{name}: frame, median", f"{statistics.median(frames):.1f} ms")
    row(f"{name}: frame, 9 of 10", f"{frames[len(frames) * 9 // 10]:.1f} ms", f"{len(frames)} frames")


def served(profile):
    with subprocess.Popen([OPSCOPE, "view", profile, "--no-browser"], stdout=subprocess.PIPE, text=True) as server:
        try:
            shown(server.stdout.readline().strip().removeprefix("open "), "view")
        finally:
            server.terminate()


def measure(options, folder):
    for rows in sorted({1000, min(1_000_000, options.rows), options.rows}):
        section(f"{rows:,} spans")
        profile, page = c2_profile(folder, rows), pathlib.Path(folder) / f"{rows}.html"
        written(options, profile, page)
        try:
            shown(address(page), "report")
            served(profile)
        except Skip as reason:
            row("in a browser", "left out", str(reason))
        profile.unlink()


run(__doc__, measure, rounds=3)
