"""Code of Torq's controller: its blocks are fetched by tasks of the program, as the real dump of
a scalar addition has them."""
import re

from compiling import *
from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_file

SCALAR_ADD = """module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = tosa.add %arg0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
"""
# Bytes of code: starts and waits of transfers, starts and waits of slices and the CSS, a jump.
CODE = {("transfer", 0): 56, ("transfer", 1): 16, ("other", 0): 24, ("other", 1): 20}
JUMP = 4
BLOCK, SLOTS, TASKS = 640, 2, 4


def network(folder):
    return write(folder / "scalar_add.mlir", SCALAR_ADD)


def work(path):
    """(unit, cycles, bytes) of each task, sorted."""
    rows_of = opscope("estimate", path, "--torq-rules=public", "--json").json()["rows"]
    return sorted((row["unit"], row["end_cycles"] - row["start_cycles"], row["bytes"] or 0)
                  for row in rows_of)


def test_scalar_add_takes_what_torqs_own_takes(folder):
    real = shared("data/torq/scalar_add.9.executable-targets.mlir")
    ours = compiled(folder, network(folder))
    for rules in ("public", "best"):
        cycles = [opscope("estimate", path, f"--torq-rules={rules}", "--json").json()["cycles"]
                  for path in (real, ours)]
        equal(cycles, [181, 181], f"cycles under {rules} rules")
    equal(work(ours), work(real), "tasks, but for their order")


def test_scalar_add_task_by_task(folder):
    ours = compiled(folder, network(folder))
    rows_of = opscope("estimate", ours, "--json").json()["rows"]
    equal([(row["unit"], row["end_cycles"] - row["start_cycles"], row["bytes"])
           for row in rows_of],
          [("DMA In", 77, 364), ("DMA In", 56, 264), ("DMA In", 1, 2), ("DMA In", 2, 8),
           ("DMA In", 1, 4), ("DMA In", 40, 188), ("DMA In", 1, 4), ("DMA Out", 1, 4),
           ("Slice 0", 2, None)], "first block, code, factors, scale, left, block, right, result, sum")


def test_whole_blocks_take_135_cycles(folder):
    ours = compiled(folder, network(folder), "--set", "nss.code_whole=yes")
    fetches = [row for row in opscope("estimate", ours, "--json").json()["rows"]
               if row["bytes"] == BLOCK]
    equal([row["end_cycles"] - row["start_cycles"] for row in fetches], [135, 135], "fetches")


def slot_of(program, task):
    """The buffer of the controller's slots that a task brings a block of code to; else None."""
    item = program.tasks[task]
    for operand in program.operands[item.first_operand:item.first_operand + item.operand_count]:
        buffer = program.buffers[operand.buffer]
        if operand.writes and buffer.memory == 0 and buffer.address < BLOCK * SLOTS:
            return buffer
    return None


def code_of(program, step):
    kind = program.tasks[step.task].kind
    return CODE["transfer" if kind == program_file.TRANSFER else "other", step.kind]


def check_blocks(program, name):
    """Each block is what was fetched last, to another slot, by the block before it."""
    coming = dispatch = None
    for job in program.jobs:
        steps = program.steps[job.first_step:job.first_step + job.step_count]
        last = max(step.block for step in steps)
        for number in range(last + 1):
            where = f"{name}: {job.dispatch}.{job.number} block {number}"
            inside = [step for step in steps if step.block == number]
            size = sum(code_of(program, step) for step in inside) + JUMP * (number < last)
            fetches = [step.task for step in inside if slot_of(program, step.task)]
            others = {step.number for step in inside if step.task not in fetches}
            true(size <= BLOCK and len(others) <= TASKS + 1, f"{where}: {size} bytes, {others}")
            if job.dispatch == dispatch:
                equal(coming.size, size, f"{where}: bytes that were fetched")
            equal(fetches, [task for task in fetches[:1] for _ in range(2)], f"{where}: fetches once")
            if fetches:
                equal([step.task for step in inside[-2:]], fetches, f"{where}: at its end")
                before, coming = coming, slot_of(program, fetches[0])
                if job.dispatch == dispatch:
                    true(coming.address != before.address, f"{where}: to another slot")
            dispatch = job.dispatch
            yield len(fetches) // 2


def test_every_block_is_fetched_before_it_runs(folder):
    for source in (ADD, CONV, FC, write(folder / "d.mlir", DISPATCHES)):
        program = program_file.Program(compiled(folder, source).read_bytes())
        counts = list(check_blocks(program, source.name))
        dispatches = {job.dispatch for job in program.jobs}
        # The block that the host copies is not fetched; the last of a dispatch fetches none.
        equal(sum(counts), len(counts) - len(dispatches), f"{source.name}: fetches")


def test_dumps_have_the_blocks(folder):
    program = compiled(folder, network(folder))
    opscope("estimate", program, "-o", folder / "dump.mlir")
    text = (folder / "dump.mlir").read_text()
    equal(re.findall(r"block_sizes = array<i32: ([\d, ]+)>", text), ["72", "364, 188"], "blocks")
    equal(work(folder / "dump.mlir"), work(program), "tasks")


main()
