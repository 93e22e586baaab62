"""What Torq's kernels take: every figure of docs/formats/torq-dump.md, worked out once more by
tests/tools/torq_kernels.py; their names as types of operators; and where floats run."""
import csv
import re

from compiling import *
from support import *

sys.path.append(str(ROOT / "tests/tools"))
import torq_kernels

# Inputs that a price does not depend on, and what an operator needs to know besides.
PARAMETERS = {"tosa.matmul": ",1x{0},1x{0}", "tosa.mul": ",1xi8", "tosa.table": ",256xi8"}

RESCALE = """module {{
  func.func @main(%a: tensor<{0}x{1}>) -> tensor<{0}xi8> {{
    %m = "tosa.const"() <{{values = dense<16384> : tensor<1xi32>}}> : () -> tensor<1xi32>
    %s = "tosa.const"() <{{values = dense<15> : tensor<1xi8>}}> : () -> tensor<1xi8>
    %i = "tosa.const"() <{{values = dense<0> : tensor<1x{1}>}}> : () -> tensor<1x{1}>
    %o = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
    %0 = tosa.rescale %a, %m, %s, %i, %o {{input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}} : (tensor<{0}x{1}>, tensor<1xi32>, tensor<1xi8>, tensor<1x{1}>, tensor<1xi8>) -> tensor<{0}xi8>
    return %0 : tensor<{0}xi8>
  }}
}}
"""

SCATTER = """module {{
  func.func @main(%a: tensor<{0}>, %b: tensor<{2}>) -> tensor<{0}> {{
    %i = "tosa.const"() <{{values = dense<{3}> : tensor<{1}>}}> : () -> tensor<{1}>
    %0 = tosa.scatter %a, %i, %b : (tensor<{0}>, tensor<{1}>, tensor<{2}>) -> tensor<{0}>
    return %0 : tensor<{0}>
  }}
}}
"""

FLOATS = """module {
  func.func @main(%a: tensor<4x96xf32>, %b: tensor<1x16x32xbf16>, %c: tensor<1x32x48xbf16>) -> tensor<4x96xf32> {
    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
    %f = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %0 = tosa.abs %a : (tensor<4x96xf32>) -> tensor<4x96xf32>
    %1 = tosa.ceil %a : (tensor<4x96xf32>) -> tensor<4x96xf32>
    %2 = tosa.floor %a : (tensor<4x96xf32>) -> tensor<4x96xf32>
    %3 = tosa.clamp %a {max_val = 1.0 : f32, min_val = -1.0 : f32} : (tensor<4x96xf32>) -> tensor<4x96xf32>
    %4 = tosa.negate %a, %f, %f : (tensor<4x96xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x96xf32>
    %5 = tosa.cast %a : (tensor<4x96xf32>) -> tensor<4x96xi32>
    %6 = tosa.matmul %b, %c, %z, %z : (tensor<1x16x32xbf16>, tensor<1x32x48xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<1x16x48xf32>
    %7 = tosa.add %a, %a : (tensor<4x96xf32>, tensor<4x96xf32>) -> tensor<4x96xf32>
    %8 = tosa.exp %a : (tensor<4x96xf32>) -> tensor<4x96xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xi32>, tensor<1x16x48xf32>, tensor<4x96xf32>, tensor<4x96xf32>
  }
}
""".replace("-> tensor<4x96xf32> {\n    %z", "-> (tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xf32>, tensor<4x96xi32>, tensor<1x16x48xf32>, tensor<4x96xf32>, tensor<4x96xf32>) {\n    %z")


def table():
    """(kernel, [(case, cycles)...]) of each row of the document's table."""
    text = (ROOT / "docs/formats/torq-dump.md").read_text(encoding="utf-8")
    lines = text.split("| kernel | cycles | figures |\n", 1)[1].splitlines()[1:]
    for line in lines:
        if not line.startswith("|"):
            break
        kernel, _, figures = line.strip("| ").split(" | ")
        cases = re.findall(r"`([^`]+)` ([\d ]*\d)", figures)
        yield kernel, [(case, int(number.replace(" ", ""))) for case, number in cases]


