#!/usr/bin/env python3
"""How often `opscope gate` cries wolf, and whether it sees the wolf: real runs on this machine, as it is.

    bench/gate.py [--comparisons N] [--tries N] [--runs N] [--limit PERCENT]

A network of 100 equal products is run again and again. A comparison takes so many runs of it and as many others of
it, made in turn: what the gate calls failed is a false alarm; of 300 at most 3 are allowed. Then the same network
with 103 products, which has 3 % more to do, is held against it: first with the runs that there are, then with as many
as the gate asks for; 9 of 10 tries must find it. Last, real work under the names of operators, in runs of 30
iterations: one of four does the same three times instead of twice. `diff` must find it, and 1.5 must lie in the interval that
it states, in 9 of 10 tries. How many processes were ready to run meanwhile (the load) is said.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPSCOPE = ROOT / "build/bin/opscope"
sys.path.insert(0, str(ROOT / "tests/gen"))
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value  # pylint: disable=wrong-import-position

SIDE = 64
RUNS_MOST = 60


def network(products):
    """x times a matrix, times a matrix ...: as many products."""
    weights = [((i * 7919) % 13 - 6) / 64 for i in range(SIDE * SIDE)]
    names = [f"v{i}" for i in range(products + 1)]
    nodes = [make_node("MatMul", [names[i], "w"], [names[i + 1]], name=f"product_{i}") for i in range(products)]
    return make_model(make_graph(nodes, inputs=[make_value(names[0], "f32", [SIDE, SIDE])],
                                 outputs=[make_value(names[-1], "f32", [SIDE, SIDE])],
                                 initializers=[make_tensor("w", "f32", [SIDE, SIDE], weights)]), opset=17)


def compiled(folder, products):
    path = folder / f"{products}.onnx"
    path.write_bytes(network(products))
    program = folder / f"{products}.opx"
    subprocess.run([OPSCOPE, "compile", path, "--target", "host", "-o", program], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return program


def profile(program, path):
    subprocess.run([OPSCOPE, "run", program, "-n", "30", "--threads", "1", "--profile", path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def gate(base, new, limit):
    done = subprocess.run([OPSCOPE, "gate", "--json", "--max-regress", f"{limit}%", "--base", *base, "--", *new],
                          check=False, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return answer["outcome"], answer["judged"][0]


def load_of(loads):
    """The load while something was measured, this program's own process included."""
    return (f"load {min(loads):.1f} to {max(loads):.1f}, median {statistics.median(loads):.1f}, "
            f"on {len(os.sched_getaffinity(0))} processors")


def turns(folder, programs, runs):
    """Profiles of both programs, made in turn; which comes first changes."""
    sides = ([], [])
    for number in range(runs):
        for which in ((0, 1), (1, 0))[number % 2]:
            sides[which].append(profile(programs[which], folder / f"{which}.{number}.prof"))
    return sides


def try_once(folder, programs, options):
    runs = options.runs
    while True:
        outcome, judged = gate(*turns(folder, programs, runs), options.limit)
        if outcome != "undecided" or runs >= RUNS_MOST:
            return outcome, runs, judged["compared"]
        runs = min(max(judged["runs_needed"], runs + 1), RUNS_MOST)


def record(path, slowed):
    """Real work in a run, as ONNX Runtime would write it: four operators, of which one may do more."""
    block, events = bytes(range(256)) * 256, []
    started = time.perf_counter()
    for _ in range(30):
        first = (time.perf_counter() - started) * 1e6
        for name, times in (("load", 2), ("conv", 10), ("gemm", 15 if slowed else 10), ("store", 2)):
            start = (time.perf_counter() - started) * 1e6
            for _ in range(times):
                zlib.crc32(block)
            events.append({"cat": "Node", "pid": 1, "tid": 1, "ph": "X", "name": f"{name}_kernel_time", "ts": start,
                           "dur": (time.perf_counter() - started) * 1e6 - start,
                           "args": {"op_name": name, "node_index": "0"}})
        events.append({"cat": "Session", "pid": 1, "tid": 1, "ph": "X", "name": "model_run", "ts": first,
                       "dur": (time.perf_counter() - started) * 1e6 - first, "args": {}})
    path.write_text(json.dumps(sorted(events, key=lambda event: (event["ts"], -event["dur"]))), encoding="utf-8")
    return path


def known_factor(folder, runs):
    """Whether an operator that became 1.5 times slower was found, whether its interval holds that, and how many others
    were called slower or faster."""
    sides = ([], [])
    for number in range(runs):
        for which in ((0, 1), (1, 0))[number % 2]:
            sides[which].append(record(folder / f"{which}.{number}.json", which == 1))
    done = subprocess.run([OPSCOPE, "diff", "--json", "--a", *sides[0], "--b", *sides[1]], check=True, capture_output=True)
    rows = {row["a_name"]: row for row in json.loads(done.stdout)["changes"]}
    slowed = rows.pop("gemm")
    others = sum(row["verdict"] in ("slower", "faster") for row in rows.values())
    print(f"an operator 1.5 times slower, {runs} runs each: {slowed['verdict']}, "
          f"{slowed['low'] * 100:+.1f} to {slowed['high'] * 100:+.1f} %", flush=True)
    return slowed["verdict"] == "slower", slowed["low"] <= 0.5 <= slowed["high"], others


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--comparisons", type=int, default=300)
    parser.add_argument("--tries", type=int, default=10)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--limit", type=float, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same, more = compiled(folder, 100), compiled(folder, 103)
        outcomes, loads = [], []
        for number in range(options.comparisons):
            outcomes.append(gate(*turns(folder, (same, same), options.runs), options.limit)[0])
            loads.append(os.getloadavg()[0])
            if (number + 1) % 25 == 0:
                print(f"  {number + 1} comparisons, {outcomes.count('failed')} false alarms", flush=True)
        alarms = outcomes.count("failed")
        print(f"{len(outcomes)} comparisons of equal programs, {options.runs} runs each: {alarms} false alarms, "
              f"{outcomes.count('passed')} passed, {outcomes.count('undecided')} undecided; {load_of(loads)}", flush=True)
        found, loads = [], []
        for _ in range(options.tries):
            outcome, runs, compared = try_once(folder, (same, more), options)
            found.append(outcome == "failed")
            loads.append(os.getloadavg()[0])
            print(f"3 % more to do, {runs} runs each: {outcome}, {compared['change'] * 100:+.1f} % "
                  f"({compared['low'] * 100:+.1f} to {compared['high'] * 100:+.1f})", flush=True)
        print(f"{sum(found)} of {len(found)} found; {load_of(loads)}")
        known, loads = [], []
        for _ in range(options.tries):
            known.append(known_factor(folder, options.runs))
            loads.append(os.getloadavg()[0])
        slower, held, others = (sum(one) for one in zip(*known))
        print(f"{slower} of {len(known)} found, {held} intervals hold the factor, {others} of {4 * len(known)} others and "
              f"idle times called different; {load_of(loads)}")
        enough = 0.9 * options.tries
    return 0 if alarms <= options.comparisons / 100 and min(sum(found), slower, held) >= enough else 1


if __name__ == "__main__":
    sys.exit(main())
