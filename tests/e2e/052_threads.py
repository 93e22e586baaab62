"""What comes out of a file does not depend on how many threads read and write it: every format,
and files that are large enough to be cut into parts, whole and damaged."""
import random
import zlib

from support import *
import chrome_traces
import every_format
import perfetto_wire
import tenstorrent_logs
from torq_compile import Style, compile_csv, random_spans
from torq_runtime import job_csv, random_events, random_jobs, runtime_csv

THREADS = (1, 2, 4, 16)
ROWS = 6_000 if SANITIZED else 16_000  # several parts of a quarter of a megabyte


def outcome(folder, threads, words, output):
    """Exit code, messages and bytes."""
    path = folder / output
    path.unlink(missing_ok=True)
    result = opscope(*words, "-o", path, code=None, env={"OPSCOPE_THREADS": str(threads)})
    return result.code, result.out, result.err, path.read_bytes() if path.exists() else None


def same_for_all(folder, words, output):
    first = outcome(folder, THREADS[0], words, output)
    true(first[0] in (0, 3), f"exit of {words}: {first[:3]}")
    for threads in THREADS[1:]:
        other = outcome(folder, threads, words, output)
        equal(other[:3], first[:3], f"exit and messages of {words} with {threads} threads")
        true(other[3] == first[3], f"{output} of {words} with {threads} threads is the same")


def convert(folder, path, *outputs):
    for output in outputs:
        same_for_all(folder, ["convert", path], output)


