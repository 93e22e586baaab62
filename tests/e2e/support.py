"""What the end-to-end tests share.

A test is a script tests/e2e/NNN_name.py:

    from support import *

    def test_prints_its_version(folder):
        equal(opscope("--version").out, "opscope 0.2.0\\n", "version")

    main()

`main` runs every function called test_*, each with an empty folder of its own,
and prints TAP; under pytest, which finds the functions itself, it does nothing.
`folder` is a pathlib.Path that is removed afterwards. A script whose tests share
something costly says TOGETHER = True: one of pytest's processes runs them all.
SKIP = "why" skips all of a script.
"""

import contextlib
import difflib
import fcntl
import functools
import inspect
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

__all__ = [
    "Failure", "PATIENCE", "ROOT", "SANITIZED", "Skip", "VENDOR_NAMES", "VENDOR_SCRIPTS", "close_to", "contains", "equal", "fail",
    "json", "loss_query", "main", "matches", "opscope", "os", "pathlib", "perfetto_logger", "program",
    "re", "run", "shared", "shutil", "subprocess", "sys", "terminal", "trace_queries", "trace_query", "true",
    "until", "without_loss", "write",
]

__tracebackhide__ = True  # pytest shows the line of the test, not these

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tests/tools"
sys.path.append(str(ROOT / "tests/gen"))  # tests import generators
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", ROOT / ".cache")) / "opscope"
BIN = pathlib.Path(os.environ.get("OPSCOPE_BIN", ROOT / "build/bin")).resolve()

# Machines of whoever runs the tests go before those built in (`opscope calibrate` makes one), and are none that tests
# expect: they are looked for where there are none.
os.environ["XDG_CONFIG_HOME"] = os.devnull

# The program is slow in this run: a test may take a smaller input.
SANITIZED = os.environ.get("OPSCOPE_SANITIZED") == "1"

# Seconds after which something hangs. A guard and no measure: a busy machine and sanitizers make
# everything slower, so no test may depend on anything being done sooner.
PATIENCE = 600

# What `opscope links` makes.
VENDOR_NAMES = ["annotate_profiling", "iree-run-module", "perfetto_logger", "process_ops_logs",
                "qaic-compile", "qaic-exec", "qaic-opstats", "qaic-runner", "torq-compile", "torq-run-module", "tt-perf-report",
                "tt_profile"]
VENDOR_SCRIPTS = ["annotate_profiling.py", "perfetto_logger.py", "tt_profile.py"]

# Data that Perfetto lost or could not read; must be empty for every trace.
LOSS = ("select name, value, severity from stats where value > 0 and (severity != 'info'"
        " or name like 'packet_skipped%' or name = 'track_event_parser_errors')")


class Failure(AssertionError):
    """The program did something else than it should."""


class Skip(unittest.SkipTest):
    """The test cannot run here; the message says what is missing."""


# Running ---------------------------------------------------------------------

class Result:
    """What a program did: `code`, `out` and `err` (text), `raw` (bytes of out)."""

    def __init__(self, command, code, raw, err):
        self.command = command
        self.code = code
        self.raw = raw
        self.out = raw.decode(errors="replace")
        self.err = err.decode(errors="replace")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return (f"$ {' '.join(map(str, self.command))}\nexit {self.code}\n"
                f"--- stdout\n{self.out[:4000]}\n--- stderr\n{self.err[:4000]}")


def run(*command, code=0, stdin=b"", cwd=None, env=None, timeout=PATIENCE):
    """Runs a command and requires its exit code (None: any)."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([str(word) for word in command], input=data, cwd=cwd, timeout=timeout,
                          env={**os.environ, **(env or {})}, capture_output=True, check=False)
    result = Result(command, done.returncode, done.stdout, done.stderr)
    if code is not None and result.code != code:
        fail(f"exit {result.code} instead of {code}\n{result}")
    return result


def terminal(words, cwd=None):
    """Runs a command on a terminal; returns its exit code and all that it shows."""
    pid, screen = pty.fork()
    if pid == 0:
        try:
            os.chdir(cwd or ".")
            os.execv(words[0], [str(word) for word in words])
        finally:
            os._exit(127)
    shown = b""
    while True:
        try:
            piece = os.read(screen, 1 << 16)
        except OSError:  # Linux says so when the other end is closed
            piece = b""
        if not piece:
            break
        shown += piece
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode(errors="replace")


def until(condition, what):
    """Waits for what another process does; `what` is for the message when it never does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        true(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.005)


def program(name):
    """The path of the program under one of its names."""
    path = BIN / name
    if not path.exists():
        fail(f"{path} does not exist: run make")
    return path


def opscope(*arguments, **options):
    return run(program("opscope"), *arguments, **options)


def perfetto_logger(*arguments, **options):
    return run(program("perfetto_logger"), *arguments, **options)


# Files -----------------------------------------------------------------------

def write(path, content):
    """Writes text or bytes; returns the path."""
    path = pathlib.Path(path)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def shared(path):
    """A file of the data folder that may lie beside the project."""
    found = ROOT.parent / "shared" / path
    if not found.exists():
        raise Skip(f"no ../shared/{path}")
    return found


# Requiring -------------------------------------------------------------------

