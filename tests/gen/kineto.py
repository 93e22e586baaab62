"""Traces as PyTorch's profiler (Kineto) writes them, from its public format.

    text = trace(steps=3)

A training step on the GPU: a Python call stack, operators inside one another with shapes and
types, launches on two threads, kernels, copies and fills on two streams, flows from launch to
kernel (ac2g) and from forward to backward (fwdbwd), annotations of both sides, and what Kineto
adds of its own (spans, iteration markers, overheads, the end of the window).

`relative` times are those of today's Kineto: microseconds with three decimals since
`baseTimeNanoseconds`; without it, of older ones: microseconds since 1970.
"""

import json
import random

# What PyTorch's own profiler recorded: numbered, from 0, none left out.
NUMBERED = ("cpu_op", "python_function", "user_annotation", "cpu_instant_event")

BASE = 1_700_000_000_000_000_000
HOST, MAIN, BACKWARD = 4000, 4000, 4077


class Writer:
    def __init__(self, relative, seed):
        self.relative = relative
        self.chance = random.Random(seed)
        self.events = []
        self.now = 5_000_000  # ns since the base
        self.gpu_free = {7: 0, 20: 0}
        self.correlation = 100
        self.external = 1
        self.flow = 0
        self.numbered = 0

    def stamp(self, ns):
        ns += 0 if self.relative else BASE
        return f"{ns // 1000}.{ns % 1000:03}"

    def put(self, phase, category, name, pid, tid, start, end=None, args=None, more=""):
        parts = [f'"ph": "{phase}"', f'"cat": "{category}"', f'"name": {json.dumps(name)}',
                 f'"pid": {json.dumps(pid)}', f'"tid": {json.dumps(tid)}', f'"ts": {self.stamp(start)}']
        if end is not None:
            parts.append(f'"dur": {(end - start) // 1000}.{(end - start) % 1000:03}')
        if category in NUMBERED:
            args = {**(args or {}), "Ev Idx": self.numbered}
            self.numbered += 1
        if args:
            parts.append(f'"args": {json.dumps(args)}')
        self.events.append("{\n    " + ", ".join(parts) + more + "\n  }")

    def metadata(self, what, pid, tid, **args):
        self.events.append('{\n    ' + f'"name": "{what}", "ph": "M", "ts": {self.stamp(0)}, '
                           f'"pid": {json.dumps(pid)}, "tid": {json.dumps(tid)}, '
                           f'"args": {json.dumps(args)}' + '\n  }')

    def pass_time(self, least=200, most=3000):
        self.now += self.chance.randrange(least, most)

    def link(self, phase, flow, kind, pid, tid, time):
        self.put(phase, kind, kind, pid, tid, time, more=f', "id": {flow}'
                 + (', "bp": "e"' if phase == "f" else ""))

    def launch(self, thread, kernel, duration, category="kernel", stream=7, external=None,
               runtime="cudaLaunchKernel", recorded=True):
        """A call of the runtime and what it started; `recorded`: the call is in the trace."""
        self.correlation += 1
        start = self.now
        self.pass_time(900, 4000)
        args = {"External id": external, "cbid": 211, "correlation": self.correlation}
        begin = max(self.now + 1500, self.gpu_free[stream])
        self.gpu_free[stream] = begin + duration
        if recorded:
            self.put("X", "cuda_runtime", runtime, HOST, thread, start, self.now, args)
            self.link("s", self.correlation, "ac2g", HOST, thread, start)
        work = {"External id": external, "device": 0, "context": 1, "stream": stream,
                "correlation": self.correlation}
        if category == "kernel":
            work |= {"grid": [64, 1, 1], "block": [128, 1, 1], "registers per thread": 32}
        else:
            work |= {"bytes": 4096, "memory bandwidth (GB/s)": 2.5}
        self.put("X", category, kernel, 0, stream, begin, begin + duration, work)
        if recorded:
            self.link("f", self.correlation, "ac2g", 0, stream, begin)
        return begin, begin + duration

    def operator(self, name, thread=MAIN, dims=(), types=(), inside=(), sequence=None):
        """An operator around what the functions of `inside` do; they get its External id."""
        start = self.now
        external, self.external = self.external, self.external + 1
        self.pass_time()
        for step in inside:
            step(external)
            self.pass_time()
        args = {"External id": external}
        if dims:
            args |= {"Input Dims": list(dims), "Input type": list(types)}
        if sequence is not None:
            args |= {"Sequence number": sequence, "Fwd thread id": 0 if thread == MAIN else 1}
        self.put("X", "cpu_op", name, HOST, thread, start, self.now, args)
        return start, self.now


def forward(writer, layer):
    dims = [[8, 64 << layer % 2], [32, 64 << layer % 2], [32]]
    types = ["float", "float", "float"]

    def transpose(_):
        writer.operator("aten::t", dims=dims[1:2], types=types[:1], inside=[
            lambda _: writer.operator("aten::transpose", dims=[dims[1], [], []],
                                      types=["float", "Scalar", "Scalar"])])

    def multiply(_):
        writer.operator("aten::addmm", dims=dims, types=types, inside=[
            lambda external: writer.launch(MAIN, "ampere_sgemm_32x128_tn", 20_000 + 700 * layer,
                                           external=external)])
    return writer.operator("aten::linear", dims=dims, types=types, sequence=layer,
                           inside=[transpose, multiply])


