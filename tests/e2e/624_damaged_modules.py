"""Modules with bytes changed or cut off: a clear error, or a program that is proved and runs to its
end. OPSCOPE_ALL tries many more."""
import random
import struct

from compiling import *
from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker

MANY = 20 if os.environ.get("OPSCOPE_ALL") else 1
INPUTS = {ADD: "1x56x56x24xi8=1", FC: "1x1280xi8=1"}


def original(folder, network):
    torq_compile(network, "-o", folder / "whole.vmfb")
    return (folder / "whole.vmfb").read_bytes()


def places(data, count, seed):
    """Offsets in every section, and in what is before and behind them."""
    draw = random.Random(seed)
    chosen = list(range(0, checker.HEADER.size, 3))
    for _, offset, size, _, _ in checker.sections_of(data):
        chosen += [offset + draw.randrange(size) for _ in range(count) if size > 0]
    return chosen


def sound(result):
    """It ended by itself, and no sanitizer has anything to say."""
    true(result.code in (0, 1, 2) and "Sanitizer" not in result.err
         and "runtime error" not in result.err, f"{result}")


def verdicts(folder, files):
    """Of `opscope verify`, file by file: None where it was proved, else what is wrong."""
    result = opscope("verify", *files, code=None)
    sound(result)
    said = result.out + result.err
    found = []
    for path in files:
        proved = f"{path}: proved" in said
        line = next((line for line in said.splitlines() if str(path) in line), None)
        true(line is not None, f"nothing is said of {path}:\n{said[:2000]}")
        found.append(None if proved else line)
    return found


def ends_well(folder, path, network):
    """A run of it: done, or a clear error."""
    result = torq_run_module(f"--module={path}", f"--input={INPUTS[network]}", "--output=",
                             f"--torq_profile_host={folder / 'r.csv'}", code=None)
    sound(result)
    if result.code != 0:
        matches(result.err, r"^opscope: .{10,}", "message")
    return result.code


def test_changed_bytes_are_refused(folder):
    data = original(folder, ADD)
    files = []
    for index, at in enumerate(places(data, 3 * MANY, seed=1)):
        changed = bytearray(data)
        changed[at] ^= 1 << (index % 8)
        files.append(write(folder / f"{index}.vmfb", bytes(changed)))
    for path, said in zip(files, verdicts(folder, files)):
        true(said is not None, f"{path} has another byte and is proved")
    for path in files[::len(files) // 12]:
        equal(ends_well(folder, path, ADD), 1, "a damaged module")


def test_cut_modules_are_refused(folder):
    data = original(folder, ADD)
    draw = random.Random(2)
    sizes = [0, 1, 7, 8, 31, 32, 33, len(data) - 1, len(data) - 64]
    sizes += [draw.randrange(len(data)) for _ in range(20 * MANY)]
    files = [write(folder / f"{index}.vmfb", data[:size]) for index, size in enumerate(sizes)]
    files.append(write(folder / "longer.vmfb", data + b"\0" * 64))
    for path, said in zip(files, verdicts(folder, files)):
        true(said is not None, f"{path} is not whole and is proved")
    for path in files[::8]:
        equal(ends_well(folder, path, ADD), 1, "a cut module")


def test_an_output_that_nothing_makes(folder):
    """The first output becomes another value: one of the input, or one that is never made."""
    data = original(folder, ADD)
    for name, offset, size, _, _ in checker.sections_of(data):
        for value in range(20 if name == "outputs" else 0):
            changed = bytearray(data)
            changed[offset:offset + 4] = value.to_bytes(4, "little")
            checker.sign(changed)
            ends_well(folder, write(folder / "x.vmfb", bytes(changed)), ADD)


def test_signed_changes_of_several_streams_are_proved_or_refused(folder):
    """A field becomes that of another item. What is proved gives one answer, whatever the workers."""
    writer = program("opscope").parent.parent / "tests/three_cores"
    if not writer.exists():
        raise Skip(f"there is no {writer}")
    run(writer, folder / "three.opx")
    data = (folder / "three.opx").read_bytes()
    parts = checker.Program(data)
    draw = random.Random(4)
    files = []
    for index in range(60 * MANY):
        table = draw.choice(["steps", "streams", "semaphores", "tasks", "buffers", "operands", "task_units"])
        items = range(len(getattr(parts, table)))
        field, _ = draw.choice(checker.FIELDS[table].names)
        at, code = checker.place_of(data, table, draw.choice(items), field)
        other, _ = checker.place_of(data, table, draw.choice(items), field)
        changed = bytearray(data)
        changed[at:at + struct.calcsize(code)] = data[other:other + struct.calcsize(code)]
        checker.sign(changed)
        files.append(write(folder / f"{index}.opx", bytes(changed)))
    proved = [path for path, wrong in zip(files, verdicts(folder, files)) if wrong is None]
    true(proved and len(proved) < len(files), "some changes do not matter, some do")
    for path in proved if MANY > 1 else proved[::3]:
        answers = []
        for options in (["--threads", "1"], ["--threads", "2"], ["--device", "sim"]):
            result = opscope("run", path, "--json", *options, code=None)
            sound(result)
            answers.append(result.json()["outputs"] if result.code == 0 else result.err)
        equal(answers[0], answers[1], f"{path}: two workers")
        equal(answers[0], answers[2], f"{path}: sim")
    print(f"# three cores: {len(proved)} of {len(files)} proved")


def test_signed_changes_are_proved_or_refused(folder):
    """The checksums are right: the content has to tell."""
    for network in (ADD, FC):
        data = original(folder, network)
        files = []
        for index, at in enumerate(places(data, 4 * MANY, seed=3)):
            if at < checker.HEADER.size:
                continue
            changed = bytearray(data)
            changed[at] ^= 1 << (index * 5 % 8)
            checker.sign(changed)
            files.append(write(folder / f"{index}.vmfb", bytes(changed)))
        said = verdicts(folder, files)
        proved = [path for path, wrong in zip(files, said) if wrong is None]
        refused = [path for path, wrong in zip(files, said) if wrong is not None]
        true(proved and refused, "some changes do not matter, some do")
        for path in proved if MANY > 1 else proved[::4]:
            ends_well(folder, path, network)
        for path in refused if MANY > 1 else refused[::8]:
            equal(ends_well(folder, path, network), 1, "a program that is wrong")
        print(f"# {network.name}: {len(proved)} proved, {len(refused)} refused")
        disproved = [path for path, wrong in zip(files, said) if wrong and "damaged" not in wrong]
        true(disproved, "some can be read and not proved")
        for path in disproved[:3]:
            for options in ([], ["--device", "sim"], ["--device", "sim", "--timing-only"]):
                result = opscope("run", path, *options, code=1)
                true(result.err.startswith(f"opscope: {path}:"), f"the file is named: {result}")
        for path in files:
            path.unlink()


main()
