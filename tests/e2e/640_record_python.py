"""python/opscope: scripts record with the library, and run as well without it."""

from support import *

sys.path.append(str(ROOT / "tests/tools"))
from profile_file import Profile  # pylint: disable=wrong-import-position

BUILD = ROOT / "build"  # the library for a plain Python, also when the program is sanitized
LIBRARY = BUILD / "libopscope-record.so"


def script(folder, text, code=0, **environment):
    path = write(folder / "script.py", "import opscope, os, sys, threading\n" + text)
    return run(sys.executable, path, cwd=folder, code=code,
               env={"PYTHONPATH": str(ROOT / "python"), "OPSCOPE_RECORD_LIBRARY": str(LIBRARY), **environment})


def info(path, code=0):
    return opscope("info", path, "--json", code=code).json()[0]


def tracks(report):
    return {track["name"]: track for track in report["tracks"]}


EVERYTHING = """
@opscope.span
def plain(number):
    "A docstring."
    return number + 1

@opscope.span("twice named", lane="SLICE 1", kind="test", name="a value")
def named():
    return 2

@opscope.span
async def waits():
    return 3

import asyncio
with opscope.record("run.prof", process="a script"):
    arrow = opscope.flow()
    conv = opscope.operator("conv_1", "conv2d", "net.mlir:3", shape="1x8", groups=2)
    opscope.fact("network", "net.mlir")
    with opscope.span("outer", flow_out=arrow, n=-3, large=1 << 63, huge=1 << 90, real=0.5, yes=True,
                      text="h\\xe4 \\0 <&>"):
        with opscope.span("inner", call=opscope.call(conv, iteration=7), flow_in=arrow):
            assert plain(1) == 2 and named() == 2 and asyncio.run(waits()) == 3
    try:
        with opscope.span("fails"):
            raise KeyError("x")
    except KeyError:
        pass
    opscope.instant("now", lane="SLICE 1", epoch=1)
    gauge = opscope.counter("queue", "items")
    for number in range(5):
        gauge.sample(number)
    opscope.sample("queue", 2.5, "items")
assert plain.__name__ == "plain" and plain.__doc__ == "A docstring."
assert not opscope.recording()
"""


def test_everything_comes_back(folder):
    script(folder, EVERYTHING)
    report = info(folder / "run.prof")
    lanes = tracks(report)
    equal((report["spans"], report["instants"], report["samples"]), (6, 1, 6), "events")
    equal(lanes["MainThread"]["spans"], 5, "spans of the thread")
    equal((lanes["SLICE 1"]["engine"], lanes["SLICE 1"]["spans"]), ("slice", 1), "the engine's lane")
    equal(sum(track["lost"] + track["impossible"] for track in report["tracks"]), 0, "lost or impossible")
    opscope("convert", folder / "run.prof", "-o", folder / "run.pb")
    spans, values, flows, samples = without_loss(
        folder / "run.pb", "select name, depth from slice where dur > 0 order by ts",
        "select s.name, a.key, a.display_value as value from slice s join args a using(arg_set_id)",
        "select a.name as source, b.name as target from flow f join slice a on f.slice_out = a.id"
        " join slice b on f.slice_in = b.id", "select value from counter order by ts")
    names = [row["name"] for row in spans]
    equal(sorted(names), sorted(["outer", "inner", "plain", "twice named", "waits", "fails"]), "names")
    depth = {row["name"]: row["depth"] for row in spans}
    equal((depth["outer"], depth["inner"], depth["plain"]), (0, 1, 2), "nesting")
    said = {(row["name"], row["key"].rpartition(".")[2]): str(row["value"]) for row in values}
    for key, value in (("n", "-3"), ("large", str(1 << 63)), ("huge", str(1 << 90)), ("real", "0.5"),
                       ("yes", "true"), ("text", "h\xe4 \ufffd <&>")):
        equal(said[("outer", key)], value, f"value {key}")
    equal(said[("fails", "exception")], "KeyError", "the exception")
    equal(flows, [{"source": "outer", "target": "inner"}], "flow")
    equal([row["value"] for row in samples], [0, 1, 2, 3, 4, 2.5], "samples")


def test_threads_have_lanes_of_their_names(folder):
    script(folder, """
def work():
    for number in range(1000):
        with opscope.span("work", number=number):
            opscope.sample("shared", number)
with opscope.record("run.prof", buffer_bytes=4096):
    threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(8)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
""")
    lanes = tracks(info(folder / "run.prof"))
    equal([lanes[f"worker {i}"]["spans"] for i in range(8)], [1000] * 8, "spans of each thread")
    equal(lanes["shared"]["samples"], 8000, "one counter for all")


