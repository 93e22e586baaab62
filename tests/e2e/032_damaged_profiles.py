"""A profile that is cut off or damaged gives what is left, says so, and never lies."""
import random
import struct

from support import *
from spans import *
from torq_compile import *

SPANS = random_spans(60, seed=1)
HEADER = 16


def profile_of(folder, name="whole.prof", spans=SPANS):
    path = write(folder / "p.csv", compile_csv("c2", spans))
    opscope("convert", path, "-o", folder / name)
    return folder / name


def info(path):
    """(exit code, what it holds) or (1, message)"""
    result = opscope("info", "--json", path, code=None)
    true(result.code in (0, 1, 3), f"exit {result.code}\n{result}")
    if result.code == 1:
        contains(result.err, str(path), "message")
        return 1, result.err
    [found] = result.json()
    return result.code, found


def account(found):
    ledger = found["ledger"]
    return ledger["expected"], ledger["recorded"], ledger["lost"], ledger["impossible"]


def test_a_whole_one(folder):
    code, found = info(profile_of(folder))
    equal((code, account(found), found["ledger"]["notes"]), (0, (60, 60, 0, 0), []), "whole")


def test_cut_off_anywhere(folder):
    whole = profile_of(folder).read_bytes()
    most = 0
    positions = set(range(0, len(whole), 23)) | set(range(0, 64, 5)) | {len(whole) - 1}
    for size in sorted(positions):
        path = write(folder / "cut.prof", whole[:size])
        code, found = info(path)
        if size <= HEADER:
            equal(code, 1, f"exit for {size} bytes")
            continue
        expected, recorded, lost, impossible = account(found)
        notes = " ".join(note["text"] for note in found["ledger"]["notes"])
        contains(notes, f"cut.prof: the file is cut off at byte {size}", "ledger")
        true(expected in (None, 60), f"{size} bytes: {expected} events expected")
        if expected is not None:
            equal(recorded + lost + impossible, expected, f"account for {size} bytes")
        equal(code, 0 if recorded == 60 else 3, f"exit for {size} bytes with {recorded} events")
        true(recorded >= most, f"{size} bytes hold {recorded} events, fewer bytes held {most}")
        most = recorded
    equal(most, 60, "events at the end")


def test_what_is_left_of_a_cut_one_can_be_converted(folder):
    whole = profile_of(folder).read_bytes()
    path = write(folder / "p.prof", whole[:len(whole) * 3 // 4])
    _, found = info(path)
    result = opscope("convert", path, "-o", folder / "left.pb", code=3)
    contains(result.err, "cut off")
    rows = trace_rows(folder / "left.pb")
    true(10 < len(rows) < 60, f"{len(rows)} spans are left")
    equal(len(rows), account(found)[1], "spans")
    true(set(rows) <= set(compile_rows("c2", SPANS, "p.csv")), "all of them are of the file")


def test_packed_ones_cut_off(folder):
    for end in (".prof.gz", ".prof.zst"):
        whole = profile_of(folder, "whole" + end, random_spans(3000, seed=2)).read_bytes()
        for part in (0.02, 0.5, 0.9, 0.99):
            path = write(folder / ("cut" + end), whole[:int(len(whole) * part)])
            code, found = info(path)
            true(code in (1, 3), f"{part} of {end}: exit {code}")
            said = found if code == 1 else str(found["ledger"]["notes"])
            contains(said, "cut", f"{part} of {end}")


def test_flipped_bits(folder):
    """Nothing crashes, and what is called whole is whole."""
    path = profile_of(folder)
    content = path.read_bytes()
    opscope("convert", path, "-o", folder / "whole.pb")
    rng = random.Random(3)
    for _ in range(60 if SANITIZED else 300):
        at = rng.randrange(len(content))
        damaged = bytearray(content)
        damaged[at] ^= 1 << rng.randrange(8)
        path = write(folder / "damaged.prof", bytes(damaged))
        code, found = info(path)
        if code == 0:
            opscope("convert", path, "-o", folder / "damaged.pb")
            true((folder / "damaged.pb").read_bytes() == (folder / "whole.pb").read_bytes(),
                 f"byte {at} is damaged, nobody noticed, and it matters")
        elif code == 3:
            expected, recorded, lost, impossible = account(found)
            true(expected in (None, recorded + lost + impossible), f"byte {at}: account")


def test_damaged_runs_of_bytes(folder):
    content = profile_of(folder).read_bytes()
    rng = random.Random(4)
    for _ in range(30 if SANITIZED else 100):
        damaged = bytearray(content)
        for _ in range(rng.randrange(1, 20)):
            at = rng.randrange(len(content))
            damaged[at:at + rng.randrange(9)] = rng.randbytes(rng.randrange(9))
        path = write(folder / "damaged.prof", bytes(damaged))
        info(path)
        code = opscope("convert", path, "-o", folder / "d.pb", code=None).code
        true(code in (0, 1, 3), f"exit {code}")


def test_a_damaged_block_of_events_is_lost_alone(folder):
    content = bytearray(profile_of(folder).read_bytes())
    at = content.rfind(b"OBLK", 0, len(content) - 24)  # the last block of events
    content[at + 24 + 5] ^= 0xFF
    code, found = info(write(folder / "damaged.prof", bytes(content)))
    expected, recorded, lost, _ = account(found)
    equal((code, expected, recorded + lost), (3, 60, 60), "exit and account")
    true(0 < lost < 30, f"{lost} lost")
    matches(str(found["ledger"]["notes"]), r"damaged\.prof: the file is damaged: events of track")


def test_blocks_of_a_newer_version_are_passed_over(folder):
    content = profile_of(folder).read_bytes()
    block = struct.pack("<4s5I", b"OBLK", 77, 8, 1, 0, 0) + b"whatever"
    code, found = info(write(folder / "new.prof", content[:HEADER] + block + content[HEADER:]))
    equal((code, account(found)), (0, (60, 60, 0, 0)), "account")
    contains(str(found["ledger"]["notes"]), "unknown kind")


def test_a_newer_version_is_refused(folder):
    content = bytearray(profile_of(folder).read_bytes())
    content[8] = 99
    code, message = info(write(folder / "new.prof", bytes(content)))
    equal(code, 1, "exit")
    contains(message, "version 99")


main()
