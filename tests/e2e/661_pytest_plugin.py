"""The pytest plugin: the session of Torq's guide on this machine, and suites of other projects."""
from support import *

import session

LOCAL = session.PRINTED.replace("astra_machina", "sim").replace("--torq-addr root@10.46.130.17 \\\n", "")

OTHERS = '''
def test_good(torq_network):
    result = torq_network("add.mlir", inputs=["1x56x56x24xi8=2"])
    assert result.wall_time > 0 and result.wall_time_board is None
    assert len(result.outputs) == 1 and "Wall time: " in result.log
    torq_network("add.mlir", target="host")


def test_bad(torq_network):
    torq_network("bad.onnx")
'''


def plugin(folder, *words, code=0):
    """A suite elsewhere, with the plugin as `make install` leaves it: -p, and python's path."""
    session.run_line(folder, "true")  # pytest is there
    shutil.copy(ROOT / "tests/testdata/tosa_ops/add.mlir", folder)
    write(folder / "bad.onnx", b"no network")
    write(folder / "test_other.py", OTHERS)
    return run(sys.executable, "-m", "pytest", "-p", "opscope_pytest", "-p", "no:cacheprovider", "test_other.py", *words,
               cwd=folder, code=code, env={"PYTHONPATH": str(ROOT / "python"), "XDG_CACHE_HOME": str(folder / "cache"),
                                           "OPSCOPE_BIN": str(program("opscope").parent), "PYTHONDONTWRITEBYTECODE": "1"})


def test_the_printed_line_runs_on_this_machine(folder):
    result = session.run_line(folder, LOCAL)
    session.check(result, folder)
    wall = float(session.kept(folder)[".wall_time.txt"].read_text())
    contains(result.out, f"Wall time: {wall:.3f}s", "the log")
    true(".wall_time_board.txt" not in session.kept(folder), "there is no board")


def test_hardware_without_an_address_is_wrong_use(folder):
    result = session.run_line(folder, LOCAL.replace("=sim", "=astra_machina"), code=None)
    true(result.code != 0, "it does not pass")
    contains(result.out + result.err, "--torq-addr")
    contains(result.out + result.err, "astra_machina")


def test_every_network_of_the_project_passes(folder):
    result = session.run_line(folder, "pytest tests/test_onnx_model.py")
    matches(result.out, r"\b3 passed")
    true("Host Profile Overview" not in result.out, "only where profiles are kept")


def test_other_suites_use_it(folder):
    result = plugin(folder, "--torq-runtime-profiling-output-dir=kept", code=1)
    contains(result.out, "1 failed, 1 passed")
    contains(result.out, "bad: compile: ")
    contains(result.out, "Host Profile Overview")
    equal(sorted(path.name for path in (folder / "kept").glob("*.pb")),
          ["test_other_py_test_good-1.pb", "test_other_py_test_good.pb"], "a trace for each network")


def test_processes_of_xdist_print_one_overview(folder):
    result = plugin(folder, "-n", "2", "-k", "good", "--torq-runtime-profiling-output-dir=kept")
    equal(result.out.count("Host Profile Overview"), 1, "sections")
    equal(result.out.count("WALL_TIME"), 2, "networks")


def test_a_time_limit_is_handed_on(folder):
    result = plugin(folder, "-k", "good", "--torq-timeout=3", "--torq-run-cmd=sleep 10000", code=1)
    contains(result.out, "took longer than 3 s")


def test_an_installed_plugin_finds_its_program(folder):
    session.run_line(folder, "true")
    contains(run("make", "-n", "install-files", "PREFIX=/opt/x", cwd=ROOT).out, "share/opscope/python/opscope_pytest.py")
    python = folder / "opt/share/opscope/python"
    python.mkdir(parents=True)
    (folder / "opt/bin").mkdir()
    shutil.copy(ROOT / "python/opscope_pytest.py", python)
    (folder / "opt/bin/opscope").symlink_to(program("opscope"))
    shutil.copy(ROOT / "tests/testdata/tosa_ops/add.mlir", folder)
    write(folder / "test_other.py", OTHERS)
    run(sys.executable, "-m", "pytest", "-p", "opscope_pytest", "-p", "no:cacheprovider", "test_other.py", "-k", "good",
        cwd=folder, env={"PYTHONPATH": str(python), "PATH": "/usr/bin:/bin", "OPSCOPE_BIN": "",
                         "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"})


def test_a_missing_program_is_said(folder):
    result = plugin(folder, "-k", "good", "--opscope=no-such-file", code=None)
    true(result.code != 0, "it does not pass")
    contains(result.out + result.err, "opscope is not there")


main()
