"""Networks computed in other elements than their own: f32 as bf16 or f16, i64 as i32.

What is held against ONNX Runtime's f32 may differ by 2^-5 (bf16) or 2^-8 (f16) of the largest
magnitude of a value; what is held against the plain executor on the converted network is equal.
"""
import array
import math

from support import *
from compiling import TARGET, torq_compile, torq_run_module
from onnx_values import *
from onnx_writer import *
from onnxruntime import compute_both, largest_difference

sys.path.append(str(ROOT / "tests"))
sys.path.append(str(ROOT / "tests/tools"))
import conformance  # noqa: E402
import equality  # noqa: E402
from program_file import sections_of, sign  # noqa: E402

BF16, F16 = "f32=bf16,i64=i32", "f32=f16"
TOLERANCES = {BF16: 2**-5, F16: 2**-8}
REALS = ["speech_lstm", "squeezenet1_1", "unet_small", "vit_micro"]
INTEGERS = ["mobilenet_v2_int8", "squeezenet1_1_int8"]

# Of the ONNX project's tests: what differs, and why.
DIGITS = "texts have as many digits as the element"
SEQUENCE = "an output is a sequence, which has no cast back"
EXCEPTIONS = {
    "test_cast_FLOAT_to_STRING": DIGITS, "test_castlike_FLOAT_to_STRING": DIGITS,
    "test_castlike_FLOAT_to_STRING_expanded": DIGITS,
    "test_dynamicquantizelinear_expanded": "integers that are rounded from reals",
    "test_dynamicquantizelinear_max_adjusted_expanded": "integers that are rounded from reals",
    "test_dynamicquantizelinear_min_adjusted_expanded": "integers that are rounded from reals",
    "test_if_opt": SEQUENCE, "test_if_seq": SEQUENCE, "test_loop16_seq_none": SEQUENCE,
    "test_logsoftmax_large_number": "10003 has no neighbours at a distance of 1",
    "test_logsoftmax_large_number_expanded": "10003 has no neighbours at a distance of 1",
    "test_softmax_large_number": "10003 has no neighbours at a distance of 1",
    "test_softmax_large_number_expanded": "10003 has no neighbours at a distance of 1",
    "test_reduce_prod_default_axes_keepdims_example": "12! is beyond f16",
    "test_tan": "near the pole",
}


def numbers(path, kind="f"):
    found = array.array(kind)
    found.frombytes(path.read_bytes())
    return found


def worst(got, want):
    """The largest difference, of the largest magnitude."""
    largest = max(map(abs, want), default=0) or 1
    return max((abs(a - b) for a, b in zip(got, want)), default=0) / largest


def small(folder, mask=-10.0):
    """A product, a sum, a softmax and an index: some of what networks are made of."""
    weights = make_tensor("w", "f32", [24, 16], [((i * 37) % 19 - 9) / 16.1 for i in range(24 * 16)])
    nodes = [make_node("MatMul", ["x", "w"], ["p"], name="product"),
             make_node("Add", ["p", "mask"], ["s"], name="sum"),
             make_node("Softmax", ["s"], ["t"], name="softmax"),
             make_node("Gather", ["t", "at"], ["y"], name="rows")]
    graph = make_graph(nodes, [make_value("x", "f32", [8, 24]), make_value("at", "i64", [4])],
                       [make_value("y", "f32", [4, 16])],
                       [weights, make_tensor("mask", "f32", [16], [0.0] * 15 + [mask])])
    return write(folder / "small.onnx", make_model(graph))


# Against others -----------------------------------------------------------------------------

def test_outputs_are_those_of_the_reference_in_f32():
    for conversion in TOLERANCES:
        for name in REALS:
            opscope("check", shared(f"data/models/{name}"), "--convert", conversion)


def test_quantized_networks_stay_what_they_are(folder):
    for name in INTEGERS[1 if SANITIZED else 0:]:
        path = shared(f"data/models/{name}/model.onnx")
        opscope("infer", path, "--output", "plain.bin", cwd=folder)
        for conversion in TOLERANCES:
            opscope("infer", path, "--convert", conversion, "--output", "converted.bin", cwd=folder)
            equal(*((folder / part).read_bytes() for part in ("plain.bin", "converted.bin")), f"{name} as {conversion}")


def test_values_inside_are_those_of_onnxruntime(folder):
    """Every value of a network as its output: those of vit_micro itself are all 0."""
    networks = ["speech_lstm"] if SANITIZED else ["speech_lstm", "vit_micro", "unet_small"]
    for name in networks:
        path = shared(f"data/models/{name}/model.onnx")
        values = [(value, type_.split("x")[-1]) for value, type_ in inner_values(path)]
        values = [value for value in values if value[1] == "f32"]
        model = write(folder / "inside.onnx", expose(path.read_bytes(), values))
        inputs = []
        for index, value in enumerate(opscope("model", model, "--json").json()["inputs"]):
            count = math.prod(int(length) for length in value["type"].split("x")[:-1])
            inputs.append((value["name"], value["type"],
                           array.array("f", [math.sin(0.37 * i + index) for i in range(count)])))
        for conversion, tolerance in TOLERANCES.items():
            ours, theirs = compute_both(model, inputs, folder, "--convert", conversion, optimization="disabled")
            true(len(ours) > 10, f"{name} has only {len(ours)} values inside")
            for (value, _), mine, other in zip(values, ours, theirs):
                equal(mine[:2], other[:2], f"type of '{value}' of {name}")
                far = largest_difference(mine[2], other[2])
                true(far <= tolerance, f"'{value}' of {name} as {conversion}: {far:.3g} of its magnitude")


