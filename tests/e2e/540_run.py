"""opscope run: a compiled program computes what its network computes."""

import array

from support import *
from onnx_writer import *

TARGET = "torq-sl2610"


def outputs(folder, name, *command):
    """The bytes of every output of a network or program, in order."""
    made = json.loads(opscope(*command, "--json", "--max-elements", "1").out)["outputs"]
    files = [folder / f"{name}_{i}.npy" for i in range(len(made))]
    opscope(*command, *[f"--output={file}" for file in files])
    return [file.read_bytes() for file in files]


def check(folder, network):
    program = folder / "program.opx"
    opscope("compile", network, "--target", TARGET, "-o", program)
    expected = outputs(folder, "plain", "infer", network, "--plain")
    for threads in ("1", "2"):
        equal(outputs(folder, "run", "run", program, "--threads", threads) == expected, True,
              f"{network.name} with {threads} threads computes the same bits")


def test_shipped_networks_compute_the_same_bits(folder):
    for network in sorted((ROOT / "tests/testdata/tosa_ops").glob("*.mlir")):
        check(folder, network)
    check(folder, ROOT / "samples/tosa/fc.mlir")


def test_public_networks_compute_the_same_bits(folder):
    networks = sorted(shared("data/tosa").glob("*.mlir"))
    for network in networks if os.environ.get("OPSCOPE_ALL") else networks[::40 if SANITIZED else 10]:
        check(folder, network)


def numbers(npy):
    """The f32 numbers of an .npy file."""
    start = 10 + int.from_bytes(npy[8:10], "little")
    return array.array("f", npy[start:])


def same_numbers(made, expected):
    """Whether they differ by no more than sums in another order do."""
    for one, other in zip(made, expected):
        most = max(map(abs, numbers(other)))
        if max(abs(a - b) for a, b in zip(numbers(one), numbers(other))) > 1e-6 * most:
            return False
    return len(made) == len(expected)


def test_models_compute_the_same_numbers(folder):
    for network in sorted(shared("data/models").glob("speech_lstm/model.onnx" if SANITIZED else "*/model.onnx")):
        program = folder / "program.opx"
        opscope("compile", network, "--target", TARGET, "-o", program)
        made = outputs(folder, "run", "run", program, "--threads", "1")
        equal(same_numbers(made, outputs(folder, "plain", "infer", network, "--plain")), True,
              f"{network.parent.name} computes what the network does")
        equal(outputs(folder, "run", "run", program, "--threads", "2") == made, True,
              f"{network.parent.name} computes the same bits with 2 threads")


def test_iterations_are_timed_as_this_machines(folder):
    program = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", TARGET, "-o", program)
    contains(opscope("run", program, "-n", "3").out, "3 iterations on this machine: median",
             "times")


def test_wrong_inputs_are_refused(folder):
    program = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", TARGET, "-o", program)
    contains(opscope("run", program, "--input", "1x2xi8=1", code=2).err, "1x2xi8 was given", "a wrong shape")
    contains(opscope("run", program, "--input", "1x56x56x24xf32=1", code=2).err,
             "f32 was given", "a wrong type")
    contains(opscope("run", folder / "none.opx", code=1).err, "none.opx", "no such program")
    contains(opscope("run", ROOT / "tests/testdata/tosa_ops/add.mlir", code=1).err,
             "not a program", "a network instead of a program")
    contains(opscope("run", code=2).err, "give one program", "no program")


def test_constants_of_a_program_stay(folder):
    graph = make_graph([make_node("Add", ["w", "w"], ["d"]), make_node("Mul", ["x", "d"], ["y"])],
                       [make_value("x", "f32", [2]), make_value("w", "f32", [2])],
                       [make_value("y", "f32", [2])], [make_tensor("w", "f32", [2], [1, 2])])
    network = write(folder / "m.onnx", make_model(graph, opset=17))
    program = folder / "m.opx"
    opscope("compile", network, "--target", TARGET, "-o", program)
    contains(opscope("run", program, "-i", "2xf32=3").out, "2xf32=6 12", "as the file says")
    contains(opscope("run", program, "-i", "2xf32=3", "-i", "w=2xf32=5", code=2).err,
             "input 'w' was compiled in as a constant", "replaced")


def test_runs_are_recorded_task_by_task(folder):
    for target in (TARGET, "host"):
        program, profile = folder / "fc.opx", folder / "run.prof"
        opscope("compile", ROOT / "samples/tosa/fc.mlir", "--target", target, "-o", program)
        tables = json.loads(opscope("program", program, "--json").out)
        plain = opscope("run", program, "--seed", "3").out
        recorded = opscope("run", program, "--seed", "3", "--profile", profile).out
        equal(recorded.split("ledger:")[0], plain, "recording changes nothing")
        account = opscope("run", program, "-n", "3", "--profile", profile).out.split("\n")[-2]
        info = opscope("info", profile).out
        contains(info, account, "the run's own account")
        actions = sum(len(dispatch["actions"]) for dispatch in tables["dispatches"])
        events = 3 * (len(tables["tasks"]) + actions)
        contains(info, f"ledger: {events} events expected, {events} recorded, 0 lost",
                 "every task and action, once an iteration")
        contains(info, f"{target}, run on this machine", "whose times they are")
        contains(opscope("overview", profile).out, "OVERALL", "overview")
        opscope("convert", profile, "-o", folder / "run.pb")
        contains(opscope("info", folder / "run.pb").out, f"{events} spans", "as a trace")


def test_a_profile_that_cannot_be_written_is_an_error(folder):
    program = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", TARGET, "-o", program)
    contains(opscope("run", program, "--profile", "/dev/full", code=1).err, "/dev/full", "full")
    contains(opscope("run", program, "--profile", folder / "no/x.prof", code=1).err, "no/x.prof",
             "no folder")
    contains(opscope("run", program, "--profile", program, code=2).err, "would be overwritten",
             "the program itself")


main()
