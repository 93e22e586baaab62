"""The overview of the document, character for character."""
from support import *
from torq_trace import *

WITHOUT_WALL_TIME = "".join(line for line in DOCUMENT_TEXT.splitlines(True)
                            if "WALL_TIME" not in line)
MICROSECOND = 1000

# Engines that were busy as long as the document says: a copy by the host, a pause of
# 6 us, then a transfer during which both slices compute.
ENGINES = [
    ("HOST_COPY", [(0, 12_386, "copy")]),
    ("DMA IN", [(12_392, 12_700, "in"), (12_650, 12_845, "in")]),
    ("SLICE 0", [(12_400, 12_807, "conv2d")]),
    ("SLICE 1", [(12_400, 12_500, "conv2d"), (12_500, 12_807, "conv2d")]),
]


def engines(process="profile", names=(), start=0):
    return process, [(dict(names).get(name, name),
                      [(start + MICROSECOND * begin, start + MICROSECOND * end, text)
                       for begin, end, text in spans]) for name, spans in ENGINES]


def named(folder, content, name=DOCUMENT_MODEL + ".pb"):
    return write(folder / name, content)


def test_the_sample_is_in_the_format_of_its_program():
    """{label:<26} {value:>14} and, with a share, two blanks and ({percent}%)."""
    for line in DOCUMENT_TEXT.splitlines()[3:-1]:
        matches(line, r"^  [A-Z][\w ]{25} [ \d.]{10,12}(ns|\u00b5s|ms)(  \(\d+\.\d\d%\))?$")
        equal(len(line.split("  (")[0]), 2 + 26 + 1 + 14, f"width of {line!r}")


def test_from_a_trace_of_today(folder):
    trace = named(folder, document_trace())
    equal(opscope("overview", trace, "--wall-time", "0.207").out, DOCUMENT_TEXT, "overview")


def test_from_a_trace_of_the_document_s_time(folder):
    trace = named(folder, document_trace("threads", OLD_LABELS.items()))
    equal(opscope("overview", trace, "--wall-time=207ms").out, DOCUMENT_TEXT, "overview")


def test_from_a_trace_with_much_work(folder):
    """Figures in names count, not what the tracks of the trace add up to."""
    trace = folder / f"[{DOCUMENT_MODEL}].pb"
    for style in ("tracks", "threads"):
        run(sys.executable, ROOT / "tests/tools/write-torq-trace.py", "--document", "--work", "50",
            "--style", style, trace)
        equal(opscope("overview", trace, "--wall-time", "0.207").out, DOCUMENT_TEXT, style)


def test_the_model_is_in_brackets_or_the_whole_name(folder):
    for name in (f"tests_test_conv_py_test_conv[{DOCUMENT_MODEL}].pb", f"[{DOCUMENT_MODEL}].pb",
                 f"[{DOCUMENT_MODEL}]_0.pb"):
        trace = named(folder, document_trace(), name)
        equal(opscope("overview", trace).out, WITHOUT_WALL_TIME, name)


def test_from_engines(folder):
    for style in ("tracks", "threads"):
        for start in (0, 7_123_456_789_012):
            trace = named(folder, torq_trace([engines(start=start)], style))
            equal(opscope("overview", trace, "--wall-time", "0.207").out, DOCUMENT_TEXT, style)


def test_from_engines_under_torq_s_names(folder):
    names = {"HOST_COPY": "Host Copy", "DMA IN": "NDMA In", "SLICE 0": "Slice 0",
             "SLICE 1": "Slice 1"}
    older = {"HOST_COPY": "02_Host", "DMA IN": "0_DMA_IN", "SLICE 0": "2_SLICE_0",
             "SLICE 1": "3_SLICE_1"}
    trace = named(folder, torq_trace([engines(names=names)]))
    equal(opscope("overview", trace).out, WITHOUT_WALL_TIME, "today's names")
    trace = named(folder, torq_trace([engines(names=older)], "threads"))
    for line in DOCUMENT_TEXT.splitlines(True):
        if "Slice" in line or "Dma" in line:
            contains(opscope("overview", trace).out, line)


