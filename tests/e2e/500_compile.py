"""opscope compile: the summary, the report as JSON, the program, the timeline."""
from compiling import *
from support import *
from onnx_writer import *

GROUP_KEYS = ["index", "name", "type", "engine", "reason", "tasks", "tiles", "start_cycles",
              "end_cycles", "ms", "compute_cycles", "dma_cycles", "host_cycles", "least_cycles",
              "bound", "operators"]
REPORT_KEYS = ["network", "target", "program", "operators", "groups", "tasks", "dispatches", "jobs",
               "constants", "groups_on_host", "groups_of_unknown_time", "modelled", "memories",
               "slowest", "warnings", "proved"]


def test_summary(folder):
    out = opscope("compile", ADD, "--target", TARGET, "-o", folder / "add.opx").out
    lines = out.splitlines()
    matches(lines[0], r"^add for torq-sl2610: 5 operators in 1 group, \d+ tasks$")
    matches(lines[1], r"^  modelled +[\d.]+ us   compute \d+ %  dma \d+ % .*"
                      r"\([\d.]+ k cycles at 800 MHz\)$")
    matches(lines[2], r"^  at least +[\d.]+ us   by dma_in at its peak rate: modelled is "
                      r"\d\.\d times that$")
    matches(lines[3], r"^  memory    lram [\d.]+ KiB of 512 KiB   xram [\d.]+ KiB   "
                      r"constants \d+ B$")
    matches(lines[4], r"^  slowest   %4 add +[\d.]+ us  dma-bound$")
    equal(len(lines), 5, "lines")
    true(all(len(line) <= 100 for line in lines), f"a line wraps:\n{out}")
    true("measured" not in out, f"nothing is measured:\n{out}")


def test_report(folder):
    report = compile_json(folder, ADD)
    equal(list(report), REPORT_KEYS, "keys")
    equal(list(report["slowest"][0]), GROUP_KEYS, "keys of a group")
    equal(report["operators"], 5, "operators")
    equal(len(report["slowest"]), report["groups"], "groups")
    tasks = opscope("program", folder / "program.opx", "--tasks", "--json").json()["tasks"]
    equal(sum(group["tasks"] for group in report["slowest"]),
          sum(task["group"] is not None for task in tasks), "tasks of groups; others load code")
    equal(sorted(operator["index"] for operator in report["slowest"][0]["operators"]),
          list(range(5)), "every operator is in the group")
    modelled = report["modelled"]
    close_to(modelled["ms"], modelled["cycles"] / modelled["clock_hz"] * 1e3, 1e-12, "ms")
    for kind in ("compute", "dma", "host", "idle"):
        true(0 <= modelled[f"{kind}_cycles"] <= modelled["cycles"], f"{kind}: {modelled}")
    busy = sum(modelled[f"{kind}_cycles"] for kind in ("compute", "dma", "host"))
    true(busy + modelled["idle_cycles"] >= modelled["cycles"], f"time is missing: {modelled}")
    equal(report["proved"]["tasks"], report["tasks"], "tasks proved")


def test_the_link_to_the_host_is_no_idle_time(folder):
    """What the summary names adds up as the overview of a run does."""
    modelled = opscope("compile", ADD, "--target", "aic100", "-o", folder / "program.opx", "--json").json()["modelled"]
    text = opscope("compile", ADD, "--target", "aic100", "-o", folder / "program.opx").out
    matches(text, rf"  link {100 * modelled['link_cycles'] / modelled['cycles']:.0f} %  ")
    opscope("run", folder / "program.opx", "--device", "sim", "--profile", folder / "x.prof")
    rows = {row["name"]: row["ns"] for row in opscope("overview", folder / "x.prof", "--json").json()[0]["metrics"]}
    idle = modelled["idle_cycles"] / modelled["clock_hz"] * 1e9
    true(abs(idle - rows["Idle"]) < 0.02 * rows["OVERALL"], f"idle: {idle} ns, the run has {rows['Idle']}")
    equal(compile_json(folder, ADD)["modelled"]["link_cycles"], 0, "a target without a link")


def test_memory_is_that_of_the_buffers(folder):
    """Counted once more, moment by moment, from the table of buffers."""
    report = compile_json(folder, CONV)
    buffers = opscope("program", folder / "program.opx", "--buffers", "--json").json()["buffers"]
    for memory in report["memories"]:
        own = [item for item in buffers if item["memory"] == memory["name"] and
               item["kind"] != "pipeline" and item["alias"] is None]
        moments = {item["from"] for item in own}
        peak = max((sum(item["size"] for item in own if item["from"] <= moment <= item["to"])
                    for moment in moments), default=0)
        equal(memory["peak"], peak, f"peak of {memory['name']}")
        equal(memory["reach"], max((item["address"] + item["size"] for item in own), default=0),
              f"reach of {memory['name']}")
        true(memory["peak"] <= memory["size"], f"{memory}")
    equal(report["constants"],
          sum(item["size"] for item in buffers if item["kind"] == "constant"), "constants")


