"""The example programs, built against the installed library, do what they say."""
import ctypes
import functools
import tempfile
import dataclasses

from support import *
from library import *
from spans import *
from torq_compile import compile_csv, random_spans
from torq_runtime import random_events, runtime_csv

TOGETHER = True  # they share the installed library and what was built with it
PLACE = tempfile.TemporaryDirectory(prefix="opscope-library-")
COMPILE = compile_csv("c2", random_spans(200, seed=3))
RUNTIME = runtime_csv("r4", random_events("r4", 200, seed=4))
STANDARDS = {".c": "-std=c11", ".cpp": "-std=c++11"}


@functools.cache
def place():
    return install(pathlib.Path(PLACE.name))


@functools.cache
def example(name, static=False):
    out = pathlib.Path(PLACE.name) / f"{name}{'-static' if static else ''}"
    [source] = [source for source in EXAMPLES if source.split(".")[0] == name]
    return place().build(source, out, STANDARDS[pathlib.Path(source).suffix], static=static)


def start(name, *arguments, static=False, **options):
    return place().run(example(name, static), *arguments, **options)


def profiles(folder):
    return write(folder / "compile.csv", COMPILE), write(folder / "runtime.csv", RUNTIME)


def spans_of(trace):
    return sorted_rows(trace_rows(trace))


def write_trace(folder, path):
    opscope("convert", path, "-o", folder / "trace.pb")
    return folder / "trace.pb"


def test_all_build_and_run_shared_and_static(folder):
    compile_path, runtime_path = profiles(folder)
    commands = [("record", folder / "r.prof", 4), ("slowest", folder / "r.prof"),
                ("totals", folder / "r.prof"), ("convert", compile_path, folder / "c.pb"),
                ("build", folder / "b.prof", folder / "b.pb"), ("overview", runtime_path),
                ("timechart", folder / "t.pb", compile_path, runtime_path)]
    equal(sorted(name for name, *_ in commands), [name.split(".")[0] for name in EXAMPLES], "examples")
    for name, *arguments in commands:
        said = [start(name, *arguments, static=static).out for static in (False, True)]
        if name not in ("record", "slowest", "totals"):  # those tell measured times
            equal(said[0], said[1], name)
    linked = run("ldd", example("slowest", static=True)).out
    true("opscope" not in linked, f"the static program needs no library of opscope\n{linked}")


def test_what_a_program_records_is_what_it_reads(folder):
    contains(start("record", folder / "r.prof", 7).out, "recorded 7 iterations")
    lines = start("slowest", folder / "r.prof", 3).out.splitlines()
    equal(lines[0], "21 events, 0 lost, 0 impossible", "ledger")
    times = [int(line.split()[0]) for line in lines[1:]]
    equal((len(times), times), (3, sorted(times, reverse=True)), "the slowest, in order")
    everything = start("slowest", folder / "r.prof", 21).out
    equal(len(re.findall(r"measured +SLICE 0 +conv2d +conv_1 \(conv2d\) at net.mlir:3", everything)), 7, "convolutions")
    matches(start("totals", folder / "r.prof").out, r"^ +\d+ ns  conv2d$")


def test_the_recorder_alone_is_enough_to_record(folder):
    for static in (False, True):
        program_path = place().build("record.c", folder / "alone", static=static, package="opscope-record")
        place().run(program_path, folder / "r.prof", 2)
        needed = run("readelf", "-d", program_path).out
        equal(sorted(re.findall(r"\[(libopscope[\w-]*)", needed)), [] if static else ["libopscope-record"], "needs")
        contains(start("slowest", folder / "r.prof").out, "6 events, 0 lost")


PLUGIN = """
#include <opscope/record.h>
void plugin(void);
void plugin(void)
{
    opscope_end(opscope_begin(), 0, opscope_text("in the plugin"), 0);
}
"""
HOST = """
#include <opscope/opscope.h>
#include <stdio.h>
void plugin(void);
int main(int count, char **words)
{
    const struct opscope_record_options options = {.path = words[count - 1]};
    char message[256];
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return puts(message), 1;
    plugin();
    opscope_profile_free(opscope_profile_create());
    return opscope_record_stop(message, sizeof message) != 0;
}
"""


