"""Packed files are unpacked on a thread beside the reader: what comes out is what the plain file
gives, whatever the number of threads and wherever the file is cut, damaged or too large."""
import gzip
import json
import random
import shutil

from support import *
import chrome_traces
import every_format
import kineto
import tenstorrent_logs
from torq_compile import Style, compile_csv, random_spans
from torq_runtime import random_events, runtime_csv

THREADS = (1, 4) if SANITIZED else (1, 2, 4, 16)
MIB = 1 << 20
HEAVY = 2 * MIB + 12345  # more than what a file is known by


def zstd(data):
    return run("zstd", "-q", "-c", "-3", stdin=data).raw


def members(data):
    """gzip of several members, which count as one file."""
    third = len(data) // 3
    return b"".join(gzip.compress(piece, 1) for piece in (data[:third], data[third:2 * third], data[2 * third:]))


PACKERS = {"gzip": lambda data: gzip.compress(data, 6), "members": members}
if shutil.which("zstd"):
    PACKERS["zstd"] = zstd


def outcome(folder, threads, path, output):
    """Exit code, messages and bytes."""
    made = folder / output
    made.unlink(missing_ok=True)
    result = opscope("tt-report" if output == "report.csv" else "convert", path, "-o", made, code=None,
                     env={"OPSCOPE_THREADS": str(threads)})
    return result.code, result.out, result.err, made.read_bytes() if made.exists() else None


def same(got, want, what):
    equal(got[:3], want[:3], f"exit and messages of {what}")
    true(got[3] == want[3], f"bytes of {what}")


