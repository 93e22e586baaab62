"""PyTorch's traces come out as they went in, event by event, whatever they went through in between."""
import csv
import gzip
from collections import Counter
from decimal import Decimal

from support import *

FOLDER = ROOT / "tests/testdata/pytorch"
CASES = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json.gz"))


class Spelled(str):
    """A number that is no whole one, as it is written."""


def loaded(path):
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(data, parse_float=Spelled)


def frozen(value):
    """All of a value with its types: 1, 1.0, true and "1" differ."""
    if isinstance(value, dict):
        return "object", frozenset((key, frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return "array", tuple(map(frozen, value))
    return type(value).__name__, value


def event_of(event):
    """Times are numbers: how many decimals they have says nothing."""
    event = {key: Decimal(value) if key in ("ts", "dur") else value for key, value in event.items()}
    return frozen(event)


def compare(before, after, what):
    equal({key: frozen(value) for key, value in before.items() if key != "traceEvents"},
          {key: frozen(value) for key, value in after.items() if key != "traceEvents"}, f"{what}: members")
    theirs, ours = (Counter(map(event_of, trace["traceEvents"])) for trace in (before, after))
    equal([list((theirs - ours).items())[:3], list((ours - theirs).items())[:3]], [[], []], f"{what}: events")


def test_every_event_comes_back(folder):
    true(len(CASES) >= 7, f"traces: {CASES}")
    for case in CASES:
        source = FOLDER / f"{case}.json.gz"
        before = loaded(source)
        said = opscope("convert", source, "-o", folder / "direct.json").err.splitlines()
        said = [line for line in said if "cut into another one" not in line and not line.startswith("ledger: ")]
        equal(said, [], f"{case}: nothing to say")
        compare(before, loaded(folder / "direct.json"), case)
        opscope("convert", source, "-o", folder / "a.prof")
        opscope("convert", folder / "a.prof", "-o", folder / "stored.json.gz")
        compare(before, loaded(folder / "stored.json.gz"), f"{case} by way of .prof")



ODD = r"""{
  "schemaVersion": 1, "displayTimeUnit": "us", "one": "1", "truth": true, "nothing": null, "real": 1.50,
  "distributedInfo": {"backend": "nccl", "ranks": [0, 1], "pg_config": []},
  "baseTimeNanoseconds": 1700000000000000000,
  "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": "Spans", "tid": 0, "ts": 3, "args": {"name": "a \"b\""}},
  {"ph": "M", "name": "unheard_of", "pid": 1, "args": {"x": [1]}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 2, "ts": 10.5, "dur": 20,
   "args": {"External id": 7, "none": null, "empty": [], "nested": {"a": [1, 2.50, {"b": null}], "c": "d"},
            "location": "a.py:1", "small": 0.00001, "zeros": 2.500, "whole": 3.0, "many": 0.1234567890123456789,
            "exponent": 1E5, "tiny": 7.5e-05, "tinier": 7.575757575757576e-05, "seventeen": 655.89288833643877, "sixteen": 0.3000000000000000, "minus": -4, "zero": -0.0, "large": 18446744073709551615,
            "larger": 184467440737095516160, "text": "18446744073709551615", "yes": true, "no": false,
            "uni": "\u00e9\n\ttab", "role": "mine", "flow": "river", "scope": "s", "category": "c"}},
  {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40, "dur": 1.001, "cname": "good", "a \"b\"\n": [1],
   "args": {"correlation": 9}},
  {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40.5, "dur": 3, "args": {"correlation": 9}},
  {"ph": "X", "cat": "gpu_user_annotation", "name": "step", "pid": 0, "tid": 7, "ts": 40, "dur": 9, "args": {}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 2, "ts": 12, "dur": 2,
   "args": {"correlation": 9}},
  {"ph": "X", "cat": "cuda_sync", "name": "Event Sync", "pid": 0, "tid": 7, "ts": 40.25, "dur": 0.5, "args": {"stream": 7}},
  {"ph": "f", "id": 12, "pid": 0, "tid": 7, "ts": 40.25, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "s", "id": 12, "pid": 1, "tid": 2, "ts": 12.5, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "name": "bare", "pid": -1, "tid": "Trace X", "ts": 12, "dur": 0},
  {"ph": "s", "id": 9, "pid": 1, "tid": 2, "ts": 12, "cat": "ac2g", "name": "ac2g"},
  {"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 40, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "f", "id": 9, "pid": 0, "tid": 7, "ts": 40.5, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "f", "id": 11, "pid": 1, "tid": 2, "ts": 12, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "s", "id": "way", "pid": 1, "tid": 2, "ts": 13.5, "cat": "own", "name": "other"},
  {"ph": "t", "id": "way", "pid": 1, "tid": 2, "ts": 15, "cat": "own", "name": "other"},
  {"ph": "f", "id": "way", "pid": 1, "tid": 2, "ts": 10.5, "cat": "own", "name": "other"},
  {"ph": "s", "id": 21, "pid": 1, "tid": 2, "ts": 13, "cat": "a\n", "name": "a\n"},
  {"ph": "f", "id": 21, "pid": 1, "tid": 2, "ts": 14, "cat": "a\n", "name": "a\n", "bp": "e"},
  {"ph": "s", "id": 22, "pid": 1, "tid": 2, "ts": 13, "cat": "\n", "name": "\n"},
  {"ph": "f", "id": 22, "pid": 1, "tid": 2, "ts": 14, "cat": "\n", "name": "\n", "bp": "e"},
  {"ph": "s", "id": 23, "pid": 1, "tid": 2, "ts": 13, "cat": "a\nb", "name": "\u0000c\nd"},
  {"ph": "f", "id": 23, "pid": 1, "tid": 2, "ts": 14, "cat": "a\nb", "name": "\u0000c\nd", "bp": "e"},
  {"ph": "s", "id": 24, "pid": 1, "tid": 2, "ts": 13, "cat": "\nfe\n1\nab", "name": "\nfe\n1\nab"},
  {"ph": "f", "id": 24, "pid": 1, "tid": 2, "ts": 14, "cat": "\nfe\n1\nab", "name": "\nfe\n1\nab", "bp": "e"},
  {"ph": "i", "s": "g", "name": "all", "pid": 1, "tid": 2, "ts": 11},
  {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 11,
   "args": {"Bytes": -4, "scope": "q"}},
  {"ph": "C", "name": "power", "pid": 1, "ts": 11, "args": {"W": 3.5}}
  ], "traceName": "odd.json"}"""


def test_what_no_trace_here_has(folder):
    odd = write(folder / "odd.json", ODD)
    for chain in (["out.json"], ["out.prof", "out.json"], ["out.json.gz", "out.json"]):
        source = odd
        for step in chain:
            opscope("convert", source, "-o", folder / step)
            source = folder / step
        compare(loaded(odd), loaded(source), " ".join(chain))
    once = (folder / "out.json").read_bytes()
    opscope("convert", folder / "out.json", "-o", folder / "again.json")
    equal((folder / "again.json").read_bytes(), once, "the same bytes")


def test_an_array_stays_one(folder):
    old = write(folder / "old.json", json.dumps([
        {"name": "aten::add", "ph": "X", "ts": 5.25, "dur": 2.5, "tid": 3, "pid": "CPU functions", "args": {}},
        {"name": "k", "ph": "X", "ts": 6, "dur": 1, "tid": 0, "pid": "CUDA functions", "args": {"a": [1]}}]))
    opscope("convert", old, "-o", folder / "new.json")
    compare({"traceEvents": loaded(old)}, {"traceEvents": loaded(folder / "new.json")}, "array")


def test_arrows_of_graphs_go_from_their_launch(folder):
    """For viewers each kernel has an arrow of its own, and ends that nothing starts are no loss."""
    for case in ("graphs", "graph_alone"):
        before = loaded(FOLDER / f"{case}.json.gz")["traceEvents"]
        starts = {event["id"] for event in before if event["ph"] == "s"}
        arrows = sum(event["ph"] == "f" and event["id"] in starts for event in before)
        opscope("convert", FOLDER / f"{case}.json.gz", "-o", folder / "v.json", "--to", "chrome")
        after = loaded(folder / "v.json")
        equal(sum(event["ph"] == "f" for event in after), arrows, f"{case}: arrows")
        launches = {(event["tid"], event["ts"]) for event in after if "Launch" in event["name"]}
        ends = {event["id"] for event in after if event["ph"] == "f"}
        true(all((event["tid"], event["ts"]) in launches or event["id"] not in ends
                 for event in after if event["ph"] == "s"), f"{case}: where they start")
        opscope("convert", FOLDER / f"{case}.json.gz", "-o", folder / "v.pb")
        equal(without_loss(folder / "v.pb", "select count(*) as n from flow")[0]["n"], arrows, f"{case}: in a .pb")
        opscope("convert", folder / "v.pb", "-o", folder / "v.csv")
        true("flow id" not in (folder / "v.csv").read_text(), f"{case}: no arguments that nobody wrote")


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_a_csv_is_a_table_of_all_events(folder):
    pages = (ROOT / "docs/formats/spans-csv.md").read_text()
    columns = [name for line in re.findall(r"^\| ([a-z_, ]+) \|", pages, re.MULTILINE)
               for name in line.split(", ") if name != "column"]
    for case in ("inference", "memory", "graphs"):
        source = FOLDER / f"{case}.json.gz"
        trace = loaded(source)
        base = trace["baseTimeNanoseconds"]
        said = opscope("convert", source, "-o", folder / "a.csv").err
        inner, facts = opscope("sql", source, "--json", "SELECT (SELECT COUNT(*) FROM call WHERE parent_id > 0),"
                               " (SELECT COUNT(*) FROM fact WHERE tag NOT IN ('format', 'source'))").json()["results"][0]["rows"][0]
        ends = sum(event["ph"] in "stf" for event in trace["traceEvents"])
        equal("ends of flows left out" in said, ends > 0, f"{case}: flows left out")
        for what, count in (("calls", inner), ("facts", facts)):
            equal(re.findall(rf"remark: .*\b{what}\b.*: (\d+)$", said, re.MULTILINE), [str(count)] if count else [],
                  f"{case}: {what} left out")
        rows = rows_of(folder / "a.csv")
        equal(list(rows[0]), columns, "columns are those of the page")
        wanted = Counter((event["name"], event.get("cat", ""), base + int(Decimal(event["ts"]) * 1000),
                          int(Decimal(event["dur"]) * 1000) if event["ph"] == "X" else "",
                          frozen(event.get("args", {})))
                         for event in trace["traceEvents"] if event["ph"] in "Xi")
        shown = Counter((row["name"], row["category"], int(row["start_ns"]),
                         int(row["duration_ns"]) if row["kind"] == "span" else row["duration_ns"],
                         frozen(json.loads(row["args"] or "{}", parse_float=Spelled))) for row in rows)
        equal([list((wanted - shown).items())[:3], list((shown - wanted).items())[:3]], [[], []], f"{case}: rows")
        kernels = [row for row in rows if row["category"] == "kernel"]
        true(kernels and all(row["role"] == "compute" and row["thread"].startswith("stream")
                             and row["process"].endswith("(GPU 0)") and row["device"] == "0"
                             and row["engine"] == "device" for row in kernels), f"{case}: {kernels[0]}")
    copies = {row["name"]: row["role"] for row in rows_of(folder / "a.csv") if row["category"] == "gpu_memcpy"}
    operators = {row["operator"] for row in kernels}
    true("cudaGraphLaunch" in operators, f"operators: {operators} {copies}")


def test_tracy_says_what_it_has_no_place_for(folder):
    source = ROOT / "samples/pytorch/training.json.gz"
    said = opscope("convert", source, "-o", folder / "a.tracy").err
    operators, lanes = opscope(
        "sql", source, "--json", "SELECT (SELECT COUNT(DISTINCT operator_id) FROM call WHERE operator_id > 0),"
        " (SELECT COUNT(*) FROM track WHERE role IS NULL AND id IN"
        " (SELECT track_id FROM span UNION SELECT track_id FROM instant))",
    ).json()["results"][0]["rows"][0]
    contains(said, f"operators left out: Tracy has none: {operators}\n")
    matches(said, rf"lanes of unknown role that are threads of the program there: {lanes}$")


def test_torqs_profiles_keep_their_form(folder):
    torq = ROOT / "tests/fuzz/corpus/torq/c1.csv"
    opscope("convert", torq, "-o", folder / "a.pb")
    for source in (torq, folder / "a.pb"):
        opscope("convert", source, "-o", folder / "own.csv")
        opscope("convert", source, "-o", folder / "asked.csv", "--to", "torq-c1")
        equal((folder / "own.csv").read_bytes(), (folder / "asked.csv").read_bytes(), source.name)
    opscope("convert", torq, "-o", folder / "flat.csv", "--to", "spans", "--no-args")
    rows = rows_of(folder / "flat.csv")
    equal(len(rows), opscope("info", torq, "--json").json()[0]["spans"], "rows")
    true(all(row["args"] == "" and (row["role"] or row["name"] == "GEMM") for row in rows), "engines of Torq's have roles")


def test_what_is_no_trace_of_pytorch(folder):
    torq = ROOT / "tests/fuzz/corpus/torq/c1.csv"
    contains(opscope("convert", torq, "-o", folder / "a.json", "--to", "kineto", code=2).err, "take the format chrome")
    opscope("convert", torq, "-o", folder / "a.json")
    true(isinstance(loaded(folder / "a.json"), list), "for viewers")
    for words in (("--no-args",), ("--split", "64KiB")):
        opscope("convert", FOLDER / "streams.json.gz", "-o", folder / "b.json", *words)
    true(isinstance(loaded(folder / "b.json"), list) and isinstance(loaded(folder / "b-1.json"), list), "for viewers")


main()