def network_of(operator, inputs):
    """Networks of one operator that cannot be said to --explain: of a rescaling the type of the
    result, of a scattering that its places are constants."""
    if operator == "tosa.rescale":
        return RESCALE.format(*inputs.split("x"))
    values, places, written = inputs.split(",")
    return SCATTER.format(values, places, written, [list(range(int(places.split("x")[1])))])


def compiled_case(folder, operator, inputs):
    path = folder / "case.opx"
    opscope("compile", write(folder / "case.mlir", network_of(operator, inputs)), "-t", TARGET, "-o", path,
            "--set", "plan.keep=no")  # in one piece
    rows_of = opscope("estimate", path, "--json").json()["rows"]
    cycles = sum(row["end_cycles"] - row["start_cycles"] for row in rows_of
                 if row["unit"].startswith("Slice"))
    groups = opscope("program", path, "--groups", "--json").json()["groups"]
    return {"engine": groups[0]["engine"], "cycles": cycles, "terms": [{"name": groups[0]["type"]}]}


def explained(case, folder=None):
    """What --explain says of a case; with a folder, of some what a compiled network takes."""
    operator, inputs, *options = case.split()
    if folder is not None and operator in ("tosa.rescale", "tosa.scatter"):
        return compiled_case(folder, operator, inputs)
    element = inputs.split(",")[0].split("x")[-1]
    return opscope("targets", TARGET, "--explain", operator,
                   inputs + PARAMETERS.get(operator, "").format(element), "--json", *options).json()


def test_figures_of_the_document():
    found = list(table())
    true(len(found) >= 20, f"{len(found)} rows")
    for kernel, cases in found:
        true(len(cases) >= 3, f"{kernel}: three shapes or more")
        for case, number in cases:
            equal(torq_kernels.cycles(case), number, f"{case}: worked out from the loops")


def test_prices_are_those_of_the_document(folder):
    for kernel, cases in table():
        for case, number in cases:
            price = explained(case, folder)
            equal((price["engine"], price["cycles"]), ("slice", number), case)
            equal(price["terms"][0]["name"], kernel, f"{case}: kernel")


def test_shapes_that_nobody_chose():
    """Shapes that nobody chose: channels, sides and strides one after the other."""
    for channels in (1, 3, 4, 7):
        for side, pad in ((1, 0), (3, 1), (5, 0), (7, 3)):
            for stride in (1, 2, 3):
                case = (f"Conv 1x5x31x29xi8,{channels}x5x{side}x{side}xi8 "
                        f"-a pads={pad},{pad},{pad},{pad} -a strides={stride},{stride}")
                equal(explained(case)["cycles"], torq_kernels.cycles(case), case)
    for rows in (1, 5):
        for columns in (1, 3, 15, 63, 64, 65):
            case = f"tosa.matmul 1x{rows}x2xi8,1x2x{columns}xi8"
            equal(explained(case)["cycles"], torq_kernels.cycles(case), case)


def test_widths_of_matrices():
    equal(explained("tosa.matmul 1x64x128xi8,1x128x256xi8")["cycles"], 32768, "64 x 128 x 256")
    equal(explained("Gemm 1x1280xi8,1280x1000xi8")["cycles"], 20480, "1 x 1280 x 1000")


def test_kernels_keep_to_the_loops_of_the_machine():
    """The published nests of the kernels take what the prices say, and no more loops than there
    are, however large the operands; with another loop around, or a load outside, they would not."""
    for case in ("Conv 1x64x56x56xi8,64x64x3x3xi8 -a pads=1,1,1,1", "Conv 300x512x64x64xi8,512x512x7x7xi8 -a pads=3,3,3,3",
                 "Gemm 700x5000xi8,5000x6400xi8", "tosa.matmul 300x400x500xi8,300x500x640xi8",
                 "tosa.add 1x56x56x24xi8,1x56x56x24xi8", "tosa.add 700x900x300xbf16,700x900x300xbf16",
                 "tosa.reduce_sum 300x20x1000xi32 -a axis=1", "tosa.reduce_sum 3x500x700x20x640xbf16 -a axis=3"):
        nest = torq_kernels.nest(case)
        equal(list(nest.beyond()), [], case)
        equal((nest.cycles(), nest.cycles()), (explained(case)["cycles"], torq_kernels.cycles(case)), case)
    nest = torq_kernels.Nest({"a": 300, "b": 2, "c": 2}, {"k": 300}, {"d": 2, "e": 2, "f": 2, "g": 4}, {"b", "d", "f"},
                             (0, set()), (0, set()), (0, set()), {"d", "f", "g"})
    equal(len(list(nest.beyond())), 2, f"too many of each: {list(nest.beyond())}")