def repeated(text, least=HEAVY):
    """Lines of a log again and again, without their head."""
    head, rows = text[:text.index(b"\n") + 1], text[text.index(b"\n") + 1:]
    return head + rows * (least // len(rows) + 1)


def torq(form):
    rows = HEAVY // 100
    return compile_csv(form, random_spans(rows, seed=3), Style(quoted=form in ("c1", "c4")))


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def array_of(events, least=HEAVY):
    text = json.dumps(events)[1:-1]
    return ("[" + ",\n".join([text] * (least // len(text) + 1)) + "]").encode()


def chrome(form):
    return as_bytes(chrome_traces.dump(chrome_traces.random_trace(3, length=8_000_000), form=form))


def texts():
    """Name of a file and what is in it: of each format that is read in parts, and some that are not."""
    logs = tenstorrent_logs.ordinary(seed=7, ops=160, cores=8)
    steps = 1
    while len(kineto.trace(steps=steps)) < HEAVY:
        steps *= 2
    found = {f"{form}.csv": as_bytes(torq(form)) for form in ("c1", "c2", "c3", "c4")}
    found["r3.csv"] = as_bytes(runtime_csv("r3", random_events("r3", HEAVY // 100, seed=4)))
    found["profile_log_device.csv"] = as_bytes(logs.device_log())
    found["kineto.json"] = as_bytes(kineto.trace(steps=steps))
    found["array.json"] = chrome("array")
    found["object.json"] = chrome("object")
    found["onnxruntime.json"] = array_of(every_format.onnxruntime_events())
    return found


def test_what_is_packed_reads_as_what_is_not(folder):
    for name, text in texts().items():
        path = write(folder / name, text)
        want = outcome(folder, 1, path, "out.prof")
        true(want[0] in (0, 3), f"{name}: {want[:3]}")
        true(len(text) > MIB, f"{name} has {len(text)} bytes")
        for packer, pack in PACKERS.items():
            write(path, pack(text))
            for threads in THREADS:
                same(outcome(folder, threads, path, "out.prof"), want, f"{name} in {packer} with {threads} threads")


def test_cut_and_damaged_files_read_as_far_as_with_one_thread(folder):
    rng = random.Random(8)
    for name, text in texts().items():
        for packer, pack in PACKERS.items():
            packed = pack(text)
            cut = packed[:rng.randrange(len(packed) * 2 // 3, len(packed))]
            at = rng.randrange(len(packed) // 2, len(packed) - 100)
            garbled = packed[:at] + rng.randbytes(50) + packed[at + 50:]
            for what, content in (("cut", cut), ("garbled", garbled), ("longer", packed + b"more")):
                path = write(folder / name, content)
                want = outcome(folder, 1, path, "out.prof")
                true(want[0] in (1, 3), f"exit for {name}, {packer}, {what}: {want[:3]}")  # 1: nothing came out
                for threads in (2, 16):
                    same(outcome(folder, threads, path, "out.prof"), want, f"{name}, {packer}, {what}, {threads} threads")
                info = [opscope("info", path, code=want[0], env={"OPSCOPE_THREADS": str(threads)}) for threads in (1, 4)]
                equal(info[1].out, info[0].out, f"info of {name}, {packer}, {what}")


def test_the_damage_of_the_file_is_said_first(folder):
    packed = gzip.compress(as_bytes(torq("c2")).replace(b",", b"x", 1))
    path = write(folder / "c2.csv.gz", packed[:len(packed) * 9 // 10])
    for threads in (1, 4):
        said = opscope("info", path, code=3, env={"OPSCOPE_THREADS": str(threads)}).out
        first, later = said.find("the gzip data is cut off; the rows after it are lost"), said.find("c2.csv.gz:1: ")
        true(0 < first < later, f"the file before its first row:\n{said}")


def test_what_is_too_large_leaves_no_result(folder):
    for name, text in texts().items():
        for packer, pack in PACKERS.items():
            path = write(folder / name, pack(text))
            kept = write(folder / "out.prof", b"an older one")
            want = None
            for threads in THREADS:
                result = opscope("convert", path, "-o", kept, "--max-unpacked", len(text) - 1, code=1,
                                 env={"OPSCOPE_THREADS": str(threads)})
                want = want or (result.out, result.err)
                contains(result.err, "--max-unpacked SIZE allows more")
                equal((result.out, result.err), want, f"{name} in {packer} with {threads} threads")
                equal(kept.read_bytes(), b"an older one")
            opscope("convert", path, "-o", kept, "--max-unpacked", len(text), code=None)
            true(kept.read_bytes() != b"an older one", f"{name} in {packer} is allowed as a whole")
            kept.unlink()
    equal([one.name for one in folder.iterdir() if one.name.startswith(".")], [])


def same_packed(folder, name, text, what):
    path = write(folder / name, text)
    want = outcome(folder, 1, path, "out.prof")
    for packer, pack in PACKERS.items():
        write(path, pack(text))
        for threads in (1, 2, 16):
            same(outcome(folder, threads, path, "out.prof"), want, f"{what} in {packer} with {threads} threads")
    return want


def test_traces_that_begin_late(folder):
    event = '{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":5,"name":"a"}'
    events = ",\n".join(event % (10 * i) for i in range(HEAVY // 50))
    long = '{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"long","args":{"a":"%s"}}' % ("x" * HEAVY)
    ranks = json.dumps({"backend": "nccl", "pg_config": [{"ranks": list(range(HEAVY // 7))}]})
    for what, text in {
            "blanks in the array": "[" + "\n" * HEAVY + events + "]",
            "a long event": "[" + events + "," + long + ",\n" + events + "]",
            "a long member first": '{"x":"' + "y" * HEAVY + '","traceEvents":[' + events + '],"z":1}',
            "a long member last": '{"traceEvents":[' + events + '],"x":"' + "y" * HEAVY + '","otherData":{"v":"1"}}',
            "much about ranks": '{"schemaVersion":1,"distributedInfo":' + ranks + ',"traceEvents":['
                                + kineto.trace(steps=8).split("[", 1)[1],
            "no end": "[" + events,
            "text after it": "[" + events + "]" + "more " * MIB,
            "no events": "{" + events,
            "beginnings and ends": "[" + ",\n".join(
                '{"ph":"%s","pid":1,"tid":1,"ts":%d,"name":"a"}' % ("BE"[i % 2], i) for i in range(HEAVY // 40)) + "]",
            "a key where the beginning ends": '{"a":"' + "y" * (MIB + MIB // 4 - 25) + '","traceEvents"  :  ['
                                              + events + "]}",
    }.items():
        same_packed(folder, "trace.json", text.encode(), what)


def test_rows_that_are_long(folder):
    rows = as_bytes(torq("c2"))
    long = b"DMA0,1,2,loc(\"" + b"x" * HEAVY + b"\"),conv,3\n"
    same_packed(folder, "c2.csv", rows + long + rows[:MIB], "a long row")
    same_packed(folder, "c2.csv", rows[:2000] + long * 2, "nothing but long rows")
    same_packed(folder, "c2.csv", rows[:-1], "no last newline")
    log = as_bytes(tenstorrent_logs.ordinary(seed=7, ops=160, cores=8).device_log())
    same_packed(folder, "profile_log_device.csv", log + log, "two logs")
    same_packed(folder, "profile_log_device.csv", b"ARCH: " + b"x" * HEAVY + b"\n" + log, "a long first line")


def test_perfetto_logger(folder):
    text = as_bytes(torq("c2"))
    path, trace = folder / "c2.csv", folder / "out.pb"
    write(path, text)
    perfetto_logger("--compile_profile", path, "--pb", trace)
    want = trace.read_bytes()
    for packer, pack in PACKERS.items():
        packed = pack(text)
        for threads in THREADS:
            env = {"OPSCOPE_THREADS": str(threads)}
            write(path, packed)
            perfetto_logger("--compile_profile", path, "--pb", trace, env=env)
            true(trace.read_bytes() == want, f"{packer} with {threads} threads")
            write(path, packed[:-200])
            perfetto_logger("--compile_profile", path, "--pb", folder / "cut.pb", code=3, env=env)


def test_reports_of_logs(folder):
    logs = folder / "logs"
    logs.mkdir()
    tenstorrent_logs.ordinary(seed=7, ops=160, cores=8).write(logs)
    want = outcome(folder, 1, logs, "report.csv")
    device = next(path for path in logs.iterdir() if "device" in path.name)
    text = device.read_bytes()
    true(len(text) > MIB + MIB // 2, f"{len(text)} bytes")
    for packer, pack in PACKERS.items():
        write(device, pack(text))
        for threads in THREADS:
            same(outcome(folder, threads, logs, "report.csv"), want, f"{packer} with {threads} threads")
        failed = opscope("tt-report", logs, "-o", folder / "none.csv", "--max-unpacked", len(text) - 1, code=1)
        contains(failed.err, "--max-unpacked SIZE allows more")
        true(not (folder / "none.csv").exists(), "no report of a part")


main()
