#!/usr/bin/env python3
"""tt-perf-report against Tenstorrent's own tool (1.2.4), cell by cell: real reports as they are, and
changed at random with options at random. Needs a checkout of tenstorrent/tt-perf-report and pandas:

    pytest-3 tests/e2e -k 322 --vendor CHECKOUT

or OPSCOPE_TT_PERF_REPORT=CHECKOUT. docs/commands/tt-perf.md says where the two differ on purpose.
"""

import csv
import json
import os
import random
import subprocess
import sys

from support import *

TOGETHER = True
SEEDS = 100

# Architectures that the files do not name, and that the two would guess differently.
REPORTS = {"n300_ops_perf_results.csv": "wormhole", "bh20_oft_integral_image_trace.csv": "bh20",
           "ops_perf_results_2025_09_18_11_39_20.csv": "bh20",
           "segformer_2025_02_ops_perf_results.csv": "wormhole", "bh_64_clip_encoder_1.csv": None}

DRAM_SHARDED = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=8;per_core_M=1)"
ATTRIBUTES = ["", "{'program_config': 'std::nullopt'}", "{'program_config': 'X(in0_block_w=2)'}",
              "{'program_config': 'X(in0_block_w=1;out_subblock_h=1;out_subblock_w=1)'}",
              "{'program_config': 'X(in0_block_w=4;out_subblock_h=2;out_subblock_w=2)'}",
              "{'a': 'window_hw=(3;3);stride_hw=(1;1);padding=(0;0;0;0); "
              "memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;'}", "{'x': 'window_hw=(3'}"]
CODES = ["RotaryEmbeddingLlama", "AllReduce", "ReduceScatter", "AllGatherAsync", "An op", "Pad",
         "PadDeviceOperation", "HaloDeviceOperation", "Copy", "UpdateCache",
         "PagedUpdateCacheDeviceOperation", "TopK"]
TYPES = ["BFLOAT16", "BFLOAT8_B", "BFLOAT4_B", "FLOAT32", "UINT32", "UINT16", "INT32", "FP8"]
# Columns that a report may lack, and some that nobody knows.
OPTIONAL = ["INPUT_1_DATATYPE", "OUTPUT_0_DATATYPE", "INPUT_0_DATATYPE", "PM IDEAL [ns]", "HOST DURATION [ns]",
            "LOC", "HOST START TS", "METAL TRACE ID", "OP TO OP LATENCY BR/NRISC START [ns]", "PROGRAM HASH",
            "DEVICE FW START CYCLE"]
UNKNOWN = ["SUB DEVICE ID", "MULTICAST NOC UTIL (%)", "ETH BW UTIL (%)", "Its own column"]
MEMORIES = ["DEV_0_DRAM_INTERLEAVED", "DEV_0_L1_WIDTH_SHARDED", "DEV_3_DRAM_ND_SHARDED"]


