"""opscope diff and gate: what changed between runs, and whether that is more than noise."""
import itertools
import random
import xml.etree.ElementTree

from support import *
from onnx_writer import *

SIDE = 16


def chain(products, prefix="node", slow=None, factor=1, order=None):
    """A network of branches x @ w of different widths, added up: each width is a shape of its own."""
    nodes, weights = [], []
    for i in order or range(products):
        width = SIDE * (i + 1) * (factor if i == slow else 1)
        weights.append(make_tensor(f"w{i}", "f32", [SIDE, width], [0.5] * (SIDE * width)))
        nodes.append(make_node("MatMul", ["x", f"w{i}"], [f"m{i}"], name=f"{prefix}_{i}"))
    outputs = [make_value(f"m{i}", "f32", [SIDE, SIDE * (i + 1) * (factor if i == slow else 1)]) for i in range(products)]
    return make_model(make_graph(nodes, inputs=[make_value("x", "f32", [SIDE, SIDE])], outputs=outputs,
                                 initializers=weights), opset=17)


def modelled(folder, name, network, target="torq-sl2610"):
    """A profile of the network's modelled time."""
    write(folder / f"{name}.onnx", network)
    opscope("compile", folder / f"{name}.onnx", "--target", target, "-o", folder / f"{name}.opx")
    opscope("run", folder / f"{name}.opx", "--device", "sim", "--timing-only", "--profile", folder / f"{name}.prof")
    return folder / f"{name}.prof"


def diff(*words):
    return opscope("diff", "--json", *words).json()


def rows_of(answer):
    return {row["a_name"] or row["b_name"]: row for row in answer["changes"] if row["name"] != "(idle)"}


def sums_up(answer):
    """Rows and idle time are the whole, on both sides."""
    for side in ("a_ns", "b_ns"):
        found = sum(row[side] or 0 for row in answer["changes"])
        true(abs(found - answer["total"][side]) < 1e-3 * answer["total"][side] + 2, f"{side}: {found}, {answer['total']}")


def test_the_same_twice(folder):
    path = modelled(folder, "a", chain(4))
    answer = diff(path, path)
    sums_up(answer)
    equal({row["verdict"] for row in answer["changes"] if row["a_ns"]}, {"even"}, "verdicts")
    equal(answer["total"]["change"], 0, "change")


def test_renamed_and_in_another_order(folder):
    answer = diff(modelled(folder, "a", chain(4)), modelled(folder, "b", chain(4, "other", order=[2, 0, 3, 1])))
    rows = rows_of(answer)
    for i in range(4):
        equal((rows[f"node_{i}"]["relation"], rows[f"node_{i}"]["b_name"]), ("renamed", f"other_{i}"), f"node {i}")


BRANCHES = ("CRSM", "CMRS", "SRCM", "RMCS", "MCSR", "SCMR")  # what one branch does others do as well


def branches(prefix, order):
    """Branches of one input; each is known by the row of what it does, and by nothing else."""
    types = {"C": "Conv", "R": "Relu", "S": "Sigmoid", "M": "MaxPool"}
    nodes, weights = [], []
    for i in order:
        value = "x"
        for k, letter in enumerate(BRANCHES[i]):
            name, more = f"{prefix}{i}_{k}", {}
            inputs = [value, f"w{i}_{k}"] if letter == "C" else [value]
            if letter == "C":
                weights.append(make_tensor(f"w{i}_{k}", "f32", [8, 8, 3, 3], [0.01] * 576))
            if letter in "CM":
                more = {"kernel_shape": [3, 3], "pads": [1] * 4}
            nodes.append(make_node(types[letter], inputs, [name], name=name, **more))
            value = name
    outputs = [f"{prefix}{i}_{len(BRANCHES[i]) - 1}" for i in range(len(BRANCHES))]
    nodes.append(make_node("Concat", outputs, ["y"], name=f"{prefix}_end", axis=1))
    return make_model(make_graph(nodes, inputs=[make_value("x", "f32", [1, 8, 16, 16])], outputs=[make_value("y", "f32")],
                                 initializers=weights), opset=13)