def test_a_process_has_one_recorder_whatever_its_parts_link(folder):
    library = place().build(write(folder / "plugin.c", PLUGIN), folder / "libplugin.so", "-shared", "-fPIC",
                            package="opscope-record")
    host = place().build(write(folder / "host.c", HOST), folder / "host", "-Wl,--no-as-needed", library,
                         f"-Wl,-rpath,{folder}")
    place().run(host, folder / "r.prof")
    matches(start("slowest", folder / "r.prof").out, r"^1 events, 0 lost.*\n.*in the plugin")


def test_shells_find_the_completion_of_every_name(folder):
    """They look for a file that is called as the command is."""
    place()
    share = pathlib.Path(PLACE.name) / "installed/share"
    for name in ("opscope", *VENDOR_NAMES):
        for file in (f"bash-completion/completions/{name}", f"fish/vendor_completions.d/{name}.fish"):
            contains((share / file).read_text(), name, file)


def test_the_slowest_spans_are_those_of_the_trace(folder):
    compile_path, _ = profiles(folder)
    opscope("convert", compile_path, "-o", folder / "c.pb")
    want = sorted((row.dur for row in spans_of(folder / "c.pb")), reverse=True)[:20]
    for path in (compile_path, folder / "c.pb"):
        lines = start("slowest", path, 20).out.splitlines()
        equal([int(line.split()[0]) for line in lines if " ns " in line], want, f"slowest of {path.name}")


def test_convert_is_the_command(folder):
    compile_path, runtime_path = profiles(folder)
    for path, out, *form in ((compile_path, "c.pb"), (runtime_path, "r.prof"), (compile_path, "c.prof.gz"),
                             (runtime_path, "r.csv"), (runtime_path, "r.json"),
                             (compile_path, "c4.csv", "torq-c4")):
        ours = start("convert", path, folder / out, *form)
        opscope("convert", path, "-o", folder / f"command-{out}", *(("--to", *form) if form else ()))
        equal(ours.err, "", "what it says")
        equal((folder / out).read_bytes(), (folder / f"command-{out}").read_bytes(), out)
    equal(len(trace_rows(folder / "r.json")), len(trace_rows(write_trace(folder, runtime_path))), "spans")
    formats = start("convert").out.split("writes:\n")[1].split()
    true({"perfetto", "profile", "csv", "torq-r2"} <= set(formats), f"formats: {formats}")


def test_convert_tells_what_is_lost_and_what_fails(folder):
    path = write(folder / "bad.csv", COMPILE + b"1,2\n")
    lost = start("convert", path, folder / "bad.pb", code=3)
    matches(lost.err, r"convert: \d+ events recorded, 1 lost, 0 impossible, 0 not carried")
    failed = start("convert", folder / "none.csv", folder / "x.pb", code=1)
    contains(failed.err, "none.csv")
    failed = start("convert", path, folder / "x.unknown", code=1)
    contains(failed.err, "end it in one of .pb, ")
    failed = start("convert", write(folder / "junk", b"\x00\x01junk"), folder / "x.pb", code=1)
    contains(failed.err, "not a file that opscope knows")
    equal(sorted(path.name for path in folder.glob("*x.*")), [], "nothing is left behind")


def test_a_file_may_be_converted_in_place(folder):
    compile_path, _ = profiles(folder)
    opscope("convert", compile_path, "-o", folder / "want.prof")
    shutil.copy(folder / "want.prof", folder / "same.prof")
    start("convert", folder / "same.prof", folder / "same.prof")
    equal((folder / "same.prof").read_bytes(), (folder / "want.prof").read_bytes(), "in place")


