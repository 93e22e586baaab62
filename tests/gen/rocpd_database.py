#!/usr/bin/env python3
"""Databases as rocprofv3 writes them (rocpd), of any size, and what is in them.

    python3 tests/gen/rocpd_database.py FILE [LAYOUT] [STEPS] [RUNS]

LAYOUT is "columns" (rows have their times and places) or "tracks" (rows refer to timestamps and tracks): both have
been written under schema version 3. Names of tables end in the id of the run; several runs may be in one file.
"""

import pathlib
import random
import sqlite3
import sys

LAYOUTS = ("columns", "tracks")
CPU, GPU, PEER = 1, 2, 3  # agents
COPIES = {"MEMORY_COPY_HOST_TO_DEVICE": (CPU, GPU, "transfer in"), "MEMORY_COPY_DEVICE_TO_HOST": (GPU, CPU, "transfer out"),
          "MEMORY_COPY_DEVICE_TO_DEVICE": (GPU, GPU, "transfer"), "MEMORY_COPY_PEER_TO_PEER": (GPU, PEER, "communication")}


class Run:
    """The rows of a run, and the same as opscope should have them."""

    def __init__(self, layout, steps, seed):
        self.layout, self.random = layout, random.Random(seed)
        self.texts, self.rows, self.spans = {}, {}, []
        self.stamps, self.tracks, self.stack, self.now = [], {}, 0, 10_000 * seed
        for step in range(steps):
            self.step(step)

    def text(self, value):
        return self.texts.setdefault(value, len(self.texts) + 1)

    def add(self, table, **row):
        rows = self.rows.setdefault(table, [])
        rows.append({"id": len(rows) + 1, "guid": "g", **row})
        return len(rows)

    def event(self, category, stack):
        return self.add("rocpd_event", category_id=self.text(category), stack_id=stack, parent_stack_id=0,
                        correlation_id=0, call_stack="{}", line_info="{}", extdata="{}")

    def times(self, start, end):
        if self.layout == "columns":
            return {"start": start, "end": end}
        self.stamps += [start, end]
        return {"start_id": len(self.stamps) - 1, "end_id": len(self.stamps)}

    def place(self, **place):
        place = {"pid": 1, "tid": 1, "agent_id": None, "queue_id": None, "stream_id": None, **place}
        if self.layout == "columns":
            return {"nid": 1, **place}
        key = tuple(place.items())
        self.tracks.setdefault(key, len(self.tracks) + 1)
        return {"track_id": self.tracks[key]}

    def span(self, where, name, start, end, **more):
        self.spans.append({"where": where, "name": name, "start": start, "end": end, **more})

    def region(self, name, category, start, end, operator=None, role="host call"):
        self.stack += 1
        place = self.place()
        for unused in ("agent_id", "queue_id", "stream_id"):
            place.pop(unused, None)
        self.add("rocpd_region", **place, **self.times(start, end), name_id=self.text(name),
                 event_id=self.event(category, self.stack), extdata='{"x": 1}' if "Malloc" in name else "{}")
        self.span("host", name, start, end, operator=operator, **({"role": role} if role else {}))
        return self.stack

    def kernel(self, name, stack, start, width, operator):
        names = self.rows.setdefault("rocpd_info_kernel_symbol", [])
        known = {row["display_name"]: row["id"] for row in names}
        if name not in known:
            known[name] = self.add("rocpd_info_kernel_symbol", nid=1, pid=1, code_object_id=1, kernel_name="_Z" + name,
                                   display_name=name, extdata="{}")
        event = self.event("KERNEL_DISPATCH", stack)
        self.add("rocpd_kernel_dispatch", **self.place(agent_id=GPU, queue_id=1, stream_id=2), kernel_id=known[name],
                 dispatch_id=1, **self.times(start, start + width), workgroup_size_x=64, workgroup_size_y=1,
                 workgroup_size_z=1, grid_size_x=4096, grid_size_y=1, grid_size_z=1, region_name_id=self.text(name),
                 event_id=event, extdata="{}")
        self.add("rocpd_pmc_event", event_id=event, pmc_id=1, value=float(width), extdata="{}")
        self.span("device", name, start, start + width, operator=operator,
                  role="communication" if name.startswith("nccl") else "compute")

    def copy(self, name, stack, start, width, size, operator):
        source, target, role = COPIES[name]
        place = self.place(queue_id=None, stream_id=3)
        place.pop("agent_id", None)
        self.add("rocpd_memory_copy", **place, **self.times(start, start + width), name_id=self.text(name),
                 dst_agent_id=target, dst_address=1, src_agent_id=source, src_address=2, size=size,
                 region_name_id=None, event_id=self.event("MEMORY_COPY", stack), extdata="{}")
        self.span("device", name, start, start + width, operator=operator, role=role, bytes=size)

    def allocate(self, kind, address, size):
        place = self.place(agent_id=GPU)
        self.add("rocpd_memory_allocate", **place, type=kind, level="REAL", **self.times(self.now, self.now + 100),
                 address=address, size=size, event_id=self.event("MEMORY_ALLOCATION", 0), extdata="{}")
        self.span("unknown", kind, self.now, self.now + 100)

    def step(self, number):
        begun = self.now
        self.now += 300
        self.allocate("ALLOC", 4096, 1024)
        self.now += 300
        for name, width in (("gemm(float*)", 5000 + number), ("ncclDevKernel_AllReduce()", 900)):
            stack = self.region("hipLaunchKernel", "HIP_RUNTIME_API", self.now, self.now + 2000, "layer")
            self.kernel(name, stack, self.now + 2500, width, "layer")
            self.now += 2300
        copy = self.random.choice(list(COPIES))
        stack = self.region("hipMemcpyAsync", "HIP_RUNTIME_API", self.now, self.now + 1000, "layer")
        self.copy(copy, stack, self.now + 1200, 700, 2048 * (number + 1), "layer")
        self.now += 1500
        self.region("layer", "MARKER_CORE_RANGE_API", begun, self.now, "layer", role=None)
        stack = self.region("hipGraphLaunch", "HIP_RUNTIME_API", self.now, self.now + 900, "hipGraphLaunch")
        for node in range(2):
            self.kernel(f"node_{node}()", stack, self.now + 8000 + 700 * node, 600, "hipGraphLaunch")
        self.now += 1200
        self.region("hipMalloc", "HIP_RUNTIME_API", self.now, self.now + 400)
        self.now += 500
        self.allocate("FREE", 4096, 0)
        self.now += 20_000