def test_the_onnx_projects_tests(folder):
    if not conformance.DATA.is_dir():
        raise Skip(f"no {conformance.DATA} (Debian's libonnx-testdata)")
    every = 1 if os.environ.get("OPSCOPE_ALL") else 60 if SANITIZED else 12
    cases = sorted(path.parent for path in (conformance.DATA / "node").glob("*/model.onnx"))[::every]
    already = conformance.exceptions()  # what differs in f32
    for conversion in (*TOLERANCES, "i64=i32"):
        report = opscope("check", *cases, "--convert", conversion, "--json", code=None)
        for line in map(json.loads, report.out.splitlines()):
            name = pathlib.Path(line["case"]).name
            known = name in EXCEPTIONS or "sequence_map" in name or f"node/{name}" in already
            true(line["status"] == "pass" or known, f"{name} as {conversion}: {line}")


def test_tosa_networks(folder):
    """Against what they give in f32 themselves, which MLIR's lowering was held against."""
    paths = [path for path in sorted(shared("data/tosa").glob("*.mlir")) if "xf32>" in path.read_text()]
    true(len(paths) >= 10, f"only {len(paths)} networks of floats")
    for path in paths:
        report = opscope("model", path, "--json").json()
        steps = re.search("ceil|floor|cast", path.name)  # a rounding may take them over an edge
        if steps or not all(value["type"].endswith("f32") for value in report["outputs"]):
            continue
        places = [word for index in range(len(report["outputs"])) for word in ("-o", f"{index}.bin")]
        opscope("infer", path, *places, cwd=folder)
        want = [numbers(folder / f"{index}.bin") for index in range(len(report["outputs"]))]
        for conversion, tolerance in TOLERANCES.items():
            opscope("infer", path, *places, "--convert", conversion, cwd=folder)
            for index, wanted in enumerate(want):
                far = worst(numbers(folder / f"{index}.bin"), wanted)
                true(far <= tolerance, f"{path.name} as {conversion}: {far:.3g}")


