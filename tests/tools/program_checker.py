#!/usr/bin/env python3
"""Proves compiled programs from docs/formats/program.md alone: program_checker.py FILE...

Shares nothing with `opscope verify`, so that the two can be held against each
other. Elements are painted one by one where a buffer is not too large for that.
The numbers of rules in the messages are those of the document.
"""

import pathlib
import re
import struct
import sys
import zlib

NONE = 0xFFFFFFFF
RANK_MOST = 12
PAINTED_MOST = 1 << 22  # elements
DIMS = "12q"

# Name, and the fields of an item; a field that is an array has its length behind it.
# Sections without fields are bytes.
LAYOUT = [
    ("target", None), ("source", None), ("texts", None), ("constants", None),
    ("inputs", "I:id"), ("outputs", "I:id"),
    ("operators", "I:name I:type I:location I:document I:group I:first I:inputs I:outputs "
                  "Q:macs Q:flops Q:elements Q:read Q:written Q:weights Q:known"),
    ("values", "I:name H:element H:kind I:rank I:zero q12:dims Q:data Q:bytes"),
    ("operator_values", "I:id"),
    ("groups", "I:name I:type I:reason B:engine B3:zero I:first_node I:node_count"),
    ("nodes", "I:operator I:type I:domain I:version I:first_value I:inputs I:outputs "
              "I:first_attribute I:attribute_count"),
    ("node_values", "I:id"),
    ("attributes", "I:name I:kind Q:data I:count I:element I:rank I:zero q12:dims"),
    ("graphs", "I:first_node I:node_count I:first_value I:inputs I:outputs I:zero"),
    ("buffers", "I:name I:value B:memory B:kind H:element I:rank Q:address Q:size I:alias I:from "
                "I:to I:zero q12:dims q12:origin"),
    ("tasks", "I:group I:tile B:engine B:lane H:kind I:job I:first_operand I:operand_count "
              "I:first_call I:call_count I:first_dependency I:dependency_count I:cost "
              "H3:bits H:float I:function Q:outputs Q:channels Q:inner Q:groups Q:bytes Q:macs Q:cycles "
              "I:variant I:kernel Q:run"),
    ("operands", "I:buffer I:writes I:rank I:zero q12:from q12:size"),
    ("calls", "I:node I:first_buffer I:first_attribute I:attribute_count"),
    ("call_buffers", "I:id"),
    ("dependencies", "I:task I:data"),
    ("steps", "I:task I:kind I:number I:block"),
    ("jobs", "I:name I:dispatch I:number I:first_step I:step_count I:zero"),
    ("actions", "I:kind I:number I:subject I:location Q:bytes"),
    ("dispatches", "I:name I:first_action I:action_count I:zero"),
]
HEADER = struct.Struct("<8sIIQII")
SECTION = struct.Struct("<16sQQII")

INPUT, OUTPUT, CONSTANT, INNER, TILE, PIPELINE, CODE, DYNAMIC = range(8)  # kinds of buffers
TRANSFER, COMPUTE = range(2)
START, WAIT = range(2)
ALLOC, DEALLOC, HOST_COPY, JOB_START, JOB_WAIT, HOST_START, HOST_WAIT = range(7)
ELEMENT_BYTES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 14: 8,
                 15: 16, 16: 2, 17: 1, 18: 1, 19: 1, 20: 1, 21: 1, 22: 1, 23: 8}
TEXT = 8
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


def align(offset):
    return (offset + 63) // 64 * 64


def sections_of(data):
    """(name, offset, size, item size, checksum) of each, with the container checked."""
    need(len(data) >= HEADER.size, "shorter than a header")
    magic, version, count, size, checksum, zero = HEADER.unpack_from(data)
    need(magic == b"OPXPROG\n", "no program")
    need(version == 1, f"version {version}")
    need(count == len(LAYOUT) and zero == 0 and size == len(data), "the header is wrong")
    end = HEADER.size + count * SECTION.size
    need(end <= len(data) and zlib.crc32(data[HEADER.size:end]) == checksum,
         "the checksum of the list of sections is wrong")
    found = []
    for i, (name, _) in enumerate(LAYOUT):
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
    count = len(LAYOUT)
    for i in range(count):
        at = HEADER.size + i * SECTION.size
        _, offset, size, _, _ = SECTION.unpack_from(data, at)
        struct.pack_into("<I", data, at + SECTION.size - 4, zlib.crc32(bytes(data[offset:offset + size])))
    end = HEADER.size + count * SECTION.size
    struct.pack_into("<I", data, 24, zlib.crc32(bytes(data[HEADER.size:end])))


