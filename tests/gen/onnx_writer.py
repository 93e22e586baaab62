"""Writes ONNX models byte by byte, for tests: no library, no schema.

    from onnx_writer import *

    graph = make_graph(
        [make_node("Conv", ["x", "w"], ["y"], name="conv1", strides=[1, 1])],
        inputs=[make_value("x", "f32", [1, 3, "height", None])],
        outputs=[make_value("y", "f32")],
        initializers=[make_tensor("w", "f32", [8, 3, 3, 3], [0.5] * 216)])
    pathlib.Path("m.onnx").write_bytes(make_model(graph, opset=13))

Everything that is made is `bytes`, a protobuf message. Attributes of nodes take
the kind of the Python value: int, float, str, bytes, Tensor (make_tensor),
Graph (make_graph), Type (make_type), Sparse (make_sparse), or lists of one of
them; `ref("name")` refers to an attribute of the function around; an empty list
needs `Ints([])`, `Floats([])` or `Strings([])`.
"""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from perfetto_wire import varint  # noqa: E402

__all__ = [
    "ELEMENTS", "Floats", "Graph", "Ints", "Sparse", "Strings", "Tensor", "Type", "attribute", "field",
    "make_external", "make_function", "make_graph", "make_map_type", "make_model", "make_node",
    "make_optional", "make_optional_type", "make_sequence", "make_sequence_type", "make_sparse",
    "make_tensor", "make_type", "make_value", "packed", "raw_elements", "ref", "varint",
]

# Numbers of TensorProto.DataType, and how struct spells the elements.
ELEMENTS = {
    "f32": (1, "f"), "u8": (2, "B"), "i8": (3, "b"), "u16": (4, "H"), "i16": (5, "h"),
    "i32": (6, "i"), "i64": (7, "q"), "text": (8, None), "bool": (9, "?"), "f16": (10, "e"),
    "f64": (11, "d"), "u32": (12, "I"), "u64": (13, "Q"), "c64": (14, "f"), "c128": (15, "d"),
    "bf16": (16, "H"), "f8e4m3fn": (17, "B"), "f8e4m3fnuz": (18, "B"), "f8e5m2": (19, "B"),
    "f8e5m2fnuz": (20, "B"), "u4": (21, None), "i4": (22, None),
}

# Fields of TensorProto that hold elements one by one.
FLOAT_DATA, INT32_DATA, STRING_DATA, INT64_DATA, DOUBLE_DATA, UINT64_DATA = 4, 5, 6, 7, 10, 11
DATA_FIELDS = {
    "f32": FLOAT_DATA, "c64": FLOAT_DATA, "f64": DOUBLE_DATA, "c128": DOUBLE_DATA,
    "i64": INT64_DATA, "u32": UINT64_DATA, "u64": UINT64_DATA, "text": STRING_DATA,
}


class Tensor(bytes):
    """A TensorProto."""


class Sparse(bytes):
    """A SparseTensorProto."""


class Graph(bytes):
    """A GraphProto."""


class Type(bytes):
    """A TypeProto."""


class Ints(list):
    """A list of integers, also when it is empty."""


class Floats(list):
    """A list of floats, also when it is empty."""


class Strings(list):
    """A list of texts, also when it is empty."""


class ref(str):
    """An attribute of a function's node that stands for one of the function."""


