"""Programs on the device host against the plain executor: a sample of tests/equality.py."""

from support import *

sys.path.append(str(ROOT / "tests"))
import equality


def test_a_sample_computes_the_same(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    for target in equality.TARGETS:
        for group, paths in equality.networks(every=45 if SANITIZED else 15).items():
            equal(equality.check(target, group, paths), [], f"{group} for {target}")


def test_a_network_that_cannot_be_read_is_not_counted_as_equal(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    paths = [write(folder / "bad.mlir", "nothing"), ROOT / "tests/testdata/tosa_ops/add.mlir"]
    found = list(equality.outcomes("host", paths))
    equal([kind for _, kind, _ in found], ["not run", "same"], "outcomes")


main()
