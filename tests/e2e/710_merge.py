#!/usr/bin/env python3
"""opscope merge: several profiles on one time axis, and how wrong that may be."""

import functools
import random
from fractions import Fraction

from support import *

import tenstorrent_logs
from clock_traces import Clock, Seen, seen_by
from torq_compile import compile_csv, random_spans

SECOND = 1_000_000_000
BOOT_ID = "/proc/sys/kernel/random/boot_id"
PPM = Fraction(1, 1_000_000)


def merge(folder, *words, code=0, out="out.pb"):
    result = opscope("merge", *words, "-o", folder / out, "--json", code=code, cwd=folder)
    return result, {source["name"]: source for source in result.json()["sources"]}


@functools.cache
def slices(trace, _bytes):
    """All slices of a trace, in order; a trace is loaded once."""
    return without_loss(trace, "select s.ts, s.name, p.name as process from slice s join thread_track t"
                        " on s.track_id = t.id join thread using (utid) join process p using (upid)"
                        " order by s.ts")


def starts(trace, process, name):
    """When the slices of this name start in a process, in order."""
    return [row["ts"] for row in slices(trace, trace.read_bytes())
            if row["process"] == process and row["name"] == name]


def worlds(clocks, syncs, seed=1, works=200, length=20 * SECOND):
    """One trace a clock; what they share is made by `syncs(random, clock name, time)`."""
    chance = random.Random(seed)
    times = sorted(chance.randrange(length) for _ in range(20))
    truth = {}
    traces = {}
    for name, clock in clocks.items():
        truth[name] = sorted(chance.randrange(length) for _ in range(works))
        events = [Seen("work", time, time + 500) for time in truth[name]]
        for number, time in enumerate(times):
            events += syncs(chance, name, number, time)
        traces[name] = seen_by(clock, events)
    return truth, traces


def check_worlds(folder, clocks, syncs, widest):
    """Every event lies within the stated bound, and the bound is no wider than `widest`."""
    truth, traces = worlds(clocks, syncs)
    for name, trace in traces.items():
        write(folder / f"{name}.pb", trace)
    _, placed = merge(folder, *[f"{name}.pb" for name in clocks])
    for name in clocks:
        got = starts(folder / "out.pb", name, "work")
        equal(len(got), len(truth[name]), f"events of {name}")
        worst = max(abs(a - b) for a, b in zip(got, truth[name]))
        bound = placed[name]["error_ns"]
        true(worst <= bound, f"{name}: {worst} ns off, more than the bound of {bound}")
        true(bound <= widest, f"{name}: a bound of {bound} ns says little; {worst} ns off")
    return placed


CLOCKS = {"a": Clock(), "b": Clock(1_500_000_000, 40 * PPM), "c": Clock(700 * SECOND, -25 * PPM)}


def test_three_clocks_by_spans_that_contain_one_another(folder):
    """The host sees a run from before to after what the device sees of it."""
    def syncs(chance, name, number, time):
        margin = 2000 if name == "a" else 0
        before, after = (chance.randrange(margin + 1) for _ in "ab")
        return [Seen(f"run {number}", time - before, time + 100_000 + after)]
    placed = check_worlds(folder, CLOCKS, syncs, widest=6000)
    for name, drift in (("b", -40), ("c", 25)):
        close_to(placed[name]["drift_ppb"] / 1000, drift, 0.5, f"drift of {name} in ppm")
        equal(placed[name]["placed_by"], "shared names")
        true(placed[name]["drift_fitted"], "drift is fitted")
        true("run 3" in placed[name]["anchors"], f"anchors: {placed[name]['anchors']}")


def test_three_clocks_by_instants_that_scatter(folder):
    def syncs(chance, name, number, time):
        return [Seen(f"sync {number}", time + chance.randrange(-300, 301))]
    check_worlds(folder, CLOCKS, syncs, widest=2500)


def test_coarse_ticks_are_part_of_the_bound(folder):
    def syncs(chance, name, number, time):
        return [Seen(f"sync {number}", time)]
    clocks = {"a": Clock(), "b": Clock(5 * SECOND, 10 * PPM, tick=1000)}
    check_worlds(folder, clocks, syncs, widest=5000)


def test_wrong_anchors_are_left_out(folder):
    def syncs(chance, name, number, time):
        wrong = 3_000_000 * number if name == "b" and number % 4 == 0 else 0
        return [Seen(f"sync {number}", time + wrong)]
    placed = check_worlds(folder, {"a": Clock(), "b": CLOCKS["b"]}, syncs, widest=100)
    equal(placed["b"]["anchors_found"], 20, "anchors found")
    equal(placed["b"]["anchors_used"], 16, "anchors used: the first is right by chance")


