"""opscope timeline: pictures show every span where it is, or count it."""

import random
import xml.etree.ElementTree

from support import *
from perfetto_cases import COUNTER, INSTANT, counter, event, plain, process, span, thread, trace
from eyes import stay_apart
from png import png_colours

SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
TRACES = ROOT / "tests/testdata/pytorch"
ENGINES = ["DMA IN", "DMA OUT", "CDMA", "SLICE 0", "CSS", "HOST", "HOST COPY", "something else"]


def profile(folder, packets, name="t.pb"):
    return write(folder / name, trace(packets))


def engines(folder, count=1, length=1000):
    """A lane for every engine, with spans that do not overlap, and one that waits."""
    packets = [process(1, 10, "device")]
    for index, engine in enumerate(ENGINES):
        packets.append(plain(2 + index, engine, 1))
        for number in range(count):
            start = (number * 2 + index % 2) * length
            packets += span(start, start + length, 2 + index, f"{engine.lower()} work {number}")
    packets += [plain(50, "waiting", 1), *span(0, length, 50, "wait for it")]
    return profile(folder, packets)


def svg(path):
    """(titled rectangles, texts): {x, y, width, height, fill, title} each, and lists of text."""
    root = xml.etree.ElementTree.parse(path).getroot()
    rectangles = [{**{key: float(item.get(key)) for key in ("x", "y", "width", "height")},
                   "fill": item.get("fill")[1:], "title": title.text}
                  for item in root.iter(f"{SVG}rect") for title in item.findall(f"{SVG}title")]
    return rectangles, [item.text for item in root.iter(f"{SVG}text")]


def report(path, *options, code=0):
    return opscope("timeline", path, "--json", *options, code=code).json()


def check_account(path, *options, code=0):
    """Every span of every lane was drawn, merged, folded or is outside."""
    made = report(path, *options, code=code)
    for lane in made["lanes"]:
        became = sum(lane[key] for key in ("drawn", "merged", "folded", "outside"))
        equal(lane["spans"], became, f"account of {lane['name']}")
    return made


def test_spans_lie_where_they_are(folder):
    path = engines(folder, count=5)
    opscope("timeline", path, "-o", folder / "t.svg")
    rectangles, texts = svg(folder / "t.svg")
    spans = [item for item in rectangles if "work" in item["title"]]
    equal(len(spans), 5 * len(ENGINES), "spans")
    first = min(item["x"] for item in spans)
    scale = 1 / (min(item["x"] for item in spans if " work 1" in item["title"]) - first) * 2000
    for item in spans:
        name, start = matches(item["title"], r"(.*): 1.000 us, at (.*)").groups()
        number, unit = start.split()
        engine = [engine.lower() for engine in ENGINES].index(name.rpartition(" work ")[0])
        want = (int(name.split()[-1]) * 2 + engine % 2) * 1000
        close_to(float(number) * UNITS[unit], want, 1, f"start of {name}")
        close_to((item["x"] - first) * scale, want, 20, f"place of {name}")
        close_to(item["width"] * scale, 1000, 20, f"width of {name}")
    by_line = {}
    for item in spans:
        by_line.setdefault(item["y"], []).append((item["x"], item["x"] + item["width"]))
    equal(len(by_line), len(ENGINES), "a line for each lane")
    for line in by_line.values():
        true(all(a[1] <= b[0] for a, b in zip(sorted(line), sorted(line)[1:])), "nothing overlaps")
    for word in ("device", *ENGINES, "dma in", "compute", "host copy", "wait", "t.pb"):
        contains("\n".join(texts), word, "texts")


def test_the_png_is_the_same_picture(folder):
    path = engines(folder, count=3)
    opscope("timeline", path, "-o", folder / "t.svg")
    opscope("timeline", path, "-o", folder / "t.png")
    width, height, colour = png_colours(folder / "t.png")
    rectangles, _ = svg(folder / "t.svg")
    root = xml.etree.ElementTree.parse(folder / "t.svg").getroot()
    equal((width, height), (2 * int(root.get("width")), 2 * int(root.get("height"))), "size")
    for item in rectangles:
        x = round(2 * (item["x"] + item["width"] - 2))  # right of the name
        y = round(2 * (item["y"] + item["height"] / 2))
        equal(colour(x, y), item["fill"], f"colour of {item['title']}")


