"""What files of Cloud AI's tools say of themselves, and what is read from them again: modelled times, sums that have no
order, what a cut buffer lost, what the host computed, names that say no type."""
from support import *
from onnx_writer import *
import qaic_files

BUFFER = "aic-profiling-program-0-activation-0-inf-0-QAicGraph-aiccyclecounts.bin"
SUMMARY = "o/aic-profiling-program-0-activation-0-inf-0-QAicGraph.qaic-opstats.summary.txt"
TRACE = "o/aic-profiling-program-0-activation-0-inf-0-QAicGraph.qaic-opstats.trace.json"


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def recorded(folder, *types):
    """Two products that the card computes, and a resize in f32 that it leaves to the host."""
    weights = [make_tensor(f"w{i}", "f16", [64, 64], [((k * 37 + i) % 19 - 9) / 64 for k in range(4096)])
               for i in range(2)]
    scales = make_tensor("scales", "f32", [4], [1.0, 1.0, 2.0, 2.0])
    nodes = [make_node("MatMul", ["x", "w0"], ["p0"], name="first.product"),
             make_node("MatMul", ["p0", "w1"], ["y"], name="/second/MatMul"),
             make_node("Resize", ["image", "", "scales"], ["larger"], name="/up/Resize")]
    graph = make_graph(nodes, [make_value("x", "f16", [128, 64]), make_value("image", "f32", [1, 4, 16, 16])],
                       [make_value("y", "f16", [128, 64]), make_value("larger", "f32", [1, 4, 32, 32])],
                       [*weights, scales])
    write(folder / "model.onnx", make_model(graph, opset=13))
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=b", "-stats-level=70", "-aic-num-cores=4", cwd=folder)
    for name in ("s", "o"):
        (folder / name).mkdir()
    for kind in types or ["raw_device_stats"]:
        tool("qaic-runner", "-t", "b", f"--aic-profiling-type={kind}", "--aic-profiling-out-dir=s", "-n", "1", cwd=folder)
    return folder


def opstats(folder, source="s", code=0):
    return tool("qaic-opstats", "-q", "b", "-i", source, "-o", "o", "--summary", "--trace", cwd=folder, code=code)


def lanes(path):
    return {track["name"]: track for track in opscope("info", path, "--json").json()[0]["tracks"]}


def test_modelled_times_of_the_runner(folder):
    """Also of lanes without work; the host's are measured."""
    recorded(folder, "trace")
    found = lanes(folder / "s/aic-profiling-program-0-trace.json")
    device = [track for name, track in found.items() if name.startswith("QAicGraph_")]
    true(len(device) > 8, "lanes of the card")
    equal({track["provenance"] for track in device}, {"modelled"}, "the card")
    equal(found["execToComplete"]["provenance"], "measured", "the host")


def test_times_of_runner_and_summary_agree(folder):
    recorded(folder, "latency", "raw_device_stats")
    opstats(folder)
    row = re.search(r"(?m)^ +0, .*$", (folder / "s/aic-profiling-program-0-latency.txt").read_text())[0]
    ticks = int(re.search(r"total batch ucycles:\s+(\d+)", (folder / SUMMARY).read_text())[1])
    equal(row.split(", ")[2], f"{ticks / 19.2:.3f}", "devExecUs")


def test_a_trace_tells_in_from_out(folder):
    """As the buffer does: a DMA's lane has both."""
    recorded(folder)
    opstats(folder)
    both = []
    for words in ([folder / TRACE], [folder / "s" / BUFFER, "--qpc", folder / "b/programqpc.bin"]):
        copy = folder / f"{len(both)}.prof"
        opscope("convert", *words, "-o", copy)
        rows = opscope("top", copy, "--by", "role", "--top", "0", "--json").json()["spans"]
        both.append({row["label"]: row["total_ns"] for row in rows if row["label"].startswith("transfer")})
    equal(sorted(both[0]), ["transfer in", "transfer out"], "roles")
    for role in both[0]:
        true(abs(both[0][role] - both[1][role]) <= 60 * 1000, f"{role}: {both}")
    equal([note for note in opscope("info", folder / TRACE, "--json").json()[0]["ledger"]["notes"]
           if "call stack" in note["text"]], [], "waits side by side are no broken stack")


