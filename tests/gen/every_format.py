"""One small file of every format that opscope reads, for tests that go over all of them.

    for name, path in write_all(folder).items(): ...
"""

import json
import pathlib

import kineto
import nsys_database
import qaic_files
import rocpd_database
import tenstorrent_logs
import tracy_file
from clock_traces import Clock, Seen, seen_by
from torq_compile import compile_csv, random_spans
from torq_runtime import job_csv, random_events, random_jobs, runtime_csv


def chrome_events():
    """Each phase that there is."""
    return [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "runner"}},
        {"ph": "X", "pid": 1, "tid": 2, "ts": 10, "dur": 5.5, "name": "whole", "cat": "c", "args": {"a": 1}},
        {"ph": "B", "pid": 1, "tid": 2, "ts": 20, "name": "begun"},
        {"ph": "E", "pid": 1, "tid": 2, "ts": 30},
        {"ph": "i", "pid": 1, "tid": 2, "ts": 31, "name": "now", "s": "t"},
        {"ph": "C", "pid": 1, "ts": 5, "name": "load", "args": {"value": 3}},
        {"ph": "b", "pid": 1, "ts": 1, "id": 7, "cat": "io", "name": "read"},
        {"ph": "e", "pid": 1, "ts": 9, "id": 7, "cat": "io", "name": "read"},
        {"ph": "s", "pid": 1, "tid": 2, "ts": 11, "id": 9, "cat": "f", "name": "flow"},
        {"ph": "f", "pid": 1, "tid": 2, "ts": 21, "id": 9, "cat": "f", "name": "flow", "bp": "e"},
    ]


def onnxruntime_events():
    node = {"cat": "Node", "pid": 7, "tid": 7, "ph": "X", "args": {
        "op_name": "Conv", "node_index": "3", "provider": "CPUExecutionProvider",
        "input_type_shape": [{"float": [1, 3, 8, 8]}], "output_type_shape": [{"float": [1, 4, 8, 8]}]}}
    run = {"cat": "Session", "pid": 7, "tid": 7, "ph": "X", "name": "model_run", "args": {}}
    events = []
    for start in (100, 200):
        events.append({**node, "name": "conv_kernel_time", "ts": start + 5, "dur": 40})
        events.append({**run, "ts": start, "dur": 60})
    return events


def write_all(folder):
    """Name to path. Reports of Tenstorrent's are made of logs, with opscope: not here."""
    folder = pathlib.Path(folder)
    files = {}

    def put(name, extension, content):
        path = folder / f"{name}{extension}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        files[name] = path
    for form in ("c1", "c2", "c3", "c4"):
        put(f"torq-{form}", ".csv", compile_csv(form, random_spans(40, seed=4)))
    put("torq-r1", ".csv", job_csv(random_jobs(20, seed=4)))
    for form in ("r2", "r3", "r4"):
        put(f"torq-{form}", ".csv", runtime_csv(form, random_events(form, 30, seed=4)))
    put("perfetto", ".pb", seen_by(Clock(), [Seen("a", 100, 900), Seen("b", 300, 400), Seen("c", 1000)]))
    put("chrome", ".json", json.dumps(chrome_events()))
    head, records = qaic_files.random_buffer(4)
    put("qaic-raw-stats", ".bin", head + b"".join(records))
    put("qaic-summary", ".txt", qaic_files.summary(4))
    put("qaic-trace", ".json", json.dumps({"traceEvents": qaic_files.trace("1.21")}))
    put("chrome-object", ".json", json.dumps({"traceEvents": chrome_events(), "displayTimeUnit": "ns"}))
    put("onnxruntime", ".json", json.dumps(onnxruntime_events()))
    put("kineto", ".json", kineto.trace(steps=1))
    put("tracy", ".tracy", tracy_file.closed().file())
    for name, extension, module in (("nsys", ".sqlite", nsys_database), ("rocpd", ".db", rocpd_database)):
        files[name] = folder / f"{name}{extension}"
        module.write(files[name])
    capture = tenstorrent_logs.ordinary(devices=1, replays=0, ops=4)
    put("tenstorrent-device", ".csv", capture.device_log())
    put("tenstorrent-ops", ".csv", capture.ops_data())
    put("tenstorrent-times", ".csv", capture.ops_times())
    (folder / "capture").mkdir()
    capture.write(folder / "capture")
    files["tenstorrent-folder"] = folder / "capture"
    return files