def test_a_profile_may_share_with_another_than_the_first(folder):
    write(folder / "a.pb", seen_by(Clock(), [Seen("x", 1000), Seen("work", 9000, 9500)]))
    write(folder / "b.pb", seen_by(Clock(70_000), [Seen("x", 1000), Seen("y", 5000)]))
    write(folder / "c.pb", seen_by(Clock(9_000_000), [Seen("y", 5000), Seen("other", 7000, 7500)]))
    result, placed = merge(folder, "c.pb", "b.pb", "a.pb")
    equal(placed["a"]["placed_on"], "b")
    equal(starts(folder / "out.pb", "a", "work"), [9_009_000])
    contains(result.err, "one moment shows no drift")


def test_runs_of_different_speed_are_not_called_drift(folder):
    """The same operators twice, the second time slower: no clock drifts like that."""
    operators = [Seen(f"op {i}", 1_000_000 * i, 1_000_000 * i + 900_000) for i in range(12)]
    slower = [Seen(f"op {i}", 1_100_000 * i, 1_100_000 * i + 990_000) for i in range(12)]
    write(folder / "a.pb", seen_by(Clock(), operators))
    write(folder / "b.pb", seen_by(Clock(), slower))
    result, placed = merge(folder, "a.pb", "b.pb")
    equal(placed["b"]["drift_ppb"], 0, "drift")
    true(placed["b"]["error_ns"] > 300_000, f"the bound is wide: {placed['b']['error_ns']}")
    contains(result.err, "more than clocks have")


# What the user says ------------------------------------------------------------


def two(folder, a=(), b=(), clock=Clock(1_000_000)):
    """They share nothing but what `a` and `b` do."""
    write(folder / "a.pb", seen_by(Clock(), [Seen("work", 5000, 6000), *a]))
    write(folder / "b.pb", seen_by(clock, [Seen("task", 5000, 6000), *b]))


def test_offsets(folder):
    two(folder)
    for offset, a, b in (("-1ms", 5000, 5000), ("+1.5ms", 5000, 2_505_000), ("0s", 5000, 1_005_000),
                         ("-3s", SECOND * 3 - 1_000_000, 0), ("-250ns", 5000, 1_004_750),
                         ("1700000000.123456789s", 5000, 1700000000_123456789 + 1_005_000)):
        result, placed = merge(folder, "a.pb", "b.pb", "--offset", f"b={offset}")
        equal(starts(folder / "out.pb", "a", "work"), [a], f"a at {offset}")
        equal(starts(folder / "out.pb", "b", "task"), [b], f"b at {offset}")
        equal(placed["b"]["placed_by"], "given offset")
        equal(placed["b"]["error_ns"], None, "nobody said how wrong it is")
    equal(result.json()["shift_ns"], 0, "shift")


def test_an_offset_that_is_too_large(folder):
    two(folder)
    result = opscope("merge", "a.pb", "b.pb", "-o", "out.pb", "--offset", "b=9223372036.854775s",
                     cwd=folder, code=2)
    contains(result.err, "2^63")
    true(not (folder / "out.pb").exists(), "nothing is written")


def test_a_given_drift(folder):
    two(folder, b=[Seen("task", SECOND, SECOND + 100)], clock=Clock())
    merge(folder, "a.pb", "b.pb", "--offset", "b=0s", "--drift", "b=+20ppm")
    equal(starts(folder / "out.pb", "b", "task"), [5000, SECOND + 20_000 - 1], "works of b")


def test_a_given_drift_that_the_anchors_contradict(folder):
    """It is taken, and the error says how far the anchors lie off."""
    syncs = [Seen(f"sync {i}", i * SECOND) for i in range(1, 6)]
    two(folder, a=syncs, b=syncs)
    _, placed = merge(folder, "a.pb", "b.pb", "--drift", "b=100ppm")
    equal(placed["b"]["drift_ppb"], 100_000, "drift")
    true(200_000 <= placed["b"]["error_ns"] <= 400_000, f"error {placed['b']['error_ns']}")


def test_a_given_pair_of_events(folder):
    two(folder, a=[Seen("launch", 2000)], b=[Seen("kernel", 3000)])
    _, placed = merge(folder, "a.pb", "b.pb", "--align", "a:launch=b:kernel")
    equal(starts(folder / "out.pb", "b", "task"), [4000], "b")
    equal(placed["b"]["placed_by"], "given events")
    equal(placed["b"]["anchors"], ["kernel"])


