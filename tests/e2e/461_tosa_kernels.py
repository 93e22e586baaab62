"""TOSA networks compute what MLIR's own lowering computes, on seeded inputs.

`make test` takes a sample; `make conformance` (OPSCOPE_ALL=1) takes all networks.
docs/conformance-tosa.md lists what the lowering cannot do.
"""
from support import *

sys.path.append(str(ROOT / "tests/tools"))
import tosa_cases  # noqa: E402
import tosa_compare  # noqa: E402
import tosa_reference  # noqa: E402

ALL = os.environ.get("OPSCOPE_ALL") == "1"
DOCUMENT = ROOT / "docs/conformance-tosa.md"

# Of ../shared/data/tosa: small ones, of all kinds.
SAMPLE = ["add", "argmax-1x64x8-2axis", "avgpool2d", "cast-f32-to-i8", "clamp-bf16",
          "conv2d_1x1_size1_bias_matmul_as_conv-i8", "dw_f5_16x16-bf16", "gather-i16",
          "matmul-in-int8-out-int32-2", "maxpool_f5_s2_10x10x4", "multioutput", "resize-4x4x32xi8",
          "rescale-in-uint8-out-int8", "transpose-5dim"]
TOGETHER = 40  # generated networks that are compiled at once


def need_reference():
    missing = tosa_reference.missing_tools()
    if missing:
        raise Skip(f"no {', '.join(missing)} (mlir-22-tools, llvm-22)")


def refused():
    """Networks that the document says MLIR does not lower, with the reason."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([\w.-]+)` \| (.+?) \|$", text, re.MULTILINE))


def infer(path, kinds, inputs, outputs, folder, *options):
    """The bytes of each output."""
    words = []
    for index, (kind, data) in enumerate(zip(kinds, inputs)):
        file = write(folder / f"in{index}.bin", data)
        words += ["--input", "x".join(map(str, [*kind[0], kind[1]])) + f"=@{file}"]
    files = [folder / f"out{index}.bin" for index in range(outputs)]
    for file in files:
        words += ["--output", file]
    opscope("infer", path, *words, *options)
    return [file.read_bytes() for file in files]


def compare(name, path, network, folder):
    """What is wrong, as lines."""
    inputs = [tosa_compare.random_bytes(kind, index + 1)
              for index, kind in enumerate(network.inputs)]
    got = infer(path, network.inputs, inputs, len(network.outputs), folder)
    want = network.run(inputs)
    found = [tosa_compare.differ(*each) for each in zip(network.outputs, got, want)]
    return [f"{name}, output {index}: {line}" for index, line in enumerate(found) if line]


def test_generated_networks_compute_what_mlir_computes(folder):
    need_reference()
    texts = dict(tosa_cases.cases())
    names = list(texts) if ALL else list(texts)[::20]
    listed = refused()
    lines = []
    for start in range(0, len(names), TOGETHER):
        part = {name: texts[name] for name in names[start:start + TOGETHER]}
        for name, network in tosa_reference.networks_together(part).items():
            if isinstance(network, str):
                lines += [] if name in listed else [f"{name}: {network}"]
                continue
            lines += [f"{name} is listed, but MLIR lowers it"] if name in listed else []
            lines += compare(name, write(folder / "x.mlir", texts[name]), network, folder)
    true(not lines, f"{len(lines)} of {len(names)}:\n" + "\n".join(lines))


def compare_file(path, folder):
    try:
        network = tosa_reference.read_network(path)
    except tosa_reference.Refused as failure:
        return [] if path.name in refused() else [f"{path.name}: {failure}"]
    return compare(path.name, path, network, folder)


def test_public_networks_compute_what_mlir_computes(folder):
    need_reference()
    data = shared("data/tosa")
    paths = sorted(data.glob("*.mlir")) if ALL else [data / f"{name}.mlir" for name in SAMPLE]
    wrong = {path.name: lines for path in paths if (lines := compare_file(path, folder))}
    true(not wrong, f"{len(wrong)} of {len(paths)}:\n" +
         "\n".join(line for lines in wrong.values() for line in lines))


def test_own_networks_compute_what_mlir_computes(folder):
    need_reference()
    paths = sorted([*ROOT.glob("tests/testdata/tosa_ops/*.mlir"), *ROOT.glob("samples/tosa/*.mlir")])
    lines = [line for path in paths for line in compare_file(path, folder)]
    true(not lines, "\n".join(lines))


SCATTER = """func.func @main(%v: tensor<2x9x3xi8>, %i: tensor<2x4xi32>, %x: tensor<2x4x3xi8>)
    -> tensor<2x9x3xi8> {
  %y = tosa.scatter %v, %i, %x : (tensor<2x9x3xi8>, tensor<2x4xi32>, tensor<2x4x3xi8>)
    -> tensor<2x9x3xi8>
  return %y : tensor<2x9x3xi8>
}
"""


def test_scatter_which_mlir_does_not_lower(folder):
    kinds = [([2, 9, 3], "i8"), ([2, 4], "i32"), ([2, 4, 3], "i8")]
    values = tosa_compare.random_bytes(kinds[0], 1)
    rows = tosa_compare.random_bytes(kinds[2], 2)
    places = [[8, 0, 3, 5], [1, 2, 7, 4]]
    indices = b"".join(place.to_bytes(4, "little") for batch in places for place in batch)
    want = bytearray(values)
    for batch in range(2):
        for row, place in enumerate(places[batch]):
            at, source = (batch * 9 + place) * 3, (batch * 4 + row) * 3
            want[at:at + 3] = rows[source:source + 3]
    got = infer(write(folder / "x.mlir", SCATTER), kinds, [values, indices, rows], 1, folder)
    equal(got, [bytes(want)], "scattered")


def test_threads_do_not_matter(folder):
    texts = dict(tosa_cases.cases())
    for name in ["conv2d_0_f32_f32_f32", "conv2d_1_i8_i8_i32", "reduce_sum_f32_1", "rfft2d",
                 "matmul_f32_f32_3x17x33x9"]:
        path = write(folder / f"{name}.mlir", texts[name])
        first, *others = [opscope("infer", path, "--threads", threads, "--max-elements", 100000).out
                          for threads in (1, 2, 5)]
        for other in others:
            equal(other, first, name)


def test_the_comparison_notices_errors():
    """An oracle that agrees with everything would be none."""
    kind = ([4], "f32")
    one = tosa_compare.array.array("f", [1, 2, 3, 4]).tobytes()
    near = tosa_compare.array.array("f", [1, 2, 3, 4.00003]).tobytes()
    far = tosa_compare.array.array("f", [1, 2, 3, 4.0001]).tobytes()
    equal(tosa_compare.differ(kind, near, one), None, "within the tolerance")
    true(tosa_compare.differ(kind, far, one), "beyond the tolerance")
    true(tosa_compare.differ(([2], "i8"), b"\1\2", b"\1\3"), "integers must be equal")
    half = ([1], "bf16")
    equal(tosa_compare.differ(half, b"\x81\x3f", b"\x80\x3f"), None, "one unit of bf16")
    true(tosa_compare.differ(half, b"\x82\x3f", b"\x80\x3f"), "two units of bf16")


main()