def test_a_profile_that_was_built_is_a_trace_without_loss(folder):
    start("build", folder / "b.prof", folder / "b.pb")
    rows = spans_of(folder / "b.pb")
    equal([(row.thread, row.ts, row.dur, row.name) for row in rows],
          [("DMA IN", 12500 * i, 2500, "copy") for i in range(3)] +
          [("SLICE 0", 12500 * i + 2500, 8750, "conv2d") for i in range(3)], "spans")
    true(all(("bytes", 4096) in row.args for row in rows if row.name == "copy"), "values")
    flows, samples = without_loss(
        folder / "b.pb",
        "select a.name as source, b.name as target from flow join slice a on slice_out = a.id"
        " join slice b on slice_in = b.id",
        "select c.ts, c.value, t.name from counter c join counter_track t on c.track_id = t.id"
        " order by c.ts")
    equal(flows, [{"source": "copy", "target": "conv2d"}] * 3, "flows")
    equal([(row["name"], row["ts"], row["value"]) for row in samples],
          [("power", 12500 * i, 250.5 + i) for i in range(3)], "samples")
    info = opscope("info", "--json", folder / "b.prof", code=3).json()[0]
    equal([(track["name"], track["expected"], track["lost"]) for track in info["tracks"]],
          [("device 0", 0, 0), ("DMA IN", 4, 1), ("SLICE 0", None, 0), ("power", None, 0)], "ledger")


def test_the_overview_is_the_command_s(folder):
    compile_path, runtime_path = profiles(folder)
    perfetto_logger("--runtime_profile", runtime_path, "--pb", folder / "r.pb")
    for path in (compile_path, runtime_path, folder / "r.pb"):
        metrics = opscope("overview", "--json", path).json()[0]["metrics"]
        want = []
        for metric in metrics:
            percent = "" if metric["percent"] is None else f"  ({metric['percent']:.2f}%)"
            figure = f"{metric['ns']:>11} ns{percent}" if metric["ns"] is not None else f"{'absent':>14}"
            want.append(f"  {metric['name']:<26} {figure}")
        got = [line for line in start("overview", path).out.splitlines()[1:]
               if not line.startswith(("  Hal ", "type "))]
        equal(got, [line for line in want if not line.startswith("  Hal ")], f"overview of {path.name}")


def test_the_types_of_operators_are_the_command_s(folder):
    start("build", folder / "b.prof")
    for path, code in ((folder / "b.prof", 3), (profiles(folder)[0], 0)):
        want = []
        report = opscope("operators", "--json", path, code=code).json()
        for row in report["types"]:
            sides = [f", {row[f'{side}_ns']} ns on the {side}" for side in ("device", "host")
                     if report[f"{side}_ns"]]
            want.append(f"type {row['type']}: {row['calls']} calls{''.join(sides)}")
        true(want, "there are operators")
        equal([line for line in start("overview", path).out.splitlines() if line.startswith("type ")],
              want, f"types of {path.name}")


def test_convert_to_perfetto_is_perfetto_logger(folder):
    compile_path, runtime_path = profiles(folder)
    start("timechart", "--convert", folder / "ours.pb", compile_path, runtime_path)
    perfetto_logger("--compile_profile", compile_path, "--runtime_profile", runtime_path,
                    "--pb", folder / "want.pb")
    names = {"01 compile.csv": "compile", "02 runtime.csv": "runtime"}

    def renamed(row):
        name = row.process.removesuffix(" Overview")
        return row.__class__(row.process.replace(name, names[name]), *list(vars(row).values())[1:])
    equal(spans_of(folder / "ours.pb"), sorted_rows(map(renamed, trace_rows(folder / "want.pb"))), "rows")
    failed = start("timechart", "--convert", folder / "x.pb", runtime_path, compile_path, code=1)
    contains(failed.err, "runtime.csv")
    true(not (folder / "x.pb").exists(), "no trace of a profile of the wrong kind")


NAMELESS = """
#include <opscope/timechart.h>
#include <stdio.h>
int main(int count, char **words)
{
    char message[256] = "";
    const struct opscope_time_chart_profile_log logs[] = {{NULL, words[2]}, {NULL, words[3]}};
    const int result = opscope_time_chart_convert_to_perfetto(logs, 1, logs + 1, count > 3, words[1], 0,
                                                              message, sizeof message);
    return puts(message), result < 0;
}
"""


def test_convert_to_perfetto_without_names_gives_the_same_bytes(folder):
    compile_path, runtime_path = profiles(folder)
    nameless = place().build(write(folder / "nameless.c", NAMELESS), folder / "nameless")
    place().run(nameless, folder / "ours.pb", compile_path, runtime_path)
    perfetto_logger("--compile_profile", compile_path, "--runtime_profile", runtime_path,
                    "--pb", folder / "want.pb")
    equal((folder / "ours.pb").read_bytes(), (folder / "want.pb").read_bytes(), "the trace")


