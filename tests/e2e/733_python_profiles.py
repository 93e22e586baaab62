"""Profiles from Python (docs/python.md): tables that are what the commands print and what the traces hold, errors, and
the package where pip and `make install` put it."""
import doctest
import gzip
import importlib.util
import venv
from collections import Counter
from decimal import Decimal

from support import *
from library import install
from torq_runtime import job_csv, random_jobs

SKIP = "the library that a plain Python loads is that of the plain run" if SANITIZED else ""
BUILD = ROOT / "build"
TRACES = ROOT / "tests/testdata/pytorch"
HERE = {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]), "OPSCOPE_LIBRARY": str(BUILD / "libopscope.so"),
        "OPSCOPE_RECORD_LIBRARY": str(BUILD / "libopscope-record.so")}


def script(folder, text, *words, code=0, env=None):
    path = write(folder / "script.py", "import json, sys\nimport opscope\n" + text)
    return run(sys.executable, path, *words, cwd=folder, code=code, env=HERE if env is None else env)


def test_the_guide_says_what_is_printed(folder):
    shutil.copy(ROOT / "samples/pytorch/training.json.gz", folder / "trace.json.gz")
    shutil.copy(ROOT / "docs/python.md", folder)
    page = (folder / "python.md").read_text(encoding="utf-8")
    true(len(doctest.DocTestParser().get_examples(page)) > 12, "the guide has examples")
    run(sys.executable, "-m", "doctest", "python.md", cwd=folder, env=HERE)


def test_spans_are_those_of_the_trace(folder):
    """Against Python's own reading of the JSON: name, time, category and arguments of every one."""
    for name in ("streams", "stacks"):
        with gzip.open(TRACES / f"{name}.json.gz") as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        want = Counter((event["name"], int(event["dur"] * 1000), event["cat"], event.get("args", {}).get("stream"))
                       for event in events if event["ph"] == "X")
        said = script(folder, """
spans = opscope.open(sys.argv[1]).spans(arguments="stream")
print(json.dumps([[s.name, s.duration_ns, s.category, s.args_stream, s.start_ns] for s in spans]))
""", TRACES / f"{name}.json.gz").json()
        true(len(said) > 50, f"{name}: {len(said)} spans")
        equal(Counter(tuple(row[:4]) for row in said), want, name)
        first = min(row[4] for row in said)
        starts = [int(event["ts"] * 1000) for event in events if event["ph"] == "X"]
        equal(sorted(row[4] - first for row in said), sorted(start - min(starts) for start in starts), f"{name}: starts")


def as_printed(rows):
    """Reals have 15 digits in JSON."""
    return [{key: float(f"{value:.15g}") if isinstance(value, float) else value for key, value in row.items()}
            for row in rows]


def test_tables_are_what_the_commands_print(folder):
    write(folder / "runtime.csv", job_csv(random_jobs(60, seed=12)))
    opscope("convert", TRACES / "training.json.gz", "-o", folder / "training.pb")
    for path in (TRACES / "training.json.gz", TRACES / "graphs.json.gz", folder / "training.pb", folder / "runtime.csv"):
        said = script(folder, """
profile = opscope.open(sys.argv[1])
print(json.dumps({
    "top": [row._asdict() for row in profile.top()],
    "role": [row._asdict() for row in profile.top(by="role", filter="a")],
    "operators": [row._asdict() for row in profile.operators()],
    "types": [row._asdict() for row in profile.operators(by="type")],
    "tracks": [row._asdict() for row in profile.tracks()],
    "overview": [row._asdict() for row in profile.overview()],
    "ledger": profile.ledger._asdict()}))
""", path).json()
        printed = {"top": opscope("top", path, "--json").json()["spans"],
                   "role": opscope("top", path, "--by", "role", "--filter", "a", "--json").json()["spans"],
                   **opscope("operators", path, "--json").json()}
        for name in ("top", "role", "operators", "types"):
            # A command leaves a column out where all of it is absent.
            got = [{key: value for key, value in row.items() if key in want}
                   for row, want in zip(said[name], printed[name])]
            equal(len(said[name]), len(printed[name]), f"{path}: {name}")
            equal(as_printed(got), as_printed(printed[name]), f"{path}: {name}")
        info = opscope("info", path, "--json").json()[0]
        tracks = [{key: value for key, value in row.items() if key in want}
                  for row, want in zip(said["tracks"], info["tracks"])]
        equal(tracks, [{key: row[key] for key in row if key in said["tracks"][0]} for row in info["tracks"]],
              f"{path}: tracks")
        metrics = [metric for process in opscope("overview", path, "--json").json() for metric in process["metrics"]]
        equal([(row["name"], row["ns"]) for row in said["overview"]], [(row["name"], row["ns"]) for row in metrics],
              f"{path}: overview")
        for key in ("expected", "recorded", "lost", "impossible"):
            equal(said["ledger"][key], info["ledger"][key], f"{path}: ledger: {key}")


