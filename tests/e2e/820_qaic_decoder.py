"""Cloud AI's tools with a decoder: a program for each specialization, and a cache that stays on the device."""
import struct

from support import *
from onnx_writer import *
from onnx_decoder import HEADS, LAYERS, VOCABULARY, WIDTH, decoder

CONTEXT, PREFILL, STEPS = 16, 5, 4
TOKENS = [7, 3, 40, 21, 9, 30, 2, 17, 44]
CACHES = [f"past_{what}.{layer}" for layer in range(LAYERS) for what in ("key", "value")]


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def compiled(folder, *options, choices=((PREFILL, CONTEXT), (1, CONTEXT)), code=0):
    write(folder / "decoder.onnx", decoder())
    write(folder / "choices.json", json.dumps({"specializations": [
        {"batch_size": "1", "seq_len": str(seq), "ctx_len": ctx} for seq, ctx in choices]}))
    return tool("qaic-compile", "-model=decoder.onnx", "-aic-binary-dir=b",
                "-network-specialization-config=choices.json", *options, cwd=folder, code=code)


def pieces():
    """Where each inference begins and ends: the first tokens together, then one by one."""
    return [(0, PREFILL)] + [(i, i + 1) for i in range(PREFILL, PREFILL + STEPS)]


def batch(folder, parts, dims=True):
    """A list of inferences as exporters write it."""
    inferences = []
    for number, (start, end) in enumerate(parts):
        files = []
        for name, values in (("input_ids", TOKENS[start:end]), ("position_ids", list(range(start, end)))):
            (folder / "io").mkdir(exist_ok=True)
            write(folder / f"io/{name}-{number}.raw", struct.pack(f"<{end - start}q", *values))
            files.append({"path": f"io/{name}-{number}.raw", "io-direction": "in", "elem-size": 8, "map-to": name})
            if dims:
                files[-1]["dims"] = [1, end - start]
        files.append({"path": "io/logits.raw", "io-direction": "out", "elem-size": 4, "map-to": "logits"})
        inferences.append(files)
    return write(folder / "list.json", json.dumps({"IO-files": inferences}))


def logits(data):
    numbers = struct.unpack(f"<{len(data) // 4}f", data)
    return [numbers[i:i + VOCABULARY] for i in range(0, len(numbers), VOCABULARY)]


def by_hand(folder, parts):
    """The same loop by the plain executor, with the cache carried from file to file."""
    rows = []
    size = HEADS * CONTEXT * WIDTH // HEADS
    for name in CACHES:
        write(folder / f"{name}.bin", bytes(4 * size))
    for start, end in parts:
        outputs = [folder / "logits.bin", *(folder / f"{name}.next.bin" for name in CACHES)]
        ids = ",".join(map(str, TOKENS[start:end]))
        places = ",".join(map(str, range(start, end)))
        opscope("infer", folder / "decoder.onnx", "--plain", "--define-symbol", "batch_size,1", "--define-symbol",
                f"seq_len,{end - start}", "--define-symbol", f"ctx_len,{CONTEXT}", "--input",
                f"input_ids=1x{end - start}xi64={ids}", "--input", f"position_ids=1x{end - start}xi64={places}",
                *(word for name in CACHES for word in ("--input", f"{name}=@{folder}/{name}.bin")),
                *(word for path in outputs for word in ("-o", path)))
        rows += logits(outputs[0].read_bytes())
        for name in CACHES:
            (folder / f"{name}.next.bin").rename(folder / f"{name}.bin")
    return rows


def run_rows(folder, parts, **options):
    batch(folder, parts, **options)
    tool("qaic-runner", "-t", "b", "--aic-batch-json-input=list.json", "--write-output-dir", "out",
         "--write-output-num-samples", str(len(parts)), cwd=folder)
    found = sorted(path.name for path in (folder / "out").iterdir())
    equal(found, sorted(f"logits-inf-{i}.bin" for i in range(len(parts))), "the cache is not the host's")
    return [row for i in range(len(parts)) for row in logits((folder / f"out/logits-inf-{i}.bin").read_bytes())]


def far(rows, others):
    equal(len(rows), len(others), "rows")
    return max(abs(a - b) for row, other in zip(rows, others) for a, b in zip(row, other))


def test_prefill_and_decode(folder):
    """Piece by piece on the device, by hand, and the whole sequence at once: the same numbers."""
    compiled(folder, "-retained-state")
    rows = run_rows(folder, pieces())
    hand = by_hand(folder, pieces())
    whole = by_hand(folder, [(0, PREFILL + STEPS)])
    true(max(abs(value) for row in rows for value in row) > 0.1, "there is something to compare")
    true(far(rows, hand) < 1e-5, f"by hand: {far(rows, hand)}")
    true(far(rows, whole) < 1e-5, f"the whole: {far(rows, whole)}")
    # Without what stays the steps know nothing of what was before them.
    alone = by_hand(folder, [(PREFILL, PREFILL + 1)])
    true(far(rows[PREFILL:PREFILL + 1], alone) > 1e-3, "the cache matters")


