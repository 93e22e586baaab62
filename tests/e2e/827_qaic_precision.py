"""Numbers that qaic-compile is asked to hand in, hand out and compute with: integers with a scale, and weights in MXFP6."""
import math
import struct
from fractions import Fraction

from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker
import program_file as file
from onnx_writer import *

ROWS, INNER, COLUMNS = 4, 72, 5  # blocks of 32, 32 and 8 along the second


def compiled(folder, *options, out="b", code=0):
    return run(program("qaic-compile"), "-model=m.onnx", f"-aic-binary-dir={out}", *options, cwd=folder, code=code)


def ran(folder, name, *inputs, out="b", kind="f"):
    words = [word for path in inputs for word in ("-i", path)]
    run(program("qaic-runner"), "-t", out, "-n", "1", *words, "--write-output-dir", f"out-{out}", cwd=folder)
    data = (folder / f"out-{out}/{name}-inf-0.bin").read_bytes()
    return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)


def network(folder, weights, kind="MatMul", **attributes):
    shape = [COLUMNS, INNER] if attributes.get("transB") else [INNER, COLUMNS]
    inputs = ["x", "w"] if kind == "MatMul" else ["x", "w", "c"]
    constants = [make_tensor("w", "f32", shape, weights)]
    constants += [make_tensor("c", "f32", [COLUMNS], [0.0] * COLUMNS)] if kind == "Gemm" else []
    write(folder / "m.onnx", make_model(make_graph(
        [make_node(kind, inputs, ["y"], name="/l/product", **attributes)], [make_value("x", "f32", [ROWS, INNER])],
        [make_value("y", "f32", [ROWS, COLUMNS])], constants)))
    return constants


# MXFP6 ------------------------------------------------------------------------------------

# All numbers of E2M3, the even mantissas first where two are as near.
ELEMENTS = sorted({sign * Fraction(2) ** max(exponent - 1, 0) * (Fraction(mantissa, 8) + (exponent > 0))
                   for sign in (1, -1) for exponent in range(4) for mantissa in range(8)})


def nearest(number):
    def key(element):
        size = abs(element)
        step = Fraction(1, 8) if size < 2 else Fraction(1, 4) if size < 4 else Fraction(1, 2)
        return abs(element - number), (size / step) % 2
    return min(ELEMENTS, key=key)


def rounded(block):
    """A block as the standard says: the power of two of the largest, two less; nearest, ties to even, no more than the largest."""
    largest = max(abs(number) for number in block)
    if largest == 0:
        return block
    exponent = -200
    while Fraction(2) ** (exponent + 1) <= largest:
        exponent += 1
    scale = Fraction(2) ** (exponent - 2)
    return [nearest(number / scale) * scale for number in block]


def weights_of(count):
    numbers = [math.sin(i * 12.9898) * 10.0 ** ((i * 7) % 9 - 6) for i in range(count)]
    numbers[3], numbers[40] = 0.0, -0.0
    return [struct.unpack("<f", struct.pack("<f", number))[0] for number in numbers]


def expected(weights, transposed):
    """Columns of the second factor, each in blocks of 32 from its first number on."""
    made = []
    for column in range(COLUMNS):
        own = [Fraction(weights[column * INNER + i] if transposed else weights[i * COLUMNS + column]) for i in range(INNER)]
        made.append([number for at in range(0, INNER, 32) for number in rounded(own[at:at + 32])])
    return made


def unit_rows(folder, first):
    """Rows of an identity matrix: what the product gives are the weights themselves."""
    values = [1.0 if i == first + row else 0.0 for row in range(ROWS) for i in range(INNER)]
    return write(folder / "x.bin", struct.pack(f"<{len(values)}f", *values))


def test_weights_in_mxfp6(folder):
    weights = weights_of(INNER * COLUMNS)
    for kind, attributes in (("MatMul", {}), ("Gemm", {}), ("Gemm", {"transB": 1})):
        network(folder, weights, kind, **attributes)
        said = compiled(folder, "-mxfp6-matmul").out
        contains(said, "weights of 1 products are rounded to MXFP6", "said")
        contains(said, "6.25 bits", "and how they are moved")
        want = expected(weights, bool(attributes))
        for first in range(0, INNER, ROWS):
            unit_rows(folder, first)
            got = ran(folder, "y", "x.bin")
            for row in range(ROWS):
                equal([Fraction(number) for number in got[row * COLUMNS:][:COLUMNS]],
                      [column[first + row] for column in want], f"{kind} {attributes} row {first + row}")


