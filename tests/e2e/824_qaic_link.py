"""The link between the host and a device: inputs and outputs take their time on it, and statistics have the waits."""
import math
import struct

from support import *
from onnx_writer import *
from onnx_decoder import decoder

CLOCK, SETUP = 1450e6, 1500
BUFFER = "aic-profiling-program-0-activation-0-inf-0-{}-aiccyclecounts.bin"


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def network(folder, rows=512):
    dims = [rows, 256]
    nodes = [make_node("Add", ["a", "b"], ["s"]), make_node("Relu", ["s"], ["r"]), make_node("Neg", ["b"], ["n"])]
    return write(folder / "m.onnx", make_model(make_graph(
        nodes, [make_value("a", "f32", dims), make_value("b", "f32", dims)],
        [make_value("r", "f32", dims), make_value("n", "f32", dims)])))


def spans(folder, *settings, name="p"):
    """Of each lane, start and end in cycles, and the value."""
    path = folder / f"{name}.opx"
    opscope("compile", folder / "m.onnx", "-t", "aic100", *(word for item in settings for word in ("--set", item)),
            "-o", path)
    opscope("run", path, "--device", "sim", "--timing-only", "--profile", folder / f"{name}.prof")
    opscope("convert", folder / f"{name}.prof", "-o", folder / f"{name}.json")
    events = json.loads((folder / f"{name}.json").read_text())
    lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["name"] == "thread_name"}
    found = {}
    for event in events:
        if event["ph"] == "X":
            start, end = event["ts"], event["ts"] + event["dur"]
            lane = lanes[event["pid"], event["tid"]]
            found.setdefault(lane, []).append(
                (round(start * CLOCK / 1e6), round(end * CLOCK / 1e6), event.get("args", {}).get("value")))
    return found


def near(a, b, what):
    true(abs(a - b) <= 2, f"{what}: {a} cycles instead of {b}")  # times of traces are nanoseconds


def test_inputs_and_outputs_take_their_time(folder):
    network(folder)
    size = 512 * 256 * 4
    for rate in (12.9e9, 1e9):
        found = spans(folder, f"link.rate={rate / 1e9} GB/s", name=f"p{rate:.0f}")
        each = math.ceil(size * CLOCK / rate)
        inputs, outputs = found["LINK IN"], found["LINK OUT"]
        equal([value for _, _, value in inputs], ["a", "b"], "inputs")
        equal(sorted(value for _, _, value in outputs), ["n", "r"], "outputs")
        near(inputs[0][0], SETUP, "the first begins")
        near(inputs[0][1], SETUP + each, "and is there")
        near(inputs[1][0], inputs[0][1], "the second follows")
        near(inputs[1][1], SETUP + 2 * each, "and is there")
        there = {value: end for _, end, value in inputs}
        reads = [span for lane, items in found.items() if lane.startswith("DMA in") for span in items]
        true(any(value in there for _, _, value in reads), "inputs are read")
        for start, _, value in reads:
            true(value not in there or start >= there[value] - 2, f"{value} is read before it is there")
        written = {}
        for lane, items in found.items():
            for _, end, value in items if lane.startswith("DMA out") else []:
                written[value] = max(written.get(value, 0), end)
        for start, end, value in outputs:
            true(start >= written[value] + SETUP - 2, f"{value} leaves before it is written")
            near(end - start, each, value)
        near(outputs[0][0], min(written.values()) + SETUP, "the first leaves")
    # The published rules do not know it.
    opscope("run", folder / "p1000000000.opx", "--device", "sim", "--timing-only", "--rules", "public", "--profile",
            folder / "public.prof")
    true("LINK" not in opscope("info", folder / "public.prof").out, "public rules")


def test_a_slower_link_never_ends_sooner(folder):
    network(folder, rows=64)
    ends = []
    for rate in (100, 12.9, 3, 0.5):
        found = spans(folder, f"link.rate={rate} GB/s", name=f"r{rate}")
        ends.append(max(end for items in found.values() for _, end, _ in items))
    equal(ends, sorted(ends), "ends")
    true(ends[0] < ends[-1], "they differ")