def place_of(data, table, item, field, index=0):
    """Offset in the file, and the code, of a field."""
    number = [name for name, _ in LAYOUT].index(table)
    _, offset, _, item_size, _ = SECTION.unpack_from(data, HEADER.size + number * SECTION.size)
    inside, code = FIELDS[table].offsets[field]
    return offset + item * item_size + inside + index * struct.calcsize(code), code


def put(data, table, item, field, number, index=0):
    """Alters one field of a bytearray; `sign` makes it a file again."""
    at, code = place_of(data, table, item, field, index)
    struct.pack_into(code, data, at, number)


class Program:
    def __init__(self, data):
        for name, offset, size, item_size, _ in sections_of(data):
            raw = data[offset:offset + size]
            if name not in FIELDS:
                need(item_size == 1, f"section {name} has items of {item_size} bytes")
                setattr(self, name, bytes(raw))
                continue
            fields = FIELDS[name]
            need(item_size == fields.struct.size and size % item_size == 0,
                 f"section {name} has items of {item_size} bytes")
            items = [fields.unpack(raw[at:at + item_size]) for at in range(0, size, item_size)]
            setattr(self, name, items)


# The target -------------------------------------------------------------------------

UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Target:
    def __init__(self, text):
        self.memories = []  # [name, size, local]
        self.engines = []   # {kind, count, memory}
        sections = {}
        section = {}
        for line in text.decode().split("\n"):
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = sections.setdefault(" ".join(line[1:-1].split()), {})
            elif line:
                key, _, value = line.partition("=")
                section[key.strip()] = value.strip()
        for name, keys in sections.items():
            kind, _, name = name.partition(" ")
            if kind == "memory":
                number, unit = re.fullmatch(r"([0-9.eE+]+)\s*(\w*)", keys.get("size", "0")).groups()
                self.memories.append((name, int(float(number) * UNITS[unit]), keys.get("local") == "yes"))
            elif kind == "engine":
                names = [memory[0] for memory in self.memories]
                memory = names.index(keys["memory"]) if "memory" in keys else 0
                self.engines.append((keys["kind"], int(keys.get("count", "1")), memory))


# Indices -----------------------------------------------------------------------------