def test_names_that_mean_harm_are_only_names(folder):
    names = ["<script>alert(1)</script>", "a & b \"quoted\" 'too'", "\x1b[31mred\x07", "long " * 3000,
             "\u202eright to left", "\U0001f600 \xe9", b"\xff\xfe no text"]
    packets = []
    for index, name in enumerate(names):
        packets += [plain(1 + index, name), *span(index * 100, index * 100 + 100, 1 + index, name)]
    path = profile(folder, packets)
    for width in (320, 1200, 4000):
        opscope("timeline", path, "-o", folder / "t.svg", "--width", width)
        rectangles, texts = svg(folder / "t.svg")
        equal(len(rectangles), len(names), "spans")
        for text in texts:
            true(len(text) * 6 < width, f"too long for a picture {width} wide: {text[:100]}")
            true(not re.search(r"[\x00-\x1f\x7f-\x9f]", text), f"control character in {text!r}")
        opscope("timeline", path, "-o", folder / "t.png", "--width", width)
        png_colours(folder / "t.png")
    text = opscope("timeline", path).out
    true(not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), "no control characters for the terminal")
    true(max(map(len, text.splitlines())) <= 110, "lines of about 100 letters")


def test_many_spans_are_merged_and_counted(folder):
    made = random.Random(1)
    count = 2000 if SANITIZED else 20000
    packets, busy = [], {}
    for lane, engine in enumerate(("DMA IN", "SLICE 0")):
        packets.append(plain(1 + lane, engine))
        at = busy[engine] = 0
        for _ in range(count):
            at += made.randrange(50)
            length = made.randrange(200)
            packets += span(at, at + length, 1 + lane, "work")
            at += length
            busy[engine] += length
    path = profile(folder, packets)
    for form in ("t.svg", "t.png", "t.txt"):
        lanes = {lane["name"]: lane for lane in check_account(path, "-o", folder / form)["lanes"]}
        for engine, time in busy.items():
            lane = lanes[engine]
            equal((lane["spans"], lane["busy_ns"]), (count, time), f"{engine} in {form}")
            true(lane["merged"] > count * 0.9, f"{lane['merged']} merged in {form}")
    true((folder / "t.svg").stat().st_size < 600000, "a picture of bounded size")
    counts = [int(found[1]) for item in svg(folder / "t.svg")[0]
              if (found := re.search(r": (\d+) spans?, \d+ %", item["title"]))]
    equal(sum(counts), 2 * count - sum(lane["drawn"] for lane in
                                       check_account(path, "-o", folder / "t.svg")["lanes"]),
          "every merged span is in the title of what it was merged into")
    contains(opscope("timeline", path).out, "too narrow to be drawn alone", "the note")