def test_recordings_follow_one_another(folder):
    script(folder, """
for number in (1, 2, 3):
    opscope.start(f"{number}.prof", full="grow")
    for i in range(number):
        with opscope.span(f"span {number}"):
            pass
    opscope.flush()
    open_span = opscope.span("across")
    open_span.__enter__()
    opscope.stop()
    if number == 3:
        opscope.start("4.prof")
    open_span.__exit__(None, None, None)
    with opscope.span("nowhere" if number < 3 else "left to the end of Python"):
        pass
""")
    for number in (1, 2, 3):
        report = info(folder / f"{number}.prof")
        equal(report["spans"], number, f"spans of recording {number}")
        opscope("convert", folder / f"{number}.prof", "-o", folder / "x.pb")
        equal(without_loss(folder / "x.pb", "select distinct name from slice"),
              [{"name": f"span {number}"}], "names belong to their recording")
    equal(info(folder / "4.prof")["spans"], 1, "ended with Python")


def test_a_fork_records_nothing_twice(folder):
    script(folder, """
opscope.start("parent.prof")
with opscope.span("before"):
    pass
child = os.fork()
if child == 0:
    assert not opscope.recording()
    with opscope.span("in the child"):
        pass
    with opscope.record("child.prof"):
        with opscope.span("of the child"):
            pass
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
with opscope.span("after"):
    pass
opscope.stop()
""")
    equal(info(folder / "parent.prof")["spans"], 2, "the parent's")
    equal(info(folder / "child.prof")["spans"], 1, "the child's")


def test_wrong_use_is_said(folder):
    said = script(folder, """
def refused(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except (opscope.RecordError, ValueError) as error:
        print(error)
    else:
        sys.exit("not refused")
refused(opscope.stop)
refused(opscope.flush)
refused(opscope.start, "x.prof", full="sometimes")
refused(opscope.start, "no/folder/x.prof")
opscope.start("x.prof")
refused(opscope.start, "y.prof")
""").out.splitlines()
    contains(said[0], "nothing is being recorded")
    contains(said[2], "block, grow, drop")
    contains(said[3], "no/folder/x.prof")
    contains(said[4], "recording already")


def test_without_the_library_scripts_run(folder):
    said = script(folder, """
@opscope.span
def work():
    with opscope.span("inside"):
        opscope.instant("x", flow_out=opscope.flow())
        opscope.sample("y", 1)
        opscope.call(opscope.operator("o"))
        opscope.fact("k", "v")
        opscope.thread_name("t")
    return "computed"
print(work(), opscope.recording())
try:
    opscope.start("run.prof")
except opscope.LibraryMissing as error:
    print(error)
""", OPSCOPE_RECORD_LIBRARY=str(folder / "none.so")).out
    contains(said, "computed False")
    contains(said, "make install")
    contains(said, "OPSCOPE_RECORD_LIBRARY=")
    true(not (folder / "run.prof").exists(), "nothing was written")


def test_an_installed_module_finds_its_library(folder):
    if shutil.which("make") is None:
        raise Skip("no make")
    run("make", "-C", ROOT, "-o", "all", "install", f"DESTDIR={folder}/there", "PREFIX=/usr")
    place = folder / "there/usr/share/opscope/python"
    said = script(folder, "print(opscope.library(), opscope.__file__)", PYTHONPATH=str(place),
                  OPSCOPE_RECORD_LIBRARY="").out.split()
    equal(said, [f"{folder}/there/usr/lib/libopscope-record.so", f"{place}/opscope/__init__.py"], "installed")
    said = script(folder, "print(opscope.library())", OPSCOPE_RECORD_LIBRARY="").out.strip()
    equal(said, str(LIBRARY), "in a checkout")


MACHINE = """
opscope.lane("nobody hears it", role="compute")
opscope.allocated("tile", 0, 1)
with opscope.record("run.prof"):
    opscope.lane("core 3 matrix", role="compute", engine="matrix", core=3, device=0, queue="stream 1")
    opscope.lane("odd", role="juggling", engine="hand")
    with opscope.span("conv", lane="core 3 matrix"):
        opscope.allocated("tile", 64, 32, "weights", core=3)
        opscope.freed("tile", 64, core=3)
        opscope.allocated("tile", 64, 16, core=3)
    with opscope.span("what", lane="odd"):
        pass
"""


def test_engines_and_memory_of_any_machine(folder):
    script(folder, MACHINE)
    found = tracks(info(folder / "run.prof"))
    equal({key: found["core 3 matrix"][key] for key in ("engine", "role", "core", "device", "queue", "spans")},
          {"engine": "matrix", "role": "compute", "core": 3, "device": 0, "queue": "stream 1", "spans": 1}, "lane")
    equal((found["odd"]["engine"], found["odd"]["role"]), ("hand", "none"), "a role that is none")
    equal(found["tile"]["instants"], 3, "events of the memory")
    opscope("convert", folder / "run.prof", "-o", folder / "again.prof")
    buffers = Profile((folder / "again.prof").read_bytes()).buffers
    equal([buffer[:3] + buffer[5:] for buffer in buffers], [("tile", 64, 32, 0, 4), ("tile", 64, 16, 0, 4)], "buffers")
    rows = {row["name"] for row in opscope("overview", "--json", folder / "run.prof").json()[0]["metrics"]}
    true({"Compute", "Unknown Role", "device 0 core 3 matrix", "hand"} <= rows, f"rows: {rows}")


main()
