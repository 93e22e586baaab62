#!/usr/bin/env python3
"""Prints which share of the lines the tests run, by room: make coverage.

    coverage.py [--only TEXT] [--files] [SUITE ...]

Suites are unit and e2e (both when none is named), run in build-coverage/; --only takes
some of the end-to-end tests, as pytest's -k does. --files prints a line for every source
file as well. A test that fails is said and changes nothing: what it ran counts.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = "build-coverage"
sys.path.insert(0, str(ROOT / "tests"))
import run as tests  # pylint: disable=wrong-import-position


def run_suites(suites, only):
    options = argparse.Namespace(only="", jobs=len(os.sched_getaffinity(0)))
    counts = tests.NONE
    if "unit" in suites:
        counts = tests.add(counts, tests.run_meson(options, BUILD, "unit"))
    if "e2e" in suites:
        counts = tests.add(counts, tests.run_pytest(options, BUILD, only))
    return counts


def measure():
    """{source file: (lines run, lines)}"""
    report = ROOT / BUILD / "coverage.json"
    subprocess.run(["gcovr", "--root", str(ROOT), "--filter", "src/", "--gcov-ignore-parse-errors", "-j",
                    str(len(os.sched_getaffinity(0))), "--json-summary", str(report), str(ROOT / BUILD)],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    return {file["filename"]: (file["line_covered"], file["line_total"]) for file in files}


def print_row(name, covered, total):
    print(f"{name:44} {covered:7} {total:7} {100 * covered / max(total, 1):7.1f} %")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", choices=[[], "unit", "e2e"])
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    for old in (ROOT / BUILD).rglob("*.gcda"):
        old.unlink()
    counts = run_suites(options.suites or ["unit", "e2e"], options.only)

    lines = measure()
    rooms = collections.defaultdict(lambda: [0, 0])
    for name, figures in lines.items():
        for key in (name.split("/")[1], "all"):
            rooms[key] = [old + new for old, new in zip(rooms[key], figures)]
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    print(f"{'':44} {'run':>7} {'lines':>7}")
    for name, figures in sorted(lines.items()) if options.files else ():
        print_row(name, *figures)
    for room in sorted(rooms, key=lambda room: (room == "all", room)):
        print_row(room if room == "all" else f"src/{room}", *rooms[room])


if __name__ == "__main__":
    main()
