#!/usr/bin/env python3
"""Runs the tests and counts them.

    tests/run.py [SUITE ...] [--only TEXT] [--jobs N]

Suites (all of them when none is named):
    unit    tests/unit/test_*.c, built in build/
    e2e     tests/e2e/NNN_*.py against build/bin
    asan    both again with the address and undefined-behaviour sanitizers
            (build-asan/), and the seeds of tests/fuzz/corpus
    fuzz    each tests/fuzz/fuzz_*.c for FUZZ_SECONDS (5) from FUZZ_SEED (1; 0 is
            any) in build-fuzz/
    lint    scripts/lint.sh

A test is a command. Exit 0 is a pass, 77 of an end-to-end test a skip (its last
line says why), all else a failure. Where it prints TAP ("ok 1 - name", "not ok 2 - name", "ok 3 -
name # SKIP why") each line counts for itself. The last line is
"N passed, N failed, N skipped"; exit 1 when anything failed.
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS / "e2e"))
import support  # pylint: disable=wrong-import-position

SKIP = 77
TIMEOUT = 3600  # a guard against what hangs; a busy machine and sanitizers are slow
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
}
TAP = re.compile(r"^\s*(not )?ok \d+(?: - )?([^#]*)(?:# *SKIP *(.*))?$", re.IGNORECASE)


class Test:
    def __init__(self, name, command, timeout=TIMEOUT, may_skip=False, on_failure="",
                 **environment):
        self.name = name
        self.command = [str(word) for word in command]
        self.timeout = timeout
        self.may_skip = may_skip
        self.on_failure = on_failure
        self.environment = environment


@functools.cache
def trace_processor_environment():
    """Fetches trace_processor once: without a network every test would wait in vain."""
    fetched = support.fetch_trace_processor()
    return {} if fetched.code != 77 else {"OPSCOPE_NO_TRACE_PROCESSOR": fetched.err.strip()}


def find_unit(build, prefix, **environment):
    for source in sorted((TESTS / "unit").glob("test_*.c")):
        yield Test(f"{prefix} {source.stem}", [ROOT / build / "tests" / source.stem],
                   CMOCKA_MESSAGE_OUTPUT="TAP", **environment)


def find_e2e(build, prefix, **environment):
    environment.update(trace_processor_environment())
    for script in sorted((TESTS / "e2e").glob("[0-9]*.py")):
        yield Test(f"{prefix} {script.stem}", [sys.executable, script], may_skip=True,
                   OPSCOPE_BIN=str(ROOT / build / "bin"), **environment)


def find_asan():
    environment = dict(SANITIZERS, OPSCOPE_SANITIZED="1")
    yield from find_unit("build-asan", "asan", **environment)
    for source in sorted((TESTS / "fuzz").glob("fuzz_*.c")):
        name = source.stem.removeprefix("fuzz_")
        yield Test(f"asan seeds of {name}",
                   [ROOT / "build-asan/tests" / f"replay_{name}", TESTS / "fuzz/corpus" / name],
                   **environment)
    yield from find_e2e("build-asan", "asan", **environment)


def find_fuzz():
    seconds = int(os.environ.get("FUZZ_SECONDS", "5"))
    seed = os.environ.get("FUZZ_SEED", "1")
    for source in sorted((TESTS / "fuzz").glob("fuzz_*.c")):
        name = source.stem.removeprefix("fuzz_")
        found = ROOT / "build-fuzz/corpus" / name
        crashes = ROOT / "build-fuzz/crashes"
        found.mkdir(parents=True, exist_ok=True)
        crashes.mkdir(exist_ok=True)
        yield Test(f"fuzz {name}",
                   [ROOT / "build-fuzz/tests" / source.stem, f"-max_total_time={seconds}",
                    f"-seed={seed}", "-timeout=120", "-rss_limit_mb=2048", "-error_exitcode=99",
                    "-timeout_exitcode=99",
                    f"-artifact_prefix={crashes}/{name}-", found, TESTS / "fuzz/corpus" / name],
                   timeout=seconds + TIMEOUT,
                   on_failure=f"the input is in {crashes.relative_to(ROOT)}/{name}-*: "
                   f"keep it in tests/fuzz/corpus/{name} once it is mended",
                   **SANITIZERS)


def find_lint():
    yield Test("lint", [ROOT / "scripts/lint.sh"])


SUITES = {
    "unit": lambda: find_unit("build", "unit"),
    "e2e": lambda: find_e2e("build", "e2e"),
    "asan": find_asan,
    "fuzz": find_fuzz,
    "lint": find_lint,
}


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()

    def add(self, passed, failed, skipped):
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.skipped += skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def execute(test):
    """The exit code and the output; a whole process group ends at the timeout."""
    if not os.access(test.command[0], os.X_OK):
        return 1, f"{test.command[0]} was not built: is it in tests/meson.build?\n"
    process = subprocess.Popen(test.command, cwd=ROOT, env={**os.environ, **test.environment},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=test.timeout)
        return process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return 1, output.decode(errors="replace") + f"ended after {test.timeout} s\n"


def judge(code, output, may_skip):
    """(passed, failed, [reason of each skip])"""
    cases = [match for match in map(TAP.match, output.splitlines()) if match]
    skips = [f"{case[2].strip()}: {case[3].strip()}" for case in cases if case[3] is not None]
    # cmocka writes "not ok" for a case that was skipped.
    failed = sum(1 for case in cases if case[1] and case[3] is None)
    passed = len(cases) - failed - len(skips)
    if code == SKIP and may_skip and not cases:
        return 0, 0, [output.strip().rpartition("\n")[2] or "no reason given"]
    if code != 0 and failed == 0:
        failed = 1
    if code == 0 and not cases:
        passed = 1
    return passed, failed, skips


def run(test, counts):
    start = time.monotonic()
    code, output = execute(test)
    seconds = time.monotonic() - start
    passed, failed, skips = judge(code, output, test.may_skip)
    counts.add(passed, failed, len(skips))

    word = "FAIL" if failed else "pass" if passed else "skip"
    lines = [f"{word}  {seconds:6.1f} s  {test.name}" + (f"  ({passed})" if passed > 1 else "")]
    lines += [f"      skipped {reason}" for reason in skips]
    if failed:
        lines += ["      | " + line for line in output.splitlines()[-200:]]
        if code < 0:
            lines.append(f"      ended by {signal.Signals(-code).name}")
        if test.on_failure:
            lines.append("      " + test.on_failure)
    print("\n".join(lines), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", choices=[[], *SUITES])
    parser.add_argument("--only", default="", metavar="TEXT", help="tests whose name has TEXT")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), metavar="N")
    options = parser.parse_args()

    tests = [test for suite in options.suites or SUITES for test in SUITES[suite]()
             if options.only in test.name]
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(lambda test: run(test, counts), tests):
            pass
    print(counts)
    return 1 if counts.failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
