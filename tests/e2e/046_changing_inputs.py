"""Files that change, or are cut off, while they are read: an answer or an error, never a crash. OPSCOPE_ALL
reads each a thousand times."""
import random
import threading

from support import *
from spans import *
from torq_compile import *

ALL = bool(os.environ.get("OPSCOPE_ALL"))
# Of each kind of file, overwritten and cut off; several commands share them.
TIMES = 1000 if ALL else 5 if SANITIZED else 20


def damaged(content, rng, inside):
    """The same file with some of its bytes behind the head changed."""
    bytes_now = bytearray(content)
    for _ in range(200):
        at = rng.randrange(min(inside, len(content) - 1), len(content))
        bytes_now[at] = rng.randrange(256)
    return bytes(bytes_now)


def while_it_changes(path, content, words, seed, cut, share=1):
    """Runs a command again and again while its input is written over, in place. `share` commands read
    this kind of file."""
    rng = random.Random(seed)
    others = [damaged(content, rng, 64) for _ in range(4)]
    ends = threading.Event()

    def change():
        with open(path, "r+b", buffering=0) as file:
            while not ends.is_set():
                if cut:
                    file.truncate(rng.randrange(1, len(content)))
                os.pwrite(file.fileno(), rng.choice(others), 0)
                os.pwrite(file.fileno(), content, 0)

    path.write_bytes(content)
    thread = threading.Thread(target=change)
    thread.start()
    results = []
    try:
        for _ in range(-(-TIMES // share) if ALL else TIMES):
            results.append(run(*words, code=None))
    finally:
        ends.set()
        thread.join()
    for result in results:
        true(result.code in (0, 1, 3), f"exit of {result}")
        if result.code == 1:
            contains(result.err, str(path), "message")
    return results


def test_programs(folder):
    network = ROOT / "samples/tosa/fc.mlir"
    program_path = folder / "x.opx"
    opscope("compile", network, "--target", "host", "-o", program_path)
    content = program_path.read_bytes()
    for cut in (False, True):
        for words in (["run", program_path], ["program", program_path], ["verify", program_path]):
            while_it_changes(program_path, content, [program("opscope"), *words], 1, cut, 3)


def test_profiles(folder):
    table = write(folder / "x.csv", compile_csv("c2", random_spans(20_000, seed=4)))
    path = folder / "x.prof"
    opscope("convert", table, "-o", path)
    content = path.read_bytes()
    for cut in (False, True):
        for end in (".json", ".pb", ".csv"):
            while_it_changes(path, content, [program("opscope"), "convert", path, "-o",
                                             folder / f"o{end}"], 2, cut, 4)
        while_it_changes(path, content, [program("opscope"), "overview", path], 3, cut, 4)


def test_tables_and_traces(folder):
    path = write(folder / "x.csv", compile_csv("c2", random_spans(20_000, seed=4)))
    opscope("convert", path, "-o", folder / "x.json")
    opscope("convert", path, "-o", folder / "x.pb")
    for name in ("x.csv", "x.json", "x.pb"):
        content = (folder / name).read_bytes()
        for cut in (False, True):
            while_it_changes(folder / name, content, [program("opscope"), "convert", folder / name,
                                                      "-o", folder / "o.prof"], 5, cut)


def test_logs(folder):
    """A folder of logs of which one changes."""
    from tenstorrent_logs import ordinary  # pylint: disable=import-outside-toplevel
    ordinary(1).write(folder / "logs")
    for path in sorted((folder / "logs").iterdir()):
        content = path.read_bytes()
        for cut in (False, True):
            results = while_it_changes(path, content, [program("opscope"), "tt-report", folder / "logs", "-o",
                                                       folder / "ops.csv"], 6, cut, 2)
            true(results, "it was read")
        path.write_bytes(content)


def test_networks(folder):
    network = ROOT / "samples/tosa/fc.mlir"
    path = folder / "x.mlir"
    content = network.read_bytes()
    for cut in (False, True):
        for words in (["model", path], ["infer", path]):
            while_it_changes(path, content, [program("opscope"), *words], 7, cut, 2)


def test_a_file_that_is_cut_off_is_named(folder):
    """The reader waits for a pipe after it has mapped the first file."""
    good = write(folder / "good.csv", compile_csv("c2", random_spans(200_000, seed=2)))
    size = good.stat().st_size
    os.mkfifo(folder / "second.csv")
    words = [program("perfetto_logger"), "--compile_profile", good, "--compile_profile",
             folder / "second.csv", "--pb", folder / "o.pb"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        with open(folder / "second.csv", "wb") as pipe:
            # It has opened the pipe: the first one is mapped and not read.
            os.truncate(good, 4096)
            pipe.write(compile_csv("c2", random_spans(5, seed=2)))
        said = process.stderr.read().decode()
    true(size > 4096, "it was longer")
    equal(process.returncode, 1, f"exit; {said}")
    equal(said, f"opscope: {good}: changed or was cut off while it was read\n", "message")
    equal(sorted(os.listdir(folder)), ["good.csv", "second.csv"], "files")


main()
