"""Cloud AI's own files in the record: statistics buffers, summaries, traces and containers, by every command."""
import struct

import qaic_files
from support import *
from onnx_writer import *

PUBLISHED = ROOT / "../shared/data/qaic/summary-sdk-1.10.txt"
BUFFER = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph-aiccyclecounts.bin"


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def recorded(folder, *options, level=70, cores=4):
    """Two blocks, compiled and run once: the buffer."""
    weights = [make_tensor(f"w{i}", "f16", [64, 64], [((k * 37 + i) % 19 - 9) / 64 for k in range(4096)])
               for i in range(2)]
    nodes = []
    for i, (source, to) in enumerate((("x", "a"), ("a", "y"))):
        nodes += [make_node("MatMul", [source, f"w{i}"], [f"p{i}"], name=f"/layer.{i}/mlp/MatMul"),
                  make_node("Tanh", [f"p{i}"], [to], name=f"/layer.{i}/Tanh")]
    graph = make_graph(nodes, [make_value("x", "f16", [128, 64])], [make_value("y", "f16", [128, 64])], weights)
    write(folder / "model.onnx", make_model(graph))
    tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=b", f"-stats-level={level}", f"-aic-num-cores={cores}",
         *options, cwd=folder)
    (folder / "s").mkdir(exist_ok=True)
    tool("qaic-runner", "-t", "b", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s", "-n", "1",
         cwd=folder)
    return folder / "s" / BUFFER.format(0)


def records(path):
    """Operations of a buffer, by another reader."""
    data = path.read_bytes()
    for i in range(struct.unpack_from("<I", data, 12)[0]):
        name, size, _, offset, count = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
        if name.rstrip(b"\0") == b"operations":
            return [struct.unpack_from("<IHHIIQQQII", data, offset + size * k) for k in range(count)]
    return []


def ns(ticks):
    return ticks * 10**9 // 19_200_000


def lanes(path, *words):
    about = opscope("info", path, *words, "--json").json()[0]
    return about, {track["name"]: track for track in about["tracks"]}


def test_a_buffer_without_its_program(folder):
    path = recorded(folder)
    items = records(path)
    about = opscope("info", path, "--json").json()[0]
    equal(about["format"], "qaic-raw-stats", "format")
    waits = sum((item[8] > 0) + (item[9] > 0) for item in items)
    equal(about["spans"], len(items) + waits + 4, "an operation, a wait, and the inference of each core")
    contains(opscope("info", path).out, "--qpc", "what is missing is said")
    equal(opscope("operators", path, "--json").json()["operators"], [], "no names")


def test_a_buffer_with_its_program(folder):
    path = recorded(folder)
    items = records(path)
    about = opscope("info", path, "--qpc", folder / "b", "--json").json()[0]
    equal(about["ledger"]["lost"], 0, "lost")
    found = opscope("operators", path, "--qpc", folder / "b/programqpc.bin", "--json").json()
    names = {row["name"]: row for row in found["operators"] if row["name"] != "(no operator)"}  # that: semaphores
    true({"/layer.0/mlp/MatMul", "/layer.1/mlp/MatMul"} <= set(names), f"nodes: {sorted(names)}")
    equal(sum(row["device_ns"] for row in found["operators"]),
          sum(ns(item[6]) - ns(item[5]) for item in items), "time of all operations")
    true(all(row["bound"] in ("compute", "ddr", "multicast", "layout", "sync", "mixed") for row in names.values()),
         "bounds")
    equal(names["/layer.1/mlp/MatMul"]["block"], "/layer.1/mlp", "block")
    blocks = {row["block"]: row["device_ns"] for row in found["blocks"]}
    for block, time in blocks.items():
        equal(time, sum(row["device_ns"] for row in names.values() if row["block"] == block), f"block {block}")
    overview = opscope("overview", path, "--qpc", folder / "b").out
    for words in ("Compute", "core 0 HVX", "core 3 DMAIssue in", "Busiest: core", "Least Busy: core"):
        contains(overview, words, "overview")


def test_conversions(folder):
    path = recorded(folder)
    want = opscope("operators", path, "--qpc", folder / "b", "--json").json()
    spans = opscope("info", path, "--qpc", folder / "b", "--json").json()[0]["spans"]
    for extension in ("prof", "json", "pb"):
        out = folder / f"out.{extension}"
        opscope("convert", path, "--qpc", folder / "b", "-o", out)
        equal(opscope("info", out, "--json").json()[0]["spans"], spans, f"spans of .{extension}")
        if extension != "pb":
            again = opscope("operators", out, "--json").json()
            equal({row["name"]: row["device_ns"] for row in again["operators"] if row["name"] != "(no operator)"},
                  {row["name"]: row["device_ns"] for row in want["operators"] if row["name"] != "(no operator)"},
                  f"operators of .{extension}")
    equal(loss_query(folder / "out.pb"), [], "what Perfetto lost")


def test_another_program_and_low_levels(folder):
    path = recorded(folder)
    for item in (path,):
        tool("qaic-compile", "-model=model.onnx", "-aic-binary-dir=other", "-aic-num-cores=2", cwd=folder)
        contains(opscope("info", item, "--qpc", folder / "other", code=1).err, "another program", "of two cores")
    low = recorded(folder, level=40)
    contains(opscope("info", low, "--qpc", folder / "b").out, "-stats-level=70", "level 40")


def test_damaged_buffers(folder):
    head, found = qaic_files.random_buffer(3)
    whole = head + b"".join(found)
    path = write(folder / "x.bin", whole[:-100])
    ledger = opscope("info", path, "--json", code=3).json()[0]["ledger"]
    equal(ledger["lost"], 3, "two records and a piece of one")
    for size in range(0, len(head), 7):
        opscope("info", write(folder / "x.bin", whole[:size]), code=1)


