"""opscope infer: inputs of every kind, outputs of every kind, and what it says when they are wrong."""
import struct

from support import *
from onnx_writer import *


def model(folder, nodes, inputs, outputs, initializers=(), opset=17):
    graph = make_graph(nodes, inputs, outputs, initializers)
    return write(folder / "m.onnx", make_model(graph, opset=opset))


def adder(folder, dims=(2, 3), element="f32"):
    """out = left + right"""
    return model(folder, [make_node("Add", ["left", "right"], ["out"], name="adder")],
                 [make_value("left", element, dims), make_value("right", element, dims)],
                 [make_value("out", element, dims)])


def text_of(result):
    """What is printed behind each 'result[N]: name'."""
    lines = result.out.splitlines()
    equal(len(lines) % 2, 0, "lines")
    return lines[1::2]


def npy(descr, shape, data):
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data


def test_literals_in_order_and_by_name(folder):
    path = adder(folder)
    result = opscope("infer", path, "--input", "2x3xf32=[[1,2,3],[4,5,6]]", "--input=2x3xf32=0.5")
    equal(result.out, "result[0]: out\n2x3xf32=[1.5 2.5 3.5][4.5 5.5 6.5]\n", "output")
    result = opscope("infer", "-i", "right=2x3xf32=1,2,3,4,5,6", path, "-i", "2x3xf32=10")
    equal(text_of(result), ["2x3xf32=[11 12 13][14 15 16]"], "by name")


def test_files_come_in_and_go_out(folder):
    path = adder(folder)
    raw = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
    write(folder / "a.bin", raw)
    write(folder / "a.npy", npy("<f4", "(2, 3)", raw))
    write(folder / "a.pb", make_tensor("whatever", "f32", [2, 3], [1, 2, 3, 4, 5, 6]))
    want = struct.pack("<6f", 2, 4, 6, 8, 10, 12)
    for given in ("2x3xf32=@a.bin", "@a.bin", "@a.npy", "a.npy", "@a.pb", "&2x3xf32=@a.bin"):
        opscope("infer", path, "--input", given, "--input", "@a.bin", "--output=@o.bin", cwd=folder)
        equal((folder / "o.bin").read_bytes(), want, f"output for {given}")
    opscope("infer", path, "--input=a.npy", "--input=a.npy", "--output", "o.npy", cwd=folder)
    equal((folder / "o.npy").read_bytes(), npy("<f4", "(2, 3)", want), ".npy")
    result = opscope("infer", path, "--input=a.npy", "--input=a.npy", "--output", "o.pb", cwd=folder)
    equal(result.out, "", "nothing is printed")
    equal((folder / "o.pb").read_bytes(), make_tensor("out", "f32", [2, 3], [2, 4, 6, 8, 10, 12]), ".pb")


def test_outputs_go_to_their_places_in_order(folder):
    path = model(folder, [make_node("Split", ["x"], ["a", "b"], axis=0)], [make_value("x", "i32", [2])],
                 [make_value("a", "i32", [1]), make_value("b", "i32", [1])], opset=11)
    result = opscope("infer", path, "--input", "2xi32=7,8")
    equal(result.out, "result[0]: a\n1xi32=7\nresult[1]: b\n1xi32=8\n", "both")
    result = opscope("infer", path, "--input", "2xi32=7,8", "--output", "-")
    equal(result.out, "result[0]: a\n1xi32=7\n", "the first alone")
    result = opscope("infer", path, "--input", "2xi32=7,8", "-o", "a.bin", "-o", "-", cwd=folder)
    equal(result.out, "result[1]: b\n1xi32=8\n", "one of each")
    equal((folder / "a.bin").read_bytes(), struct.pack("<i", 7), "a.bin")
    contains(opscope("infer", path, *["--output=-"] * 3, code=2).err, "has 2 outputs")
    contains(opscope("infer", path, "-o", "x.txt", code=2).err, ".npy, .bin or .pb")


def test_random_inputs_depend_on_the_seed_alone(folder):
    path = adder(folder, [64, 64])
    outputs = [opscope("infer", path, "--output=-", *options).out for options in
               ([], ["--seed", "0"], ["--threads", "1"], ["--threads", "3"], ["--seed", "1"])]
    equal(outputs[1:4], [outputs[0]] * 3, "the same seed")
    true(outputs[0] != outputs[4], "another seed gives the same")
    numbers = [float(word) for word in re.findall(r"[-\d.E]+(?=[ \]])", outputs[0])]
    true(len(numbers) > 1000 and all(-2 <= number < 2 for number in numbers), "range")
    contains(outputs[0], "...", "1024 of 4096 elements")
    equal(opscope("infer", path, "--max-elements", "4096").out.count("..."), 0, "all elements")