def about(run, pid):
    yield "rocpd_metadata", [{"id": 1, "tag": "schema_version", "value": "3"}]
    yield "rocpd_string", [{"id": number, "guid": "g", "string": text} for text, number in run.texts.items()]
    yield "rocpd_info_node", [{"id": 1, "guid": "g", "hash": 7, "machine_id": "m", "hostname": "node1"}]
    yield "rocpd_info_process", [{"id": 1, "guid": "g", "nid": 1, "pid": pid, "name": None, "command": "./app"}]
    yield "rocpd_info_thread", [{"id": 1, "guid": "g", "nid": 1, "pid": 1, "tid": pid, "name": "main"}]
    yield "rocpd_info_agent", [
        {"id": CPU, "guid": "g", "nid": 1, "pid": 1, "type": "CPU", "type_index": 0, "name": "cpu0", "product_name": "EPYC"},
        {"id": GPU, "guid": "g", "nid": 1, "pid": 1, "type": "GPU", "type_index": 0, "name": "gfx942", "product_name": "MI300X"},
        {"id": PEER, "guid": "g", "nid": 1, "pid": 1, "type": "GPU", "type_index": 1, "name": "gfx942", "product_name": "MI300X"}]
    yield "rocpd_info_queue", [{"id": 1, "guid": "g", "nid": 1, "pid": 1, "name": "Queue 0"}]
    yield "rocpd_info_stream", [{"id": n, "guid": "g", "nid": 1, "pid": 1, "name": f"Stream {n}"} for n in (1, 2, 3)]
    yield "rocpd_info_pmc", [{"id": 1, "guid": "g", "nid": 1, "pid": 1, "agent_id": GPU, "name": "SQ_WAVES", "symbol": "SQ_WAVES"}]
    yield "rocpd_arg", [{"id": 1, "guid": "g", "event_id": 1, "position": 0, "type": "int", "name": "x", "value": "1"}]
    if run.layout == "tracks":
        yield "rocpd_timestamp", [{"id": i + 1, "guid": "g", "value": value, "phase": 0} for i, value in enumerate(run.stamps)]
        yield "rocpd_track", [{"id": number, "guid": "g", "nid": 1, **dict(key), "name_id": None}
                              for key, number in run.tracks.items()]


def write_runs(path, runs, page_size=4096):
    """Writes what was made."""
    path = pathlib.Path(path)
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA page_size = {page_size}")
    base.execute("PRAGMA journal_mode = OFF")
    tables = [(f"_00000{number}_abc", table, rows) for number, run in enumerate(runs)
              for table, rows in [*run.rows.items(), *about(run, 100 + number)]]
    for suffix, table, rows in tables:  # all of them before the first row, as there
        base.execute(f'CREATE TABLE "{table}{suffix}" (' + ", ".join(
            f'"{column}"' + (" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT" if column == "id" else "") for column in rows[0]) + ")")
        base.execute(f'CREATE VIEW IF NOT EXISTS "{table}" AS SELECT * FROM "{table}{suffix}"')
    for suffix, table, rows in tables:
        base.executemany(f'INSERT INTO "{table}{suffix}" VALUES ({", ".join("?" * len(rows[0]))})',
                         (list(row.values()) for row in rows))
    base.commit()
    base.close()


def write(path, layout="columns", steps=3, runs=1, seed=1, page_size=4096):
    """Makes a database; returns its runs."""
    made = [Run(layout, steps, seed + number) for number in range(runs)]
    write_runs(path, made, page_size)
    return made


if __name__ == "__main__":
    write(sys.argv[1], *sys.argv[2:3], *map(int, sys.argv[3:5]))
