"""What `opscope info` says of a file, as text and as JSON."""
from support import *
from torq_compile import *
from torq_runtime import *

SPANS = [
    Span("DMA IN", 0, 800, bytes=512), Span("DMA IN", 800, 1600), Span("DMA OUT", 4000, 8_000_000),
    Span("SLICE", 800, 2400, slice=0), Span("SLICE", 1600, 2400, slice=3), Span("CSS", 2400, 3200),
]
BAD = b"DI9,5,oops,loc(unknown),DMA_IN,4\n"
TRACKS = {"DMA IN": 2, "DMA OUT": 1, "SLICE 0": 1, "SLICE 3": 1, "CSS": 1}


def write_profile(folder, form="c2"):
    return write(folder / "profile.csv", compile_csv(form, SPANS))


def info_json(*paths, code=0):
    return opscope("info", "--json", *paths, code=code).json()


def test_text(folder):
    path = write_profile(folder)
    lines = opscope("info", path).out.splitlines()
    equal(lines[0], f"{path}: torq-c2", "first line")
    equal(lines[1], "6 spans on 5 tracks, 10.000ms long, from 0 to 10000000 ns", "second line")
    equal(lines[2].strip(), "profile.csv", "process")
    rows = [re.fullmatch(r"    (\S.*?) +(\d+)  (\w+)", line).groups() for line in lines[3:-1]]
    equal({name: (int(count), source) for name, count, source in rows},
          {name: (count, "modelled") for name, count in TRACKS.items()}, "tracks")
    equal(lines[-1], "ledger: 6 events expected, 6 recorded, 0 lost, 0 impossible", "ledger")


def test_json(folder):
    path = write_profile(folder)
    [found] = info_json(path)
    equal((found["file"], found["format"]), (str(path), "torq-c2"), "file")
    equal((found["spans"], found["instants"], found["samples"]), (6, 0, 0), "events")
    equal((found["first_ns"], found["last_ns"]), (0, 10_000_000), "range")
    lanes = {track["name"]: track["spans"] for track in found["tracks"] if track["spans"]}
    equal(lanes, TRACKS, "tracks")
    for track in found["tracks"]:
        equal((track["expected"], track["lost"], track["impossible"]), (track["spans"], 0, 0),
              f"account of {track['name']}")
    equal(found["ledger"], {"expected": 6, "recorded": 6, "lost": 0, "impossible": 0,
                            "not_carried": 0, "notes": []}, "ledger")


def test_the_tree_of_tracks(folder):
    [found] = info_json(write_profile(folder))
    by_id = {track["id"]: track for track in found["tracks"]}
    for track in found["tracks"]:
        parent = by_id.get(track["parent"])
        equal(parent["name"] if parent else None,
              None if track["name"] == "profile.csv" else "profile.csv",
              f"parent of {track['name']}")
    equal({track["name"]: track["engine"] for track in found["tracks"] if track["spans"]},
          {"DMA IN": "dma in", "DMA OUT": "dma out", "SLICE 0": "slice", "SLICE 3": "slice",
           "CSS": "css"}, "engines")


def test_every_form_is_recognised(folder):
    contents = {"torq-" + form: compile_csv(form, SPANS, Style(header=header))
                for form in ("c1", "c2", "c3", "c4") for header in [form in ("c3", "c4")]}
    contents.update({"torq-" + form: runtime_csv(form, random_events(form, 20, seed=1))
                     for form in ("r2", "r3", "r4")})
    contents["torq-r1"] = job_csv(random_jobs(20, seed=2))
    paths = [write(folder / f"{form}.csv", content) for form, content in contents.items()]
    equal([found["format"] for found in info_json(*paths)], list(contents), "formats")


def test_traces_and_profiles_are_recognised(folder):
    path = write_profile(folder)
    for name, want in (("a.pb", "perfetto"), ("a.pb.gz", "perfetto"), ("a.pb.zst", "perfetto"),
                       ("a.prof", "opscope profile of profile.csv (torq-c2)"),
                       ("a.prof.zst", "opscope profile of profile.csv (torq-c2)")):
        opscope("convert", path, "-o", folder / name)
        [found] = info_json(folder / name)
        equal(found["format"], want, name)
        equal((found["spans"], found["first_ns"], found["last_ns"]), (6, 0, 10_000_000), name)
        equal({track["name"]: track["spans"] for track in found["tracks"] if track["spans"]},
              TRACKS, name)
        matches(opscope("info", folder / name).out, rf"^{folder / name}: {re.escape(want)}$")