def test_a_pair_joins_two_that_are_not_the_first(folder):
    """Also where neither is placed by pairs: by what they share, or by nothing at all."""
    write(folder / "a.pb", seen_by(Clock(), [Seen("x", 1000), Seen("work", 9000, 9500)]))
    write(folder / "b.pb", seen_by(Clock(70_000), [Seen("x", 1000), Seen("y", 5000)]))
    write(folder / "c.pb", seen_by(Clock(9_000_000), [Seen("z", 5000), Seen("other", 7000, 7500)]))
    for files in (("a.pb", "b.pb", "c.pb"), ("a.pb", "c.pb", "b.pb")):
        _, placed = merge(folder, *files, "--align", "c:z=b:y")
        equal((placed["c"]["placed_by"], placed["c"]["placed_on"]), ("given events", "b"))
        equal(starts(folder / "out.pb", "c", "other"), [7000], f"c of {files}")
    write(folder / "b.pb", seen_by(Clock(70_000), [Seen("first", 1000), Seen("y", 5000)]))
    _, placed = merge(folder, "a.pb", "b.pb", "c.pb", "--align", "c:z=b:y")
    equal([placed[name]["placed_by"] for name in "bc"], ["its start", "given events"])
    equal(placed["c"]["error_ns"], None, "error of what is placed by a guess")
    equal(starts(folder / "out.pb", "c", "other"), [7000], "c")


def test_two_pairs_give_the_drift(folder):
    two(folder, a=[Seen("p", 10_000), Seen("p", 1_000_010_000)],
        b=[Seen("q=r", 10_000), Seen("q=r", 1_000_010_000), Seen("late", 2_000_010_000, 2_000_011_000)],
        clock=Clock(77, 30_000 * PPM))
    _, placed = merge(folder, "a.pb", "b.pb", "--align", "a:p#1=b:q=r#1", "--align",
                      "b:q=r#2=a:p#2")
    close_to(starts(folder / "out.pb", "b", "late")[0], 2_000_010_000, placed["b"]["error_ns"])
    true(placed["b"]["error_ns"] < 50, f"error {placed['b']['error_ns']}")


def test_pairs_that_make_no_sense(folder):
    two(folder)
    for pair, want in (("a:nothing=b:task", "no event 'nothing'"), ("a:work", "expected 'A:EVENT="),
                       ("a:work#2=b:task", "no event 'work#2', only 1"),
                       ("x:work=b:task", "(a, b)"), ("a:work=a:work", "two profiles")):
        result = opscope("merge", "a.pb", "b.pb", "-o", "o.pb", "--align", pair, code=2, cwd=folder)
        contains(result.err, want, pair)
    result = opscope("merge", "a.pb", "b.pb", "-o", "o.pb", "--align", "a:work=b:task", "--offset",
                     "b=1s", code=2, cwd=folder)
    contains(result.err, "have a place already")
    write(folder / "none.pb", seen_by(Clock(), []))
    result = opscope("merge", "a.pb", "none.pb", "-o", "o.pb", "--align", "a:work=none:x", code=2,
                     cwd=folder)
    contains(result.err, "none has no event 'x'")
    two(folder, a=[Seen("work", 8000, 9000)])
    result = opscope("merge", "a.pb", "b.pb", "-o", "o.pb", "--align", "a:work=b:task", code=2,
                     cwd=folder)
    contains(result.err, "2 events 'work'")
    contains(result.err, "work#1")


# What is shared ------------------------------------------------------------------


def test_nothing_is_shared(folder):
    two(folder, a=[Seen("work", 9000, 9100)], b=[Seen("task", 9000, 9100)])
    result, placed = merge(folder, "a.pb", "b.pb")
    equal(placed["b"]["placed_by"], "its start")
    equal(placed["b"]["error_ns"], None, "error")
    equal(starts(folder / "out.pb", "b", "task"), [5000, 9000], "b starts with a")
    contains(result.err, "shares nothing")
    contains(result.err, "--offset b=0s")


