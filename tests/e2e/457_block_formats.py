"""Networks in block formats (bfp8_b, bfp4_b), whose numbers share exponents: what becomes of numbers,
held against fractions (tests/tools/block_format.py), and what they weigh on Tenstorrent's machines.
"""
import array
import csv
import random

from support import *
from onnx_writer import *

sys.path.append(str(ROOT / "tests/tools"))
from block_format import *  # noqa: E402

FORMATS = ["bfp8_b", "bfp4_b"]
MACHINES = ["wormhole_b0", "blackhole"]


def hard_numbers(count):
    """Of all magnitudes, and where rounding is decided."""
    chance = random.Random(7)
    kinds = [lambda: chance.uniform(-2, 2),
             lambda: chance.choice([-1, 1]) * 2.0 ** chance.randrange(-140, 128),
             lambda: chance.randrange(-512, 513) / 256,
             lambda: chance.randrange(-127, 128) / 64 + chance.choice([0, 2.0**-7, 2.0**-7 + 2.0**-22, 2.0**-30]),
             lambda: chance.choice([0.0, -0.0, 1e-40, -1e-40, 2.0**-126, 127.99, 63.5 / 32, 3.4e38])]
    numbers = []
    while len(numbers) < count:
        kind = chance.choice(kinds)
        numbers += [as_f32(kind()) for _ in range(chance.choice([1, 3, 16]))]
    return numbers[:count]


def negated(folder, shape):
    graph = make_graph([make_node("Neg", ["x"], ["y"], name="neg")], [make_value("x", "f32", shape)],
                       [make_value("y", "f32", shape)])
    return write(folder / "neg.onnx", make_model(graph))


def product(folder, m, k, n, weights=None):
    """A product and what is fused with it; without weights, also what reads its blocks."""
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="product"), make_node("Relu", ["p"], ["y"], name="relu")]
    if weights is None:
        nodes.append(make_node("Softmax", ["y"], ["z"], name="softmax"))
    graph = make_graph(nodes, [make_value("x", "f32", [m, k])],
                       [make_value("y" if weights else "z", "f32", [m, n])],
                       [make_tensor("w", "f32", [k, n], weights or [1.0] * (k * n))])
    return write(folder / "product.onnx", make_model(graph))


def run_everywhere(folder, network, shape, name):
    """The output of the executors and of the programs: all of it the same bits."""
    given = ["--input", f"{shape}xf32=@x.bin"]
    outputs = []
    for how in ([], ["--plain"]):
        opscope("infer", network, "--convert", f"f32={name}", *how, *given, "--output", "y.bin", cwd=folder)
        outputs.append((folder / "y.bin").read_bytes())
    for machine in MACHINES:
        opscope("compile", network, "-t", machine, "--convert", f"f32={name}", "-o", "m.opx", cwd=folder)
        opscope("run", "m.opx", *given, "--output", "y.bin", cwd=folder)
        outputs.append((folder / "y.bin").read_bytes())
    for number, output in enumerate(outputs):
        true(output == outputs[0], f"{name}: way {number} gives other bits")
    return list(array.array("f", outputs[0]))


def test_numbers_are_those_of_the_format(folder):
    for columns in (1, 16, 33, 64) if not SANITIZED else (33,):
        numbers = hard_numbers(96 * columns)
        write(folder / "x.bin", array.array("f", numbers).tobytes())
        network = negated(folder, [96, columns])
        for name in FORMATS:
            got = run_everywhere(folder, network, f"96x{columns}", name)
            want = [-number for number in round_rows(numbers, columns, name)]
            for at, (ours, theirs) in enumerate(zip(got, want)):
                equal(ours, theirs, f"{name}, {columns} columns, number {at}: {numbers[at]!r}")
    equal(round_rows([1.0, 127 / 64 + 2**-7], 2, "bfp8_b")[1], 127 / 64, "the largest is not exceeded")


def test_what_is_beyond_stays_so(folder):
    write(folder / "x.bin", array.array("f", [math.inf, 1.0, -math.inf, 3e38] * 4 + [1.0] * 16).tobytes())
    got = run_everywhere(folder, negated(folder, [1, 32]), "1x32", "bfp8_b")
    equal(got[:4], [-math.inf, 0.0, math.inf, -2.0**128 * 56 / 64], "a block with infinity")
    equal(got[16:], [-1.0] * 16, "the next one")


def test_products_of_blocks(folder):
    """Inputs and weights in blocks; sums in f32, exact here; results as bf16, then in blocks."""
    chance = random.Random(3)
    m, k, n = 40, 24, 72
    numbers = [chance.randrange(-300, 300) / 64 for _ in range(m * k)]
    weights = [chance.randrange(-300, 300) / 128 for _ in range(k * n)]
    write(folder / "x.bin", array.array("f", numbers).tobytes())
    network = product(folder, m, k, n, weights)
    for name in FORMATS:
        x, w = round_rows(numbers, k, name), round_rows(weights, n, name)
        sums = [as_bf16(sum(x[i * k + l] * w[l * n + j] for l in range(k))) for i in range(m) for j in range(n)]
        want = round_rows([max(number, 0.0) for number in round_rows(sums, n, name)], n, name)
        equal(run_everywhere(folder, network, f"{m}x{k}", name), want, name)


