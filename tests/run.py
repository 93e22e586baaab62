#!/usr/bin/env python3
"""Runs the tests and counts them; builds nothing.

    tests/run.py [SUITE ...] [--only TEXT] [--jobs N]

Suites (the first five when none is named):
    unit    tests/unit/test_*.c of build/, by meson test
    e2e     tests/e2e/NNN_*.py against build/bin, by pytest
    asan    both again with the address and undefined-behaviour sanitizers
            (build-asan/), and the seeds of tests/fuzz/corpus
    fuzz    each tests/fuzz/fuzz_*.c for FUZZ_SECONDS (5) from FUZZ_SEED (1; 0 is
            any) in build-fuzz/
    lint    scripts/lint.sh
    long    what takes longer: the end-to-end tests that take a sample of the networks
            with all of them, every call that can fail, mutated programs in build-asan, files that
            change a thousand times, what works on several threads under the thread
            sanitizer (build-tsan/), tests/conformance.py and tests/fuzz.py

--only takes the tests whose name has TEXT (of end-to-end tests, what pytest's -k
takes). The last line is "N passed, N failed, N skipped"; exit 1 when anything failed.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
import support  # pylint: disable=wrong-import-position

TIMEOUT = 4 * 3600  # of a part; a guard against what hangs
ORACLES = ("trace-processor", "onnxruntime", "npm-networks", "browser-tools", "mcp-client")
TAP = re.compile(r"^\s*(not )?ok \d+(?: - )?([^#]*)(# *SKIP *(.*))?$", re.IGNORECASE)
# End-to-end tests that take all networks instead of some when OPSCOPE_ALL is set, or that build
# something of their own; conformance.py runs the others of this kind.
SAMPLES = "042_million or 046_changing or 051_faults or 527_invented or 540_run or 624_damaged or 630_run or 632_annotate or 663_aarch64 or 905_packages"
# Files that make threads work together, whatever they do: a race ends the program with an exit of its own.
THREADED = "052_threads or 053_unpacked or 054_threads"

Counts = collections.namedtuple("Counts", "passed failed skipped")
NONE = Counts(0, 0, 0)


def add(one, other):
    return Counts(*map(sum, zip(one, other)))


def execute(command, **environment):
    """The exit code; what it prints is printed. A whole process group ends at the timeout."""
    with subprocess.Popen([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return process.wait(TIMEOUT)
        except BaseException as reason:  # Ctrl-C does not reach a session of its own
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
            print(f"ended after {TIMEOUT} s: {command[0]}")
            return 1


# meson test ------------------------------------------------------------------

def judge_meson(test):
    """The counts of one test of meson's log: each line of TAP, or the test as a whole."""
    cases = [match for match in map(TAP.match, test.get("stdout", "").splitlines()) if match]
    failed = sum(1 for case in cases if case[1])
    skipped = sum(1 for case in cases if case[3] and not case[1])
    if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL"):
        failed = max(failed, 1)
    passed = 1 if not cases and not failed else sum(1 for case in cases if not case[1] and not case[3])
    for case in cases:
        if case[3]:
            print(f"skipped {test['name']}: {case[2].strip()}")
    return Counts(passed, failed, skipped)


def run_meson(options, build, *suites, **environment):
    base = ["meson", "test", "-C", ROOT / build, *(f"--suite={suite}" for suite in suites)]
    names = []
    if options.only:
        listed = subprocess.run([*map(str, base), "--list"], capture_output=True, text=True, check=False)
        names = [line.rpartition(" / ")[2] for line in listed.stdout.splitlines() if options.only in line]
        if not names:
            return NONE
    log = ROOT / build / "meson-logs" / f"{'-'.join(suites)}.json"
    log.unlink(missing_ok=True)
    execute([*base, "--no-rebuild", "--print-errorlogs", f"--num-processes={options.jobs}",
             f"--logbase={log.stem}", *names], **environment)
    if not log.exists():
        print(f"meson test -C {build} ran nothing: is {build} built?")
        return Counts(0, 1, 0)
    counts = NONE
    for line in log.read_text(encoding="utf-8").splitlines():
        counts = add(counts, judge_meson(json.loads(line)))
    return counts


# pytest ----------------------------------------------------------------------

def python_with_pytest():
    """Debian's own has what scripts/install-dependencies.sh installs; the first on the path may be another."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pytest, xdist"], capture_output=True, check=False).returncode == 0:
            return python
    return sys.exit("no python3 has pytest and xdist: scripts/install-dependencies.sh test")


def fetch_oracles():
    """Once, before all tests: without a network each would wait in vain."""
    reasons = {}
    for oracle in ORACLES:
        folder, reason = support.fetch(oracle)
        if folder is None:
            reasons[support.fetch_variable(oracle)] = reason
    return reasons


def run_pytest(options, build, only="", **environment):
    report = ROOT / build / "pytest.xml"
    report.unlink(missing_ok=True)
    chosen = " and ".join(f"({text})" for text in (only, options.only) if text)
    code = execute([python_with_pytest(), "-m", "pytest", "tests/e2e", "--build", build, "-q", "-n", options.jobs,
                    "--durations=15", f"--junitxml={report}", *(["-k", chosen] if chosen else [])],
                   **fetch_oracles(), **environment)
    if code == 5 and options.only:  # none has this name
        return NONE
    if not report.exists():
        print(f"pytest ended with {code} and left no report")
        return Counts(0, 1, 0)
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    failed = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    passed = len(cases) - failed - skipped
    return Counts(passed, max(failed, code != 0), skipped)


# Suites ----------------------------------------------------------------------

def run_script(script, **environment):
    failed = execute([sys.executable, ROOT / "tests" / script], **environment)
    return Counts(0, 1, 0) if failed else Counts(1, 0, 0)


SUITES = {
    "unit": [lambda options: run_meson(options, "build", "unit")],
    "e2e": [lambda options: run_pytest(options, "build")],
    "asan": [lambda options: run_meson(options, "build-asan", "unit", "seeds"),
             lambda options: run_pytest(options, "build-asan")],
    "fuzz": [lambda options: run_meson(options, "build-fuzz", "fuzz")],
    "lint": [lambda options: run_meson(options, "build", "lint")],
    "long": [lambda options: run_pytest(options, "build", SAMPLES, OPSCOPE_ALL="1"),
             lambda options: run_pytest(options, "build-asan", "626_mutated", OPSCOPE_ALL="1"),
             lambda options: run_pytest(options, "build-tsan", THREADED),
             lambda options: run_script("conformance.py", OPSCOPE_ALL="1"),
             lambda options: run_script("fuzz.py")],
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", choices=[[], *SUITES])
    parser.add_argument("--only", default="", metavar="TEXT", help="tests whose name has TEXT")
    parser.add_argument("--jobs", type=int, default=min(len(os.sched_getaffinity(0)), 4), metavar="N")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # in order with what the parts print

    counts = NONE
    for suite in options.suites or list(SUITES)[:-1]:
        for part in SUITES[suite]:
            counts = add(counts, part(options))
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return 1 if counts.failed or counts == NONE else 0


if __name__ == "__main__":
    sys.exit(main())
