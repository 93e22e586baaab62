"""Names that files bring along steer no terminal; links are not followed to foreign data."""
from support import *
import onnx_writer as onnx

BAD = "x\u202ey\u2066z\u200e\u061c\x1b[31m\x07"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def harmless(result):
    true(STEERING.search(result.out + result.err) is None, f"what it shows is raw: {result}")


def network(path):
    node = onnx.node("Relu", [f"in{BAD}"], [f"out{BAD}"], name=f"node{BAD}")
    graph = onnx.graph([node], [onnx.value(f"in{BAD}", onnx.FLOAT, [2])],
                       [onnx.value(f"out{BAD}", onnx.FLOAT, [2])])
    return write(path, onnx.model(graph))


def test_networks(folder):
    path = network(folder / f"net{BAD}.onnx")
    program_path = folder / f"p{BAD}.opx"
    harmless(opscope("info", path))
    harmless(opscope("model", path))
    harmless(opscope("infer", path, "--random=1", code=None))
    harmless(opscope("compile", path, "--target", "host", "-o", program_path, code=None))
    harmless(opscope("program", program_path, code=None))
    harmless(opscope("run", program_path, code=None))
    harmless(opscope("model", folder / f"missing{BAD}.onnx", code=1))


main()