def test_the_buffer_of_a_card(folder):
    """Its layout is not public: it is known by its name, whatever its bytes look like."""
    for content in (bytes(range(256)) * 8, b"\x0a\x02\x08\x01" * 50):
        path = write(folder / BUFFER.format(213), content)
        for command in (["info"], ["operators"], ["convert", "-o", folder / "x.pb"]):
            said = opscope(command[0], path, *command[1:], code=1).err
            contains(said, "not public", str(command))
            contains(said, "summary or the trace", str(command))


def check_summary(path, text):
    """Every row of the file, by another reader, is a span of as many ucycles."""
    found = opscope("operators", path, "--json").json()
    times = {}
    for line in text.splitlines():
        match = re.match(r"c\d+ +(\d+) +\S+ +\S+ +\S+ +\S+ +\S+ +\S+ +\S+ +\S+  (.*)", line)
        if match and not match[2].startswith(("sync", "barrier")):
            times.setdefault(match[2].strip(), []).append(int(match[1]))
    equal(set(row["name"] for row in found["operators"]), set(times), "kinds of work")
    for row in found["operators"]:
        want = sum(times[row["name"]]) * 1e9 / 19.2e6
        true(abs(row["device_ns"] - want) <= len(times[row["name"]]) + 1, f"{row['name']}: {row['device_ns']}, {want}")


def test_summaries(folder):
    for name, text in (("1.10", qaic_files.summary(5)), ("1.21", qaic_files.summary(6, 16, "decode"))):
        path = write(folder / f"{name}.txt", text)
        check_summary(path, text)
        about = opscope("info", path, "--json").json()[0]
        equal((about["format"], about["ledger"]["lost"]), ("qaic-summary", 0), name)
    # Sums say nothing of what was done at the same time.
    rows = opscope("overview", path).out
    true("Overlap" not in rows and "Compute Only" not in rows, rows)
    contains(rows, "core 15 HMX", "cores")


def test_the_published_summary(folder):
    if not PUBLISHED.exists():
        skip(f"{PUBLISHED} is not here")
    check_summary(PUBLISHED, PUBLISHED.read_text())
    contains(opscope("overview", PUBLISHED).out, "23.160ms", "as long as its batch")
    for extension in ("prof", "pb", "json"):
        opscope("convert", PUBLISHED, "-o", folder / f"x.{extension}")
        equal(opscope("info", folder / f"x.{extension}", "--json").json()[0]["spans"], 66, extension)


def test_traces(folder):
    """By the published lists of fields; no whole trace of a card is public."""
    for sdk in ("1.10", "1.12", "1.21"):
        path = write(folder / f"{sdk}.json", json.dumps({"traceEvents": qaic_files.trace(sdk)}))
        about, _ = lanes(path)
        equal(about["format"], "qaic-trace", sdk)
        equal((about["spans"], about["ledger"]["lost"]), (96, 0), sdk)
        found = opscope("operators", path, "--json").json()
        equal(len(found["operators"]), 6, f"{sdk}: nodes, without the numbers of what was made of them")
        equal(sum(row["device_ns"] for row in found["operators"]), 48 * 10_000, f"{sdk}: time")
        equal(found["spans_without_operator"], 48, f"{sdk}: waits")
        equal({row["block"] for row in found["blocks"]}, {f"/layer.{i}/attn" for i in range(3)}, f"{sdk}: blocks")
        overview = opscope("overview", path, "--json").json()
        times = {row["name"]: row for process in overview for row in process["metrics"]}
        true("Wait" in times and "Compute" in times and "Transfer" in times, f"{sdk}: {sorted(times)}")


def test_our_own_trace(folder):
    """A trace of our qaic-opstats is read as what its buffer says."""
    path = recorded(folder)
    tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "out", "--trace", "--flow-events", "full",
         "--merge-thread-groups", "false", cwd=folder)
    trace = next((folder / "out").iterdir())
    want = opscope("operators", path, "--qpc", folder / "b", "--json").json()
    got = opscope("operators", trace, "--json").json()
    equal({row["name"]: row["spans"] for row in got["operators"]},
          {row["name"]: row["spans"] for row in want["operators"]}, "spans")
    for row in got["operators"]:
        other = next(one for one in want["operators"] if one["name"] == row["name"])
        true(abs(row["device_ns"] - other["device_ns"]) <= row["spans"], f"{row} {other}")


def test_containers(folder):
    recorded(folder, "-ddr-stats")
    text = opscope("info", folder / "b/programqpc.bin").out
    contains(text, "made by: qaic-compile -model=model.onnx", "how it was made")
    contains(text, "4 cores of 6 threads", "cores")
    found = opscope("info", folder / "b/programqpc.bin", "--json").json()[0]
    contains(found["command"], "-ddr-stats", "command")
    equal([(one["name"], one["stats_level"]) for one in found["networks"]], [("QAicGraph", 70)], "networks")
    equal(sum(row["operations"] for row in found["operations"]), len(records(folder / "s" / BUFFER.format(0))),
          "operations of all cores")
    true("networkdesc.bin" in {row["segment"] for row in found["segments"]}, "segments")
    contains(opscope("operators", folder / "b/programqpc.bin", code=1).err, "opscope info", "not a profile")
    write(folder / "cut.bin", (folder / "b/programqpc.bin").read_bytes()[:200])
    opscope("info", folder / "cut.bin", code=1)


if __name__ == "__main__":
    main()