def test_sql_gives_what_the_command_prints(folder):
    queries = ["SELECT name, count(*) AS n, sum(dur) FROM slice GROUP BY name ORDER BY n DESC, name",
               "SELECT dur, dur / 2.0, NULL, name, name FROM slice ORDER BY id LIMIT 40",
               "SELECT * FROM thread_track", "SELECT 1 WHERE 0"]
    for path in (TRACES / "training.json.gz", TRACES / "memory.json.gz"):
        said = script(folder, """
profile = opscope.open(sys.argv[1])
print(json.dumps([list(map(list, profile.sql(query))) for query in sys.argv[2:]]))
""", path, *queries).json()
        for rows, query in zip(said, queries):
            printed = opscope("sql", path, query, "--csv").out.splitlines()[1:]
            equal(len(rows), len(printed), f"{path}: {query}: rows")
        with gzip.open(path) as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        want = Counter(event["name"] for event in events if event["ph"] == "X")
        got = {row[0]: row[1] for row in said[0]}
        true(all(got[name] >= count for name, count in want.items()), f"{path}: names and counts")
        equal([row[1] for row in said[1]], [row[0] / 2 for row in said[1]], f"{path}: reals")
        true(all(row[2] is None and row[3] == row[4] for row in said[1]), f"{path}: NULL, and a name twice")


def test_sql_keeps_what_cells_are(folder):
    script(folder, """
profile = opscope.open(sys.argv[1])
def column(query):
    return profile.sql(query)["v"]
assert column("SELECT x'ff00fe' AS v") == [b"\\xff\\x00\\xfe"]
mixed = "SELECT 1 AS v UNION ALL SELECT 'x' UNION ALL SELECT '1' UNION ALL SELECT NULL UNION ALL SELECT 2.5 UNION ALL SELECT x'78'"
assert column(mixed) == [1, "x", "1", None, 2.5, b"x"], column(mixed)
assert [row.v for row in profile.sql(mixed)] == column(mixed)
assert column("SELECT 'x' AS v UNION ALL SELECT NULL") == ["x", None]
for wrong in (lambda: profile.top(by=3), lambda: profile.sql(b"SELECT 1"), lambda: profile.spans(columns=3)):
    try:
        wrong()
        raise AssertionError("no error")
    except TypeError as error:
        assert "expected a text" in str(error), error
""", TRACES / "training.json.gz")


def test_rows_have_the_types_that_hints_say(folder):
    """The classes of rows are used for all columns of every table, and hold what they are said to hold."""
    script(folder, """
from typing import Optional, get_type_hints
from opscope.reading import _ROWS
for path in sys.argv[1:]:
    profile = opscope.open(path)
    for name, kind in _ROWS.items():
        hints = get_type_hints(kind)
        for row in profile.table(name):
            assert type(row) is kind, (path, name, row)
            for field, value in row._asdict().items():
                assert hints[field] == Optional[type(value)] if value is not None and hints[field] != type(value) \\
                    else value is not None or hints[field] == Optional[hints[field]], (name, field, value)
""", *(TRACES / f"{name}.json.gz" for name in ("training", "memory", "streams")))


