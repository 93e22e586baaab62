"""The program works where `make install` and `opscope links` put it."""
from support import *


def vendor_names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_symlink())


def test_links_point_to_the_program(folder):
    opscope("links", folder)
    equal(vendor_names(folder), VENDOR_NAMES, "links")
    help_text = run(folder / "perfetto_logger", "--help").out
    contains(help_text, "--compile_profile")


def test_links_can_be_made_again(folder):
    opscope("links", folder)
    opscope("links", folder)
    run(folder / "perfetto_logger", "--help")


def test_python_script_starts_the_program(folder):
    script = ROOT / "scripts/perfetto_logger.py"
    result = run(sys.executable, script, "--help", cwd=folder)
    equal(result.out, run(program("perfetto_logger"), "--help").out, "help")
    wrong = run(sys.executable, script, "--no-such-option", cwd=folder, code=None)
    true(wrong.code not in (0, 127), f"the exit code is handed on\n{wrong}")


def test_python_script_finds_the_program_on_the_path(folder):
    script = shutil.copy(ROOT / "scripts/perfetto_logger.py", folder)
    path = f"{program('perfetto_logger').parent}:{os.environ['PATH']}"
    contains(run(sys.executable, script, "--help", env={"PATH": path}).out, "--compile_profile")
    nowhere = run(sys.executable, script, "--help", env={"PATH": str(folder)}, code=1)
    contains(nowhere.err, "run make")


main()
