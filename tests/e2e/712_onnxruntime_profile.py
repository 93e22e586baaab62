#!/usr/bin/env python3
"""ONNX Runtime's profiles: those of today made during the test, older ones written here."""

import array
import gzip

from support import *

from onnx_writer import make_graph, make_model, make_node, make_value
from onnxruntime import onnxruntime

ELEMENTS = {"float": "f32", "int64": "i64", "bool": "i1"}


def profiled(folder, nodes, iterations=4):
    """The path of the profile that ONNX Runtime writes while it runs a network of 64x64 matrices."""
    graph = make_graph([make_node(op, inputs, [output], name=name) for op, name, inputs, output in nodes],
                       [make_value("x", "f32", [64, 64])], [make_value("y", "f32", [64, 64])])
    model = write(folder / "m.onnx", make_model(graph, opset=17))
    data = write(folder / "x.bin", array.array("f", [0.5] * 4096).tobytes())
    answer = onnxruntime(model=str(model), folder=str(folder), iterations=iterations,
                         inputs=[{"name": "x", "type": "float32", "dims": [64, 64], "file": str(data)}],
                         profile=str(folder / "profile"))
    true("error" not in answer, f"ONNX Runtime: {answer.get('error')}")
    return next(folder.glob("profile*.json"))


NODES = [("MatMul", "first", ["x", "x"], "a"), ("Softmax", "", ["a"], "b"), ("MatMul", "second", ["b", "x"], "c"),
         ("Erf", "erf/µ", ["c"], "d"), ("Transpose", "turn", ["d"], "e"), ("Sigmoid", "last", ["e"], "y")]


def types_of(tensors):
    return ", ".join("".join(f"{side}x" for side in dims) + ELEMENTS.get(name, name)
                     for tensor in tensors for name, dims in tensor.items())


def totals_of(events):
    """Of each operator: calls and ns, from the JSON alone."""
    totals = {}
    for event in events:
        if event["cat"] != "Node":
            continue
        node, phase = re.fullmatch(r"(.*)_(kernel_time|fence_before|fence_after)", event["name"]).groups()
        args = event["args"]
        name = node or f"{args['op_name']}#{args['node_index']}"
        row = totals.setdefault((name, args["op_name"]), [0, 0])
        row[0] += phase == "kernel_time"
        row[1] += event["dur"] * 1000
    return totals


def check(path, events, expected=None):
    report = opscope("operators", path, "--json").json()
    got = {(op["name"], op["type"]): [op["calls"], op["host_ns"]] for op in report["operators"]}
    true(got.pop(("(no operator)", "(no operator)"))[1] > 0, "what the session took itself")
    equal(got, totals_of(events), f"operators of {path}")
    equal((report["device_ns"], report["types"][0]["device_total_ns"]), (None, None),
          "a CPU's profile has no times of a device")
    expected = len(events) if expected is None else expected
    equal({key: report["ledger"][key] for key in ("expected", "recorded", "lost", "impossible")},
          {"expected": expected, "recorded": expected, "lost": 0, "impossible": 0}, "ledger")
    return report


def test_a_profile_of_today(folder):
    path = profiled(folder, NODES)
    events = json.loads(path.read_text())
    true(sum(event["cat"] == "Node" for event in events) >= 12, "the profile holds nodes")
    report = check(path, events)
    kernels = {event["name"].removesuffix("_kernel_time"): event["args"] for event in events
               if event["cat"] == "Node"}
    for op in report["operators"]:
        if op["name"] == "(no operator)":
            continue
        args = kernels.get(op["name"]) or kernels[""]
        equal(op["inputs"], types_of(args["input_type_shape"]), f"inputs of {op['name']}")
        equal(op["outputs"], types_of(args["output_type_shape"]), f"outputs of {op['name']}")
        equal(op["provider"], args["provider"], f"provider of {op['name']}")
    for out in ("p.prof.gz", "p.json", "p.json.zst"):
        opscope("convert", path, "-o", folder / out)
        equal(check(folder / out, events)["operators"], report["operators"], f"operators of {out}")
    text = opscope("operators", path).out
    contains(text, "64x64xf32")


