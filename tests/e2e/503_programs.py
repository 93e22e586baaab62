"""opscope program, verify and targets."""
import array

from compiling import *
from onnx_writer import *
from support import *

PARTS = ["operators", "groups", "values", "buffers", "tasks", "steps"]
HEADS = {"operators": "\noperators\n", "groups": "\ngroups\n", "values": "\nvalues\n",
         "buffers": "\nbuffers: ", "tasks": "\ntasks: ", "steps": "\nactions of the host"}


# program -----------------------------------------------------------------------

def test_program_shows_what_is_chosen(folder):
    path = compiled(folder, ADD)
    head = "add.mlir for torq-sl2610: operators 5, groups 1, jobs 2, "
    for part in PARTS:
        out = opscope("program", path, f"--{part}").out
        contains(out, head, "first line")
        equal([name for name in PARTS if HEADS[name] in out], [part], "parts")
    equal([name for name in PARTS if HEADS[name] in opscope("program", path).out], ["groups"],
          "without a choice")
    out = opscope("program", path, "--all").out
    equal([name for name in PARTS if HEADS[name] in out], PARTS, "all")


def test_program_text(folder):
    out = opscope("program", compiled(folder, ADD), "--all").out
    matches(out, r"^ +3 tosa\.add, group 0, 0 MACs, loc\(\"add\.mlir\":21:10\)$", "operator")
    matches(out, r"^ +0 add \"4\" on slice: the slices compute it; "
                 r"operators 2 0 1 3 4$", "group")
    matches(out, r"^ +0 input    1x56x56x24xi8 \"arg0\"$", "value")
    matches(out, r"^ +\d+ lram  0x[0-9a-f]{8} +\d+ +\d+\.\.\d+ +tile     1x\d+x56x24xi8 "
                 r"of value 0$", "buffer")
    matches(out, r"^ +\d+ dma_in 0 transfer group 0 tile 0 <- 11\[.*\] -> \d+\[", "transfer")
    matches(out, r"^ +\d+ slice \d compute group 0 tile \d .* after ", "compute")
    matches(out, r"^    +0 host copy .*\n    +1 job start  nss_program_0\n +0 start task 0 on dma_in 0\n"
                 r" +0 wait  task 0 on dma_in 0\n    +2 job wait   nss_program_0\n"
                 r"    +3 job start  nss_program_1\n +1 start task 1 on dma_in 0$", "jobs")


def test_program_json(folder):
    path = compiled(folder, ADD)
    whole = opscope("program", path, "--json").json()
    equal(list(whole), ["source", "target", "operators", "groups", "values", "buffers", "tasks",
                        "dispatches"], "keys")
    started = [step["task"] for dispatch in whole["dispatches"] for action in dispatch["actions"]
               for step in action.get("steps", []) if step["kind"] == "start"]
    equal(sorted(started), list(range(len(whole["tasks"]))), "every task is started once")
    for task in whole["tasks"]:
        for operand in task["operands"]:
            true(operand["buffer"] < len(whole["buffers"]), "operands name buffers")
            equal(len(operand["from"]), len(operand["size"]), "rank")
    equal(list(opscope("program", path, "--tasks", "--json").json()), ["source", "target", "tasks"],
          "chosen keys")


def test_program_on_the_host(folder):
    path = compiled(folder, write(folder / "d.mlir", DISPATCHES))
    out = opscope("program", path, "--steps").out
    matches(out, r"^  main_dispatch_1_host_matmul_cast\n +0 host start task \d+\n +1 host wait +task \d+$",
            "host")


def test_what_is_filled_alike_lies_there_once(folder):
    """Weights with one element everywhere lie in those of the largest of them, whichever comes first."""
    def size(second):
        nodes = [make_node("ConstantOfShape", ["small"], ["v"], value=make_tensor("", "f32", [1], [0.5])),
                 make_node("MatMul", ["x", "v"], ["p"]),
                 make_node("ConstantOfShape", ["large"], ["w"], value=make_tensor("", "f32", [1], [second])),
                 make_node("MatMul", ["p", "w"], ["y"])]
        shapes = [make_tensor("small", "i64", [2], [64, 128]), make_tensor("large", "i64", [2], [128, 256])]
        path = write(folder / "fills.onnx", make_model(make_graph(
            nodes, [make_value("x", "f32", [2, 64])], [make_value("y", "f32", [2, 256])], shapes)))
        opscope("compile", path, "-t", "host", "-o", folder / "fills.opx")
        opscope("run", folder / "fills.opx", "--seed", "1", "--output", folder / "run.npy")
        opscope("infer", path, "--plain", "--seed", "1", "--output", folder / "infer.npy")
        for got, want in zip(*(array.array("f", (folder / name).read_bytes()[128:]) for name in ("run.npy", "infer.npy"))):
            true(abs(got - want) <= 1e-5 * max(1, abs(want)), f"{got} is {want}")
        return (folder / "fills.opx").stat().st_size
    equal(size(0.25) - size(0.5), 4 * 64 * 128, "bytes of the smaller one")


