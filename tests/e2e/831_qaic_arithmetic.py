"""Every number of a summary, calculated anew from the bytes of the buffer and of the container."""
import math
import struct

from support import *
from onnx_values import varint_at
from onnx_writer import *
from qaic_container import segments

BUFFER = "aic-profiling-program-0-activation-0-inf-0-QAicGraph-aiccyclecounts.bin"
ROW = "%-4s%9s%12s%12s%12s%7s%12s%12s%12s%15s  %s"


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def fields_of(data):
    """Numbers and values of a protobuf message: integers, and bytes of what has a length."""
    at = 0
    while at < len(data):
        key, at = varint_at(data, at)
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            value, at = varint_at(data, at)
            yield key >> 3, value
            continue
        if size is None:
            size, at = varint_at(data, at)
        yield key >> 3, data[at:at + size]
        at += size


class Network:
    """The descriptor (docs/formats/qaic.md): operations by core, group and ordinal."""

    def __init__(self, path):
        fields = {}
        for number, value in fields_of(segments(path)["networkdesc.bin"]):
            fields.setdefault(number, []).append(value)
        self.cores, self.threads = fields[7][0], fields[8][0]
        self.groups = numbers(fields[10])
        self.names = [name.decode() for name in fields[13]]
        stats = dict(fields_of(fields[12][0]))
        self.batch = stats.get(7, 1)
        tables = [value for number, value in fields_of(fields[12][0]) if number == 12]
        self.operations = [[[operation(item) for _, item in fields_of(group)] for _, group in fields_of(core)]
                           for core in tables]


def numbers(values):
    """Packed or not."""
    found = []
    for value in values:
        at = 0
        while not isinstance(value, int) and at < len(value):
            number, at = varint_at(value, at)
            found.append(number)
        found += [value] if isinstance(value, int) else []
    return found


def operation(data):
    found = dict(fields_of(data))
    kind, type_, memory = (found.get(number, b"").decode() for number in (2, 3, 4))
    return kind, memory, type_, found.get(7, 0)


class Buffer:
    def __init__(self, path):
        data = path.read_bytes()
        count = struct.unpack_from("<I", data, 12)[0]
        self.frequency = struct.unpack_from("<Q", data, 48)[0]
        found = {}
        for i in range(count):
            name, size, _, offset, items = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
            found[name.rstrip(b"\0").decode()] = [data[offset + size * k:offset + size * (k + 1)] for k in range(items)]
        self.threads = [struct.unpack("<4Q", item) for item in found["threads"]]
        self.ports = [struct.unpack("<2Q", item) for item in found["ports"]]
        self.operations = [struct.unpack("<IHHIIQQQII", item) for item in found["operations"]]


def two(value):
    return f"{value:.2f}"


def longest(network, buffer, core):
    """Of each operation that ran, the most that any thread took of each time."""
    found = {}
    for own, _, group, ordinal, _, start, end, pcycles, sync, barrier in buffer.operations:
        if own == core:
            before = found.get((group, ordinal), (0, 0, 0, 0))
            found[group, ordinal] = tuple(map(max, before, (end - start, pcycles, sync, barrier)))
    return found


def rows(network, buffer, core, ucycles, pcycles):
    """(ucycles, details, cells) of each line; a deviation is a number, which rounding may change."""
    kinds, waits = {}, {}
    for (group, ordinal), (ticks, cycles, sync, barrier) in longest(network, buffer, core).items():
        kind, memory, type_, size = network.operations[core][group][ordinal]
        details = f"{kind} {network.names[group]} {memory} " + (f"({type_})" if type_ else "")
        kinds.setdefault(details, []).append((ticks, cycles, size))
        for name, wait in (("sync", sync), ("barrier", barrier)):
            if wait > 0:
                waits.setdefault(f"{name} {network.names[group]}", []).append(wait)
    for details, items in kinds.items():
        ticks, cycles, size = map(sum, zip(*items))
        kb = size / 1024
        ratios = [own / (bytes_ / 1024) if bytes_ else 0 for _, own, bytes_ in items]
        mean = math.fsum(ratios) / len(ratios)
        deviation = math.sqrt(math.fsum((ratio - mean) ** 2 for ratio in ratios) / len(ratios))
        per_kb = [two(ticks / kb), two(cycles / kb), deviation] if kb else ["N/A"] * 3
        yield ticks, details, [two(100 * ticks / ucycles) + "%", str(cycles), two(100 * cycles / pcycles) + "%", str(len(items)),
                               two(kb), *per_kb]
    for details, items in waits.items():
        yield sum(items), details, [two(100 * sum(items) / ucycles) + "%", "N/A", "N/A", str(len(items)), *["N/A"] * 4]


def check_rows(lines, network, buffer, core, ucycles, pcycles):
    want = sorted(rows(network, buffer, core, ucycles, pcycles), key=lambda row: (-row[0], row[1]))
    equal(len(lines), len(want), f"rows of core {core}")
    for line, (ticks, details, cells) in zip(lines, want):
        shown = line.split()
        if isinstance(cells[-1], float):
            true(abs(float(shown[9]) - cells[-1]) <= 0.006 + 1e-6 * cells[-1], f"deviation {cells[-1]} of {line}")
            cells[-1] = shown[9]
        equal(line, ROW % (f"c{core}", ticks, *cells, details), f"a row of core {core}")


