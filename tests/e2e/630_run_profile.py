"""opscope run --profile: every task once, lanes that do not overlap, dependencies that hold."""

import collections
import copy
import random

from support import *
from onnx_writer import *
import run_checker

TARGET = "torq-sl2610"
FLOWS = ("select a.ts + a.dur as ended, b.ts as began from flow f"
         " join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id")


def recorded(folder, network, target=TARGET, threads=1, iterations=2):
    """The program of a network and the profile of a run of it."""
    program, profile = folder / "n.opx", folder / "n.prof"
    opscope("compile", network, "--target", target, "-o", program)
    opscope("run", program, "-n", iterations, "--threads", threads, "--max-elements", 1,
            "--profile", profile)
    return program, profile


def check(folder, network, target=TARGET, iterations=2):
    for threads in (1, 2):
        program, profile = recorded(folder, network, target, threads, iterations)
        try:
            run_checker.read(program, profile).check(iterations)
        except run_checker.Wrong as wrong:
            fail(f"{network} for {target} with {threads} workers: {wrong}")


def invented(seed):
    """A network of element by element work on tensors of several tiles, with branches."""
    choose = random.Random(seed)
    shape = f"tensor<{choose.choice([64, 300, 700])}x{choose.choice([96, 130, 512])}xi32>"
    lines, values = [], ["%a", "%b"]
    for i in range(choose.randint(3, 12)):
        operator = choose.choice(["add", "sub", "maximum", "minimum", "abs", "bitwise_not"])
        count = 1 if operator in ("abs", "bitwise_not") else 2
        taken = [choose.choice(values[-4:]) for _ in range(count)]
        lines.append(f"  %{i} = tosa.{operator} {', '.join(taken)} : "
                     f"({', '.join([shape] * count)}) -> {shape}")
        values.append(f"%{i}")
    ends = values[-2:]
    return (f"func.func @main(%a: {shape}, %b: {shape}) -> ({shape}, {shape}) {{\n" + "\n".join(lines) +
            f"\n  return {ends[0]}, {ends[1]} : {shape}, {shape}\n}}\n")


def loop():
    """Graphs inside operators, and shapes that are not known before."""
    body = make_graph([make_node("Add", ["v_in", "x"], ["v_out"]),
                       make_node("Identity", ["cond_in"], ["cond_out"])],
                      [make_value("i", "i64", []), make_value("cond_in", "bool", []),
                       make_value("v_in", "f32", [3])],
                      [make_value("cond_out", "bool", []), make_value("v_out", "f32", [3])])
    graph = make_graph([make_node("Loop", ["trips", "", "x"], ["y"], body=body),
                        make_node("NonZero", ["y"], ["z"])],
                       [make_value("x", "f32", [3]), make_value("trips", "i64", [])],
                       [make_value("y", "f32", [3]), make_value("z", "i64", [1, None])],
                       [make_tensor("trips", "i64", [], [4])])
    return make_model(graph, opset=17)


def test_shipped_networks(folder):
    for network in sorted((ROOT / "tests/testdata/tosa_ops").glob("*.mlir")):
        check(folder, network)
    for target in (TARGET, "host"):
        check(folder, ROOT / "samples/tosa/fc.mlir", target, iterations=3)


def test_invented_networks(folder):
    for seed in range(2 if SANITIZED else 8):
        check(folder, write(folder / f"invented_{seed}.mlir", invented(seed)), iterations=3)


def test_graphs_inside_operators(folder):
    for target in (TARGET, "host"):
        check(folder, write(folder / "loop.onnx", loop()), target, iterations=2)


def test_public_networks(folder):
    networks = sorted(shared("data/tosa").glob("*.mlir"))
    for network in networks if os.environ.get("OPSCOPE_ALL") else networks[3::60 if SANITIZED else 17]:
        check(folder, network)


def test_models(folder):
    for name in ("vit_micro",) if SANITIZED else ("squeezenet1_1_int8", "vit_micro"):
        check(folder, shared(f"data/models/{name}/model.onnx"))


def test_engines_really_overlap(folder):
    network = write(folder / "n.mlir", invented(5).replace("64x", "700x").replace("300x", "700x"))
    for _ in range(400):  # a machine that is busy with something else may run them one by one
        run_of = run_checker.read(*recorded(folder, network, threads=2, iterations=5))
        lanes = collections.defaultdict(list)
        for span in run_of.spans:
            if run_of.track_name(span) != run_checker.ACTIONS:
                lanes[span.track].append((span.start, span.end))
        spans = sorted((start, end, lane) for lane, spans in lanes.items() for start, end in spans)
        if any(after[0] < before[1] and after[2] != before[2] for before, after in zip(spans, spans[1:])):
            return
    fail("no two tasks at the same time")


