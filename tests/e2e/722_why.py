"""opscope explain and whatif: the critical path, rooflines, memory at its peak; what a change would bring, against
the evaluator with other rates."""
import gzip
import sys

from support import *

sys.path.append(str(ROOT / "tests/gen"))
from made_profile import ProfileFile
from onnx_chain import chain
from target_changes import faster_engines, faster_far_memory

TRIO = ROOT / "tests/testdata/targets/trio.target"
PYTORCH = sorted((ROOT / "tests/testdata/pytorch").glob("*.json.gz"))


def explained(path, *words):
    return opscope("explain", path, "--json", *words).json()


def asked(path, *words, code=0):
    return opscope("whatif", path, "--json", *words, code=code).json()["changes"]


def program(folder, target):
    write(folder / "net.onnx", chain(12, "i8" if target == "torq-sl2610" else "f32"))
    opscope("compile", folder / "net.onnx", "-t", target, "-o", folder / "net.opx")
    opscope("estimate", folder / "net.opx", "-o", folder / "net.prof")
    return folder / "net.opx", folder / "net.prof"


def nanoseconds(opx, target):
    answer = opscope("estimate", opx, "-t", target, "--json").json()
    return answer["cycles"] * 1e9 / answer["clock_hz"]


def check_sums(answer, what):
    """The path has no hole: its rows add up to the time that passed."""
    for key in ("critical_path", "roles"):
        rows = answer[key]
        equal(sum(row["on_path_ns"] + row["gaps_ns"] for row in rows), answer["length_ns"], f"{what}: {key}")
        equal(sum(row["on_path_ns"] for row in rows), answer["work_ns"], f"{what}: work of {key}")
    equal(sum(gap["ns"] for gap in answer["gaps"].values()), answer["length_ns"] - answer["work_ns"], f"{what}: gaps")
    equal(min(row["slack_ns"] for row in answer["critical_path"]), 0, f"{what}: what is on the path has no slack")


