"""ONNX Runtime run beside opscope, and the comparison of what both compute."""
import array
import math

from support import *
from support import TOOLS, fetched, functools

# Names of elements: opscope's to ONNX Runtime's, and how Python's array spells them.
TYPES = {"f32": ("float32", "f"), "f64": ("float64", "d"), "f16": ("float16", "H"), "i8": ("int8", "b"),
         "ui8": ("uint8", "B"), "i16": ("int16", "h"), "ui16": ("uint16", "H"), "i32": ("int32", "i"),
         "ui32": ("uint32", "I"), "i64": ("int64", "q"), "ui64": ("uint64", "Q"), "i1": ("bool", "B")}
ELEMENTS = {name: element for element, (name, _) in TYPES.items()}


@functools.cache
def _process():
    """Started on the first use; ends with this process."""
    if shutil.which("node") is None:
        raise Skip("no node to run ONNX Runtime with")
    folder = fetched("onnxruntime")
    return subprocess.Popen(["node", TOOLS / "onnxruntime.js", folder], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def onnxruntime(**request):
    """One request as onnxruntime.js takes it; a failure of ONNX Runtime is in "error"."""
    process = _process()
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        _process.cache_clear()  # the next test gets another
    true(line, f"ONNX Runtime ended while it computed {request.get('model')}")
    return json.loads(line)


def compute_both(model, inputs, folder, *options, **request):
    """Outputs of opscope and of ONNX Runtime as lists of (element, dims, numbers).

    `inputs` are (name, "1x3xf32", array of numbers); further words are for opscope.
    """
    words, asked = [], []
    for index, (name, type_, numbers) in enumerate(inputs):
        *dims, element = type_.split("x")
        file = write(folder / f"in_{index}.bin", numbers.tobytes())
        words += ["--input", f"{name}={type_}=@{file}"]
        asked.append({"name": name, "type": TYPES[element][0], "dims": list(map(int, dims)),
                      "file": str(file)})
    answer = onnxruntime(model=str(model), inputs=asked, folder=str(folder), **request)
    true("error" not in answer, f"ONNX Runtime on {model}: {answer.get('error')}")
    theirs = [_numbers(ELEMENTS[output["type"]], output["dims"], output["file"])
              for output in answer["outputs"]]
    for index in range(len(theirs)):
        words += ["--output", folder / f"out_{index}.npy"]
    opscope("infer", model, *words, *options)
    ours = [_read_npy(folder / f"out_{index}.npy") for index in range(len(theirs))]
    return ours, theirs


def _numbers(element, dims, file, skip=0):
    numbers = array.array(TYPES[element][1])
    numbers.frombytes(pathlib.Path(file).read_bytes()[skip:])
    return element, list(dims), numbers


def _read_npy(file):
    head = re.match(rb"\x93NUMPY\x01\x00(..)\{'descr': '.(\w+)', 'fortran_order': False, 'shape': \((.*?)\)",
                    file.read_bytes(), re.DOTALL)
    kinds = {"f4": "f32", "f8": "f64", "f2": "f16", "i1": "i8", "u1": "ui8", "i2": "i16", "u2": "ui16",
             "i4": "i32", "u4": "ui32", "i8": "i64", "u8": "ui64", "b1": "i1"}
    dims = [int(word) for word in head[3].decode().replace(",", " ").split()]
    return _numbers(kinds[head[2].decode()], dims, file, 10 + int.from_bytes(head[1], "little"))


def largest_difference(ours, theirs):
    """Over all elements, against the largest magnitude of the output; NaN equals NaN."""
    magnitude = max((abs(number) for number in theirs if math.isfinite(number)), default=0) or 1
    worst = 0
    for a, b in zip(ours, theirs):
        if a == b or (a != a and b != b):
            continue
        worst = max(worst, abs(a - b) / magnitude if math.isfinite(a - b) else math.inf)
    return worst


def equal_outputs(ours, theirs, tolerance, what):
    """Types and shapes equal; numbers within `tolerance` of the output's magnitude, integers equal."""
    equal(len(ours), len(theirs), f"outputs of {what}")
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        equal(mine[:2], other[:2], f"type of output {index} of {what}")
        allowed = tolerance if mine[0] in ("f32", "f64") else 0
        worst = largest_difference(mine[2], other[2])
        true(worst <= allowed, f"output {index} of {what} differs by {worst:.3g} of its magnitude")
