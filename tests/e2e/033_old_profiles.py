"""Profiles of version 1, which numbered the engines of one machine: read as they were meant."""
from support import *
from made_profile import *

OLD = ROOT / "tests/testdata/profile"
ROLE_OF = {"dma in": "transfer in", "dma out": "transfer out", "cdma": "transfer", "slice": "compute",
           "css": "control", "npu": "device", "hal": "host call", "host": "host", "host copy": "host copy"}


def tracks(path):
    return opscope("info", "--json", path).json()[0]["tracks"]


def version(path):
    return path.read_bytes()[8]


def test_files_of_the_old_writer(folder):
    """Written by the last program that wrote version 1: a compile profile, and a recording."""
    for name, want in (
            ("compiled-1.prof", {"DMA IN": "dma in", "CDMA": "cdma", "SLICE 0": "slice", "SLICE 1": "slice",
                                 "CSS": "css", "DMA OUT": "dma out"}),
            ("recorded-1.prof", {"SLICE 1": "slice", "DMA IN": "dma in", "NDMA Out": "dma out", "CDMA": "cdma",
                                 "CSS": "css", "NSS": "npu", "HAL_CALL": "hal", "HOST": "host",
                                 "HOST_COPY": "host copy", "thread of its own": "none"})):
        equal(version(OLD / name), 1, "version")
        found = {track["name"]: track["engine"] for track in tracks(OLD / name) if track["spans"]}
        equal(found, want, name)
        again = folder / name
        opscope("convert", OLD / name, "-o", again)
        equal(version(again), 2, "version that is written")
        equal(tracks(again), tracks(OLD / name), "tracks")
        equal([row["metrics"] for row in opscope("overview", "--json", again).json()],
              [row["metrics"] for row in opscope("overview", "--json", OLD / name).json()], "overview")


def test_each_number_is_the_engine_that_it_was(folder):
    old, new = ProfileFile(version=1), ProfileFile()
    for number, engine in enumerate(ENGINES_1):
        for profile in (old, new):
            known = engine if profile is old or number else ""
            lane = profile.track(f"lane {number}", engine=known, role=ROLE_OF.get(engine, "none"), index=number)
            profile.span(lane, "work", 10 * number, 10 * number + 15)
    paths = write(folder / "old.prof", old.bytes()), write(folder / "new.prof", new.bytes())
    equal(tracks(paths[0]), tracks(paths[1]), "tracks")
    for command in (("overview", "--all"), ("timeline",), ("operators",)):
        outs = [opscope(*command, path).out.replace(str(path), "").replace(path.name, "") for path in paths]
        equal(outs[0], outs[1], " ".join(command))


def test_a_number_that_there_was_not_is_damage(folder):
    profile = ProfileFile(version=1)
    profile.tracks[0][0][4] = len(ENGINES_1)
    path = write(folder / "bad.prof", profile.bytes())
    contains(opscope("info", path, code=1).err, "damaged")


main()