class Indices:
    """Everything that names an item of another table names one that is there."""

    def __init__(self, program):
        self.program = program

    def one(self, what, index, number, table, none=False):
        ok = number < len(getattr(self.program, table)) or (none and number == NONE)
        need(ok, what, index, f"it names item {number} of {table}")

    def run(self, what, index, first, count, table):
        need(first + count <= len(getattr(self.program, table)), what, index,
             f"items {first} and {count} more of {table}")

    def text(self, what, index, *ids):
        for number in ids:
            need(number < len(self.program.texts), what, index, f"text {number}")

    def constant(self, what, index, offset, size):
        need(offset + size <= len(self.program.constants), what, index, "its data lies outside")

    def tensor(self, what, index, item):
        need(item.rank <= RANK_MOST and (item.element in ELEMENT_BYTES or item.element == TEXT)
             and item.data % 64 == 0 and all(length >= 0 for length in item.dims[:item.rank]),
             what, index, "a tensor that cannot be")
        count = volume(item.dims[:item.rank])
        size = count * (4 if item.element == TEXT else ELEMENT_BYTES[item.element])
        self.constant(what, index, item.data, size)
        if item.element == TEXT:
            self.text(what, index, *self.ids(item.data, count))
        return size

    def ids(self, offset, count):
        return struct.unpack_from(f"<{count}I", self.program.constants, offset)

    def attribute(self, i, item):
        self.text("attribute", i, item.name)
        need(item.kind <= 8, "attribute", i, "no such kind")
        if item.kind == 2:
            self.text("attribute", i, item.data)
        elif item.kind == 3:
            self.tensor("attribute", i, item)
        elif item.kind == 4:
            self.one("attribute", i, item.data, "graphs")
        elif item.kind == 5:
            need(item.element < 24, "attribute", i, "no such element")
        elif item.kind in (6, 7):
            need(item.data % 8 == 0, "attribute", i, "not aligned")
            self.constant("attribute", i, item.data, 8 * item.count)
        elif item.kind == 8:
            self.constant("attribute", i, item.data, 4 * item.count)
            self.text("attribute", i, *self.ids(item.data, item.count))

    def network(self):
        p = self.program
        need(p.texts.endswith(b"\0"), "the texts do not end")
        for i, item in enumerate(p.operators):
            self.text("operator", i, item.name, item.type, item.location, item.document)
            self.one("operator", i, item.group, "groups", True)
            self.run("operator", i, item.first, item.inputs + item.outputs, "operator_values")
        for i, item in enumerate(p.values):
            self.text("value", i, item.name)
            need(item.element < 24 and item.kind <= 3, "value", i, "no such element or kind")
            need(item.rank <= RANK_MOST or (item.rank == NONE and item.kind != 2), "value", i, "its rank")
            if item.kind == 2:
                need(self.tensor("value", i, item) == item.bytes, "value", i, "another size")
        for i, item in enumerate(p.groups):
            self.text("group", i, item.name, item.type, item.reason)
            self.run("group", i, item.first_node, item.node_count, "nodes")
        for i, item in enumerate(p.nodes):
            self.one("node", i, item.operator, "operators", True)
            self.text("node", i, item.type, item.domain)
            self.run("node", i, item.first_value, item.inputs + item.outputs, "node_values")
            self.run("node", i, item.first_attribute, item.attribute_count, "attributes")
        for i, item in enumerate(p.attributes):
            self.attribute(i, item)
        for i, item in enumerate(p.graphs):
            self.run("graph", i, item.first_node, item.node_count, "nodes")
            self.run("graph", i, item.first_value, item.inputs + item.outputs, "node_values")

    def work(self):
        p = self.program
        for i, item in enumerate(p.buffers):
            self.text("buffer", i, item.name)
            self.one("buffer", i, item.value, "values", True)
            self.one("buffer", i, item.alias, "buffers", True)
            need(item.rank <= RANK_MOST and item.kind <= DYNAMIC and item.element < 24, "buffer", i,
                 "no such rank, kind or element")
        for i, item in enumerate(p.tasks):
            self.one("task", i, item.group, "groups", True)
            self.one("task", i, item.job, "jobs", True)
            need(item.kind <= COMPUTE and item.cost <= 12, "task", i, "no such kind or cost")
            self.run("task", i, item.first_operand, item.operand_count, "operands")
            self.run("task", i, item.first_call, item.call_count, "calls")
            self.run("task", i, item.first_dependency, item.dependency_count, "dependencies")
        for i, item in enumerate(p.operands):
            self.one("operand", i, item.buffer, "buffers")
            need(item.rank <= RANK_MOST and all(n >= 0 for n in item.size[:item.rank])
                 and all(n >= 0 for n in getattr(item, "from")[:item.rank]), "operand", i, "its box")
        for i, item in enumerate(p.calls):
            self.one("call", i, item.node, "nodes")
            node = p.nodes[item.node]
            self.run("call", i, item.first_buffer, node.inputs + node.outputs, "call_buffers")
            self.run("call", i, item.first_attribute, item.attribute_count, "attributes")
        for i, item in enumerate(p.dependencies):
            self.one("dependency", i, item.task, "tasks")
        for i, item in enumerate(p.steps):
            need(item.kind <= WAIT, "step", i, "no such kind")
            self.one("step", i, item.task, "tasks")
        for i, item in enumerate(p.jobs):
            self.text("job", i, item.name)
            self.one("job", i, item.dispatch, "dispatches")
            self.run("job", i, item.first_step, item.step_count, "steps")
        subjects = ["buffers"] * 3 + ["jobs"] * 2 + ["tasks"] * 2
        for i, item in enumerate(p.actions):
            self.text("action", i, item.location)
            need(item.kind <= HOST_WAIT, "action", i, "no such kind")
            self.one("action", i, item.subject, subjects[item.kind])
        for i, item in enumerate(p.dispatches):
            self.text("dispatch", i, item.name)
            self.run("dispatch", i, item.first_action, item.action_count, "actions")
        for table, counted, pieces in (("groups", "node_count", "nodes"), ("tasks", "operand_count", "operands"),
                                       ("tasks", "call_count", "calls"),
                                       ("tasks", "dependency_count", "dependencies"),
                                       ("jobs", "step_count", "steps"),
                                       ("dispatches", "action_count", "actions")):
            total = sum(getattr(item, counted) for item in getattr(p, table))
            need(total <= len(getattr(p, pieces)), f"{pieces} belong to several {table}")
        for table in ("inputs", "outputs"):
            for i, item in enumerate(getattr(p, table)):
                self.one(table, i, item.id, "values")
        for table, other in (("operator_values", "values"), ("node_values", "values"),
                             ("call_buffers", "buffers")):
            for i, item in enumerate(getattr(p, table)):
                self.one(table, i, item.id, other, True)


