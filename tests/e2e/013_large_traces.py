"""A trace so large that most of it is packed holds the same rows."""
import functools
import gzip
import random
import zlib

from support import *
from spans import *
from torq_compile import *

TOGETHER = True  # they share the spans
ROWS = 130_000
PRIME = 1_000_003
# What every row adds to the figures of its engine, name and location. IDs differ from
# row to row, so that no two rows can change places unseen.
MIX = "(ts % 999983 * 31 + dur * 17 + id * 7 + bytes % 99991 * 13 + cycles * 3) % 1000003"
FIGURES = ("select thread, name, location, count(*) as rows, sum(ts) as starts, sum(dur) as"
           f" lengths, sum({MIX}) as mix, sum({MIX} * id % 1000003) as places from (select s.ts,"
           " s.dur, s.name, t.name as thread, extract_arg(s.arg_set_id, 'debug.ID') as id,"
           " extract_arg(s.arg_set_id, 'debug.location') as location,"
           " ifnull(extract_arg(s.arg_set_id, 'debug.bytes'), 0) as bytes,"
           " extract_arg(s.arg_set_id, 'debug.cycles') as cycles from slice s join thread_track tt"
           " on s.track_id = tt.id join thread t using (utid) join process p using (upid) where"
           " p.name = 'large.csv') group by 1, 2, 3 order by 1, 2, 3")


@functools.cache
def large():
    """Spans of every engine; every twentieth row overlaps or comes too late."""
    spans = random_spans(ROWS, seed=9, locations=LOCATIONS + tuple(
        f'loc("/p/model.mlir":{line}:{line % 80})' for line in range(300)))
    rng = random.Random(10)
    for at in range(0, ROWS, 20):
        back = min(spans[at].start, rng.randrange(20_000))
        spans[at] = replace(spans[at], start=spans[at].start - back, end=spans[at].end - back // 2)
    return spans


def figures(rows):
    sums = {}
    for row in rows:
        args = dict(row.args)
        mix = (row.ts % 999983 * 31 + row.dur * 17 + args["ID"] * 7 +
               args.get("bytes", 0) % 99991 * 13 + args["cycles"] * 3) % PRIME
        entry = sums.setdefault((row.thread, row.name, args["location"]), [0, 0, 0, 0, 0])
        for at, value in enumerate((1, row.ts, row.dur, mix, mix * args["ID"] % PRIME)):
            entry[at] += value
    names = ("rows", "starts", "lengths", "mix", "places")
    return [{"thread": key[0], "name": key[1], "location": key[2], **dict(zip(names, values))}
            for key, values in sorted(sums.items(), key=lambda item: tuple(
                part.encode() for part in item[0]))]


def packets(content):
    """Packed and plain packets of a trace: lists of their bytes."""
    packed, plain = [], []
    at = 0
    while at < len(content):
        equal(content[at], 0x0A, f"tag at {at}")
        size, at = varint(content, at + 1)
        packet = content[at:at + size]
        (packed if packet[:2] == b"\x92\x03" else plain).append(packet)
        at += size
    equal(at, len(content), "end of the last packet")
    return packed, plain


def varint(content, at):
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def test_a_packed_trace(folder):
    write(folder / "large.csv", compile_csv("c4", large()))
    perfetto_logger("--compile_profile", folder / "large.csv", "--pb", folder / "large.pb")
    packed, plain = packets((folder / "large.pb").read_bytes())
    true(len(packed) > 2 and len(plain) > 1000, f"{len(packed)} packed, {len(plain)} plain packets")
    for packet in packed:
        size, at = varint(packet, 2)
        equal(len(packet) - at, size, "size of a packed packet")
        inner = zlib.decompress(packet[at:])
        true(len(inner) <= 512 << 10, f"{len(inner)} bytes in one packed packet: Perfetto's most")
        packets(inner)
    for label in (b"DMA+CDMA union: ", b"SLICE 0 + 1 union: ", b"OVERALL: ", b"IDLE: "):
        true(label in (folder / "large.pb").read_bytes(), f"{label} can be found in the file")
    want = figures(compile_rows("c4", large(), "large.csv"))
    equal(without_loss(folder / "large.pb", FIGURES), want, "figures")

    perfetto_logger("--compile_profile", folder / "large.csv", "--pb", folder / "large.pb.gz")
    true(gzip.decompress((folder / "large.pb.gz").read_bytes())
         == (folder / "large.pb").read_bytes(), "the packed file holds the same bytes")
    equal(without_loss(folder / "large.pb.gz", FIGURES), want, "figures of .pb.gz")


def test_convert_packs_too(folder):
    """And opscope reads what it packed: the rows come back in a CSV."""
    path = write(folder / "large.csv", compile_csv("c4", large()))
    opscope("convert", path, "-o", folder / "large.pb")
    true(len(packets((folder / "large.pb").read_bytes())[0]) > 2, "packed packets")
    opscope("convert", folder / "large.pb", "-o", folder / "trace.csv", "--to", "torq-c4")
    opscope("convert", path, "-o", folder / "direct.csv", "--to", "torq-c4")
    direct, trace = ((folder / name).read_bytes().splitlines()
                     for name in ("direct.csv", "trace.csv"))
    equal(len(direct), ROWS + 1, "rows")
    true(sorted(trace) == sorted(direct), "the same rows through a trace")


main()