def test_branches_renamed_and_in_another_order(folder):
    for target in ("torq-sl2610", "aic100", "wormhole_b0", "host"):
        rows = diff(modelled(folder, "a", branches("a", range(6)), target),
                    modelled(folder, "b", branches("b", (3, 0, 5, 2, 4, 1)), target))["changes"]
        pairs = [(row["a_name"][1:], row["b_name"][1:]) for row in rows if row["relation"] == "renamed"]
        equal([row["name"] for row in rows if row["relation"] in ("new", "gone")], [], f"{target}: without a counterpart")
        right = sum(a == b for a, b in pairs)
        true(right >= len(pairs) - 2 and len(pairs) > 8, f"{target}: {right} of {len(pairs)}: {pairs}")


def test_an_operator_with_more_to_do(folder):
    answer = diff(modelled(folder, "a", chain(4)), modelled(folder, "b", chain(4, slow=2, factor=8)))
    sums_up(answer)
    row = answer["changes"][0]
    equal((row["name"], row["verdict"]), ("node_2", "slower"), "the row that adds most")
    contains(row["why"], "more", "why")


def test_new_and_gone(folder):
    a, b = modelled(folder, "a", chain(3)), modelled(folder, "b", chain(4))
    equal(rows_of(diff(a, b))["node_3"]["verdict"], "new", "with one more")
    equal(rows_of(diff(b, a))["node_3"]["verdict"], "gone", "with one less")


def test_fused_on_another_machine(folder):
    network = shared("data/models") / "vit_micro/model.onnx"
    paths = []
    for target in ("host", "torq-sl2610", "aic100", "wormhole_b0"):
        opscope("compile", network, "--target", target, "-o", folder / "n.opx")
        paths.append(folder / f"{target}.prof")
        opscope("run", folder / "n.opx", "--device", "sim", "--timing-only", "--profile", paths[-1])
    for path in paths[1:]:
        answer = diff(paths[0], path)
        lonely = [row for row in answer["changes"] if row["relation"] in ("new", "gone")
                  and max(row["a_ns"] or 0, row["b_ns"] or 0) > 0.01 * max(answer["total"]["a_ns"], answer["total"]["b_ns"])]
        equal(lonely, [], f"operators of {path.name} without a counterpart")
        sums_up(answer)


def test_one_network_on_four_machines_operator_by_operator(folder):
    """Names are those of the network, whatever was fused and laid out anew: what is alone is no operator."""
    network = shared("data/models") / "mobilenet_v2_int8/model.onnx"
    paths = {}
    for target in ("torq-sl2610", "aic100", "wormhole_b0", "host"):
        paths[target] = folder / f"{target}.prof"
        opscope("compile", network, "--target", target, "-o", folder / "n.opx", "--trace", paths[target])
    for a, b in itertools.combinations(paths, 2):
        answer = diff(paths[a], paths[b])
        sums_up(answer)
        alone = [row["name"] for row in answer["changes"] if row["relation"] in ("new", "gone")]
        equal(sorted(alone), ["LINK IN", "LINK OUT"] if "aic100" in (a, b) else [], f"{a} beside {b}: without a counterpart")
        same = [row for row in answer["changes"] if row["relation"] == "same"]
        true(len(same) >= 64, f"{a} beside {b}: {len(same)} operators are the same")
        for row in same:
            equal(row["a_name"], row["b_name"], f"{a} beside {b}: names")
    laid = rows_of(diff(paths["torq-sl2610"], paths["aic100"]))["/features/features.0/features.0.0/Conv"]
    equal((laid["a_parts"], laid["b_parts"]), (1, 2), "its layout is changed before it")
    contains(laid["why"], "in 2 parts (1)", "why")