def sections(path):
    data = path.read_bytes()
    count = struct.unpack_from("<I", data, 12)[0]
    found = {}
    for i in range(count):
        name = data[56 + 40 * i:72 + 40 * i].rstrip(b"\0").decode()
        item, _, offset, number = struct.unpack_from("<IIQQ", data, 72 + 40 * i)
        found[name] = [data[offset + item * k:offset + item * (k + 1)] for k in range(number)]
    return found


def test_waits_in_the_statistics(folder):
    network(folder)
    words = ("--aic-profiling-type=raw_device_stats", "--aic-profiling-type=latency", "-n", "1")
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-stats-level=70", cwd=folder)
    tool("qaic-runner", "-t", "b", *words, cwd=folder)
    found = sections(folder / BUFFER.format("QAicGraph"))
    bells = [struct.unpack("<IIQ", item) for item in found["doorbells"]]
    equal(sorted(bell[:2] for bell in bells), [(100, 0), (100, 1)], "doorbells")
    size = 512 * 256 * 4
    for port, index, time in bells:
        cycles = SETUP + (index + 1) * math.ceil(size * CLOCK / 12.9e9)
        equal(time, math.floor(cycles * 19.2e6 / CLOCK), f"input {index}")
    waits = [struct.unpack("<QQ", item) for item in found["ports"]]
    most = max(wait for wait, _ in waits)
    true(0 < most <= bells[-1][2], f"waits {most}")
    equal({wait for _, wait in waits}, {0}, "nothing waits for outputs")
    tool("qaic-opstats", "-q", "b", "-i", ".", "-o", "o", "--summary", cwd=folder)
    text = next((folder / "o").iterdir()).read_text()
    equal(int(re.search(r"max input wait ucycles: +(\d+)", text)[1]), most, "the summary's")
    contains(text, "c00t5p100 Host_IO_Port ucycles:", "a line for each port")
    contains(text, "c00t5p101 Host_IO_Port ucycles:", "a line for each port")
    total = re.search(r"total batch ucycles: +(\d+)", text)
    true(int(total[1]) >= bells[-1][2] - 1, "the last output has left")


def test_what_stays_does_not_travel(folder):
    write(folder / "d.onnx", decoder())
    lengths = [f"-onnx-define-symbol={name}" for name in ("batch_size,1", "seq_len,2", "ctx_len,8")]
    for options, inputs in ((["-retained-state"], 2), ([], 6)):
        tool("qaic-compile", "-m=d.onnx", "-aic-binary-dir=b", "-stats-level=50", *lengths, *options, cwd=folder)
        write(folder / "ids.bin", struct.pack("<2q", 1, 2))
        write(folder / "places.bin", struct.pack("<2q", 0, 1))
        tool("qaic-runner", "-t", "b", "-n", "1", "-i", "ids.bin", "-i", "places.bin",
             "--aic-profiling-type=raw_device_stats", cwd=folder)
        bells = [struct.unpack("<IIQ", item) for item in sections(folder / BUFFER.format("QAicGraph"))["doorbells"]]
        equal([bell[:2] for bell in bells], [(100, i) for i in range(inputs)], f"over the link {options}")


def test_a_link_in_a_target_file(folder):
    text = opscope("targets", "aic100", "--file").out
    contains(opscope("targets", "aic100").out, "12.9 GB/s each way", "shown")
    for line, message in (("rate = fast", "not a rate"), ("input = 0", "1 to 65535"), ("width = 3", "no link has"),
                          ("setup = x", "not cycles")):
        write(folder / "t.target", text + f"\n[link]\n{line}\n")
        contains(opscope("targets", folder / "t.target", code=1).err, message, line)


if __name__ == "__main__":
    main()