def numbers_of(line):
    return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:E[-+]?\d+)?(?= |$)", line.split(": ", 1)[1])]


def test_large_outputs_are_summarised(folder):
    path = adder(folder, [10, 10])
    given = ["--input", f"10x10xf32={','.join(str(i) for i in range(-20, 80))}", "--input", "10x10xf32=0.5"]
    lines = opscope("infer", path, *given).out.splitlines()
    equal(lines[0], "result[0]: out", "head")
    true(lines[1].startswith("10x10xf32: ") and " ... " in lines[1], lines[1])
    equal(numbers_of(lines[1]), [i + 0.5 for i in [*range(-20, -12), *range(72, 80)]], "both ends")
    equal(lines[2:], ["  100 elements, least -19.5, most 79.5, mean 30; --full prints all"], "range")
    for options in (["--full"], ["--max-elements", "100"], ["--output", "-"]):
        said = opscope("infer", path, *given, *options).out
        equal(said.count("\n"), 2, f"lines with {options}")
        contains(said, "10x10xf32=[-19.5 -18.5", f"{options}")
        contains(said, " 79.5]", f"{options}")
        equal(said.count("..."), 0, f"{options}")
    code, shown = terminal([program("opscope"), "infer", path, *given])
    equal((code, shown.replace("\r\n", "\n").splitlines()), (0, lines), "on a terminal")
    both = opscope("infer", path, "--full", "--max-elements", "3", code=2).err
    contains(both, "only one of --full and --max-elements", "both")
    values = opscope("infer", path, *given, "--json").json()["outputs"][0]
    equal((len(values["values"]), values["left_out"]), (100, 0), "JSON has all")


def test_all_of_a_very_large_output(folder):
    path = adder(folder, [64, 64])
    said = opscope("infer", path, "--full").out
    equal((len(re.findall(r"[-\d.E]+(?=[ \]])", said.splitlines()[1])), said.count("...")), (4096, 0), "--full")
    equal(len(opscope("infer", path, "--full", "--json").json()["outputs"][0]["values"]), 4096, "as JSON")


def test_summaries_of_what_has_no_mean(folder):
    path = model(folder, [make_node("Identity", ["x"], ["y"])], [make_value("x", "f32", [40])],
                 [make_value("y", "f32", [40])])
    values = ["nan"] * 3 + ["1"] * 36 + ["inf"]
    last = opscope("infer", path, "--input", f"40xf32={','.join(values)}").out.splitlines()[-1]
    equal(last, "  40 elements, least 1, most INF, mean inf, 3 not a number; --full prints all", "some")
    last = opscope("infer", path, "--input", "40xf32=nan").out.splitlines()[-1]
    equal(last, "  40 elements, 40 not a number; --full prints all", "none")
    path = model(folder, [make_node("Identity", ["x"], ["y"])], [make_value("x", "bool", [40])],
                 [make_value("y", "bool", [40])])
    last = opscope("infer", path, "--input", "40xi1=1").out.splitlines()[-1]
    equal(last, "  40 elements, least 1, most 1, mean 1; --full prints all", "bools")
    few = opscope("infer", adder(folder, [32]), "--input", "32xf32=1", "--input", "32xf32=1").out
    contains(few, "32xf32=2 2 ", "what is not large")


def test_unknown_dimensions(folder):
    path = adder(folder, ["batch", None])
    both = "--shape=left=2x3", "--shape", "right=2x3"
    error = opscope("infer", path, code=2).err
    contains(error, "input 0 'left': dimension 0, 'batch', is not known: use --define-symbol batch,N")
    error = opscope("infer", path, "--define-symbol", "batch,2", code=2).err
    contains(error, "dimension 1 is not known: use --shape or --input")
    contains(opscope("infer", path, *both).out, "2x3xf32=[")
    given = opscope("infer", path, "-i", "1x2xf32=1,2", "-i", "1x2xf32=3,4")
    equal(text_of(given), ["1x2xf32=[4 6]"], "shapes from the inputs")


