"""MLIR text is read as mlir-opt reads it: operations, operands, attributes, types, lines."""

import mlir_generic
from support import *

FILES = "data/tosa"


def mlir_opt(path, *options):
    tool = shutil.which("mlir-opt-22")
    if tool is None:
        raise Skip("no mlir-opt-22")
    return run(tool, "--mlir-print-op-generic", *options, path).out


def files():
    return sorted(shared(FILES).glob("*.mlir"))[::10 if SANITIZED else 1]


def readable(path, folder):
    """The file, or a copy that mlir-opt 22 can read: it wants keywords without quotes."""
    text = path.read_text()
    changed = re.sub(r'rounding_mode = "(\w+)"', r"rounding_mode = \1", text)
    return path if text == changed else write(folder / path.name, changed)


# What `opscope model --text` prints ------------------------------------------

ROW = re.compile(r"  (%\S+: \S+(?:, %\S+: \S+)*) = ([\w.]+)\((.*?)\)(?: \{(.*)\})? line (\d+)(?: at .*)?$")


def operand(text, values):
    if text.startswith("%"):
        return values[text]
    kind, _, body = text.partition("=")
    hashed = re.fullmatch(r"<(\d+) values, ([0-9a-f]{16})>", body)
    if hashed:
        return mlir_generic.Constant(kind, int(hashed[1]), int(hashed[2], 16))
    number = float if re.search(r"f\d+$", kind) else int
    return mlir_generic.constant(kind, [number(word) for word in mlir_generic.split(body[1:-1])])


def attribute(text, like):
    return float(text) if isinstance(like, float) else text


def printed(text):
    rows = text.rstrip("\n").split("\n")
    head = re.fullmatch(r"graph \w+\((.*)\) -> \((.*)\)", rows[0])
    values = {entry.split(":")[0]: f"in {number}" for number, entry in enumerate(mlir_generic.split(head[1]))}
    found = []
    for row in rows[1:]:
        match = ROW.fullmatch(row)
        true(match, f"a row of another form: {row}")
        results = [result.split(": ") for result in match[1].split(", ")]
        entries = mlir_generic.dictionary(match[4])
        if entries.get("local_bound") == "0":
            del entries["local_bound"]
        found.append(mlir_generic.Node(match[2], [operand(word, values) for word in mlir_generic.split(match[3])],
                                       entries, [kind for _, kind in results], int(match[5])))
        for number, (name, _) in enumerate(results):
            values[name] = f"node {len(found) - 1} result {number}"
    return found, [operand(word, values) for word in mlir_generic.split(head[2])]


def compare(ours, oracle, name, lines):
    true(len(ours[0]) == len(oracle[0]), f"{name}: {len(ours[0])} nodes instead of {len(oracle[0])}")
    for got, want in zip(ours[0], oracle[0]):
        got = got._replace(attributes={key: attribute(value, want.attributes.get(key))
                                       for key, value in got.attributes.items()})
        if not lines:
            got = got._replace(line=want.line)
        equal(got, want, f"{name}: {want.name}")
    equal(ours[1], oracle[1], f"{name}: what it returns")


def oracle_of(path, folder, *options):
    text = mlir_opt(readable(path, folder), "--mlir-print-debuginfo", "--mlir-print-local-scope", *options)
    return text, mlir_generic.nodes(text)


def test_every_file_is_what_mlir_opt_says(folder):
    """As it is written, and in the generic form that mlir-opt prints."""
    for path in files():
        text, oracle = oracle_of(path, folder)
        compare(printed(opscope("model", "--text", path).out), oracle, path.name, lines=True)
        again = write(folder / "generic.mlir", text)
        compare(printed(opscope("model", "--text", again).out), oracle, path.name, lines=False)


def test_hexadecimal_literals_are_the_same_numbers(folder):
    for name in ("conv_5x5_odd_frame_stride2", "dw_21x21_odd_frame_stride2", "scatter", "dw_16x16-bf16"):
        path = shared(f"{FILES}/{name}.mlir")
        _, oracle = oracle_of(path, folder)
        text = mlir_opt(path, "--mlir-print-elementsattrs-with-hex-if-larger=0")
        contains(text, '"0x')
        again = write(folder / "hex.mlir", text)
        compare(printed(opscope("model", "--text", again).out), oracle, name, lines=False)