def backward(writer, layer):
    return writer.operator(
        "autograd::engine::evaluate_function: AddmmBackward0", BACKWARD, sequence=layer, inside=[
            lambda _: writer.operator("aten::mm", BACKWARD, [[8, 32], [32, 64]],
                                      ["c10::Half", "c10::Half"], [
                lambda external: writer.launch(BACKWARD, "ampere_fp16_gemm", 31_000, stream=20,
                                               external=external),
                lambda external: writer.launch(BACKWARD, "splitKreduce", 3_000, stream=20,
                                               external=external)])])


def step(writer, number, layers=3):
    start = writer.now
    writer.pass_time()
    first, last = None, None
    python = writer.now
    writer.operator("aten::copy_", dims=[[8, 64], [8, 64], []], types=["float", "float", "Scalar"],
                    inside=[lambda external: writer.launch(
                        MAIN, "Memcpy HtoD (Pageable -> Device)", 9_000, "gpu_memcpy",
                        external=external, runtime="cudaMemcpyAsync")])
    writer.operator("aten::zero_", dims=[[32]], types=["float"], inside=[
        lambda external: writer.launch(MAIN, "Memset (Device)", 1_000, "gpu_memset",
                                       external=external, runtime="cudaMemsetAsync")])
    for layer in range(layers):
        begun, ended = forward(writer, layer)
        writer.flow += 1
        writer.link("s", 1_000_000 + writer.flow, "fwdbwd", HOST, MAIN, begun)
        first = begun if first is None else first
        last = ended
    # A graph replays kernels whose launch nobody recorded; their operator is known all the same.
    writer.operator("aten::relu", dims=[[8, 32]], types=["float"], inside=[
        lambda external: writer.launch(MAIN, "graph_relu", 5_000, external=external, recorded=False)])
    # Outside every operator.
    writer.launch(MAIN, "bare_kernel", 2_000, external=0)
    writer.put("X", "python_function", "train.py(12): forward", HOST, MAIN, python, writer.now,
               {"Python id": 2 * number + 1, "Python parent id": 0})
    for layer in range(layers):
        begun, ended = backward(writer, layer)
        writer.link("f", 1_000_000 + writer.flow - layers + 1 + layer, "fwdbwd", HOST, BACKWARD, begun)
    writer.put("i", "cpu_instant_event", "[memory]", HOST, MAIN, writer.now, more=', "s": "t"',
               args={"Bytes": 512 * number, "Device Id": 0, "Total Allocated": 4096})
    writer.pass_time()
    writer.put("X", "user_annotation", f"ProfilerStep#{number}", HOST, MAIN, start, writer.now,
               {"External id": writer.external})
    begin = min(begun, writer.gpu_free[7]) - 40_000
    writer.put("X", "gpu_user_annotation", f"ProfilerStep#{number}", 0, 7, max(begin, 0),
               writer.gpu_free[7] + 2)
    writer.now = max(writer.now, *writer.gpu_free.values()) + 10_000


def trace(steps=2, relative=True, seed=1, layers=3):
    writer = Writer(relative, seed)
    for pid, name, label, rank in ((HOST, "python", "CPU", HOST), (0, "python", "GPU 0", 5000000)):
        writer.metadata("process_name", pid, 0, name=name)
        writer.metadata("process_labels", pid, 0, labels=label)
        writer.metadata("process_sort_index", pid, 0, sort_index=rank)
    for pid, tid, name in ((HOST, MAIN, "thread 4000 (python)"), (HOST, BACKWARD, "thread 4077 (pt_autograd_0)"),
                           (0, 7, "stream 7 "), (0, 20, "stream 20 ")):
        writer.metadata("thread_name", pid, tid, name=name)
        writer.metadata("thread_sort_index", pid, tid, sort_index=tid)
    for number in range(steps):
        step(writer, number + 5, layers)
    writer.put("X", "overhead", "Instrumentation", -1, 0, 4_000_000, 4_100_000)
    writer.put("X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", 4_500_000,
               writer.now, {"Op count": writer.external})
    writer.put("i", "", "Iteration Start: PyTorch Profiler", "Traces", "Trace PyTorch Profiler",
               4_500_000, more=', "s": "g"')
    writer.put("i", "", "Record Window End", "", "", writer.now, more=', "s": "g"')
    base = f'\n  "baseTimeNanoseconds": {BASE},' if relative else ""
    return ('\n{\n    "schemaVersion": 1,\n    "deviceProperties": [\n    {\n      "id": 0, '
            '"name": "NVIDIA A100", "totalGlobalMem": 42505273344, "computeMajor": 8\n    }\n    ],'
            f'\n    "trace_id": "8D0E",\n  "displayTimeUnit": "ms",{base}\n  "traceEvents": [\n  '
            + ",\n  ".join(writer.events) + '\n  ],\n  "traceName": "trace.json"\n}\n')
