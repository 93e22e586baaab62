"""Values that stay in parts in the memories of the cores that work on them, on Tenstorrent's machines.

A part is made and read where it lies, so nothing of the value goes through DRAM; both provers
accept it, results are those of the plain executor, and the report says how the value lies.
"""
import csv

from support import *
from onnx_writer import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker

MACHINES = ("wormhole_b0", "blackhole")


def network(folder, name, nodes, inputs, outputs):
    values = [[make_value(value, "f32", shape) for value, shape in side.items()] for side in (inputs, outputs)]
    return write(folder / f"{name}.onnx", make_model(make_graph(nodes, *values), opset=13))


def two_softmax(folder, name, axes, shape):
    return network(folder, name, [make_node("Softmax", ["x"], ["a"], name="one", axis=axes[0]),
                                  make_node("Softmax", ["a"], ["y"], name="two", axis=axes[1])],
                   {"x": shape}, {"y": shape})


def rows(folder):
    return two_softmax(folder, "rows", (1, 1), [2048, 64])


def columns(folder):
    return two_softmax(folder, "columns", (0, 0), [64, 2048])


def blocks(folder):
    """What two others read is not fused with either."""
    sides = [256, 256]
    return network(folder, "blocks", [make_node("MatMul", ["x", "w"], ["a"], name="one"),
                                      make_node("Relu", ["a"], ["y"], name="two"),
                                      make_node("Sigmoid", ["a"], ["z"], name="three")],
                   {"x": sides, "w": sides}, {"y": sides, "z": sides})


def product(folder):
    return network(folder, "product", [make_node("Softmax", ["x"], ["a"], name="one", axis=1),
                                       make_node("MatMul", ["a", "w"], ["y"], name="two")],
                   {"x": [2048, 64], "w": [64, 96]}, {"y": [2048, 96]})


KINDS = {rows: "HEIGHT", columns: "WIDTH", blocks: "BLOCK", product: "HEIGHT"}


def compiled(folder, path, target, *options):
    program = folder / "a.opx"
    said = opscope("compile", path, "-t", target, "-o", program, "--json", *options).json()
    contains(opscope("verify", program).out, "proved", f"{path.name} for {target}")
    checker.check(program.read_bytes())
    return program, said["modelled"]["cycles"]


def parts(program):
    """Operands of tasks with stages that lie in the memory of the core: (task, operand, buffer)."""
    listed = opscope("program", program, "--json").json()
    for task in listed["tasks"]:
        for operand in task.get("operands", []) if task.get("stages") else []:
            buffer = listed["buffers"][operand["buffer"]]
            if buffer["kind"] == "tile":
                yield task, operand, buffer


def moved(program, value_bytes):
    """Bytes that readers and writers move, in values of that size."""
    listed = opscope("program", program, "--json").json()
    return {engine: sum(stage["bytes"] for task in listed["tasks"] for stage in task.get("stages", [])
                        if stage["engine"] == engine) / value_bytes for engine in ("ncrisc", "brisc")}


def report(folder, program):
    opscope("run", program, "--device", "sim", "--timing-only", "--profile", folder / "a.prof")
    opscope("tt-report", folder / "a.prof", "-o", folder / "ops.csv")
    with open(folder / "ops.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_values_stay_where_they_are_worked_on(folder):
    for machine in MACHINES:
        for make, kind in KINDS.items():
            program, _ = compiled(folder, make(folder), machine)
            table = report(folder, program)
            where = f"DEV_0_L1_{kind}_SHARDED"
            equal(table[0]["OUTPUT_0_MEMORY"], where, f"{make.__name__} on {machine}: what is made")
            for row in table[1:]:
                equal(row["INPUT_0_MEMORY"], where, f"{make.__name__} on {machine}: what is read")
            equal({row["OUTPUT_0_MEMORY"] for row in table[1:]}, {"DEV_0_DRAM_INTERLEAVED"}, "what the network gives")
            seen = {}
            for task, operand, buffer in parts(program):
                equal(buffer["unit"], task["unit"], "the core of a part is that of its task")
                equal([*operand["from"], *operand["size"]], [0, 0, *map(int, buffer["type"].split("x")[:2])],
                      "all of a part")
                seen.setdefault(operand["buffer"], []).append(bool(operand["writes"]))
            true(len(seen) > 1, "several cores")
            for uses in seen.values():
                equal(uses, [True] + [False] * (len(table) - 1), "made once, read by each")


def test_nothing_goes_through_the_far_memory(folder):
    """With and without: what is between the two is neither written nor read."""
    path = rows(folder)
    size = 2048 * 64 * 4
    program, cycles = compiled(folder, path, "wormhole_b0")
    equal(moved(program, size), {"ncrisc": 1, "brisc": 1}, "sharded")
    program, longer = compiled(folder, path, "wormhole_b0", "--set", "plan.keep=no")
    equal(moved(program, size), {"ncrisc": 2, "brisc": 2}, "through DRAM")
    equal(list(parts(program)), [], "parts")
    true(cycles < longer, f"{cycles} cycles, and {longer} without")


def test_others_lie_in_the_far_memory(folder):
    """Where readers need other parts, where parts do not fit, and what a network gives."""
    large = two_softmax(folder, "large", (1, 1), [16384, 2048])
    for path in (two_softmax(folder, "turned", (1, 0), [512, 512]), large):
        program, _ = compiled(folder, path, "wormhole_b0")
        equal(list(parts(program)), [], path.name)
    # A core that has more memory keeps the same parts.
    program, _ = compiled(folder, large, "wormhole_b0", "--set", "l1.size=16 MiB")
    true(len(list(parts(program))) > 0, "parts that fit a larger memory")


def test_parts_take_half_of_a_memory_at_most(folder):
    for machine in MACHINES:
        program, _ = compiled(folder, two_softmax(folder, "long", (1, 1), [4096, 2048]), machine)
        used = [(buffer["address"], buffer["size"]) for _, _, buffer in parts(program)]
        size = {"wormhole_b0": 1499136, "blackhole": 1572864}[machine]
        true(all(address >= size / 2 and address + length <= size for address, length in used),
             f"{machine}: {used[:3]}")


def test_results_are_the_same(folder):
    for machine in MACHINES:
        for make in KINDS:
            path = make(folder)
            program, _ = compiled(folder, path, machine)
            count = 2 if make is blocks else 1

            def run(*words):
                out = [folder / f"{i}.bin" for i in range(count)]
                opscope(*words, *(f"--output={name}" for name in out))
                return [name.read_bytes() for name in out]
            want = run("infer", path, "--plain")
            for device in ("host", "sim"):
                for threads in ("1", "2"):
                    equal(run("run", program, "--device", device, "--threads", threads) == want, True,
                          f"{make.__name__} for {machine} on {device} with {threads}")


if __name__ == "__main__":
    main()