class Vendor:
    """The tool, held open in a process of its own."""

    def __init__(self):
        checkout = os.environ.get("OPSCOPE_TT_PERF_REPORT")
        if not checkout:
            raise Skip("no checkout of tt-perf-report: --vendor PATH or OPSCOPE_TT_PERF_REPORT")
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/tools/tt_perf_vendor.py"), checkout],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()

    def run(self, words):
        try:
            self.process.stdin.write(json.dumps(list(map(str, words))) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            raise Skip("tt-perf-report does not start: " +
                       self.process.stderr.read().strip().splitlines()[-1])
        return json.loads(line)


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def same(ours, theirs):
    """A convolution whose attribute is missing is labelled as if it were set (see the page)."""
    plain = re.sub(r" ADB| SR", "", theirs)
    return ours == theirs or ("[ABH=" in theirs and re.sub(r" ADB| SR", "", ours) == plain)


def compare_files(theirs, ours, about):
    equal(ours.exists(), theirs.exists(), f"{about}: whether {ours.name} is written")
    if not theirs.exists():
        return 0
    theirs, ours = cells(theirs), cells(ours)
    equal(ours[0], theirs[0], f"{about}: header")
    equal(len(ours), len(theirs), f"{about}: rows")
    for row, (our_row, their_row) in enumerate(zip(ours, theirs)):
        for title, our_cell, their_cell in zip(theirs[0], our_row, their_row):
            if not same(our_cell, their_cell):
                fail(f"{about}: row {row}, {title}: {our_cell!r}, the vendor has {their_cell!r}")
    return sum(map(len, theirs))


def compare(vendor, folder, paths, options, about):
    """How many cells were the same; None when the vendor's tool falls over."""
    for left in folder.glob("*_table*"):
        left.unlink()
    if vendor.run([*paths, *options, "--csv", folder / "their_table.csv"])["code"] != 0:
        return None
    run(program("tt-perf-report"), *paths, *options, "--csv", folder / "our_table.csv")
    about = f"{about} {' '.join(options)}"
    return (compare_files(folder / "their_table.csv", folder / "our_table.csv", about) +
            compare_files(folder / "their_table_stacked.csv", folder / "our_table_stacked.csv",
                          about))


def arch_of(name):
    return ["--arch", REPORTS[name]] if REPORTS[name] else []


def test_real_reports_have_the_same_cells(folder):
    choices = [[], ["--ignore-signposts"], ["--ignore-signposts", "--no-merge-devices"],
               ["--ignore-signposts", "--group-by", "op", "--raw-op-codes"],
               ["--ignore-signposts", "--group-by", "category", "--no-advice", "--no-host-ops"],
               ["--ignore-signposts", "--print-signposts", "--tracing-mode", "--id-range", "5-400"]]
    with Vendor() as vendor:
        for name in REPORTS:
            path = shared(f"data/tenstorrent/{name}")
            for options in choices:
                count = compare(vendor, folder, [path], [*options, *arch_of(name)], name)
                true(count is not None, f"the vendor's tool reads {name}")


def test_modelled_reports_have_the_same_cells(folder):
    """What our own report says of itself is nothing to the vendor's tool."""
    opscope("compile", ROOT / "samples/tosa/fc.mlir", "--target", "wormhole_b0", "-o", folder / "fc.opx")
    opscope("run", folder / "fc.opx", "--device", "sim", "--profile", folder / "fc.prof")
    with Vendor() as vendor:
        for version in ("v1", "v2.1"):
            path = folder / f"{version}.csv"
            opscope("tt-report", folder / "fc.prof", "--format", version, "-o", path)
            contains(path.read_text(), "modelled", version)
            true(compare(vendor, folder, [path], ["--arch", "wormhole"], version) is not None, version)


def test_real_reports_have_the_same_lines(folder):
    """Every line of the vendor's tables is one of ours, in its order."""
    del folder
    with Vendor() as vendor:
        for name in REPORTS:
            path = shared(f"data/tenstorrent/{name}")
            options = ["--ignore-signposts", "--no-color", *arch_of(name)]
            theirs = vendor.run([path, *options])
            equal(theirs["code"], 0, name)
            ours = iter(line.rstrip() for line in
                        run(program("tt-perf-report"), path, *options).out.splitlines())
            table = theirs["out"][theirs["out"].index("Performance Report"):].splitlines()[1:]
            for line in map(str.rstrip, table):
                if not line.startswith("Warning: Unclassified") and line not in ours:
                    fail(f"{name}: the vendor's tool prints {line!r}")


class Report:
    """A piece of a real report, to be changed."""

    def __init__(self, path, chance):
        rows = cells(path)
        self.header = rows[0]
        self.column = {name: index for index, name in enumerate(self.header)}
        count = chance.choice([3, 10, 17, 40, 120])
        start = chance.randrange(1, max(2, len(rows) - count + 1))
        self.rows = [row + [""] * (len(self.header) - len(row)) for row in
                     rows[start:start + count]]
        self.shapes = [name for name in self.header
                       if re.match(r"(INPUT|OUTPUT)_[01]_[WZYX](_PAD.*)?$", name)]

    def put(self, row, name, value):
        if name in self.column:
            row[self.column[name]] = str(value)

    def has(self, row, name):
        return name in self.column and row[self.column[name]] != ""

    def add(self, chance, code, kind):
        at = chance.randrange(len(self.rows) + 1)
        near = self.rows[min(at, len(self.rows) - 1)][self.column["HOST START TS"]] or "0"
        row = [""] * len(self.header)
        row[0] = code
        self.put(row, "OP TYPE", kind)
        self.put(row, "HOST START TS", near)
        self.rows.insert(at, row)

    def drop_column(self, name):
        at = self.header.index(name)
        for row in [self.header, *self.rows]:
            row.pop(at)
        self.column = {name: index for index, name in enumerate(self.header)}

    def add_column(self, at, name, chance):
        self.header.insert(at, name)
        for row in self.rows:
            row.insert(at, str(chance.randrange(5)))
        self.column = {name: index for index, name in enumerate(self.header)}

    def spread(self, devices, chance):
        """Every operation on several devices, now and then not on all of them."""
        rows = []
        for row in self.rows:
            on_device = row[self.column["OP TYPE"]] == "tt_dnn_device"
            for device in range(devices if on_device else 1):
                if on_device and chance.random() < 0.02:
                    continue
                rows.append(list(row))
                if on_device:
                    self.put(rows[-1], "DEVICE ID", device)
                    self.put(rows[-1], "DEVICE KERNEL DURATION [ns]", chance.randrange(1, 10**6))
        self.rows = rows or self.rows

    def write(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([self.header, *self.rows])


def change_row(report, row, chance, what):
    multiplies = "Matmul" in row[0] or "Conv" in row[0]

    def often(name):
        return name in what and chance.random() < 0.5

    if often("time"):
        report.put(row, "DEVICE KERNEL DURATION [ns]", chance.choice([1, chance.randrange(1, 10**7)]))
    if often("gap"):
        report.put(row, "OP TO OP LATENCY [ns]", chance.choice(["", chance.randrange(-9000, 10**9)]))
    if often("cores"):
        report.put(row, "CORE COUNT", chance.choice([1, 9, 64, chance.randrange(1, 140)])
                   if multiplies or chance.random() < 0.7 else "")
    if often("device"):
        report.put(row, "DEVICE ID", chance.randrange(3))
    if often("start"):
        report.put(row, "HOST START TS", chance.choice([10**9, chance.randrange(10**6, 10**11)]))
    if often("code") and not multiplies:
        row[0] = chance.choice(CODES)
    if often("attributes") and "Conv" not in row[0]:
        sharded = "Matmul" in row[0] and "blackhole" not in row
        report.put(row, "ATTRIBUTES", chance.choice(
            ATTRIBUTES + [f"{{'program_config': '{DRAM_SHARDED}'}}"] * sharded))
    if often("fidelity") and multiplies:
        report.put(row, "MATH FIDELITY", chance.choice(["HiFi4", "HiFi2", "LoFi"]))
    for name in ("INPUT_0", "INPUT_1", "OUTPUT_0"):
        if often("types") and report.has(row, f"{name}_DATATYPE"):
            report.put(row, f"{name}_DATATYPE", chance.choice(TYPES))
        if often("memories") and report.has(row, f"{name}_MEMORY"):
            report.put(row, f"{name}_MEMORY", chance.choice(MEMORIES))
    for name in report.shapes:
        if often("shapes") and report.has(row, name):
            size = chance.choice([1, 2, 32, 96, chance.randrange(1, 70000)])
            report.put(row, name, f"{size}[{size}]" if "PAD" in name else size)


def change(report, chance):
    what = chance.sample(["time", "gap", "cores", "device", "start", "code", "attributes",
                          "fidelity", "types", "memories", "shapes", "signposts", "torch", "drop",
                          "twice", "shuffle"], chance.randrange(6))
    for row in report.rows:
        if row[report.column["OP TYPE"]] == "tt_dnn_device":
            change_row(report, row, chance, what)
    for _ in range(chance.randrange(1, 6) if "signposts" in what else 0):
        report.add(chance, chance.choice(["start", "stop", "a b"]), "signpost")
    for _ in range(chance.randrange(1, 6) if "torch" in what else 0):
        report.add(chance, chance.choice(["(torch) add", "(torch) __get__"]), "python_fallback")
    if "drop" in what:
        report.rows = [row for row in report.rows if chance.random() < 0.9] or report.rows
    if "twice" in what:
        report.rows += [list(row) for row in report.rows]
    if "shuffle" in what:
        chance.shuffle(report.rows)


def vary(report, chance):
    """Reports of other versions and of more devices."""
    for name in [name for name in OPTIONAL if name in report.column and chance.random() < 0.1]:
        report.drop_column(name)
    for name in UNKNOWN:
        if name not in report.column and chance.random() < 0.1:
            report.add_column(chance.randrange(1, len(report.header) + 1), name, chance)
    if chance.random() < 0.2:
        report.spread(chance.choice([2, 4, 8]), chance)


def choose_options(chance):
    names = ["start", "stop", "a b", "none"]
    offered = [["--ignore-signposts"], ["--print-signposts"], ["--tracing-mode"],
               ["--raw-op-codes"], ["--no-host-ops"], ["--no-merge-devices"], ["--no-advice"],
               ["--start-signpost", chance.choice(names)], ["--end-signpost", chance.choice(names)],
               ["--group-by", chance.choice(["op", "memory", "category"])],
               ["--no-summary"], ["--id-range", chance.choice(["5-40", "10-", "-30", "1,0-1,000"])]]
    return [word for option in offered if chance.random() < 0.25 for word in option]


def test_changed_reports_have_the_same_cells(folder):
    alike = 0
    with Vendor() as vendor:
        for seed in range(SEEDS):
            chance = random.Random(seed)
            name = chance.choice(list(REPORTS))
            report = Report(shared(f"data/tenstorrent/{name}"), chance)
            change(report, chance)
            vary(report, chance)
            report.write(folder / "ops.csv")
            arch = ["--arch", chance.choice(["wormhole", "n1"])] if REPORTS[name] else []
            files = [folder / "ops.csv"] * chance.choice([1] * 9 + [2])
            count = compare(vendor, folder, files, [*choose_options(chance), *arch],
                            f"seed {seed}, {name}:")
            alike += count is not None
    true(alike > SEEDS * 0.7, f"only {alike} of {SEEDS} could be compared")


main()
