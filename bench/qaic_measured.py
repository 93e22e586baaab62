#!/usr/bin/env python3
"""Modelled against measured throughput and latency of Cloud AI 100 Standard cards.

    bench/qaic_measured.py [--every 1] [--jobs 2] [--times FILE] [--folder DIR]

Rows of ../shared/data/qaic/measured_*.csv whose network is in ../shared/data/models/skeletons are
compiled by qaic-compile with the row's batch, sequence, cores, instances, -ols, -mos, further flags
and precision. The modelled time t of a program is that of one of its instances. Throughput is
instances x batch / t; latency is t for each inference of the set that is under way. The error is
|ln(modelled / measured)|: its median and 90th percentile are printed, with the rank correlation, for
each class. Rows that move more than HOST_BOUND bytes of inputs a second, more than two thirds of what
their link carries, stand apart: the model lets every instance have the link for itself.

All rows take long. With --times what was found is kept in a file, configuration by configuration, and
taken from it when the same program runs again.
"""

import concurrent.futures
import csv
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess

from measuring import ROOT, run

COMPILER = pathlib.Path(os.environ.get("OPSCOPE_BIN", ROOT / "build/bin")) / "qaic-compile"
DATA = ROOT.parent / "shared/data"
SKELETONS = DATA / "models/skeletons"
HOST_BOUND = 10e9
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
CLASSES = ("vision, throughput", "vision, latency", "encoders, throughput", "encoders, latency", "host-bound")


def flags(line):
    words = [f"-m={SKELETONS / line['skeleton']}.onnx", f"-onnx-define-symbol=batch,{line['batch']}",
             f"-aic-num-cores={line['cores']}", f"-aic-num-of-instances={line['instances']}", *line["extra"].split()]
    if line.get("sequence"):
        words.append(f"-onnx-define-symbol=seq,{line['sequence']}")
    if line["precision"] == "fp16":
        words.append("-convert-to-fp16")
    return tuple(words + [f"-{name}={line[name]}" for name in ("ols", "mos") if line[name]])


def modelled_s(words, folder, number):
    """Seconds of an inference, or why there are none."""
    done = subprocess.run([COMPILER, *words, f"-aic-binary-dir={folder / str(number)}", "-v"], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    (folder / str(number) / "programqpc.bin").unlink(missing_ok=True)
    found = re.search(r"^ +modelled +([\d.]+) (\w+)", done.stdout, re.MULTILINE)
    if found is None:
        return (done.stderr.strip().splitlines() or ["no modelled time"])[-1]
    return float(found[1]) * UNITS[found[2]]


class Times:
    """Modelled times by configuration. In a file there is a line for each, with the program that found it."""

    def __init__(self, path):
        self.path, self.known = path, {}
        self.made_by = hashlib.sha256(COMPILER.read_bytes()).hexdigest()[:16]
        for line in path.read_text().splitlines() if path and path.exists() else []:
            made_by, words, time = json.loads(line)
            if made_by == self.made_by:
                self.known[tuple(words)] = time

    def find(self, words, folder, number):
        if words not in self.known:
            self.known[words] = modelled_s(words, folder, number)
            if self.path:
                with open(self.path, "a", encoding="utf-8") as file:
                    file.write(json.dumps([self.made_by, words, self.known[words]]) + "\n")
        return self.known[words]


def everything():
    """(row, class) of all rows that have a network of their size."""
    for kind, name in (("vision", "measured_vision.csv"), ("encoders", "measured_encoders.csv")):
        with open(DATA / "qaic" / name, encoding="utf-8") as file:
            for line in csv.DictReader(file):
                objective = "latency" if "latency" in line["objective"] else "throughput"
                pixels = 3 * int(line["size"]) ** 2 * 4 if kind == "vision" else 0
                bound = float(line["inferences_per_s"]) * pixels > HOST_BOUND
                yield line, "host-bound" if bound else f"{kind}, {objective}"


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            ranked[index] = (start + end - 1) / 2
        start = end
    return ranked


def correlation(a, b):
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    products = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    squares = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return products / squares if squares else math.nan


def print_class(name, rows):
    text = f"| {name} | {len(rows)} |"
    for pairs in ([row[0] for row in rows], [row[1] for row in rows]):
        errors = [abs(math.log(modelled / measured)) for modelled, measured in pairs]
        bias = sorted(math.log(modelled / measured) for modelled, measured in pairs)[len(pairs) // 2]
        text += (f" {percentile(errors, 0.5):.2f} | {percentile(errors, 0.9):.2f} | {math.exp(bias):.2f} |"
                 f" {correlation([pair[0] for pair in pairs], [pair[1] for pair in pairs]):.2f} |")
    print(text)


def measure(options, folder):
    if not (DATA / "qaic").is_dir():
        raise SystemExit(f"{DATA}/qaic is not here: nothing to compare with")
    rows = list(everything())
    there = [(line, kind) for line, kind in rows if (SKELETONS / f"{line['skeleton']}.onnx").exists()]
    there = there[::options.every]
    configurations = list(dict.fromkeys(flags(line) for line, _ in there))
    kept = Times(options.times)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        times = dict(zip(configurations, pool.map(lambda pair: kept.find(pair[1], folder, pair[0]),
                                                  enumerate(configurations))))
    classes, failures = {}, {}
    for line, kind in there:
        time = times[flags(line)]
        if isinstance(time, str):
            failures.setdefault(time, []).append(line["skeleton"])
            continue
        rate = int(line["instances"]) * int(line["batch"]) / time
        latency = time * 1000 * max(int(line["set_size"] or 1), 1)
        classes.setdefault(kind, []).append(((rate, float(line["inferences_per_s"])),
                                             (latency, float(line["latency_ms"]))))
    print(f"{len(there)} of {len(rows)} rows, {len(configurations)} configurations")
    print("| | rows | throughput: median | p90 | modelled / measured | rank | latency: median | p90 |"
          " modelled / measured | rank |\n|---|---|---|---|---|---|---|---|---|---|")
    for kind in CLASSES:
        if kind in classes:
            print_class(kind, classes[kind])
    bound = [row for kind, found in classes.items() if kind != "host-bound" for row in found]
    if bound:
        print_class("all but host-bound", bound)
    for reason, names in failures.items():
        print(f"not compiled: {len(names)} rows ({', '.join(sorted(set(names)))}): {reason}")


def add_options(parser):
    parser.add_argument("--every", type=int, default=1, help="take every N-th row")
    parser.add_argument("--jobs", type=int, default=2, help="programs that are compiled at a time")
    parser.add_argument("--times", type=pathlib.Path, help="a file that keeps what was found, for the next run")


if __name__ == "__main__":
    run(__doc__, measure, add_options)