def test_flows_join_profiles(folder):
    """47: flows of an event, 48: flows that end there. A request and its answer."""
    out, end = 47, 48
    two(folder, a=[Seen("ask", 10_000, 10_100, ((out, 7),)), Seen("told", 30_000, 30_100, ((end, 8),))],
        b=[Seen("asked", 15_000, 15_100, ((end, 7),)), Seen("tell", 24_000, 24_100, ((out, 8),)),
           Seen("own", 40_000, 40_100, ((out, 3),)), Seen("own end", 41_000, 41_100, ((end, 3),))])
    _, placed = merge(folder, "a.pb", "b.pb")
    equal(placed["b"]["placed_by"], "shared flows")
    got = starts(folder / "out.pb", "b", "asked")[0]
    true(abs(got - 15_000) <= placed["b"]["error_ns"] <= 6000, f"{got}: {placed['b']}")
    rows = without_loss(folder / "out.pb", "select o.name as left, i.name as right from flow f join"
                        " slice o on f.slice_out = o.id join slice i on f.slice_in = i.id"
                        " order by left")
    equal([(row["left"], row["right"]) for row in rows],
          [("ask", "asked"), ("own", "own end"), ("tell", "told")], "flows")


def test_one_way_flows_never_arrive_early(folder):
    ways = [(10_000, 900), (20_000, 300), (30_000, 700), (40_000, 500)]
    two(folder, a=[Seen("send", time, time + 10, ((47, 10 + i),)) for i, (time, _) in enumerate(ways)],
        b=[Seen("get", time + late, time + late + 10, ((48, 10 + i),))
           for i, (time, late) in enumerate(ways)])
    result, placed = merge(folder, "a.pb", "b.pb")
    equal(placed["b"]["placed_by"], "one-way flows")
    late = [b - a for a, b in zip(starts(folder / "out.pb", "a", "send"),
                                  starts(folder / "out.pb", "b", "get"))]
    true(0 <= min(late) <= 5, f"latencies {late}")
    contains(result.err, "is not known")


def test_profiles_of_the_same_clock_keep_their_times(folder):
    """The recorder says which clock it used, and how far it is off."""
    model = ROOT / "tests/testdata/tosa_ops/add.mlir"
    opscope("compile", model, "--target", "host", "-o", folder / "add.opx")
    for name in ("first", "second"):
        opscope("run", folder / "add.opx", "--profile", folder / f"{name}.prof")
    _, placed = merge(folder, "first.prof", "second.prof")
    if placed["second"]["placed_by"] != "same clock" and not os.path.exists(BOOT_ID):
        raise Skip(f"no {BOOT_ID}")
    equal(placed["second"]["placed_by"], "same clock")
    equal(placed["second"]["offset_ns"], 0, "offset")
    true(placed["second"]["error_ns"] is not None, "the clocks' errors are known")
    merge(folder, "first.prof", "second.prof", out="both.prof")
    _, placed = merge(folder, "both.prof", "first.prof")
    equal(placed["first"]["placed_by"], "same clock", "a merged profile has the clock, too:")


# What is kept ----------------------------------------------------------------------


def test_the_ledger_is_the_sum(folder):
    write(folder / "compile.csv", compile_csv("c1", random_spans(50, seed=3)))
    write(folder / "run.csv", "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
          "d,0,0,5,HOST_COPY_BEGIN\nd,0,0,9,HOST_COPY_END\n")
    result, placed = merge(folder, "model=compile.csv", "run.csv", out="both.prof")
    total = result.json()["ledger"]
    for key in ("recorded", "lost", "impossible"):
        equal(total[key], sum(source["ledger"][key] for source in placed.values()), key)
    info = opscope("info", folder / "both.prof", "--json").json()[0]
    alone = opscope("info", folder / "compile.csv", "--json").json()[0]
    tracks = {track["name"]: track for track in info["tracks"]}
    for track in alone["tracks"]:
        if track["spans"] > 0:
            equal([tracks[track["name"]][key] for key in ("spans", "engine", "provenance")],
                  [track[key] for key in ("spans", "engine", "provenance")], track["name"])
    equal([track["name"] for track in info["tracks"] if track["parent"] == 0], ["model", "run"])


def test_cycles_and_locations_survive(folder):
    """Ticks stay ticks: what a C1 file said comes out again of the merged profile."""
    write(folder / "a.csv", compile_csv("c1", random_spans(50, seed=3)))
    write(folder / "b.prof", "")
    opscope("convert", folder / "a.csv", "-o", folder / "b.prof")
    merge(folder, "a.csv", "b.prof", out="both.prof")
    first = opscope("convert", folder / "a.csv", "-o", folder / "one.pb")
    merge(folder, "a.csv", "b.prof", out="both.pb")
    query = ("select name, dur, count(*) as n from slice group by name, dur order by name, dur")
    one = without_loss(folder / "one.pb", query)
    both = without_loss(folder / "both.pb", query)
    equal(both, [{**row, "n": 2 * row["n"]} for row in one], "slices")
    equal(first.err, "", "stderr")