def test_with_halves_and_by_name(folder):
    """-convert-to-fp16 as well: weights are rounded to MXFP6 first. --convert of other commands does the same."""
    weights = weights_of(INNER * COLUMNS)
    network(folder, weights)
    unit_rows(folder, 0)
    compiled(folder, "-mxfp6-matmul", "-convert-to-fp16")
    got = ran(folder, "y", "x.bin")
    want = expected(weights, False)
    half = lambda number: struct.unpack("<e", struct.pack("<e", float(number)))[0]
    equal(list(got), [half(want[column][row]) for row in range(ROWS) for column in range(COLUMNS)], "as halves")
    opscope("infer", folder / "m.onnx", "--plain", "--convert", "f32=f16,weights=mxfp6", "--input",
            f"x={ROWS}x{INNER}xf32=@{folder / 'x.bin'}", "--output", folder / "y.npy")
    equal(struct.unpack(f"<{ROWS * COLUMNS}f", (folder / "y.npy").read_bytes()[128:]), got, "the plain executor")
    plain = compiled(folder, out="plain").out
    true("MXFP6" not in plain, "not asked for")
    true(ran(folder, "y", "x.bin", out="plain") != got, "the weights as they are differ")


def test_what_stays(folder):
    """A constant that others read as well, an input that a constant stands for, a factor that is computed."""
    weights = weights_of(INNER * COLUMNS)
    constant = make_tensor("w", "f32", [INNER, COLUMNS], weights)
    write(folder / "m.onnx", make_model(make_graph(
        [make_node("MatMul", ["x", "w"], ["y"]), make_node("Neg", ["w"], ["n"]), make_node("MatMul", ["x", "z"], ["t"])],
        [make_value("x", "f32", [ROWS, INNER]), make_value("z", "f32", [INNER, COLUMNS])],
        [make_value("y", "f32", [ROWS, COLUMNS]), make_value("n", "f32", [INNER, COLUMNS]),
         make_value("t", "f32", [ROWS, COLUMNS])], [constant])))
    contains(compiled(folder, "-mxfp6-matmul").out, "weights of 1 products", "one of two")
    equal(list(ran(folder, "n")), [-number for number in weights], "what others read stays")


PACKED = 2


def carried(program):
    """Transfers of packed values: bytes and elements of each."""
    for task in program.tasks:
        operand = program.operands[task.first_operand]
        value = program.buffers[operand.buffer].value
        if task.kind == file.TRANSFER and value != file.NONE and program.values[value].layout == PACKED:
            yield task.bytes, math.prod(operand.size[:operand.rank])


def refused(data):
    try:
        checker.check(data)
    except checker.Wrong as wrong:
        contains(str(wrong), "rule 5", "by the other prover as well")
        return
    raise Failure("the other prover finds nothing wrong")