def test_host_and_why(folder):
    network = write(folder / "host.mlir", DISPATCHES)
    report = compile_json(folder, network)
    equal(report["groups_on_host"], 1, "groups on the host")
    equal(report["dispatches"], 3, "dispatches")
    host = {group["type"]: group for group in report["slowest"] if group["engine"] == "host"}
    equal(sorted(host), ["matmul_cast"], "what the host does")
    for group in host.values():
        equal((group["bound"], group["reason"]), ("host", "the slices do not compute f32"), "why")
    out = opscope("compile", network, "--target", TARGET, "-o", folder / "x.opx").out
    matches(out, r"^  on host   %3 matmul_cast: the slices do not compute f32$")
    matches(out, r"host \d+ %")


def test_bound_is_what_is_busy_most(folder):
    for network in (ADD, CONV, FC):
        for group in compile_json(folder, network)["slowest"]:
            if group["tasks"] == 0:
                equal(group["bound"], None, "bound of nothing")
                continue
            busy = {kind: group[f"{kind}_cycles"] for kind in ("compute", "dma", "host")}
            equal(busy[group["bound"]], max(busy.values()), f"bound of {group}")
            true(max(busy.values()) <= group["end_cycles"] - group["start_cycles"], f"{group}")


def test_least_is_that_of_the_busiest_engine(folder):
    """Bytes at 8 a cycle for each direction: nothing is faster than that."""
    modelled = compile_json(folder, ADD)["modelled"]
    equal(modelled["least_engine"], "dma_in", "engine")
    size = 56 * 56 * 24
    true(size / 8 <= modelled["least_cycles"] <= 1.05 * size / 8, f"{modelled}")
    for network in (ADD, CONV, FC):
        report = compile_json(folder, network)
        true(report["modelled"]["least_cycles"] <= report["modelled"]["cycles"], "the whole")


def test_far_from_the_least_is_explained(folder):
    """A target whose transfers start slowly is far from its peak, and the summary says where."""
    out = opscope("compile", CONV, "-t", TARGET, "-o", folder / "x.opx", "--set",
                  "dma_in.setup=100000").out
    matches(out, r"^  because +[\d.]+ [mu]s   is for 1 conv2d, \d+ times what the peak rates "
                 r"allow$", "reason")
    true("because" not in opscope("compile", CONV, "-t", TARGET, "-o", folder / "x.opx").out,
         "no reason where none is needed")


def test_top(folder):
    network = write(folder / "chain.onnx", chain(12))
    for top in (1, 5, 100):
        out = opscope("compile", network, "--target", TARGET, "-o", folder / "x.opx", "--top",
                      top).out
        shown = len(re.findall(r"-bound$", out, re.MULTILINE))
        equal(shown, min(top, 12), f"groups shown of\n{out}")
        equal("more above 5 %" in out, top == 1 or top == 5, f"hint in\n{out}")


def chain(count):
    """Convolutions of bytes, one behind the other, that do not fuse."""
    weight = make_tensor("w", "i8", [8, 8, 3, 3], [1] * 576)
    nodes, before = [], "x"
    for index in range(count):
        nodes += [make_node("ConvInteger", [before, "w"], [f"c{index}"], name=f"conv{index}",
                            pads=[1, 1, 1, 1]),
                  make_node("Cast", [f"c{index}"], [f"y{index}"], to=3)]
        before = f"y{index}"
    return make_model(make_graph(nodes, [make_value("x", "i8", [1, 8, 16, 16])],
                                 [make_value(before, "i8", [1, 8, 16, 16])], [weight]), opset=17)


def test_settings_change_program_and_time(folder):
    one = compile_json(folder, ADD, "--set", "slice.count=1")
    two = compile_json(folder, ADD)
    true(one["modelled"]["cycles"] > two["modelled"]["cycles"], "one slice is slower than two")
    small = compile_json(folder, ADD, "--set", "lram.size=32KiB")
    true(small["tasks"] > two["tasks"], "less memory takes more tiles")
    equal(small["memories"][0]["size"], 32 * 1024, "size of lram")
    # The program carries its target: without the setting it would exceed nothing, but
    # with 32 KiB it is proved against 32 KiB.
    opscope("verify", folder / "program.opx")
    fast = compile_json(folder, ADD, "--set", "target.clock=1600 MHz")
    equal(fast["modelled"]["cycles"], two["modelled"]["cycles"], "cycles")
    close_to(fast["modelled"]["ms"] * 2, two["modelled"]["ms"], 1e-9, "time at twice the clock")