def test_how_it_was_placed_is_kept(folder):
    two(folder, a=[Seen("once", 7000)], b=[Seen("once", 7000)])
    merge(folder, "a.pb", "b.pb")
    opscope("convert", folder / "out.pb", "-o", folder / "out.prof")
    for name in ("out.pb", "out.prof"):
        about = opscope("info", folder / name, "--json").json()[0]
        facts = {fact["key"]: fact["text"] for fact in about["facts"]}
        equal([facts[f"merge.b.{key}"] for key in ("placed_by", "placed_on", "offset_ns", "drift_ppb")],
              ["shared names", "a", "-1000000", "0"], f"facts of {name}")
        true(int(facts["merge.b.error_ns"]) > 0, f"error of b in {name}")


def test_the_same_file_twice(folder):
    two(folder, a=[Seen("once", 7000)])
    _, placed = merge(folder, "a.pb", "a.pb")
    equal(list(placed), ["a", "a-2"], "names")
    equal(placed["a-2"]["offset_ns"], 0, "offset")
    equal(starts(folder / "out.pb", "a-2", "work"), [5000], "times")


def test_a_folder_of_logs(folder):
    two(folder)
    tenstorrent_logs.ordinary(devices=1, replays=0, ops=2).write(folder / "capture")
    for path in ("capture", "capture/", f"{folder}/capture//"):
        _, placed = merge(folder, "a.pb", path)
        equal(list(placed), ["a", "capture"], "names")
        true(placed["capture"]["ledger"]["recorded"] > 10, "events")


def test_a_file_that_is_cut_off(folder):
    two(folder)
    opscope("convert", folder / "b.pb", "-o", folder / "cut.prof")
    whole = (folder / "cut.prof").read_bytes()
    write(folder / "cut.prof", whole[:-60])
    result, placed = merge(folder, "a.pb", "cut.prof", code=3)
    equal(placed["cut"]["ledger"]["lost"], 1, "lost of the source")
    equal(result.json()["ledger"]["lost"], 1, "lost in all")
    contains(result.err, "cut: ")


def test_an_empty_profile_has_nothing_to_place(folder):
    two(folder)
    write(folder / "none.pb", seen_by(Clock(), []))
    _, placed = merge(folder, "a.pb", "none.pb")
    equal(placed["none"]["placed_by"], "empty")
    equal(starts(folder / "out.pb", "a", "work"), [5000], "a")
    merge(folder, "none.pb", "a.pb")
    equal(starts(folder / "out.pb", "a", "work"), [5000], "a behind an empty one keeps its times")


def test_merged_profiles_merge_again(folder):
    two(folder, a=[Seen("once", 7000)], b=[Seen("once", 7000)])
    merge(folder, "a.pb", "b.pb", out="ab.prof")
    _, placed = merge(folder, "ab.prof", "c=a.pb")
    equal(placed["c"]["offset_ns"], 0, "offset")
    equal(starts(folder / "out.pb", "ab: b", "task"), [5000], "b in ab")


def test_the_same_input_gives_the_same_bytes(folder):
    two(folder, a=[Seen("once", 7000)], b=[Seen("once", 7000)])
    for out in ("x.prof", "y.prof"):
        merge(folder, "a.pb", "b.pb", out=out)
    true((folder / "x.prof").read_bytes() == (folder / "y.prof").read_bytes(), "equal bytes")


def test_wrong_use(folder):
    two(folder)
    for words, want in ((["a.pb"], "two files or more"), (["a.pb", "b.pb", "--offset", "c=1s"], "(a, b)"),
                        (["a.pb", "b.pb", "--offset", "b=soon"], "'soon' is no time"),
                        (["a.pb", "b.pb", "--drift", "b=fast"], "'fast' is no drift"),
                        (["x=a.pb", "x=b.pb"], "called 'x'"),
                        (["a.pb", "b.pb", "--to", "xyz"], "'xyz'")):
        result = opscope("merge", *words, "-o", "o.pb", code=2, cwd=folder)
        contains(result.err, want, str(words))
        true(not (folder / "o.pb").exists(), "nothing is written")
    opscope("merge", "a.pb", "missing.pb", "-o", "o.pb", code=1, cwd=folder)
    contains(opscope("convert", "a.pb", "b.pb", "-o", "o.pb", code=2, cwd=folder).err,
             "opscope merge")


main()
