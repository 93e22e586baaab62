#!/usr/bin/env python3
"""Computing networks, against ONNX Runtime in the same run.

    bench/infer.py [--rounds 5] [--only NAME]... [--skeletons] [--folder DIR]

One inference of each network of ../shared/data/models, and of a ResNet-18 and a
MobileNet v2 with random weights, with 1 and 2 threads: by `opscope infer`, by
`opscope run` of the program compiled for this machine, and by ONNX Runtime. Each
takes turns in a fresh process, warm, and the best iteration of all rounds counts. With
--skeletons those of ../shared/data/models/skeletons instead, whose weights are constants
(batch 1, sequences of 128), and nothing else.

Then the time from the start of a process to the first result of a network of about
100 MB. ONNX Runtime's is that of its session and first run alone: node, which it
runs in here, is not counted.

Then what recording costs: inference with and without a profile in turns, the
difference with its 95 % confidence interval, and the number of spans times the cost
of one (bench/record); beside it ONNX Runtime's own profiling of the same network.

Exits 0 also where a limit is not kept; the table says OVER.
"""

import json
import math
import re
import statistics
import subprocess
import sys

from measuring import MIB, ROOT, judged, kept, row, run, timed
from peer import MODELS, OPSCOPE, fetch, inputs_of, onnxruntime, opscope, symbols_of

sys.path.append(str(ROOT / "tests/gen"))
from onnx_network import mobilenet_v2, resnet18, resnet50  # noqa: E402

THREADS = (1, 2)
ITERATIONS = 20
PROFILED_ITERATIONS = 100
FLOAT_CNN = 1.3
OTHER = 1.6
START = 0.5
MADE = {"mobilenet_v2": mobilenet_v2, "resnet18": resnet18}
FLOAT_CNNS = {"squeezenet1_1", "unet_small", *MADE}
PROFILED = ("squeezenet1_1", "vit_micro")
# Two-sided 95 % quantiles of Student's distribution.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def add_options(parser):
    parser.add_argument("--only", action="append", default=[], help="networks to measure (all)")
    parser.add_argument("--skeletons", action="store_true", help="networks without their weights instead")


def networks(options, folder):
    """Names and files."""
    if options.skeletons:
        return {path.stem: path for path in sorted(MODELS.glob("skeletons/*.onnx"))
                if not options.only or path.stem in options.only}
    found = {path.parent.name: path for path in sorted(MODELS.glob("*/model.onnx"))}
    for name, make in MADE.items():
        found[name] = folder / f"{name}.onnx"
        if not options.only or name in options.only:
            found[name].write_bytes(make())
    return {name: path for name, path in found.items() if not options.only or name in options.only}


class Network:
    """A network and the ways to compute it; each gives the times of its iterations or the best."""

    def __init__(self, name, model, folder, iterations=ITERATIONS):
        self.name, self.model, self.folder, self.iterations = name, model, folder, iterations
        self.program = folder / f"{name}.opx"
        self.symbols = symbols_of(model)
        subprocess.run([OPSCOPE, "compile", model, *self.symbols, "--target", "host", "-o", self.program],
                       check=True, stdout=subprocess.DEVNULL)
        self.inputs = inputs_of(model, folder, *self.symbols)

    def infer(self, threads):
        return opscope("infer", self.model, *self.symbols, "--max-elements=1", f"--threads={threads}",
                       f"--iterations={self.iterations}")["least_ms"]

    def run(self, threads, *options):
        return opscope("run", self.program, "--max-elements=1", f"--threads={threads}",
                       f"--iterations={self.iterations}", *options)["least_ms"]

    def theirs(self, threads, **request):
        return min(onnxruntime(model=str(self.model), inputs=self.inputs, folder=str(self.folder),
                               iterations=self.iterations, threads=threads, **request)["run_ms"])


def measure_network(network, rounds, compare):
    ways = {"infer": network.infer, "run": network.run}
    if compare:
        ways["onnxruntime"] = network.theirs
    times = {(way, threads): [] for threads in THREADS for way in ways}
    for _ in range(rounds):
        for way, threads in times:
            times[way, threads].append(ways[way](threads))
    kept.title = network.name
    for (way, threads), taken in times.items():
        kept.times(f"{way}, threads {threads}", [ms / 1000 for ms in taken])
    return {key: min(taken) for key, taken in times.items()}


def print_network(name, best):
    limit = FLOAT_CNN if name in FLOAT_CNNS else OTHER
    for threads in THREADS:
        infer, ran = best["infer", threads], best["run", threads]
        line = f"  {name if threads == THREADS[0] else '':<20} {threads:>7} {infer:>8.2f} {ran:>8.2f}"
        if ("onnxruntime", threads) in best:
            theirs = best["onnxruntime", threads]
            verdict = "OVER" if infer > limit * theirs else "within"
            line += f" {theirs:>8.2f} {infer / theirs:>6.2f} {ran / theirs:>6.2f}   {verdict} {limit}"
        print(line, flush=True)