def test_sums_have_no_critical_path(folder):
    """What is as long as the inference, and no answer where a summary has none."""
    path = write(folder / "summary.txt", qaic_files.summary())
    contains(opscope("explain", path).out, "There are sums alone")
    equal(opscope("explain", path, "--json").json()["length_ns"], 0, "no path")
    contains(opscope("whatif", path, "--faster", "a*=2x", code=1).err, "has sums alone")
    opscope("report", path, "-o", folder / "page.html")
    recorded(folder)
    opstats(folder)
    ticks = int(re.search(r"total batch ucycles:\s+(\d+)", (folder / SUMMARY).read_text())[1])
    info = opscope("info", folder / SUMMARY, "--json").json()[0]
    equal(info["last_ns"] - info["first_ns"], int(ticks * 1e9 / 19.2e6), "as long as the inference")


def test_a_cut_buffer_shows(folder):
    """In everything that is made of it."""
    recorded(folder)
    (folder / "cut").mkdir()
    data = (folder / "s" / BUFFER).read_bytes()
    write(folder / "cut" / BUFFER, data[:-48 * 3])
    said = opstats(folder, "cut", code=3)
    lost = int(re.search(r"(\d+) operations are lost", said.err)[1])
    true(lost > 0, "lost")
    contains((folder / SUMMARY).read_text(), f"opscope: the buffer was cut off: {lost} operations are lost")
    for path in (SUMMARY, TRACE):
        equal(opscope("info", folder / path, "--json", code=3).json()[0]["ledger"]["lost"], lost, path)
    contains(tool("qaic-opstats", "-q", "b", "-i", "cut", "--report", cwd=folder, code=3).out, f"{lost} operations are lost")


def test_what_the_host_computes_is_named(folder):
    recorded(folder)
    opstats(folder)
    matches((folder / SUMMARY).read_text(), r"(?m)^opscope: host computes /up/Resize: \d+\.\d{3} us \(modelled\)$")
    notes = opscope("info", folder / "s" / BUFFER, "--qpc", folder / "b/programqpc.bin", "--json").json()[0]["ledger"]["notes"]
    true(any("'/up/Resize' is computed by the host" in note["text"] for note in notes), "a remark")
    contains(tool("qaic-opstats", "-q", "b", "-i", "s", "--report", cwd=folder).out, "host computes /up/Resize")


def test_a_name_that_is_no_type(folder):
    """The kind of work stands for it."""
    recorded(folder)
    found = opscope("operators", folder / "s" / BUFFER, "--qpc", folder / "b/programqpc.bin", "--json").json()
    types = {row["name"]: row["type"] for row in found["operators"] if row["name"]}
    equal(types["/second/MatMul"], "MatMul", "said by the name")
    matches(types["first.product"], r"^aic")


def test_options_without_effect_are_told(folder):
    recorded(folder)
    said = tool("qaic-runner", "-t", "b", "-n", "1", "--aic-profiling-num-samples=2", cwd=folder).err
    contains(said, "--aic-profiling-num-samples: has no effect")
    contains(tool("qaic-runner", "-t", "b", "-n", "1", "-D", "0:1", cwd=folder).err, "the program is for 1")


def test_a_batch_of_one_is_usual(folder):
    """Where the file leaves it open; another open length has an option of this tool's."""
    weights = [make_tensor("w", "f16", [32, 16], [0.5] * 512)]
    for name, dims in (("n", ["n", 32]), ("rows", [2, "rows", 32])):
        graph = make_graph([make_node("MatMul", ["x", "w"], ["y"])], [make_value("x", "f16", dims)],
                           [make_value("y", "f16", [*dims[:-1], 16])], weights)
        write(folder / f"{name}.onnx", make_model(graph))
    tool("qaic-compile", "-model=n.onnx", "-aic-binary-dir=n", cwd=folder)
    said = tool("qaic-compile", "-model=rows.onnx", "-aic-binary-dir=r", cwd=folder, code=255).err
    contains(said, "use -onnx-define-symbol=rows,N")
    true("--shape" not in said, said)


main()
