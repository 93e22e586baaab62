#!/usr/bin/env python3
"""`opscope profile`: every process of a command that records is captured, whatever becomes of it."""

import signal
import socket
import threading

from support import *

PYTHON = ROOT / "python"

HEAD = f"""import os, signal, socket, subprocess, sys, time
sys.path.insert(0, {str(PYTHON)!r})
"""


def script(folder, name, text):
    path = folder / name
    path.write_text(HEAD + text)
    return path


def environment(**more):
    return {**os.environ, "OPSCOPE_RECORD_LIBRARY": str(program("opscope").resolve().parent / "libopscope-record.so"),
            **more}


def needs_library():
    if SANITIZED:
        raise Skip("a sanitized library cannot be loaded into Python")


def profile(folder, *command, code=0, options=(), **named):
    """Runs it; the result, and what the profile holds, or None where there is none."""
    out = folder / "out.prof"
    result = opscope("profile", "-o", out, *options, "--", *command, code=code, cwd=folder,
                     env=environment(**named.pop("env", {})), **named)
    about = opscope("info", out, "--json", code=None).json()[0] if out.exists() else None
    equal(sorted(path.name for path in folder.glob(".opscope-capture-*")), [], "folders left")
    return result, about


def lanes(about):
    """(process, lane): events, of what was recorded."""
    names = {track["id"]: track for track in about["tracks"]}

    def top(track):
        while track["parent"]:
            track = names[track["parent"]]
        return track["name"]
    return {(top(track), track["name"]): track["spans"] + track["instants"] + track["samples"]
            for track in about["tracks"] if track["spans"] + track["instants"] + track["samples"]
            and track["provenance"] != "derived"}


def compiled(folder):
    path = folder / "add.opx"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", "torq-sl2610", "-o", path)
    return path


# Who is captured -------------------------------------------------------------

def test_three_programs_in_parallel(folder):
    path = compiled(folder)
    binary = program("opscope")
    network = ROOT / "tests/testdata/tosa_ops/add.mlir"
    result, about = profile(folder, "sh", "-c", f"{binary} run {path} >/dev/null & {binary} infer {network} >/dev/null &"
                            f" {binary} run {path} --device sim --timing-only >/dev/null; wait")
    matches(result.err, r"recordings 3, programs with Tracy 0", "summary")
    found = lanes(about)
    equal(len({process for process, _ in found}), 3, f"processes of {found}")
    kinds = {track["provenance"] for track in about["tracks"] if track["spans"]}
    equal(kinds, {"measured", "modelled", "derived"}, "what the times are")
    equal(about["ledger"]["lost"], 0, "lost")


def test_a_program_that_is_captured_prints_what_it_prints(folder):
    path = compiled(folder)
    alone = opscope("run", path, "--max-elements", "2")
    result, _ = profile(folder, program("opscope"), "run", path, "--max-elements", "2")
    equal(result.out, alone.out, "output")


def test_a_python_script(folder):
    needs_library()
    path = script(folder, "a.py", """
import opscope
with opscope.span("outer", number=3):
    with opscope.span("inner"):
        pass
opscope.sample("loss", 0.5)
""")
    result, about = profile(folder, sys.executable, path)
    matches(result.err, r"recordings 1", "summary")
    equal(sorted(count for count in lanes(about).values()), [1, 2], "events")


def test_a_script_with_a_file_of_its_own_gets_both(folder):
    """And may remove its own."""
    needs_library()
    path = script(folder, "a.py", """
import opscope
opscope.start("own.prof")
with opscope.span("kept"):
    pass
opscope.stop()
os.rename("own.prof", "moved.prof")
with opscope.record("gone.prof"):
    with opscope.span("removed"):
        pass
os.remove("gone.prof")
""")
    _, about = profile(folder, sys.executable, path)
    equal(sorted(lanes(about).values()), [1, 1], "both recordings")
    equal(opscope("info", folder / "moved.prof", "--json").json()[0]["spans"], 1, "its own file")
    true(not (folder / "gone.prof").exists(), "the other one is gone")


