"""The traces that opscope writes say as much of operators, modules and steps as what they were made of."""
from support import *

PYTORCH = sorted((ROOT / "tests/testdata/pytorch").glob("*.json.gz"))
ONNXRUNTIME = ROOT / "samples/onnxruntime/mobilenet_v2.json.gz"
KEYS = ("name", "category", "operator", "module", "shape", "step", "role")


def rows_of(path, *words):
    """All of a report but where it is from."""
    report = opscope(*words, path, "--json").json()
    return {key: value for key, value in report.items() if key not in ("file", "ledger")}


def written(folder, path, *words):
    trace = folder / f"{path.name}.pb"
    opscope("convert", path, "-o", trace, *words)
    return trace


def test_operators_and_top_of_a_trace_are_those_of_its_source(folder):
    for path in [*PYTORCH, ONNXRUNTIME]:
        trace = written(folder, path)
        wanted = rows_of(path, "operators")
        true(len(str(wanted)) > 500 and rows_of(trace, "operators") == wanted, f"{path.name}: operators differ")
        for key in KEYS:
            true(rows_of(trace, "top", "--by", key) == rows_of(path, "top", "--by", key), f"{path.name}: by {key} differs")


def test_a_trace_of_a_trace_is_the_same(folder):
    path = ROOT / "tests/testdata/pytorch/training.json.gz"
    trace = written(folder, path)
    again = folder / "again.pb"
    opscope("convert", trace, "-o", again)
    true(rows_of(again, "operators") == rows_of(path, "operators"), "operators differ")


def test_perfetto_passes_over_what_is_added(folder):
    trace = written(folder, ROOT / "tests/testdata/pytorch/training.json.gz")
    errors = trace_query(trace, "select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    equal(errors, [], "what Perfetto complains of")
    spans = trace_query(trace, "select count(*) as n from slice")
    equal(int(spans[0]["n"]), 1228, "slices")


def test_without_arguments_there_are_no_calls(folder):
    trace = written(folder, PYTORCH[0], "--no-args")
    equal(rows_of(trace, "operators")["operators"][1:], [], "operators")


def test_two_traces_in_one_file_have_no_operators(folder):
    """Numbers of calls would mean those of either."""
    trace = written(folder, PYTORCH[0])
    both = folder / "both.pb"
    both.write_bytes(trace.read_bytes() * 2)
    result = opscope("operators", both, "--json", code=None)
    true("several traces with operators" in result.err, result.err)
    equal([row for row in result.json()["operators"] if row["name"] != "(no operator)"], [], "operators")


def test_a_trace_that_is_cut_has_no_operators(folder):
    data = written(folder, PYTORCH[0]).read_bytes()
    cut = folder / "cut.pb"
    for size in (len(data) - 1, len(data) - 40, len(data) // 2):
        cut.write_bytes(data[:size])
        result = opscope("operators", cut, "--json", code=3)
        equal([row for row in result.json()["operators"] if row["name"] != "(no operator)"], [], f"cut at {size}")


main()
