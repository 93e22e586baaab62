"""Test sessions with networks under pytest: compile, run here or on a board, profile.

    pytest -p opscope_pytest tests --torq-addr root@10.46.130.17 --update-astra-runtime \\
        --torq-runtime-profiling-output-dir=./profile --recompute-cache

A test asks for the fixture `torq_network` and calls it with a network:

    def test_layer(torq_network):
        result = torq_network("layer.onnx", inputs=["1x16xf32=1"])
        assert result.wall_time < 1

What it does is `opscope suite`'s: a process of its own with a time limit, a cache of compiled
programs, ssh. A network that does not compile or run fails the test. The wall time is logged and
recorded as a property of the test; with --torq-runtime-profiling-output-dir the profile, the trace
and the annotated profile of each test are kept there, and the Host Profile Overview of every trace
is printed at the end. Only Python's standard library and pytest are needed, and opscope: that of
--opscope, of $OPSCOPE_BIN, beside this file's installation, or on the path.
"""

import json
import logging
import os
import pathlib
import re
import shutil
import subprocess

import pytest

LOGGER = logging.getLogger("opscope")
HEAD = "Host Profile Overview"
LOG_SHOWN = 3000  # characters of a log that a failure shows

# Options that `opscope suite` takes as they are, and what they are for.
FOR_SUITE = {
    "--torq-runtime-hw-type": "what runs: sim (this machine), astra_machina (a board; needs --torq-addr)",
    "--torq-addr": "user@host of a board that is reached by ssh",
    "--torq-port": "of its ssh",
    "--torq-private-key": "a file, for ssh",
    "--torq-ssh-config": "ssh's settings in place of the user's",
    "--torq-attempts": "at connecting",
    "--torq-board-dir": "the folder on the board",
    "--torq-runner": "the file that is copied to the board to run programs",
    "--torq-compile-cmd": "compiles networks instead of torq-compile",
    "--torq-run-cmd": "runs programs instead of torq-run-module",
}
SWITCHES = {
    "--update-astra-runtime": "copies the runner to the board first",
    "--recompute-cache": "compiles again what was compiled before",
}
# What is kept of a test, and how it ends then.
KEPT = {"host_profile.csv": ".csv", "annotated_profile.xlsx": ".xlsx", "trace.pb": ".pb", "run.prof": ".prof",
        "wall_time.txt": ".wall_time.txt", "wall_time_board.txt": ".wall_time_board.txt", "log.txt": ".log.txt"}


def pytest_addoption(parser):
    group = parser.getgroup("torq", "networks on Torq (opscope)")
    for name, text in FOR_SUITE.items():
        group.addoption(name, metavar=name.rpartition("-")[2].upper(), help=text)
    for name, text in SWITCHES.items():
        group.addoption(name, action="store_true", help=text)
    group.addoption("--torq-runtime-profiling-output-dir", metavar="DIR",
                    help="keeps profiles and traces there, and prints the Host Profile Overview of each")
    group.addoption("--torq-timeout", metavar="SECONDS", help="for each network (600)")
    group.addoption("--torq-target", metavar="NAME", help="what networks are compiled for (torq-sl2610)")
    group.addoption("--opscope", metavar="FILE", help="the program opscope")