def test_two_hundred_children(folder):
    needs_library()
    path = script(folder, "many.py", """
import opscope
children = []
for number in range(200):
    child = os.fork()
    if child == 0:
        with opscope.span(f"child {number}"):
            pass
        opscope.stop()
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
""")
    result, about = profile(folder, sys.executable, path)
    matches(result.err, r"recordings 201", "summary")
    equal(len([process for process, _ in lanes(about)]), 200, "children with a span")
    equal(about["ledger"]["lost"], 0, "lost")


def test_a_command_that_never_connects(folder):
    result, about = profile(folder, "sh", "-c", "sh -c 'read line' </dev/null; exit 7", code=7)
    contains(result.err, "nothing in the command records", "message")
    contains(result.err, "import opscope", "what to do")
    contains(result.err, "TRACY_ENABLE", "what to do")
    matches(result.err, r"(?m)^  \d+ the command  \d+\.\d{3} s$", "its time")
    equal(lanes(about), {}, "recorded")
    true(any(track["name"] == "command" for track in about["tracks"]), "the processes are there")


# How it ends -----------------------------------------------------------------

def test_statuses_are_passed_on(folder):
    for code in (0, 1, 3, 42):
        profile(folder, "sh", "-c", f"exit {code}", code=code)
    profile(folder, "sh", "-c", "kill -TERM $$", code=128 + signal.SIGTERM)
    result = opscope("profile", "-o", folder / "no.prof", "--", "/no/such/program", code=1)
    contains(result.err, "/no/such/program", "what is missing")
    true(not (folder / "no.prof").exists(), "nothing is written")
    equal(list(folder.glob(".opscope-capture-*")), [], "folders left")


def test_what_was_flushed_survives_a_crash_and_a_kill(folder):
    needs_library()
    for number, name in ((signal.SIGABRT, "abort"), (signal.SIGSEGV, "crash"), (signal.SIGKILL, "kill")):
        path = script(folder, f"{name}.py", f"""
import opscope
for at in range(1000):
    with opscope.span("flushed"):
        pass
opscope.flush()
os.kill(os.getpid(), {int(number)})
""")
        _, about = profile(folder, sys.executable, path, code=128 + number)
        equal(sum(lanes(about).values()), 1000, f"{name}: spans")
        true(about["ledger"]["expected"] is None, f"{name}: nobody knows what was not flushed")


def test_loss_is_status_3_when_the_command_succeeds(folder):
    needs_library()
    path = script(folder, "cut.py", """
import opscope
child = os.fork()
if child == 0:
    with opscope.span("flushed"):
        pass
    opscope.flush()
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
""")
    result, about = profile(folder, sys.executable, path, code=3)
    equal(sum(lanes(about).values()), 1, "what was flushed")
    contains(result.err, "cut off", "what is lost")