# Boxes ------------------------------------------------------------------------------

def volume(size):
    count = 1
    for length in size:
        count *= length
    return count


def box_of(operand):
    return [(start, start + length) for start, length in
            zip(getattr(operand, "from")[:operand.rank], operand.size[:operand.rank])]


def common(a, b):
    """Elements that are in both boxes."""
    return volume(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x, y in zip(a, b))


def rows(box, dims):
    """First and last element + 1 of every run of the box that lies together."""
    if volume(end - start for start, end in box) == 0:
        return
    inner = len(box)
    while inner > 0 and box[inner - 1] == (0, dims[inner - 1]):
        inner -= 1
    inner = max(inner - 1, 0)  # this dimension is cut; those behind it are whole
    steps = [volume(dims[d + 1:]) for d in range(len(dims))]
    length = volume(end - start for start, end in box[inner:])
    start = sum(box[d][0] * steps[d] for d in range(inner, len(box)))
    def walk(d, at):
        if d == inner:
            yield at + start, at + start + length
            return
        for i in range(*box[d]):
            yield from walk(d + 1, at + i * steps[d])
    yield from walk(0, 0)


class Written:
    """Which elements of a buffer have been written, and by which tasks."""

    def __init__(self, buffer):
        self.dims = buffer.dims[:buffer.rank] if buffer.kind != DYNAMIC else ()
        self.count = volume(self.dims)
        self.painted = bytearray(self.count) if self.count <= PAINTED_MOST else None
        self.boxes = []

    def add(self, box, task):
        if self.painted is None:
            if any(common(box, other) for other, _ in self.boxes):
                return False
        else:
            for start, end in rows(box, self.dims):
                if self.painted.find(1, start, end) >= 0:
                    return False
                self.painted[start:end] = b"\1" * (end - start)
        self.boxes.append((box, task))
        return True

    def has(self, box):
        if self.painted is None:
            return sum(common(box, other) for other, _ in self.boxes) == volume(b - a for a, b in box)
        return all(self.painted.find(0, start, end) < 0 for start, end in rows(box, self.dims))

    def whole(self):
        return self.has([(0, length) for length in self.dims])

    def writers(self, box):
        """Of a box; of everything when it is None."""
        return [task for other, task in self.boxes
                if (volume(b - a for a, b in other) if box is None else common(box, other))]


# The proof ----------------------------------------------------------------------------