def fail(message):
    raise Failure(message)


def true(condition, message):
    if not condition:
        fail(message)


def equal(got, want, what="value"):
    """Equal, or a failure that shows the difference."""
    if got == want:
        return
    if isinstance(got, str) and isinstance(want, str):
        lines = difflib.unified_diff(want.splitlines(True), got.splitlines(True), "want", "got")
        fail(f"{what} differs:\n" + "".join(line.rstrip("\n") + "\n" for line in lines))
    if isinstance(got, list) and isinstance(want, list):
        for index, (one, other) in enumerate(zip(got, want)):
            if one != other:
                fail(f"{what}[{index}]: got {one!r}, want {other!r}")
        fail(f"{what}: got {len(got)} items, want {len(want)}; the first "
             f"{min(len(got), len(want))} are equal")
    fail(f"{what}: got {got!r}, want {want!r}")


def close_to(got, want, tolerance, what="value"):
    true(abs(got - want) <= tolerance, f"{what}: got {got}, want {want} +- {tolerance}")


def contains(text, piece, what="text"):
    true(piece in text, f"{what} lacks {piece!r}:\n{text[:4000]}")


def matches(text, pattern, what="text"):
    found = re.search(pattern, text, re.MULTILINE)
    true(found, f"{what} has nothing like {pattern!r}:\n{text[:4000]}")
    return found


# Perfetto's own reader -------------------------------------------------------

def trace_query(trace, sql):
    """The rows of a query, as dictionaries, from Perfetto's trace_processor."""
    return trace_queries(trace, sql)[0]


def trace_queries(trace, *queries):
    """The same for several queries: the trace is loaded once."""
    request = json.dumps({"trace": str(trace), "sql": queries})
    processor = _trace_processor()
    processor.stdin.write(request + "\n")
    processor.stdin.flush()
    line = processor.stdout.readline()
    if not line:
        _trace_processor.cache_clear()  # the next test gets another
    true(line, f"trace_processor ended while it read {trace}")
    answer = json.loads(line)
    true("error" not in answer, f"trace_processor on {trace}: {answer.get('error')}")
    return answer["tables"]


def loss_query(trace):
    """What Perfetto lost or could not read of a trace: must be []."""
    return trace_query(trace, LOSS)


def without_loss(trace, *queries):
    """Requires that nothing of the trace is lost; returns the rows of each query."""
    lost, *rows = trace_queries(trace, LOSS, *queries)
    equal(lost, [], f"loss query of {trace}")
    return rows[0] if len(queries) == 1 else rows


@functools.cache
def _trace_processor():
    """Started on the first use; ends with this process."""
    if shutil.which("node") is None:
        raise Skip("no node to run trace_processor with")
    folder = fetched("trace-processor")
    return subprocess.Popen(["node", TOOLS / "trace-query.js", "--batch"], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            env={**os.environ, "TRACE_PROCESSOR_DIR": folder})


# Oracles that are fetched ------------------------------------------------------

@functools.cache
def fetch(oracle):
    """Runs tests/tools/fetch-ORACLE.sh, which costs nothing when its files are there: (folder, "") or
    (None, why it cannot be had). One process at a time fetches."""
    known = os.environ.get(fetch_variable(oracle))
    if known:
        return None, known
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{oracle}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run(TOOLS / f"fetch-{oracle}.sh", CACHE / oracle, code=None)
    if result.code == 77:
        return None, result.err.strip() or "no reason given"
    equal(result.code, 0, f"exit of {result}")
    return CACHE / oracle, ""


def fetch_variable(oracle):
    """The environment variable that says why an oracle cannot be had, so that nobody tries in vain."""
    return f"OPSCOPE_NO_{oracle.upper().replace('-', '_')}"


def fetched(oracle):
    """The folder of an oracle, or Skip."""
    folder, reason = fetch(oracle)
    if folder is None:
        raise Skip(reason)
    return folder


# Main ------------------------------------------------------------------------

@contextlib.contextmanager
def empty_folder():
    """What a test gets as `folder`."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-test-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run_case(number, function):
    name = function.__name__.removeprefix("test_").replace("_", " ")
    try:
        with empty_folder() as folder:
            function(folder) if inspect.signature(function).parameters else function()
        print(f"ok {number} - {name}", flush=True)
        return True
    except Skip as reason:
        print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        return True
    except Exception:  # noqa: whatever it is, the test failed and the next one runs
        traceback.print_exc(file=sys.stdout)
        print(f"not ok {number} - {name}", flush=True)
        return False


def main():
    """Runs the calling script's tests; arguments choose some by a part of their name."""
    if sys._getframe(1).f_globals["__name__"] != "__main__":  # imported by pytest
        return
    script = sys.modules["__main__"]
    if getattr(script, "SKIP", ""):
        print(f"1..0 # SKIP {script.SKIP}")
        sys.exit(0)
    functions = [value for name, value in vars(script).items() if name.startswith("test_")]
    chosen = [function for function in functions
              if not sys.argv[1:] or any(part in function.__name__ for part in sys.argv[1:])]
    print(f"1..{len(chosen)}")
    passed = [_run_case(number, function) for number, function in enumerate(chosen, 1)]
    sys.exit(0 if chosen and all(passed) else 1)