def test_what_is_wrong_is_an_exception_with_the_library_s_words(folder):
    write(folder / "none.txt", "no profile at all\n")
    said = script(folder, """
profile = opscope.open(sys.argv[1])
def attempt(what):
    try:
        what()
    except (opscope.ProfileError, ValueError, KeyError, IndexError) as error:
        print(type(error).__name__, getattr(error, "code", ""), error)
attempt(lambda: opscope.open("none.txt"))
attempt(lambda: opscope.open("missing.pb"))
attempt(lambda: profile.spans(columns=["name", "colour"]))
attempt(lambda: profile.table("spams"))
attempt(lambda: profile.top(by="luck"))
attempt(lambda: profile.operators(by="luck"))
attempt(lambda: profile.top(from_ns=-1))
attempt(lambda: profile.spans(to_ns=0))
attempt(lambda: profile.top()["colour"])
attempt(lambda: profile.top()[10**9])
attempt(lambda: profile.write("x.nothing"))
attempt(lambda: opscope.convert("missing.pb", "x.pb"))
profile.close()
profile.close()
attempt(lambda: profile.top())
attempt(lambda: profile.ledger)
""", TRACES / "streams.json.gz").out.splitlines()
    for line, want in zip(said, (
            r"ProfileError -4 none.txt: .*", r"ProfileError -2 missing.pb: cannot open: .*",
            r"ProfileError -1 the table 'spans' has no column 'colour'", r"ProfileError -1 there is no table 'spams': .*",
            r"ProfileError -1 by 'luck': .*", r"ValueError  by='luck': .*", r"ValueError  from_ns=-1: .*",
            r"ValueError  to_ns=0: .*", r"KeyError  'colour'", r"IndexError  .*", r"ProfileError -1 .*x\.nothing.*",
            r"ProfileError -2 missing.pb: .*", r"ValueError  .*: the profile is closed",
            r"ValueError  .*: the profile is closed")):
        matches(line, rf"\A{want}\Z", "what is said")
    equal(len(said), 14, "exceptions")


def test_what_is_damaged_is_in_the_ledger(folder):
    write(folder / "cut.csv", job_csv(random_jobs(30, seed=3))[:-7])
    said = script(folder, """
ledger = opscope.open("cut.csv").ledger
print(json.dumps([ledger.lost + ledger.impossible, [note._asdict() for note in ledger.notes]]))
""").json()
    want = opscope("info", "cut.csv", "--json", cwd=folder, code=None).json()[0]["ledger"]
    equal(said[0], want["lost"] + want["impossible"], "how many are missing")
    true(said[0] > 0 and any("cut.csv" in note["text"] for note in said[1]), f"and why: {said}")


def test_columns_outlive_tables_and_threads_share_a_profile(folder):
    script(folder, """
import gc, threading
profile = opscope.open(sys.argv[1])
want = profile.spans()["duration_ns"]
data = profile.spans().columns["duration_ns"].data
gc.collect()
others = [profile.spans() for _ in range(20)]
assert data.tolist() == want and data.readonly
found = []
def work():
    for _ in range(10):
        found.append(profile.spans()["duration_ns"] == want and len(profile.top()) > 5)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert found == [True] * 40, found
table = profile.top()
profile.close()
assert table[0].self_ns > 0
""", TRACES / "streams.json.gz")


def test_without_the_library_it_is_said_what_to_do(folder):
    said = script(folder, """
try:
    opscope.open("trace.json")
except opscope.LibraryMissing as error:
    print(error)
""", env={**HERE, "OPSCOPE_LIBRARY": str(folder / "libopscope.so")}).out
    contains(said, "make install", "what to do")
    contains(said, "OPSCOPE_LIBRARY=", "what to do")
    older = script(folder, "try:\n    opscope.open('x')\nexcept opscope.LibraryMissing as error:\n    print(error)\n",
                   env={**HERE, "OPSCOPE_LIBRARY": str(BUILD / "libopscope-record.so")}).out
    contains(older, "is older than this module", "a library without tables")


