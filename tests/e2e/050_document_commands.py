"""The command lines of Torq's documents run as they are printed there."""
import shlex

from support import *
from spans import *
from torq_compile import *
from torq_runtime import job_csv, job_rows, random_jobs

SPANS = random_spans(100, seed=1)
JOBS = random_jobs(50, seed=2)

COMPILE = "--compile_profile ./compile_profile.csv"
RUNTIME = "--runtime_profile ./runtime_profile.csv"
COMMANDS = {  # with the profiles that the trace must hold
    f"python3 perfetto_logger.py {COMPILE} {RUNTIME} --pb ./perfetto_log.pb": "cr",
    f"python3 perfetto_logger.py {COMPILE} ./compile_profile.csv --pb ./perfetto_log.pb": "cc",
    f"python3 perfetto_logger.py {RUNTIME} ./runtime_profile.csv --pb ./perfetto_log.pb": "rr",
    f"python3 perfetto_logger.py {COMPILE} ./compile_profile.csv {RUNTIME} ./runtime_profile.csv"
    " --pb ./perfetto_log.pb": "ccrr",
}


def setting(folder):
    """A folder as the reader of the document has it; the script finds the program on PATH."""
    write(folder / "compile_profile.csv", compile_csv("c1", SPANS))
    write(folder / "runtime_profile.csv", job_csv(JOBS))
    shutil.copy(ROOT / "scripts/perfetto_logger.py", folder)
    return {"cwd": folder, "env": {"PATH": f"{program('opscope').parent}:{os.environ['PATH']}"}}


def rows(profiles):
    want = []
    for number, kind in enumerate(profiles, 1):
        prefix = f"{number:02} " if len(profiles) > 1 else ""
        if kind == "c":
            want += compile_rows("c1", SPANS, prefix + "compile_profile.csv")
        else:
            want += job_rows(JOBS, prefix + "runtime_profile.csv")
    return want


def test_perfetto_logger(folder):
    where = setting(folder)
    for command, profiles in COMMANDS.items():
        result = run(*shlex.split(command), **where)
        equal((result.out, result.err), ("", ""), command)
        equal_spans(folder / "perfetto_log.pb", rows(profiles), command)
        (folder / "perfetto_log.pb").unlink()


def test_these_are_the_document_s():
    text = next(shared("seeds").glob("003_*")).read_text(encoding="utf-8")
    printed = [line for line in text.splitlines() if line.startswith("python3 perfetto_logger.py")]
    equal(printed, list(COMMANDS), "command lines of the document")


def test_the_script_keeps_words_and_exit_codes(folder):
    where = setting(folder)
    for words, code in ((["--help"], 0), (["--frobnicate"], 2),
                        (["--compile_profile", "missing.csv", "--pb", "a b.pb"], 1)):
        run("python3", "perfetto_logger.py", *words, code=code, **where)
    name = "a b 'c' \"d\".csv"
    shutil.copy(folder / "compile_profile.csv", folder / name)
    run("python3", "perfetto_logger.py", "--compile_profile", name, "--pb", "a b.pb", **where)
    equal_spans(folder / "a b.pb", compile_rows("c1", SPANS, name))


def test_the_script_without_the_program(folder):
    setting(folder)
    (folder / "bin").mkdir()
    (folder / "bin/python3").symlink_to(sys.executable)
    result = run("python3", "perfetto_logger.py", "--help", code=1, cwd=folder,
                 env={"PATH": str(folder / "bin")})
    contains(result.err, "run make")


def test_overview_of_what_was_written(folder):
    where = setting(folder)
    run(*shlex.split(next(iter(COMMANDS))), **where)
    result = run("opscope", "overview", "perfetto_log.pb", **where)
    equal(re.findall(r"Model: (.*)", result.out),
          ["01 compile_profile.csv", "02 runtime_profile.csv"], "models")
    run("opscope", "overview", "./perfetto_log.pb", "--wall-time", "1.234", **where)
    run("opscope", "info", "./perfetto_log.pb", **where)


def test_the_link_is_made_anywhere(folder):
    where = setting(folder)
    (folder / "bin").mkdir()
    for _ in range(2):  # once more changes nothing
        run("opscope", "links", "bin", **where)
    equal(sorted(path.name for path in (folder / "bin").iterdir()),
          sorted(VENDOR_NAMES + VENDOR_SCRIPTS), "links")
    run(folder / "bin/perfetto_logger", "--compile_profile", "compile_profile.csv", "--pb", "x.pb",
        **where)
    equal_spans(folder / "x.pb", rows("c"))


def test_links_replace_no_file(folder):
    write(folder / "perfetto_logger", "mine")
    result = opscope("links", folder, code=1)
    contains(result.err, str(folder / "perfetto_logger"))
    equal((folder / "perfetto_logger").read_text(), "mine", "the file")
    (folder / "perfetto_logger").rename(folder / "perfetto_logger.py")
    contains(opscope("links", folder, code=1).err, "perfetto_logger.py: cannot create the script")
    equal((folder / "perfetto_logger.py").read_text(), "mine", "the script")


main()