def test_programs_compute_what_the_plain_executor_does(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    for words, differ in equality.sample(equality.CONVERTED, every=120 if SANITIZED else 40):
        equal(differ, [], words)


# Commands -----------------------------------------------------------------------------------

def test_torq_compile_converts(folder):
    network = small(folder)
    plain = opscope("compile", network, "-t", TARGET, "-o", folder / "p.opx", "--json").json()
    said = torq_compile(network, "-o", "m.vmfb", "--torq-convert-dtypes", "--summary", cwd=folder).out
    contains(said, "converted f16=bf16,f32=bf16,i64=i32: 4 operators, 2 constants, 3 casts", "summary")
    contains(opscope("verify", folder / "m.vmfb").out, "proved\n  converted f16=bf16,f32=bf16,i64=i32\n", "verify")
    equal(opscope("program", folder / "m.vmfb", "--json").json()["converted"], "f16=bf16,f32=bf16,i64=i32", "program")
    converted = opscope("compile", network, "-t", TARGET, "-o", folder / "c.opx", "--convert", BF16, "--json").json()
    equal(converted["converted"], {"elements": BF16, "operators": 4, "operators_that_stay": 0, "constants": 2,
                                   "casts": 3, "numbers_beyond_range": 0}, "JSON")
    true("converted" not in plain, "of what is not converted nothing is said")
    true(plain["groups_on_host"] > 2, "f32 is computed by the host")
    equal(converted["groups_on_host"], 1, "of the rest only i64 is cast there")
    true(converted["constants"] < plain["constants"], "constants are half as large")


def test_torq_runs_what_was_converted(folder):
    """Inputs and outputs stay; what is expected in f32 is compared as bf16 allows."""
    network = small(folder)
    inputs = ("--input", "x=8x24xf32=@x.bin", "--input", "at=4xi64=[0,7,3,3]")
    write(folder / "x.bin", array.array("f", [math.sin(i) for i in range(8 * 24)]).tobytes())
    opscope("infer", network, *inputs, "--output", "want.npy", cwd=folder)
    torq_compile(network, "-o", "m.vmfb", "--torq-convert-dtypes", cwd=folder)
    run_it = ("--module=m.vmfb", "--input=8x24xf32=@x.bin", "--input=4xi64=[0,7,3,3]")
    contains(torq_run_module(*run_it, "--expected_output=@want.npy", cwd=folder).out, "[SUCCESS]", "within 2^-5")
    torq_run_module(*run_it, "--expected_output=4x16xf32=0.5", cwd=folder, code=1)
    torq_compile(network, "-o", "m.vmfb", "--torq-convert-dtypes", "--torq-convert-io-dtype", cwd=folder)
    ports = [value for value in opscope("program", folder / "m.vmfb", "--json", "--values").json()["values"]
             if value["kind"] in ("input", "output")]
    equal(sorted({value["type"].split("x")[-1] for value in ports}), ["bf16", "i32"], "ports")


def test_qaic_compile_converts(folder):
    network = small(folder, mask=-3e38)
    compiler = program("qaic-compile")
    said = run(compiler, f"-model={network}", "-aic-binary-dir=b", "-convert-to-fp16", "-aic-perf-warnings", cwd=folder)
    contains(said.out, "Compile started ............... \nCompiling model with FP16 precision.\n", "the line of the tool")
    contains(said.err, "AIC WARNING: range: 1 number of 1 constant is beyond what f32=f16 allows and infinite now, as "
                       "-3e+38; the first is in 'mask'", "what became infinite")
    plain = run(compiler, f"-model={network}", "-aic-binary-dir=p", "-aic-perf-warnings", cwd=folder)
    true("FP16" not in plain.out and "range:" not in plain.err, "not without it")
    small(folder)
    run(compiler, f"-model={network}", "-aic-binary-dir=r", "-convert-to-fp16", cwd=folder)
    contains(run(program("qaic-runner"), "--test-data=r", "--num-iter=2", cwd=folder).out, "InferenceCnt 2", "it runs")


def test_the_matrix_unit_takes_halves(folder):
    weights = make_tensor("w", "f32", [64, 32], [((i * 37) % 19 - 9) / 16.1 for i in range(64 * 32)])
    graph = make_graph([make_node("MatMul", ["x", "w"], ["p"], name="product"), make_node("Relu", ["p"], ["y"])],
                       [make_value("x", "f32", [96, 64])], [make_value("y", "f32", [96, 32])], [weights])
    network = write(folder / "product.onnx", make_model(graph))
    for words, engine in (([], "hvx"), (["--convert", F16], "hmx")):
        opscope("compile", network, "-t", "aic100", "-o", "h.opx", *words, cwd=folder)
        groups = opscope("program", "h.opx", "--groups", "--json", cwd=folder).json()["groups"]
        engines = {group["name"]: group["engine"] for group in groups}
        equal(engines["product"], engine, f"{words}: also with the limit behind it, and a cast of the output")


def test_a_network_of_one_numbers_runs_the_same_on_the_card(folder):
    """The program of the card and the plain executor, bit for bit."""
    network = small(folder)
    inputs = ("--input", "at=4xi64=[0,7,3,3]", "--seed", "3")
    for conversion, target in ((BF16, TARGET), (F16, "aic100"), (F16, "host")):
        opscope("compile", network, "-t", target, "--convert", conversion, "-o", "m.opx", cwd=folder)
        opscope("run", "m.opx", *inputs, "--output", "run.bin", cwd=folder)
        opscope("infer", network, "--plain", "--convert", conversion, *inputs, "--output", "plain.bin", cwd=folder)
        equal(*((folder / name).read_bytes() for name in ("run.bin", "plain.bin")), f"{conversion} on {target}")


# Wrong use ----------------------------------------------------------------------------------

def test_wrong_use(folder):
    network = small(folder)
    for text, why in (("f32", "'f32' is no conversion: f16, bf16, f32 and f64 can become one another"),
                      ("f32=i8", "'f32=i8' is no conversion"), ("ports", "says nothing to convert"),
                      ("f32=f16,f32=bf16", "f32=f16 and f32=bf16 exclude each other")):
        contains(opscope("infer", network, "--convert", text, code=2).err, why, text)
    contains(opscope("check", folder, "--convert", "f32=f16,ports", code=2).err, "cannot be compared", "ports")
    contains(torq_compile(network, "-o", folder / "m.vmfb", "--torq-convert-dtypes", "--convert", F16, code=2).err,
             "choose one", "both")


def test_integers_that_do_not_fit(folder):
    graph = make_graph([make_node("Add", ["n", "c"], ["y"])], [make_value("n", "i64", [2])],
                       [make_value("y", "i64", [2])], [make_tensor("c", "i64", [2], [1, 1 << 40])])
    network = write(folder / "n.onnx", make_model(graph))
    said = torq_compile(network, "-o", folder / "m.vmfb", "--torq-convert-dtypes", code=1).err
    contains(said, "constant 'c': element 1, 1099511627776, does not fit i32", "the constant")


def test_a_program_with_another_conversion_is_refused(folder):
    opscope("compile", small(folder), "-t", TARGET, "--convert", F16, "-o", folder / "m.opx")
    data = bytearray((folder / "m.opx").read_bytes())
    equal(data[8], 3, "version")
    name, offset, size, _, _ = sections_of(data)[-1]
    equal((name, bytes(data[offset:offset + size])), ("conversion", b"f32=f16"), "section")
    data[offset] = ord("g")
    sign(data)
    contains(opscope("verify", write(folder / "m.opx", bytes(data)), code=1).err, "section 'conversion' is none", "altered")


main()
