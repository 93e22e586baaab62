#!/usr/bin/env python3
"""`opscope whatif` against truth, and its time.

    bench/whatif.py --networks DIR [--networks-most 20] [--targets torq-sl2610,aic100,wormhole_b0,host]
    bench/whatif.py --rows 10000000

Truth: networks are compiled for a target and evaluated (`sim`); `whatif` says from that profile what
they would take with other rates; then the same programs are evaluated again for a target file with
those rates, not compiled again. The error is that of the new time, in percent; beside it stands how
much there was to be told (the change of the truth), and how often the lower bound was no bound.

    compute   everything that does not move data, twice as fast
    memory    the way to the far memory, 1.5 times as fast
    both      both at once

Time: a profile of --rows spans with as many flows; `whatif` against `opscope info`, which only reads
it, in processor time, and its anonymous memory.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys

from measuring import MIB, ROOT, judged, most_anonymous, row, run

sys.path.append(str(ROOT / "tests/gen"))
from target_changes import faster_engines, faster_far_memory  # noqa: E402

OPSCOPE = ROOT / "build/bin/opscope"
GENERATOR = ROOT / "build/bench/generate_chrome"

BYTES_EACH = 413  # of a span in the generated trace, with its part of all else

# So that networks of real numbers are the device's work, not the host's.
CONVERSIONS = {"torq-sl2610": ["--convert", "f32=bf16"], "aic100": ["--convert", "f32=f16"]}

CASES = {
    "compute": (["--faster", "*=2x"], lambda text: faster_engines(text, 2)),
    "memory": (["--bandwidth", "dram=1.5x"], lambda text: faster_far_memory(text, 1.5)),
    "both": (["--faster", "*=2x", "--bandwidth", "dram=1.5x"],
             lambda text: faster_far_memory(faster_engines(text, 2), 1.5)),
}


def said(*command):
    done = subprocess.run([OPSCOPE, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def compiled(model, target, folder):
    """With lengths for its symbols where it has some."""
    program = folder / "program.opx"
    for symbols in ([], ["--define-symbol", "batch,1"],
                    ["--define-symbol", "batch,1", "--define-symbol", "seq,64"]):
        done = subprocess.run([OPSCOPE, "compile", model, "-t", target, "-o", program, *symbols,
                               *CONVERSIONS.get(target, [])],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                              timeout=600)
        if done.returncode == 0:
            return program
    return None


def truth(program, target):
    found = said("estimate", program, "-t", target, "--json")
    return found["cycles"] / found["clock_hz"] * 1e9


def compare(model, target, folder):
    """{case: (error in percent, change of the truth in percent, whether the bound holds)}"""
    program = compiled(model, target, folder)
    if program is None:
        return None
    profile = folder / "run.prof"
    subprocess.run([OPSCOPE, "estimate", program, "-o", profile], check=True,
                   stdout=subprocess.DEVNULL)
    text = subprocess.run([OPSCOPE, "targets", target, "--file"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    before = truth(program, target)
    results = {}
    for name, (options, change) in CASES.items():
        changed = folder / "changed.target"
        changed.write_text(change(text), encoding="utf-8")
        answer = said("whatif", profile, *options, "--json")
        if answer is None:
            continue  # nothing of it moves data
        after = truth(program, changed)
        last = answer["changes"][-1]
        ahead = before - last["recorded_ns"]  # of the first start, which stays
        results[name] = (100 * (last["expected_ns"] + ahead - after) / after,
                         100 * (after - before) / before, last["at_least_ns"] <= after * 1.0001)
    return results


def measure_truth(options, folder):
    models = sorted(pathlib.Path(options.networks).rglob("*.onnx"),
                    key=lambda path: path.stat().st_size)[:options.networks_most]
    print(f"whatif against sim with other rates, {len(models)} networks: error of the new time, %")
    print(f"  {'network':<28} {'target':<12} " + "".join(f"{case:>20}" for case in CASES))
    errors = {(target, case): [] for target in options.targets.split(",") for case in CASES}
    broken = 0
    for model in models:
        name = model.stem if model.stem != "model" else model.parent.name
        for target in options.targets.split(","):
            results = compare(model, target, folder)
            if results is None:
                print(f"  {name:<28} {target:<12} does not compile for it")
                continue
            cells = ""
            for case in CASES:
                if case not in results:
                    cells += f"{'-':>20}"
                    continue
                error, changed, holds = results[case]
                errors[target, case].append(abs(error))
                broken += not holds
                cells += f"{error:>+10.2f} of {changed:>+6.1f}"
            print(f"  {name:<28} {target:<12} {cells}", flush=True)
    for (target, case), list_ in errors.items():
        if list_:
            row(f"{target} {case}", f"{statistics.median(list_):.2f} %",
                f"median of {len(list_)}, worst {max(list_):.2f} %")
    row("lower bounds that are none", broken)


def processor_time(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_time(options, folder):
    trace = folder / "trace.json"
    profile = folder / "trace.prof"
    with open(trace, "wb") as file:
        subprocess.run([GENERATOR, str(options.rows * BYTES_EACH), "--flows"], check=True, stdout=file)
    subprocess.run([OPSCOPE, "convert", trace, "-o", profile], check=True,
                   stdout=subprocess.DEVNULL)
    trace.unlink()
    reads = [OPSCOPE, "info", profile]
    asks = [OPSCOPE, "whatif", profile, "--faster", "*=2x"]
    explains = [OPSCOPE, "explain", profile]
    best = {name: min(processor_time(*command) for _ in range(options.rounds))
            for name, command in (("info", reads), ("whatif", asks), ("explain", explains))}
    print(f"{options.rows} spans, best of {options.rounds}, processor time")
    for name, time in best.items():
        row(name, f"{time:.2f} s", f"{time / best['info']:.1f} times reading alone")
    judged("anonymous memory", most_anonymous(asks) / MIB, " MiB", 64)


def measure(options, folder):
    if options.networks:
        measure_truth(options, folder)
    else:
        measure_time(options, folder)


def add_options(parser):
    parser.add_argument("--networks", help="a folder with networks")
    parser.add_argument("--networks-most", type=int, default=20)
    parser.add_argument("--targets", default="torq-sl2610,aic100,wormhole_b0,host")


if __name__ == "__main__":
    run(__doc__, measure, add_options, rounds=3)