def test_large_factors_are_said_as_such(folder):
    answer = opscope("diff", modelled(folder, "a", chain(4)), modelled(folder, "b", chain(4, slow=2, factor=64)))
    matches(answer.out, r"(?m)^  slower .* \d+(\.\d+)?x +\d+(\.\d+)?x +\d+(\.\d+)?x +same +node_2 ", "a factor of more than ten")


def test_renamed_on_another_machine(folder):
    network = shared("data/models") / "mobilenet_v2_int8/model.onnx"
    other = network.read_bytes().replace(b"/features/", b"/trunkpts/").replace(b"features.", b"layrsets.")
    write(folder / "other.onnx", other)
    for name, path, target in (("a", network, "host"), ("b", folder / "other.onnx", "torq-sl2610")):
        opscope("compile", path, "--target", target, "-o", folder / "n.opx")
        opscope("estimate", folder / "n.opx", "-o", folder / f"{name}.prof")
    answer = diff(folder / "a.prof", folder / "b.prof")
    lonely = sum(row["a_ns"] for row in answer["changes"] if row["relation"] == "gone")
    true(lonely < 0.1 * answer["total"]["a_ns"], f"found by what they compute: {lonely} of {answer['total']['a_ns']} ns not")
    for row in answer["changes"]:
        if row["relation"] == "renamed":
            equal(row["b_name"], row["a_name"].replace("/features/", "/trunkpts/").replace("features.", "layrsets."), "pair")


def test_nobody_is_who_only_waits(folder):
    network = shared("data/models") / "vit_micro/model.onnx"
    opscope("compile", network, "--target", "aic100", "-o", folder / "n.opx")
    opscope("estimate", folder / "n.opx", "-o", folder / "a.prof")
    rows = diff(folder / "a.prof", folder / "a.prof")["changes"]
    true(all(row["a_ns"] > 0 for row in rows if row["relation"] is not None), f"rows with time: {rows}")


def runtime(folder, name, microseconds):
    """What Torq's runtime writes of a program: the host started it, and waited for it."""
    place = 'loc("add.mlir":3:10)'
    rows = [(0, 100, "NSS_START"), (0, 101, "NSS_START_END"), (1, 101, "NSS_WAIT_START"),
            (1, 101 + microseconds, "NSS_WAIT_END")]
    text = "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
    write(folder / name, text + "".join(f"{index},{time},{time},{event},{place}\n" for index, time, event in rows))
    return folder / name


def test_parts_of_one_name_are_told_apart(folder):
    cases = [ROOT / f"tests/testdata/pytorch/{case}.json.gz" for case in ("training", "stacks")]
    rows = [row for row in diff(*cases)["changes"] if row["name"] == "aten::bmm"]
    true(len({row["shapes"] for row in rows}) == len(rows) > 1, f"by their shapes: {rows}")
    true(all(row["shapes"] is None for row in diff(cases[0], cases[1])["changes"] if row["name"] == "(idle)"), "idle has none")


def test_programs_that_only_the_host_recorded(folder):
    answer = diff(runtime(folder, "a.csv", 100), runtime(folder, "b.csv", 150))
    equal((answer["total"]["a_ns"], answer["total"]["b_ns"]), (101_000, 151_000), "times of the device")
    equal(opscope("explain", folder / "a.csv", "--json").json()["work_ns"], 101_000, "work on the path")


def test_profiles_of_pytorch(folder):
    case = ROOT / "tests/testdata/pytorch/training.json.gz"
    answer = diff(case, case)
    sums_up(answer)
    equal({row["relation"] for row in answer["changes"]} - {None}, {"same"}, "relations")
    true(answer["total"]["a_ns"] > 0 and answer["a"][0]["time"] == "device", f"{answer['a']}")
    equal(diff(case, case, "--time", "host")["a"][0]["time"], "host", "asked for")


