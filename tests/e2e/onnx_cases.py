"""Small networks as ONNX's test folders, with the outputs of ONNX Runtime run beside.

A case has a name, a network (`model()`), its `inputs` (name: element, dims, values) and a `tolerance`.
"""
from support import *
from onnxruntime import onnxruntime
from onnx_writer import ELEMENTS, field, make_tensor, raw_elements

# How ONNX Runtime's interface for node calls the elements.
NAMES = {"f32": "float32", "f64": "float64", "f16": "float16", "i8": "int8", "u8": "uint8", "i16": "int16",
         "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "bool": "bool",
         "text": "string"}
OURS = {name: element for element, name in NAMES.items()}


def lay_out(folder, case):
    """The folder of a case without its outputs."""
    place = folder / case.name
    data = place / "test_data_set_0"
    data.mkdir(parents=True)
    (place / "model.onnx").write_bytes(case.model())
    for index, (name, tensor) in enumerate(case.inputs.items()):
        (data / f"input_{index}.pb").write_bytes(make_tensor(name, *tensor))
    return data


def request(case, data):
    inputs = []
    for index, (name, (element, dims, values)) in enumerate(case.inputs.items()):
        path = data / f"input_{index}.bin"
        path.write_bytes(raw_elements(element, values))
        inputs.append({"name": name, "type": NAMES[element], "dims": dims, "file": str(path)})
    return {"model": str(data.parent / "model.onnx"), "inputs": inputs, "folder": str(data), "threads": 1,
            "optimization": "disabled"}


def raw_tensor(name, element, dims, data):
    """A TensorProto of bytes that are at hand."""
    return (b"".join(field(1, length) for length in dims) + field(2, ELEMENTS[element][0]) + field(8, name) +
            field(9, data))


def keep_outputs(data, answer):
    for index, output in enumerate(answer["outputs"]):
        element = OURS[output["type"]]
        tensor = (make_tensor(output["name"], element, output["dims"], output["values"])
                  if element == "text" else
                  raw_tensor(output["name"], element, output["dims"], pathlib.Path(output["file"]).read_bytes()))
        (data / f"output_{index}.pb").write_bytes(tensor)


def check(folder, cases):
    """One line for each case that does not pass."""
    wrong = []
    for tolerance in sorted({case.tolerance for case in cases}):
        some = [folder / case.name for case in cases if case.tolerance == tolerance]
        report = opscope("check", "--json", "--in-process", "--rtol", str(tolerance), "--atol", str(tolerance),
                         *some, code=None)
        lines = [json.loads(line) for line in report.out.splitlines()]
        equal(len([line for line in lines if "status" in line]), len(some), f"cases in {report}")
        wrong += [f"{pathlib.Path(line['case']).name}: {line['status']}: {line.get('reason', '')}"
                  for line in lines if line.get("status", "pass") != "pass"]
    return wrong


def compare_with_onnxruntime(folder, cases):
    """Fails for every case that ONNX Runtime computes otherwise, or not at all."""
    places = [lay_out(folder, case) for case in cases]
    answers = [onnxruntime(**request(case, data)) for case, data in zip(cases, places)]
    lacking = [f"{case.name}: {answer['error']}" for case, answer in zip(cases, answers) if "error" in answer]
    done = [case for case, answer in zip(cases, answers) if "error" not in answer]
    for case, data, answer in zip(cases, places, answers):
        if "error" not in answer:
            keep_outputs(data, answer)
    wrong = check(folder, done)
    true(not wrong + lacking, f"{len(wrong)} of {len(done)} differ:\n" + "\n".join(wrong) +
         f"\n{len(lacking)} that ONNX Runtime cannot compute:\n" + "\n".join(lacking))
