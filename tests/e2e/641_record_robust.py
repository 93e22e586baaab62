"""Recordings survive what happens to processes, disks and folders: what was written reads, and
the ledger says what is known to be missing. docs/record.md promises it."""

import atexit
import contextlib
import resource
import signal

from support import *

BUILD = ROOT / "build"  # of the small program, which is not sanitized

RUNTIME = """
#include <opscope/record.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// FILE ROUNDS POLICY: after each round of 1000 spans it flushes and says how many there are.
int main(int count, char **words)
{
    char message[512] = "";
    int rounds = 0;
    if (count != 4 || sscanf(words[2], "%d", &rounds) != 1)
        return 2;
    struct opscope_record_options options = {
        .path = words[1], .full = strcmp(words[3], "drop") == 0 ? OPSCOPE_FULL_DROP : OPSCOPE_FULL_BLOCK};
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return puts(message), 1;
    opscope_thread_name("main");
    const uint32_t name = opscope_text("work");
    for (int round = 1; round <= rounds; round++) {
        for (int i = 0; i < 1000; i++)
            opscope_end(opscope_begin(), 0, name, 0);
        printf("%d %s\\n", round * 1000, opscope_record_flush() == 0 ? "flushed" : "not flushed");
        fflush(stdout);
        usleep(1000);
    }
    const int result = opscope_record_stop(message, sizeof message);
    printf("stop %d %s\\n", result, message);
    return 0;
}
"""


def runtime(folder):
    write(folder / "runtime.c", RUNTIME)
    run("cc", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", folder / "runtime.c", "-L", BUILD,
        f"-Wl,-rpath,{BUILD}", "-lopscope-record", "-o", folder / "runtime")
    return folder / "runtime"


GREEDY = """
#include <opscope/record.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

enum { THREADS = 16, EVENTS = 400000 };

static void *record(void *name)
{
    for (int i = 0; i < EVENTS; i++)
        opscope_end(opscope_begin(), 0, *(const uint32_t *)name, 0);
    return NULL;
}

// FILE: threads whose buffers grow faster than anything is written, in 512 MB.
int main(int count, char **words)
{
    char message[512] = "";
    pthread_t threads[THREADS];
    struct rlimit limit = {512 << 20, 512 << 20};
    struct opscope_record_options options = {.path = words[count - 1], .full = OPSCOPE_FULL_GROW};
    if (setrlimit(RLIMIT_AS, &limit) != 0 || opscope_record_start(&options, message, sizeof message) != 0)
        return puts(message), 1;
    uint32_t name = opscope_text("work");
    int started = 0;
    while (started < THREADS && pthread_create(&threads[started], NULL, record, &name) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    const int result = opscope_record_stop(message, sizeof message);
    printf("%d threads, stop %d %s\\n", started, result, message);
    return 0;
}
"""


def compiled(folder):
    path = folder / "fc.opx"
    opscope("compile", ROOT / "samples/tosa/fc.mlir", "--target", "torq-sl2610", "-o", path)
    return path


def started(*command, **options):
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **options)
    atexit.register(process.kill)  # what a test that fails leaves would wait for ever
    return process


def until_recorded(process, profile, size):
    """Waits for a process that goes on to have recorded so many bytes."""
    until(lambda: process.poll() is not None or (profile.exists() and profile.stat().st_size > size),
          f"{size} bytes to be recorded")
    true(process.poll() is None, f"still running: {process.returncode}")


def held_run(folder, profile, iterations, **options):
    """A run that does not end before somebody reads its result, from folder/y.bin."""
    if not (folder / "y.bin").exists():
        os.mkfifo(folder / "y.bin")
    return started(program("opscope"), "run", compiled(folder), "--iterations", iterations, "--profile",
                   profile, "--output", folder / "y.bin", **options)


def long_run(folder, profile, **options):
    """A run that goes on until somebody ends it, and has recorded something."""
    process = held_run(folder, profile, 1000000, **options)
    until_recorded(process, profile, 50000)
    return process


def ended(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out.decode(), err.decode()


def info(path, code):
    return opscope("info", path, "--json", code=code).json()[0]


def lane(report, name):
    return next(track for track in report["tracks"] if track["name"] == name)


def check_balance(report):
    for track in report["tracks"]:
        recorded = track["spans"] + track["instants"] + track["samples"]
        equal(track["expected"], recorded + track["lost"] + track["impossible"], f"account of {track['name']}")


def check_cut(path):
    """A recording that nobody ended: how much is missing is not known, and that is said."""
    report = info(path, code=3)
    ledger = report["ledger"]
    equal(ledger["expected"], None, "events expected")
    contains(" ".join(note["text"] for note in ledger["notes"]), "cut off", "notes")
    check_balance(report)
    return report


@contextlib.contextmanager
def small_disk(folder):
    """A folder with room for 256 KiB, and what makes a process find no more than that."""
    disk = folder / "disk"
    disk.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk)
    if shutil.which("mount") and run(*mount, code=None).code == 0:
        try:
            yield disk, {}
        finally:
            run("umount", disk)
        return
    print("# no small tmpfs can be mounted: a limit on the size of files stands for it")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 10, 256 << 10))
    yield disk, {"preexec_fn": limit}


