"""The timeline of a compiled network: as Torq's CSV, and as a Perfetto trace."""

import csv
import collections

from support import *

ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"

# What the slices compute, then the host, then the slices again.
TYPE = "tensor<64x96xi32>"
MIXED = f"""func.func @main(%a: {TYPE}, %b: {TYPE}) -> ({TYPE}, {TYPE}, {TYPE}) {{
  %0 = tosa.add %a, %b : ({TYPE}, {TYPE}) -> {TYPE}
  %1 = tosa.cast %0 : ({TYPE}) -> tensor<64x96xf32>
  %2 = tosa.exp %1 : (tensor<64x96xf32>) -> tensor<64x96xf32>
  %3 = tosa.cast %2 : (tensor<64x96xf32>) -> {TYPE}
  %4 = tosa.abs %3 : ({TYPE}) -> {TYPE}
  return %0, %3, %4 : {TYPE}, {TYPE}, {TYPE}
}}
"""
HEADER = ["ID", "Start", "End", "Location", "Op Type"]

SPANS = ("select t.name as lane, s.name as name, s.ts as ts, s.dur as dur,"
         " extract_arg(s.arg_set_id, 'debug.cycles') as cycles,"
         " extract_arg(s.arg_set_id, 'debug.location') as location"
         " from slice s join thread_track k on s.track_id = k.id join thread t using(utid)"
         " order by s.ts, t.name")
FLOWS = ("select a.name as source, a.ts + a.dur as ended, b.name as target, b.ts as began"
         " from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id")
COUNTERS = ("select t.name as name, min(c.value) as least, max(c.value) as most, count(*) as samples"
            " from counter c join counter_track t on c.track_id = t.id group by t.name order by 1")
LAST = ("select t.name as name, c.value as value from counter c join counter_track t"
        " on c.track_id = t.id where c.ts = (select max(ts) from counter x"
        " where x.track_id = c.track_id)")

FUSED = 'loc(fused["add.mlir":11:10, "add.mlir":14:10, "add.mlir":19:10, "add.mlir":21:10, "add.mlir":26:10])'


def timeline(folder, model, name, *options):
    """Compiles; returns the path of the timeline and what the compiler said in JSON."""
    trace = folder / name
    result = opscope("compile", model, "--target=torq-sl2610", "-o", folder / "m.opx", "--json",
                     f"--trace={trace}", *options)
    return trace, result.json()


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_rows_are_sorted_and_name_their_operators(folder):
    trace, _ = timeline(folder, ADD, "trace.csv")
    header, *found = rows(trace)
    equal(header, HEADER, "header")
    starts = [int(row[1]) for row in found]
    equal(starts, sorted(starts), "starts")
    true(all(int(row[1]) < int(row[2]) for row in found), "spans have a length")
    equal({row[3] for row in found}, {FUSED}, "locations")
    kinds = collections.Counter(row[4] for row in found)
    equal(set(kinds), {"DMA_IN", "DMA_OUT", "add"}, "op types")
    equal(len({row[0] for row in found}), len(found), "distinct IDs")
    for row in found:
        matches(row[0], {"DMA_IN": r"^DI\d+$", "DMA_OUT": r"^DO\d+$"}.get(row[4], r"^S\d+$"), "ID")


def test_every_dispatch_is_in_the_file(folder):
    trace, _ = timeline(folder, write(folder / "mixed.mlir", MIXED), "trace.csv")
    lanes = collections.Counter(re.match("[A-Z]+", row[0])[0] for row in rows(trace)[1:])
    true(lanes["H"] > 0 and lanes["DI"] > 0 and lanes["S"] > 0, f"host and NPU: {lanes}")
    # Each is at one thing at a time, and the slices are told apart by their numbers.
    spans = collections.defaultdict(list)
    for row in rows(trace)[1:]:
        lane = re.match("[A-Z]+", row[0])[0]
        if lane == "S":
            lane += str(int(row[0][1:]) % 2)
        spans[lane].append((int(row[1]), int(row[2])))
    for lane, times in spans.items():
        for (_, end), (start, _) in zip(sorted(times), sorted(times)[1:]):
            true(end <= start, f"{lane}: a span starts at {start}, before {end}")


def test_reads_its_own_file(folder):
    for model in (ADD, write(folder / "mixed.mlir", MIXED)):
        trace, _ = timeline(folder, model, "trace.csv")
        again = folder / "again.csv"
        opscope("convert", trace, "-o", again, "--to=torq-c1")
        equal(again.read_text(), trace.read_text(), f"{model.name} read and written")
        contains(opscope("overview", trace).out, "OVERALL", "overview")


def test_perfetto_loses_nothing(folder):
    trace, _ = timeline(folder, ADD, "trace.pb")
    table, _ = timeline(folder, ADD, "trace.csv")
    spans, flows, counters, last = without_loss(trace, SPANS, FLOWS, COUNTERS, LAST)
    want = sorted((int(row[1]), int(row[2]) - int(row[1]), row[4], row[3])
                  for row in rows(table)[1:])
    got = sorted((span["ts"] * 8 // 10 if span["ts"] % 5 == 0 else -(-span["ts"] * 8 // 10),
                  span["cycles"], span["name"], span["location"]) for span in spans)
    equal([row[1:] for row in got], [row[1:] for row in want], "spans")
    true(all(abs(one[0] - other[0]) <= 1 for one, other in zip(got, want)), "starts")
    true(len(flows) > 0, "flows")
    for flow in flows:
        true(flow["ended"] <= flow["began"], f"a flow goes back in time: {flow}")
    names = [counter["name"] for counter in counters]
    equal(names, ["dma_in bandwidth", "dma_out bandwidth", "lram in use", "xram in use"], "counters")
    figures = {counter["name"]: counter for counter in counters}
    true(figures["lram in use"]["most"] <= 512 * 1024, "lram is not exceeded")
    # 8 bytes a cycle at 800 MHz is the most there is.
    true(0 < figures["dma_in bandwidth"]["most"] <= 6.4e9, "bandwidth")
    equal({row["name"]: row["value"] for row in last}, dict.fromkeys(names, 0), "at the end")


def test_fused_operators_stay_known(folder):
    trace, _ = timeline(folder, ADD, "trace.pb")
    found = without_loss(trace, "select distinct extract_arg(arg_set_id, 'debug.group') as type,"
                         " extract_arg(arg_set_id, 'debug.dispatch') as dispatch from slice")
    equal(found, [{"type": "add",
                   "dispatch": "main_dispatch_0_rescale_add_rescale"}], "groups")


def test_warns_of_what_costs_time(folder):
    _, report = timeline(folder, ADD, "trace.csv")
    kinds = [warning["kind"] for warning in report["warnings"]]
    equal(kinds, ["idle"], "warnings")
    contains(report["warnings"][0]["text"], "bound by the far memory", "warning")
    out = opscope("compile", write(folder / "mixed.mlir", MIXED), "--target=torq-sl2610", "-o", folder / "m.opx",
                  "--perf-warnings").out
    matches(out, r"^warning: host: .* takes \d+\.\d % of the time on the host: ", "host")


main()
