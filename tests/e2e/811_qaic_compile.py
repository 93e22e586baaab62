"""qaic-compile: what each of its options changes, and what it says of those that change nothing."""

import struct

from support import *
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value
from qaic_container import segments


def compiled(folder, *words, model="model.onnx", code=0, out="b"):
    return run(program("qaic-compile"), f"-model={model}", f"-aic-binary-dir={out}", *words, cwd=folder, code=code)


def layers(folder, count=1, rows=2048, width=64, element="f16", name="model.onnx"):
    """Products one after the other, each with an activation: chains that tiles of rows go through."""
    nodes, weights, last = [], [], "x"
    for i in range(count):
        weights.append(make_tensor(f"w{i}", element, [width, width], [((k * 37) % 19 - 9) / 64 for k in range(width * width)]))
        nodes += [make_node("MatMul", [last, f"w{i}"], [f"p{i}"], name=f"/layer{i}/MatMul"),
                  make_node("Tanh", [f"p{i}"], [f"t{i}"], name=f"/layer{i}/Tanh")]
        last = f"t{i}"
    shape = [rows, width]
    graph = make_graph(nodes, [make_value("x", element, shape)], [make_value(last, element, shape)], weights)
    return write(folder / name, make_model(graph))


def listing(folder, out="b"):
    """The program inside, by another command."""
    write(folder / "program.opx", segments(folder / out / "programqpc.bin")["opscope.opx"])
    return opscope("program", folder / "program.opx", "--json").json()


def tasks(listed, *engines):
    return [task for task in listed["tasks"] if task["engine"] in engines]


def computing(listed):
    return tasks(listed, "hmx", "hvx")


def peak(listed):
    """The highest address in use of a core's memory."""
    return max(item["address"] + item["size"] for item in listed["buffers"] if item["memory"] == "vtcm")


def constants_read(listed):
    """Transfers that bring a constant from the DDR."""
    values = {i for i, value in enumerate(listed["values"]) if value["kind"] == "constant"}
    return [task for task in tasks(listed, "dma_in")
            if listed["buffers"][task["operands"][0]["buffer"]]["value"] in values]


def test_batches(folder):
    """-batchsize gives the first dimension its length where the file leaves it open."""
    weights = make_tensor("w", "f16", [32, 16], [0.5] * 512)
    for dims in (["n", 32], [4, 32]):
        graph = make_graph([make_node("MatMul", ["x", "w"], ["y"])], [make_value("x", "f16", dims)],
                           [make_value("y", "f16", [dims[0], 16])], [weights])
        write(folder / f"{dims[0]}.onnx", make_model(graph))
    for words, rows in ((["-batchsize=8"], 8), (["-batchsize", "24"], 24), (["-onnx-define-symbol=n,5"], 5),
                        (["-onnx-define-symbol", "n,6", "-batchsize=6"], 6)):
        compiled(folder, *words, model="n.onnx")
        equal(listing(folder)["values"][0]["type"], f"{rows}x32xf16", str(words))
    compiled(folder, "-batchsize=4", model="4.onnx")
    contains(compiled(folder, "-batchsize=8", model="4.onnx", code=255).err,
             "fixes the first dimension of input 'x' at 4", "a fixed one")
    contains(compiled(folder, "-onnx-define-symbol=n,2", "-batchsize=8", model="n.onnx", code=255).err,
             "input 'x' at 2", "two that differ")


def test_tiles_of_a_core(folder):
    """-ols: as many tiles for each core that takes part."""
    layers(folder)
    for factor in (1, 2, 4):
        compiled(folder, f"-ols={factor}")
        work = computing(listing(folder))
        counts = {}
        for task in work:
            counts[task["unit"]] = counts.get(task["unit"], 0) + 1
        true(len(work) >= factor * len(counts), f"-ols={factor}: {counts}")
    layers(folder, count=6, rows=16384)
    compiled(folder)
    few = len(computing(listing(folder)))
    compiled(folder, "-ols", "32")
    true(len(computing(listing(folder))) > few, "more of them")