def test_cores_get_whole_tiles_and_move_their_bytes(folder):
    m, k, n = 100, 96, 200
    network = product(folder, m, k, n)
    for machine in MACHINES:
        for name in ["bf16", *FORMATS]:
            said = opscope("compile", network, "-t", machine, "--convert", f"f32={name}", "-o", "m.opx",
                           "--json", cwd=folder).json()
            true(said["modelled"]["cycles"] > 0, "it has a price")
            program = opscope("program", "m.opx", "--json", cwd=folder).json()
            written = 0
            for task in program["tasks"]:
                if program["groups"][task["group"]]["type"] != "MatMul_Relu":
                    continue
                for operand in task["operands"]:
                    if program["buffers"][operand["buffer"]]["kind"] == "ring":
                        continue
                    for start, size, length in zip(operand["from"], operand["size"], (m, n)):
                        true(start % 32 == 0 and (size % 32 == 0 or start + size in (m, k, n, 96)),
                             f"{operand} is no whole tiles")
                written += sum(stage["bytes"] for stage in task["stages"] if stage["engine"] == "brisc")
            equal(written, tiles(m, n) * TILE_BYTES[name], f"bytes that {machine} writes as {name}")
            contains(opscope("verify", "m.opx", cwd=folder).out, "proved")


def test_the_report_of_a_modelled_run(folder):
    """Its columns as fractions and the vendor's formulas have them: 4096 operations a cycle and core in one
    pass, 258 GiB/s on Wormhole, 512 on Blackhole. What the product gives stays on the cores, where it is read
    at no cost: its last operator is the conversion of what leaves the network."""
    m, k, n = 1000, 96, 200
    network = product(folder, m, k, n)
    passes = {"bf16": ("BFLOAT16", "HiFi4", 4), "bfp8_b": ("BFLOAT8_B", "HiFi2", 2), "bfp4_b": ("BFLOAT4_B", "LoFi", 1)}
    machines = {"wormhole_b0": (64, 1, 258), "blackhole": (130, 1.35, 512)}
    for machine, (cores, clock, rate) in machines.items():
        for name, (datatype, fidelity, count) in passes.items():
            opscope("compile", network, "-t", machine, "--convert", f"f32={name}", "-o", "m.opx", cwd=folder)
            opscope("run", "m.opx", "--device", "sim", "--timing-only", "--profile", "m.prof", cwd=folder)
            opscope("tt-report", "m.prof", "--format", "v2.1", "-o", "ops.csv", cwd=folder)
            with open(folder / "ops.csv", newline="") as file:
                row = [row for row in csv.DictReader(file) if row["OP CODE"] == "MatMul_Relu"][0]
            for tensor, sides in (("INPUT_0", (m, k)), ("INPUT_1", (k, n)), ("OUTPUT_0", (m, n))):
                equal([row[f"{tensor}_{side}_PAD[LOGICAL]"] for side in "WZYX"],
                      ["1[1]", "1[1]", *(f"{-(-side // 32) * 32}[{side}]" for side in sides)], tensor)
                memory = "L1_HEIGHT_SHARDED" if tensor == "OUTPUT_0" else "DRAM_INTERLEAVED"
                equal([row[f"{tensor}_{field}"] for field in ("LAYOUT", "DATATYPE", "MEMORY")],
                      ["TILE", datatype, f"DEV_0_{memory}"], tensor)
            compute = math.ceil(math.ceil(Fraction(2 * m * k * n * count, cores * 4096)) / clock)
            sizes = [tiles(*sides) * TILE_BYTES[name] for sides in ((m, k), (k, n), (m, n))]
            bandwidth = math.floor(max(sizes[:2]) / rate / 2**30 * 1e9)
            ideal = max(compute, bandwidth)
            equal([row["MATH FIDELITY"], row["PM COMPUTE [ns]"], row["PM BANDWIDTH [ns]"], row["PM IDEAL [ns]"]],
                  [fidelity, str(compute), str(bandwidth), str(ideal)], f"{machine}, {name}")
            equal(row["PM REQ I BW"], f"[{as_f32(sizes[0] / ideal)}; {as_f32(sizes[1] / ideal)}]", "inputs")
            kernel = int(row["DEVICE KERNEL DURATION [ns]"])
            equal(row["PM FPU UTIL (%)"], str(round(100 * compute / kernel, 3)), "share of the peak")
            true(ideal <= kernel <= int(row["DEVICE FW DURATION [ns]"]), "no faster than ideal")
            true(int(row["DEVICE COMPUTE CB WAIT FRONT [ns]"]) > 0, "the unpackers wait for the first tiles")
            equal(row["DEVICE ARCH"], machine, "arch")
            # Read again it is sound: calls count through, and derived columns are what they say.
            again = opscope("convert", "ops.csv", "-o", "again.prof", cwd=folder)
            true("PM FPU UTIL" not in again.out + again.err, "derived columns")


def test_what_cannot_be(folder):
    network = negated(folder, [4, 4])
    for text, why in (("bfp8_b=f32", "is no conversion"), ("f32=bfp8_b,ports", "leave 'ports' out"),
                      ("i64=bfp8_b", "is no conversion"), ("f32=bfp2_b", "is no conversion"),
                      ("f32=bfp8_b,f32=bf16", "exclude each other")):
        contains(opscope("infer", network, "--convert", text, code=2).err, why, text)
    # ONNX's own types of these numbers are others.
    for number in (24, 25):
        graph = make_graph([make_node("Cast", ["x"], ["y"], to=number)], [make_value("x", "f32", [4])],
                           [make_value("y")])
        write(folder / "cast.onnx", make_model(graph))
        contains(opscope("infer", folder / "cast.onnx", "--convert", "f32=bfp8_b", code=1).err,
                 f"{number} is no type to cast to")


if __name__ == "__main__":
    main()