def test_the_sentences_say_what_is_so(folder):
    path = ROOT / "tests/testdata/pytorch/training.json.gz"
    answer = explained(path, "--top", "0")
    most = max(answer["critical_path"], key=lambda row: row["on_path_ns"])
    text = " ".join(opscope("explain", path).out.split())
    true(most["on_path_ns"] < 0.5 * answer["length_ns"], f"not the most: {most}")
    contains(text, f"The largest part of it is {most['label']}", "work on the path, no step")
    contains(text, "twice the speed of the host", "whose work it is")
    bmm = [row for row in explained(ROOT / "tests/testdata/pytorch/stacks.json.gz", "--top", "0")["critical_path"]
           if row["label"] == "aten::bmm"]
    true(len({row["shapes"] for row in bmm}) == len(bmm) > 1, f"told apart by their shapes: {bmm}")
    write(folder / "one.json", json.dumps([{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": ts, "dur": duration}
                                           for name, ts, duration in (("first", 0, 60), ("second", 80, 20))]))
    contains(" ".join(opscope("explain", folder / "one.json").out.split()), "Most of it is first with 60.0 us or 60 %", "most")


def test_against_the_evaluator(folder):
    for target, allowed in (("torq-sl2610", 2), ("host", 2), ("aic100", 3), ("wormhole_b0", 6), (TRIO, 6)):
        opx, profile = program(folder, target)
        text = opscope("targets", target, "--file").out
        before = nanoseconds(opx, target)
        for words, changed in ((["--faster", "*=2x"], faster_engines(text, 2)),
                               (["--bandwidth", "dram=1.5x"], faster_far_memory(text, 1.5)),
                               (["--faster", "*=2x", "--bandwidth", "dram=1.5x"],
                                faster_far_memory(faster_engines(text, 2), 1.5))):
            if target == "host" and "--bandwidth" in words:
                continue  # it moves nothing
            write(folder / "changed.target", changed)
            after = nanoseconds(opx, folder / "changed.target")
            row = asked(profile, *words)[-1]
            what = f"{target} {' '.join(words)}: {row}, truly {after:.0f} ns, before {before:.0f}"
            ahead = before - row["recorded_ns"]  # of the first start
            true(-2 <= ahead <= 0.2 * before, what)
            true(abs(row["expected_ns"] + ahead - after) <= allowed / 100 * after, what)
            true(row["at_least_ns"] <= after + 2, what)
            true(row["unlimited_ns"] <= row["expected_ns"], what)


def test_paths_have_no_hole(folder):
    for target in ("torq-sl2610", "aic100", "wormhole_b0", "host", TRIO):
        opx, profile = program(folder, target)
        for path in (profile, folder / "run.prof"):
            if path != profile:
                opscope("run", opx, "--profile", path)
            answer = explained(path)
            check_sums(answer, f"{target} {path.name}")
            true(answer["dependences"]["flows_used"] > 0, f"{target}: flows of its tasks")
            equal(answer["dependences"]["flows_back_in_time"], 0, f"{target}: flows that lead back")
    for path in PYTORCH:
        check_sums(explained(path), path.name)


def test_what_does_not_change_takes_as_long(folder):
    for path in PYTORCH:
        row = asked(path, "--faster", "*=1x")[0]
        equal((row["expected_ns"], row["changed_pieces"]), (row["recorded_ns"], 0), path.name)
        both = asked(path, "--no-gaps", "--overlap-copies")
        true(both[-1]["expected_ns"] <= min(row["expected_ns"] for row in both[:2]), path.name)
        equal(both[-1]["recorded_ns"], explained(path)["length_ns"], path.name)


def test_rooflines(folder):
    for target in ("torq-sl2610", "aic100", "wormhole_b0", TRIO):
        _, profile = program(folder, target)
        words = ["--target", target] if target == TRIO else []
        answer = explained(profile, *words)
        true(len(answer["roofline"]) >= 1, f"{target}: rows")
        for row in answer["roofline"]:
            true(row["least_ns"] is not None and row["reached"] <= 1.001, f"{target}: no more than is possible: {row}")
    macs = sum(row["gmacs_per_s"] * row["time_ns"] for row in answer["roofline"] if row["gmacs_per_s"])
    model = opscope("model", folder / "net.onnx", "--json").json()["total"]["macs"]
    true(abs(macs - model) <= 0.001 * model, f"all multiply-adds: {macs}, {model}")
    given = explained(profile, "--peak-macs", "1T", "--peak-bandwidth", "10GB/s")
    row = max(given["roofline"], key=lambda row: row["gmacs_per_s"] or 0)
    computing = row["gmacs_per_s"] * row["time_ns"] / 1000
    moving = row["gb_per_s"] * row["time_ns"] / 10
    true(abs(row["least_ns"] - max(computing, moving)) <= 2, f"by the peaks given: {row}")
    equal(row["bound"], "compute" if computing >= moving else "memory", "bound")


def test_what_lies_near_moves_nothing(folder):
    """Nothing reaches more than the machine can do, and values that stay in the near memory are not the far one's."""
    network = shared("data/models") / "mobilenet_v2_int8/model.onnx"
    opscope("compile", network, "-t", "torq-sl2610", "-o", folder / "n.opx", "--trace", folder / "n.prof")
    rows = explained(folder / "n.prof")["roofline"]
    for row in rows:
        true(row["reached"] is None or row["reached"] <= 1.001, f"no more than is possible: {row}")
    near = [row for row in rows if row["bytes_moved"] and row["gb_per_s"] == 0 and row["gmacs_per_s"]]
    true(near and all(row["bound"] == "compute" for row in near), f"computed from what lies near: {near}")
    true(any(not row["bytes_moved"] and row["gb_per_s"] for row in rows), "what the host reads itself")


def test_who_held_the_peak(folder):
    profile = ProfileFile()
    lane = profile.track("matrix 0", role="compute", engine="matrix")
    profile.span(lane, "conv", 0, 100)
    write(folder / "empty.prof", profile.bytes())
    equal(explained(folder / "empty.prof")["memory"], [], "nothing is said")
    _, path = program(folder, "aic100")
    query = opscope("sql", path, "SELECT memory, core, size, start, \"end\" FROM buffer", "--json").json()
    buffers = [row for row in query[0]["rows"]] if isinstance(query, list) else query["results"][0]["rows"]
    peaks = {}
    for memory, core, _, start, _ in buffers:
        held = sum(row[2] for row in buffers if row[:2] == [memory, core] and row[3] <= start < row[4])
        peaks[memory] = max(peaks.get(memory, 0), held)
    rows = explained(path)["memory"]
    equal({row["memory"]: row["peak_bytes"] for row in rows}, peaks, "peaks against all pairs of buffers")
    for row in rows:
        true(row["bytes"] <= row["peak_bytes"] and row["held_ns"] > 0, f"{row}")
        true(row["idle_ns"] is None or row["idle_ns"] <= row["held_ns"], f"{row}")


def test_names(folder):
    _, path = program(folder, "aic100")
    operators = opscope("operators", path, "--json").json()["operators"]
    name = max(operators, key=lambda row: row["device_ns"] or 0)["name"]
    row = asked(path, "--faster", f"{name}=4x")[0]
    true(0 < row["changed_pieces"] and row["expected_ns"] <= row["recorded_ns"], f"{row}")
    rows = asked(path, "--faster", f"{name}=4x", "--faster", "*onv*=2x", "--bandwidth", "ddr=2x", "--bandwidth", "link=2x")
    equal(len(rows), 5, "each by itself, and all")
    true(rows[-1]["expected_ns"] <= min(row["expected_ns"] for row in rows[:-1]), "all together")
    wrong = opscope("whatif", path, "--faster", name[:-1] + "q=2x", code=2).err
    contains(wrong, f"did you mean '{name}'", "a slip of the fingers")
    contains(opscope("whatif", path, "--bandwidth", "moon=2x", code=2).err, "ddr", "names that there are")
    for words in (["--faster", "Conv"], ["--faster", "=2x"], ["--faster", "Conv=0x"], ["--faster", "Conv=-1"],
                  ["--faster", "Conv=nan"], ["--bandwidth", "ddr=x"]):
        contains(opscope("whatif", path, *words, code=2).err, "NAME=2x", " ".join(words))
    contains(opscope("whatif", path, code=2).err, "say what changes", "nothing asked for")
    contains(opscope("whatif", code=2).err, "give one file", "no file")
    opscope("whatif", folder / "none.prof", "--no-gaps", code=1)
    contains(opscope("explain", path, "--by", "moon", code=2).err, "operator, role or track", "--by")
    contains(opscope("explain", path, "--peak-macs", "many", code=2).err, "--peak-macs", "peaks")
    contains(opscope("explain", path, "--target", "moon", code=2).err, "moon", "target")
    write(folder / "empty.json", '{"traceEvents": []}')
    contains(opscope("explain", folder / "empty.json").out, "no spans", "nothing in it")
    contains(opscope("whatif", folder / "empty.json", "--no-gaps", code=1).err, "no spans", "nothing in it")


def test_what_is_assumed_is_said(folder):
    case = ROOT / "samples/onnxruntime/mobilenet_v2.json.gz"
    contains(opscope("explain", case).out, "says of no two pieces that one needs the other", "no flows")
    answer = explained(case)
    equal((answer["dependences"]["flows"], answer["dependences"]["waited_for_flow"]), (0, 0), "no flows")


def chrome(path, events):
    write(path, json.dumps({"traceEvents": events}))
    return path


def flow(phase, number, time, lane):
    extra = {"bp": "e"} if phase == "f" else {}
    return {"ph": phase, "id": number, "cat": "c", "name": "n", "pid": 1, "tid": lane, "ts": time, **extra}


def span(name, lane, start, duration):
    return {"ph": "X", "name": name, "pid": 1, "tid": lane, "ts": start, "dur": duration}


def test_hostile_flows(folder):
    circle = [span("a", 1, 0, 10), span("b", 2, 0, 10), flow("s", 1, 1, 1), flow("f", 1, 2, 2), flow("s", 2, 3, 2),
              flow("f", 2, 4, 1), span("c", 1, 20, 10), span("d", 2, 40, 5), flow("s", 3, 41, 2), flow("f", 3, 21, 1)]
    answer = explained(chrome(folder / "circle.json", circle))
    check_sums(answer, "a circle")
    equal(answer["length_ns"], 45_000, "length")
    many = [span("s", i % 2, 2 * i, 1) for i in range(60_000)]
    many += [flow("s" if i == 0 else "t", 1, 2 * i + 0.5, i % 2) for i in range(60_000)]
    answer = explained(chrome(folder / "many.json", many))
    check_sums(answer, "one flow through all")
    equal(asked(folder / "many.json", "--faster", "s=2x", "--no-gaps")[-1]["expected_ns"], 30_000_000, "all in a row")


def test_waiting_for_the_device_is_no_work(folder):
    case = ROOT / "tests/testdata/pytorch/streams.json.gz"
    with gzip.open(case) as file:
        events = json.load(file)["traceEvents"]
    waits = sum(1 for event in events if event["ph"] == "X" and "Synchronize" in event["name"])
    row = next(row for row in explained(case)["roles"] if row["label"] == "wait")
    equal((row["pieces"], row["total_ns"]), (waits, 0), "calls that wait")


def gpu_trace(path, *works):
    """One stream of a GPU, whose work follows one upon the other; each lasts 100 us."""
    trace = [{"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": 100 * i, "dur": 100,
              "args": {"stream": 7, "device": 0, "correlation": i + 1, "bytes": 1000}}
             for i, (cat, name) in enumerate(works)]
    return write(path, json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
                                   "traceEvents": trace}))


def test_copies_of_a_gpu_go_over_the_link(folder):
    both = ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)"), ("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)")
    within = ("gpu_memcpy", "Memcpy DtoD (Device -> Device)"), ("gpu_memset", "Memset (Device)")
    path = gpu_trace(folder / "all.json", *both * 2, *within, ("kernel", "gemm"))
    for way, pieces in (("link", 4), ("dram", 2), ("device", 6)):
        row = asked(path, "--bandwidth", f"{way}=2x")[0]
        equal((row["changed_pieces"], row["expected_ns"]), (pieces, 700_000 - pieces * 50_000), way)
    matches(opscope("explain", path).out, r"twice\s+the\s+bandwidth\s+of\s+the\s+link\s+to\s+the\s+host", "what would help most")
    path = gpu_trace(folder / "in.json", *both)
    contains(opscope("whatif", path, "--bandwidth", "dram=2x", code=2).err, "over it; it may be link, device\n")
    path = gpu_trace(folder / "none.json", ("kernel", "gemm"))
    contains(opscope("whatif", path, "--bandwidth", "link=2x", code=2).err, "over it, nor over anything\n")


main()
