"""Several devices: a network spread over all of them, or layer by layer, with what goes between them."""
import struct

from support import *
from onnx_writer import *
from onnx_decoder import decoder
from qaic_container import segments

CORES = 16


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def network(folder, layers=2, rows=256, width=256):
    """Products with an activation each: /layer0/MatMul, /layer0/Relu ..."""
    nodes, weights, value = [], [], "x"
    for i in range(layers):
        numbers = [((k * 37 + i) % 19 - 9) / 64 for k in range(width * width)]
        weights.append(make_tensor(f"w{i}", "f32", [width, width], numbers))
        nodes += [make_node("MatMul", [value, f"w{i}"], [f"p{i}"], name=f"/layer{i}/MatMul"),
                  make_node("Relu", [f"p{i}"], [f"r{i}"], name=f"/layer{i}/Relu")]
        value = f"r{i}"
    return write(folder / "m.onnx", make_model(make_graph(
        nodes, [make_value("x", "f32", [rows, width])], [make_value(value, "f32", [rows, width])], weights)))


def partitions(folder, *parts, kind="p2p"):
    """Of each partition its devices, and its nodes or None."""
    listed = []
    for number, (devices, nodes) in enumerate(parts):
        listed.append({"name": f"Partition{number}", "devices": [{"deviceId": d, "numCores": CORES} for d in devices]})
        if nodes is not None:
            listed[-1]["nodeList"] = nodes
    every = [device for devices, _ in parts for device in devices]
    return write(folder / "mdp.json", json.dumps({"connections": [{"devices": every, "type": kind}],
                                                  "partitions": listed}))


def extracted(folder, name="b"):
    """The program of a container, as a file of its own."""
    return write(folder / f"{name}.opx", segments(folder / name / "programqpc.bin")["opscope.opx"])


def compiled(folder, *options, name="b"):
    tool("qaic-compile", "-m=m.onnx", f"-aic-binary-dir={name}", *options, cwd=folder)
    path = extracted(folder, name)
    contains(opscope("verify", path).out, "proved", name)
    return path, opscope("program", path, "--json").json()


def devices_of(program, pattern=""):
    """Devices whose cores compute groups with such a name."""
    groups = program["groups"]
    return {task.get("unit", 0) // CORES for task in program["tasks"]
            if task["kind"] == "compute" and task.get("group") is not None
            and re.search(pattern, groups[task["group"]]["name"])}


def outputs(folder, path):
    opscope("run", path, "--seed", "3", "--output", folder / "got.npy")
    opscope("infer", folder / "m.onnx", "--plain", "--seed", "3", "--output", folder / "want.npy")
    got, want = ((folder / name).read_bytes()[128:] for name in ("got.npy", "want.npy"))
    equal(len(got), len(want), "bytes")
    return max(abs(a - b) for (a,), (b,) in zip(struct.iter_unpack("<f", got), struct.iter_unpack("<f", want)))


def test_spread_over_all(folder):
    """One partition of four devices: an operator on cores of as many as is best, with the same numbers."""
    network(folder, layers=1, rows=2048)
    partitions(folder, ([0], None))
    _, program = compiled(folder, "-mdp-load-partition-config=mdp.json", name="one")
    equal(devices_of(program), {0}, "one device")
    partitions(folder, ([0, 1, 2, 3], None))
    path, program = compiled(folder, "-mdp-load-partition-config=mdp.json")
    true(len(devices_of(program, "layer0")) > 1, "devices")
    true(outputs(folder, path) < 1e-4, "numbers")


def test_activations_on_devices(folder):
    """Each device has a part of each activation's cores: as many fit as on one of them."""
    network(folder, layers=2)
    write(folder / "mdp.json", json.dumps({"connections": [{"devices": [0, 1], "type": "p2p"}], "partitions": [
        {"name": "P", "devices": [{"deviceId": d, "numCores": 4} for d in (0, 1)]}]}))
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", "-aic-num-cores=4", "-mdp-load-partition-config=mdp.json",
         cwd=folder)
    for activations, fits in ((2, True), (3, True), (4, False)):
        said = tool("qaic-runner", "-t", "b", "-n", "1", "-a", str(activations), cwd=folder).err
        equal("4 cores do not fit a card of 14" not in said, fits, f"{activations} activations: {said}")