def test_a_view_holds_what_was_put_into_it(folder):
    start("timechart", folder / "own.pb")
    own = [Row("model", "layers", 1000 * i, 800, "relu" if i % 2 else "conv2d", ()) for i in range(4)]
    own += [Row("model", "calls", 0, 4000, "run", ()), Row("model", "calls", 500, 400, "wait", ())]
    equal(spans_of(folder / "own.pb"), sorted_rows(own), "logs")
    compile_path, runtime_path = profiles(folder)
    start("timechart", folder / "all.pb", compile_path, runtime_path)
    start("timechart", "--convert", folder / "csv.pb", compile_path, runtime_path)
    got = [dataclasses.replace(row, args=tuple(pair for pair in row.args if pair[0] != "opscope_call"))  # of which call it is
           for row in spans_of(folder / "all.pb")]
    equal(got, sorted_rows(own + trace_rows(folder / "csv.pb")), "with profiles")


def test_hostile_files_are_refused_or_accounted_for():
    for kind in ("profile", "perfetto", "torq", "input", "tenstorrent_report"):
        for path in sorted((ROOT / "tests/fuzz/corpus" / kind).iterdir())[::4]:
            for name in ("slowest", "totals"):
                code = start(name, path, code=None).code
                true(code in (0, 1), f"{name} {path} exits {code}")


MANY = """
#include <opscope/opscope.h>
#include <stdio.h>
int main(int count, char **words)
{
    const struct opscope_record_options options = {.path = words[1]};
    char message[256];
    if (opscope_record_start(&options, message, sizeof message) != 0)
        return puts(message), 1;
    opscope_end(opscope_begin(), 0, opscope_text("open"), 0);
    for (int i = 0; i < 50; i++) {
        struct opscope_profile *profile;
        if (opscope_profile_open(words[count - 1], NULL, &profile, message, sizeof message) != 0)
            return puts(message), 1;
        opscope_profile_free(profile);
    }
    return opscope_record_stop(message, sizeof message) != 0;
}
"""


def test_an_asan_built_program_with_the_plain_library_leaks_nothing(folder):
    if SANITIZED:
        raise Skip("the library has the sanitizers itself")
    compile_path, _ = profiles(folder)
    many = place().build(write(folder / "many.c", MANY), folder / "many", "-fsanitize=address,undefined")
    place().run(many, folder / "m.prof", compile_path)
    contains(start("slowest", folder / "m.prof").out, "1 events, 0 lost")
    for source in ("slowest.c", "build.c", "totals.cpp"):
        built = place().build(source, folder / "asan", "-fsanitize=address")
        place().run(built, folder / "b.prof" if source == "build.c" else compile_path)


def test_other_languages_load_it(folder):
    if SANITIZED:
        raise Skip("Python itself has no sanitizers")
    library = ctypes.CDLL(str(place().prefix / "lib/libopscope.so"))
    library.opscope_version.restype = ctypes.c_char_p
    equal(f"opscope {library.opscope_version().decode()}\n", opscope("--version").out, "version")
    profile = ctypes.c_void_p()
    message = ctypes.create_string_buffer(256)
    opened = library.opscope_profile_open_sized(str(profiles(folder)[0]).encode(), None, ctypes.c_size_t(0),
                                                ctypes.byref(profile), message, ctypes.c_size_t(256))
    equal((opened, message.value), (0, b""), "result")
    tracks = len(opscope("info", "--json", folder / "compile.csv").json()[0]["tracks"])
    equal(library.opscope_profile_track_count(profile), tracks + 1, "tracks")
    library.opscope_profile_free(profile)


def test_the_example_of_the_guide(folder):
    guide = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```c\n(.*?)```", guide, re.DOTALL)
    compile_path, _ = profiles(folder)
    spans = place().build(write(folder / "spans.c", code), folder / "spans", "-std=c17")
    equal(len(place().run(spans, compile_path).out.splitlines()), 200, "spans")


main()