def check_threads(text, network, buffer, core):
    busy = {}
    for own, thread, *_, pcycles, _, _ in buffer.operations:
        if own == core:
            busy[thread] = busy.get(thread, 0) + pcycles
    for thread in range(network.threads):
        start, end, pcycles, activation = buffer.threads[core * network.threads + thread]
        name = network.names[network.groups[thread]]
        for line in ("c%d    t%d %-8s%16d ucycles [%d, %d]%16d pcycles%7.2f%% utilization" % (
                core, thread, name, end - start, start, end, pcycles, 100 * busy.get(thread, 0) / pcycles),
                     "c%02dt%d batch ucycles:%17d [%d,%d]    pcycles:%16d " % (core, thread, end - start, start, end, pcycles),
                     "c%02dt%d activate ucycles:%18d" % (core, thread, activation),
                     *("c%02dt%dp%d Host_IO_Port ucycles:%17d" % (core, thread, port, wait) for port, wait in
                       zip((100, 101), buffer.ports[core * network.threads + thread]))):
            true(f"\n{line}\n" in text, f"'{line}' is a line")


def check_summary(folder, text):
    network, buffer = Network(folder / "b/programqpc.bin"), Buffer(folder / "s" / BUFFER)
    for core in range(network.cores):
        own = buffer.threads[core * network.threads:(core + 1) * network.threads]
        ucycles = max(end - start for start, end, _, _ in own)
        pcycles = max(cycles for _, _, cycles, _ in own)
        listed = [line for line in text.split("\n") if re.match(rf"c{core} +\d+ +[\d.]+%? ", line)]
        check_rows(listed, network, buffer, core, ucycles, pcycles)
        check_threads(text, network, buffer, core)
        span = max(end for _, end, _, _ in own) - min(start for start, *_ in own)
        for line in ("c%d total:%16d ucycles%16d pcycles (thread max)" % (core, ucycles, pcycles),
                     f"c{core}: Total inference pcycle is {pcycles}",
                     f"c{core}: Effective frequency is {pcycles / span * buffer.frequency / 1e6:.2f}MHz"):
            true(f"\n{line}\n" in text, f"'{line}' is a line")
    first, last = min(start for start, *_ in buffer.threads), max(end for _, end, _, _ in buffer.threads)
    seconds = (last - first) / buffer.frequency
    for line in ("total batch ucycles:%17d [%d, %d]" % (last - first, first, last),
                 "[QAicGraph] Device instance batch/s: (1/%g): %g" % (seconds, 1 / seconds),
                 "[QAicGraph] Device instance inf/s: (%d/%g): %g" % (network.batch, seconds, network.batch / seconds),
                 "max input wait ucycles:%18d" % max(wait for wait, _ in buffer.ports),
                 "max output wait ucycles:%17d" % max(wait for _, wait in buffer.ports)):
        true(f"\n{line}\n" in text, f"'{line}' is a line")
    return network


def recorded(folder, *options):
    tool("qaic-compile", "-m=model.onnx", "-aic-binary-dir=b", "-stats-level=70", *options, cwd=folder)
    (folder / "s").mkdir()
    tool("qaic-runner", "-t", "b", "-n", "1", "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=s", cwd=folder)
    tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "o", "--summary", cwd=folder)
    return next((folder / "o").iterdir()).read_text()


def change(folder, operation_of):
    """Each operation of the buffer becomes what the function makes of it."""
    path = folder / "s" / BUFFER
    data = bytearray(path.read_bytes())
    for i in range(struct.unpack_from("<I", data, 12)[0]):
        name, size, _, offset, items = struct.unpack_from("<16sIIQQ", data, 56 + 40 * i)
        for k in range(items if name.startswith(b"operations") else 0):
            at = offset + size * k
            struct.pack_into("<IHHIIQQQII", data, at, *operation_of(k, *struct.unpack_from("<IHHIIQQQII", data, at)))
    path.write_bytes(data)


def test_a_small_network(folder):
    """Products on the matrix unit, a batch of statistics, several tiles for each core."""
    weights = make_tensor("w", "f16", [96, 64], [((i * 37) % 19 - 9) / 16 for i in range(96 * 64)])
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="/block/MatMul"),
             make_node("Softmax", ["p"], ["t"], name="/block/Softmax", axis=-1),
             make_node("Add", ["t", "p"], ["y"], name="/block/Add")]
    write(folder / "model.onnx", make_model(make_graph(
        nodes, [make_value("x", "f16", [512, 96])], [make_value("y", "f16", [512, 64])], [weights])))
    text = recorded(folder, "-aic-num-cores=3", "-ols=4", "-stats-batchsize=8")
    network = check_summary(folder, text)
    equal((network.cores, network.batch), (3, 8), "cores and the batch of statistics")
    contains(text, "aicmatmul HMX", "the matrix unit")


