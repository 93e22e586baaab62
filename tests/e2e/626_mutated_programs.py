"""Programs with one field changed and their checksums mended: what is proved runs, and nothing else.
OPSCOPE_ALL tries 10^5 of several cores and streams, and 10^4 with graphs inside."""
import time

from compiling import *
from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_file as files

ALL = bool(os.environ.get("OPSCOPE_ALL"))
TARGETS = [TARGET, "host", ROOT / "tests/testdata/targets/trio.target", ROOT / "tests/testdata/targets/relay.target"]
SEEDS = ROOT / "tests/fuzz/corpus/program"
PARTS = 4
EVERY = ROOT / "tests/testdata/tosa_ops/every_operator.mlir"


def mutate(folder, count, seed, programs):
    tool = program("opscope").resolve().parent / "tests/mutate_programs"
    if not tool.exists():
        raise Skip(f"there is no {tool}")
    result = run(tool, str(count), str(seed), folder, *programs, code=None)
    equal(result.code, 0, f"mutants that are proved run: {result}")
    matches(result.out, rf"^{count} mutants: [1-9]\d* refused, [1-9]\d* proved, .* 0 failed$", "the counts")
    print(f"# {result.out.strip()}")


def each_target(folder, *networks):
    made = []
    for network in networks:
        for target in TARGETS:
            path = folder / f"{network.stem}-{pathlib.Path(target).stem}.opx"
            if opscope("compile", network, "--target", target, "-o", path, code=None).code == 0:
                made.append(path)
    true(len(made) > len(networks), "most can be compiled")
    return made


def several_cores(folder, part):
    mutate(folder, 100000 // PARTS if ALL else 100, 10 + part,
           each_target(folder, ADD, CONV, FC) + sorted(SEEDS.glob("*.opx")))


def with_graphs_inside(folder, part):
    mutate(folder, 10000 // PARTS if ALL else 75, 20 + part, each_target(folder, EVERY) + [SEEDS / "test_if.opx"])


def add_part(kind, part):
    """Parts, each with other mutants, that run at the same time."""
    def test(folder):
        kind(folder, part)
    globals()[f"test_mutants_{kind.__name__}_{part + 1}_of_{PARTS}"] = test


for number in range(PARTS):
    add_part(several_cores, number)
    add_part(with_graphs_inside, number)


def refused(folder, data, why, *changes):
    """One field each: (table, item, field, number[, index])."""
    changed = bytearray(data)
    for change in changes:
        files.put(changed, *change)
    files.sign(changed)
    path = write(folder / "changed.opx", bytes(changed))
    for command in (("verify",), ("run",), ("run", "--threads", "2")):
        result = opscope(command[0], path, *command[1:], code=1)
        matches(result.err, why, f"{command} says why")


def with_graphs(folder):
    path = folder / "every.opx"
    opscope("compile", EVERY, "--target", TARGET, "-o", path)
    data = path.read_bytes()
    return data, files.Program(data)


def test_a_graph_with_an_input_that_is_none(folder):
    data, parts = with_graphs(folder)
    graph = next(graph for graph in parts.graphs if graph.inputs > 0)
    refused(folder, data, "graph .*none", ("node_values", graph.first_value, "id", files.NONE))


def test_a_graph_with_values_of_others(folder):
    data, parts = with_graphs(folder)
    for index, graph in enumerate(parts.graphs):
        refused(folder, data, "(graph|value) ", ("graphs", index, "first_value", graph.first_value + 1
                                                 if graph.first_value + 1 + graph.inputs + graph.outputs
                                                 <= len(parts.node_values) else graph.first_value - 1))


def test_a_graph_that_contains_itself(folder):
    data, parts = with_graphs(folder)
    index, graph = next((index, graph) for index, graph in enumerate(parts.graphs) if graph.node_count > 0)
    user = next(number for number, item in enumerate(parts.attributes)
                if item.kind == files.GRAPH and item.data == index)
    refused(folder, data, "graph ", ("nodes", graph.first_node, "first_attribute", user),
            ("nodes", graph.first_node, "attribute_count", 1))


def test_an_input_that_is_none_of_the_buffers(folder):
    path = folder / "add.opx"
    opscope("compile", ADD, "--target", TARGET, "-o", path)
    data = path.read_bytes()
    parts = files.Program(data)
    for value in range(len(parts.values)):
        if value != parts.inputs[0].id:
            refused(folder, data, "(input|buffer|value) ", ("inputs", 0, "id", value))


def test_a_misaligned_buffer(folder):
    path = folder / "add.opx"
    opscope("compile", ADD, "--target", TARGET, "-o", path)
    data = path.read_bytes()
    buffers = list(enumerate(files.Program(data).buffers))
    for index, buffer in buffers[::-(-len(buffers) // (4 if SANITIZED else 16))]:
        if buffer.kind not in (files.PIPELINE, files.DYNAMIC):
            refused(folder, data, "multiple of 64|beyond", ("buffers", index, "address", buffer.address + 1))


def test_a_huge_input_is_refused_at_once(folder):
    path = folder / "add.opx"
    opscope("compile", ADD, "--target", TARGET, "-o", path)
    data = path.read_bytes()
    value = files.Program(data).inputs[0].id
    began = time.monotonic()
    refused(folder, data, "buffer|value", ("values", value, "dims", 1 << 20))
    true(time.monotonic() - began < PATIENCE, "without making it first")


def test_bools_of_raw_files_are_0_or_1(folder):
    network = write(folder / "m.mlir", """module {
  func.func @main(%a: tensor<4xi1>) -> tensor<4xi1> {
    %0 = tosa.logical_not %a : (tensor<4xi1>) -> tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
""".encode())
    write(folder / "x.bin", bytes([0, 1, 2, 255]))
    result = opscope("infer", network, "--input", f"4xbool=@{folder / 'x.bin'}", "--output", folder / "y.bin")
    equal((folder / "y.bin").read_bytes(), bytes([1, 0, 0, 0]), f"not: {result}")


main()
