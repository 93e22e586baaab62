"""The end-to-end tests under pytest: -k, --lf, -x, and -n of xdist.

    pytest-3 tests/e2e -n 2 -k merge
    pytest-3 tests/e2e --build build-asan --lf

Each test_* of NNN_name.py is an item. support.py's Skip is a skip, its Failure a
failure with the message that the script would print.
"""

import os
import pathlib
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_SECONDS = 1200  # of a test, however busy the machine is
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    "TSAN_OPTIONS": "exitcode=99:halt_on_error=1",
    "OPSCOPE_SANITIZED": "1",
}


def pytest_addoption(parser):
    parser.addoption("--build", metavar="FOLDER",
                     help="the build to test: build, build-asan, build-tsan (OPSCOPE_BIN names another's bin)")
    parser.addoption("--vendor", metavar="CHECKOUT",
                     help="of tenstorrent/tt-perf-report, to compare tt-perf-report with (322)")
    parser.addoption("--metal", metavar="CHECKOUT",
                     help="of tenstorrent/tt-metal (2025-08), to compare tt-report with (317)")
    parser.addoption("--tracy", metavar="FOLDER",
                     help="with csvexport and update of tt-metal's fork of Tracy, to read what is written (331)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Before support.py reads these, and before the cache of --lf is looked for."""
    build = config.getoption("build")
    if build or "OPSCOPE_BIN" not in os.environ:
        os.environ["OPSCOPE_BIN"] = str(ROOT / (build or "build") / "bin")
    if config.getoption("vendor"):
        os.environ["OPSCOPE_TT_PERF_REPORT"] = config.getoption("vendor")
    if config.getoption("metal"):
        os.environ["OPSCOPE_TT_METAL"] = config.getoption("metal")
    if config.getoption("tracy"):
        os.environ["OPSCOPE_TRACY_TOOLS"] = config.getoption("tracy")
    if build and ("asan" in build or "tsan" in build):
        os.environ.update(SANITIZERS)
    if config.getoption("numprocesses", None) and config.getoption("dist") == "load":
        config.option.dist = "loadgroup"


def pytest_collection_modifyitems(items):
    for item in items:
        if getattr(item.module, "TOGETHER", False):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        if getattr(item.module, "SKIP", ""):
            item.add_marker(pytest.mark.skip(item.module.SKIP))


def end_children(parent):
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            of = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
            if of == parent:
                child = int(path.parent.name)
                end_children(child)
                os.kill(child, signal.SIGKILL)
        except OSError:  # it has just ended
            pass


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """A test that hangs fails, and what it started ends: whoever waits for that goes on."""
    def give_up(*_):
        end_children(os.getpid())
        raise TimeoutError(f"{item.name} took longer than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(0 if "OPSCOPE_ALL" in os.environ else MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A skip stands where its test does, not where Skip was found out to be one."""
    report = (yield).get_result()
    if report.skipped and isinstance(report.longrepr, tuple):
        path, line, _ = item.reportinfo()
        report.longrepr = (str(path), line + 1, report.longrepr[2])


@pytest.fixture
def folder():
    import support  # pylint: disable=import-outside-toplevel
    with support.empty_folder() as path:
        yield path
