"""The overview and the picture of machines that nobody thought of: by role, against bitmaps."""
import csv
import io
import random
from support import *
from eyes import *
from made_profile import *

TICKS = 2000
TRANSFERS = {"transfer in", "transfer out", "transfer"}
MOVES = TRANSFERS | {"communication"}


def covered(spans, roles, outside=(), with_=None):
    """How many nanoseconds lie in a span of `roles`, in none of `outside`, and in one of `with_`."""
    maps = {}
    for role, _, _, start, end in spans:
        maps.setdefault(role, set()).update(range(start, end))

    def union(names):
        return set().union(*(maps.get(name, set()) for name in names))

    found = union(roles) - union(outside)
    return len(found if with_ is None else found & union(with_))


def make(seed):
    """A profile of a machine with random engines on three cores, and its spans."""
    rng = random.Random(seed)
    profile = ProfileFile()
    device = profile.process("gadget")
    spans = []
    for engine, role in (("matrix", "compute"), ("vector", "compute"), ("load", "transfer in"),
                         ("store", "transfer out"), ("shuffle", "transfer"), ("ring", "communication"),
                         ("boss", "control"), ("stall", "wait"), ("feeder", "host"), ("widget", "none")):
        for core in (0, 1, 2):
            if rng.random() < 0.3:
                continue
            lane = profile.track(f"{engine} of {core}", device, role=role, engine=engine, core=core)
            for _ in range(rng.randrange(1, 8)):
                start = rng.randrange(TICKS)
                end = start + rng.randrange(1, 200)
                profile.span(lane, "work", start, end)
                spans.append((role, engine, core, start, end))
    return profile.bytes(), spans


def expected(spans):
    roles = {span[0] for span in spans}
    rows = {"OVERALL": max(span[4] for span in spans) - min(span[3] for span in spans)}
    if "compute" in roles:
        rows["Compute"] = covered(spans, {"compute"})
        rows["Compute Only"] = covered(spans, {"compute"}, MOVES)
        rows["Overlap"] = covered(spans, {"compute"}, (), MOVES)
    if "communication" in roles:
        rows["Communication Only"] = covered(spans, {"communication"}, TRANSFERS | {"compute"})
        rows["Overlap Communication"] = covered(spans, {"compute"}, (), {"communication"})
    if roles & TRANSFERS:
        rows["Transfer"] = covered(spans, TRANSFERS)
    if roles & MOVES:
        rows["Transfer Only"] = covered(spans, MOVES, {"compute"})
    for role, row in (("transfer in", "Transfer In"), ("transfer out", "Transfer Out"),
                      ("transfer", "Transfer On Chip"), ("communication", "Communication"),
                      ("control", "Control"), ("wait", "Wait"), ("host", "Host"), ("none", "Unknown Role")):
        if role in roles:
            rows[row] = covered(spans, {role})
    rows["Idle"] = rows["OVERALL"] - covered(spans, roles - {"wait"})
    for engine, core in {(span[1], span[2]) for span in spans}:
        own = [("own", *span[1:]) for span in spans if span[1:3] == (engine, core)]
        rows[f"core {core} {engine}"] = covered(own, {"own"})
    return rows


def test_rows_agree_with_bitmaps(folder):
    for seed in range(20):
        content, spans = make(seed)
        path = write(folder / "gadget.prof", content)
        [found] = opscope("overview", "--json", path).json()
        equal({row["name"]: row["ns"] for row in found["metrics"]}, expected(spans), f"rows of seed {seed}")


def test_csv_and_text_say_the_same(folder):
    content, spans = make(3)
    path = write(folder / "gadget.prof", content)
    rows = list(csv.DictReader(io.StringIO(opscope("overview", "--csv", path).out)))
    equal({row["metric"]: int(row["ns"]) for row in rows}, expected(spans), "CSV")
    text = opscope("overview", path).out
    for name in expected(spans):
        matches(text, rf"(?m)^  {name} ", "text")
    true("Dma" not in text and "Slice" not in text, "rows of another machine")


def test_all_says_what_is_absent(folder):
    profile = ProfileFile()
    profile.span(profile.track("m", role="compute", engine="matrix"), "work", 0, 10)
    path = write(folder / "one.prof", profile.bytes())
    text = opscope("overview", "--all", path).out
    matches(text, r"(?m)^  Transfer In +absent$", "text")
    equal([row["ns"] for row in opscope("overview", "--json", "--all", path).json()[0]["metrics"]
           if row["name"] == "Host"], [None], "host")


def test_a_role_that_nobody_said_is_not_the_host(folder):
    profile = ProfileFile()
    profile.span(profile.track("w", engine="widget"), "work", 0, 10)
    profile.span(profile.track("plain thread"), "work", 5, 20)
    path = write(folder / "unknown.prof", profile.bytes())
    [found] = opscope("overview", "--json", path).json()
    equal({row["name"]: row["ns"] for row in found["metrics"]},
          {"OVERALL": 20, "Unknown Role": 20, "Idle": 0, "widget": 10}, "rows")