def test_shipped_networks_are_what_mlir_opt_says(folder):
    """Every operator is among them, and branches and loops."""
    for path in [*(ROOT / "tests/testdata/tosa_ops").glob("*.mlir"), *(ROOT / "samples/tosa").glob("*.mlir")]:
        again = write(folder / "generic.mlir", mlir_opt(path))
        got, want = (canonical(opscope("model", "--text", file).out) for file in (path, again))
        true(len(got) > 1, f"{path}: nothing was printed")
        equal(got, want, path.name)


def canonical(text):
    """The rows without names of values, lines and locations: a value is called by the order of definitions."""
    names, rows, unfinished = {}, [], []

    def use(part):
        return re.sub(r"%[\w#]+", lambda match: names[match[0]], part)

    def define(part):
        for number, name in enumerate(re.findall(r"(%[\w#]+): ", part)):
            names[name] = f"%{len(rows)}.{number}"
        return use(part)

    def finish(indent):
        while unfinished and unfinished[-1][0] >= indent:
            _, row, results = unfinished.pop()
            rows[row] += use(results)

    for row in text.rstrip("\n").split("\n"):
        indent = len(row) - len(row.lstrip())
        finish(indent)
        if row.lstrip().startswith("graph "):
            head, results = row.split(" -> ")
            unfinished.append((indent, len(rows), results))
            rows.append(define(head))
        else:
            results, operation = row.split(" = ", 1)
            operation = use(re.sub(r'( "[^"]*")? line \d+.*', "", operation))
            rows.append(f"{define(results)} = {operation}")
    finish(0)
    return [re.sub(r"%\d+\.\d+(?=: )", "%", row) for row in rows]


# Without an oracle ------------------------------------------------------------

CONV = """func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x3xi8> {{
  %w = {const} dense<[[[[1, 2]]], [[[3, 4]]], [[[-5, 6]]]]> : tensor<3x1x1x2xi8>{end} : () -> tensor<3x1x1x2xi8>
  %b = {const} dense<[7, 8, 9]> : tensor<3xi32>{end} : () -> tensor<3xi32>
{body}
  return %1 : tensor<1x4x4x3xi8>
}}
"""

OLD = CONV.format(const='"tosa.const"() {value =', end="}", body="""
  %0 = "tosa.conv2d"(%x, %w, %b) {dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>,
       quantization_info = #tosa.conv_quant<input_zp = -7, weight_zp = 1>}
       : (tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xi32>) -> tensor<1x4x4x3xi32>
  %1 = "tosa.rescale"(%0) {double_round = false, input_zp = 0 : i32, multiplier = array<i32: 1073741824>,
       output_zp = 4 : i32, per_channel = false, scale32 = true, shift = array<i8: 33>}
       : (tensor<1x4x4x3xi32>) -> tensor<1x4x4x3xi8>""")

NEW = CONV.format(const='"tosa.const"() <{values =', end="}>", body="""
  %izp = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %wzp = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %izp, %wzp {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x3xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m, %s, %z, %o {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x4x4x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x3xi8>""")


def test_old_and_new_spelling_are_one_network(folder):
    texts = [opscope("model", "--text", write(folder / name, text)).out for name, text in
             (("old.mlir", OLD), ("new.mlir", NEW))]
    equal(*(re.sub(r" line \d+", "", text) for text in texts), "0.x and 1.0")


def test_unknown_operations_are_named_with_their_line(folder):
    path = write(folder / "x.mlir", NEW.replace("tosa.rescale", "tosa.rescaled"))
    equal(opscope("model", path, code=1).err,
          f"opscope: {path}:12: there is no operation 'tosa.rescaled'\n", "message")


def test_wrong_text_is_refused_with_its_place(folder):
    path = write(folder / "x.mlir", NEW.replace("-> tensor<1x4x4x3xi32>", "-> tensor<1x4x4x3xi32", 1))
    result = opscope("model", path, code=1)
    matches(result.err, rf"opscope: {re.escape(str(path))}:\d+:\d+: expected ")


def test_a_small_file_cannot_claim_much_memory(folder):
    path = write(folder / "x.mlir", """func.func @main() -> tensor<2000000000xi8> {
  %0 = "tosa.const"() <{values = dense<1> : tensor<2000000000xi8>}> : () -> tensor<2000000000xi8>
  return %0 : tensor<2000000000xi8>
}
""")
    contains(opscope("model", path, code=1).err, f"{path}:2:40: the splats of the text take too much memory")


def test_the_dump_of_a_compiler_is_no_network_but_is_read(folder):
    path = shared("data/torq/scalar_add.9.executable-targets.mlir")
    contains(opscope("model", path, code=1).err, ":11: there is no operation 'util.global' outside of functions")


main()