FLOAT = ("module {\n  func.func @main(%a: tensor<1x16x64xf32>, %b: tensor<1x64x32xf32>) -> "
         "tensor<1x16x32xf32> {\n    %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : "
         "() -> tensor<1xf32>\n    %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x16x64xf32>, "
         "tensor<1x64x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x32xf32>\n"
         "    return %0 : tensor<1x16x32xf32>\n  }\n}\n")


def test_work_without_a_price(folder):
    """The published rules give the host no time, and nothing is said to take longer than that."""
    network = write(folder / "float.mlir", FLOAT)
    for rules in ("public", "best"):
        said = opscope("compile", network, "--target=torq-sl2610", f"--rules={rules}", "-o",
                       folder / "m.opx").out
        modelled = compile_json(folder, network, "--rules", rules)["modelled"]
        true(modelled["least_cycles"] <= modelled["cycles"], f"{rules}: {modelled}")
        equal("0.00 ns" in said, False, f"{rules}: {said}")
        equal("not priced  1 task of host: the published rules" in said, rules == "public", said)
        equal("  modelled  absent\n" in said, rules == "public", said)
        equal("at least" in said, rules == "best", said)
        equal(modelled["unpriced_tasks"], 1 if rules == "public" else 0, rules)


def test_public_rules(folder):
    best = compile_json(folder, ADD)["modelled"]
    public = compile_json(folder, ADD, "--rules", "public")["modelled"]
    equal((best["rules"], public["rules"]), ("best", "public"), "rules")
    true(public["cycles"] < best["cycles"], "the published rules share no bandwidth")


def test_shapes_and_symbols(folder):
    graph = make_graph([make_node("Abs", ["x"], ["y"])], [make_value("x", "i8", ["batch", 64])],
                       [make_value("y", "i8", ["batch", 64])])
    network = write(folder / "m.onnx", make_model(graph, opset=17))
    small = compile_json(folder, network, "--define-symbol", "batch,1")
    large = compile_json(folder, network, "--shape", "x=512x64")
    true(small["groups_on_host"] == 0 and large["groups_on_host"] == 0, "known shapes")
    true(large["modelled"]["cycles"] > 10 * small["modelled"]["cycles"], "more takes longer")


def test_traces(folder):
    trace = folder / "t.pb"
    report = compile_json(folder, ADD, "--trace", trace)
    info = opscope("info", trace, "--json").json()
    equal((info[0]["spans"], info[0]["first_ns"]), (report["tasks"], 0), "spans and first time")
    true(all(track["provenance"] == "modelled" for track in info[0]["tracks"]), "provenance")
    opscope("compile", ADD, "--target", TARGET, "-o", folder / "x.opx", "--trace", folder / "t.csv")
    table = rows(folder / "t.csv")
    equal(len(table), report["tasks"], "rows")
    equal(max(row["End"] for row in table), report["modelled"]["cycles"], "end")
    opscope("compile", ADD, "--target", TARGET, "-o", folder / "x.opx", "--trace",
            folder / "t.csv.gz")
    run("gzip", "-t", folder / "t.csv.gz")


def test_perfetto_reads_the_trace(folder):
    report = compile_json(folder, ADD, "--trace", folder / "t.pb")
    spans = without_loss(folder / "t.pb", "select count(*) as n, max(ts + dur) - min(ts) as ns"
                                          " from slice")
    equal(spans[0]["n"], report["tasks"], "slices")
    close_to(spans[0]["ns"], report["modelled"]["ms"] * 1e6, 2, "length in ns")


def test_same_bytes(folder):
    for network in (ADD, CONV, FC):
        written = set()
        for number, threads in enumerate((1, 2, 2)):
            out = folder / f"{number}.opx"
            trace = folder / f"{number}.pb"
            opscope("compile", network, "-t", TARGET, "-o", out, "--trace", trace,
                    env={"OMP_NUM_THREADS": str(threads)})
            written.add((out.read_bytes(), trace.read_bytes()))
        equal(len(written), 1, f"different results for {network.name}")


def test_replaces_the_program_of_before(folder):
    path = write(folder / "p.opx", "old")
    opscope("compile", ADD, "-t", TARGET, "-o", path)
    opscope("verify", path)
    equal([item.name for item in folder.iterdir()], ["p.opx"], "files")


def test_nothing_bounds_what_takes_no_time(folder):
    graph = make_graph([make_node("Add", ["x", "x"], ["y"])], [make_value("x", "f32", [4])],
                       [make_value("y", "f32", [4])])
    network = write(folder / "m.onnx", make_model(graph, opset=17))
    command = ("compile", network, "--target=torq-sl2610", "--rules=public", "-o", folder / "m.opx")
    equal(opscope(*command, "--json").json()["slowest"][0]["bound"], None, "the bound")
    true("-bound" not in opscope(*command).out, "nothing is the slowest")


main()