def test_flows_in_a_trace(folder):
    program, profile = recorded(folder, ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir",
                                threads=2, iterations=2)
    trace = folder / "run.pb"
    opscope("convert", profile, "-o", trace)
    flows = without_loss(trace, FLOWS)
    data = [item for item in run_checker.read(program, profile).program.dependencies if item.data]
    equal(len(flows), 2 * len(data), "a flow for each true dependency and iteration")
    true(all(flow["ended"] <= flow["began"] for flow in flows), "flows go forward")


def test_a_run_that_fails_lacks_what_it_did_not_do(folder):
    graph = make_graph([make_node("Neg", ["x"], ["n"]), make_node("Gather", ["n", "i"], ["g"]),
                        make_node("Neg", ["g"], ["y"])],
                       [make_value("x", "f32", [4]), make_value("i", "i64", [1])],
                       [make_value("y", "f32", [1])])
    program, profile = folder / "g.opx", folder / "g.prof"
    opscope("compile", write(folder / "g.onnx", make_model(graph, opset=17)), "--target", TARGET,
            "-o", program)
    result = opscope("run", program, "-i", "4xf32=1", "-i", "1xi64=9", "--profile", profile, code=1)
    contains(result.err, "Gather", "what failed")
    run_of = run_checker.read(program, profile)
    wanted = collections.Counter(run_of.lane_of(task) for task in run_of.program.tasks)
    wanted[run_checker.ACTIONS] = len(run_of.program.actions)
    lost = 0
    for track in run_of.profile.tracks:
        equal(track.expected, track.recorded + track.lost + track.impossible, f"{track.name} balances")
        equal(track.expected, wanted[track.name], f"{track.name}: what the program says")
        lost += track.lost
    true(lost > 0, "the last task did not run")
    opscope("info", profile, code=3)


def alterations(run_of):
    """What must be found, each with a way to make it of a sound run."""
    tasks = [span for span in run_of.spans if run_of.track_name(span) != run_checker.ACTIONS]
    actions = [span for span in run_of.spans if run_of.track_name(span) == run_checker.ACTIONS]
    depending = next(span for span in tasks if span.flows_in and span.values["iteration"] == 1)
    pairs = [(before, after) for before in tasks for after in tasks
             if before.track == after.track and before.end <= after.start]
    source = next(span for span in tasks if span.flows_out)
    return {
        "a removed task": ("is missing", lambda: run_of.spans.remove(tasks[3])),
        "a removed action": ("is missing", lambda: run_of.spans.remove(actions[2])),
        "a task twice": ("twice", lambda: run_of.spans.append(copy.copy(tasks[4]))),
        "a task on another lane": ("is on lane", lambda: setattr(
            tasks[0], "track", next(span.track for span in tasks if span.track != tasks[0].track))),
        "an overlapping lane": ("two spans at once", lambda: setattr(
            pairs[0][0], "end", pairs[0][1].start + 1)),
        "a task before what it depends on": ("has ended", lambda: advance(tasks, depending)),
        "a task outside of its job": ("lies outside", lambda: [setattr(span, "end", span.start)
                                                             for span in actions]),
        "a flow with one end": ("has not two ends", lambda: depending.flows_in.pop()),
        "no flow": ("no flow from", lambda: remove_flow(tasks, source)),
        "other bytes": ("has other bytes", lambda: next(
            span for span in tasks if "bytes" in span.values).values.update(bytes=1)),
        "a call of another iteration": ("call of another", lambda: setattr(depending, "call", next(
            span.call for span in tasks if span.call and span.values["iteration"] == 0))),
        "a lost event": ("has lost", lambda: setattr(run_of.profile.tracks[2], "lost", 1)),
        "an event too many": ("the program says", lambda: setattr(
            run_of.profile.tracks[2], "expected", run_of.profile.tracks[2].expected + 1)),
        "an iteration too many": ("iteration 1 of 1", None),
    }


def advance(tasks, span):
    """Lets it begin a tick before what it depends on ends, on a lane of its own kind."""
    sources = [other for other in tasks if set(other.flows_out) & set(span.flows_in)]
    last = max(sources, key=lambda other: other.end)
    span.start = last.end - 1 if last.end > last.start else last.end
    last.end = max(last.end, span.start + 1)


def remove_flow(tasks, source):
    flow = source.flows_out.pop()
    for span in tasks:
        if flow in span.flows_in:
            span.flows_in.remove(flow)


def test_the_checker_finds_what_is_wrong(folder):
    program, profile = recorded(folder, ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir")
    for name in alterations(run_checker.read(program, profile)):
        run_of = run_checker.read(program, profile)
        message, alter = alterations(run_of)[name]
        if alter:
            alter()
        try:
            run_of.check(2 if alter else 1)
        except run_checker.Wrong as wrong:
            contains(str(wrong), message, name)
            continue
        fail(f"{name} was not found")


main()
