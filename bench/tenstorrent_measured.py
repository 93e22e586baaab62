#!/usr/bin/env python3
"""Modelled against measured times of Tenstorrent's chips, beside the vendor's own PM IDEAL.

    bench/tenstorrent_measured.py [--every 1] [--folder DIR]

Matrix products of ../shared/data/tenstorrent/gemm_measured.csv, and the operations of the
reports beside it that a network of one operator can stand for, are compiled for wormhole_b0
or blackhole with the cores and the fidelity of the row. The error is |modelled / measured - 1|;
its median and 90th percentile are printed for each class, with the rank correlation.

Measured are kernels, so what the firmware takes before and after them is left out. Values lie in DRAM where the row may have had them in L1. Block formats are taken for 16 bit floats over
a port that is as much faster as they are narrower.
"""

import csv
import json
import math
import subprocess
import sys

from measuring import ROOT, run

sys.path.append(str(ROOT / "tests/gen"))
from onnx_writer import make_graph, make_model, make_node, make_value  # noqa: E402

OPSCOPE = ROOT / "build/bin/opscope"
DATA = ROOT.parent / "shared/data/tenstorrent"
CYCLES_OF_A_TILE = {"LoFi": 16, "HiFi2": 32, "HiFi3": 48, "HiFi4": 64}
TARGETS = {"wormhole": ("wormhole_b0", 1.0, 258), "blackhole": ("blackhole", 1.35, 512)}
BITS = {"BFLOAT16": 16, "BFLOAT8_B": 8.5, "BFLOAT4_B": 4.5}
PRODUCTS_OF_A_TILE = 32 ** 3

# Operations of reports, and the operator that stands for each.
OPERATORS = {"MinimalMatmulOp": "MatMul", "Matmul": "MatMul", "MatmulDeviceOperation": "MatMul",
             "BinaryNgDeviceOperation": "Add", "BinaryDeviceOperation": "Add",
             "UnaryDeviceOperation": "Relu", "SoftmaxDeviceOperation": "Softmax"}


def network(folder, operator, shapes, out):
    names = [f"x{i}" for i in range(len(shapes))]
    graph = make_graph([make_node(operator, names, ["y"], name="it")],
                       [make_value(name, "f16", shape) for name, shape in zip(names, shapes)],
                       [make_value("y", "f16", out)])
    path = folder / "one.onnx"
    path.write_bytes(make_model(graph))
    return path


def modelled_ns(folder, path, arch, cores, fidelity, bits):
    target, _, rate = TARGETS[arch]
    macs = PRODUCTS_OF_A_TILE // CYCLES_OF_A_TILE.get(fidelity, 64)
    settings = [f"core.grid={cores}", f"trisc_1.macs=default:{macs}",
                f"dram.rate={rate * 16 / bits:.0f} GB/s",
                *(f"firmware.{key}=0" for key in ("signal", "begin", "end"))]
    done = subprocess.run([OPSCOPE, "compile", path, "-t", target, "-o", folder / "one.opx", "--json",
                           *[word for setting in settings for word in ("--set", setting)]],
                          check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["modelled"]["ms"] * 1e6


def products():
    """(class, arch, grid, fidelity, bits, operator, shapes, output, measured ns, ideal ns)"""
    with open(DATA / "gemm_measured.csv", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            m, k, n = (int(line[key]) for key in "mkn")
            columns, rows = map(int, line["grid"].split("x"))
            _, clock, rate = TARGETS[line["arch"]]
            tiles = math.prod(math.ceil(length / 32) for length in (m, k, n))
            compute = tiles * CYCLES_OF_A_TILE[line["fidelity"]] / (columns * rows) / clock
            measured = compute / (float(line["device_utilisation_pct"]) / 100)
            bits = BITS[line["dtype"]]
            ideal = max(compute, k * n * bits / 8 / (rate * 1.073741824))
            yield (f"gemm {line['arch']}", line["arch"], line["grid"], line["fidelity"], bits, "MatMul",
                   [[m, k], [k, n]], [m, n], measured, ideal)


def length(line, key):
    """Without padding where the report tells it: "32[19]"."""
    text = line.get(f"{key}_PAD[LOGICAL]") or line.get(key) or "0"
    return int(text.rstrip("]").split("[")[-1])


def shape(line, tensor):
    return [length(line, f"{tensor}_{axis}") for axis in "WZYX"]


def operations(path, arch):
    with open(path, encoding="utf-8") as file:
        for line in csv.DictReader(file):
            operator = OPERATORS.get(line["OP CODE"])
            ideal, time = line["PM IDEAL [ns]"], line["DEVICE KERNEL DURATION [ns]"]
            count = 1 if operator in ("Relu", "Softmax") else 2
            shapes = [shape(line, f"INPUT_{i}") for i in range(count)]
            known = operator and ideal and time and int(float(time)) > 0
            if not known or any(0 in item for item in shapes):
                continue
            out = shape(line, "OUTPUT_0")
            yield (f"{operator} of reports", arch, f"{line['CORE COUNT']}x1", line["MATH FIDELITY"] or "HiFi4",
                   BITS.get(line["INPUT_0_DATATYPE"], 16), operator, shapes, out, float(time), float(ideal))


def everything():
    yield from products()
    for name, arch in (("bh_64_clip_encoder_1.csv", "blackhole"),
                       ("ops_perf_results_2025_09_18_11_39_20.csv", "blackhole"),
                       ("segformer_2025_02_ops_perf_results.csv", "wormhole")):
        yield from operations(DATA / name, arch)


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0] * len(values)
    for place, index in enumerate(order):
        found[index] = place
    return found


def correlation(left, right):
    a, b = ranks(left), ranks(right)
    middle = (len(a) - 1) / 2
    spread = sum((x - middle) ** 2 for x in a)
    return sum((x - middle) * (y - middle) for x, y in zip(a, b)) / spread if spread else 1


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def print_class(name, rows):
    measured = [row[0] for row in rows]
    line = f"{name:<22} {len(rows):>5}"
    for index in (1, 2):
        errors = [abs(row[index] / row[0] - 1) for row in rows]
        line += (f"   {100 * percentile(errors, 0.5):>6.0f} % {100 * percentile(errors, 0.9):>6.0f} %"
                 f" {correlation(measured, [row[index] for row in rows]):>6.2f}")
    print(line)


def measure(options, folder):
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not here: nothing to compare with")
    classes, known = {}, {}
    for row in list(everything())[::options.every]:
        key = repr(row[1:8])
        if key not in known:
            path = network(folder, row[5], row[6], row[7])
            known[key] = modelled_ns(folder, path, *row[1:5])
        classes.setdefault(row[0], []).append((row[8], known[key], row[9]))
    print(f"{'':<22} {'rows':>5}   {'modelled: median, p90, rank':^25}   {'PM IDEAL: median, p90, rank':^25}")
    for name, rows in classes.items():
        print_class(name, rows)
    print_class("all", [row for rows in classes.values() for row in rows])


if __name__ == "__main__":
    run(__doc__, measure, lambda parser: parser.add_argument("--every", type=int, default=1))