def test_instants_outside_are_counted(folder):
    events = [{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": time} for time in (0, 1, 5, 9, 10)]
    events.append({"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 0, "dur": 2})
    path = write(folder / "marks.json", json.dumps(events))
    [lane] = check_account(path, "--from", "4us", "--to", "9us")["lanes"]
    equal((lane["instants"], lane["instants_outside"]), (5, 3), "instants")
    contains(opscope("timeline", path, "--from", "4us", "--to", "9us").out,
             "1 span and 3 instants lie outside the time shown", "note")
    [lane] = check_account(path)["lanes"]
    equal((lane["instants"], lane["instants_outside"]), (5, 0), "all of them")


def test_a_time_is_chosen(folder):
    path = engines(folder, count=10)
    made = check_account(path, "--from", "2us", "--to", "0.000006", "-o", folder / "t.svg")
    equal((made["from_ns"], made["to_ns"]), (2000, 6000), "range")
    lanes = {lane["name"]: lane for lane in made["lanes"]}
    equal((lanes["DMA IN"]["drawn"], lanes["DMA IN"]["outside"]), (2, 8), "of the lane")
    equal(lanes["DMA IN"]["busy_ns"], 2000, "half of the time")
    equal(lanes["waiting"]["outside"], 1, "before")
    contains("\n".join(svg(folder / "t.svg")[1]), "lie outside the time shown", "note")
    names = [item["title"] for item in svg(folder / "t.svg")[0]]
    true(any(name.startswith("dma in work 1:") for name in names), f"inside: {names}")
    true(not any(name.startswith("dma in work 0:") for name in names), f"outside: {names}")


def test_tracks_are_chosen_by_name(folder):
    path = engines(folder)
    made = check_account(path, "--tracks", "dma", "--tracks", "slice")
    equal([lane["name"] for lane in made["lanes"]], ["DMA IN", "DMA OUT", "CDMA", "SLICE 0"], "lanes")
    equal(made["tracks_not_chosen"], 5, "others")
    equal(len(check_account(path, "--tracks", "DEVICE")["lanes"]), 9, "all under a process")
    contains(opscope("timeline", path, "--tracks", "nothing", code=2).err, "opscope info", "none")


def test_depth_has_a_limit_and_is_counted(folder):
    deep = 20
    packets = [plain(1, "lane")]
    for level in range(deep):
        packets += span(level * 10, 2000 - level * 10, 1, f"level {level}")
    path = profile(folder, packets)
    made = check_account(path)
    [lane] = made["lanes"]
    equal((lane["spans"], lane["rows"], lane["merged"]), (deep, 8, deep - 8), "rows")
    equal(lane["busy_ns"], 2000, "busy is what the outermost covers")
    contains(opscope("timeline", path).out, "12 spans lie deeper", "note")


def test_lanes_have_a_limit_and_are_counted(folder):
    packets = [process(1, 10, "cores")]
    for index in range(250):
        packets += [thread(2 + index, 10, 100 + index, f"core {index}"), *span(0, 100, 2 + index, "x")]
    path = profile(folder, packets)
    made = check_account(path, "-o", folder / "t.png")
    equal(sum(lane["lanes"] for lane in made["lanes"]), 250, "lanes")
    equal(sum(lane["spans"] for lane in made["lanes"]), 250, "spans")
    equal((len(made["lanes"]), made["lanes"][-1]["lanes"]), (101, 150), "the last one stands for many")
    equal(made["kinds"], [{"kind": "other", "lanes": 250, "spans": 250, "busy_ns": 25000}], "totals")
    png_colours(folder / "t.png")
    contains(opscope("timeline", path).out, "150 more lanes", "text")


def test_counters_and_instants_are_shown(folder):
    packets = [plain(1, "lane"), event(500, INSTANT, 1, "now"), *span(0, 1000, 1, "all"),
               counter(2, "memory", None, [(6, "bytes")])]
    packets += [event(time, COUNTER, 2, None, (30, value)) for time, value in
                ((0, 10), (250, 4000), (750, -2000))]
    path = profile(folder, packets)
    opscope("timeline", path, "-o", folder / "t.svg")
    rectangles, texts = svg(folder / "t.svg")
    levels = {item["title"]: item for item in rectangles if item["title"] in ("10", "4 000", "-2 000")}
    equal(len(levels), 3, "levels")
    close_to(levels["4 000"]["width"] / levels["10"]["width"], 2, 0.05, "half of the time")
    close_to(levels["4 000"]["height"] / levels["-2 000"]["height"], 2, 0.01, "height")
    true(levels["-2 000"]["y"] > levels["4 000"]["y"], "below zero")
    contains("\n".join(texts), "most 4 000 bytes", "the peak")
    true(any(item["title"] == "1 instant" for item in rectangles), "the instant")
    text = opscope("timeline", path).out
    contains(text, "♦", "the instant")
    contains(text, "most 4 000", "the peak")
    packets = [plain(1, "lane"), *span(0, 1000, 1, "all"), counter(2, "bandwidth", None, [(6, "bytes/s")])]
    packets += [event(time, COUNTER, 2, None, (30, value)) for time, value in ((0, 10), (250, 117_000_000_000))]
    contains(opscope("timeline", profile(folder, packets)).out, "most 117 GB/s", "a rate")


def test_provenance_and_losses_are_said(folder):
    program_file = folder / "fc.opx"
    opscope("compile", ROOT / "samples/tosa/fc.mlir", "--target", "torq-sl2610", "-o", program_file)
    for device, words in (("sim", ["fc.mlir on torq-sl2610", "modelled", "times are modelled"]),
                          ("host", ["measured", "times are this machine's"])):
        opscope("run", program_file, "--device", device, "--profile", folder / "run.prof")
        opscope("timeline", folder / "run.prof", "-o", folder / "t.svg")
        texts = "\n".join(svg(folder / "t.svg")[1])
        for word in words:
            contains(texts, word, device)
    whole = (folder / "run.prof").read_bytes()
    cut = write(folder / "cut.prof", whole[:len(whole) * 3 // 4])
    opscope("timeline", cut, "-o", folder / "t.svg", code=3)
    contains("\n".join(svg(folder / "t.svg")[1]), "ledger: ", "what is lost is in the picture")


def test_the_same_input_gives_the_same_bytes(folder):
    path = engines(folder, count=50)
    for form in ("svg", "png", "txt"):
        made = []
        for round_ in range(2):
            opscope("timeline", path, "-o", folder / f"{round_}.{form}")
            made.append((folder / f"{round_}.{form}").read_bytes())
        true(made[0] == made[1], f"{form} differs")


def test_kinds_stay_apart_for_all_eyes(folder):
    opscope("timeline", engines(folder), "-o", folder / "t.svg")
    root = xml.etree.ElementTree.parse(folder / "t.svg").getroot()
    colours = {item.get("fill")[1:] for item in root.iter(f"{SVG}rect")
               if item.get("width") == item.get("height") == "11.00"}
    equal(len(colours), 9, "colours of the legend")
    stay_apart(colours)


def asked(path, query):
    return opscope("sql", path, query, "--json").json()["results"][0]["rows"]


def test_the_legend_keeps_its_numbers(folder):
    """However narrow the picture is, and however large the numbers are."""
    packets = [process(1, 10, "device")]
    for index in range(120):
        packets.append(plain(2 + index, f"a lane of an engine with a long name {index}", 1))
        packets += span(0, 1000, 2 + index, "work")
    for path in (profile(folder, packets), TRACES / "training.json.gz"):
        for width in (320, 500, 1200, 3000):
            made = report(path, "-o", folder / "t.svg", "--width", width)
            texts = svg(folder / "t.svg")[1]
            for kind in made["kinds"]:
                lanes = f"{kind['lanes']} lane" + ("s" if kind["lanes"] > 1 else "")
                spans = f"{kind['spans']:,} span".replace(",", " ") + ("s" if kind["spans"] > 1 else "")
                true(any(re.fullmatch(rf" *<?[\d.]+ % of {lanes}, {spans}", text) for text in texts),
                     f"{lanes} and {spans} are whole in a picture {width} wide: {texts[:12]}")


def stack(folder, depth):
    """A stack of `depth` frames of the host, and operators in it: one that is drawn, and what launches."""
    events = [{"ph": "X", "cat": "python_function", "name": f"file.py({level}): frame_{level}", "pid": 1, "tid": 1,
               "ts": level / 100, "dur": 1000 - level / 50} for level in range(depth)]
    events += [{"ph": "X", "cat": "cpu_op", "name": f"aten::{name}", "pid": 1, "tid": 1, "ts": 400 + 100 * index,
                "dur": 80, "args": {"External id": index + 1}} for index, name in enumerate(("add", "mul", "sum"))]
    return write(folder / "stack.json", json.dumps({"traceEvents": events}))


def test_frames_around_what_is_shown_take_one_row(folder):
    path = stack(folder, 40)
    for options, deepest in (((), "aten::sum"), (("--from", "390us", "--to", "690us"), "aten::sum"),
                             (("--from", "390us", "--to", "490us"), "aten::add")):
        [lane] = check_account(path, "-o", folder / "t.svg", *options)["lanes"]
        true(lane["rows"] <= 3, f"{lane['rows']} rows")
        true(lane["folded"] >= 37, f"{lane['folded']} folded")
        rectangles, texts = svg(folder / "t.svg")
        contains("\n".join(texts), deepest, "what lies inside")
        contains("\n".join(texts), "spans look like those around them", "the note")
        [outer] = [item["title"] for item in rectangles if item["title"].startswith("file.py(0)")]
        contains(outer, " more > file.py(", "the innermost frame that was folded")
    contains(opscope("timeline", path, "--from", "390us", "--to", "490us").out, "aten::add", "as text")


def test_work_side_by_side_is_not_folded(folder):
    """Two spans of a device that take the same time are two."""
    path = profile(folder, [plain(1, "SLICE 0"), *span(0, 1000, 1, "one"), *span(0, 1000, 1, "other")])
    [lane] = check_account(path, "-o", folder / "t.svg")["lanes"]
    equal((lane["drawn"], lane["folded"]), (2, 0), "spans")


def test_depth_is_chosen(folder):
    packets = [plain(1, "lane")]
    for level in range(20):
        packets += span(level * 40, 2000 - level * 40, 1, f"level {level}")
    path = profile(folder, packets)
    for depth in (1, 3, 20, 64):
        [lane] = check_account(path, "-o", folder / "t.svg", "--depth", depth)["lanes"]
        equal(lane["rows"], min(depth, 20), f"rows of --depth {depth}")
        equal(lane["drawn"], min(depth, 20), f"drawn with --depth {depth}")
    for wrong in ("0", "65", "deep"):
        opscope("timeline", path, "--depth", wrong, code=2)


def test_spans_have_the_colour_of_what_they_do(folder):
    """A stream copies, computes and talks to others: each in its own colour, by what the span says."""
    path = TRACES / "streams.json.gz"
    want = dict(asked(path, "SELECT role, COUNT(*) FROM span WHERE role IN ('compute', 'transfer out') GROUP BY role"))
    kinds = {kind["kind"]: kind["spans"] for kind in report(path)["kinds"]}
    equal({kind: kinds[kind] for kind in want}, want, "spans of each kind")
    name, start, length = asked(path, "SELECT name, ts - (SELECT MIN(ts) FROM span), dur FROM slice WHERE name LIKE "
                                      "'Memcpy DtoH%' LIMIT 1")[0]
    opscope("timeline", path, "-o", folder / "t.svg", "--from", f"{start - length}ns",
            "--to", f"{start + 2 * length}ns")
    root = xml.etree.ElementTree.parse(folder / "t.svg").getroot()
    legend = [item.get("fill")[1:] for item in root.iter(f"{SVG}rect") if item.get("width") == item.get("height")]
    [copy] = {item["fill"] for item in svg(folder / "t.svg")[0] if item["title"].startswith(name)}
    parts = [[int(colour[i:i + 2], 16) for i in (0, 2, 4)] for colour in (copy, legend[0])]
    true(all(abs(a - b) <= 55 for a, b in zip(*parts)), f"{copy} is a shade of {legend[0]}, the first of the legend")


def test_memory_is_a_curve(folder):
    """As high as what all lifetimes of buffers add up to."""
    path = TRACES / "memory.json.gz"
    changes = {}
    for memory, size, start, end in asked(path, 'SELECT memory, size, start, "end" FROM buffer'):
        changes.setdefault(memory, []).extend([(start, size), (end, -size)])
    made = {memory["memory"]: memory for memory in report(path, "-o", folder / "t.svg")["memories"]}
    equal(set(made), set(changes), "memories")
    for memory, steps in changes.items():
        taken = most = 0
        for _, size in sorted(steps):
            taken += size
            most = max(most, taken)
        equal((made[memory]["most_bytes"], made[memory]["changes"]), (most, len(steps)), memory)
    texts = "\n".join(svg(folder / "t.svg")[1])
    for word in ("memory taken by buffers", "CUDA 0", "most 230 KiB"):
        contains(texts, word, "texts")
    equal(report(path, "--tracks", "stream")["memories"], [], "not chosen")
    equal(len(report(path, "--tracks", "cuda")["memories"]), 1, "chosen")


def test_arrows_lead_from_launches_to_kernels(folder):
    path = TRACES / "inference.json.gz"
    [[launches]] = asked(path, "SELECT COUNT(*) FROM flow f JOIN span o ON o.id = f.span_out "
                               "JOIN span i ON i.id = f.span_in "
                               "WHERE i.role IN ('compute', 'transfer', 'transfer in', 'transfer out')")
    equal((report(path)["arrows"], report(path, "--arrows", "launch")["arrows"]), (0, launches), "arrows")
    name, start, length = asked(path, "SELECT s.name, s.ts - (SELECT MIN(ts) FROM span), s.dur FROM slice s "
                                      "JOIN flow f ON f.span_in = s.id JOIN span i ON i.id = s.id "
                                      "WHERE i.role = 'compute' ORDER BY s.dur DESC LIMIT 1")[0]
    window = ("--from", f"{max(0, start - 20 * length)}ns", "--to", f"{start + 5 * length}ns")
    made = report(path, "-o", folder / "t.svg", "--arrows", "launch", *window)
    root = xml.etree.ElementTree.parse(folder / "t.svg").getroot()
    curves = [[float(number) for number in re.findall(r"[\d.]+", item.get("d"))] for item in root.iter(f"{SVG}path")
              if item.get("fill") == "none"]
    equal(len(curves), made["arrows_drawn"], "curves")
    kernels = [item for item in svg(folder / "t.svg")[0] if item["title"].startswith(name[:60])]
    true(any(abs(curve[-2] - kernel["x"]) < 0.02 and abs(curve[-1] - kernel["y"]) < 0.02
             for curve in curves for kernel in kernels), "one ends where the kernel starts")
    true(all(curve[0] <= curve[-2] + 12 for curve in curves), "no kernel starts before its launch")
    opscope("timeline", path, "-o", folder / "t.png", "--arrows", "all", *window)
    png_colours(folder / "t.png")
    contains(opscope("timeline", path, "--arrows", "some", code=2).err, "launch or all", "wrong use")


def test_what_the_recording_says_of_itself_is_left_out(folder):
    path = TRACES / "streams.json.gz"
    made = report(path, "-o", folder / "t.svg")
    [[last]] = asked(path, "SELECT MAX(ts + dur) FROM slice")
    [[first]] = asked(path, "SELECT MIN(start) FROM (SELECT ts AS start FROM slice UNION SELECT ts FROM instant)")
    equal(made["to_ns"], last - first, "the picture ends with the last span")
    true(made["lanes_left_out"] >= 1, "the lane of Record Window End")
    texts = svg(folder / "t.svg")[1]
    true("Traces" not in texts and "" not in texts, "no heading without lanes")
    contains("\n".join(texts), "left out", "the note")


def test_lanes_of_many_cores_are_added_up_by_engine(folder):
    """Instead of the first hundred."""
    program_file = folder / "many.opx"
    opscope("compile", ROOT / "samples/tosa/fc.mlir", "--target", "wormhole_b0", "-o", program_file,
            "--trace", folder / "many.prof")
    [alone] = opscope("info", folder / "many.prof", "--json").json()
    made = report(folder / "many.prof")
    equal(sum(lane["spans"] for lane in made["lanes"]), alone["spans"], "spans")
    if sum(lane["lanes"] for lane in made["lanes"]) > 100:
        true(any(lane["lanes"] > 1 and "engine" in lane for lane in made["lanes"]), "engines of all cores")


def test_letters_are_of_a_font_or_dots(folder):
    path = engines(folder, count=2)
    opscope("timeline", path, "-o", folder / "font.png")
    (folder / "fonts").mkdir()
    write(folder / "fonts/broken.ttf", "no font")
    opscope("timeline", path, "-o", folder / "dots.png", env={"OPSCOPE_FONTS": f"{folder}/none:{folder}/fonts"})
    sizes = []
    for name in ("font", "dots"):
        width, height, colour = png_colours(folder / f"{name}.png")
        sizes.append((width, height))
        shades = {colour(x, y) for y in range(30, 70) for x in range(30, 120)}
        true("ffffff" in shades and "1f2933" in shades, f"{name}: the title is dark on white")
        if name == "dots":
            equal(len(shades), 2, "dots have no shades")
    equal(sizes[0], sizes[1], "the same picture")


def test_wrong_use_is_said(folder):
    path = engines(folder)
    for words, message in (((), "give one file"), ((path, path), "give one file"),
                           ((path, "-o", folder / "t.jpg"), "an .svg or a .png"),
                           ((path, "--width", "10"), "expected 40 to 1000 letters"),
                           ((path, "-o", folder / "t.svg", "--width", "100000"), "expected 320 to 8000 points"),
                           ((path, "--from", "5s"), "nothing lies between --from and --to"),
                           ((path, "--from", "2us", "--to", "1us"), "nothing lies between"),
                           ((path, "--from", "soon"), "soon")):
        contains(opscope("timeline", *words, code=2).err, message, f"message for {words}")
    before = path.read_bytes()
    svg_input = shutil.copy(path, folder / "in.svg")
    contains(opscope("timeline", svg_input, "-o", svg_input, code=2).err, "would be overwritten")
    equal((folder / "in.svg").read_bytes() == before, True, "the input is left alone")
    contains(opscope("timeline", folder / "none.prof", code=1).err, "none.prof", "no such file")
    opscope("timeline", write(folder / "empty.prof", ""), code=1)
    contains(opscope("timeline", path, "-o", "/dev/full", code=2).err, "an .svg or a .png")


def test_a_profile_without_events_is_a_picture_too(folder):
    path = profile(folder, [plain(1, "lane")])
    opscope("timeline", path, "-o", folder / "t.svg")
    opscope("timeline", path, "-o", folder / "t.png")
    contains("\n".join(svg(folder / "t.svg")[1]), "0 spans on 0 lanes", "subtitle")
    contains(opscope("timeline", path).out, "0 spans on 0 lanes", "subtitle")


main()