def timed(folder, name, times, factor=1):
    """A run whose iterations took these times (us), as ONNX Runtime writes it: two nodes, one of which is slowed."""
    events, now = [], 0
    for iteration, time in enumerate(times):
        began = now
        for node, share in (("first", 0.5), ("second", 0.5 * factor)):
            events.append({"cat": "Node", "pid": 1, "tid": 1, "dur": int(time * share), "ts": now, "ph": "X",
                           "name": f"{node}_kernel_time", "args": {"op_name": "MatMul", "node_index": "0"}})
            now += int(time * share)
        events.append({"cat": "Session", "pid": 1, "tid": 1, "dur": now - began, "ts": began, "ph": "X", "name": "model_run",
                       "args": {}})
        now += 10
    write(folder / name, json.dumps(sorted(events, key=lambda event: (event["ts"], -event["dur"]))))
    return folder / name


def runs(folder, name, count, factor=1.0):
    chance = random.Random(name)
    return [timed(folder, f"{name}{i}.json", [chance.randint(100_000, 101_000) * (1 + (chance.random() < 0.2))
                                              for _ in range(12)], factor) for i in range(count)]


def test_intervals_of_several_runs(folder):
    a, b = runs(folder, "a", 6), runs(folder, "b", 6, 1.2)
    answer = diff("--a", *a, "--b", *b)
    rows = rows_of(answer)
    equal((rows["first"]["verdict"], rows["second"]["verdict"]), ("even", "slower"), "verdicts")
    true(rows["second"]["low"] <= 0.2 <= rows["second"]["high"], f"the factor lies in the interval: {rows['second']}")
    equal(answer["measurements"], "runs", "what counts")
    text = opscope("diff", a[0], b[0]).out
    contains(text, "intervals are of iterations", "one run each")


def repeated(folder, name, calls, patterns, fused=False):
    """A trace without iterations: `patterns` are the times (us) of parts that are called one after the other, again and
    again; what else the machine does makes some calls longer."""
    chance, events, now = random.Random(name), [], 0.0
    for _ in range(calls):
        for part, time in patterns:
            took = time * chance.lognormvariate(0, 0.04) * (1 + (chance.random() < 0.05) * chance.random())
            events.append({"ph": "X", "name": part, "pid": 1, "tid": 1, "ts": now, "dur": took})
            now += took + 1
    write(folder / name, json.dumps({"traceEvents": events}))
    return folder / name


def test_repeated_calls_tell_where_there_are_no_iterations(folder):
    usual = [("load", 50), ("gemm", 100), ("store", 7), ("gemm", 400)]  # calls of one name may differ
    inside, wrong = 0, 0
    for seed in range(12):
        factor = (1.1, 1.5, 3, 0.7)[seed % 4]
        slowed = [(part, time * (factor if part == "gemm" else 1)) for part, time in usual]
        calls = (12, 40, 200)[seed % 3]
        answer = diff(repeated(folder, f"a{seed}.json", calls, usual), repeated(folder, f"b{seed}.json", calls, slowed))
        rows = rows_of(answer)
        equal(answer["measurements"], "calls", "what counts")
        low, high = rows["gemm"]["low"] + 1, rows["gemm"]["high"] + 1
        inside += low <= factor <= high
        wrong += sum(rows[part]["verdict"] in ("slower", "faster") for part in ("load", "store"))
        if calls > 12 and factor != 1.1:
            equal(rows["gemm"]["verdict"], "slower" if factor > 1 else "faster", f"{factor}: {rows['gemm']}")
        true(low <= rows["gemm"]["change"] + 1 <= high, f"what is said lies in its interval: {rows['gemm']}")
        sums_up(answer)
    true(inside >= 11, f"the factor lies in {inside} of 12 intervals")
    true(wrong <= 1, f"{wrong} of 24 that are the same are called different")
    contains(opscope("diff", folder / "a0.json", folder / "b0.json").out, "intervals are of calls", "it is said")


