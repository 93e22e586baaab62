"""python/perfetto_logger.py and perfetto_api.py: the API of document 003, over the library."""

from support import *
from spans import *
from torq_compile import *
from torq_runtime import job_csv, job_rows, random_jobs

BUILD = ROOT / "build"  # the library for a plain Python, also when the program is sanitized
SPANS = random_spans(60, seed=11)
JOBS = random_jobs(30, seed=12)


def script(folder, text, code=0, **environment):
    path = write(folder / "script.py", "import os, sys\nfrom perfetto_logger import *\n" + text)
    return run(sys.executable, path, cwd=folder, code=code,
               env={"PYTHONPATH": str(ROOT / "python"), "OPSCOPE_LIBRARY": str(BUILD / "libopscope.so"),
                    **environment})


def profiles(folder):
    write(folder / "c.csv", compile_csv("c1", SPANS))
    write(folder / "r.csv", job_csv(JOBS))


def test_the_names_are_the_document_s():
    text = next(shared("seeds").glob("003_*")).read_text(encoding="utf-8", errors="replace")
    text = text[text.index("API DOC"):]
    source = (ROOT / "python/perfetto_api.py").read_text()
    names = re.findall(r"### `(?:class )?(\w+)", text) + re.findall(r"\*\*`(\w+)\(", text)
    true(len(names) == 11, f"names {names}")
    for name in names:
        matches(source, rf"^ *(class|def) {name}\b", name)
    for attribute in re.findall(r"^\| `(\w+)` *\|", text[:text.index("TimeChartView")], re.M):
        contains(source, f"self.{attribute} = {attribute}", attribute)


def test_a_view(folder):
    result = script(folder, """
view = TimeChartView("chart.pb")
view.add_process_descriptor("model")
view.add_thread_descriptor("model", "SLICE 0")
log = TimeChartLog("model", "SLICE 0", "conv2d", 100, 250)
view.render(log)
view.set_track_event(300, TrackEvent.TYPE_SLICE_BEGIN, TimeChartLog("model", "DMA", "load", 0, 0))
view.set_track_event(420, TrackEvent.TYPE_SLICE_END, TimeChartLog("model", "DMA", "load", 0, 0))
view.flush()
print(os.getpid(), os.path.exists("chart.pb"), log)
try:
    view.render(TimeChartLog("model", "SLICE 0", "back", 9, 8))
except ProfileError as error:
    print("refused", error.code)
print(view.close() != "", flush=True)
with TimeChartView("other.pb", clock_hz=1000000) as other:
    other.render(TimeChartLog("é", "t", "f", 1, 3))
""")
    matches(result.out, r"\A\d+ True TimeChartLog\('model', 'SLICE 0', 'conv2d', 100, 250\)\n"
                        r"refused -1\nTrue\n\Z", "output")
    equal_spans(folder / "chart.pb", [Row("model", "SLICE 0", 100, 150, "conv2d", ()),
                                      Row("model", "DMA", 300, 120, "load", ())])
    equal_spans(folder / "other.pb", [Row("é", "t", 1000, 2000, "f", ())])


def test_profiles_in_a_view(folder):
    profiles(folder)
    script(folder, """
with TimeChartView("view.pb") as view:
    csv_to_view_compile_profile("compiled", view, "c.csv", 2)
    csv_to_view_runtime_profile("ran", view, "r.csv")
""")
    equal_spans(folder / "view.pb", [*compile_rows("c1", SPANS, "compiled"), *job_rows(JOBS, "ran")])


def test_convert_to_perfetto(folder):
    profiles(folder)
    result = script(folder, """
before = os.getpid()
convert_to_perfetto({"one": "c.csv"}, {"two": "r.csv"}, "dict.pb", num_slices=2)
convert_to_perfetto(["c.csv"], ["r.csv"], "out/list.pb")
convert_to_perfetto(None, {"two": "r.csv"}, "ran.pb")
print(os.getpid() == before)
""")
    equal(result.out, "True\n", "the process goes on")
    equal_spans(folder / "dict.pb", [*compile_rows("c1", SPANS, "one"), *job_rows(JOBS, "two")])
    equal_spans(folder / "ran.pb", list(job_rows(JOBS, "two")))
    run(program("perfetto_logger"), "--compile_profile", "c.csv", "--runtime_profile", "r.csv", "--pb",
        "program.pb", cwd=folder)
    equal((folder / "out/list.pb").read_bytes(), (folder / "program.pb").read_bytes(), "the program's")


def test_as_a_script(folder):
    profiles(folder)
    for words, code in ((["--compile_profile", "c.csv", "--pb", "x.pb"], 0), (["--pb", "x.pb"], 2),
                        (["--compile_profile", "none.csv", "--pb", "x.pb"], 1),
                        (["--runtime_profile", "bad.csv", "--pb", "y.pb"], 3)):
        write(folder / "bad.csv", job_csv(JOBS) + b"x;y;z;\n")
        run(sys.executable, ROOT / "python/perfetto_logger.py", *words, cwd=folder, code=code,
            env={"OPSCOPE_LIBRARY": str(BUILD / "libopscope.so")})
    equal_spans(folder / "x.pb", compile_rows("c1", SPANS, "c.csv"))


def test_errors(folder):
    result = script(folder, """
for words in (("none.csv", "x.pb"), (__file__, "x.pb")):
    try:
        convert_to_perfetto(None, [words[0]], words[1])
    except ProfileError as error:
        print(error.code, error)
view = TimeChartView("v.pb")
view.close()
try:
    view.flush()
except ValueError as error:
    print(error)
""")
    matches(result.out, r"-2 none\.csv: cannot open.*\n-4 .*script\.py: is not a Torq profile.*\n"
                        r"v\.pb: the view is closed\n", "messages")
    missing = script(folder, "TimeChartView('x.pb')\n", code=1, OPSCOPE_LIBRARY="/nonexistent.so")
    contains(missing.err, "LibraryMissing: libopscope.so cannot be loaded")


main()