def test_less_memory(folder):
    layers(folder, count=2, rows=2048)
    compiled(folder)
    whole = peak(listing(folder))
    for word, parts in (("-mos=256", 256), ("-mos=256,2", 256), ("-vtcm-working-set-limit-ratio=0.00390625", 256)):
        said = compiled(folder, word).out
        true(peak(listing(folder)) <= 8183 * 1024 // parts < whole, f"{word}: {peak(listing(folder))} of {whole}")
        equal("second cluster" in said, "," in word, word)


def test_cores_and_instances(folder):
    layers(folder, count=2)
    for words, cores, rate in (([], 14, "107"), (["-aic-num-cores=3"], 3, "107"), (["-aic-num-cores", "16"], 16, "107"),
                               (["-aic-num-of-instances=7"], 2, "15285714285.71"),
                               (["-aic-num-cores=4", "-aic-num-of-instances=3"], 4, "35666666666.66")):
        compiled(folder, *words)
        text = segments(folder / "b/programqpc.bin")["opscope.opx"].decode(errors="replace")
        true(max(task["unit"] for task in computing(listing(folder))) < cores, str(words))
        equal(int(re.findall(r"\ncount = (\d+)", text)[-1]), cores, str(words))
        contains(text, f"rate = {rate}", f"{words}: a share of the DDR")
    contains(compiled(folder, "-aic-num-cores=8", "-aic-num-of-instances=2", code=255).err, "need 16 cores", "too many")


def test_multicast(folder):
    """Constants are read once and cast with -multicast-weights, else by each core that multiplies by them."""
    layers(folder, count=6, rows=4096)

    def reading(listed):
        """Cores that a constant comes to from the DDR, by constant: once for each time."""
        found = {}
        for task in constants_read(listed):
            source, own = (listed["buffers"][operand["buffer"]] for operand in task["operands"])
            found.setdefault(listed["values"][source["value"]]["name"], []).append(own["unit"])
        return {name: sorted(units) for name, units in found.items()}

    def multiplying(listed):
        return {f"w{i}": sorted({task["unit"] for task in tasks(listed, "hmx")
                                 if listed["groups"][task["group"]]["name"] == f"/layer{i}/MatMul"}) for i in range(6)}

    compiled(folder)
    plain = listing(folder)
    equal((reading(plain), tasks(plain, "multicast")), (multiplying(plain), []), "by each core")
    true(all(len(units) > 1 for units in multiplying(plain).values()), "on several")
    compiled(folder, "-multicast-weights")
    cast = listing(folder)
    true(all(len(units) > 1 for units in multiplying(cast).values()), "on several")
    equal({name: len(units) for name, units in reading(cast).items()}, {f"w{i}": 1 for i in range(6)}, "once")
    equal(len(tasks(cast, "multicast")), 6, "and cast")


def test_depth_first(folder):
    """Tiles go through more groups than eight, where they otherwise end, if that takes less time."""
    layers(folder, count=12, rows=2048)
    results = {}
    for words in ([], ["-aic-enable-depth-first"], ["-aic-enable-depth-first", "-aic-depth-first-mem=32"]):
        compiled(folder, *words)
        listed = listing(folder)
        results[len(words)] = (sorted({task["group"] for task in tasks(listed, "dma_out")}), peak(listed))
    lengths = [[after - before for before, after in zip([-1, *writers], writers)] for writers, _ in results.values()]
    equal([sum(some) for some in lengths], [26, 26, 26], f"products, activations and two layouts: {lengths}")
    true(max(lengths[0]) <= 8 < min(max(lengths[1]), max(lengths[2])), f"groups from one that writes to the next: {lengths}")
    true(results[1][1] * 14 <= 8 << 20 and results[2][1] * 14 <= 32 << 20, f"memory of all cores: {results}")
    true(results[1] != results[2], f"with more memory other tiles go on: {results}")
    contains(compiled(folder, "-aic-depth-first-mem=16").out, "-aic-depth-first-mem: taken, without effect", "alone")
    contains(compiled(folder, "-aic-depth-first-mem=64", code=255).err, "from 8 to 32", "too much")


def test_rows_of_a_table(folder):
    """A table of which a few rows are read stays where it is, and the host reads them, where moving it takes longer."""
    for places, engine in ((20000, "host"), (64, "hvx")):
        table = make_tensor("table", "f16", [places, 64], [(i % 31 - 15) / 8 for i in range(places * 64)])
        nodes = [make_node("Gather", ["table", "i"], ["rows"], name="/rows"), make_node("Tanh", ["rows"], ["y"])]
        graph = make_graph(nodes, [make_value("i", "i64", [4])], [make_value("y", "f16", [4, 64])], [table])
        path = write(folder / f"{places}.onnx", make_model(graph))
        for cores in (1, 4, 14):
            compiled(folder, f"-aic-num-cores={cores}", model=path)
            listed = listing(folder)
            group = next(group for group in listed["groups"] if group["name"] == "/rows")
            equal(group["engine"], engine, f"{places} rows: {group['reason']}")
        equal([len(constants_read(listed)) > 0, "sooner than all" in group["reason"]],
              [engine == "hvx", engine == "host"], f"{places} rows")
    write(folder / "i.bin", struct.pack("<4q", 19999, 0, 7, 7))
    compiled(folder, model="20000.onnx")
    run(program("qaic-runner"), "-t", "b", "-n", "1", "-i", "i.bin", "--write-output-dir", "out", cwd=folder)
    opscope("infer", folder / "20000.onnx", "--input", f"4xi64=@{folder / 'i.bin'}", "-o", folder / "want.bin")
    equal((folder / "out/y-inf-0.bin").read_bytes(), (folder / "want.bin").read_bytes(), "its rows")


def test_what_has_no_effect(folder):
    """It is taken in both forms, said, and gives the same program."""
    layers(folder, rows=256)
    compiled(folder)
    same = segments(folder / "b/programqpc.bin")["opscope.opx"]
    for words in (["-use-producer-dma=1"], ["-use-producer-dma", "1"], ["-sdp-cluster-sizes=7,7"],
                  ["-sdp-cluster-sizes", "7,7"], ["-device-id=3"], ["-device-id", "3"],
                  ["-num-iter=100"], ["-input-list-file=none"], ["-profiling-threads=4"], ["-compile-threads=2"],
                  ["-size-split-granularity=1024"], ["-allocator-dealloc-delay=2"], ["-combine-inputs"],
                  ["-combine-outputs=false", "-io-crc"], ["-sub-functions"]):
        name = words[-1 if words[-1].startswith("-") else 0].split("=")[0]
        contains(compiled(folder, *words).out, f"\n{name}: taken, without effect: ", str(words))
        equal(segments(folder / "b/programqpc.bin")["opscope.opx"] == same, True, str(words))
    for words in (["-aic-hw"], ["-aic-hw-version=2.0"], ["-aic-hw-version", "ai100"], ["-compile-only"]):
        equal("taken" in compiled(folder, *words).out, False, str(words))


def test_a_real_command_line(folder):
    """Options as published command lines carry them."""
    layers(folder, rows=256)
    said = compiled(folder, "-aic-hw", "-aic-hw-version=2.0", "-compile-only", "-aic-num-cores=4", "-mos=1,2", "-ols=4",
                    "-sdp-cluster-sizes=2,2", "-multicast-weights", "-use-producer-dma=1", "-stats-level=70")
    lines = said.out.splitlines()
    true(lines.index("Reading ONNX Model from model.onnx") < lines.index("Compile started ............... "), said.out)
    equal(lines[-1], "Generated binary is present at b", "last")
    run(program("qaic-exec"), "-m=model.onnx", "-aic-hw", "-aic-binary-dir=other", "-compile-only", cwd=folder)
    true((folder / "other/programqpc.bin").exists(), "by its older name")


def test_what_it_prints(folder):
    layers(folder, count=14, rows=256, width=32)
    quiet = compiled(folder).out
    equal(len(quiet.splitlines()), 3, "quiet")
    counts = []
    for word in ("-v", "-vv", "-vvv"):
        said = compiled(folder, word).out
        contains(said, "  modelled  ", word)
        counts.append(said.count("/layer"))
    true(counts[0] < counts[1] < counts[2], f"{counts} groups")
    said = compiled(folder, "-time-passes").out
    for name in ("fold", "fuse", "place", "tile", "emit", "prove and price"):
        matches(said, rf"\n  {name} +\d+\.\d\d\d ms\n", name)
    tool = program("qaic-compile")
    equal(run(tool, "--usage").out, "usage: qaic-compile -model=FILE -aic-binary-dir=DIR [-stats-level=N] "
                                    "[-aic-num-cores=N]\n", "usage")
    listed = run(tool, "-operators-supported=onnx").out.splitlines()
    true({"Conv", "MatMul", "Softmax"} <= set(listed) and not any(name.startswith("tosa") for name in listed), "operators")
    contains(run(tool, "-operators-supported=caffe", code=255).err, "onnx", "another framework")
    equal(run(tool, "-h").out, run(tool, "-help").out, "help")
    contains(run(tool, "--help").out, "exit: 0 done, 255 failed", "help")


def test_any_number_of_processors(folder):
    """Chains are searched side by side: the program is the same with one thread and with as many as there can be."""
    nodes = [make_node(kind, inputs, [output]) for kind, inputs, output in (
        ("MatMul", ["x", "w"], "a"), ("Tanh", ["a"], "b"), ("MatMul", ["b", "u"], "c"), ("Add", ["c", "x"], "d"),
        ("Softmax", ["d"], "e"), ("MatMul", ["e", "w"], "y"))]
    constants = [make_tensor(name, "f16", [96, 96], [(i % 7 - 3) / 8 for i in range(96 * 96)]) for name in "wu"]
    write(folder / "model.onnx", make_model(make_graph(
        nodes, [make_value("x", "f16", [512, 96])], [make_value("y", "f16", [512, 96])], constants)))
    allowed = os.sched_getaffinity(0)
    compiled(folder)
    several = (folder / "b/programqpc.bin").read_bytes()
    os.sched_setaffinity(0, {min(allowed)})
    try:
        compiled(folder)
    finally:
        os.sched_setaffinity(0, allowed)
    true((folder / "b/programqpc.bin").read_bytes() == several, "the same program")


def test_one_file(folder):
    """The program goes straight into the container: the folder may hold no other file at any time."""
    layers(folder, count=2)
    words = ["-model=model.onnx", "-aic-binary-dir=b", "-ols=2"]
    if shutil.which("strace") and not SANITIZED:
        run("strace", "-f", "-o", "calls", "-e", "trace=openat", program("qaic-compile"), *words, cwd=folder)
        made = re.findall(r'"(b/[^"]+)"[^\n]*O_CREAT', (folder / "calls").read_text())
        equal([name for name in made if "programqpc.bin" not in name], [], "files beside it")
    run(program("qaic-compile"), *words, cwd=folder)
    equal([path.name for path in (folder / "b").iterdir()], ["programqpc.bin"], "files")
    found = segments(folder / "b/programqpc.bin")
    equal(found["opscope.command"].decode(), f"qaic-compile {' '.join(words)}", "how it was made")
    equal(f"opscope {found['opscope.version'].decode()}\n", opscope("--version").out, "by what")
    opscope("compile", "model.onnx", "-t", "aic100", "--set=plan.split=2", "--set=plan.cast=values", "-o", "same.opx",
            cwd=folder)
    true(found["opscope.opx"] == (folder / "same.opx").read_bytes(), "the program that another command makes")
    described = found["networkdesc.bin"].decode(errors="replace")
    for task in computing(listing(folder)):
        thread = task["lane"] if task["engine"] == "hvx" else 4
        contains(described, f"{{Thread: {thread}, Tile: {task['tile']}}}", "its thread")


def test_ports(folder):
    """-custom-IO-list-file: halves are handed in and out, floats are computed."""
    layers(folder, count=1, rows=64, width=32, element="f32")
    compiled(folder, out="plain")
    write(folder / "io.yaml", " - IOName: x\n   Precision: float16\n\n - IOName: 't0' # the only output\n"
                              "   Precision: float16\n")
    write(folder / "io.json", '[{"IOName": "t0", "Precision": "float16"}]')
    for name, types in (("io.yaml", ["64x32xf16", "64x32xf16"]), ("io.json", ["64x32xf32", "64x32xf16"])):
        compiled(folder, f"-custom-IO-list-file={name}")
        listed = listing(folder)
        equal([value["type"] for value in listed["values"] if value["kind"] in ("input", "output")], types, name)
        equal([value["name"] for value in listed["values"] if value["kind"] in ("input", "output")], ["x", "t0"], name)
        equal([item["type"] for item in listed["operators"]].count("Cast"), types.count("64x32xf16"), "casts")
    halves = [((i * 31) % 65 - 32) / 64 for i in range(64 * 32)]
    compiled(folder, "-custom-IO-list-file", "io.yaml")
    write(folder / "half.bin", struct.pack(f"<{len(halves)}e", *halves))
    write(folder / "whole.bin", struct.pack(f"<{len(halves)}f", *halves))
    results = {}
    for out, name, kind in (("b", "half.bin", "e"), ("plain", "whole.bin", "f")):
        run(program("qaic-runner"), "-t", out, "-n", "1", "-i", name, "--write-output-dir", f"out-{out}", cwd=folder)
        results[out] = struct.unpack(f"<{len(halves)}{kind}", (folder / f"out-{out}/t0-inf-0.bin").read_bytes())
    equal(results["b"], struct.unpack(f"<{len(halves)}e", struct.pack(f"<{len(halves)}e", *results["plain"])), "rounded once")
    for text, message in (("", "no items"), ("- IOName: z\n  Precision: float16\n", "no input or output is called 'z'"),
                          ("- IOName: x\n  Precision: mxint8\n", "io.yaml:2: precision 'mxint8'"),
                          ("- IOName: x\n  Layout: NCHW\n", "io.yaml:2: 'Layout'"), ("- IOName: x\n", "has no Precision"),
                          ("IOName: x\n", "io.yaml:1: expected")):
        write(folder / "io.yaml", text)
        contains(compiled(folder, "-custom-IO-list-file=io.yaml", code=255).err, message, repr(text))
    contains(compiled(folder, "-custom-IO-list-file=none.yaml", code=255).err, "none.yaml", "no file")


def test_dumps(folder):
    """Files that QAIC_COMPILER_OPTS_UNSUPPORTED asks for, held against the program."""
    layers(folder, count=2)
    words = "-aic-dump-graphs-dir=graphs/ -aic-op-stats-verbosity 2 -aic-dump-dot-files"
    said = run(program("qaic-compile"), "-model=model.onnx", "-aic-binary-dir=b", "-aic-num-cores=3", cwd=folder,
               env={"QAIC_COMPILER_OPTS_UNSUPPORTED": words}).out
    for option in ("-aic-op-stats-verbosity", "-aic-dump-dot-files"):
        contains(said, f"QAIC_COMPILER_OPTS_UNSUPPORTED: {option}: taken, without effect", "the others")
    listed = listing(folder)
    texts = {path.name: path.read_text() for path in (folder / "graphs").iterdir()}
    equal(sorted(texts), ["QAicGraph__ddr_op_summary.log", "QAicGraph__memuse_estimate_final.log",
                          "QAicGraph__op_summary_final.log",
                          "QAicGraph__splitPlan_SplitPlan_IntraCoreSize_final.log"], "files")
    equal(len(texts["QAicGraph__op_summary_final.log"].splitlines()), len(listed["tasks"]), "operations")
    moved = tasks(listed, "dma_in", "dma_out")
    equal(len(texts["QAicGraph__ddr_op_summary.log"].splitlines()), len(moved) + 1, "transfers and their sum")
    memory = texts["QAicGraph__memuse_estimate_final.log"]
    for tag, kinds in (("[VTCM]", ["tile"]), ("[DDR] [shared-alloc Input]", ["input"]), ("[DDR] [no-alloc]", ["constant"])):
        own = [item for item in listed["buffers"] if item["kind"] in kinds and item["alias"] is None]
        equal(memory.count(f" {tag} "), len(own), tag)
    for core in range(3):
        top = max((item["address"] + item["size"] for item in listed["buffers"]
                   if item["memory"] == "vtcm" and item["unit"] == core), default=0)
        used, high = map(float, re.search(rf"^VTCM{core} usage ([\d.]+) MB highwatermark ([\d.]+) MB$", memory,
                                          re.MULTILINE).groups())
        close_to(high, top / 2 ** 20, 0.001, "the highest address")
        true(used <= high + 0.001, f"{used} of {high}")
    splits = texts["QAicGraph__splitPlan_SplitPlan_IntraCoreSize_final.log"].splitlines()
    equal(len(splits), len(listed["groups"]), "groups")
    for line, index in zip(splits, range(len(splits))):
        own = [task for task in computing(listed) if task["group"] == index]
        contains(line, f": {len(own)} tiles on {len({task['unit'] for task in own})} cores", line)


def test_statistics(folder):
    """The old spelling is taken for level 70, and said; negative levels are levels."""
    layers(folder, rows=64)
    for words, level in ((["-aic-profiling-type=stats", "-aic-profiling-type=trace"], 70),
                         (["-aic-profiling-format", "ascii"], 70), (["-stats-level=-1"], -1), (["-stats-level", "57"], 57)):
        said = compiled(folder, *words).out
        equal("taken for -stats-level=70" in said, level == 70, str(words))
        described = segments(folder / "b/programqpc.bin")["networkdesc.bin"]
        mark = b"\x18" + (bytes([level]) if level >= 0 else b"\xff" * 9 + b"\x01")
        true(mark in described, f"{words}: level {level}")
    contains(compiled(folder, "-aic-profiling-type=all", code=255).err, "stats, trace or latency", "type")
    for word in ("", ",3F", "3F,", "3G", "-1", "10000"):
        contains(compiled(folder, f"-aic-pmu-events={word}", code=255).err, "hexadecimal", repr(word))
    for word in ("3f,0x70,200", "1,2,3,4,5,6,7,8"):
        compiled(folder, f"-aic-pmu-events={word}")
    contains(compiled(folder, "-aic-hw-version=1.0", code=255).err, "ai100", "hardware")


def network(folder, nodes, inputs, outputs, weights=()):
    values = [[make_value(name, "f16", dims) for name, dims in some] for some in (inputs, outputs)]
    write(folder / "model.onnx", make_model(make_graph(nodes, *values, list(weights))))


def warned(folder, kind, *words):
    """The warnings of a kind, which come on the standard error."""
    said = compiled(folder, "-aic-perf-warnings", *words)
    lines = said.err.splitlines()
    true(all(line.startswith("AIC WARNING: ") for line in lines), said.err)
    equal(compiled(folder, *words).err, "", "without being asked")
    return [line[len(f"AIC WARNING: {kind}: "):] for line in lines if line.startswith(f"AIC WARNING: {kind}: ")]


def test_warnings_about_cores(folder):
    """Cores without work, and one that has more than others: each with and without its cause."""
    wide = [make_node("Exp", ["x"], ["e"], name="/wide")]
    network(folder, wide, [("x", [3, 4096])], [("e", [3, 4096])])
    compiled(folder, "-aic-num-cores=14")
    idle = 14 - len({task["unit"] for task in computing(listing(folder))})
    if idle:
        contains(warned(folder, "idle-cores", "-aic-num-cores=14")[0], f"{idle} of 14 cores", "idle")
    true(idle > 0, "some have nothing to do")
    equal(warned(folder, "idle-cores", "-aic-num-cores=1"), [], "the only core works")
    network(folder, wide, [("x", [512, 256])], [("e", [512, 256])])
    equal(warned(folder, "imbalance", "-aic-num-cores=2"), [], "both do as much")
    network(folder, [*wide, make_node("CumSum", ["e", "axis"], ["y"], name="/sum")], [("x", [512, 256])],
            [("y", [512, 256])], [make_tensor("axis", "i64", [1], [1])])
    matches("\n".join(warned(folder, "imbalance", "-aic-num-cores=2")), r"^core 0 computes 1\.\d\d times as long", "one")


def test_warnings_about_data(folder):
    """What leaves the local memory and comes back, what is only laid out anew, what the link cannot keep up with."""
    network(folder, [make_node("Exp", ["x"], ["e"]), make_node("CumSum", ["e", "axis"], ["y"], name="/sum")],
            [("x", [512, 256])], [("y", [512, 256])], [make_tensor("axis", "i64", [1], [1])])
    matches("\n".join(warned(folder, "spill")), r"/sum: 'e' \(256 KiB\) left the local memory", "it comes back")
    layers(folder, count=3)
    equal(warned(folder, "spill"), [], "nothing leaves")
    weights = make_tensor("w", "f16", [512, 64], [0.25] * (512 * 64))
    product = make_node("MatMul", ["t", "w"], ["y"], name="/product")
    network(folder, [make_node("Exp", ["t"], ["y"])], [("t", [256, 512])], [("y", [256, 512])])
    equal(warned(folder, "layout"), [], "as it lies")
    network(folder, [product], [("t", [256, 512])], [("y", [256, 64])], [weights])
    matches(warned(folder, "layout")[0], r"^(\d+) tasks only lay out elements anew, \1 of them to or from D32", "D32")
    network(folder, [make_node("Transpose", ["x"], ["t"], name="/turn", perm=[1, 0]), product], [("x", [512, 256])],
            [("y", [256, 64])], [weights])
    contains(warned(folder, "layout")[0], "most for '/turn'", "turned")
    network(folder, [make_node("Exp", ["x"], ["y"])], [("x", [512, 256])], [("y", [512, 256])])
    said = warned(folder, "host-bound")[0]
    link, device = map(float, re.findall(r"([\d.]+) us", said))
    close_to(link, 512 * 256 * 2 / 12.9e9 * 1e6, 0.1, "bytes over the link")
    true(device < link, said)
    halved = warned(folder, "host-bound", "-aic-num-of-instances=2")[0]
    close_to(float(re.search(r"([\d.]+) us", halved)[1]), 2 * link, 0.2, "two instances share it")
    layers(folder, count=8, rows=256, width=512)
    equal(warned(folder, "host-bound", "-aic-num-cores=1"), [], "the device takes longer")


def form(line):
    """A line of metrics without its figures: where they end where they are justified, and what stands around them."""
    if ":\t" in line or re.match(r"[^:]*: [\d,]+( [KM]?B)?$", line):
        return re.sub(r"[\d,]+( [KM]?B)?$", "#", re.sub(r"^VTCM\d+", "VTCM", line))
    ends = tuple(match.end() for match in re.finditer(r"[\d,]+( [KM]?B|%)?", line))
    return re.sub(r" +", " ", re.sub(r"[\d,]+( [KM]?B)?", "#", line)), ends


def test_metrics_have_the_published_form(folder):
    """Every line has its like, labels, tabs and columns, in what SDK 1.12 printed of another network."""
    published = shared("data/qaic/perf-metrics-sdk-1.12-amber-decode.txt").read_text().splitlines()
    known = {form(line) for line in published}
    layers(folder, count=3, rows=4096, width=128)
    lines = compiled(folder, "-aic-perf-metrics", "-multicast-weights").out.splitlines()
    lines = lines[lines.index("Compile started ............... ") + 1:]
    equal([line for line in lines if form(line) not in known and not line.startswith("Generated")], [], "other forms")
    order = [form(line) for line in published]
    places = [order.index(form(line)) for line in lines if line in published]
    equal(places, sorted(places), "order")


def test_metrics_are_those_of_the_program(folder):
    layers(folder, count=3, rows=4096, width=128)
    text = compiled(folder, "-aic-perf-metrics", "-multicast-weights", "-aic-num-cores=4").out
    listed = listing(folder)

    def bytes_of(operand):
        count = 1
        for length in operand["size"]:
            count *= length
        return 2 * count  # of halves

    traffic = {}
    for task in tasks(listed, "dma_in", "dma_out", "multicast"):
        near = [operand for operand in task["operands"] if listed["buffers"][operand["buffer"]]["memory"] == "vtcm"]
        core = listed["buffers"][near[0]["buffer"]]["unit"]
        key = (core, task["engine"])
        traffic[key] = traffic.get(key, 0) + bytes_of(task["operands"][0])
    for label, engine in (("DDR traffic  read", "dma_in"), ("DDR traffic write", "dma_out"), ("MC  traffic write", "multicast")):
        shown = {int(core): int(size) for core, size in re.findall(rf"c(\d\d): {label}: +(\d+) KB", text)}
        equal(shown, {core: traffic.get((core, engine), 0) // 1024 for core in range(4)}, label)
    macs = 3 * 4096 * 128 * 128
    contains(text, f"Original MAC estimate: {macs:,}\n", "MACs")
    hmx, other = (int(re.search(rf"AIC {name} MAC estimate: ([\d,]+)\n", text)[1].replace(",", "")) for name in
                  ("HMX", "non-HMX"))
    true(hmx + other >= macs and (other == macs or hmx >= macs), f"{hmx} and {other} of {macs}")
    contains(text, f"         524,288                    6  100%\n", "operators")
    contains(text, f"final constants size: {3 * 128 * 128 * 2} B\n", "constants")
    equal(re.findall(r"VTCM(\d)Size:", text), ["0", "1", "2", "3"], "cores")
    tops = {}
    for item in listed["buffers"]:
        if item["memory"] == "vtcm":
            tops[item["unit"]] = max(tops.get(item["unit"], 0), item["address"] + item["size"])
    for core, top in tops.items():
        size = f"{top} B" if top < 100000 else f"{top // 1024} KB"
        contains(text, f"VTCM{core}Size:\t{size}\n", "memory")


def test_options_it_does_not_know(folder):
    layers(folder, rows=64)
    equal(compiled(folder, "-nonsense", code=255).err,
          "Invalid option -nonsense. Use -h, -help, or --help for list of options.\n", "message")
    equal(compiled(folder, "--nonsense=3", code=255).err,
          "Invalid option --nonsense. Use -h, -help, or --help for list of options.\n", "message")


if __name__ == "__main__":
    main()
