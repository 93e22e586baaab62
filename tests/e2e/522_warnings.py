"""opscope compile --perf-warnings: each kind where there is a cause, and none where there is not."""

from support import *

ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"

PAD = """func.func @main(%a: tensor<1x40x40x64xi8>) -> tensor<1x41x42x64xi8> {
  %s = tosa.const_shape {values = dense<[0, 0, 0, 1, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %c = "tosa.const"() <{values = dense<-100> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.pad %a, %s, %c : (tensor<1x40x40x64xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x41x42x64xi8>
  return %0 : tensor<1x41x42x64xi8>
}
"""

# One row by a matrix: a slice is made for 64 rows.
# Two places by two of a convolution with many channels.
PLACES = """func.func @main(%a: tensor<1x2x2x512xi8>) -> tensor<1x2x2x512xi32> {
  %w = "tosa.const"() <{values = dense<1> : tensor<512x3x3x512xi8>}> : () -> tensor<512x3x3x512xi8>
  %b = "tosa.const"() <{values = dense<0> : tensor<512xi32>}> : () -> tensor<512xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %a, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x2x2x512xi8>, tensor<512x3x3x512xi8>, tensor<512xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x512xi32>
  return %0 : tensor<1x2x2x512xi32>
}
"""

POOLS = """func.func @main(%a: tensor<1x64x64x16xi8>) -> tensor<1x30x30x16xi8> {
  %0 = tosa.max_pool2d %a {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x64x64x16xi8>) -> tensor<1x62x62x16xi8>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x62x62x16xi8>) -> tensor<1x30x30x16xi8>
  return %1 : tensor<1x30x30x16xi8>
}
"""


def warnings(folder, network, *options):
    """All warnings as (kind, text)."""
    report = opscope("compile", network, "--target=torq-sl2610", "-o", folder / "net.opx", "--json",
                     *options).json()
    return [(warning["kind"], warning["text"]) for warning in report["warnings"]]


def texts(found, kind):
    return [text for name, text in found if name == kind]


def test_what_is_as_it_should_be(folder):
    found = warnings(folder, ADD)
    equal([kind for kind, _ in found], ["idle"], "warnings")
    contains(found[0][1], "bound by the far memory")


def test_transfers_that_are_mostly_set_up(folder):
    found = warnings(folder, ADD, "--set=dma_in.setup=20000")
    matches(texts(found, "small-tiles")[0], r"^\d+ transfers take longer to set up than to do: ")


def test_work_narrower_than_a_slice(folder):
    found = warnings(folder, write(folder / "places.mlir", PLACES))
    matches(texts(found, "small-tiles")[0], r"^\d+ of its tiles fill at most half of the width of slice: ")
    equal(texts(warnings(folder, ADD), "small-tiles"), [], "wide work")


def test_short_runs(folder):
    network = write(folder / "pad.mlir", PAD)
    found = texts(warnings(folder, network, "--set=lram.size=40KiB"), "unaligned")
    text = matches(found[0], r"in runs of as little as (\d+) bytes, shorter than a burst")
    true(int(text[1]) < 128, "a burst has 128 bytes")
    equal(texts(warnings(folder, ADD), "unaligned"), [], "long runs")


def test_values_that_come_right_back(folder):
    network = write(folder / "pools.mlir", POOLS)
    equal(texts(warnings(folder, network), "spill"), [], "values stay")
    found = texts(warnings(folder, network, "--set=plan.keep=no"), "spill")
    matches(found[0], r"^'0' \(61 KiB\) left the local memory and comes back right after: ")
    equal(texts(warnings(folder, network, "--set=lram.size=100KiB", "--set=plan.keep=no"), "spill"), [],
          "too large to stay")


def test_slices_without_work(folder):
    row = "tensor<1x16xi32>"
    steps = "".join(f"  %{i + 1} = tosa.abs %{i} : ({row}) -> {row}\n" for i in range(12))
    small = f"func.func @main(%0: {row}) -> {row} {{\n{steps}  return %12 : {row}\n}}\n"
    found = texts(warnings(folder, write(folder / "small.mlir", small)), "idle")
    matches("\n".join(found), r"(?m)^computes for [\d.]+ % of the time on 1 of 2 slices$")
    true(not any("of 2 slices" in text for text in texts(warnings(folder, ADD), "idle")), "both work")


def test_shares_are_shares(folder):
    for network in (ADD, write(folder / "pools.mlir", POOLS), write(folder / "places.mlir", PLACES)):
        for _, text in warnings(folder, network):
            for share in re.findall(r"([\d.]+) %", text):
                true(0 < float(share) <= 100, f"{network.name}: {text}")


main()
