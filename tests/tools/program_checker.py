#!/usr/bin/env python3
"""Proves compiled programs from docs/formats/program.md alone: program_checker.py FILE...

Shares nothing with `opscope verify`, so that the two can be held against each
other. Elements are painted one by one where a buffer is not too large for that; what
happens before what is the whole relation between the steps of a job, and accesses are
compared two by two. The numbers of rules in the messages are those of the document.
"""

import pathlib
import struct
import sys

from program_file import *
from target_file import Target

PAINTED_MOST = 1 << 22  # elements
DEPTH_MOST = 64  # of graphs inside graphs
TILES, PACKED = 1, 2  # how a value lies


# Indices -----------------------------------------------------------------------------

JOINED_MOST = 8  # parts that a window is put together of


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
        if item.element == BOOL:
            need(max(self.program.constants[item.data:item.data + size], default=0) <= 1, what, index,
                 "a bool that is neither 0 nor 1")
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
            need(item.element < 24 and item.kind <= 3 and item.layout <= PACKED, "value", i,
                 "no such element, kind or layout")
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

    def reserved(self):
        for table, fields in FIELDS.items():
            for i, item in enumerate(getattr(self.program, table) if "zero" in fields.offsets else []):
                need(item.zero == 0, table, i, "a reserved field")

    def steps(self):
        p = self.program
        for i, item in enumerate(p.streams):
            self.text("stream", i, item.name)
        for i, item in enumerate(p.semaphores):
            self.text("semaphore", i, item.name)
            self.one("semaphore", i, item.stream, "streams")
        for i, item in enumerate(p.steps):
            need(item.kind <= AWAIT, "step", i, "no such kind")
            self.one("step", i, item.stream, "streams")
            if item.kind in (START, WAIT):
                self.one("step", i, item.task, "tasks")
                need(item.semaphore == NONE, "step", i, "a semaphore")
            else:
                self.one("step", i, item.semaphore, "semaphores")
                need(item.task == NONE, "step", i, "a task")
            need((item.count > 0) == (item.kind == AWAIT), "step", i, "its count")

    def work(self):
        p = self.program
        for i, item in enumerate(p.buffers):
            self.text("buffer", i, item.name)
            self.one("buffer", i, item.value, "values", True)
            self.one("buffer", i, item.alias, "buffers", True)
            need(item.rank <= RANK_MOST and item.kind <= RING and item.element < 24, "buffer", i,
                 "no such rank, kind or element")
        for i, item in enumerate(p.tasks):
            self.one("task", i, item.group, "groups", True)
            self.one("task", i, item.job, "jobs", True)
            need(item.kind <= COMPUTE and item.cost <= 12, "task", i, "no such kind or cost")
            need(item.kind != TRANSFER or item.operand_count >= 2, "task", i, "a transfer without both ends")
            self.run("task", i, item.first_unit, item.unit_count, "task_units")
            self.run("task", i, item.first_stage, item.stage_count, "stages")
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
        for i, item in enumerate(p.stages):
            need(item.cost <= 12, "stage", i, "no such cost")
            self.one("stage", i, item.ring, "buffers", True)
        self.steps()
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
                                       ("tasks", "unit_count", "task_units"), ("tasks", "stage_count", "stages"),
                                       ("tasks", "dependency_count", "dependencies"),
                                       ("jobs", "step_count", "steps"),
                                       ("dispatches", "action_count", "actions")):
            total = sum(getattr(item, counted) for item in getattr(p, table))
            need(total <= len(getattr(p, pieces)), f"{pieces} belong to several {table}")
        started = sum(p.jobs[item.subject].step_count for item in p.actions if item.kind == JOB_START)
        need(started <= len(p.steps), "a job is started twice")
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

class Order:
    """What happens before what: for each step of a job the set of all steps before it, as bits."""

    def __init__(self, program):
        self.p = program
        self.first = 0     # step of the job at hand
        self.before = {}   # by step of it
        self.last = {}     # step of each stream
        self.signals = {}  # steps of each semaphore, of all jobs
        self.single = True

    def begin(self, steps):
        self.first, self.before, self.last = steps.start, {}, {}
        self.single = len({self.p.steps[i].stream for i in steps}) == 1

    def step(self, index):
        step = self.p.steps[index]
        known = 0
        if step.kind == SIGNAL:
            owner = self.p.semaphores[step.semaphore].stream
            need(owner == step.stream, "step", index, "rule 9: a semaphore of another stream")
        if step.kind == AWAIT:
            need(self.p.semaphores[step.semaphore].stream != step.stream, "step", index,
                 "rule 9: it awaits what it signals itself")
            raised = self.signals.get(step.semaphore, [])
            need(step.count <= len(raised), "step", index, "rule 9: it awaits what nobody has signalled")
            known |= self.and_before(raised[step.count - 1])
        if step.stream in self.last:
            known |= self.and_before(self.last[step.stream])
        self.before[index] = known
        self.last[step.stream] = index
        if step.kind == SIGNAL:
            self.signals.setdefault(step.semaphore, []).append(index)

    def and_before(self, index):
        """A step and all before it; nothing of an earlier job, which all come before."""
        if index not in self.before or self.single:
            return 0
        return self.before[index] | 1 << index - self.first

    def is_before(self, earlier, later):
        """Steps; None: of the host. What is in another job, or the host's, is before what comes later."""
        if earlier is None or later is None or earlier not in self.before or self.single:
            return True
        return bool(self.before[later] >> earlier - self.first & 1)