def test_the_examples_run(folder):
    result = run(sys.executable, ROOT / "examples/kernels.py", ROOT / "samples/pytorch/training.json.gz", 2, env=HERE)
    equal(result.out, "431.7 us on the device\n"
          " 27.9%     120.5 us      2 x aten::_efficient_attention_backward\n"
          " 14.8%      63.7 us     24 x aten::mm\nstream 7: 431.7 us\n", "kernels.py")


def has(*modules):
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise Skip(f"no {', '.join(missing)} for {sys.executable}")


def test_numpy_s_arrays(folder):
    has("numpy")
    script(folder, """
import numpy
profile = opscope.open(sys.argv[1])
table = profile.spans(arguments="stream")
arrays = table.to_numpy()
assert arrays["duration_ns"].dtype == "int64" and not arrays["duration_ns"].flags.owndata
assert list(arrays["name"]) == table["name"] and list(arrays["category"]) == table["category"]
assert numpy.ma.is_masked(arrays["args.stream"]) and arrays["args.stream"].tolist() == table["args.stream"]
durations = arrays["duration_ns"]
del arrays, table
assert int(durations.sum()) == sum(profile.spans()["duration_ns"])
assert len(profile.samples().to_numpy()["value"]) == len(profile.samples())
""", TRACES / "streams.json.gz")


def test_pandas_frames(folder):
    has("numpy", "pandas")
    script(folder, """
import pandas
profile = opscope.open(sys.argv[1])
for table in (profile.spans(arguments="stream"), profile.top(), profile.operators(), profile.tracks(), profile.samples()):
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns) and len(frame) == len(table)
    for name, column in table.columns.items():
        values = [None if pandas.isna(value) else value for value in frame[name]]
        assert values == column.to_list(), name
assert frame is not None and str(profile.spans(arguments="stream").to_pandas()["args.stream"].dtype) == "Int64"
""", TRACES / "streams.json.gz")
    contains(run(sys.executable, ROOT / "examples/frames.py", TRACES / "training.json.gz", env=HERE).out,
             "aten::_efficient_attention_backward", "frames.py")


# Installed ------------------------------------------------------------------------------

ANSWER = "import opscope, sys; print(opscope.open(sys.argv[1]).top(by='role')[0].label, opscope.library())"


def test_pip_installs_a_wheel_with_the_libraries(folder):
    has("pip", "setuptools", "wheel")
    before = sorted(path.name for path in (ROOT / "python").iterdir())
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index", "--no-deps",
        "--disable-pip-version-check", "--target", folder / "site", ROOT / "python",
        env={"OPSCOPE_BUILD": str(BUILD), "PIP_NO_CACHE_DIR": "1"})
    tag = next((folder / "site").glob("opscope-*.dist-info")) / "WHEEL"
    matches(tag.read_text(), r"Tag: py3-none-linux_\w+\n", "for any Python of this system")
    result = run(sys.executable, "-c", ANSWER, TRACES / "streams.json.gz", cwd=folder,
                 env={"PYTHONPATH": str(folder / "site")})
    equal(result.out, f"compute {folder}/site/opscope/lib/libopscope-record.so\n", "by the libraries of the wheel")
    true((folder / "site/opscope/py.typed").exists(), "type hints are announced")
    after = sorted(path.name for path in (ROOT / "python").iterdir())
    equal([name for name in after if name != "__pycache__"], [name for name in before if name != "__pycache__"],
          "the source stays as it is")
    refused = run(sys.executable, "setup.py", "--quiet", "build", cwd=ROOT / "python", env={"OPSCOPE_BUILD": str(folder)},
                  code=1)
    contains(refused.err, "run 'make'", "without a build")


def test_importable_after_make_install(folder):
    venv.create(folder / "installed", with_pip=False)
    python = folder / "installed/bin/python"
    install(folder, build=BUILD, python=python)
    result = run(python, "-c", ANSWER, TRACES / "streams.json.gz", cwd=folder)
    equal(result.out, f"compute {folder}/installed/lib/libopscope-record.so\n", "without any variable")
    run(python, "-c", "import perfetto_api, qaic", cwd=folder)


main()