def test_wrong_inputs_are_named(folder):
    path = adder(folder)
    for given, code, said in (
            ("2x4xf32=1", 2, "input 0 'left': is 2x3xf32, but 2x4xf32 was given"),
            ("2x3xf64=1", 2, "input 0 'left': is 2x3xf32, but 2x3xf64 was given"),
            ("right=i8=1", 2, "input 1 'right': is 2x3xf32, but i8 was given"),
            ("2x3xf32=1,2", 2, "input 0 'left': 2 values instead of 6"),
            ("2x3xf32=one", 2, "input 0 'left': 'one' is not a value of type f32"),
            ("nonsense", 2, "input 0 'left': 'nonsense' is not a type"),
            ("middle=2x3xf32=1", 2, "'middle' is neither an input of the network (left, right) nor"),
            ("@missing.npy", 1, "missing.npy"),
            ("@m.onnx", 2, ".npy, .bin, .raw or .pb"),
            ("2x3xf32=@short.bin", 1, "short.bin: 4 bytes instead of 6 x 4"),
            ("@empty.npy", 1, "empty.npy: is no .npy file"),
    ):
        write(folder / "short.bin", b"1234")
        write(folder / "empty.npy", b"")
        contains(opscope("infer", path, "--input", given, code=code, cwd=folder).err, said, given)
    error = opscope("infer", path, *["--input=2x3xf32=1"] * 3, code=2).err
    contains(error, "the network has only 2 inputs")
    error = opscope("infer", path, *["--input=left=2x3xf32=1"] * 2, code=2).err
    contains(error, "'left' is given twice")


def test_the_network_is_not_overwritten(folder):
    graph = make_graph([make_node("Add", ["x", "w"], ["y"])], [make_value("x", "f32", [2])],
                       [make_value("y", "f32", [2])], [make_external("w", "f32", [2], location="w.bin")])
    path = write(folder / "m.pb", make_model(graph))
    write(folder / "w.bin", struct.pack("<2f", 1, 2))
    for target in ("m.pb", "./m.pb", "w.bin"):
        error = opscope("infer", path, "-i", "2xf32=1", "-o", target, cwd=folder, code=2).err
        contains(error, "would be overwritten", target)
    equal(text_of(opscope("infer", path, "-i", "2xf32=1")), ["2xf32=2 3"], "still there")


def test_wrong_use(folder):
    path = adder(folder)
    contains(opscope("infer", code=2).err, "give one network")
    contains(opscope("infer", path, path, code=2).err, "give one network")
    contains(opscope("infer", folder / "none.onnx", code=1).err, "none.onnx")
    contains(opscope("infer", write(folder / "empty.onnx", b""), code=1).err, "empty.onnx")
    contains(opscope("infer", path, "--seed", "x", code=2).err, "--seed")
    contains(opscope("infer", path, "--threads", "0", code=2).err, "--threads")
    contains(opscope("infer", "--help").out, "examples:")


def test_initializers_may_be_replaced(folder):
    path = model(folder, [make_node("Add", ["x", "w"], ["y"])],
                 [make_value("x", "i32", [2]), make_value("w", "i32", [2])],
                 [make_value("y", "i32", [2])], [make_tensor("w", "i32", [2], [10, 20])], opset=17)
    equal(text_of(opscope("infer", path, "-i", "2xi32=1,2")), ["2xi32=11 22"], "as the file says")
    given = opscope("infer", path, "-i", "2xi32=1,2", "-i", "w=2xi32=5")
    equal(text_of(given), ["2xi32=6 7"], "replaced")


def test_what_follows_from_an_initializer_is_calculated_anew(folder):
    """Values and shapes that follow from initializers are known before the network runs."""
    then = make_graph([make_node("Add", ["w", "w"], ["t"])], [], [make_value("t", "i64")])
    other = make_graph([make_node("Neg", ["w"], ["e"])], [], [make_value("e", "i64")])
    path = model(folder, [make_node("Mul", ["w", "w"], ["squared"]),
                          make_node("ConstantOfShape", ["squared"], ["zeros"]),
                          make_node("Shape", ["zeros"], ["y"]),
                          make_node("If", ["c"], ["z"], then_branch=then, else_branch=other)],
                 [make_value("c", "bool", []), make_value("w", "i64", [2])],
                 [make_value("y", "i64", [2]), make_value("z", "i64")],
                 [make_tensor("w", "i64", [2], [1, 2])])
    equal(text_of(opscope("infer", path, "-i", "i1=1")), ["2xi64=1 4", "2xi64=2 4"], "as the file says")
    given = opscope("infer", path, "-i", "i1=1", "-i", "w=2xi64=3,0", "--iterations", "2")
    equal(given.out.splitlines()[1:4:2], ["2xi64=9 0", "2xi64=6 0"], "replaced")