def test_types_are_torqs(folder):
    for source, want in ((FC, {"fully_connected", "identity"}), (ADD, {"add"}), (CONV, {"conv2d"})):
        torq_compile(source, "-o", folder / "m.vmfb", "--torq-enable-profiling",
                     f"--torq-dump-profiling={folder / 't.csv'}",
                     f"--dump-compilation-phases-to={folder / 'phases'}")
        with open(folder / "t.csv", newline="") as file:
            types = {row[4] for row in list(csv.reader(file))[1:]}
        equal(types - {"DMA_IN", "DMA_OUT"}, want, f"{source.name}: op types")
        dump = (folder / f"phases/{source.stem}.9.executable-targets.mlir").read_text()
        equal(set(re.findall(r"slice_program_torq_hl\.(\w+?)_\d+\"", dump)), want, "programs")


def test_what_no_kernel_takes():
    """Goes to the next engine that does, and says why."""
    for case, want in {
        "tosa.scatter 1x64x32xi8,1x20xi32,1x20x32xi8":
            ("css", "the slices do not take it: scatter needs places that are constants"),
        "Gather 4x100x24xi8,7xi32": ("css", "the slices have no Gather of this form"),
        "tosa.gather 2x64x32xi8,2x20xi32": ("css", "the slices have no tosa.gather of this form"),
        "tosa.gather 1x64x32xf32,1x20xi32": ("host", "the slices do not compute f32"),
        "tosa.resize 1x8x8x24xi8,[3,1,3,1],[0,0],[2,2] -a mode=NEAREST_NEIGHBOR":
            ("css", "the slices have no tosa.resize of this form"),
        "Conv 2x16x100xi8,32x16x5xi8":
            ("host", "the slices do not take it: convolutions over lines are of one line alone"),
        "Conv 1x16x100xi8,32x16x17xi8":
            ("host", "the slices do not take it: im2col takes windows of at most 16 places"),
    }.items():
        price = explained(case)
        equal((price["engine"], price["reason"]), want, case)


LONG = """module {
  func.func @main(%a: tensor<65537xi8>, %b: tensor<1x32771x3xi8>, %c: tensor<3x65536xi8>) -> (tensor<65537xi8>, tensor<1x32771x3xi8>, tensor<3x65536xi8>) {
    %0 = tosa.abs %a : (tensor<65537xi8>) -> tensor<65537xi8>
    %1 = tosa.reverse %b {axis = 1 : i32} : (tensor<1x32771x3xi8>) -> tensor<1x32771x3xi8>
    %2 = tosa.reverse %c {axis = 0 : i32} : (tensor<3x65536xi8>) -> tensor<3x65536xi8>
    return %0, %1, %2 : tensor<65537xi8>, tensor<1x32771x3xi8>, tensor<3x65536xi8>
  }
}
"""


def test_dimensions_that_loops_count(folder):
    """A prime above 32767 is cut, or goes to the host where it cannot be; 65536 is two loops."""
    path = compiled(folder, write(folder / "long.mlir", LONG))
    groups = opscope("program", path, "--groups", "--json").json()["groups"]
    equal([group["engine"] for group in groups], ["slice", "host", "slice"], "engines")
    true("32767 places" in groups[1]["reason"], groups[1]["reason"])
    sizes = [operand["size"] for task in opscope("program", path, "--json").json()["tasks"]
             for operand in task["operands"] if task["engine"] == "slice" and task["group"] == 0]
    true(sizes and all(size[0] <= 32767 for size in sizes), f"tiles {sizes}")
    opscope("verify", path)


def test_floats_that_slices_compute(folder):
    path = compiled(folder, write(folder / "floats.mlir", FLOATS))
    groups = opscope("program", path, "--groups", "--json").json()["groups"]
    equal([(group["type"], group["engine"]) for group in groups],
          6 * [("act", "slice")] + [("matmul", "slice"), ("add", "host"), ("exp", "host")], "groups")


main()