def measure_networks(found, options, folder, compare):
    print(f"one inference, ms, best of {options.rounds} x {ITERATIONS}; ratios to ONNX Runtime")
    print(f"  {'network':<20} {'threads':>7} {'infer':>8} {'run':>8} {'ort':>8} {'infer':>6} {'run':>6}")
    for name, model in found.items():
        print_network(name, measure_network(Network(name, model, folder), options.rounds, compare))


def measure_start(options, folder, compare):
    path = folder / "resnet50.onnx"
    path.write_bytes(resnet50())
    inputs = inputs_of(path, folder)
    starts = {"infer": [], "onnxruntime": []}
    for _ in range(options.rounds):
        starts["infer"].append(timed([OPSCOPE, "infer", path, "--max-elements=1"]) * 1000)
        if compare:
            answer = onnxruntime(model=str(path), inputs=inputs, folder=str(folder), iterations=1)
            starts["onnxruntime"].append(answer["open_ms"] + answer["run_ms"][0])
    ours, theirs = (min(starts[way], default=math.inf) for way in ("infer", "onnxruntime"))
    kept.title = "first result"
    for way, taken in starts.items():
        if taken:
            kept.times(way, [ms / 1000 for ms in taken])
    print(f"start to first result of a network of {path.stat().st_size / MIB:.0f} MiB, "
          f"best of {options.rounds}")
    row("opscope infer", f"{ours:.0f} ms", "the whole process")
    if compare:
        row("ONNX Runtime", f"{theirs:.0f} ms", "session and first run, without node's start")
        judged("ratio", ours / theirs, "", START)


def difference(pairs):
    """Mean of b - a, and half the width of its confidence interval; ms."""
    differences = [b - a for a, b in pairs]
    spread = statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.mean(differences), STUDENT.get(len(differences) - 1, 2.2) * spread


def describe_difference(name, pairs):
    mean, half = difference(pairs)
    plain = min(a for a, _ in pairs)
    row(name, f"{mean * 1000:+.0f} us", f"+- {half * 1000:.0f} us, of {plain:.2f} ms ({mean / plain:+.1%})")
    return mean


def span_ns(folder):
    """The cost of a recorded span, on memory not touched before: the dearer case."""
    recorder = ROOT / "build/bench/record"
    if not recorder.exists():
        return None
    said = subprocess.run([recorder, folder / "span.prof"], check=False, text=True,
                          stdout=subprocess.PIPE).stdout
    found = re.search(r"enabled span, fresh memory\s+([\d.]+) ns", said)
    return float(found.group(1)) if found else None


def operators_in(folder, prefix):
    """Operators of an inference in a profile that ONNX Runtime wrote."""
    events = json.loads(next(folder.glob(f"{prefix}*.json")).read_text(encoding="utf-8"))
    return sum(event["cat"] == "Node" for event in events) / PROFILED_ITERATIONS


def measure_profiling(name, model, options, folder, compare):
    network = Network(name, model, folder, PROFILED_ITERATIONS)
    profile = folder / "run.prof"
    ours, theirs = [], []
    for _ in range(max(options.rounds, 3) * 2):
        ours.append((network.run(1), network.run(1, "--profile", profile)))
        if compare:
            theirs.append((network.theirs(1), network.theirs(1, profile=str(folder / f"ort_{name}"))))
    print(f"what profiling costs one inference of {name} with 1 thread, {len(ours)} rounds")
    describe_difference("opscope run --profile", ours)
    spans = opscope("overview", profile)[0]["ledger"]["recorded"] / PROFILED_ITERATIONS
    cost = span_ns(folder)
    if cost is not None:
        row("  spans x cost of one", f"{spans * cost / 1000:.1f} us", f"{spans:.0f} spans of {cost:.0f} ns")
    if compare:
        mean = describe_difference("ONNX Runtime's profiling", theirs)
        count = operators_in(folder, f"ort_{name}")
        row("  for each operator", f"{mean * 1000 / count:.1f} us", f"{count:.0f} in its profile")


def measure(options, folder):
    compare = fetch()
    found = networks(options, folder)
    measure_networks(found, options, folder, compare)
    if options.skeletons:
        return
    measure_start(options, folder, compare)
    for name in PROFILED:
        if name in found:
            measure_profiling(name, found[name], options, folder, compare)


run(__doc__, measure, add_options)