def test_an_interrupt_goes_to_the_command_and_the_profile_is_written(folder):
    needs_library()
    path = script(folder, "wait.py", """
import opscope
def ask(number, frame):
    with opscope.span("asked to end"):
        pass
    sys.exit(5)
signal.signal(signal.SIGINT, ask)
with opscope.span("before"):
    pass
print("ready", flush=True)
while True:  # a signal that comes just before pause() would not end it
    time.sleep(0.01)
""")
    out = folder / "out.prof"
    command = [program("opscope"), "profile", "-o", out, "--", sys.executable, path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=folder,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
        equal(process.stdout.readline(), b"ready\n", "handshake")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    equal(process.returncode, 5, err.decode())
    about = opscope("info", out, "--json").json()[0]
    equal(sum(lanes(about).values()), 2, "spans before and after the interrupt")


def test_who_insists_ends_a_command_that_does_not_listen(folder):
    text = "import signal, sys\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nprint('ready', flush=True)\n" \
           "while True: signal.pause()\n"
    out = folder / "out.prof"
    command = [program("opscope"), "profile", "-o", out, "--", sys.executable, "-c", text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        equal(process.stdout.readline(), b"ready\n", "handshake")
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        process.communicate(timeout=PATIENCE)
    equal(process.returncode, 128 + signal.SIGKILL, "status")
    true(out.exists(), "the profile is written")


def test_two_captures_at_once(folder):
    needs_library()
    pipes = [folder / "a.fifo", folder / "b.fifo"]
    for pipe in pipes:
        os.mkfifo(pipe)
    # Each says that it is there and waits for the other.
    text = """
import opscope
own, other, name = sys.argv[1:]
with opscope.span(name):
    if name == "first":
        open(own, "w").close()
        open(other).close()
    else:
        open(other).close()
        open(own, "w").close()
"""
    path = script(folder, "pair.py", text)
    results = {}

    def capture(name, own, other):
        results[name] = opscope("profile", "-o", folder / f"{name}.prof", "--", sys.executable, path, own, other, name,
                                env=environment())
    threads = [threading.Thread(target=capture, args=("first", *pipes)),
               threading.Thread(target=capture, args=("second", *reversed(pipes)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    for name in ("first", "second"):
        about = opscope("info", folder / f"{name}.prof", "--json").json()[0]
        equal(sum(lanes(about).values()), 1, f"{name}: its own span and nothing else")


# The socket ------------------------------------------------------------------

ROGUE = """
import binascii, re
address, token = os.environ["OPSCOPE_CAPTURE"], os.environ["OPSCOPE_CAPTURE_TOKEN"]

def connect():
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(address)
    return peer

def ask(data):
    with connect() as peer:
        try:  # the other side may have hung up before all is sent
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        try:
            return peer.recv(10000)
        except OSError:
            return b""

"""


def test_a_wrong_token_and_garbage_are_refused(folder):
    path = script(folder, "rogue.py", ROGUE + """
wrong = "0" * len(token)
assert ask(f"opscope-capture 1 {wrong} place x\\n".encode()) == b"no the token is wrong\\n"
assert ask(f"opscope-capture 1 {token[:-1]} place x\\n".encode()) == b"no the token is wrong\\n"
assert ask(f"opscope-capture 1  place x\\n".encode()) == b"no the token is wrong\\n"
assert ask(f"opscope-capture 1 {token} dance x\\n".encode()).startswith(b"no ")
assert ask(f"opscope-capture 1 {token} file relative\\n".encode()).startswith(b"no ")
for data in (b"", b"\\n", b"\\0\\n", b"x" * 100000, bytes(range(256)) * 50, b"opscope-capture 1\\n", token.encode()):
    assert ask(data) in (b"", b"no the token is wrong\\n"), data
assert ask(f"opscope-capture 1 {token} place x\\n".encode()).startswith(b"ok /")
assert os.stat(os.path.dirname(address)).st_mode & 0o77 == 0
print("done", flush=True)
""")
    result, _ = profile(folder, sys.executable, path, code=3)
    equal(result.out, "done\n", result.err)
    contains(result.err, "requests to the capture that were refused", "remark")
    contains(result.err, "cannot be read", "the place where nothing was written")


def test_those_that_send_nothing_hold_up_nobody(folder):
    needs_library()
    path = script(folder, "slow.py", ROGUE + """
held = []
for number in range(300):
    peer = connect()
    peer.sendall(b"opscope-capture 1 "[:number % 18])
    held.append(peer)
import opscope
with opscope.span("recorded"):
    pass
opscope.stop()
print("done", flush=True)
""")
    result, about = profile(folder, sys.executable, path)
    equal(result.out, "done\n", result.err)
    equal(sum(lanes(about).values()), 1, "span")


def test_a_capture_that_is_over_holds_up_nobody(folder):
    """A process that outlives the capture, and an environment that names none."""
    needs_library()
    path = script(folder, "late.py", """
try:
    import opscope
    opscope.start("own.prof")
    with opscope.span("kept"):
        pass
    opscope.stop()
except Exception as error:
    print(error)
""")
    run(sys.executable, path, cwd=folder,
        env=environment(OPSCOPE_CAPTURE="/no/such/socket", OPSCOPE_CAPTURE_TOKEN="x"))
    equal(opscope("info", folder / "own.prof", "--json").json()[0]["spans"], 1, "its own file")


# Disks and ports -------------------------------------------------------------

def test_a_limit_of_disk(folder):
    needs_library()
    path = script(folder, "large.py", """
import opscope
while opscope.recording() and not os.path.exists(sys.argv[1]):
    for at in range(2000):
        with opscope.span("filling", at=at):
            pass
    opscope.flush()
    found = [entry for entry in os.listdir(".") if entry.startswith(".opscope-capture-")]
    if os.path.exists(f"{found[0]}/full"):
        break
with opscope.span("after the limit"):
    pass
""")
    result, about = profile(folder, sys.executable, path, folder / "never", options=["--disk", "200KiB"], code=3)
    contains(result.err, "limit of disk", "message")
    contains(result.err, "--disk", "what to do")
    true(sum(lanes(about).values()) >= 2000, "what was recorded before it")


def test_a_full_disk(folder):
    """A limit on the size of files stands for it: the recorder's file, and what is written in the end."""
    needs_library()
    path = script(folder, "full.py", """
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import opscope
with opscope.span("before"):
    pass
opscope.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
for at in range(100000):
    with opscope.span("filling", at=at):
        pass
print("went on", flush=True)
""")
    result, about = profile(folder, sys.executable, path, code=None)
    contains(result.out, "went on", "the program")
    true(result.code != 0, "status")
    true(sum(lanes(about).values()) > 1, "what fitted")
    result = opscope("profile", "--to", "profile", "-o", "/dev/full", "--", sys.executable, path, code=1,
                     env=environment(TMPDIR=str(folder)))
    kept = re.search(r"kept in (\S+):", result.err)[1]
    parts = list(pathlib.Path(kept).glob("*.prof"))
    equal(len(parts), 1, "what was captured is kept")
    true(opscope("info", parts[0], "--json", code=None).json()[0]["spans"] > 1, "and can be read")


def test_a_port_that_is_in_use(folder):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        result = opscope("profile", "-p", port, "-o", folder / "no.prof", "--", "touch", folder / "ran", code=1)
    contains(result.err, f"port {port} is in use", "message")
    contains(result.err, "-p", "what to do")
    true(not (folder / "ran").exists(), "the command did not run")


def test_wrong_use(folder):
    contains(opscope("profile", code=2).err, "give the command after --", "no command")
    contains(opscope("profile", "--port", "70000", "--", "true", code=2).err, "1 to 65535", "port")
    contains(opscope("profile", "--disk", "much", "--", "true", code=2).err, "--disk", "disk")
    contains(opscope("profile", "-o", folder / "x.unknown", "--", "touch", folder / "ran", code=2).err,
             "cannot tell the format", "output")
    contains(opscope("profile", "-o", folder / "no/such/x.prof", "--", "touch", folder / "ran", code=1).err,
             "no/such", "folder")
    true(not (folder / "ran").exists(), "nothing ran")


def test_the_environment_of_the_vendor(folder):
    result, _ = profile(folder, "sh", "-c", "env", env={"TRACY_PORT": "1234"})
    for line in ("TT_METAL_DEVICE_PROFILER=1", "TT_METAL_CLEAR_L1=1", "TT_METAL_DEVICE_PROFILER_DISPATCH=0",
                 "TTNN_OP_PROFILER=1", "TT_METAL_PROFILER_TRACE_TRACKING=1"):
        contains(result.out, line + "\n", line)
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
    result, _ = profile(folder, "sh", "-c", "env", options=["-p", port])
    contains(result.out, f"TRACY_PORT={port}\n", "port")


main()
