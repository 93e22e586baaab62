"""Programs on the device host against the plain executor: a sample of tests/equality.py."""

from support import *

sys.path.append(str(ROOT / "tests"))
import equality


def test_a_sample_computes_the_same(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    for words, differ in equality.sample(equality.TARGETS, every=400 if SANITIZED else 20):
        equal(differ, [], words)


def test_a_network_that_cannot_be_read_is_not_counted_as_equal(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    paths = [write(folder / "bad.mlir", "nothing"), ROOT / "tests/testdata/tosa_ops/add.mlir"]
    found = list(equality.outcomes("host", paths))
    equal([kind for _, kind, _ in found], ["not run", "same"], "outcomes")


def test_any_number_of_workers_computes_the_same(folder):
    program = folder / "n.opx"
    for network in ("tests/testdata/tosa_ops/conv-stride1-notile.mlir", "samples/tosa/fc.mlir"):
        opscope("compile", ROOT / network, "--target", "torq-sl2610", "-o", program)
        digests = set()
        for threads in (1, 2, 3, 8):
            opscope("run", program, "--threads", threads, "-n", 3, "--output", folder / "y.npy")
            digests.add((folder / "y.npy").read_bytes())
        equal(len(digests), 1, f"{network} with 1, 2, 3 and 8 workers")


def test_a_task_that_fails_ends_the_run(folder):
    network = write(folder / "g.mlir", """
func.func @main(%a: tensor<1x64x8xi8>, %i: tensor<1x512xi32>) -> tensor<1x512x8xi8> {
  %0 = tosa.gather %a, %i : (tensor<1x64x8xi8>, tensor<1x512xi32>) -> tensor<1x512x8xi8>
  return %0 : tensor<1x512x8xi8>
}
""")
    program = folder / "g.opx"
    opscope("compile", network, "--target", "torq-sl2610", "-o", program)
    for threads in (1, 2, 4):
        inputs = ("-i", "1x64x8xi8=1", "-i", "1x512xi32=64")
        result = opscope("run", program, "--threads", threads, *inputs, code=1)
        contains(result.err, "index 64 of a dimension of length 64", f"{threads} workers")


main()
