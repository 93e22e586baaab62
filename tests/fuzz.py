#!/usr/bin/env python3
"""Invents inputs for every fuzz target, and keeps what it learned: `make fuzz`.

    tests/fuzz.py [--only TEXT] [--jobs N]

Each target of build-fuzz runs for its share of FUZZ_TOTAL seconds (a minute for each), and longer until
it has had FUZZ_LEAST executions (10000). It starts from the seeds in tests/fuzz/corpus and from
what earlier runs found, in FUZZ_CORPUS (build-fuzz/corpus), which is made as small as it can be
afterwards. FUZZ_SEED (0: any). Prints executions of each and of all; exit 1 when one failed: the
input is in build-fuzz/crashes.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-fuzz"
SEEDS = ROOT / "tests/fuzz/corpus"
CRASHES = BUILD / "crashes"
KEPT = pathlib.Path(os.environ.get("FUZZ_CORPUS", BUILD / "corpus")).resolve()
LEAST = int(os.environ.get("FUZZ_LEAST", "10000"))
SEED = os.environ.get("FUZZ_SEED", "0")
LIMITS = ["-timeout=120", "-rss_limit_mb=2048", "-error_exitcode=99", "-timeout_exitcode=99"]
ROUNDS = 10  # of a share, until a target has had its least
ENVIRONMENT = {**os.environ, "OPSCOPE_SANITIZED": "1",
               "ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1",
               "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99"}


def targets():
    """Those of tests/meson.build, which must be built."""
    text = (ROOT / "tests/meson.build").read_text(encoding="utf-8")
    names = re.findall(r"'(\w+)'", re.search(r"^fuzz_targets = \[(.*?)^\]", text, re.MULTILINE | re.DOTALL)[1])
    missing = [name for name in names if not (BUILD / f"tests/fuzz_{name}").exists()]
    if missing:
        sys.exit(f"not built: {' '.join(missing)}: make build-fuzz")
    return names


def execute(name, *words):
    done = subprocess.run([str(BUILD / f"tests/fuzz_{name}"), *map(str, words)], cwd=ROOT, env=ENVIRONMENT,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def invent(name, seconds):
    """(exit code, executions, seconds, what was said last)"""
    executions = spent = 0
    for _ in range(ROUNDS):
        code, said = execute(name, f"-max_total_time={max(1, round(seconds))}", f"-seed={SEED}", *LIMITS,
                             "-print_final_stats=1", f"-artifact_prefix={CRASHES}/{name}-", KEPT / name, SEEDS / name)
        done = re.search(r"number_of_executed_units: (\d+)", said)
        executions += int(done[1]) if done else 0
        spent += max(1, round(seconds))
        if code != 0 or executions >= LEAST:
            break
    return code, executions, spent, said


def minimise(name):
    """Keeps of the corpus what reaches something that the seeds do not. How many files that are."""
    smaller = KEPT / f".{name}.smaller"
    shutil.rmtree(smaller, ignore_errors=True)
    shutil.copytree(SEEDS / name, smaller)
    seeds = set(os.listdir(smaller))
    code, _ = execute(name, "-merge=1", *LIMITS, smaller, KEPT / name)
    if code == 0:
        for seed in seeds:
            (smaller / seed).unlink()
        shutil.rmtree(KEPT / name)
        smaller.rename(KEPT / name)
    shutil.rmtree(smaller, ignore_errors=True)
    return len(os.listdir(KEPT / name))


def fuzz(name, seconds):
    (KEPT / name).mkdir(parents=True, exist_ok=True)
    code, executions, spent, said = invent(name, seconds)
    kept = minimise(name) if code == 0 else len(os.listdir(KEPT / name))
    print(f"{name:28} {executions:9} executions in {spent:5} s, {kept:5} inputs kept"
          f"{'' if code == 0 else f', FAILED (exit {code})'}{'' if executions >= LEAST or code else ', fewer than FUZZ_LEAST'}")
    if code != 0:
        print("\n".join(said.splitlines()[-60:]))
        print(f"the input is in {CRASHES}/{name}-*: keep it in tests/fuzz/corpus/{name} once it is mended")
    return code == 0 and executions >= LEAST, executions


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="targets whose name has TEXT")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    names = [name for name in targets() if options.only in name]
    CRASHES.mkdir(parents=True, exist_ok=True)
    total = float(os.environ.get("FUZZ_TOTAL") or 60 * len(names) / options.jobs)
    seconds = total * options.jobs / max(len(names), 1)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda name: fuzz(name, seconds), names))
    failed = sum(1 for good, _ in results if not good)
    print(f"{sum(executions for _, executions in results)} executions over {len(names)} targets, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
