"""Compiled programs as docs/formats/program.md lays them out: read, altered and signed. Version 1
is read as version 2 has it."""

import struct
import zlib

NONE = 0xFFFFFFFF
RANK_MOST = 12

COST = ("I:cost H3:bits H:float I:function Q:outputs Q:channels Q:inner Q:groups Q:bytes Q:macs Q:cycles "
        "I:variant I:kernel Q:run")

# Name, and the fields of an item; a field that is an array has its length behind it.
# Sections without fields are bytes.
LAYOUT = [
    ("target", None), ("source", None), ("texts", None), ("constants", None),
    ("inputs", "I:id"), ("outputs", "I:id"),
    ("operators", "I:name I:type I:location I:document I:group I:first I:inputs I:outputs "
                  "Q:macs Q:flops Q:elements Q:read Q:written Q:weights Q:known"),
    ("values", "I:name H:element H:kind I:rank I:layout q12:dims Q:data Q:bytes"),
    ("operator_values", "I:id"),
    ("groups", "I:name I:type I:reason I:engine I:first_node I:node_count"),
    ("nodes", "I:operator I:type I:domain I:version I:first_value I:inputs I:outputs "
              "I:first_attribute I:attribute_count"),
    ("node_values", "I:id"),
    ("attributes", "I:name I:kind Q:data I:count I:element I:rank I:zero q12:dims"),
    ("graphs", "I:first_node I:node_count I:first_value I:inputs I:outputs I:zero"),
    ("buffers", "I:name I:value I:memory I:unit H:kind H:element I:rank Q:address Q:size I:alias I:from "
                "I:to I:zero q12:dims q12:origin"),
    ("tasks", "I:group I:tile I:engine I:unit I:lane I:kind I:job I:first_unit I:unit_count I:first_stage "
              "I:stage_count I:first_operand I:operand_count I:first_call I:call_count I:first_dependency "
              "I:dependency_count I:zero " + COST),
    ("operands", "I:buffer I:writes I:rank I:zero q12:from q12:size"),
    ("calls", "I:node I:first_buffer I:first_attribute I:attribute_count"),
    ("call_buffers", "I:id"),
    ("dependencies", "I:task I:data"),
    ("task_units", "I:id"),
    ("stages", "I:engine I:ring I:depth I:pieces " + COST),
    ("streams", "I:name I:queue I:unit I:zero"),
    ("semaphores", "I:name I:stream"),
    ("steps", "I:kind I:stream I:task I:number I:block I:semaphore I:count I:zero"),
    ("jobs", "I:name I:dispatch I:number I:first_step I:step_count I:zero"),
    ("actions", "I:kind I:number I:subject I:location Q:bytes"),
    ("dispatches", "I:name I:first_action I:action_count I:zero"),
]
# Of version 1: the tables that were others, and those that were not there.
CHANGED = {
    "groups": "I:name I:type I:reason B:engine B3:zero I:first_node I:node_count",
    "buffers": "I:name I:value B:memory B:kind H:element I:rank Q:address Q:size I:alias I:from "
               "I:to I:zero q12:dims q12:origin",
    "tasks": "I:group I:tile B:engine B:lane H:kind I:job I:first_operand I:operand_count "
             "I:first_call I:call_count I:first_dependency I:dependency_count " + COST,
    "steps": "I:task I:kind I:number I:block",
}
ADDED = ["task_units", "stages", "streams", "semaphores"]
HEADER = struct.Struct("<8sIIQII")
SECTION = struct.Struct("<16sQQII")

INPUT, OUTPUT, CONSTANT, INNER, TILE, PIPELINE, CODE, DYNAMIC, RING = range(9)  # kinds of buffers
TRANSFER, COMPUTE = range(2)
START, WAIT, SIGNAL, AWAIT = range(4)
ALLOC, DEALLOC, HOST_COPY, JOB_START, JOB_WAIT, HOST_START, HOST_WAIT = range(7)
ELEMENT_BYTES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8,
                 15: 16, 16: 2, 17: 1, 18: 1, 19: 1, 20: 1, 21: 1, 22: 1, 23: 8}
TEXT = 8
BOOL = 9
GRAPH = 4  # kind of attributes
COST_TRANSFER = 2


class Wrong(Exception):
    """What a program does that it must not."""


def need(holds, what, index=None, why=""):
    if not holds:
        raise Wrong(f"{what} {index}: {why}" if index is not None else what)


# The container --------------------------------------------------------------------

class Fields:
    """How the items of a table lie in bytes."""

    def __init__(self, text):
        self.offsets = {}
        self.names = []
        parts = []
        at = 0
        for field in text.split():
            kind, name = field.split(":")
            code, count = kind[0], int(kind[1:] or 1)
            self.offsets[name] = (at, "<" + code)
            self.names.append((name, count))
            parts.append(f"{count}{code}" if count > 1 else code)
            at += struct.calcsize("<" + code) * count
        self.struct = struct.Struct("<" + "".join(parts))

    def unpack(self, data):
        numbers = self.struct.unpack(data)
        item = Item()
        at = 0
        for name, count in self.names:
            setattr(item, name, numbers[at] if count == 1 else numbers[at:at + count])
            at += count
        return item