def test_sequences_and_texts(folder):
    path = model(folder, [make_node("SequenceConstruct", ["a", "a"], ["s"])], [make_value("a", "i8", [2])],
                 [make_value("s", make_sequence_type(make_type("i8", [2])))])
    equal(text_of(opscope("infer", path, "-i", "2xi8=1,2")), ["[2xi8=1 2, 2xi8=1 2]"], "sequence")
    opscope("infer", path, "-i", "2xi8=1,2", "-o", "s.pb", cwd=folder)
    pair = make_tensor("", "i8", [2], [1, 2])
    equal((folder / "s.pb").read_bytes(), make_sequence([pair, pair], "s"), "SequenceProto")
    error = opscope("infer", path, "-i", "2xi8=1,2", "-o", "s.npy", cwd=folder, code=1).err
    contains(error, "only .pb holds sequences")
    path = model(folder, [make_node("Identity", ["a"], ["b"])], [make_value("a", "text", [2])],
                 [make_value("b", "text", [2])])
    result = opscope("infer", path, "-i", '2xtext="a b" "\\"c"')
    equal(text_of(result), ['2xtext="a b" "\\"c"'], "texts")


def test_patterns_are_those_of_re2(folder):
    def matching(pattern):
        return model(folder, [make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)],
                     [make_value("x", "text", [2])], [make_value("y", "bool", [2])], opset=20)
    write(folder / "x.pb", make_tensor("x", "text", [2], ["ab12", "ab"]))
    result = opscope("infer", matching(r"[[:alpha:]]+\d+"), "--input", folder / "x.pb")
    equal(text_of(result), ["2xi1=1 0"], "which match")
    for pattern, said in ((r"(a)\1", "backreferences are not in RE2's syntax"),
                          (r"a(?=b).*", "looking ahead or back is not in RE2's syntax"),
                          (r"a(", "( without )"), (r"[b-a]", "pattern '[b-a]': range out of order")):
        error = opscope("infer", matching(pattern), "--input", folder / "x.pb", code=1).err
        contains(error, said, pattern)


def test_jpeg_is_decoded(folder):
    """Colours that grow from left to right and from the bottom to the top."""
    for name in ("waves.jpg", "progressive.jpg"):
        file = (ROOT / "tests/fuzz/corpus/picture" / name).read_bytes()
        path = model(folder, [make_node("ImageDecoder", ["x"], ["y"])], [make_value("x", "u8", [len(file)])],
                     [make_value("y", "u8", [None, None, 3])], opset=20)
        write(folder / "x.bin", file)
        given = ["--input", f"{len(file)}xui8=@{folder / 'x.bin'}"]
        output = opscope("infer", path, *given, "--json").json()["outputs"][0]
        equal(output["type"], "12x20x3xui8", "shape")
        for at, value in enumerate(output["values"]):
            row, column, colour = at // 60, at // 3 % 20, at % 3
            close_to(value, (40 + 10 * column, 200 - 12 * row, 60)[colour], 12, f"{name} at {row}, {column}")
        write(folder / "x.bin", file[:-40])
        path = model(folder, [make_node("ImageDecoder", ["x"], ["y"])],
                     [make_value("x", "u8", [len(file) - 40])], [make_value("y", "u8", [None, None, 3])], opset=20)
        error = opscope("infer", path, "--input", folder / "x.bin", code=1).err
        contains(error, "the JPEG file is damaged", "a file that is cut short")


def test_tosa_text(folder):
    path = write(folder / "m.mlir", """module {
  func.func @main(%a: tensor<2x2xi32>, %b: tensor<1x2xi32>) -> tensor<2x2xi32> {
    %0 = tosa.add %a, %b : (tensor<2x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}
""")
    result = opscope("infer", path, "-i", "2x2xi32=1,2,3,4", "-i", "1x2xi32=10,20")
    equal(text_of(result), ["2x2xi32=[11 22][13 24]"], "sum")
    contains(opscope("infer", path, "-i", "2x3xi32=1", code=2).err, "2x3xi32 was given")


