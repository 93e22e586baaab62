#!/usr/bin/env python3
"""What conversions and inference gain from more processors.

    bench/scaling.py [--rows 10000000] [--rounds 3] [--only WORD]... [--folder DIR]

Generates a C2 profile, one with a location of its own in each row, Chrome traces without and with
flows, Tenstorrent's logs and Cloud AI's buffers, and networks with random weights. Each is read and
written, or computed, with 1, 2, 4, ... threads, as many as there are processors; the rounds take
turns and the best counts. What comes out must be the same bytes for any number of threads, else it
exits 1. `wc -l`, which has one thread, stands beside those that read text. A folder in memory
(/dev/shm) keeps the disk out of it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

from measuring import MIB, ROOT, kept, run, timed

sys.path.append(str(ROOT / "tests/gen"))
from onnx_network import mobilenet_v2, resnet18, resnet50  # noqa: E402

BUILT = ROOT / "build"
OPSCOPE, LOGGER, OPSTATS = (str(BUILT / "bin" / name) for name in ("opscope", "perfetto_logger", "qaic-opstats"))
PROCESSORS = len(os.sched_getaffinity(0))
THREADS = [count for count in (1, 2, 4, 8, 16, 32, 64) if count < PROCESSORS] + [PROCESSORS]
BYTES_PER_ROW = 100
OPERATIONS = 200_000
ITERATIONS = 20


def generated(path, name, *words):
    with open(path, "wb") as file:
        subprocess.run([BUILT / "bench" / name, *words], check=True, stdout=file)


def torq(options, folder, *more):
    generated(folder / "profile.csv", "generate_c2", str(options.rows), "1", *more)
    return [LOGGER, "--compile_profile", folder / "profile.csv", "--pb", folder / "out/trace.pb"]


def chrome(options, folder, *more):
    generated(folder / "trace.json", "generate_chrome", str(options.rows * BYTES_PER_ROW), *more)
    return [OPSCOPE, "convert", folder / "trace.json", "-o", folder / "out/trace.prof"]


def tenstorrent(options, folder):
    subprocess.run([BUILT / "bench/generate_tt_logs", str(options.rows), folder / "logs"], check=True)
    return [OPSCOPE, "tt-report", folder / "logs", "-o", folder / "out/report.csv"]


def cloud_ai(options, folder):
    size = str(options.rows * BYTES_PER_ROW)
    subprocess.run([BUILT / "bench/generate_qaic", folder, size, str(OPERATIONS)], check=True)
    return [OPSTATS, "-q", folder, "-i", folder / "stats", "-o", folder / "out", "--report"]


def network(make):
    def prepared(_, folder):
        (folder / "model.onnx").write_bytes(make())
        return [OPSCOPE, "infer", folder / "model.onnx", "--output", f"@{folder}/out/result.npy", "--json",
                f"--iterations={ITERATIONS}"]
    return prepared


WORK = {
    "C2 to .pb": torq,
    "C2, own locations": lambda options, folder: torq(options, folder, "--own"),
    "Chrome to .prof": chrome,
    "Chrome with flows": lambda options, folder: chrome(options, folder, "--flows"),
    "tt-report": tenstorrent,
    "qaic-opstats --report": cloud_ai,
    "infer resnet18": network(resnet18),
    "infer resnet50": network(resnet50),
    "infer mobilenet_v2": network(mobilenet_v2),
}


def texts(folder):
    """What `wc -l` reads of the input."""
    return [path for path in folder.rglob("*") if path.suffix in (".csv", ".json") and path.parent.name != "out"]


def digest(folder):
    """Of all that a command wrote."""
    made = hashlib.blake2b()
    for path in sorted(folder.iterdir()):
        made.update(path.name.encode() + b"\0")
        with open(path, "rb") as file:
            while block := file.read(MIB):
                made.update(block)
    return made.hexdigest()


def seconds(command, threads):
    """Of the whole command, or of the best inference, where it says that."""
    environment = {**os.environ, "OPSCOPE_THREADS": str(threads)}
    if "infer" in command:
        done = subprocess.run([*command, f"--threads={threads}"], check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["least_ms"] / 1000
    started = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def emptied(folder):
    """To throw away what the round before wrote is not part of the next."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def scale(name, command, rounds, folder):
    times = {count: [] for count in THREADS}
    digests = {}
    for _ in range(rounds):
        for count, taken in times.items():
            out = emptied(folder / "out")
            taken.append(seconds(command, count))
            digests.setdefault(count, digest(out))
    kept.title = name
    for count, taken in times.items():
        kept.times(f"threads {count}", taken)
    best = {count: min(taken) for count, taken in times.items()}
    lines = texts(folder)
    yardstick = min(timed(["wc", "-l", *map(str, lines)]) for _ in range(rounds)) if lines else None
    cells = "".join(f"{best[count]:>9.4f}" for count in THREADS)
    against = f"{best[THREADS[-1]] / yardstick:>9.1f}" if yardstick else f"{'-':>9}"
    print(f"  {name:<24}{cells}{best[1] / min(best.values()):>8.1f} x{against}", flush=True)
    return len(set(digests.values())) == 1


def measure(options, folder):
    print(f"{options.rows:,} rows, {PROCESSORS} processors, best of {options.rounds}, seconds")
    heads = "".join(f"{f'{count} thr.':>9}" for count in THREADS)
    print(f"  {'':<24}{heads}{'gain':>10}{'of wc -l':>9}", flush=True)
    differing = []
    for name, prepare in WORK.items():
        if options.only and not any(word in name for word in options.only):
            continue
        place = emptied(folder / "work")
        if not scale(name, prepare(options, place), options.rounds, place):
            differing.append(name)
    if differing:
        sys.exit("not the same bytes for every number of threads: " + ", ".join(differing))
    print("  the same bytes for every number of threads")


def add_options(parser):
    parser.add_argument("--only", action="append", default=[], help="what has this word in its name")


run(__doc__, measure, add_options, rounds=3)