def test_from_an_opscope_profile(folder):
    named(folder, torq_trace([engines()], "threads"), "engines.pb")
    profile = folder / f"[{DOCUMENT_MODEL}].prof"
    opscope("convert", folder / "engines.pb", "-o", profile)
    equal(opscope("overview", profile, "--wall-time", "0.207").out, DOCUMENT_TEXT, "overview")


def test_wall_time(folder):
    trace = named(folder, document_trace())
    write(folder / "wall_time.txt", "1.234\n")
    for given, shown in (("0.207", "207.000ms"), ("207ms", "207.000ms"), ("1.5", "1.500s"),
                         (folder / "wall_time.txt", "1.234s"), ("0", "0.000ms"),
                         ("0.0000005", "0.001ms"), ("12us", "0.012ms"), ("61s", "61.000s")):
        line = opscope("overview", trace, "--wall-time", given).out.splitlines()[3]
        equal(line, f"  {'WALL_TIME':<26} {shown:>14}", f"--wall-time {given}")


def test_figures_that_nobody_foresaw_are_shown_too(folder):
    more = [("16 OVERVIEW E2E", [(0, 3_000_000, "E2E INFERENCE: 3.000ms (23.36%)")]),
            ("17 OVERVIEW NEW_ENGINE", [(0, 5, "NEW_ENGINE total: 5ns (0.00%)")]),
            ("18 OVERVIEW MORE", [(0, 0, "MORE: 2.500s")])]
    trace = named(folder, document_trace(more=more))
    equal(opscope("overview", trace).out, WITHOUT_WALL_TIME[:-1] +
          "  E2e Inference                     3.000ms  (23.36%)\n"
          "  New Engine Total                      5ns  (0.00%)\n"
          "  More                               2.500s\n\n", "overview")


def test_figures_that_a_trace_does_not_have_are_not_invented(folder):
    figures = {"OVERALL": 5_000, "DMA total": 1_250}
    trace = named(folder, torq_trace([overview_process("x", figures)]))
    equal(opscope("overview", trace).out.splitlines()[3:],
          [f"  {'OVERALL':<26} {'5.000' + chr(0xb5) + 's':>14}",
           f"  {'Dma Total':<26} {'1.250' + chr(0xb5) + 's':>14}  (25.00%)", ""], "rows")


def test_several_traces(folder):
    first = named(folder, document_trace())
    second = named(folder, torq_trace([overview_process("x", {"OVERALL": 999})]), "second.pb")
    out = opscope("overview", first, second).out
    equal(out, WITHOUT_WALL_TIME + f"  Model: second\n  {chr(0x2500) * 56}\n"
          f"  {'OVERALL':<26} {'999ns':>14}\n\n", "overview")


def test_a_trace_of_several_profiles(folder):
    """Each overview under the name that its process has."""
    trace = torq_trace([engines("01 a.csv"), overview_process("01 a.csv", DOCUMENT),
                        overview_process("02 b.csv", {"OVERALL": 7})], "threads")
    out = opscope("overview", named(folder, trace, "both.pb")).out
    equal(re.findall(r"Model: (.*)", out), ["01 a.csv", "02 b.csv"], "models")
    equal(out.split("Model: 01 a.csv")[1].split("  Model: ")[0],
          WITHOUT_WALL_TIME.split(DOCUMENT_MODEL)[1], "first overview")


def test_json_and_csv_carry_the_same(folder):
    trace = named(folder, document_trace())
    [found] = opscope("overview", trace, "--wall-time", "0.207", "--json").json()
    equal((found["file"], found["model"], found["wall_time_ns"]),
          (str(trace), DOCUMENT_MODEL, 207_000_000), "head")
    rows = {metric["name"]: (metric["ns"], metric["percent"]) for metric in found["metrics"]}
    equal(list(rows)[:3] + list(rows)[-1:], ["OVERALL", "Dma", "Dma Only", "Host Copy"], "order")
    equal((rows["OVERALL"], rows["Idle"]), ((12_845_000, None), (6000, 0.05)), "figures")
    lines = opscope("overview", trace, "--wall-time", "0.207", "--csv").out.splitlines()
    equal(lines[:3], ["file,model,metric,ns,percent",
                      f"{trace},{DOCUMENT_MODEL},WALL_TIME,207000000,",
                      f"{trace},{DOCUMENT_MODEL},OVERALL,12845000,"], "first lines")
    equal(len(lines), 2 + len(rows), "lines")


main()
