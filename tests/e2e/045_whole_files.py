"""A file that is written is there as a whole or not at all."""
import contextlib
import functools
import signal

from support import *
from spans import *
from torq_compile import *

ROWS = 200_000
TOGETHER = True


@functools.cache
def large_profile(folder):
    """Rows enough for a conversion that takes a while."""
    path = folder / "large.csv"
    head, *rows = compile_csv("c2", random_spans(1000, seed=3)).decode().splitlines()
    return write(path, "\n".join([head, *(rows * (ROWS // 1000))]) + "\n")


def stopped_half_way(words, out):
    """The process that writes into the folder `out`, stopped while it does."""
    before = set(os.listdir(out))
    held = {name: (out / name).read_bytes() for name in before}
    for _ in range(50):
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and set(os.listdir(out)) == before:
            pass
        process.send_signal(signal.SIGSTOP)
        with contextlib.suppress(ChildProcessError):  # it had ended
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # all its threads have
        # Whether it had ended before.
        if process.poll() is None and any(name.endswith(".part") for name in os.listdir(out)):
            return process
        process.send_signal(signal.SIGCONT)
        process.wait()
        # It had written all of it: once more, from the beginning.
        for name in set(os.listdir(out)) - before:
            (out / name).unlink()
        for name, content in held.items():
            write(out / name, content)
    fail(f"{words} never writes beside its place")


def commands(folder, out):
    path = large_profile(folder)
    return [([program("opscope"), "convert", path, "-o", out / "x.csv", "--to", "torq-c2"], "x.csv"),
            ([program("opscope"), "convert", path, "-o", out / "x.json"], "x.json"),
            ([program("opscope"), "convert", path, "-o", out / "x.prof.zst"], "x.prof.zst"),
            ([program("perfetto_logger"), "--compile_profile", path, "--pb", out / "x.pb"], "x.pb")]


def test_signals_leave_nothing(folder):
    # Also where the tests themselves run under nohup, or in the background of a script.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    out = folder / "out"
    out.mkdir()
    for words, name in commands(folder, out):
        run(*words)
        whole = (out / name).read_bytes()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            write(out / name, "old")
            process = stopped_half_way(words, out)
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            equal(process.wait(), -number, f"exit of {words}")
            equal(os.listdir(out), [name], f"what {number} leaves of {words}")
            # Of several threads one may come to its end while another is told of the signal.
            true((out / name).read_bytes() in (b"old", whole), f"the old file, or the new one: {words}, {number}")
            (out / name).unlink()


def test_a_killed_run(folder):
    """What it leaves is a temporary file; the next run says that it found it."""
    out = folder / "out"
    out.mkdir()
    for words, name in commands(folder, out):
        process = stopped_half_way(words, out)
        process.kill()
        process.wait()
        [left] = os.listdir(out)
        matches(left, rf"\A\.{re.escape(name)}\.[0-9a-f]{{16}}\.part\Z")
        result = run(*words, code=None)
        contains(result.err, f"{out / name}: removed {left}, which a run that was killed left")
        equal(os.listdir(out), [name], "files")
        equal("killed" in run(*words, code=None).err, False, "it says so once")
        (out / name).unlink()


def test_what_another_run_writes_is_left_alone(folder):
    out = folder / "out"
    out.mkdir()
    words, name = commands(folder, out)[0]
    process = stopped_half_way(words, out)
    [left] = os.listdir(out)
    small = write(folder / "small.csv", compile_csv("c2", random_spans(5, seed=1)))
    result = opscope("convert", small, "-o", out / name, "--to", "torq-c2")
    equal("killed" in result.err, False, "nothing was killed")
    equal(sorted(os.listdir(out)), sorted([left, name]), "files")
    process.send_signal(signal.SIGCONT)
    process.wait()
    equal(os.listdir(out), [name], "files")
    true((out / name).stat().st_size > 100_000, "the last one stays")


def test_ignored_signals_stay_ignored(folder):
    out = folder / "out"
    out.mkdir()
    words, name = commands(folder, out)[1]
    process = stopped_half_way(["/usr/bin/env", "--ignore-signal=HUP", *words], out)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGCONT)
    equal(process.wait(), 0, "exit")
    equal(os.listdir(out), [name], "files")


def test_a_full_disk_leaves_nothing(folder):
    disk = folder / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk],
                                           capture_output=True, check=False).returncode != 0:
        raise Skip("no small disk to fill")
    try:
        for words, name in commands(folder, disk):
            if name == "x.prof.zst":  # it would fit
                continue
            write(disk / name, "old")
            result = run(*words, code=1)
            contains(result.err, "No space left")
            equal(os.listdir(disk), [name], "files")
            equal((disk / name).read_bytes(), b"old", "the old file")
            (disk / name).unlink()
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_failure_leaves_nothing(folder):
    """The second input is no profile: what was written of the first goes."""
    good = write(folder / "good.csv", compile_csv("c2", random_spans(50, seed=2)))
    bad = write(folder / "bad.csv", "no profile\n")
    write(folder / "o.pb", "old")
    perfetto_logger("--compile_profile", good, "--runtime_profile", bad, "--pb", folder / "o.pb",
                    code=1)
    equal(sorted(os.listdir(folder)), ["bad.csv", "good.csv", "o.pb"], "files")
    equal((folder / "o.pb").read_bytes(), b"old", "the old file")


def test_permissions(folder):
    path = write(folder / "p.csv", compile_csv("c2", random_spans(5, seed=1)))
    old = write(folder / "o.json", "old")
    for mode in (0o600, 0o640, 0o777):
        old.chmod(mode)
        opscope("convert", path, "-o", old)
        equal(old.stat().st_mode & 0o7777, mode, "permissions")
        true(old.read_text().startswith("["), "it is new")
    old.unlink()
    run("sh", "-c", 'umask 077; exec "$@"', "sh", program("opscope"), "convert", path, "-o", old)
    equal(old.stat().st_mode & 0o7777, 0o600, "permissions of a new file")


def test_names_of_any_length(folder):
    path = write(folder / "p.csv", compile_csv("c2", random_spans(5, seed=1)))
    for stem in ("n", "ä", "\u20ac"):
        name = (stem * 255).encode()[:250 // len(stem.encode()) * len(stem.encode())].decode() + ".json"
        opscope("convert", path, "-o", folder / name)
        true((folder / name).stat().st_size > 0, "written")
    fails = opscope("convert", path, "-o", folder / ("n" * 251 + ".json"), code=1)
    contains(fails.err, "too long")


def test_links(folder):
    path = write(folder / "p.csv", compile_csv("c2", random_spans(5, seed=1)))
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    write(folder / "a/real.json", "old")
    (folder / "b/second.json").symlink_to("../a/real.json")
    (folder / "first.json").symlink_to("b/second.json")
    opscope("convert", path, "-o", folder / "first.json")
    true((folder / "first.json").is_symlink() and (folder / "b/second.json").is_symlink(), "links")
    true((folder / "a/real.json").read_text().startswith("["), "what they lead to is new")
    (folder / "a/real.json").unlink()
    opscope("convert", path, "-o", folder / "first.json")
    true((folder / "a/real.json").read_text().startswith("["), "also when it was not there")
    (folder / "a/loop.json").symlink_to("loop.json")
    contains(opscope("convert", path, "-o", folder / "a/loop.json", code=1).err, "symbolic links")


def test_pipes_and_devices(folder):
    path = write(folder / "p.csv", compile_csv("c2", random_spans(500, seed=1)))
    opscope("convert", path, "-o", folder / "want.json")
    want = (folder / "want.json").read_bytes()
    os.mkfifo(folder / "pipe.json")
    with subprocess.Popen(["cat", folder / "pipe.json"], stdout=subprocess.PIPE) as reader:
        opscope("convert", path, "-o", folder / "pipe.json")
        equal(reader.stdout.read(), want, "what came through the pipe")
    true((folder / "pipe.json").is_fifo(), "a pipe")
    for out in ("-", "/dev/stdout", "/proc/self/fd/1"):
        equal(run(program("opscope"), "convert", path, "--to", "chrome", "-o", out).out.encode(), want, out)
        with open(folder / "file", "wb") as file:
            subprocess.run([program("opscope"), "convert", path, "--to", "chrome", "-o", out], stdout=file,
                           check=True)
            inode = os.fstat(file.fileno()).st_ino
        equal((folder / "file").read_bytes(), want, f"{out} that is a file")
        equal((folder / "file").stat().st_ino, inode, "the same file")
    opscope("convert", path, "-o", "/dev/null", "--to", "chrome")


def test_a_file_in_a_closed_folder(folder):
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    path = write(folder / "p.csv", compile_csv("c2", random_spans(5, seed=1)))
    (folder / "closed").mkdir()
    out = write(folder / "closed/o.json", "old")
    (folder / "closed").chmod(0o555)
    opscope("convert", path, "-o", out)
    true(out.read_text().startswith("["), "it is new")
    out.chmod(0o444)
    contains(opscope("convert", path, "-o", out, code=1).err, "Permission denied")
    (folder / "closed").chmod(0o755)
    contains(opscope("convert", path, "-o", out, code=1).err, "Permission denied")


main()