class Proof:
    def __init__(self, program, target):
        self.p = program
        self.t = target
        self.moment = 0
        self.started = set()
        self.waited = set()
        self.flying = []
        self.lanes = {}
        self.job = None
        self.written = {}

    def buffer(self, operand):
        return self.p.buffers[operand.buffer]

    def root(self, index):
        alias = self.p.buffers[index].alias
        return index if alias == NONE else alias

    @staticmethod
    def in_memory(buffer):
        return buffer.kind not in (PIPELINE, DYNAMIC)

    def operands(self, task):
        return self.p.operands[task.first_operand:task.first_operand + task.operand_count]

    # Buffers

    def buffers(self):
        for i, buffer in enumerate(self.p.buffers):
            need(buffer.memory < len(self.t.memories), "buffer", i, "rule 1: no such memory")
            if not self.in_memory(buffer):
                continue
            need(buffer.address + buffer.size <= self.t.memories[buffer.memory][1], "buffer", i,
                 "rule 1: beyond its memory")
            need(buffer.element in ELEMENT_BYTES and all(n >= 0 for n in buffer.dims[:buffer.rank]),
                 "buffer", i, "rule 1: its type")
            need(buffer.size >= volume(buffer.dims[:buffer.rank]) * ELEMENT_BYTES[buffer.element],
                 "buffer", i, "rule 1: too small")
            if buffer.alias != NONE:
                shown = self.p.buffers[buffer.alias]
                need((shown.address, shown.memory, shown.size, shown.alias) ==
                     (buffer.address, buffer.memory, buffer.size, NONE), "buffer", i, "rule 2")

    def overlaps(self):
        """A walk over addresses for each memory; lifetimes decide among neighbours."""
        for memory in range(len(self.t.memories)):
            here = sorted((b.address, b.address + b.size, getattr(b, "from"), b.to, i)
                          for i, b in enumerate(self.p.buffers)
                          if b.memory == memory and self.in_memory(b) and b.alias == NONE and b.size)
            open_ones = []
            for start, end, first, last, index in here:
                open_ones = [other for other in open_ones if other[1] > start]
                for other in open_ones:
                    need(max(first, other[2]) > min(last, other[3]), "buffers",
                         f"{other[4]} and {index}", "rule 3: in use at the same place")
                open_ones.append((start, end, first, last, index))

    # Tasks

    def task(self, index):
        task = self.p.tasks[index]
        need(task.engine < len(self.t.engines) and task.lane < self.t.engines[task.engine][1], "task",
             index, "rule 4: no such engine or lane")
        for operand in self.operands(task):
            buffer = self.buffer(operand)
            if operand.writes:
                need(buffer.kind not in (INPUT, CONSTANT) and buffer.alias == NONE, "task", index,
                     "rule 4: it writes what it must not")
            need(buffer.kind != PIPELINE, "task", index, "rule 4: an operand inside the engine")
            if buffer.kind != DYNAMIC:
                need(operand.rank == buffer.rank and
                     all(end <= length for (_, end), length in zip(box_of(operand), buffer.dims)),
                     "task", index, "rule 4: beyond its buffer")
        if task.kind == TRANSFER:
            self.transfer(index, task)
        else:
            self.compute(index, task)

    def transfer(self, index, task):
        operands = self.operands(task)
        need(len(operands) == 2 and task.call_count == 0, "task", index, "rule 5: not two operands")
        a, b = operands
        x, y = self.buffer(a), self.buffer(b)
        need(a.writes == 0 and b.writes == 1 and self.in_memory(x) and self.in_memory(y), "task", index,
             "rule 5: not from one to the other")
        need(x.element == y.element and a.rank == b.rank and a.size[:a.rank] == b.size[:b.rank], "task",
             index, "rule 5: different shapes")
        need(task.cost == COST_TRANSFER and
             task.bytes == volume(a.size[:a.rank]) * ELEMENT_BYTES[x.element], "task", index,
             "rule 5: its bytes")
        need(x.value == y.value and all(
            p + q == r + s for p, q, r, s in zip(getattr(a, "from")[:a.rank], x.origin,
                                                 getattr(b, "from")[:b.rank], y.origin)),
             "task", index, "rule 5: another place of the value")
        kind, _, own = self.t.engines[task.engine]
        local = [memory[2] for memory in self.t.memories]
        carries = {"dma_in": not local[x.memory] and y.memory == own,
                   "dma_out": x.memory == own and not local[y.memory],
                   "cdma": local[x.memory] and local[y.memory] and own in (x.memory, y.memory)}
        need(carries.get(kind, False), "task", index, "rule 5: its engine does not go there")

    def compute(self, index, task):
        p = self.p
        need(task.group != NONE, "task", index, "rule 6: of no group")
        group = p.groups[task.group]
        calls = p.calls[task.first_call:task.first_call + task.call_count]
        need(task.engine == group.engine and
             [call.node for call in calls] ==
             list(range(group.first_node, group.first_node + group.node_count)),
             "task", index, "rule 6: not the nodes of its group")
        reads = {operand.buffer for operand in self.operands(task) if not operand.writes}
        writes = {operand.buffer for operand in self.operands(task) if operand.writes}
        given = set()
        for call in calls:
            node = p.nodes[call.node]
            tile = p.attributes[call.first_attribute:call.first_attribute + call.attribute_count]
            need(all(attribute.kind == 6 for attribute in tile), "task", index, "rule 6: attributes")
            results = []
            for i in range(node.inputs + node.outputs):
                buffer = p.call_buffers[call.first_buffer + i].id
                value = p.node_values[node.first_value + i].id
                if buffer == NONE:
                    need(i >= node.inputs or value == NONE, "task", index, "rule 6: no input")
                    continue
                need(p.buffers[buffer].value == value, "task", index, "rule 6: another value")
                inside = p.buffers[buffer].kind == PIPELINE
                if i < node.inputs:
                    need((buffer in reads and not inside) or buffer in given, "task", index,
                         "rule 6: a kernel reads what is no operand")
                else:
                    need(not self.in_memory(p.buffers[buffer]) or buffer in writes, "task", index,
                         "rule 6: a kernel writes what is no operand")
                    results.append(buffer)
            given.update(results)
        need(writes <= given, "task", index, "rule 6: no kernel gives what it writes")
        for operand in self.operands(task):
            buffer = self.buffer(operand)
            if self.in_memory(buffer):
                need(box_of(operand) == [(0, n) for n in buffer.dims[:buffer.rank]], "task", index,
                     "rule 6: part of a tile")
                need(buffer.memory == self.t.engines[task.engine][2], "task", index,
                     "rule 6: the engine does not reach it")

    # Order

    def clash(self, a, b):
        """Whether two operands share bytes and one writes."""
        if not a.writes and not b.writes:
            return False
        x, y = self.buffer(a), self.buffer(b)
        if not self.in_memory(x) or not self.in_memory(y):
            return a.buffer == b.buffer
        if a.buffer == b.buffer:
            return common(box_of(a), box_of(b)) > 0
        return (x.memory == y.memory and x.size > 0 and y.size > 0 and
                x.address < y.address + y.size and y.address < x.address + x.size)

    def in_use(self, index):
        for operand in self.operands(self.p.tasks[index]):
            buffer = self.p.buffers[self.root(operand.buffer)]
            need(getattr(buffer, "from") <= self.moment <= buffer.to, "task", index,
                 "rule 11: a buffer that is not in use")

    def is_there(self, index):
        buffer = self.p.buffers[index]
        if buffer.kind == DYNAMIC and buffer.value != NONE:
            return self.p.values[buffer.value].kind in (0, 2)
        return buffer.kind in (INPUT, CONSTANT, CODE)

    def read(self, index, operand, depends):
        root = self.root(operand.buffer)
        box = box_of(operand) if root == operand.buffer else None
        if root not in self.written:
            self.written[root] = Written(self.p.buffers[root])
        written = self.written[root]
        for writer in written.writers(box):
            need(writer in depends, "task", index, f"rule 10: it does not depend on task {writer}")
        if not self.is_there(root):
            done = written.whole() if box is None else written.has(box)
            need(done, "task", index, "rule 12: it reads what has not been written")

    def depends(self, index, task):
        found = {}
        for item in self.p.dependencies[task.first_dependency:task.first_dependency + task.dependency_count]:
            need(item.task in self.waited, "task", index, f"rule 10: task {item.task} is not waited for")
            other = self.operands(self.p.tasks[item.task])
            flows = any(b.writes and not a.writes and self.root(a.buffer) == self.root(b.buffer)
                        for a in self.operands(task) for b in other)
            again = not item.data and any(self.clash(a, b) for a in self.operands(task) for b in other)
            need(flows or again, "task", index, f"rule 10: it shares nothing with task {item.task}")
            found[item.task] = item.data
        return {other for other, data in found.items() if data}

    def start(self, index, job):
        task = self.p.tasks[index]
        need(index not in self.started and task.job == job, "task", index, "rule 7: started twice or elsewhere")
        self.started.add(index)
        lane = (task.engine, task.lane)
        need(lane not in self.lanes, "task", index, "rule 8: its lane is not free")
        self.lanes[lane] = index
        for other in self.flying:
            for a in self.operands(task):
                for b in self.operands(self.p.tasks[other]):
                    need(not self.clash(a, b), "task", index, f"rule 9: task {other} uses the same bytes")
        self.in_use(index)
        depends = self.depends(index, task)
        for operand in self.operands(task):
            if not operand.writes:
                self.read(index, operand, depends)
        self.flying.append(index)

    def wait(self, index):
        need(index in self.started, "task", index, "rule 7: waited for before it starts")
        if index in self.waited:
            return
        task = self.p.tasks[index]
        self.waited.add(index)
        self.in_use(index)
        del self.lanes[task.engine, task.lane]
        self.flying.remove(index)
        for operand in self.operands(task):
            if operand.writes:
                root = self.root(operand.buffer)
                if root not in self.written:
                    self.written[root] = Written(self.p.buffers[root])
                box = box_of(operand) if self.p.buffers[root].kind != DYNAMIC else []
                need(self.written[root].add(box, index), "task", index,
                     "rule 13: it writes what has been written")

    def act(self, action):
        if action.kind in (JOB_START, HOST_START):
            need(self.job is None, "job", self.job, "rule 7: not waited for")
        if action.kind == JOB_START:
            self.job = action.subject
            job = self.p.jobs[action.subject]
            for step in self.p.steps[job.first_step:job.first_step + job.step_count]:
                self.moment += 1
                if step.kind == START:
                    self.start(step.task, action.subject)
                else:
                    self.wait(step.task)
        elif action.kind == JOB_WAIT:
            need(self.job == action.subject, "job", action.subject, "rule 7: waited for before it starts")
            self.job = None
        elif action.kind == HOST_START:
            self.start(action.subject, NONE)
        elif action.kind == HOST_WAIT:
            self.wait(action.subject)
        self.moment += 1

    def order(self):
        following = 0
        for i, dispatch in enumerate(self.p.dispatches):
            need(dispatch.first_action == following, "dispatch", i, "rule 7: its actions")
            following += dispatch.action_count
        need(following == len(self.p.actions), "rule 7: actions of no dispatch")
        for action in self.p.actions:
            self.act(action)
        need(self.job is None, "job", self.job, "rule 7: not waited for")
        need(len(self.waited) == len(self.p.tasks), "rule 7: a task that is not started or waited for")
        for i, buffer in enumerate(self.p.buffers):
            if buffer.kind in (OUTPUT, INNER) and buffer.alias == NONE:
                written = self.written.get(i) or Written(buffer)
                need(written.whole(), "buffer", i, "rule 13: elements that are never written")

    def run(self):
        self.buffers()
        self.overlaps()
        for i in range(len(self.p.tasks)):
            self.task(i)
        self.order()


def check(data):
    """Raises Wrong for what is no right program."""
    program = Program(data)
    indices = Indices(program)
    indices.network()
    indices.work()
    try:
        target = Target(program.target)
    except (ValueError, KeyError, AttributeError, UnicodeDecodeError) as problem:
        raise Wrong(f"its target cannot be read: {problem!r}") from problem
    Proof(program, target).run()


def main():
    failed = 0
    for path in sys.argv[1:]:
        try:
            check(pathlib.Path(path).read_bytes())
            print(f"{path}: proved")
        except Wrong as wrong:
            print(f"{path}: {wrong}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
