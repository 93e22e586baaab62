"""The node tests of the ONNX project: what passes and what does not is as documented."""
from support import *

sys.path.append(str(ROOT / "tests"))
import conformance  # noqa: E402


def test_node_cases_are_as_documented():
    if not conformance.DATA.is_dir():
        raise Skip(f"no {conformance.DATA} (Debian's libonnx-testdata)")
    results = conformance.check("node", "--threads", "2")
    true(len(results) > 900, f"only {len(results)} node cases in {conformance.DATA}")
    lines = conformance.surprises(results, conformance.exceptions())
    true(not lines, "\n".join(lines))


def test_every_exception_says_why():
    for case, reason in conformance.exceptions().items():
        true(len(reason) > 20, f"{case}: '{reason}' is no reason")


main()
