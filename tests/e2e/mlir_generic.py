"""An independent reading of the generic text that mlir-opt prints.

    for node in nodes(text): node.name, node.operands, node.attributes, node.results, node.line

Values are named by where they come from, so that two texts of one network
compare equal: "in 0", "node 3 result 0", or a constant as Constant(type, bytes).
"""

import re
import struct
from typing import NamedTuple

FORMATS = {"bool": "B", "i8": "b", "u8": "B", "i16": "h", "i32": "i", "u32": "I", "i64": "q", "i48": "q",
           "f32": "f", "f64": "d", "f16": "e"}


class Constant(NamedTuple):
    type: str
    count: int
    hash: int


class Node(NamedTuple):
    name: str
    operands: list
    attributes: dict
    results: list
    line: int


def bf16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def constant(kind, values):
    """A constant of a type such as 1x3xi8 with these numbers."""
    element = kind.split("x")[-1]
    if element == "bf16":
        data = struct.pack(f"<{len(values)}H", *map(bf16, values))
    else:
        data = struct.pack(f"<{len(values)}{FORMATS[element]}", *values)
    return of_bytes(kind, len(values), data)


def of_bytes(kind, count, data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return Constant(kind, count, state)


def split(text, separator=","):
    """Parts of a text between separators that stand in no brackets and texts."""
    parts, depth, start, quoted, at = [], 0, 0, False, 0
    while at < len(text):
        byte = text[at]
        if quoted:
            if byte == "\\":
                at += 1
            quoted = byte != '"'
        elif byte == '"':
            quoted = True
        elif byte in "([{<":
            depth += 1
        elif byte in ")]}" or byte == ">" and text[at - 1] != "-":
            depth -= 1
        elif byte == separator and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
        at += 1
    last = text[start:].strip()
    return parts + [last] if last or parts else []


def group(text, at):
    """The end of the bracket that opens at `at`, behind it."""
    depth, quoted = 0, False
    while True:
        byte = text[at]
        if quoted:
            if byte == "\\":
                at += 1
            quoted = byte != '"'
        elif byte == '"':
            quoted = True
        elif byte in "([{<":
            depth += 1
        elif byte in ")]}" or byte == ">" and text[at - 1] != "-":
            depth -= 1
        at += 1
        if depth == 0 and not quoted:
            return at


def type_text(text):
    """tensor<1x3xi8> as 1x3xi8, !tosa.shape<4> as 4xi64."""
    shape = re.fullmatch(r"!tosa\.shape<(\d+)>", text)
    if shape:
        return f"{shape[1]}xi64"
    inner = re.fullmatch(r"tensor<(.*)>", text)[1]
    return re.sub(r"\bindex$", "i64", re.sub(r"i1$", "bool", inner) if re.search(r"(^|x)i1$", inner) else inner
                  ).replace("xindex", "xi64").replace("ui8", "u8")


def types(text):
    return [type_text(part) for part in split(text[1:-1] if text.startswith("(") else text)]


def literal(text):
    """dense<...> : type."""
    body, kind = re.fullmatch(r"dense<(.*)> : (\S+)", text, re.S).groups()
    kind = type_text(kind)
    count = 1
    for length in kind.split("x")[:-1]:
        count *= int(length)
    if body.startswith('"0x'):
        data = bytes.fromhex(body[3:-1])
        return of_bytes(kind, count, data)
    words = [word for word in re.split(r"[\[\],\s]+", body) if word]
    values = [{"true": 1, "false": 0}.get(word) if word in ("true", "false") else
              float(word) if "." in word else int(word, 0) for word in words]
    return constant(kind, values * count if len(values) == 1 else values)


def attribute(text):
    """An attribute as opscope prints it; numbers with a point as float."""
    if text in ("true", "false"):
        return str(int(text == "true"))
    number = re.fullmatch(r"(-?\d+)(?: : [a-z0-9]+)?", text)
    if number:
        return number[1]
    real = re.fullmatch(r"(-?\d+\.\S+) : (b?f\d+)", text)
    if real:
        return struct.unpack("<f", struct.pack("<f", float(real[1])))[0]
    array = re.fullmatch(r"array<i\d+(?:: (.*))?>", text)
    if array:
        return f"[{array[1] or ''}]"
    keyword = re.fullmatch(r"#tosa\.\w+<(\w+)>", text)
    if keyword:
        return f'"{keyword[1]}"'
    if text.startswith("#"):
        return f'"{text}"'
    return text


def dictionary(text):
    entries = {}
    for entry in split(text.strip("{} ") if text else ""):
        name, _, value = entry.partition(" = ")
        entries[name] = value
    return entries


LINE = re.compile(r'\s*(?:(%\w+)(?::\d+)? = )?"([\w.]+)"(\(.*)$')


def tail(text):
    """Operands, properties and attributes, types, location behind an operation's name."""
    end = group(text, 0)
    operands = split(text[1:end - 1])
    entries = {}
    while True:
        text = text[end:].lstrip()
        if text.startswith("<{"):
            end = group(text, 0)
            entries.update(dictionary(text[2:end - 2]))
        elif text.startswith("{"):
            end = group(text, 0)
            entries.update(dictionary(text[1:end - 1]))
        else:
            break
    signature = re.match(r": (.*?) loc\((.*)\)$", text)
    given, results = signature[1].split(" -> ", 1)
    return operands, entries, types(given), types(results), int(re.search(r":(\d+):\d+\)?$", signature[2])[1])


def nodes(text):
    """The nodes of a function, and what it returns."""
    values, found = {}, []
    for row in text.split("\n"):
        block = re.match(r"\s*\^bb0\((.*)\):$", row)
        if block:
            for number, argument in enumerate(split(block[1])):
                values[argument.split(":")[0]] = f"in {number}"
            continue
        match = LINE.match(row)
        if not match or match[2] in ("func.func", "builtin.module"):
            continue
        result, name, rest = match.groups()
        operands, entries, given, results, line = tail(rest)
        if len(given) != len(operands):
            raise ValueError(f"{len(operands)} operands and {len(given)} types: {row}")
        if name == "func.return":
            return found, [values[operand] for operand in operands]
        if name in ("tosa.const", "tosa.const_shape", "arith.constant"):
            values[result] = literal(entries.get("values") or entries["value"])
            continue
        entries.pop("operandSegmentSizes", None)
        found.append(Node(name, [values[operand] for operand in operands],
                          {key: attribute(value) for key, value in entries.items()}, results, line))
        values[result] = f"node {len(found) - 1} result 0"
        for number in range(len(results)):
            values[f"{result}#{number}"] = f"node {len(found) - 1} result {number}"
    raise ValueError("no return")