class Item:
    pass


FIELDS = {name: Fields(fields) for name, fields in LAYOUT if fields is not None}
LAYOUT_1 = [(name, CHANGED.get(name, fields)) for name, fields in LAYOUT if name not in ADDED]
FIELDS_1 = {name: Fields(fields) for name, fields in LAYOUT_1 if fields is not None}


def layout_of(data):
    """Sections and fields of its version."""
    if data[8:12] in (b"\3\0\0\0", b"\4\0\0\0"):
        return LAYOUT + [("conversion", None)], FIELDS
    return (LAYOUT_1, FIELDS_1) if data[8:12] == b"\1\0\0\0" else (LAYOUT, FIELDS)


def align(offset):
    return (offset + 63) // 64 * 64


def sections_of(data):
    """(name, offset, size, item size, checksum) of each, with the container checked."""
    need(len(data) >= HEADER.size, "shorter than a header")
    magic, version, count, size, checksum, zero = HEADER.unpack_from(data)
    need(magic == b"OPXPROG\n", "no program")
    need(version in (1, 2, 3, 4), f"version {version}")
    layout, _ = layout_of(data)
    need(count == len(layout) and zero == 0 and size == len(data), "the header is wrong")
    end = HEADER.size + count * SECTION.size
    need(end <= len(data) and zlib.crc32(data[HEADER.size:end]) == checksum,
         "the checksum of the list of sections is wrong")
    found = []
    for i, (name, _) in enumerate(layout):
        label, offset, size, item_size, checksum = SECTION.unpack_from(data, HEADER.size + i * SECTION.size)
        need(label.rstrip(b"\0").decode("latin1") == name, f"section {i} is not {name}")
        need(not any(data[end:align(end)]) and offset == align(end), f"section {name} is out of place")
        end = offset + size
        need(align(end) <= len(data), f"section {name} is out of place")
        need(zlib.crc32(data[offset:end]) == checksum, f"the checksum of section {name} is wrong")
        found.append((name, offset, size, item_size, checksum))
    need(align(end) == len(data) and not any(data[end:]), "something lies behind the sections")
    return found


def sign(data):
    """Right checksums for what was altered, in a bytearray."""
    count = len(layout_of(data)[0])
    for i in range(count):
        at = HEADER.size + i * SECTION.size
        _, offset, size, _, _ = SECTION.unpack_from(data, at)
        struct.pack_into("<I", data, at + SECTION.size - 4, zlib.crc32(bytes(data[offset:offset + size])))
    end = HEADER.size + count * SECTION.size
    struct.pack_into("<I", data, 24, zlib.crc32(bytes(data[HEADER.size:end])))


def place_of(data, table, item, field, index=0):
    """Offset in the file, and the code, of a field."""
    layout, fields = layout_of(data)
    number = [name for name, _ in layout].index(table)
    _, offset, _, item_size, _ = SECTION.unpack_from(data, HEADER.size + number * SECTION.size)
    inside, code = fields[table].offsets[field]
    return offset + item * item_size + inside + index * struct.calcsize(code), code


def put(data, table, item, field, number, index=0):
    """Alters one field of a bytearray; `sign` makes it a file again."""
    at, code = place_of(data, table, item, field, index)
    struct.pack_into(code, data, at, number)


class Program:
    def __init__(self, data):
        _, layout = layout_of(data)
        for name, offset, size, item_size, _ in sections_of(data):
            raw = data[offset:offset + size]
            if name not in layout:
                need(item_size == 1, f"section {name} has items of {item_size} bytes")
                setattr(self, name, bytes(raw))
                continue
            fields = layout[name]
            need(item_size == fields.struct.size and size % item_size == 0,
                 f"section {name} has items of {item_size} bytes")
            items = [fields.unpack(raw[at:at + item_size]) for at in range(0, size, item_size)]
            setattr(self, name, items)
        if layout is FIELDS_1:
            self.convert()
        need(any(value.layout for value in self.values) == (data[8:12] == b"\4\0\0\0"),
             "values lie otherwise than its version says")

    def convert(self):
        """From version 1: what is new is 0, none or empty, and one stream does all steps."""
        for name in ADDED:
            setattr(self, name, [])
        for item in self.buffers + self.tasks:
            item.unit = 0
        for item in self.tasks:
            item.first_unit = item.unit_count = item.first_stage = item.stage_count = item.zero = 0
        for item in self.steps:
            item.stream = item.count = item.zero = 0
            item.semaphore = NONE
        if self.steps:
            self.streams.append(Item())
            vars(self.streams[0]).update(name=0, queue=0, unit=0, zero=0)
