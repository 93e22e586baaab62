"""The program works where `make install` and `opscope links` put it."""
from support import *


def vendor_names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_symlink())


def test_links_point_to_the_program(folder):
    opscope("links", folder)
    equal(vendor_names(folder), VENDOR_NAMES, "links")
    help_text = run(folder / "perfetto_logger", "--help").out
    contains(help_text, "--compile_profile")


def test_scripts_are_called_either_way(folder):
    """As document 000 calls annotate_profiling.py and document 003 perfetto_logger.py; beside the
    program, from elsewhere, and by way of another link."""
    opscope("links", folder / "away")
    beside = folder / "beside"
    beside.mkdir()
    shutil.copy(program("opscope").resolve(), beside / "opscope")
    run(beside / "opscope", "links", beside)
    (folder / "moved").symlink_to(beside)
    (folder / "logger.py").symlink_to(beside / "perfetto_logger.py")
    want = opscope("perfetto_logger", "--help").out
    for script in (folder / "away/perfetto_logger.py", beside / "perfetto_logger.py",
                   folder / "moved/perfetto_logger.py", folder / "logger.py"):
        for words in ([script], [sys.executable, script]):
            equal(run(*words, "--help", cwd=folder).out, want, f"{words}")
            equal(run(*words, "--nonesuch", cwd=folder, code=None).code, 2, f"{words}: exit code")
    contains(run(folder / "away/annotate_profiling.py", "a", "b", "c d.csv", code=1).err, "a: cannot")


def test_torq_compile_of_the_scripts(folder):
    """`scripts/torq-compile`, as document 001 calls it."""
    script = shutil.copy(ROOT / "scripts/torq-compile", folder)
    path = f"{program('torq-compile').parent}:{os.environ['PATH']}"
    for words in ([ROOT / "scripts/torq-compile"], [script]):
        run(*words, ROOT / "samples/tosa/fc.mlir", "-o", "model.vmfb", "--torq-enable-profiling",
            cwd=folder, env={"PATH": path})
        true((folder / "timeline.csv").exists(), "the profile")
        (folder / "timeline.csv").unlink()
    contains(run(script, env={"PATH": "/usr/bin:/bin"}, code=1).err, "run make")


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


RUNTIME = """
#include <opscope/record.h>
#include <stdio.h>

int main(int count, char **words)
{
    struct opscope_record_options options = {.path = words[count - 1], .process = "runtime"};
    char message[256];
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return puts(message), 1;
    const uint32_t lane = opscope_lane("SLICE 0");
    const uint32_t counter = opscope_counter("load", "percent");
    const uint32_t name = opscope_text("conv2d");
    for (int i = 0; i < 100; i++) {
        const uint64_t begun = opscope_begin();
        opscope_sample(counter, i);
        opscope_end(begun, lane, name, 0);
    }
    return opscope_record_stop(message, sizeof message) == 0 ? 0 : (puts(message), 1);
}
"""


def test_other_programs_record_with_the_library(folder):
    build = ROOT / "build"
    library = build / "libopscope-record.so"
    write(folder / "runtime.c", RUNTIME.encode())
    run("cc", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include", folder / "runtime.c", "-L", build,
        f"-Wl,-rpath,{build}", "-lopscope-record", "-o", folder / "runtime")
    run(folder / "runtime", folder / "runtime.prof")
    info = opscope("info", folder / "runtime.prof").out
    contains(info, "ledger: 200 events expected, 200 recorded, 0 lost", "what the runtime did")
    contains(info, "SLICE 0", "its lane")
    visible = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).out.splitlines()]
    equal([name for name in visible if not name.startswith("opscope_")], [], "names of its own")


main()