def test_price(folder):
    """Weights are moved in 25 bytes for 32 of them, and the vector threads make reals of them; both provers look at it."""
    rows, inner, columns = 4, 256, 512
    weights = [((i * 7) % 13 - 6) / 8 for i in range(inner * columns)]
    write(folder / "m.onnx", make_model(make_graph(
        [make_node("MatMul", ["x", "w"], ["y"])], [make_value("x", "f32", [rows, inner])],
        [make_value("y", "f32", [rows, columns])], [make_tensor("w", "f32", [inner, columns], weights)])))
    for convert in ("weights=mxfp6", "f32=f16,weights=mxfp6"):
        opscope("compile", "m.onnx", "-t", "aic100", "--convert", convert, "-o", "m.opx", cwd=folder)
        opscope("verify", "m.opx", cwd=folder)
        data = (folder / "m.opx").read_bytes()
        checker.check(data)
        program = file.Program(data)
        moved = list(carried(program))
        true(moved and sum(count for _, count in moved) >= inner * columns, f"{convert}: all of them are moved")
        for size, count in moved:
            equal(size, -(-count * 25 // 32), f"{convert}: bytes of {count}")
        listed = opscope("program", "m.opx", "--json", cwd=folder).json()
        types = [group["type"] for group in listed["groups"]]
        equal(types.count("from_mxfp6"), 1, f"{convert}: one group unpacks")
        equal(listed["groups"][types.index("from_mxfp6")]["engine"], "hvx", f"{convert}: by the vector threads")
        wrong = bytearray(data)
        index = next(i for i, task in enumerate(program.tasks) if task.kind == file.TRANSFER and task.bytes == moved[0][0])
        file.put(wrong, "tasks", index, "bytes", moved[0][0] * 2)
        file.sign(wrong)
        write(folder / "wrong.opx", bytes(wrong))
        contains(opscope("verify", "wrong.opx", cwd=folder, code=1).err, "of another size than its operands", "refused")
        refused(bytes(wrong))


# Ports ------------------------------------------------------------------------------------

def test_integers_with_a_scale(folder):
    """int8 in, uint8 out: the network sees scale * (q - offset), and what it gives is rounded to nearest, ties to even."""
    write(folder / "m.onnx", make_model(make_graph(
        [make_node("Mul", ["x", "k"], ["y"])], [make_value("x", "f32", [256])], [make_value("y", "f32", [256])],
        [make_tensor("k", "f32", [1], [3.0])])))
    write(folder / "io.yaml", "- IOName: x\n  Precision: int8\n  Scale: 0.25\n  Offset: -3\n"
                              "- IOName: y\n  Precision: uint8\n  Scale: 0.5\n  Offset: 128\n")
    compiled(folder, "-custom-IO-list-file=io.yaml")
    write(folder / "x.bin", bytes(i % 256 for i in range(256)))
    got = ran(folder, "y", "x.bin", kind="B")
    want = []
    for i in range(256):
        q = i - 256 if i > 127 else i
        number = Fraction(q + 3, 4) * 3 / Fraction(1, 2)
        want.append(min(255, max(0, round(number) + 128)))  # round: to nearest, ties to even
    equal(list(got), want, "outputs")
    bound = opscope("info", folder / "b/programqpc.bin", "--json").json()[0]["networks"][0]
    equal([(one["type"], one["scale"], one["offset"]) for one in bound["inputs"] + bound["outputs"]],
          [("int8q", 0.25, -3), ("uint8q", 0.5, 128)], "as the container describes them")
    contains(opscope("info", folder / "b/programqpc.bin").out, "input x int8q [256], 0.25 * (q + 3)", "and says")
    compiled(folder, "-custom-IO-list-file=io.yaml", "-convert-to-fp16")
    true(max(abs(a - b) for a, b in zip(ran(folder, "y", "x.bin", kind="B"), want)) <= 1, "with halves inside")


def test_wrong_lists(folder):
    network(folder, weights_of(INNER * COLUMNS))
    for text, message in (("Precision: int8\n", "has no Scale"), ("Precision: int8\n  Scale: 0\n", "above 0"),
                          ("Precision: int8\n  Scale: x\n", "above 0"), ("Precision: int8\n  Scale: 1\n  Offset: 200\n", "Offset"),
                          ("Precision: uint8\n  Scale: 1\n  Offset: -1\n", "Offset"), ("Precision: float16\n  Scale: 1\n", "is for int8"),
                          ("Precision: mxint8\n", "float16, float32, int8 and uint8")):
        write(folder / "io.yaml", f"- IOName: x\n  {text}")
        contains(compiled(folder, "-custom-IO-list-file=io.yaml", code=255).err, message, repr(text))
    write(folder / "m.onnx", make_model(make_graph([make_node("Neg", ["x"], ["y"])], [make_value("x", "i32", [4])],
                                                   [make_value("y", "i32", [4])])))
    write(folder / "io.yaml", "- IOName: x\n  Precision: int8\n  Scale: 1\n")
    contains(compiled(folder, "-custom-IO-list-file=io.yaml", code=255).err, "only f32 of ONNX", "no reals")


if __name__ == "__main__":
    main()