def test_the_overview_and_the_trace_of_it(folder):
    path = profiled(folder, NODES)
    events = json.loads(path.read_text())
    info = opscope("info", path, "--json").json()[0]
    equal(info["format"], "onnxruntime-profile")
    matches(opscope("overview", path).out, r"Host +\d", "overview")
    opscope("convert", path, "-o", folder / "p.pb")
    got = without_loss(folder / "p.pb", "select ts, dur, name from slice")
    equal(sorted((row["ts"], row["dur"], row["name"]) for row in got),
          sorted((event["ts"] * 1000, event["dur"] * 1000, event["name"]) for event in events), "slices")


def test_a_step_is_as_long_as_its_model_run(folder):
    path = ROOT / "samples/onnxruntime/mobilenet_v2.json.gz"
    with gzip.open(path) as file:
        runs = [event["dur"] * 1000 for event in json.load(file) if event["name"] == "model_run"]
    rows = opscope("overview", path, "--steps", "--json").json()[0]["steps"]
    equal([row["overall_ns"] for row in rows], runs, "from its own span")
    true(all(row["host_ns"] + row["idle_ns"] == row["overall_ns"] for row in rows), f"the rest is idle: {rows}")


def test_names_with_quotes_break_its_json(folder):
    """ONNX Runtime does not escape them: such events are lost, the others are not."""
    path = profiled(folder, [("MatMul", "good", ["x", "x"], "a"), ("Erf", 'a "q"', ["a"], "b"),
                             ("Sigmoid", "last", ["b"], "y")], iterations=3)
    try:
        json.loads(path.read_text())
        raise Skip("this ONNX Runtime escapes them")
    except json.JSONDecodeError:
        pass
    result = opscope("operators", path, "--json", code=3)
    rows = {op["name"]: op["calls"] for op in result.json()["operators"]}
    equal([rows.get("good"), rows.get("last")], [3, 3], "calls of the others")
    equal(result.json()["ledger"]["lost"], 3, "lost")


# Older versions ------------------------------------------------------------------------


def event(category, name, start, duration, tid=7, **args):
    return {"cat": category, "pid": 7, "tid": tid, "dur": duration, "ts": start, "ph": "X", "name": name,
            "args": args}


def old_profile(runs):
    """With fences, without shapes, in order of their ends, as versions before 1.16 wrote it."""
    events = [event("Session", "model_loading_array", 1, 500), event("Session", "session_initialization", 510, 90)]
    for run_number in range(runs):
        time = 1000 + 300 * run_number
        for index, (node, op) in enumerate((("conv1", "Conv"), ("loop", "Loop"), ("", "Relu"))):
            args = {"op_name": op, "node_index": str(index)}
            at = time + 60 * index
            events.append(event("Node", f"{node}_fence_before", at, 1, **args))
            if op == "Loop":  # a body that runs twice
                for turn in (0, 1):
                    events.append(event("Node", "body_kernel_time", at + 5 + 10 * turn, 8, op_name="Add",
                                        node_index="0", provider="CPUExecutionProvider"))
            events.append(event("Node", f"{node}_kernel_time", at + 2, 50, provider="CPUExecutionProvider",
                                **args))
            events.append(event("Node", f"{node}_fence_after", at + 53, 1, **args))
        events.append(event("Session", "SequentialExecutor::Execute", time - 1, 200))
        events.append(event("Session", "model_run", time - 2, 210))
    return events


def test_an_older_profile_with_fences(folder):
    events = old_profile(5)
    path = write(folder / "old.json", json.dumps(events))
    report = opscope("operators", path, "--json").json()
    rows = {op["name"]: op for op in report["operators"]}
    del rows["(no operator)"]
    equal({name: [op["calls"], op["spans"]] for name, op in rows.items()},
          {"conv1": [5, 15], "loop": [5, 15], "Relu#2": [5, 15], "body": [10, 10]}, "calls and spans")
    equal(rows["loop"]["host_ns"], 5 * (52 - 16) * 1000, "a loop without its body")
    equal(rows["loop"]["host_total_ns"], 5 * 52 * 1000, "a loop with its body")
    equal(rows["body"]["host_ns"], 10 * 8 * 1000, "the body")
    equal(report["ledger"]["expected"], len(events), "expected")