def test_layer_by_layer(folder):
    """Two partitions of one device each, and of two each."""
    network(folder, layers=4)
    first = [f"/layer{i}/{what}" for i in (0, 1) for what in ("MatMul", "Relu")]
    second = [f"/layer{i}/{what}" for i in (2, 3) for what in ("MatMul", "Relu")]
    partitions(folder, ([0], first), ([1], second))
    path, program = compiled(folder, "-mdp-load-partition-config=mdp.json")
    equal((devices_of(program, "layer[01]"), devices_of(program, "layer[23]")), ({0}, {1}), "devices")
    true(outputs(folder, path) < 1e-4, "numbers")
    partitions(folder, ([4, 5], second), ([2, 7], first))
    path, program = compiled(folder, "-mdp-load-partition-config=mdp.json")
    true(devices_of(program, "layer[23]") <= {0, 1} and devices_of(program, "layer[01]") <= {2, 3}, "two each")
    true(outputs(folder, path) < 1e-4, "numbers")


def test_what_goes_between_devices_takes_time(folder):
    """What the first layer gives goes to the other device, at once or by way of the host: half as fast."""
    network(folder, layers=2, rows=512)
    nodes = [[f"/layer{i}/MatMul", f"/layer{i}/Relu"] for i in (0, 1)]
    ends = {}
    for kind in ("p2p", "host"):
        partitions(folder, ([0], nodes[0]), ([1], nodes[1]), kind=kind)
        path, _ = compiled(folder, "-mdp-load-partition-config=mdp.json", name=kind)
        opscope("run", path, "--device", "sim", "--timing-only", "--profile", folder / f"{kind}.prof")
        ends[kind] = int(re.search(r"from 0 to (\d+) ns", opscope("info", folder / f"{kind}.prof").out)[1])
    longer = 512 * 256 * 4 / 12.9
    true(abs(ends["host"] - ends["p2p"] - longer) < 0.01 * longer, f"{ends} instead of {longer} ns apart")


def test_a_decoder_on_devices(folder):
    """Specializations, state and partitions together: the same logits as on one device."""
    write(folder / "d.onnx", decoder())
    write(folder / "c.json", '{"specializations": [{"batch_size": 1, "seq_len": 3, "ctx_len": 8}, '
                             '{"batch_size": 1, "seq_len": 1, "ctx_len": 8}]}')
    for number, (ids, places) in enumerate((([5, 9, 2], [0, 1, 2]), ([7], [3]))):
        write(folder / f"i{number}.raw", struct.pack(f"<{len(ids)}q", *ids))
        write(folder / f"p{number}.raw", struct.pack(f"<{len(ids)}q", *places))
    write(folder / "l.json", json.dumps({"IO-files": [
        [{"path": f"i{n}.raw", "io-direction": "in", "elem-size": 8, "map-to": "input_ids"},
         {"path": f"p{n}.raw", "io-direction": "in", "elem-size": 8, "map-to": "position_ids"}] for n in (0, 1)]}))
    partitions(folder, ([0, 1], None))
    found = []
    for name, options in (("one", []), ("two", ["-mdp-load-partition-config=mdp.json"])):
        tool("qaic-compile", "-m=d.onnx", f"-aic-binary-dir={name}", "-retained-state",
             "-network-specialization-config=c.json", *options, cwd=folder)
        tool("qaic-runner", "-t", name, "--aic-batch-json-input=l.json", "--write-output-dir", f"{name}-out",
             "--write-output-num-samples", "2", cwd=folder)
        data = b"".join(path.read_bytes() for path in sorted((folder / f"{name}-out").glob("logits*")))
        found.append([value for (value,) in struct.iter_unpack("<f", data)])
    equal(len(found[0]), 4 * 48, "logits")
    true(max(abs(a - b) for a, b in zip(*found)) < 1e-5, "the same on both")


def test_wrong_use(folder):
    network(folder)
    words = ("-m=m.onnx", "-aic-binary-dir=b", "-mdp-load-partition-config=x.json")
    device = {"deviceId": 0, "numCores": 16}
    for content, message in (({}, "partitions"), ({"partitions": [{"name": "P"}]}, "has no devices"),
                             ({"partitions": [{"name": "P", "devices": [{"deviceId": 0}]}]}, "numCores"),
                             ({"partitions": [{"name": "P", "devices": [device, device]}]}, "device 0 is named twice"),
                             ({"partitions": [{"name": "P", "devices": [device, {"deviceId": 1, "numCores": 8}]}]},
                              "give all of them as many"),
                             ({"partitions": [{"name": "P", "devices": [device]},
                                              {"name": "Q", "devices": [{"deviceId": 1, "numCores": 16}]}]},
                              "has no 'nodeList'"),
                             ({"partitions": [{"name": "P", "devices": [device]}],
                               "connections": [{"type": "wire"}]}, "p2p"),
                             ({"partitions": [{"name": "P", "devices": [device], "nodeList": ["/none"]}]},
                              "no node '/none'")):
        write(folder / "x.json", json.dumps(content))
        contains(tool("qaic-compile", *words, cwd=folder, code=255).err, message, str(content))


if __name__ == "__main__":
    main()
