#!/usr/bin/env python3
"""Databases as `nsys export --type sqlite` writes them, of any size, and what is in them.

    python3 tests/gen/nsys_database.py FILE [VERSION] [STEPS]

VERSION is one of VERSIONS: column sets differ, and tables that have no rows are missing, as in the real ones
(the schema reference of each version is public). A thread works in ranges (NVTX), launches kernels, copies and
graphs, and waits; a second one only calls the system.
"""

import pathlib
import random
import sqlite3
import sys

VERSIONS = ("2019.3", "2021.5", "2024.6")
PID, MAIN, OTHER = 4321, 4321, 4399
STREAM, SIDE, DEVICE, CONTEXT = 7, 13, 0, 1

# copyKind: name and role as opscope has them
COPIES = {1: ("[CUDA memcpy Host-to-Device]", "transfer in"), 2: ("[CUDA memcpy Device-to-Host]", "transfer out"),
          8: ("[CUDA memcpy Device-to-Device]", "transfer"), 10: ("[CUDA memcpy Peer-to-Peer]", "communication")}


def global_tid(pid, tid):
    return 1 << 56 | pid << 24 | tid


def global_pid(pid):
    return global_tid(pid, 0)


class Made:
    """The rows of a database before they are written, and the same as opscope should have them."""

    def __init__(self, version, steps, seed):
        self.version, self.random = version, random.Random(seed)
        self.texts, self.rows, self.spans = {}, {}, []
        self.now, self.correlation = 1000, 0
        for step in range(steps):
            self.step(step)

    def text(self, value):
        return self.texts.setdefault(value, len(self.texts) + 1)

    def add(self, table, **row):
        self.rows.setdefault(table, []).append(row)

    def span(self, where, name, start, end, **more):
        self.spans.append({"where": where, "name": name, "start": start, "end": end, **more})

    def call(self, name, work=None, width=3000, table="CUPTI_ACTIVITY_KIND_RUNTIME", operator=None):
        """A call of the runtime; `work(correlation, start)` is what it launches."""
        self.correlation += 1
        start, end = self.now, self.now + width
        self.add(table, start=start, end=end, globalTid=global_tid(PID, MAIN), correlationId=self.correlation,
                 nameId=self.text(name), returnValue=0, eventClass=0, callchainId=None)
        self.span("host", name, start, end, role="host call", operator=operator)
        self.now = end
        if work:
            work(self.correlation, end + self.random.randrange(200, 900))
        self.now += self.random.randrange(100, 500)

    def kernel(self, name, width, operator, stream=STREAM, node=None):
        def work(correlation, start):
            short = name.split("<")[0].split("(")[0]
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", start=start, end=start + width, deviceId=DEVICE, contextId=CONTEXT,
                     streamId=stream, correlationId=correlation, globalPid=global_pid(PID),
                     demangledName=self.text(name), shortName=self.text(short), gridX=8, gridY=1, gridZ=1,
                     blockX=256, blockY=1, blockZ=1, registersPerThread=32, staticSharedMemory=0, graphNodeId=node)
            role = "communication" if name.startswith("nccl") else "compute"
            self.span("device", name, start, start + width, role=role, operator=operator)
        return work

    def copy(self, kind, size, width, operator):
        def work(correlation, start):
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=start, end=start + width, deviceId=DEVICE, contextId=CONTEXT,
                     streamId=SIDE, correlationId=correlation, globalPid=global_pid(PID), bytes=size, copyKind=kind,
                     srcKind=0, dstKind=2)
            self.span("device", COPIES[kind][0], start, start + width, role=COPIES[kind][1], operator=operator,
                      bytes=size)
        return work

    def fill(self, size, width, operator):
        def work(correlation, start):
            self.add("CUPTI_ACTIVITY_KIND_MEMSET", start=start, end=start + width, deviceId=DEVICE,
                     contextId=CONTEXT, streamId=STREAM, correlationId=correlation, globalPid=global_pid(PID),
                     value=0, bytes=size)
            self.span("device", "[CUDA memset]", start, start + width, role="transfer", operator=operator, bytes=size)
        return work

    def graph(self, operator):
        """Its kernels one by one, or as a whole where the profiler was told so."""
        def work(correlation, start):
            if self.version == "2021.5":
                for node in range(3):
                    self.kernel(f"void graph_kernel<{node}>()", 700, operator, node=node + 1)(correlation, start)
                    start += 800
            elif self.version == "2024.6":
                self.add("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", start=start, end=start + 2500, deviceId=DEVICE,
                         contextId=CONTEXT, streamId=STREAM, correlationId=correlation, globalPid=global_pid(PID),
                         graphId=5, graphExecId=6)
                self.span("device", "[CUDA graph 5]", start, start + 2500, role="compute", operator=operator)
        return work

    def nvtx(self, name, start, end, kind=59):
        row = {"start": start, "end": end, "eventType": kind, "globalTid": global_tid(PID, MAIN), "domainId": 0,
               "rangeId": len(self.rows.get("NVTX_EVENTS", [])), "text": name, "textId": None}
        if self.version == "2024.6":
            row.update(text=None, textId=self.text(name), jsonTextId=None, jsonText=None)
        self.add("NVTX_EVENTS", **row)

    def step(self, number):
        begun = self.now
        self.now += 400
        for operator, shape in (("aten::linear", "[[8, 64], [64]]"), ("aten::relu", "[[8, 64]]")):
            start = self.now
            self.now += 200
            self.call("cudaLaunchKernel_v7000", self.kernel(f"void {operator[6:]}_kernel<float>(float*)", 4000 + number,
                                                            operator), operator=operator)
            if operator == "aten::linear":
                self.call("cudaMemcpyAsync_v3020", self.copy(self.random.choice(list(COPIES)), 4096 * (number + 1),
                                                             1500, operator), operator=operator)
            text = f"{operator}, seq = {2 * number}, op_id = {self.correlation}, sizes = {shape}"
            self.nvtx(text, start, self.now)
            self.span("host", operator, start, self.now, operator=operator)
            self.now += 300
        self.call("cudaMemsetAsync_v3020", self.fill(512, 300, "step"), operator="step")
        self.call("cudaLaunchKernel_v7000", self.kernel("ncclDevKernel_AllReduce(x)", 2000, "step", SIDE), operator="step")
        self.nvtx("step", begun, self.now)
        if self.version == "2024.6":
            self.nvtx("open", begun, None)
        self.span("host", "step", begun, self.now, operator="step")
        self.now += 500
        self.call("cudaGraphLaunch_v10000", self.graph("cudaGraphLaunch_v10000"), operator="cudaGraphLaunch_v10000")
        self.add("OSRT_API", start=begun, end=begun + 10_000, globalTid=global_tid(PID, OTHER), correlationId=None,
                 nameId=self.text("poll"), returnValue=1, nestingLevel=0, callchainId=None, eventClass=1)
        self.span("host", "poll", begun, begun + 10_000, role="host call")
        if self.version == "2024.6":
            self.add("MPI_COLLECTIVES_EVENTS", start=begun + 2_000, end=begun + 4_000, globalTid=global_tid(PID, OTHER),
                     textId=self.text("MPI_Allreduce"), commHandle=1, rootRank=None, size=4096)
            self.span("host", "MPI_Allreduce", begun + 2_000, begun + 4_000, role="host call")
        self.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=self.now, end=self.now + 600, deviceId=DEVICE,
                 contextId=CONTEXT, streamId=STREAM, correlationId=self.correlation, globalPid=global_pid(PID), syncType=3)
        self.span("unknown", "[CUDA synchronization]", self.now, self.now + 600)
        if self.version == "2024.6":
            self.memory(number)
        self.now += 20_000

    def memory(self, number):
        """A buffer of each step is given back in the next one, the last one never."""
        self.call("cudaStreamSynchronize_v3020", width=700)
        row = {"globalPid": global_pid(PID), "deviceId": DEVICE, "contextId": CONTEXT, "pc": 0, "memKind": 2,
               "name": None, "correlationId": self.correlation}
        for at, operation in ((number, 0), (number - 1, 1)):
            if at >= 0:
                self.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=self.now + operation, **row, bytes=1024 * (at + 1),
                         address=0x7f0000000000 + 4096 * at, memoryOperationType=operation)