def test_a_machine_that_has_its_own_table_keeps_it(folder):
    """Beside another machine, process by process."""
    profile = ProfileFile()
    torq, gadget = profile.process("torq"), profile.process("gadget")
    profile.span(profile.track("SLICE 0", torq, role="compute", engine="slice"), "work", 0, 10)
    profile.span(profile.track("plain thread", torq), "work", 0, 400)
    profile.span(profile.track("m", gadget, role="compute", engine="matrix"), "work", 5, 20)
    path = write(folder / "both.prof", profile.bytes())
    first, second = opscope("overview", "--json", path).json()
    names = [row["name"] for row in first["metrics"]]
    true("Slice 0" in names and "Cdma" in names, f"rows of a Torq NPU: {names}")
    equal([row["ns"] for row in first["metrics"] if row["name"] == "OVERALL"], [10], "its time")
    equal([row["name"] for row in second["metrics"]], ["OVERALL", "Compute", "Compute Only", "Overlap", "Idle",
                                                         "matrix"], "the other's")


def test_only_lanes_say_whose_table_it_is(folder):
    """A host alone is no NPU, whatever the format; lanes that say nothing are summed up as such."""
    profile = ProfileFile()
    profile.span(profile.track("main thread", role="host", engine="host"), "work", 0, 10)
    profile.span(profile.track("marks"), "window", 0, 400)
    names = [row["name"] for row in opscope("overview", "--json", write(folder / "h.prof", profile.bytes())).json()[0]["metrics"]]
    equal(names, ["OVERALL", "Host", "Idle"], "a host")
    events = [{"ph": "X", "pid": 1, "tid": 2, "ts": 10, "dur": 5, "name": "a"}]
    [found] = opscope("overview", "--json", write(folder / "plain.json", json.dumps(events))).json()
    equal({row["name"]: row["ns"] for row in found["metrics"]}, {"OVERALL": 5000, "Unknown Role": 5000, "Idle": 0}, "any trace")


def test_info_says_role_and_place(folder):
    profile = ProfileFile()
    lane = profile.track("m", role="compute", engine="matrix", device=1, core=7, queue="stream 3")
    profile.span(lane, "work", 0, 10)
    path = write(folder / "one.prof", profile.bytes())
    [track] = opscope("info", "--json", path).json()[0]["tracks"]
    equal({key: track[key] for key in ("engine", "role", "device", "core", "queue")},
          {"engine": "matrix", "role": "compute", "device": 1, "core": 7, "queue": "stream 3"}, "track")
    opscope("convert", path, "-o", folder / "again.prof")
    equal(opscope("info", "--json", folder / "again.prof").json()[0]["tracks"], [track], "saved and read")


def test_picture_has_a_colour_for_each_engine_that_computes(folder):
    content, _ = make(1)
    path = write(folder / "gadget.prof", content)
    report = opscope("timeline", "--json", path).json()
    kinds = {lane["name"].split()[0]: lane["kind"] for lane in report["lanes"] if lane["name"] and lane["spans"]}
    equal(kinds, {name: {"stall": "wait", "feeder": "host", "widget": "other"}.get(name, name) for name in kinds},
          "kinds")
    opscope("timeline", path, "-o", folder / "gadget.svg")
    svg = (folder / "gadget.svg").read_text()
    fills = re.findall(r'fill="(#\w{6})"|>([a-z ]+)</text>', svg[:svg.index(">gadget<")])
    colour, legend = None, {}
    for fill, name in fills:
        legend.update({name: colour} if name in kinds.values() else {})
        colour = fill if fill and fill != "#1f2933" else colour
    equal(sorted(legend), sorted(set(kinds.values())), "legend")
    equal(len(set(legend.values())), len(legend), f"colours of {legend}")


def test_long_names_are_cut_between_characters(folder):
    profile = ProfileFile()
    for engine in ("\u00e4" * 50, "x" + "\u00e4" * 50):
        profile.span(profile.track("m", role="transfer in" if engine[0] == "x" else "control", engine=engine), "w", 0, 9)
    path = write(folder / "long.prof", profile.bytes())
    names = [row["name"] for row in opscope("overview", "--json", path).json()[0]["metrics"]][-2:]
    equal(names, ["\u00e4" * 31, "x" + "\u00e4" * 31], "rows")
    equal({kind["kind"] for kind in opscope("timeline", "--json", path).json()["kinds"]},
          {"\u00e4" * 15, "x" + "\u00e4" * 15}, "kinds")


def test_all_kinds_stay_apart_for_all_eyes(folder):
    profile = ProfileFile()
    device = profile.process("gadget")
    for name, role in [(f"unit {i}", "compute") for i in range(4)] + [(role, role) for role in ROLES]:
        profile.span(profile.track(name, device, role=role, engine=name), "work", 0, 100)
    path = write(folder / "all.prof", profile.bytes())
    opscope("timeline", path, "-o", folder / "all.svg")
    squares = re.findall(r'width="11.00" height="11.00" fill="#(\w+)"', (folder / "all.svg").read_text())
    equal((len(squares), len(set(squares))), (13, 13), "colours of the legend")
    stay_apart(squares)


main()