def test_a_real_network(folder):
    shutil.copy(shared("data/models/vit_micro/model.onnx"), folder / "model.onnx")
    text = recorded(folder, "-aic-num-cores=16", "-convert-to-fp16", "-multicast-weights")
    equal(check_summary(folder, text).cores, 16, "cores")
    contains(text, "aicconverttod32", "layouts")


def test_a_buffer_of_any_times(folder):
    """Operations that several threads of a group did, waits on both sides, and none at all: as no simulated card writes."""
    weights = make_tensor("w", "f16", [64, 64], [((i * 37) % 19 - 9) / 16 for i in range(64 * 64)])
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="/m"), make_node("Tanh", ["p"], ["y"], name="/t")]
    write(folder / "model.onnx", make_model(make_graph(
        nodes, [make_value("x", "f16", [256, 64])], [make_value("y", "f16", [256, 64])], [weights])))
    recorded(folder, "-aic-num-cores=2")

    def again(k, core, thread, group, ordinal, number, start, *_):
        ordinal = ordinal // 2 if group == 0 else ordinal  # the same operation again, on another thread
        return (core, thread, group, ordinal, number, start, start + 7 * k % 50, 1000 + 311 * k % 700, k % 3 * 11, k % 4 * 5)
    change(folder, again)
    tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "o", "--summary", cwd=folder)
    text = next((folder / "o").iterdir()).read_text()
    check_summary(folder, text)
    contains(text, " barrier HVX", "barriers")


def busiest(network, buffer, core):
    """Of each group the ticks of its busiest thread."""
    sums = [0] * network.threads
    for own, thread, _, _, _, start, end, *_ in buffer.operations:
        sums[thread] += end - start if own == core else 0
    return {name: max(ticks for thread, ticks in enumerate(sums) if network.groups[thread] == group)
            for group, name in enumerate(network.names)}


def check_report(folder, stragglers):
    page = tool("qaic-opstats", "-q", "b", "-i", "s", "-o", "o", "--report", "--json", "--top", "0", cwd=folder).json()
    network, buffer = Network(folder / "b/programqpc.bin"), Buffer(folder / "s" / BUFFER)
    most = [max(busiest(network, buffer, core).values()) for core in range(network.cores)]
    mean = math.fsum(most) / len(most)
    limit = max(1.5 * mean, mean + math.sqrt(math.fsum((one - mean) ** 2 for one in most) / len(most)))
    equal([core for core, one in enumerate(most) if one > limit], stragglers, "what the buffer was made for")
    for core, row in enumerate(page["cores"]):
        own = busiest(network, buffer, core)
        threads = buffer.threads[core * network.threads:(core + 1) * network.threads]
        span = max(end for _, end, *_ in threads) - min(start for start, *_ in threads)
        sync = sum(item[8] for item in buffer.operations if item[0] == core)
        true(abs(row["busy_ns"] - most[core] * 1e9 / 19.2e6) <= 1, f"busy: {row}")
        true(abs(row["sync_ns"] - sync * 1e9 / 19.2e6) <= 1, f"sync: {row}")
        true(abs(row["of_mean"] - most[core] / mean) < 1e-9, f"of the mean: {row}")
        for key, name in (("hvx", "HVX"), ("hmx", "HMX"), ("dma", "DMAIssue")):
            true(abs(row[key] - own[name] / span) < 1e-9, f"{key}: {row}")
        equal(bool(row["straggler"]), core in stragglers, f"straggler: {row}")
    near = all_ = 0
    for core, _, group, ordinal, *_ in buffer.operations:
        kind, memory, _, size = network.operations[core][group][ordinal]
        all_ += size
        near += size if memory == "TCM" or "copyto" in kind else 0
    stays = next(row for row in page["memory"] if row["figure"] == "stays in VTCM")
    equal(stays["bytes"], near, "what stays in VTCM")
    true(abs(stays["ratio"] - near / all_) < 1e-9, "and of what")
    true(0 < near < all_, "some of it does")


def test_the_report(folder):
    """Cores that take a little longer than the others are no stragglers; one that takes far longer is."""
    weights = make_tensor("w", "f16", [64, 64], [((i * 37) % 19 - 9) / 16 for i in range(64 * 64)])
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="/m"), make_node("Tanh", ["p"], ["y"], name="/t")]
    write(folder / "model.onnx", make_model(make_graph(
        nodes, [make_value("x", "f16", [256, 64])], [make_value("y", "f16", [256, 64])], [weights])))
    recorded(folder, "-aic-num-cores=4")
    network = Network(folder / "b/programqpc.bin")
    for times, stragglers in (((1, 1, 1, 1), []), ((1, 1, 1, 1.7), []), ((1, 2.2, 1, 1), [1])):
        seen = {}

        def one_each(k, core, thread, group, ordinal, number, start, *_, times=times, seen=seen):
            # The first operation of a core on its matrix unit takes as long as is asked for, others a tick.
            first = seen.setdefault((core, group), k) == k and network.names[group] == "HMX"
            ticks = round(10000 * times[core]) if first else 1
            return core, thread, group, ordinal, number, start, start + ticks, 75 * ticks, k % 5, 0
        change(folder, one_each)
        check_report(folder, stragglers)


if __name__ == "__main__":
    main()