def test_what_is_no_program(folder):
    for command in ("program", "verify"):
        opscope(command, code=2)
        error = opscope(command, ADD, code=1).err
        contains(error, "add.mlir: not a program, or damaged", "message")
        contains(opscope(command, folder / "nothing", code=1).err, "nothing", "message")
    opscope("program", ADD, ADD, code=2)


# verify --------------------------------------------------------------------------

def test_verify_says_what_was_proved(folder):
    path = compiled(folder, ADD)
    report = compile_json(folder, ADD)
    out = opscope("verify", path).out
    contains(out, f"{path}: proved\n", "first line")
    for name, words in (("tasks", "tasks, none on a lane"), ("steps", "steps of the controller"),
                        ("dependencies", "dependencies, all waited for"),
                        ("buffers", "buffers, none over another"),
                        ("values", "values, every element written exactly once")):
        matches(out, rf"^ +{report['proved'][name]} {words}", name)
    found = opscope("verify", path, "--json").json()
    equal(found[0], {"file": str(path), "proved": True, **report["proved"]}, "as JSON")


def test_verify_refuses_damage(folder):
    """A byte changed anywhere: the checksums tell, unless it lies between sections."""
    path = compiled(folder, CONV)
    data = path.read_bytes()
    shown = opscope("program", path, "--json").out
    bad = folder / "bad.opx"
    refused = 0
    for at in range(0, len(data), max(1, len(data) // 40)):
        bad.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:])
        if opscope("verify", bad, code=None).code == 1:
            refused += 1
        else:
            equal(opscope("program", bad, "--json").out, shown, f"program with byte {at} changed")
    true(refused > 30, f"only {refused} changes were refused")
    bad.write_bytes(data[:len(data) // 2])
    contains(opscope("verify", bad, code=1).err, "its length", "cut in half")


def test_verify_takes_many_and_reports_each(folder):
    good = compiled(folder, ADD)
    bad = write(folder / "bad.opx", b"no program at all, but longer than a header" * 9)
    result = opscope("verify", good, bad, good, code=1)
    equal(result.out.count(": proved\n"), 2, "proved")
    contains(result.err, "bad.opx", "refused")
    found = opscope("verify", good, bad, "--json", code=1).json()
    equal([item["proved"] for item in found], [True, False], "as JSON")
    contains(found[1]["reason"], "bad.opx: not a program", "reason")


# targets -------------------------------------------------------------------------

def test_targets_are_listed(folder):
    matches(opscope("targets").out, r"^torq-sl2610 +800 MHz  Synaptics SL2610, Torq NPU$", "list")
    names = [target["name"] for target in opscope("targets", "--json").json()]
    true(TARGET in names and names == sorted(names), f"{names}")


def test_a_target_is_shown(folder):
    out = opscope("targets", TARGET).out
    matches(out, r"^  memory  lram       512 KiB   local, aligned to 8 B$", "memory")
    matches(out, r"^  engine  slice      compute   in lram x 2  price torq-kernels ", "engine")
    true(all(len(line) <= 100 for line in out.splitlines()), f"a line wraps:\n{out}")
    target = opscope("targets", TARGET, "--json").json()[0]
    equal(list(target), ["name", "title", "clock_hz", "devices", "cores", "memories", "ports", "engines"], "keys")
    slices = [engine for engine in target["engines"] if engine["name"] == "slice"][0]
    equal((slices["count"], slices["memory"], slices["settings"]["lookups_per_cycle"]),
          (2, "lram", 2), "slices")


def test_own_targets(folder):
    text = opscope("targets", TARGET, "--file").out.replace("name = torq-sl2610", "name = mine")
    equal(text.count("name = mine"), 1, "name")
    write(folder / "mine.target", text)
    env = {"OPSCOPE_TARGETS": str(folder)}
    contains(opscope("targets", env=env).out, "mine ", "list")
    opscope("compile", ADD, "-t", "mine", "-o", folder / "a.opx", env=env)
    opscope("compile", ADD, "-t", folder / "mine.target", "-o", folder / "b.opx")
    equal((folder / "a.opx").read_bytes(), (folder / "b.opx").read_bytes(), "programs")
    home = folder / "home/opscope/targets"
    home.mkdir(parents=True)
    write(home / "own.target", text)
    contains(opscope("targets", "own", env={"XDG_CONFIG_HOME": str(folder / "home")}).out, "mine: ",
             "of the user's folder")


def test_wrong_use_of_targets(folder):
    contains(opscope("targets", "nothing", code=2).err, "no target 'nothing'", "message")
    opscope("targets", "--file", code=2)
    opscope("targets", TARGET, "--file", "--json", code=2)


main()
