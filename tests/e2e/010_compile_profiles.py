"""Every version of the compile profile becomes the trace that its spans describe."""
from support import *
from spans import *
from torq_compile import *

SPANS = random_spans(300, seed=1) + random_spans(60, seed=2, start=2**33)
PLAIN = Style()


def log(folder, form, spans=SPANS, style=PLAIN, name="profile.csv", *options):
    path = write(folder / name, compile_csv(form, spans, style))
    out = perfetto_logger("--compile_profile", path, "--pb", folder / "out.pb", *options)
    equal((out.out, out.err), ("", ""), "what it says")
    return folder / "out.pb"


def test_the_profiles_of_this_test_have_all_cases():
    units = {(span.unit, span.slice) for span in SPANS}
    true({("CDMA", 0), ("CSS", 0), ("SLICE", 4), ("DMA OUT", 0)} <= units, "units")
    true(any("," in span.location and '"' in span.location for span in SPANS), "fused locations")
    true(max(span.end for span in SPANS) > 2**32, "large times")


def test_c1(folder):
    equal_spans(log(folder, "c1"), compile_rows("c1", SPANS, "profile.csv"))


def test_c2(folder):
    equal_spans(log(folder, "c2"), compile_rows("c2", SPANS, "profile.csv"))


def test_c3(folder):
    equal_spans(log(folder, "c3"), compile_rows("c3", SPANS, "profile.csv"))


def test_c4(folder):
    equal_spans(log(folder, "c4"), compile_rows("c4", SPANS, "profile.csv"))


def log_many(folder, cases):
    """One trace of many profiles, (form, spans, style) each; requires that it is right."""
    want = []
    paths = []
    for number, (form, spans, style) in enumerate(cases, 1):
        paths.append(write(folder / f"{number}.csv", compile_csv(form, spans, style)))
        want += compile_rows(form, spans, f"{number:02} {number}.csv")
    perfetto_logger("--compile_profile", *paths, "--pb", folder / "many.pb")
    equal_spans(folder / "many.pb", want, str(cases[0][0]))


def test_header_or_none(folder):
    # A C3 without its header is a C4.
    log_many(folder, [(form, SPANS[:40], Style(header=header)) for form in FORMS
                      for header in (True, False) if (form, header) != ("c3", False)])


def test_the_header_of_the_other_document(folder):
    text = b"event_name, start_time, end_time, mlir_src_line, event_type\n"
    write(folder / "p.csv", text + compile_csv("c1", SPANS))
    perfetto_logger("--compile_profile", folder / "p.csv", "--pb", folder / "p.pb")
    equal_spans(folder / "p.pb", compile_rows("c1", SPANS, "p.csv"))


def test_styles(folder):
    styles = (Style(quoted=True), Style(newline="\r\n"), Style(mark=True), Style(blank=" "),
              Style(blank=" \t"), Style(last_newline=False), Style(empty_lines=True),
              Style(True, "\r\n", True, True, " ", True, True))
    for form in FORMS:
        log_many(folder, [(form, SPANS[:90], style) for style in styles])


def test_several_profiles_are_processes_in_the_order_given(folder):
    paths = [write(folder / f"{form}.csv", compile_csv(form, SPANS[:50])) for form in FORMS]
    paths.append(paths[0])
    perfetto_logger("--compile_profile", *paths, "--pb", folder / "all.pb")
    want = []
    for number, form in enumerate(FORMS + FORMS[:1], 1):
        want += compile_rows(form, SPANS[:50], f"{number:02} {form}.csv")
    equal_spans(folder / "all.pb", want)
    names = [row["name"] for row in trace_query(
        folder / "all.pb", "select name from process where name is not null order by pid")]
    equal(names, [name for number, form in enumerate(FORMS + FORMS[:1], 1)
                  for name in (f"{number:02} {form}.csv", f"{number:02} {form}.csv Overview")],
          "processes")


def test_locations_of_their_own(folder):
    # So many that most are not copied but lie in the files to the end; quoted, they are no such part.
    spans = random_spans(20_000, seed=8, locations=[f'loc("/net.mlir":{i}:7)' for i in range(500_000)])
    log_many(folder, [("c2", spans, PLAIN), ("c4", spans[:1000] + shifted(spans[-1000:], 2**33), PLAIN),
                      ("c1", spans[5000:6000], Style(quoted=True))])


def test_options_may_be_repeated_and_written_as_the_vendors_do(folder):
    path = write(folder / "p.csv", compile_csv("c2", SPANS[:20]))
    want = compile_rows("c2", SPANS[:20], "01 p.csv") + compile_rows("c2", SPANS[:20], "02 p.csv")
    for words in (["--compile_profile", path, "--compile_profile", path],
                  [f"--compile_profile={path}", f"--compile_profile={path}"],
                  ["-compile_profile", path, path]):
        perfetto_logger(*words, f"--pb={folder}/p.pb")
        equal_spans(folder / "p.pb", want, " ".join(map(str, words)))


def test_the_process_is_named_after_the_file_alone(folder):
    (folder / "deep, er").mkdir()
    path = write(folder / "deep, er/a [b] c.csv", compile_csv("c2", SPANS[:5]))
    perfetto_logger("--compile_profile", path, "--pb", folder / "p.pb")
    equal_spans(folder / "p.pb", compile_rows("c2", SPANS[:5], "a [b] c.csv"))


def test_num_slices(folder):
    for count in (1, 3, 64):
        trace = log(folder, "c1", SPANS, PLAIN, "n.csv", "--num_slices", count)
        equal_spans(trace, compile_rows("c1", SPANS, "n.csv", num_slices=count), f"{count} slices")
    trace = log(folder, "c2", SPANS, PLAIN, "n.csv", "--num_slices", 2)
    equal_spans(trace, compile_rows("c2", SPANS, "n.csv"), "slices that have numbers")


def test_clock_mhz(folder):
    for mhz, hz in (("100", 100_000_000), ("812.5", 812_500_000), ("933.333333", 933_333_333)):
        trace = log(folder, "c4", SPANS, PLAIN, "c.csv", "--clock_mhz", mhz)
        equal_spans(trace, compile_rows("c4", SPANS, "c.csv", hz=hz), f"{mhz} MHz")


def test_times_up_to_the_end_of_the_clock(folder):
    # Perfetto's clock ends at 2^63 ns: 2^62 cycles at 800 MHz are within it.
    spans = shifted(random_spans(30, seed=3), 2**62)
    equal_spans(log(folder, "c2", spans), compile_rows("c2", spans, "profile.csv"))


def test_no_args(folder):
    trace = log(folder, "c2", SPANS, PLAIN, "n.csv", "--no-args")
    equal_spans(trace, compile_rows("c2", SPANS, "n.csv", args=False))
    size = trace.stat().st_size
    true(size < log(folder, "c2", SPANS).stat().st_size, "without arguments it is smaller")


def test_the_same_input_gives_the_same_bytes(folder):
    first = log(folder, "c2").read_bytes()
    equal(log(folder, "c2").read_bytes() == first, True, "same bytes")


main()
