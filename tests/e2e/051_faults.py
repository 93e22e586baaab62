"""Calls that fail, one after the other, in every command and in the library: tests/faults.py. OPSCOPE_ALL
tries all of them, otherwise it is a sample."""
from support import *

sys.path.append(str(ROOT / "tests"))
import faults

ALL = bool(os.environ.get("OPSCOPE_ALL"))
SAMPLE = 0 if ALL else 2
PARTS = 8


def bench(folder):
    made = faults.Bench(program("opscope").parent, folder)
    if not made.library.exists():
        raise Skip("the sanitizers have an allocator of their own")
    made.make_inputs()
    return made


def test_every_command_has_an_example(folder):
    made = faults.Bench(program("opscope").parent, folder)
    equal(sorted(made.listed()), sorted(faults.EXAMPLES), "commands and examples")


def try_part(folder, part):
    made = bench(folder)
    for command in made.listed()[part::PARTS]:
        points, complaints = made.try_command(command, SAMPLE)
        print(f"# {command}: {points} points")
        true(not complaints, f"points of {command} that failed: {complaints}")
        true(points > 0 or (command in faults.SLOW and not ALL), f"{command} calls something")


def add_part(part):
    def test(folder):
        try_part(folder, part)
    globals()[f"test_commands_{part + 1}_of_{PARTS}"] = test


for number in range(PARTS):
    add_part(number)


def test_the_library(folder):
    points, complaints = bench(folder).try_library(1 if ALL else 30)
    print(f"# library: {points} points")
    equal(complaints, [], "points that failed")


def test_little_memory_is_said(folder):
    """The whole program in 80 MB: nothing is aborted."""
    if SANITIZED:
        raise Skip("the sanitizers need more address space")
    network = write(folder / "net.mlir", faults.NETWORK)
    for words in (["info", network], ["model", network], ["infer", network], ["info", ROOT / "README.md"]):
        command = " ".join(f"'{word}'" for word in [program("opscope"), *words])
        result = run("sh", "-c", f"ulimit -v 80000; exec {command}", code=None)
        true(result.code in (0, 1), f"exit of {result}")
        true(result.code == 0 or "opscope: " in result.err, f"message of {result}")


main()