def test_kernels_of_a_gpu(folder):
    events = [event("Session", "model_run", 0, 100),
              event("Node", "gemm_kernel_time", 10, 20, op_name="Gemm", provider="CUDAExecutionProvider",
                    node_index="3"),
              {**event("Kernel", "ampere_sgemm", 40, 30, tid=-1, op_name="Gemm", parent_name="gemm_kernel_time",
                       stream="1"), "pid": -1}]
    report = opscope("operators", write(folder / "gpu.json", json.dumps(events)), "--json").json()
    op = report["operators"][0]
    equal([op["name"], op["calls"], op["host_ns"], op["device_ns"]], ["gemm", 1, 20_000, 30_000], "the operator")


def test_programs_of_webgpu(folder):
    """They are written after all runs, and may end after theirs; another provider's calls are the host's."""
    runs, programs = [], []
    for run, at in enumerate((0, 1000, 2000)):
        runs += [event("Node", "a&b_kernel_time", at + 10, 20, op_name="Conv", provider="WebGpuExecutionProvider", node_index="3"),
                 event("Node", "_kernel_time", at + 40, 20, op_name="Relu", provider="WebGpuExecutionProvider", node_index="4"),
                 event("Session", "model_run", at, 100)]
        for name, start, width in (("a&b&Conv&Im2Col", 50, 10), ("a&b&Conv&MatMul", 150, 30 + run), ("&Relu&Unary", 200, 5)):
            programs.append({**event("Api", name, at + start, width, tid=-1, shapes="inputs[0] = {1,2}", cache_key="k[1]"),
                             "pid": -1})
    runs.append(event("Api", "hipLaunchKernel", 2500, 7))
    path = write(folder / "webgpu.json", json.dumps(runs + programs))
    rows = {row["name"]: row for row in opscope("operators", path, "--json").json()["operators"]}
    equal([rows["a&b"][key] for key in ("calls", "device_ns", "host_ns")], [3, 123_000, 60_000], "the node")
    equal(rows["(no operator)"]["device_ns"], 15_000, "of a node that has no name")
    steps = {row["label"]: row["self_ns"] for row in opscope("top", path, "--by", "step", "--json").json()["spans"]
             if row["where"] == "device"}
    equal(steps, {"0": 40_000, "1": 41_000, "2": 42_000, "(no step)": 15_000}, "steps")


def test_copies_of_a_gpu_are_no_computing(folder):
    names = {"ampere_sgemm": "compute", "ncclKernel_AllReduce": "communication", "MemcpyHostToDevice": "transfer in",
             "[CUDA memcpy DtoH]": "transfer out", "Memcpy DtoD (Device -> Device)": "transfer", "Memset (Device)": "transfer"}
    events = [event("Session", "model_run", 0, 100)]
    events += [{**event("Kernel", name, 10 * i, 10, tid=-1, stream="1"), "pid": -1} for i, name in enumerate(names)]
    path = write(folder / "copies.json", json.dumps(events))
    got = opscope("sql", path, "SELECT name, role FROM slice JOIN span USING(id) WHERE name <> 'model_run'", "--json")
    equal(dict(got.json()["results"][0]["rows"]), names, "roles")


def test_escapes_are_letters(folder):
    """Of a node's name, its type and its provider; a kernel finds its node by them."""
    events = [event("Node", 'né"q_kernel_time', 10, 20, op_name='Mü"q', provider="Ä", node_index="3"),
              {**event("Kernel", "k", 40, 30, tid=-1, op_name='Mü"q', parent_name='né"q_kernel_time'), "pid": -1}]
    report = opscope("operators", write(folder / "esc.json", json.dumps(events)), "--json").json()
    (op,) = [op for op in report["operators"] if op["name"] != "(no operator)"]
    equal([op["name"], op["type"], op["provider"], op["device_ns"]], ['né"q', 'Mü"q', "Ä", 30_000], "the operator")


def test_a_profile_that_is_full(folder):
    """ONNX Runtime stops at a million events and says so only in its log."""
    if SANITIZED:
        raise Skip("a hundred megabytes take too long here")
    row = '{"cat":"Node","pid":1,"tid":1,"dur":1,"ts":%d,"ph":"X","name":"n_kernel_time","args":{"op_name":"Add"}}'
    count = 1_000_000
    path = write(folder / "full.json", "[" + ",\n".join(row % (2 * i) for i in range(count)) + "]")
    result = opscope("operators", path, "--json", code=3)
    equal(result.json()["operators"][0]["calls"], count, "calls")
    equal(result.json()["ledger"]["expected"], None, "expected")
    contains(result.err, "stops recording")


main()
