"""What is run is counted: by pytest, by meson test, and by a script alone."""
from support import *

sys.path.append(str(ROOT / "tests"))
import run as runner

TESTS = '''"""Some of each."""
from support import *


def test_good(folder):
    equal(list(folder.iterdir()), [], "an empty folder")


def test_without_a_folder():
    pass


def test_bad(folder):
    equal("one", "two", "a word")


def test_broken(folder):
    None + 1


def test_impossible(folder):
    raise Skip("no such thing here")


main()
'''


def project(folder):
    """A project with one script of tests."""
    (folder / "tests/e2e").mkdir(parents=True)
    for name in ("pytest.ini", "tests/e2e/conftest.py", "tests/e2e/support.py"):
        shutil.copy(ROOT / name, folder / name)
    return write(folder / "tests/e2e/001_some.py", TESTS)


def test_pytest_sees_what_the_script_does(folder):
    script = project(folder)
    alone = run(sys.executable, script, code=1).out
    matches(alone, "^1\\.\\.5$", "TAP")
    matches(alone, "^ok 5 - impossible # SKIP no such thing here$", "TAP")
    equal(len(re.findall("^not ok ", alone, re.MULTILINE)), 2, "failures of the script")

    words = [runner.python_with_pytest(), "-m", "pytest", "tests/e2e", "-q", "-p", "no:cacheprovider"]
    for more in ([], ["-n", "2"]):
        out = run(*words, *more, cwd=folder, code=1).out
        contains(out, "2 failed, 2 passed, 1 skipped", "pytest")
        contains(out, "no such thing here", "the reason")
        contains(out, "a word differs:", "the message")
        contains(out, "-two", "the difference")
    contains(run(*words, "-k", "001 and good", cwd=folder).out, "1 passed", "-k")


def test_meson_s_log_is_added_up(folder):
    def counts(result, *lines):
        return tuple(runner.judge_meson({"name": "x", "result": result, "stdout": "\n".join(lines)}))
    equal(counts("OK"), (1, 0, 0), "an exit of 0")
    equal(counts("FAIL"), (0, 1, 0), "another exit")
    equal(counts("TIMEOUT"), (0, 1, 0), "a test that hangs")
    equal(counts("OK", "1..3", "ok 1 - a", "ok 2 - b", "ok 3 - c # SKIP"), (2, 0, 1), "TAP")
    equal(counts("FAIL", "1..2", "ok 1 - a", "not ok 2 - b"), (1, 1, 0), "TAP with a failure")
    equal(counts("ERROR", "1..9", "ok 1 - a"), (1, 1, 0), "a crash after the first")


def test_cmocka_s_skip_is_none_of_tap_s_failures(folder):
    program = write(folder / "unit", "#!/bin/sh\necho 1..2\necho 'ok 1 - a'\necho 'not ok 2 # SKIP b'\nexit 3\n")
    program.chmod(0o755)
    equal(run(ROOT / "tests/unit/tap.sh", program, code=3).out, "1..2\nok 1 - a\nok 2 - b # SKIP\n", "TAP")


main()