def test_more_calls_are_more_time(folder):
    usual = [("gemm", 100), ("store", 7)]
    answer = diff(repeated(folder, "a.json", 60, usual), repeated(folder, "b.json", 90, usual))
    row = rows_of(answer)["gemm"]
    equal((row["verdict"], row["why"]), ("slower", "more calls (1.5x)"), "the same calls, more of them")
    true(row["low"] <= 0.5 <= row["high"] and row["low"] > 0.3, f"interval: {row}")


def test_large_calls_alone_that_become_slower(folder):
    """Most calls are the same: the change is that of the time, and the interval holds it."""
    few = [("gemm", 10)] * 5 + [("gemm", 1000)]
    slow = [("gemm", 10)] * 5 + [("gemm", 2000)]
    row = rows_of(diff(repeated(folder, "a.json", 2, few), repeated(folder, "b.json", 2, slow)))["gemm"]
    true(row["change"] > 0.8 and row["low"] <= 0.9 <= row["high"], f"{row}")


def test_modelled_times_are_never_unsure(folder):
    profiles = [modelled(folder, target, chain(5), target) for target in ("torq-sl2610", "aic100", "wormhole_b0", "host")]
    for a in profiles:
        for b in profiles:
            rows = diff(a, b)["changes"]
            true(all(row["verdict"] != "unsure" for row in rows), f"{a.name} {b.name}: {rows}")


def test_modelled_beside_measured(folder):
    """What was expected beside what was: only one side has noise, so that one run tells."""
    expected = modelled(folder, "a", chain(4), "host")
    opscope("run", folder / "a.opx", "-n", "40", "--threads", "1", "--profile", folder / "real.prof")
    for a, b in ((expected, folder / "real.prof"), (folder / "real.prof", expected)):
        total = diff(a, b)["total"]
        true(total["low"] is not None and total["low"] <= total["change"] <= total["high"], f"an interval: {total}")