def test_what_does_not_fit_memory_is_refused(folder):
    """A small file that asks for more than any machine has."""
    path = model(folder, [make_node("Expand", ["x", "dims"], ["y"], name="huge")],
                 [make_value("x", "f32", [1])], [make_value("y", "f32", None)],
                 [make_tensor("dims", "i64", [3], [1 << 20, 1 << 20, 4])])
    error = opscope("infer", path, code=1).err
    contains(error, "huge", "the node is named")
    # More than the three quarters that values may take, which the system would still promise.
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    path = adder(folder, [most // 4 * 7 // 8])
    contains(opscope("infer", path, code=1).err, "input 0 'left'", "the input is named")
    path = adder(folder, ["n"])
    error = opscope("infer", path, "--input", "1000000000000xf32=1", code=1).err
    contains(error, "too large", "literal")


def test_json_and_times(folder):
    path = adder(folder, [3], "i64")
    words = "infer", path, "-i", "3xi64=9007199254740993,2,3", "-i", "3xi64=0"
    report = opscope(*words, "--json", "--iterations", "3").json()
    equal(report["outputs"], [{"name": "out", "type": "3xi64", "values": [9007199254740993, 2, 3],
                               "left_out": 0}], "outputs")
    equal(report["iterations"], 3, "iterations")
    true(0 <= report["least_ms"] <= report["median_ms"], "times")
    matches(opscope(*words, "-n", "4").out,
            r"^4 iterations on this machine: median [\d.]+ ms, least [\d.]+ ms, most [\d.]+ ms$")
    path = adder(folder, [3], "f32")
    result = opscope("infer", path, "-i", "3xf32=nan,inf,0.1", "-i", "3xf32=0", "--json")
    equal(result.json()["outputs"][0]["values"][:2], ["NAN", "INF"], "what JSON has no number for")


def numbers(count, seed):
    """Some reals of which no two neighbours are alike."""
    return [((i * 7919 + seed * 104729) % 2003 - 1001) / 256 for i in range(count)]


def same_as_plain(path, *words):
    """Results of one run, whose weights are packed in passing, and of the last of three."""
    plain = opscope("infer", "--plain", path, *words, "--max-elements=100000").out
    equal(opscope("infer", path, *words, "--max-elements=100000").out, plain, "the first run")
    again = opscope("infer", path, *words, "--max-elements=100000", "--iterations=3").out
    equal("".join(again.splitlines(keepends=True)[:2]), plain, "the last run")


def test_products_with_constants_and_what_they_add(folder):
    added = {"none": None, "columns": [40], "row": [1, 40], "rows": [7, 1], "all": [7, 40], "one": [1]}
    for turned in (0, 1):
        for kind, dims in added.items():
            names = ["x", "w"] + ([] if dims is None else ["c"])
            given = [make_tensor("w", "f32", [40, 50] if turned else [50, 40], numbers(2000, turned))]
            if dims is not None:
                given.append(make_tensor("c", "f32", dims, numbers(dims[0] * dims[-1] if len(dims) > 1 else dims[0], 3)))
            nodes = [make_node("Gemm", names, ["y"], transB=turned), make_node("Relu", ["y"], ["out"])]
            path = model(folder, nodes, [make_value("x", "f32", [7, 50])], [make_value("out", "f32", [7, 40])],
                         given)
            write(folder / "x.bin", struct.pack("<350f", *numbers(350, 5)))
            same_as_plain(path, "--input", f"7x50xf32=@{folder / 'x.bin'}")


def test_curves_of_what_is_read_three_times(folder):
    """0.5 x (1 + tanh(0.8 (x + 0.04 x^3))), as GELU is often written."""
    scalars = {"half": 0.5, "three": 3.0, "some": 0.044715, "much": 0.7978846, "unit": 1.0}
    given = [make_tensor(name, "f32", [], [value]) for name, value in scalars.items()]
    given.append(make_tensor("w", "f32", [50, 40], numbers(2000, 1)))
    nodes = [make_node("MatMul", ["x", "w"], ["m"]), make_node("Mul", ["m", "half"], ["a"]),
             make_node("Pow", ["m", "three"], ["b"]), make_node("Mul", ["b", "some"], ["c"]),
             make_node("Add", ["m", "c"], ["d"]), make_node("Mul", ["d", "much"], ["e"]),
             make_node("Tanh", ["e"], ["f"]), make_node("Add", ["f", "unit"], ["g"]),
             make_node("Mul", ["a", "g"], ["out"])]
    path = model(folder, nodes, [make_value("x", "f32", [7, 50])], [make_value("out", "f32", [7, 40])], given)
    write(folder / "x.bin", struct.pack("<350f", *(number / 8 for number in numbers(350, 5))))
    same_as_plain(path, "--input", f"7x50xf32=@{folder / 'x.bin'}")


main()