def test_sizes_tell_the_specialization(folder):
    compiled(folder, "-retained-state", "-stats-level=70")
    batch(folder, pieces(), dims=False)
    (folder / "s").mkdir()
    tool("qaic-runner", "-t", "b", "--aic-batch-json-input=list.json", "--aic-profiling-type=raw_device_stats",
         "--aic-profiling-type=latency", "--aic-profiling-out-dir=s", "--aic-profiling-num-samples=3", cwd=folder)
    names = sorted(path.name for path in (folder / "s").glob("*.bin"))
    equal([name.split("-")[7:9] for name in names],
          [["0", "QAicGraph_specialization0"], ["1", "QAicGraph_specialization1"],
           ["2", "QAicGraph_specialization1"]], "buffers")
    tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "o", "--summary", cwd=folder)
    totals = [int(re.search(r"total batch ucycles: +(\d+)", path.read_text())[1])
              for path in sorted((folder / "o").iterdir())]
    equal(totals[1], totals[2], "steps alike")
    true(totals[0] > totals[1], "the first tokens take longer than one")
    rows = (folder / "s/aic-profiling-program-0-latency.txt").read_text().splitlines()[5:]
    true(float(rows[0].split(",")[2]) > float(rows[1].split(",")[2]), "latency of each")


def test_a_plain_network_of_specializations(folder):
    """Without state: a program for each, chosen by what comes; random inputs run them one after the other."""
    nodes = [make_node("Relu", ["x"], ["y"])]
    write(folder / "m.onnx", make_model(make_graph(nodes, [make_value("x", "f32", ["n", 4])],
                                                   [make_value("y", "f32", ["n", 4])])))
    write(folder / "c.json", '{"specializations": [{"n": 2}, {"n": "3"}]}')
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-network-specialization-config=c.json", cwd=folder)
    tool("qaic-runner", "-t", "b", "-n", "3", "--write-output-dir", "r", "--write-output-num-samples", "3", cwd=folder)
    equal([(folder / f"r/y-inf-{i}.bin").stat().st_size for i in range(3)], [32, 48, 48], "outputs")
    write(folder / "x.bin", struct.pack("<12f", *(i - 6 for i in range(12))))
    tool("qaic-runner", "-t", "b", "-n", "1", "-i", "x.bin", "--write-output-dir", "o", cwd=folder)
    equal(struct.unpack("<12f", (folder / "o/y-inf-0.bin").read_bytes()), tuple(max(0, i - 6) for i in range(12)), "y")
    write(folder / "x.bin", bytes(5))
    contains(tool("qaic-runner", "-t", "b", "-n", "1", "-i", "x.bin", cwd=folder, code=1).err, "x.bin", "no such size")


def test_wrong_use(folder):
    write(folder / "decoder.onnx", decoder())
    words = ("-model=decoder.onnx", "-aic-binary-dir=b", "-network-specialization-config=c.json")
    for text, message in (('{"specializations": [{"batch_size": {"value": 1}}]}', "'batch_size' is an object"),
                          ('{"specializations": [{"batch_size": [1]}]}', "'batch_size' is an array"),
                          ('{"specializations": [{"batch_size": "x"}]}', "is no length"),
                          ('{"specializations": [{"batch_size": 0}]}', "is no length"),
                          ('{"specializations": [3]}', "specialization 0 is a number"),
                          ('{"specializations": []}', "1 to 1024"), ('{', "c.json: byte")):
        write(folder / "c.json", text)
        contains(tool("qaic-compile", *words, cwd=folder, code=255).err, message, text)
    write(folder / "c.json", '{"specializations": [{"batch_size": 1, "seq_len": 2, "ctx_len": 8, "width": 3}]}')
    contains(tool("qaic-compile", *words, cwd=folder, code=255).err, "no dimension is called 'width'", "unknown")
    write(folder / "c.json", '{"specializations": [{"batch_size": 1, "seq_len": 2}]}')
    contains(tool("qaic-compile", *words, cwd=folder, code=255).err, "specialization 0", "a length that is missing")
    contains(compiled(folder, "-retained-state", choices=((2, 8), (1, 16)), code=255).err, "stays on the device as",
             "caches of two sizes")
    compiled(folder, "-retained-state")
    for text, message in (('{}', "IO-files"), ('{"IO-files": [3]}', "no list of files"),
                          ('{"IO-files": [[{"path": "x"}]]}', "io-direction"),
                          ('{"IO-files": [[{"path": "x", "io-direction": "in"}]]}', "map-to"),
                          ('{"IO-files": [[{"path": "x", "io-direction": "in", "map-to": "input_ids"}]]}', "x")):
        write(folder / "l.json", text)
        contains(tool("qaic-runner", "-t", "b", "--aic-batch-json-input=l.json", cwd=folder, code=1).err, message, text)
    batch(folder, [(0, 3)])
    contains(tool("qaic-runner", "-t", "b", "--aic-batch-json-input=list.json", cwd=folder, code=1).err,
             "fit none of the specializations", "a length that nothing was compiled for")
    nodes = [make_node("Relu", ["x"], ["y_RetainedState"])]
    write(folder / "m.onnx", make_model(make_graph(nodes, [make_value("x", "f32", [4])],
                                                   [make_value("y_RetainedState", "f32", [4])])))
    contains(tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-retained-state", cwd=folder, code=255).err,
             "there is no input 'y'", "state that nothing reads")


if __name__ == "__main__":
    main()