def test_what_was_flushed_survives_a_kill(folder):
    process = started(runtime(folder), folder / "x.prof", 1000000, "block")
    for _ in range(20):
        said = process.stdout.readline().decode()
    process.kill()
    flushed = int(said.split()[0])
    equal((said.split()[1], ended(process)[0]), ("flushed", -signal.SIGKILL), "ends")
    main_lane = lane(check_cut(folder / "x.prof"), "main")
    true(main_lane["spans"] >= flushed >= 20000, f"{main_lane['spans']} of {flushed} flushed spans")
    equal(main_lane["lost"], 0, "lost as far as is known")


def test_a_killed_run_reads(folder):
    process = long_run(folder, folder / "x.prof")
    process.kill()
    equal(ended(process)[0], -signal.SIGKILL, "exit")
    report = check_cut(folder / "x.prof")
    true(report["spans"] > 100, "spans of the run")
    contains(opscope("overview", folder / "x.prof", code=3).out, "OVERALL", "the overview")
    opscope("convert", folder / "x.prof", "-o", folder / "x.pb", code=3)
    rows = without_loss(folder / "x.pb", "select count(*) as n from slice")
    equal(rows[0]["n"], report["spans"], "spans of the trace")


def test_signals_that_ask_to_end_lose_nothing(folder):
    for number in (signal.SIGTERM, signal.SIGINT):
        path = folder / f"{number.name}.prof"
        # Shells let what they start in the background ignore SIGINT.
        process = long_run(folder, path, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        process.send_signal(number)
        code, _, err = ended(process)
        equal(code, -number, "ends by the signal")
        contains(err, f"ended by {number.name}; what was recorded until then is in {path}", "message")
        report = info(path, code=None)
        ledger = report["ledger"]
        equal(ledger["expected"], ledger["recorded"] + ledger["lost"], "the account is known")
        for note in ledger["notes"]:  # of the iteration that was interrupted
            contains(note["text"], "did not come: what was recorded ended early", "all that is missing")
        check_balance(report)


def test_a_signal_that_is_ignored_stays_ignored(folder):
    process = long_run(folder, folder / "x.prof",
                       preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    size = (folder / "x.prof").stat().st_size
    process.send_signal(signal.SIGHUP)
    until_recorded(process, folder / "x.prof", size + 300000)  # goes on, as after nohup
    process.terminate()
    equal(ended(process)[0], -signal.SIGTERM, "exit")


def test_a_full_disk_ends_the_recording_but_not_the_runtime(folder):
    for policy in ("block", "drop"):
        with small_disk(folder) as (disk, options):
            code, out, _ = ended(started(runtime(folder), disk / "x.prof", 100, policy, **options))
            lines = out.splitlines()
            equal((code, len(lines)), (0, 101), "the runtime goes on to its end")
            equal(lines[99], "100000 not flushed", "what a flush says")
            matches(lines[100], r"^stop -1 .*x\.prof: cannot write: ", "what stopping says")
            report = check_cut(disk / "x.prof")
            true(1000 < lane(report, "main")["spans"] < 100000, "what was written reads")
        shutil.rmtree(folder / "disk")


def test_a_full_disk_fails_the_run_after_its_results(folder):
    compiled(folder)
    with small_disk(folder) as (disk, options):
        code, out, err = ended(started(program("opscope"), "run", folder / "fc.opx", "--iterations", 3000,
                                       "--profile", disk / "x.prof", **options))
        equal(code, 1, "exit")
        contains(out, "3000 iterations on this machine", "the results are printed")
        matches(err, r"run: --profile: .*x\.prof: cannot write: ", "message")
        true(check_cut(disk / "x.prof")["spans"] > 100, "what was written reads")


def test_a_folder_that_vanishes_is_said(folder):
    home = folder / "home"
    home.mkdir()
    process = held_run(folder, home / "x.prof", 500)
    until_recorded(process, home / "x.prof", 1000)
    shutil.rmtree(home)
    equal(len((folder / "y.bin").read_bytes()), 10, "bytes of the result")
    code, out, err = ended(process)
    equal(code, 1, "exit")
    contains(out, "iterations on this machine", "the results are printed")
    contains(err, "x.prof: the file was removed or replaced while it was recorded", "message")
    true(not home.exists(), "nothing is made anew")


def test_a_recording_cut_anywhere_reads_up_to_the_cut(folder):
    opscope("run", compiled(folder), "-n", "50", "--profile", folder / "x.prof")
    whole = (folder / "x.prof").read_bytes()
    everything = info(folder / "x.prof", code=0)["spans"]
    most = 0
    for part in range(1, 60):
        path = write(folder / "cut.prof", whole[:max(17, len(whole) * part // 60)])
        report = info(path, code=3)
        check_balance(report)
        true(most <= report["spans"] <= everything, f"{report['spans']} spans after {most}")
        most = report["spans"]
    true(most > everything // 2, "spans before the last cut")


def test_buffers_that_grow_leave_memory(folder):
    """What there is no memory for is lost and counted; the program is not ended."""
    write(folder / "greedy.c", GREEDY)
    run("cc", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", folder / "greedy.c", "-L", BUILD,
        f"-Wl,-rpath,{BUILD}", "-lopscope-record", "-lpthread", "-o", folder / "greedy")
    result = run(folder / "greedy", folder / "g.prof")
    matches(result.out, r"^\d+ threads, stop 0", "it came to its end")
    threads = int(result.out.split()[0])
    true(threads > 0, "threads")
    ledger = opscope("info", "--json", folder / "g.prof", code=None).json()[0]["ledger"]
    equal(ledger["recorded"] + ledger["lost"], threads * 400_000, f"every event has an account: {ledger}")
    true(ledger["recorded"] > 0, "what there was memory for is recorded")


main()