class Proof:
    def __init__(self, program, target):
        self.p = program
        self.t = target
        self.happens = Order(program)
        self.moment = 0
        self.started = {}   # by task: the stream, or None
        self.waited = {}    # by task: the step, or None
        self.lanes = {}     # the last task of each
        self.accesses = {}  # by root: (task, operand) that may not be over for somebody
        self.recent = []    # tasks whose accesses these are
        self.neighbours = {}  # by root: others that share bytes at some time
        self.job = None
        self.written = {}
        self.given_to = {self.root(operand.buffer) for operand in program.operands if operand.writes}

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

    def box(self, operand):
        return [] if self.buffer(operand).kind == DYNAMIC else box_of(operand)

    # Buffers

    def buffers(self):
        for i, buffer in enumerate(self.p.buffers):
            need(buffer.memory < len(self.t.memories) and
                 buffer.unit < self.t.units(self.t.memories[buffer.memory].per), "buffer", i,
                 "rule 1: no such memory")
            if not self.in_memory(buffer):
                continue
            need(buffer.address + buffer.size <= self.t.memories[buffer.memory].size, "buffer", i,
                 "rule 1: beyond its memory")
            need(buffer.element in ELEMENT_BYTES and all(n >= 0 for n in buffer.dims[:buffer.rank]),
                 "buffer", i, "rule 1: its type")
            need(buffer.address % 64 == 0, "buffer", i, "rule 1: not aligned")
            if buffer.value != NONE:
                value = self.p.values[buffer.value]
                need((buffer.element, buffer.rank) == (value.element, value.rank) and
                     all(at >= 0 and (length < 0 or at + size <= length) for at, size, length in
                         zip(buffer.origin[:buffer.rank], buffer.dims, value.dims)), "buffer", i,
                     "rule 1: no part of its value")
            needed = volume(buffer.dims[:buffer.rank]) * ELEMENT_BYTES[buffer.element]
            need(buffer.size >= (min(needed, 1) if buffer.kind == RING else needed), "buffer", i,
                 "rule 1: too small")
            if buffer.alias != NONE:
                shown = self.p.buffers[buffer.alias]
                need((shown.address, shown.memory, shown.unit, shown.size, shown.alias, shown.element) ==
                     (buffer.address, buffer.memory, buffer.unit, buffer.size, NONE, buffer.element) and
                     buffer.kind == INNER and shown.kind in (INPUT, OUTPUT, INNER), "buffer", i, "rule 2")
        largest = max(memory.size for memory in self.t.memories)
        for i, value in enumerate(self.p.values):
            if value.rank != NONE and value.element != 0 and all(n >= 0 for n in value.dims[:value.rank]):
                need(volume(value.dims[:value.rank]) <= largest // ELEMENT_BYTES.get(value.element, 16), "value",
                     i, "rule 1: larger than any memory")

    def ports(self):
        p = self.p
        inputs, outputs = ({item.id for item in table} for table in (p.inputs, p.outputs))
        need(all(p.values[value].kind in (0, 2) for value in inputs), "rule 1: an input that nobody gives")
        held = set()
        for i, buffer in enumerate(p.buffers):
            value = p.values[buffer.value] if buffer.value != NONE else None
            if buffer.alias != NONE:
                need(buffer.kind == INNER, "buffer", i, "rule 2")
                continue
            if value and buffer.kind in ((INPUT, OUTPUT, CONSTANT, OUTPUT)[value.kind], DYNAMIC):
                need(buffer.value not in held, "buffer", i, "rule 1: another one holds its value")
                held.add(buffer.value)
            if buffer.kind == DYNAMIC and value and value.kind == 0:
                need(buffer.value in inputs, "buffer", i, "rule 1: no input")
            need(buffer.alias != NONE or buffer.kind != CODE or buffer.value == NONE, "buffer", i,
                 "rule 1: code that is called a value")
            if buffer.kind not in (INPUT, OUTPUT, CONSTANT):
                continue
            need(value and {INPUT: value.kind == 0 and buffer.value in inputs, OUTPUT: buffer.value in outputs,
                            CONSTANT: value.kind == 2}[buffer.kind], "buffer", i, "rule 1: of another value")
            need((buffer.element, buffer.rank) == (value.element, value.rank) and
                 buffer.dims[:buffer.rank] == value.dims[:value.rank] and not any(buffer.origin[:buffer.rank]),
                 "buffer", i, "rule 1: not what its value is")
        need(all(value in held or p.values[value].kind == 2 for value in outputs),
             "rule 15: an output that nothing holds")

    # Graphs

    def inner_graphs(self, node):
        return [attribute.data for attribute in
                self.p.attributes[node.first_attribute:node.first_attribute + node.attribute_count]
                if attribute.kind == GRAPH]

    def values_of(self, first, count):
        return [item.id for item in self.p.node_values[first:first + count]]

    def graphs(self):
        """Each graph is gone through inside the node that it belongs to, with what can be read there."""
        p = self.p
        homes = [range(item.first_node, item.first_node + item.node_count) for item in p.graphs + p.groups]
        inside = [node for home in homes[:len(p.graphs)] for node in home]
        need(len(set(inside)) == len(inside) and
             not set(inside) & {node for home in homes[len(p.graphs):] for node in home},
             "rule 16: nodes of two graphs or groups")
        used = [graph for node in p.nodes for graph in self.inner_graphs(node)]
        need(sorted(used) == list(range(len(p.graphs))), "rule 16: a graph of no operator, or of several")
        made = [item.id for item in p.inputs]
        for node in p.nodes:
            made += [value for value in self.values_of(node.first_value + node.inputs, node.outputs) if value != NONE]
        for i, graph in enumerate(p.graphs):
            need(NONE not in self.values_of(graph.first_value, graph.inputs + graph.outputs), "graph", i,
                 "rule 16: none")
            made += self.values_of(graph.first_value, graph.inputs)
        need(len(set(made)) == len(made), "rule 16: a value that is made twice")
        inner = set(self.made_inside())
        reached = set()
        captured = {}
        for i, node in enumerate(p.nodes):
            if i not in set(inside):
                captured[i] = set()
                for graph in self.inner_graphs(node):
                    self.graph(graph, set(), inner, captured[i], reached, 0)
        need(len(reached) == len(p.graphs), "rule 16: a graph that contains itself")
        for i, task in enumerate(p.tasks):
            reads = {self.buffer(operand).value for operand in self.operands(task) if not operand.writes}
            for call in p.calls[task.first_call:task.first_call + task.call_count]:
                need(captured.get(call.node, set()) <= reads, "task", i, "rule 16: a graph reads what it does not")

    def made_inside(self):
        for graph in self.p.graphs:
            yield from self.values_of(graph.first_value, graph.inputs)
            for node in self.p.nodes[graph.first_node:graph.first_node + graph.node_count]:
                yield from self.values_of(node.first_value + node.inputs, node.outputs)

    def graph(self, index, known, inner, captured, reached, depth):
        graph = self.p.graphs[index]
        need(depth <= DEPTH_MOST, "graph", index, "rule 16: too deep")
        reached.add(index)
        known = known | set(self.values_of(graph.first_value, graph.inputs))

        def read(values):
            for value in values:
                if value == NONE or self.p.values[value].kind == 2 or value in known:
                    continue
                need(value not in inner, "graph", index, "rule 16: it reads what is not there")
                captured.add(value)

        for node in self.p.nodes[graph.first_node:graph.first_node + graph.node_count]:
            read(self.values_of(node.first_value, node.inputs))
            for other in self.inner_graphs(node):
                self.graph(other, known, inner, captured, reached, depth + 1)
            known |= set(self.values_of(node.first_value + node.inputs, node.outputs))
        read(self.values_of(graph.first_value + graph.inputs, graph.outputs))

    def in_tiles(self, value):
        return self.p.values[value].layout == TILES

    def packed(self, value):
        return value != NONE and self.p.values[value].layout == PACKED

    def conversion(self, i, node, group, lying):
        """Of a node that lays a value out anew, which stands alone."""
        from_tiles = self.name(node.type) == b"layout.from_tiles"
        need(group.node_count == node.inputs == node.outputs == 1, "node", i, "rule 18: it is not alone")
        if self.name(node.type) == b"layout.from_mxfp6":
            return
        need(all(self.in_tiles(value) == (from_tiles == (k == 0))
                 for k, value in enumerate(self.values_of(node.first_value, 2)) if value in lying),
             "node", i, "rule 18: it lays nothing out anew")

    def layouts(self):
        """How values lie for those who compute with them; which operators take either is not looked at."""
        p = self.p
        has = any(engine.lays_out for engine in self.t.engines)
        lying = {i for i, value in enumerate(p.values)
                 if value.rank != NONE and sum(length > 1 for length in value.dims[:value.rank]) > 1}
        for i in range(len(p.values)):
            need(not self.in_tiles(i) or (has and i in lying), "value", i, "rule 18: it cannot lie in tiles")
            need(not self.packed(i) or (has and p.values[i].kind == 2), "value", i, "rule 18: it cannot be packed")
        rows = {item.id for item in p.inputs + p.outputs}
        for graph in p.graphs:
            for node in p.nodes[graph.first_node:graph.first_node + graph.node_count]:
                rows |= set(self.values_of(node.first_value, node.inputs + node.outputs)) - {NONE}
        need(not any(p.values[value].layout for value in rows), "rule 18: an input, output or graph in tiles")
        working = {task.group for task in p.tasks}
        for g, group in enumerate(p.groups if has else []):
            engine = self.t.engines[group.engine]
            for i in range(group.first_node, group.first_node + group.node_count):
                node = p.nodes[i]
                values = self.values_of(node.first_value, node.inputs + node.outputs)
                unpacks = self.name(node.type) == b"layout.from_mxfp6"
                need(all(self.packed(value) == (unpacks and k == 0) for k, value in enumerate(values)), "node", i,
                     "rule 18: packed weights that it cannot read")
                if self.name(node.type).startswith(b"layout."):
                    self.conversion(i, node, group, lying)
                    continue
                ways = {self.in_tiles(value) for value in values if value in lying}
                need(len(ways) < 2, "node", i, "rule 18: values in rows and in tiles")
                if g not in working:
                    ends = [p.values[values[k]] for k in (0, node.inputs)] if True in ways else []
                    sides = {tuple(end.dims[end.rank - 2:end.rank]) for end in ends}
                    need(len(sides) < 2, "node", i, "rule 18: other tiles under another shape")
                elif ways:
                    need(engine.tiled in ways or (not engine.tiled and engine.either), "node", i,
                         "rule 18: not as its engine needs them")

    def name(self, text):
        return self.p.texts[text:self.p.texts.index(b"\0", text)]

    def inside(self):
        """What stays in one task, and what only the host does."""
        p = self.p
        owners = {}
        named = {operand.buffer for operand in p.operands}
        for i, task in enumerate(p.tasks):
            engine = self.t.engines[task.engine]
            alone = task.job == NONE or (engine.role == "compute" and task.unit == task.lane == 0 and
                                         not self.t.memories[engine.memory].local)
            operands = {operand.buffer for operand in self.operands(task)}
            buffers = set()
            for call in p.calls[task.first_call:task.first_call + task.call_count]:
                node = p.nodes[call.node]
                need(alone or not self.inner_graphs(node), "task", i, "rule 17: only the host runs graphs")
                buffers |= {item.id for item in
                            p.call_buffers[call.first_buffer:call.first_buffer + node.inputs + node.outputs]}
            need(alone or all(p.buffers[b].kind != DYNAMIC for b in (buffers | operands) - {NONE}), "task", i,
                 "rule 17: only the host makes buffers")
            for buffer in buffers - operands - {NONE}:
                if not self.in_memory(p.buffers[buffer]):
                    need(owners.setdefault(buffer, i) == i and buffer not in named, "task", i,
                         "rule 17: inside another task")

    def overlaps(self):
        """A walk over addresses for each memory; lifetimes decide among neighbours."""
        places = {}
        used = {self.root(operand.buffer) for operand in self.p.operands}
        for i, buffer in enumerate(self.p.buffers):
            if buffer.kind == INNER and i not in used:
                continue
            if self.in_memory(buffer) and buffer.alias == NONE and buffer.size:
                places.setdefault((buffer.memory, buffer.unit), []).append(
                    (buffer.address, buffer.address + buffer.size, getattr(buffer, "from"), buffer.to, i))
        for here in places.values():
            open_ones = []
            for start, end, first, last, index in sorted(here):
                open_ones = [other for other in open_ones if other[1] > start]
                for other in open_ones:
                    need(max(first, other[2]) > min(last, other[3]), "buffers",
                         f"{other[4]} and {index}", "rule 3: in use at the same place")
                    if len(self.p.streams) > 1:
                        self.neighbours.setdefault(index, []).append(other[4])
                        self.neighbours.setdefault(other[4], []).append(index)
                open_ones.append((start, end, first, last, index))

    # Tasks

    def task(self, index):
        task = self.p.tasks[index]
        need(task.engine < len(self.t.engines) and task.lane < self.t.engines[task.engine].lanes and
             task.unit < self.t.units(self.t.engines[task.engine].per), "task",
             index, "rule 4: no such engine, unit or lane")
        for operand in self.operands(task):
            buffer = self.buffer(operand)
            if operand.writes:
                need((buffer.kind == CODE or not self.is_given(buffer)) and buffer.alias == NONE, "task", index,
                     "rule 4: it writes what it must not")
            need(buffer.kind != PIPELINE, "task", index, "rule 4: an operand inside the engine")
            need(buffer.kind != RING or task.stage_count, "task", index, "rule 4: a ring without stages")
            if buffer.kind != DYNAMIC:
                need(operand.rank == buffer.rank and
                     all(end <= length for (_, end), length in zip(box_of(operand), buffer.dims)),
                     "task", index, "rule 4: beyond its buffer")
        if task.kind == TRANSFER:
            self.transfer(index, task)
        else:
            self.compute(index, task)

    def transfer(self, index, task):
        a, *others = self.operands(task)
        engine = self.t.engines[task.engine]
        need(others and task.call_count == 0 and task.stage_count == 0 and a.writes == 0, "task", index,
             "rule 5: not from one place to others")
        need(len(others) == 1 or engine.cast, "task", index, "rule 5: its engine does not cast")
        for b in others:
            self.destination(index, task, a, b)
            need(not engine.loops or self.loops(a, b) <= engine.loops, "task", index,
                 "rule 5: more loops than its engine has")
        units = [self.buffer(b).unit for b in others]
        said = [item.id for item in self.p.task_units[task.first_unit:task.first_unit + task.unit_count]]
        need(said == units or (not said and len(units) == 1 and engine.role == "transfer"), "task", index,
             "rule 5: other units than it says")
        need(not said or len({(self.buffer(b).memory, self.buffer(b).unit) for b in others}) == len(others),
             "task", index, "rule 5: a unit twice")

    def loops(self, a, b):
        """Counts and strides at both ends, inner ones first; what lies together is no loop."""
        found = [(1, 1, 1)]
        steps = [1, 1]
        for axis in reversed(range(a.rank)):
            size = a.size[axis]
            count, *strides = found[-1]
            if [count * stride for stride in strides] == steps:
                found[-1] = (count * size, *strides)
            elif size > 1:
                found.append((size, *steps))
            steps = [step * self.buffer(end).dims[axis] for step, end in zip(steps, (a, b))]
        return len(found) - 1

    def destination(self, index, task, a, b):
        x, y = self.buffer(a), self.buffer(b)
        need(b.writes == 1 and self.in_memory(x) and self.in_memory(y), "task", index,
             "rule 5: not from one to the other")
        need(x.element == y.element and a.rank == b.rank and a.size[:a.rank] == b.size[:b.rank], "task",
             index, "rule 5: different shapes")
        count = volume(a.size[:a.rank])
        need(task.cost == COST_TRANSFER and
             task.bytes == (-(-count * 25 // 32) if self.packed(x.value) else count * ELEMENT_BYTES[x.element]),
             "task", index, "rule 5: its bytes")
        need(self.same_place(a, b), "task", index, "rule 5: another place of the value")
        need(self.t.carries(task.engine, x.memory, y.memory) and
             self.t.reaches(task.engine, task.unit, x.memory, x.unit), "task", index,
             "rule 5: its engine does not go there")
        if self.t.engines[task.engine].role == "communication":
            need(x.unit != y.unit, "task", index, "rule 5: from a unit to itself")
        else:
            need(self.t.reaches(task.engine, task.unit, y.memory, y.unit), "task", index,
                 "rule 5: its engine does not go there")

    def same_place(self, a, b):
        x, y = self.buffer(a), self.buffer(b)
        return x.value == y.value and all(
            p + q == r + s for p, q, r, s in zip(getattr(a, "from")[:a.rank], x.origin,
                                                 getattr(b, "from")[:b.rank], y.origin))

    def compute(self, index, task):
        p = self.p
        engine = self.t.engines[task.engine]
        need(task.group != NONE, "task", index, "rule 6: of no group")
        need(engine.role in ("compute", "control", "host") and task.unit_count == 0, "task", index,
             "rule 6: its engine, or its units")
        group = p.groups[task.group]
        calls = p.calls[task.first_call:task.first_call + task.call_count]
        need(task.engine == group.engine and
             [call.node for call in calls] ==
             list(range(group.first_node, group.first_node + group.node_count)),
             "task", index, "rule 6: not the nodes of its group")
        operands = self.operands(task)
        reads = {operand.buffer for operand in operands if not operand.writes}
        writes = {operand.buffer for operand in operands if operand.writes}
        if task.stage_count:
            need(all(self.buffer(operand).kind != DYNAMIC for operand in operands), "task", index,
                 "rule 7: an operand without a place")
            near = [operand for operand in operands if self.is_near(task, operand.buffer)]
            reads = {operand.buffer for operand in operands if self.buffer(operand).kind == RING and
                     self.outside(task, operand.buffer, 0) == 1}
            reads |= {operand.buffer for operand in near if not operand.writes}
            writes = {operand.buffer for operand in operands if self.buffer(operand).kind == RING}
            writes |= {operand.buffer for operand in near if operand.writes}
        else:
            parts = [operand for operand in operands if self.in_memory(self.buffer(operand)) and
                     not self.is_whole(operand)]
            writes -= {operand.buffer for operand in parts if operand.writes}
            reads -= {operand.buffer for operand in parts if not operand.writes}
            windows = {i.id for call in calls for i in self.call_buffers(call)
                      if i.id != NONE and p.buffers[i.id].kind == PIPELINE}
            joined = {i: self.joined(i, operands) for i in windows}
            reads |= {i for i in windows if joined[i] or sum(
                self.holds(i, operand) for operand in parts if not operand.writes) == 1}
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
                need(inside or not task.stage_count or buffer in writes or self.is_near(task, buffer), "task", index,
                     "rule 7: a kernel works on what is no ring")
                if i < node.inputs:
                    need(buffer in reads or buffer in given, "task", index,
                         "rule 6: a kernel reads what is no operand")
                else:
                    need(not self.in_memory(p.buffers[buffer]) or buffer in writes, "task", index,
                         "rule 6: a kernel writes what is no operand")
                    results.append(buffer)
            given.update(results)
        if task.stage_count:
            self.staged(index, task, given)
            return
        need(writes <= given, "task", index, "rule 6: no kernel gives what it writes")
        for operand in parts:
            need(sum((self.holds(i, operand) or operand in joined[i]) and
                     (i in given) == bool(operand.writes) for i in windows) == 1,
                 "task", index, "rule 6: part of a tile without its window")
        for operand in operands:
            buffer = self.buffer(operand)
            if self.in_memory(buffer):
                need(buffer.memory == engine.memory and
                     self.t.reaches(task.engine, task.unit, buffer.memory, buffer.unit), "task", index,
                     "rule 6: the engine does not reach it")

    def is_whole(self, operand):
        buffer = self.buffer(operand)
        return box_of(operand) == [(0, n) for n in buffer.dims[:buffer.rank]]

    def call_buffers(self, call):
        node = self.p.nodes[call.node]
        return self.p.call_buffers[call.first_buffer:call.first_buffer + node.inputs + node.outputs]

    # Stages

    def holds(self, ring, operand):
        """Whether a ring, or a window, holds what an operand outside is."""
        inside, outside = self.p.buffers[ring], self.buffer(operand)
        places = [a + b for a, b in zip(getattr(operand, "from")[:operand.rank], outside.origin)]
        return (inside.value == outside.value != NONE and inside.element == outside.element and
                inside.rank == operand.rank and list(inside.origin[:inside.rank]) == places and
                inside.dims[:inside.rank] == operand.size[:operand.rank])

    def joined(self, window, operands):
        """The operands that a window is put together of: every place of it comes from just one."""
        inside = self.p.buffers[window]
        bounds = [(start, start + length) for start, length in zip(inside.origin[:inside.rank], inside.dims)]
        parts = []
        for operand in operands:
            buffer = self.buffer(operand)
            if (operand.writes or operand.rank != inside.rank or
                    (buffer.value, buffer.element) != (inside.value, inside.element) or inside.value == NONE):
                continue
            box = [(start + a, start + b) for (a, b), start in zip(box_of(operand), buffer.origin)]
            if all(low <= a and b <= high for (a, b), (low, high) in zip(box, bounds)):
                parts.append((operand, box))
        boxes = [box for _, box in parts]
        apart = all(common(a, b) == 0 for i, a in enumerate(boxes) for b in boxes[:i])
        sizes = [volume(b - a for a, b in box) for box in boxes]
        full = all(sizes) and sum(sizes) == volume(inside.dims[:inside.rank])
        return [operand for operand, _ in parts] if 1 < len(parts) <= JOINED_MOST and apart and full else []

    def is_near(self, task, buffer):
        """Whether a buffer, not a ring, lies in the memory that the task's engine works in."""
        item = self.p.buffers[buffer]
        return item.kind != RING and self.in_memory(item) and item.memory == self.t.engines[task.engine].memory

    def outside(self, task, ring, writes):
        return sum(self.holds(ring, operand) for operand in self.operands(task)
                   if self.buffer(operand).kind != RING and bool(operand.writes) == bool(writes))

    def staged(self, index, task, given):
        engine = self.t.engines[task.engine]
        operands = self.operands(task)
        rings = [operand.buffer for operand in operands if self.buffer(operand).kind == RING]
        stages = self.p.stages[task.first_stage:task.first_stage + task.stage_count]
        rest = iter(engine.stages)
        need(all(stage.engine in rest for stage in stages), "task", index, "rule 7: other stages than its engine's")
        need(stages[-1].ring == NONE and all(
            stage.pieces and (stage.ring == NONE or (stage.ring in rings and stage.depth)) for stage in stages),
             "task", index, "rule 7: the rings of its stages")
        for operand in operands:
            buffer = self.buffer(operand)
            if buffer.kind == RING:
                need(operand.writes and self.is_whole(operand) and
                     buffer.memory == engine.memory and
                     self.t.reaches(task.engine, task.unit, buffer.memory, buffer.unit) and
                     self.outside(task, operand.buffer, 1) <= 1, "task", index, "rule 7: a ring")
                continue
            if self.is_near(task, operand.buffer):
                need(self.is_whole(operand) and (not operand.writes or operand.buffer in given) and
                     self.t.reaches(task.engine, task.unit, buffer.memory, buffer.unit), "task", index,
                     "rule 7: what lies near")
                continue
            ways = [stage.engine for stage in stages if self.t.engines[stage.engine].role == "transfer"]
            need(any(buffer.memory == (self.t.engines[way].end if operand.writes else self.t.engines[way].start)
                     and self.t.reaches(way, task.unit, buffer.memory, buffer.unit) for way in ways),
                 "task", index, "rule 7: no stage goes there")
            need(sum(self.holds(ring, operand) and (ring in given) == bool(operand.writes) for ring in rings) == 1,
                 "task", index, "rule 7: an operand without its ring")

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
        return ((x.memory, x.unit) == (y.memory, y.unit) and x.size > 0 and y.size > 0 and
                x.address < y.address + y.size and y.address < x.address + x.size)

    def streams(self):
        found = set()
        for i, stream in enumerate(self.p.streams):
            need(stream.queue < len(self.t.queues) and stream.unit < self.t.units(self.t.queues[stream.queue][1])
                 and (stream.queue, stream.unit) not in found, "stream", i, "rule 9: its queue or unit")
            found.add((stream.queue, stream.unit))
        for i, group in enumerate(self.p.groups):
            need(group.engine < len(self.t.engines), "group", i, "rule 4: no such engine")
        for i, task in enumerate(self.p.tasks):
            for stage in self.p.stages[task.first_stage:task.first_stage + task.stage_count]:
                need(stage.engine < len(self.t.engines), "task", i, "rule 4: no such engine of a stage")

    def in_use(self, index):
        for operand in self.operands(self.p.tasks[index]):
            buffer = self.p.buffers[self.root(operand.buffer)]
            need(getattr(buffer, "from") <= self.moment <= buffer.to, "task", index,
                 "rule 13: a buffer that is not in use")

    def is_given(self, buffer):
        if buffer.kind == DYNAMIC and buffer.value != NONE:
            return self.p.values[buffer.value].kind in (0, 2)
        return buffer.kind in (INPUT, CONSTANT, CODE)

    def is_over(self, task, step):
        return task in self.waited and self.happens.is_before(self.waited[task], step)

    def written_of(self, root):
        if root not in self.written:
            self.written[root] = Written(self.p.buffers[root])
        return self.written[root]

    def read(self, index, operand, depends):
        root = self.root(operand.buffer)
        box = self.box(operand) if root == operand.buffer else None
        written = self.written_of(root)
        for writer in written.writers(box):
            need(writer in depends, "task", index, f"rule 12: it does not depend on task {writer}")
        if not self.is_given(self.p.buffers[root]) or root in self.given_to:
            done = written.whole() if box is None else written.has(box)
            need(done, "task", index, "rule 14: it reads what has not been written")

    def depends(self, index, task, step):
        found = {}
        for item in self.p.dependencies[task.first_dependency:task.first_dependency + task.dependency_count]:
            need(self.is_over(item.task, step), "task", index, f"rule 12: task {item.task} is not over")
            other = self.operands(self.p.tasks[item.task])
            flows = any(b.writes and not a.writes and self.root(a.buffer) == self.root(b.buffer)
                        for a in self.operands(task) for b in other)
            again = not item.data and any(self.clash(a, b) for a in self.operands(task) for b in other)
            need(flows or again, "task", index, f"rule 12: it shares nothing with task {item.task}")
            found[item.task] = found.get(item.task) or item.data
        return {other for other, data in found.items() if data}

    def apart(self, index, task, step):
        """Whoever uses the same bytes is over: those of its own buffers and of any that lie there."""
        for a in self.operands(task):
            root = self.root(a.buffer)
            if len(self.p.streams) > 1:
                roots = [root, *self.neighbours.get(root, [])]
            else:
                roots = list(self.accesses)
            for near in roots:
                for other, b in self.accesses.get(near, []):
                    need(not self.clash(a, b) or self.is_over(other, step), "task", index,
                         f"rule 11: task {other} uses the same bytes")

    def driven(self, index, task, stream):
        engine = self.t.engines[task.engine]
        if stream is None:
            need(engine.queue is None, "task", index, "rule 8: the host does not start its engine")
            return
        item = self.p.streams[stream]
        need(engine.queue == item.queue and
             (engine.per != self.t.queues[item.queue][1] or task.unit == item.unit), "task", index,
             "rule 9: its engine is not the stream's")

    def start(self, index, job, step):
        task = self.p.tasks[index]
        stream = None if step is None else self.p.steps[step].stream
        need(index not in self.started and task.job == job, "task", index, "rule 8: started twice or elsewhere")
        self.started[index] = stream
        self.driven(index, task, stream)
        lane = (task.engine, task.unit, task.lane)
        need(lane not in self.lanes or self.is_over(self.lanes[lane], step), "task", index,
             "rule 10: its lane is not free")
        self.lanes[lane] = index
        self.apart(index, task, step)
        self.in_use(index)
        depends = self.depends(index, task, step)
        for operand in self.operands(task):
            if not operand.writes:
                self.read(index, operand, depends)
        for operand in self.operands(task):
            root = self.root(operand.buffer)
            if operand.writes:
                need(self.written_of(root).add(self.box(operand), index), "task", index,
                     "rule 15: it writes what has been written")
            self.accesses.setdefault(root, []).append((index, operand))
        self.recent.append(index)

    def forget(self, index):
        """It is over for all that comes."""
        for root in {self.root(operand.buffer) for operand in self.operands(self.p.tasks[index])}:
            self.accesses[root] = [item for item in self.accesses[root] if item[0] != index]
            if not self.accesses[root]:
                del self.accesses[root]

    def wait(self, index, step):
        need(index in self.started, "task", index, "rule 8: waited for before it starts")
        stream = None if step is None else self.p.steps[step].stream
        need(self.started[index] == stream, "task", index, "rule 9: waited for by another stream")
        if index in self.waited:
            return
        self.waited[index] = step
        self.in_use(index)
        if step is None or self.happens.single:
            self.forget(index)
            self.recent.remove(index)

    def steps(self, job, number):
        indices = range(job.first_step, job.first_step + job.step_count)
        self.happens.begin(indices)
        for index in indices:
            step = self.p.steps[index]
            self.moment += 1
            self.happens.step(index)
            if step.kind == START:
                self.start(step.task, number, index)
            elif step.kind == WAIT:
                self.wait(step.task, index)

    def act(self, action):
        if action.kind in (JOB_START, HOST_START):
            need(self.job is None, "job", self.job, "rule 8: not waited for")
        if action.kind == JOB_START:
            self.job = action.subject
            self.steps(self.p.jobs[action.subject], action.subject)
            for index in [index for index in self.recent if index in self.waited]:
                self.forget(index)
                self.recent.remove(index)
        elif action.kind == JOB_WAIT:
            need(self.job == action.subject, "job", action.subject, "rule 8: waited for before it starts")
            self.job = None
        elif action.kind == HOST_START:
            self.start(action.subject, NONE, None)
        elif action.kind == HOST_WAIT:
            self.wait(action.subject, None)
        self.moment += 1

    def order(self):
        following = 0
        for i, dispatch in enumerate(self.p.dispatches):
            need(dispatch.first_action == following, "dispatch", i, "rule 8: its actions")
            following += dispatch.action_count
        need(following == len(self.p.actions), "rule 8: actions of no dispatch")
        for action in self.p.actions:
            self.act(action)
        held = {buffer.value for buffer in self.p.buffers}
        for i, item in enumerate(self.p.outputs):
            need(item.id in held or self.p.values[item.id].kind == 2, "output", i, "rule 15: nothing holds it")
        need(self.job is None, "job", self.job, "rule 8: not waited for")
        need(len(self.waited) == len(self.p.tasks), "rule 8: a task that is not started or waited for")
        for i, buffer in enumerate(self.p.buffers):
            wanted = buffer.kind == OUTPUT or (buffer.kind == INNER and i in self.given_to)
            if wanted and buffer.alias == NONE:
                need(self.written_of(i).whole(), "buffer", i, "rule 15: elements that are never written")

    def run(self):
        self.streams()
        self.buffers()
        self.ports()
        self.overlaps()
        for i in range(len(self.p.tasks)):
            self.task(i)
        self.graphs()
        self.inside()
        self.layouts()
        self.order()


def check(data):
    """Raises Wrong for what is no right program."""
    program = Program(data)
    indices = Indices(program)
    indices.network()
    indices.reserved()
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