def test_the_name_of_a_file_does_not_matter(folder):
    path = write_profile(folder)
    opscope("convert", path, "-o", folder / "a.pb")
    (folder / "a.pb").rename(folder / "trace.csv")
    [found] = info_json(folder / "trace.csv")
    equal((found["format"], found["spans"]), ("perfetto", 6), "a trace called .csv")


def test_standard_input(folder):
    [found] = opscope("info", "--json", "-", stdin=compile_csv("c4", SPANS)).json()
    equal((found["format"], found["spans"]), ("torq-c4", 6), "standard input")


def test_several_files(folder):
    first = write_profile(folder)
    second = write(folder / "r.csv", runtime_csv("r4", random_events("r4", 30, seed=3)))
    equal([found["file"] for found in info_json(first, second, first)],
          [str(first), str(second), str(first)], "files")
    text = opscope("info", first, second).out
    contains(text, f"{first}: torq-c2\n")
    contains(text, f"{second}: torq-r4\n")


def test_provenance(folder):
    """Runtime rows are measured; what ran on the NPU meanwhile is derived from them."""
    events = [Event("NSS_START", 10, 12, 0, dispatch="d"),
              Event("NSS_WAIT", 12, 90, 1, dispatch="d")]
    path = write(folder / "r.csv", runtime_csv("r4", events))
    contains(opscope("info", path).out, "\n3 spans (1 of them derived) on ", "the ledger has two")
    [found] = info_json(path)
    equal({track["name"]: track["provenance"] for track in found["tracks"] if track["spans"]},
          {"NSS_START": "measured", "NSS_WAIT": "measured", "NSS PROGRAM": "derived"}, "provenance")
    equal((found["ledger"]["expected"], found["ledger"]["recorded"]), (2, 2),
          "what is derived is not in the ledger")


def test_tracks_without_events_are_counted(folder):
    """A trace names a process for each GPU that there might be; one has work, and one no name."""
    events = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": "python3"}} for pid in range(9)]
    events += [{"ph": "X", "name": "a", "pid": pid, "tid": pid, "ts": 0, "dur": 1} for pid in (3, "")]
    path = write(folder / "t.json", json.dumps({"traceEvents": events}))
    text = opscope("info", path).out
    equal(text.count("python3"), 1, "processes with work")
    contains(text, "(no name)")
    contains(text, "  8 more without events: --all\n")
    [found] = info_json(path)
    equal(sum(track["name"] == "python3" for track in found["tracks"]), 9, "all of them")


def test_loss_is_shown(folder):
    path = write(folder / "bad.csv", compile_csv("c2", SPANS) + BAD +
                 b"DI10,9,5,loc(unknown),DMA_IN,4\n")
    text = opscope("info", path, code=3).out
    contains(text, "ledger: 8 events expected, 6 recorded, 1 lost, 1 impossible\n")
    contains(text, f"  lost: {path}:7: column 'End': 'oops' is not a number\n")
    matches(text, rf"  impossible: {path}:8: .*5.*9")
    [found] = info_json(path, code=3)
    ledger = found["ledger"]
    equal([(note["kind"], note["count"]) for note in ledger["notes"]],
          [("lost", 1), ("impossible", 1)], "notes")
    equal(ledger["expected"], ledger["recorded"] + ledger["lost"] + ledger["impossible"], "account")


def test_loss_stays_in_a_profile(folder):
    path = write(folder / "bad.csv", compile_csv("c2", SPANS) + BAD)
    opscope("convert", path, "-o", folder / "bad.prof", code=3)
    [found] = info_json(folder / "bad.prof", code=3)
    equal(found["ledger"]["lost"], 1, "lost")
    contains(str(found["ledger"]["notes"]), "bad.csv:7: column 'End'")


main()