def loading(folder, name, microseconds):
    """PyTorch's profile of a program whose steps begin with waiting for data, outside of all operators."""
    chance, events, now = random.Random(name), [], 0.0

    def add(pid, name, category, start, duration, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": pid + 1, "ts": start, "dur": duration,
                       "args": args})

    for step in range(12):
        load = microseconds * chance.uniform(1, 1.02)
        add(9, "enumerate(DataLoader)", "user_annotation", now, load)
        for i in range(5):
            start, link = now + load + 110 * i, 10 * step + i + 1
            add(9, "aten::mm", "cpu_op", start, 20, **{"External id": link})
            add(9, "cudaLaunchKernel", "cuda_runtime", start + 2, 10, correlation=link)
            add(0, "gemm", "kernel", start + 15, chance.uniform(100, 102), correlation=link)
        add(9, f"ProfilerStep#{step}", "user_annotation", now, load + 580)
        now += load + 610
    write(folder / name, json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return folder / name


def test_the_time_outside_of_operators(folder):
    a = [loading(folder, f"a{i}.json", 500) for i in range(6)]
    b = [loading(folder, f"b{i}.json", 5000) for i in range(6)]
    for side in ("device", "host"):
        contains(gate("--base", *a, "--time", side, "--", *b, code=4).out, "failed: an iteration: 1.08 ms -> 5.5", side)
    rows = {row["name"]: row for row in diff("--a", *a, "--b", *b)["changes"]}
    equal((rows["(idle)"]["verdict"], rows["aten::mm"]["verdict"]), ("slower", "even"), "what the device waited for")
    gate("--save", folder / "kept.json", *a)
    gate(folder / "kept.json", *b, code=4)
    gate(folder / "kept.json", *[loading(folder, f"c{i}.json", 500) for i in range(6)])


def test_the_last_iteration_was_cut(folder):
    whole = timed(folder, "whole.json", [100_000] * 12)
    events = json.loads(whole.read_text())[:-1]
    events.remove(next(event for event in reversed(events) if event["name"] == "model_run"))
    write(folder / "cut.json", json.dumps(events))
    answer = diff(whole, folder / "cut.json")
    equal([row["why"] for row in answer["changes"]], [None] * 3, "no cause, since nothing changed")
    equal(answer["b"][0]["iterations"], 11, "whole iterations")


def gate(*words, code=0):
    return opscope("gate", *words, code=code)


def test_a_gate(folder):
    base, same, slow = runs(folder, "base", 6), runs(folder, "same", 6), runs(folder, "slow", 6, 1.2)
    stored = folder / "base.json"
    contains(gate("--save", stored, *base).err, "6 runs kept", "saved")
    contains(gate(stored, *same).out, "passed: an iteration", "equal runs")
    result = gate(stored, *slow, "--operators", "--junit", folder / "g.xml", "--markdown", folder / "g.md", code=4)
    contains(result.out, "failed: second", "which operator")
    suite = xml.etree.ElementTree.parse(folder / "g.xml").getroot()
    equal({case.get("name"): case.find("failure") is not None for case in suite}["second"], True, "JUnit")
    contains((folder / "g.md").read_text(), "### opscope gate: failed", "Markdown")
    equal(gate(stored, *slow, "--json", code=4).json()["outcome"], "failed", "JSON")
    # Runs can be kept in several goes, and the same files directly instead.
    gate("--save", folder / "more.json", stored, *same)
    equal(len(json.loads((folder / "more.json").read_text())["runs"]), 12, "runs of both")
    gate("--base", *base, "--max-regress", "30%", "--", *slow)


def test_a_gate_that_cannot_tell(folder):
    one, two = runs(folder, "one", 1), runs(folder, "two", 1, 1.2)
    contains(gate(*one, *two).out, "cannot tell; about 5 runs of each side", "one run each")
    gate(*one, *two, "--strict", code=5)
    path = modelled(folder, "a", chain(4))
    gate(path, path)
    gate(path, modelled(folder, "b", chain(4, slow=3, factor=8)), code=4)


def test_wrong_use(folder):
    path = runs(folder, "x", 1)[0]
    contains(opscope("diff", path, code=2).err, "give two files")
    contains(opscope("diff", path, path, "--time", "gpu", code=2).err, "device, host or auto")
    contains(opscope("diff", path, path, "--statistic", "best", code=2).err, "low, median or mean")
    contains(opscope("diff", path, path, "--confidence", "120", code=2).err, "50 to 99.99")
    contains(gate(path, code=2).err, "give a base and what is new")
    contains(gate("--save", folder / "k.json", path, "--operators", code=2).err, "judges nothing")
    gate("--save", folder / "k.json", path)
    contains(opscope("diff", folder / "k.json", path, "--time", "device", code=1).err, "the time of the host was kept")
    contains(gate(path, path, "--max-regress", "fast", code=2).err, "percent, above 0")
    bad = write(folder / "bad.json", '{"opscope_runs": 1, "runs": [{"began_ns": 0, "iterations": [[0, 5, 1, 1]], '
                '"parts": [], "samples": []}]}')
    contains(gate(bad, path, code=1).err, "bad.json: run 1: an iteration is not")
    contains(gate(write(folder / "v2.json", '{"opscope_runs": 2, "runs": []}'), path, code=1).err, "another version")


def test_what_has_no_name_says_so(folder):
    """As in top, in diff and in explain."""
    for name, length in (("a", 5), ("b", 9)):
        write(folder / f"{name}.json", json.dumps([{"ph": "X", "name": "", "pid": 1, "tid": 1, "ts": 1, "dur": length}]))
    for words in (("diff", folder / "a.json", folder / "b.json"), ("explain", folder / "a.json"), ("top", folder / "a.json")):
        contains(opscope(*words).out, "(no name)", f"{words[0]}")


main()