def find_opscope(config):
    """The program, or a failure that says where it was looked for."""
    given = config.getoption("--opscope")
    installed = pathlib.Path(__file__).resolve().parents[3:4]  # PREFIX/share/opscope/python
    places = [given] if given else [
        *(pathlib.Path(folder) / "opscope" for folder in [os.environ.get("OPSCOPE_BIN")] if folder),
        *(prefix / "bin/opscope" for prefix in installed), shutil.which("opscope")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(pathlib.Path(place).absolute())
    raise pytest.UsageError("opscope is not there: give --opscope FILE, or put it on the path")


def words_of(config):
    """The options of this session, for `opscope suite`."""
    words = []
    for name in FOR_SUITE:
        value = config.getoption(name)
        if value is not None:
            words.append(f"{name}={value}")
    words += [name for name in SWITCHES if config.getoption(name)]
    if config.getoption("--torq-timeout"):
        words.append(f"--timeout={config.getoption('--torq-timeout')}")
    return words


class Result:
    """What became of a network that compiled and ran.

    `wall_time`        seconds of the run, with ssh where there is a board
    `wall_time_board`  seconds by the board's clock, or None
    `folder`           a pathlib.Path with log.txt, the profile, trace.pb and outputs
    `outputs`          paths of the outputs, .npy
    `row`              what `opscope suite --json` says of it
    """

    def __init__(self, row):
        self.row = row
        self.folder = pathlib.Path(row["folder"])
        self.wall_time = row["wall_time_ns"] / 1e9
        board = row["wall_time_board_ns"]
        self.wall_time_board = None if board is None else board / 1e9
        self.outputs = sorted(self.folder.glob("output.*.npy"), key=lambda path: int(path.name.split(".")[1]))

    @property
    def log(self):
        return (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")


def run_suite(words):
    """The row of the only network; what opscope says of wrong use is the session's."""
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 2:
        raise pytest.UsageError(done.stderr.strip())
    try:
        return json.loads(done.stdout)["networks"][0]
    except (ValueError, LookupError):
        return pytest.fail(f"opscope suite ended with {done.returncode}:\n{done.stderr}", pytrace=False)


def judge(row):
    if row["status"] == "pass":
        return
    log = pathlib.Path(row["folder"]) / "log.txt"
    text = log.read_text(encoding="utf-8", errors="replace")[-LOG_SHOWN:] if log.exists() else ""
    pytest.fail(f"{row['name']}: {row['step']}: {row['reason']}\n{text}", pytrace=False)


def keep(config, nodeid, number, result):
    """Copies of what the run left, named after the test; the trace's path, or None."""
    folder = config.getoption("--torq-runtime-profiling-output-dir")
    if folder is None:
        return None
    folder = pathlib.Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_\[\]-]+", "_", nodeid) + (f"-{number}" if number else "")
    for file, end in KEPT.items():
        if (result.folder / file).exists():
            shutil.copyfile(result.folder / file, folder / (name + end))
    return folder / (name + ".pb")


@pytest.fixture
def torq_network(request, tmp_path, record_property):
    """A function that compiles, runs and profiles a network, and returns a Result."""
    count = 0

    def run(model, inputs=(), target=None):
        nonlocal count
        config = request.config
        target = target or config.getoption("--torq-target")
        words = [find_opscope(config), "suite", str(model), "--json", "-o", str(tmp_path / f"opscope-{count}"),
                 *(f"--input={value}" for value in inputs), *([f"--target={target}"] if target else []),
                 *words_of(config)]
        row = run_suite(words)
        judge(row)
        result = Result(row)
        LOGGER.info("Wall time: %.3fs", result.wall_time)
        record_property("wall_time", f"{result.wall_time:.3f}")
        if result.wall_time_board is not None:
            LOGGER.info("Wall time without ssh: %.3fs", result.wall_time_board)
            record_property("wall_time_board", f"{result.wall_time_board:.3f}")
        trace = keep(config, request.node.nodeid, count, result)
        if trace is not None:
            record_property("torq_trace", str(trace))
        count += 1
        return result

    return run


# The end of the session ------------------------------------------------------

class Overviews:
    """Traces of the session, also of tests that ran in other processes (xdist)."""

    def __init__(self, config):
        self.config = config
        self.traces = []

    def pytest_runtest_logreport(self, report):
        if report.when != "call":
            return
        walls = [value for name, value in report.user_properties if name == "wall_time"]
        traces = [value for name, value in report.user_properties if name == "torq_trace"]
        self.traces += zip(traces, walls)

    def pytest_terminal_summary(self, terminalreporter):
        if not self.traces:
            return
        terminalreporter.section(HEAD)
        for trace, wall in sorted(self.traces):
            said = subprocess.run([find_opscope(self.config), "overview", trace, "--wall-time", wall],
                                  capture_output=True, text=True, check=False)
            lines = [line for line in said.stdout.splitlines() if HEAD not in line]
            terminalreporter.write_line("\n".join(lines) if said.returncode in (0, 3) else said.stderr.strip())


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Overviews(config), "opscope-overviews")
