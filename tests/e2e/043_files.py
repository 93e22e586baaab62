"""Files that cannot be read or written, or only in part."""
import gzip
import pty
import select

from support import *
from spans import *
from torq_compile import *

SPANS = random_spans(12_000, seed=1)


def fails(result, *pieces):
    """It failed, and its message says where."""
    equal(result.code, 1, f"exit of {result}")
    for piece in pieces:
        contains(result.err, str(piece), "message")
    matches(result.err, r"\Aopscope: [^\n]+\n\Z")
    equal(result.out.strip() in ("", "[]"), True, "nothing is shown")


def readers(folder, path):
    """Every command that reads a file."""
    return [perfetto_logger("--compile_profile", path, "--pb", folder / "o.pb", code=None),
            opscope("convert", path, "-o", folder / "o.prof", code=None),
            opscope("info", path, code=None), opscope("info", path, "--json", code=None),
            opscope("overview", path, code=None), opscope("overview", path, "--json", code=None)]


def test_a_missing_file(folder):
    for result in readers(folder, folder / "missing.csv"):
        fails(result, folder / "missing.csv", "No such file")
    equal(list(folder.iterdir()), [], "what was written")


def test_a_folder(folder):
    (folder / "dir").mkdir()
    for result in readers(folder, folder / "dir"):
        fails(result, f"{folder / 'dir'}: ")


def test_no_permission(folder):
    if os.geteuid() == 0:
        raise Skip("root may read everything")
    path = write(folder / "closed.csv", compile_csv("c2", SPANS[:5]))
    path.chmod(0)
    for result in readers(folder, path):
        fails(result, path, "Permission denied")


def test_an_output_that_cannot_be_created(folder):
    path = write(folder / "p.csv", compile_csv("c2", SPANS[:5]))
    beneath = folder / "p.csv/out.pb"  # folders are made, but not where a file is
    fails(perfetto_logger("--compile_profile", path, "--pb", beneath, code=None), "p.csv")
    out = folder / "no such folder/out"
    for end in (".pb", ".prof", ".csv", ".pb.gz", ".prof.zst"):
        fails(opscope("convert", path, "-o", f"{out}{end}", code=None), f"{out}{end}")


def test_a_full_disk(folder):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    path = write(folder / "p.csv", compile_csv("c2", SPANS))
    for end in (".pb", ".prof", ".csv", ".pb.gz", ".prof.zst"):
        full = folder / f"full{end}"
        full.symlink_to("/dev/full")
        fails(opscope("convert", path, "-o", full, code=None), full, "No space left")
    full = folder / "full.pb"
    fails(perfetto_logger("--compile_profile", path, "--pb", full, code=None), full, "No space")


def test_a_full_disk_for_what_is_printed(folder):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    path = write(folder / "p.csv", compile_csv("c2", SPANS[:50]))
    for words in (["info"], ["overview"], ["info", "--json"], ["overview", "--csv"], ["--help"],
                  ["convert", "--help"]):
        files = [] if words[-1] == "--help" else [path]
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program("opscope"), *words, *files], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        equal(done.returncode, 1, f"exit of {words} on a full disk")
        contains(done.stderr.decode(), "No space left", str(words))


def test_packed_input_cut_off(folder):
    """What could be unpacked is kept; how much is missing nobody knows."""
    for pack in (gzip.compress, zstd_compress(folder)):
        whole = pack(compile_csv("c2", SPANS))
        for part in (0.3, 0.7, 0.95):
            path = write(folder / "cut.csv.gz", whole[:int(len(whole) * part)])
            result = perfetto_logger("--compile_profile", path, "--pb", folder / "o.pb", code=3)
            matches(result.err, rf"lost: {path}: the \w+ data is cut off")
            contains(result.err, "ledger: unknown events expected")
            rows = [row for row in trace_rows(folder / "o.pb") if not is_overview(row)]
            true(0 < len(rows) < len(SPANS), f"{len(rows)} rows of {part}")
            true(set(rows) <= set(compile_rows("c2", SPANS, "cut.csv.gz")), "they are of the file")
            [found] = opscope("info", "--json", path, code=3).json()
            equal((found["ledger"]["expected"], found["ledger"]["recorded"]), (None, len(rows)),
                  "ledger")


def zstd_compress(folder):
    """opscope's own, for want of another in Python's library."""
    def compress(content):
        path = write(folder / "plain.csv", content)
        opscope("convert", path, "-o", folder / "packed.csv.zst", "--to", "torq-c2")
        return (folder / "packed.csv.zst").read_bytes()
    return compress


def test_packed_input_damaged(folder):
    content = bytearray(gzip.compress(compile_csv("c2", SPANS)))
    content[-6] ^= 0x55  # in the checksum: all rows are there
    path = write(folder / "damaged.csv.gz", bytes(content))
    [found] = opscope("info", "--json", path, code=3).json()
    contains(str(found["ledger"]["notes"]), f"{path}: the gzip data is damaged")
    equal((found["ledger"]["expected"], found["spans"]), (None, len(SPANS)), "ledger")
    content[len(content) // 2] ^= 0x55
    [found] = opscope("info", "--json", write(path, bytes(content)), code=3).json()
    true(0 < found["spans"] < len(SPANS), f"{found['spans']} spans are left")


def test_a_trace_cut_off(folder):
    path = write(folder / "p.csv", compile_csv("c2", SPANS))
    perfetto_logger("--compile_profile", path, "--pb", folder / "p.pb")
    whole = (folder / "p.pb").read_bytes()
    for part in (0.1, 0.5, 0.9):
        cut = write(folder / "cut.pb", whole[:int(len(whole) * part)])
        result = opscope("info", "--json", cut, code=3)
        [found] = result.json()
        contains(str(found["ledger"]["notes"]), str(cut), "ledger")
        true(0 < found["spans"] < len(SPANS), f"{found['spans']} spans of {part}")


def test_one_bad_file_among_several_stops_before_anything_is_written(folder):
    good = write(folder / "good.csv", compile_csv("c2", SPANS[:5]))
    bad = write(folder / "bad.csv", "nonsense\n")
    result = perfetto_logger("--compile_profile", good, bad, "--pb", folder / "o.pb", code=1)
    contains(result.err, str(bad))
    true(not (folder / "o.pb").exists(), "nothing is written")


def test_the_wrong_kind_of_profile_is_named(folder):
    path = write(folder / "c.csv", compile_csv("c2", SPANS[:5]))
    result = perfetto_logger("--runtime_profile", path, "--pb", folder / "o.pb", code=1)
    contains(result.err, f"{path}: is a compile profile")
    contains(result.err, "--compile_profile")


def test_a_terminal_sees_how_far_it_is(folder):
    """A pipe that nobody reads holds the work until the line is there."""
    path = write(folder / "long.csv", compile_csv("c2", random_spans(20_000, seed=1)))
    os.mkfifo(folder / "out.pb")
    screen, terminal = pty.openpty()
    process = subprocess.Popen([program("opscope"), "convert", path, "-o", folder / "out.pb"],
                               stdin=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    with open(folder / "out.pb", "rb") as out:
        until(lambda: process.poll() is not None or select.select([screen], [], [], 0)[0], "the line")
        matches(os.read(screen, 100).decode(), r"^\r +\d+ %", "the line")
        out.read()
    equal(process.wait(PATIENCE), 0, "exit")
    true(os.read(screen, 1000).endswith(b"\r     \r"), "it is taken away")
    os.close(screen)


main()
