"""opscope targets --explain and --prices, and targets that are wrong."""

import re

from support import *

TARGET = "torq-sl2610"

NPU = """[target]
name = npu
clock = 1 GHz
[core]
count = 4
[memory dram]
size = 1 GiB
[memory tile]
size = 64 KiB
local = yes
per = core
[port bus]
rate = 20 GB/s
per_user = 10 GB/s
[engine load]
role = transfer
per = core
to = tile
port = bus
[engine store]
role = transfer
per = core
from = tile
port = bus
[engine matrix]
role = compute
per = core
clock = 2 GHz
takes = convolution matmul : i8
price = array
quantum = 16x16x16
macs = i8:1024
setup = 11
called = the matrices
[engine vector]
role = compute
per = core
takes = elementwise : *
price = lanes
rate = add:32 default:4
"""


def explain(target, operator, inputs, *options):
    return opscope("targets", target, "--explain", operator, inputs, "--json", *options).json()


def total(price):
    terms = price["terms"]
    return (sum(term["cycles"] for term in terms if not term["largest_counts"])
            + max([term["cycles"] for term in terms if term["largest_counts"]], default=0))


def test_terms_add_up(folder):
    npu = write(folder / "npu.target", NPU)
    for target, operator, inputs, *options in (
            (TARGET, "Conv", "1x3x224x224xi8,32x3x3x3xi8", "-a", "strides=2,2"),
            (TARGET, "tosa.conv2d", "1x56x56x64xi8,64x3x3x64xi8"),
            (TARGET, "tosa.depthwise_conv2d", "1x56x56x64xi8,3x3x64x1xi8", "-a", "stride=2,2"),
            (TARGET, "Gather", "8x4xi8,3xi32"),
            (TARGET, "Gather", "8x4xi8,3xi32", "--rules", "public"),
            (TARGET, "MatMul", "8x4,4x5"),
            (TARGET, "Reshape", "8x4xi8,[2,16]"),
            (TARGET, "Softmax", "4x64xi8"),
            ("host", "Conv", "1x64x56x56,64x64x3x3", "-a", "pads=1,1,1,1"),
            ("host", "LSTM", "5x1x8,1x16x8,1x16x4", "-a", "hidden_size=4"),
            (npu, "MatMul", "100x64xi8,64x40xi8"),
            (npu, "Add", "1000xf16,1000xf16")):
        price = explain(target, operator, inputs, *options)
        equal(total(price), price["engine_cycles"], f"{operator} on {target}: the sum of its terms")
        converted = -(-price["engine_cycles"] * price["clock_hz"] // price["engine_clock_hz"])
        equal(price["cycles"], max(converted, 1), f"{operator}: cycles of the target")
        true(price["bound_cycles"] <= price["cycles"], f"{operator}: the bound")
        close_to(price["time_us"], price["cycles"] * 1e6 / price["clock_hz"], 1e-3, "time")


def test_a_price_by_hand(folder):
    npu = write(folder / "npu.target", NPU)
    price = explain(npu, "MatMul", "100x64xi8,64x40xi8")
    # 7 x 3 x 4 blocks of 4096 MACs at 1024, and 11 before them; twice as fast as the target.
    equal((price["engine"], price["engine_cycles"], price["cycles"]), ("matrix", 84 * 4 + 11, 174), "price")
    equal(price["bound_cycles"], 100 * 64 * 40 // 1024 // 2, "bound")
    equal(price["in"], {"engine": "load", "bytes": 8960, "cycles": 896}, "10 bytes a cycle")
    equal(explain(npu, "Add", "1000xf16,1000xf16")["cycles"], 32, "32 a cycle")
    equal(explain(npu, "Tanh", "1000xf16")["cycles"], 250, "4 a cycle")


def test_reasons(folder):
    reason = {
        ("tosa.add", "4xi8,4xi8"): ("slice", "the slices compute it"),
        ("Gather", "8x4xi8,3xi32"): ("slice", "the slices compute it"),
        ("Add", "4,4"): ("host", "the slices do not compute f32"),
        ("TopK", "4xi8,[1]"): ("host", "the slices do not compute i64"),
    }
    for (operator, inputs), want in reason.items():
        price = explain(TARGET, operator, inputs)
        equal((price["engine"], price["reason"]), want, operator)
    npu = write(folder / "npu.target", NPU)
    contains(opscope("targets", npu, "--explain", "MatMul", "8x8,8x8", code=1).err,
             "nothing of npu takes MatMul, and it has no host: the matrices do not compute f32", "no host")
    contains(opscope("targets", npu, "--explain", "Gather", "8x4xi8,3xi32", code=1).err,
             "the matrices do not compute i32", "no engine")
    contains(opscope("targets", npu, "--explain", "Softmax", "8x4xi8", code=1).err,
             "neither matrices nor vector have Softmax", "no engine")


def test_text(folder):
    out = opscope("targets", TARGET, "--explain", "MatMul", "8x4,4x5").out
    matches(out, r"^MatMul 8x4,4x5 on host of torq-sl2610: the slices do not compute f32$", "where")
    matches(out, r"^  \+ +8 000  start ", "a term")
    matches(out, r"^  max +92  bytes +368 bytes at 4 a cycle$", "an alternative")
    matches(out, r"^  = +8 092  cycles +at 800 MHz: 10.1 us$", "sum")
    matches(out, r"^  >= +20  bound ", "bound")


def test_wrong_use(folder):
    for words, says in (
            (["--explain", "Add", "4,4"], "needs a target, an operator and its inputs"),
            ([TARGET, "--explain", "Add"], "needs a target, an operator and its inputs"),
            ([TARGET, "--explain", "Add", "4"], "Add takes 2 inputs, not 1"),
            ([TARGET, "--explain", "Ad", "4,4"], "there is no operator 'Ad'"),
            ([TARGET, "--explain", "Add", "4xq8,4"], "'4xq8' is no input"),
            ([TARGET, "--explain", "Add", "4,5"], "Add"),
            ([TARGET, "--explain", "Add", "4,4", "-a", "axis"], "'axis' is no attribute"),
            ([TARGET, "--explain", "Add", "4,4", "--rules", "mine"], "best or public"),
            ([TARGET, "--explain", "Add", "4,4", "--file"], "only one of --explain and --file"),
            ([TARGET, "--explain", "Reshape", "4x4,2xi64"], "give them like [1,64]"),
            ([TARGET, "-a", "axis=1"], "go with --explain"),
            ([TARGET, "--prices"], "--prices goes with nothing else"),
            (["nothing", "--explain", "Add", "4,4"], "no target 'nothing'")):
        result = opscope("targets", *words, code=None)
        true(result.code in (1, 2), f"{words}: exit {result.code}")
        contains(result.err, says, f"{words}")


def test_every_key_is_described(folder):
    document = (ROOT / "docs/formats/target.md").read_text()
    out = opscope("targets", "--prices").out
    kinds = re.findall(r"(?m)^([\w-]+): ", out)
    true(len(kinds) >= 9, f"{kinds}")
    for kind in kinds:
        true(re.search(rf"(?m)^### .*\b{kind}\b", document), f"price {kind} in target.md")
    for key in set(re.findall(r"(?m)^  (\w+) ", out)):
        true(re.search(rf"(?m)^\|[^|]*\b{key}\b", document), f"key {key} in target.md")


def test_wrong_targets(folder):
    network = ROOT / "tests/testdata/tosa_ops/add.mlir"
    for change, says in (
            (("role = transfer", "role = wheel"), r"npu.target:16: a role is compute, transfer"),
            (("price = array", "price = gold"), r"npu.target:30: there is no price 'gold': there is linear"),
            (("macs = i8", "mac = i8"), r"npu.target:32: these rules know no 'mac': price array has setup"),
            (("to = tile", "to = tiles"), r"npu.target:18: there is no memory 'tiles': there are dram, tile"),
            (("port = bus", "port = buss"), r"npu.target:19: there is no port 'buss': there is bus"),
            (("size = 64 KiB", "size = 64 KB"), r"npu.target:9: not a number of bytes, like 512 KiB: '64 KB'"),
            (("rate = 20 GB/s", "rate = fast"), r"npu.target:13: not a rate like 60 GB/s: 'fast'"),
            (("takes = elementwise", "takes = elementwize"),
             r"engine 'vector' takes 'elementwize', which is no class of operators: there is elementwise,"),
            (("takes = elementwise", "fuses = bias ; elementwise : i8\ntakes = elementwise"),
             r"engine 'vector' fuses 'elementwise', which is no sort of elementwise operators: there is sum, .*and bias"),
            (("matmul : i8", "matmul : int8"), r"engine 'matrix' takes 'int8', which is no element: write it like i8")):
        path = write(folder / "npu.target", NPU.replace(*change, 1))
        err = opscope("compile", network, "-t", path, "-o", folder / "x.opx", code=1).err
        matches(err, says, f"{change}")
        true(not (folder / "x.opx").exists(), "no half-written file")


main()