def field(number, value):
    """One field: int as varint, float as four bytes, text and bytes with their length."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def packed(number, numbers):
    """Integers in one field."""
    return field(number, b"".join(map(varint, numbers)))


# Tensors ---------------------------------------------------------------------

def pairs_of_nibbles(values):
    low = list(values[0::2])
    high = list(values[1::2]) + [0] * (len(values) % 2)
    return bytes(a & 15 | (b & 15) << 4 for a, b in zip(low, high))


def flat_complex(values):
    return [part for value in values for part in (complex(value).real, complex(value).imag)]


def raw_elements(element, values):
    """The elements as raw_data holds them. bf16 and f8 are given as their bits."""
    if element in ("u4", "i4"):
        return pairs_of_nibbles(values)
    if element in ("c64", "c128"):
        values = flat_complex(values)
    return struct.pack("<%d%s" % (len(values), ELEMENTS[element][1]), *values)


def elements_one_by_one(element, values):
    number = DATA_FIELDS.get(element, INT32_DATA)
    if element == "text":
        return fields(number, values)
    if number in (FLOAT_DATA, DOUBLE_DATA):
        return field(number, raw_elements(element, values))
    if element in ("u4", "i4"):
        values = pairs_of_nibbles(values)
    elif element == "f16":
        values = struct.unpack("<%dH" % len(values), raw_elements(element, values))
    return packed(number, [int(value) for value in values])


def tensor_head(name, element, dims):
    return fields(1, dims) + field(2, ELEMENTS[element][0]) + (field(8, name) if name else b"")


def make_tensor(name, element, dims, values, raw=None):
    """Raw data unless `raw` is False or the elements are texts."""
    by_one = element == "text" if raw is None else not raw
    data = elements_one_by_one(element, values) if by_one else field(9, raw_elements(element, values))
    return Tensor(tensor_head(name, element, dims) + data)


def make_external(name, element, dims, **place):
    """A tensor whose data lies elsewhere: location="w.bin", offset=0, length=16."""
    entries = b"".join(field(13, field(1, key) + field(2, str(value))) for key, value in place.items())
    return Tensor(tensor_head(name, element, dims) + entries + field(14, 1))


def make_sparse(name, element, dims, values, indices):
    """`indices` are flat numbers, or lists with one for each dimension."""
    nested = indices and isinstance(indices[0], (list, tuple))
    flat = [i for index in indices for i in index] if nested else indices
    shape = [len(indices), len(dims)] if nested else [len(indices)]
    return Sparse(field(1, make_tensor(name, element, [len(values)], values)) +
                  field(2, make_tensor("", "i64", shape, flat)) + fields(3, dims))


def make_sequence(tensors, name=""):
    """A SequenceProto of tensors."""
    return (field(1, name) if name else b"") + field(2, 1) + fields(3, tensors)


def make_optional(value=None, name=""):
    """An OptionalProto: of a tensor, of a sequence (any other bytes), or empty."""
    head = field(1, name) if name else b""
    if value is None:
        return head
    if isinstance(value, Tensor):
        return head + field(2, 1) + field(3, value)
    return head + field(2, 3) + field(5, value)


# Types -----------------------------------------------------------------------

def dimension(length):
    if length is None:
        return b""
    return field(2, length) if isinstance(length, str) else field(1, length)


def tensor_type(element, dims):
    body = field(1, ELEMENTS[element][0] if isinstance(element, str) else element)
    if dims is not None:
        body += field(2, b"".join(field(1, dimension(length)) for length in dims))
    return body


def make_type(element, dims=None):
    """A tensor; a dimension is a number, a name or None; without dims the rank is unknown."""
    return Type(field(1, tensor_type(element, dims)))


def make_sequence_type(inner):
    return Type(field(4, field(1, inner)))


def make_optional_type(inner):
    return Type(field(9, field(1, inner)))


def make_map_type(key, value):
    return Type(field(5, field(1, ELEMENTS[key][0]) + field(2, value)))


def make_value(name, element=None, dims=None):
    """`element` is the name of one, a Type, or None where no type is declared."""
    if element is None:
        return field(1, name)
    declared = element if isinstance(element, Type) else make_type(element, dims)
    return field(1, name) + field(2, declared)


# Nodes, graphs, models -------------------------------------------------------

# Of AttributeProto: (number of the type, field).
SINGLE = {float: (1, 2), int: (2, 3), str: (3, 4), bytes: (3, 4), Tensor: (4, 5), Graph: (5, 6),
          Sparse: (11, 22), Type: (13, 14)}
PLURAL = {float: (6, 7), int: (7, 8), str: (8, 9), bytes: (8, 9), Tensor: (9, 10), Graph: (10, 11),
          Sparse: (12, 23)}
EMPTY = {Floats: (6, 7), Ints: (7, 8), Strings: (8, 9)}


def attribute(name, value, kind=None):
    """An AttributeProto; `kind` is the type of what a ref stands for."""
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, ref):
        return field(1, name) + field(21, str(value)) + (field(20, SINGLE[kind][0]) if kind else b"")
    if isinstance(value, (list, tuple)):
        number, where = EMPTY[type(value)] if type(value) in EMPTY else PLURAL[type(value[0])]
        if number == 6:
            value = [float(item) for item in value]
        return field(1, name) + fields(where, value) + field(20, number)
    number, where = SINGLE[type(value)]
    return field(1, name) + field(where, value) + field(20, number)


def make_node(operator, inputs, outputs, name="", domain="", doc="", metadata=(), overload="",
              **attributes):
    """`metadata` are pairs of key and value."""
    body = fields(1, inputs) + fields(2, outputs)
    if name:
        body += field(3, name)
    body += field(4, operator)
    body += b"".join(field(5, attribute(key, value)) for key, value in attributes.items())
    if doc:
        body += field(6, doc)
    if domain:
        body += field(7, domain)
    if overload:
        body += field(8, overload)
    return body + b"".join(field(9, field(1, key) + field(2, value)) for key, value in metadata)


def make_graph(nodes, inputs=(), outputs=(), initializers=(), values=(), name="graph"):
    """Inputs, outputs and values are made by make_value; initializers may be sparse."""
    body = fields(1, nodes) + field(2, name)
    for tensor in initializers:
        body += field(15 if isinstance(tensor, Sparse) else 5, tensor)
    return Graph(body + fields(11, inputs) + fields(12, outputs) + fields(13, values))


def make_opset(domain, version):
    return (field(1, domain) if domain else b"") + field(2, version)


def make_function(name, inputs, outputs, nodes, domain="local", opset=21, opsets=(), attributes=(),
                  defaults=None, overload=""):
    """`attributes` are names without, `defaults` a dict of names with a default."""
    body = field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes)
    body += fields(7, nodes) + field(9, make_opset("", opset))
    body += b"".join(field(9, make_opset(*pair)) for pair in opsets) + field(10, domain)
    body += b"".join(field(11, attribute(key, value)) for key, value in (defaults or {}).items())
    return body + (field(13, overload) if overload else b"")


def make_model(graph, opset=21, opsets=(), functions=(), ir_version=10, producer="opscope-tests"):
    """`opsets` are more pairs of domain and version."""
    body = field(1, ir_version) + field(2, producer) + field(7, graph)
    if opset is not None:
        body += field(8, make_opset("", opset))
    body += b"".join(field(8, make_opset(*pair)) for pair in opsets)
    return body + fields(25, functions)
