"""Makes the values inside an ONNX network its outputs, so that all can be compared."""
from support import *
from onnx_writer import field, make_value

GRAPH, OUTPUT = 7, 12  # fields of ModelProto and GraphProto


def varint_at(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def _fields(data):
    """(number, bytes of the whole field, payload of those with a length)"""
    at = 0
    while at < len(data):
        start = at
        key, at = varint_at(data, at)
        payload = b""
        if key & 7 == 0:
            _, at = varint_at(data, at)
        elif key & 7 == 2:
            size, at = varint_at(data, at)
            payload = data[at:at + size]
            at += size
        else:
            at += 4 if key & 7 == 5 else 8
        yield key >> 3, data[start:at], payload


def expose(model, values):
    """The model with `values`, (name, element), as its only outputs."""
    outputs = b"".join(field(OUTPUT, make_value(name, element)) for name, element in values)
    result = b""
    for number, whole, payload in _fields(model):
        if number != GRAPH:
            result += whole
            continue
        kept = b"".join(part for inner, part, _ in _fields(payload) if inner != OUTPUT)
        result += field(GRAPH, kept + outputs)
    return result


def inner_values(model, *options):
    """(name, "1x3xf32") of what the operators of the main graph compute."""
    report = opscope("model", model, "--json", *options).json()
    return [(value["name"], value["type"]) for operator in report["operators"] if operator["graph"] == 0
            for value in operator["outputs"] if value and not value["constant"] and value["name"]]