def damaged(text, seed):
    """Lines that are garbled, doubled, dropped, cut and blank, and a last one that is cut off."""
    rng = random.Random(seed)
    lines = text.split(b"\n")
    out = lines[:2]
    for line in lines[2:-2]:
        fate = rng.randrange(2000)
        if fate == 0:
            out.append(line.replace(b",", b"x", 1))
        elif fate == 1:
            out += [line, line]
        elif fate == 2:
            out.append(line[:len(line) // 2])
        elif fate == 3:
            out += [line, b"  "]
        elif fate != 4:
            out.append(line)
    return b"\n".join(out) + b"\n" + lines[-2][:len(lines[-2]) - 5]


def test_every_format(folder):
    for path in every_format.write_all(folder).values():
        convert(folder, path, "out.pb", "out.prof")


def torq(form, **style):
    spans = random_spans(ROWS, seed=5, locations=[
        f'loc(callsite("/net.mlir":{i % 977}:{i % 13} at "/net.mlir":2:3))' for i in range(ROWS // 4)])
    return compile_csv(form, spans, Style(**style))


def test_torq_compile_profiles(folder):
    for form in ("c1", "c2", "c3", "c4"):
        text = torq(form, quoted=form in ("c1", "c4"))
        convert(folder, write(folder / f"{form}.csv", text), "out.pb", "out.json", "out.prof")
        convert(folder, write(folder / f"{form}.csv", damaged(text, 3)), "out.pb", "out.csv")


def test_perfetto_logger(folder):
    path = write(folder / "c2.csv", damaged(torq("c2"), 4))
    for words in ([], ["--no-args"]):
        first = None
        for threads in THREADS:
            result = perfetto_logger("--compile_profile", path, *words, "--pb", folder / "p.pb", code=3,
                                     env={"OPSCOPE_THREADS": str(threads)})
            got = result.err, (folder / "p.pb").read_bytes()
            first = first or got
            true(got == first, f"the trace with {threads} threads is the same")


def test_torq_runtime_profiles(folder):
    texts = {"r1": job_csv(random_jobs(ROWS, seed=4))}
    for form in ("r2", "r3", "r4"):
        texts[form] = runtime_csv(form, random_events(form, ROWS // 2, seed=4))
    for form, text in texts.items():
        text = text.encode() if isinstance(text, str) else text
        convert(folder, write(folder / f"{form}.csv", text), "out.pb", "out.prof")
        convert(folder, write(folder / f"{form}.csv", damaged(text, 3)), "out.prof")


def varint_at(data, at):
    number, shift = data[at] & 127, 7
    while data[at] > 127:
        at += 1
        number |= (data[at] & 127) << shift
        shift += 7
    return number, at + 1


def packets_of(trace):
    """The packets of a trace with their tags and lengths, those in compressed ones in their place."""
    at, packets = 0, []
    while at < len(trace):
        size, inner = varint_at(trace, at + 1)
        packet = trace[inner:inner + size]
        if packet[:2] == b"\x92\x03":
            packets += packets_of(zlib.decompress(packet[varint_at(packet, 2)[1]:]))
        else:
            packets.append(trace[at:inner + size])
        at = inner + size
    return packets


def packed(packets, size):
    """The same in compressed packets of about `size` bytes each."""
    out, chunk, length = [], [], 0
    for packet in packets:
        chunk.append(packet)
        length += len(packet)
        if length > size:
            out.append(perfetto_wire.compressed(chunk))
            chunk, length = [], 0
    return perfetto_wire.trace(out + [perfetto_wire.compressed(chunk)])


def test_perfetto_traces(folder):
    csv = write(folder / "c2.csv", torq("c2"))
    perfetto_logger("--compile_profile", csv, "--pb", folder / "whole.pb")
    packets = packets_of((folder / "whole.pb").read_bytes())
    true(len(packets) > 2 * ROWS, f"{len(packets)} packets")
    # Plain, and in small, ordinary and large compressed packets, the last more than a part holds.
    for size in (0, 3_000, 200_000, 1_500_000):
        trace = packed(packets, size) if size else b"".join(packets)
        convert(folder, write(folder / "trace.pb", trace), "out.prof", "out.json")
        rng = random.Random(size)
        for _ in range(5):
            at = rng.randrange(len(trace))
            trace = trace[:at] + rng.choice((b"", b"\n", b"\xff" * 7)) + trace[at + 3:]
        convert(folder, write(folder / "trace.pb", trace[:-50]), "out.prof")
    # More packets than a part holds, with nothing in them.
    nothing = [b"\n\0"] * 50_000
    trace = b"".join(packets[:500] + nothing + packets[500:])
    convert(folder, write(folder / "trace.pb", trace), "out.prof")
    convert(folder, write(folder / "trace.pb", packed(packets[:500] + nothing, 10_000_000)), "out.prof")


def test_tenstorrent_logs(folder):
    capture = tenstorrent_logs.ordinary(seed=7, ops=150 if SANITIZED else 400, cores=8)
    logs = folder / "logs"
    logs.mkdir()
    capture.write(logs)
    device = next(path for path in logs.iterdir() if "device" in path.name)
    whole = device.read_bytes()
    true(len(whole) > 1_000_000 or SANITIZED, f"{len(whole)} bytes are several parts")
    same_for_all(folder, ["tt-report", logs], "out.csv")
    convert(folder, logs, "out.pb", "out.prof")
    # Several logs one after the other, one of them short, and damage.
    head = b"\n".join(whole.split(b"\n")[:40]) + b"\n"
    device.write_bytes(damaged(whole, 5) + b"\n" + head + head + whole)
    same_for_all(folder, ["tt-report", logs], "out.csv")
    convert(folder, device, "out.prof")


def test_chrome_traces(folder):
    events = chrome_traces.random_trace(3, length=4_000_000 if SANITIZED else 12_000_000)
    for form in ("array", "object"):
        text = chrome_traces.dump(events, form=form)
        text = text.encode() if isinstance(text, str) else text
        true(len(text) > 1_000_000 or SANITIZED, f"{len(text)} bytes are several parts")
        convert(folder, write(folder / "trace.json", text), "out.pb", "out.json", "out.prof")
        rng = random.Random(6)
        for _ in range(20):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice((b"", b'"', b"}", b"{", b"\\", b",,")) + text[at + 3:]
        convert(folder, write(folder / "trace.json", text[:-100]), "out.prof")
    convert(folder, folder / "out.prof", "again.json", "again.pb", "again.prof")


main()