# Columns that are not in every version, by table.
ABSENT = {"2019.3": {"CUPTI_ACTIVITY_KIND_KERNEL": {"globalPid", "graphNodeId"}, "CUPTI_ACTIVITY_KIND_MEMCPY": {"globalPid"},
                     "CUPTI_ACTIVITY_KIND_MEMSET": {"globalPid"}, "NVTX_EVENTS": {"textId"},
                     "CUPTI_ACTIVITY_KIND_RUNTIME": {"callchainId", "eventClass"},
                     "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": {"globalPid"}},
          "2021.5": {"NVTX_EVENTS": {"textId"}}, "2024.6": {}}


def columns_of(made, table):
    left_out = ABSENT[made.version].get(table, set())
    return [column for column in made.rows[table][0] if column not in left_out]


def about(made):
    """Tables that say what things are called."""
    yield "StringIds", ("id INTEGER PRIMARY KEY", "value TEXT NOT NULL"), [(i, t) for t, i in made.texts.items()]
    yield "ThreadNames", ("nameId INT", "priority INT", "globalTid INT"), [(made.texts["main"], 0, global_tid(PID, MAIN))]
    yield "TARGET_INFO_GPU", ("id INT", "name TEXT", "busLocation TEXT"), [(0, "NVIDIA H200", "0000:01:00.0")]
    yield "ENUM_CUDA_MEMCPY_OPER", ("id INT", "name TEXT", "label TEXT"), [(1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device")]
    if made.version != "2019.3":
        yield "PROCESSES", ("globalPid INT", "pid INT", "name TEXT"), [(global_pid(PID), PID, "python3")]
    if made.version == "2024.6":
        yield "META_DATA_EXPORT", ("name TEXT", "value TEXT"), [("EXPORT_SCHEMA_VERSION", "3.20.5")]
        yield "DIAGNOSTIC_EVENT", ("timestamp INT", "severity INT", "text TEXT"), [(1, 2, "12 events were dropped")]
        yield "GPU_METRICS", ("timestamp INT", "typeId INT", "metricId INT", "value INT"), \
            [(1000 + 10 * i, 256, i % 2, i) for i in range(20)]
        yield "TARGET_INFO_GPU_METRICS", ("typeId INT", "metricId INT", "metricName TEXT"), \
            [(256, 0, "SM Active"), (256, 1, "DRAM Read")]
        yield "SCHED_EVENTS", ("start INT", "cpu INT", "isSchedIn INT", "globalTid INT"), [(5, 0, 1, 9), (6, 0, 0, 9)]


def write_made(path, made, page_size=4096):
    """Writes what was made."""
    path = pathlib.Path(path)
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA page_size = {page_size}")
    base.execute("PRAGMA journal_mode = OFF")
    for table, rows in made.rows.items():
        columns = columns_of(made, table)
        base.execute(f"CREATE TABLE {table} ({', '.join(f'{c} TEXT' if c == 'text' else f'{c} INT' for c in columns)})")
        base.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                         ([row[column] for column in columns] for row in rows))
    for table, columns, rows in about(made):
        base.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        base.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
    base.commit()
    base.close()


def write(path, version=VERSIONS[-1], steps=3, seed=1, page_size=4096):
    """Makes a database; returns what is in it."""
    made = Made(version, steps, seed)
    made.text("main")
    write_made(path, made, page_size)
    return made


if __name__ == "__main__":
    write(sys.argv[1], *sys.argv[2:3], *map(int, sys.argv[3:4]))
