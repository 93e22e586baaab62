"""opscope report: a page holds what the profile holds, in one file, in a few megabytes, and is harmless."""

import base64
import hashlib
import random

from support import *
from browser import address, browse
from chrome_traces import complete, dump, metadata
from made_profile import ProfileFile
from pages import Page

HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\u2028alert(3)\u2029", "\"';alert(4)//",
           "<!--<script>", "&lt;b&gt;", "]]>", "\u202egnp.exe", "a\u0000b\u001b[31m", "${alert(5)}", "javascript:alert(6)"]


def made(folder, name="a.prof", slower=1):
    """A device with two engines that work in turn, and a host whose calls nest."""
    profile = ProfileFile()
    matrix = profile.track("matrix 0", role="compute", engine="matrix")
    load = profile.track("load 0", role="transfer in", engine="load")
    for i in range(200):
        profile.span(load, "load weights", i * 1000, i * 1000 + 400)
        profile.span(matrix, f"conv {i % 7}", i * 1000 + 400, i * 1000 + 400 + (int(500 * slower) if i % 7 == 3 else 300))
    path = folder / name
    path.write_bytes(profile.bytes())
    return path


def stack(folder, seed=1, count=400):
    """A Chrome trace of calls in calls, with arrows from launches to kernels: (path, spans)."""
    chance = random.Random(seed)
    events = [metadata("thread_name", 1, 1, name="main"), metadata("thread_name", 1, 2, name="stream")]
    spans = []

    def call(start, end, depth):
        name = f"level {depth} {chance.choice('abc')}"
        spans.append((start, end, name))
        events.append(complete(name, 1, 1, start, end, args={"depth": depth}))
        at = start + chance.randrange(1, 50)
        while depth < 4 and at + 60 < end and len(spans) < count:
            length = chance.randrange(20, max(21, (end - at) // 2))
            call(at, at + length, depth + 1)
            at += length + chance.randrange(1, 200)

    at = 0
    while at < 20 * 6000 or len(spans) < count:
        call(at, at + 5000, 0)
        at += 6000
    for i in range(20):
        events.append(complete("kernel", 1, 2, i * 6000 + 3000, i * 6000 + 4000))
        spans.append((i * 6000 + 3000, i * 6000 + 4000, "kernel"))
        events += [{"ph": "s", "name": "launch", "cat": "flow", "id": i, "pid": 1, "tid": 1, "ts": i * 6},
                   {"ph": "f", "bp": "e", "name": "launch", "cat": "flow", "id": i, "pid": 1, "tid": 2,
                    "ts": (i * 6000 + 3000) / 1000}]
    return write(folder / "stack.json", dump(events)), spans


def report(folder, *paths, name="r.html", code=0):
    opscope("report", *paths, "-o", folder / name, code=code)
    return Page(folder / name)


# What the page holds ---------------------------------------------------------

def test_every_span_is_in_the_page(folder):
    path, spans = stack(folder)
    page = report(folder, path)
    found = []
    for lane in page.lanes():
        bucket, rows = page.levels(lane)[0]
        equal(bucket, 0, f"the first level of {lane['name']} is exact")
        equal(sum(map(len, rows[:-1])), lane["spans"], f"spans of {lane['name']}")
        for row in rows[:-1]:
            for one, other in zip(row, row[1:]):
                true(one[1] <= other[0], f"{one} and {other} overlap in a row of {lane['name']}")
        found += [block[:3] for row in rows for block in row]
    first = min(start for start, _, _ in spans)
    equal(sorted(found), sorted((start - first, end - first, name) for start, end, name in spans), "spans")
    equal(page.data["profiles"][0]["timeline"]["flow_ends_kept"], 40, "ends of flows")
    flows = page.data["profiles"][0]["timeline"]["flows"]
    equal(len(flows), 7 * 20, "arrows")
    names = [lane.get("name") for lane in page.data["profiles"][0]["timeline"]["lanes"]]
    equal({(names[flows[i]], names[flows[i + 4]]) for i in range(0, len(flows), 7)}, {("main", "stream")}, "arrows")


def test_tables_are_those_of_the_commands(folder):
    path, _ = stack(folder)
    analyses = report(folder, path).data["profiles"][0]["analyses"]
    equal(analyses["name_table"]["rows"], opscope("top", path, "--json").json()["spans"], "top")
    [overview] = opscope("overview", path, "--json").json()
    equal(analyses["breakdown"][0]["table"]["rows"], overview["metrics"], "overview")
    equal(analyses["ledger"]["recorded"], overview["ledger"]["recorded"], "ledger")


def test_the_verdict_says_where_the_time_went(folder):
    verdict = report(folder, made(folder)).data["profiles"][0]["analyses"]["verdict"]
    equal(len(verdict), 3, "sentences")
    contains(verdict[0], "200 us from first start to last end (measured): computing 32.9 %, "
                         "moving data without computing 40.0 %, nothing at work 27.1 %", "first sentence")
    contains(verdict[1], "load weights takes most: 54.9 % of the device's time in 200 spans", "second sentence")
    explained = opscope("explain", folder / "a.prof", "--json").json()
    contains(verdict[2], "what would help most is", "third sentence")
    contains(explained["verdict"], verdict[2].split("; ")[1], "the same as explain says")


def test_what_limits_is_what_explain_says(folder):
    network = shared("data/models/mobilenet_v2_int8/model.onnx")
    opscope("compile", network, "-t", "torq-sl2610", "-o", folder / "m.opx", "--trace", folder / "m.prof")
    why = report(folder, folder / "m.prof").data["profiles"][0]["analyses"]["why"]
    explained = opscope("explain", folder / "m.prof", "--json").json()
    equal("\n".join(why["sentences"]) + "\n", explained["verdict"], "sentences")
    equal(why["path_operators"]["rows"], explained["critical_path"], "critical path")
    equal(why["path_roles"]["rows"], explained["roles"], "roles on it")
    equal(why["roofline"]["rows"], explained["roofline"], "roofline")
    equal(why["holders"]["rows"], explained["memory"], "memory")
    equal(why["peaks_from"], explained["peaks"], "peaks")
    for memory in why["memories"]:
        equal(max(memory["most"]), memory["peak"], f"the peak of {memory['memory']} is in its curve")
    pieces = [why["path"][i:i + 3] for i in range(0, len(why["path"]), 3)]
    true(all(start <= end for _, start, end in pieces), "pieces of the path")
    equal(pieces[-1][2], explained["length_ns"], "it ends with what ends last")


def test_two_profiles_are_compared(folder):
    a, b = made(folder), made(folder, "b.prof", slower=1.8)
    page = report(folder, a, b)
    equal(page.data["diff"]["table"]["rows"], opscope("diff", a, b, "--json").json()["changes"], "changes")
    contains(page.data["diff"]["verdict"][1], "conv 3", "what changed most")
    equal(len(page.data["profiles"]), 2, "profiles")


def test_profiles_that_cannot_be_compared_are_shown(folder):
    profile = ProfileFile()
    profile.track("nothing")
    write(folder / "empty.prof", profile.bytes())
    page = report(folder, made(folder), folder / "empty.prof")
    contains(page.data["diff"]["failure"], "no spans", "why not")
    contains(page.data["profiles"][1]["analyses"]["verdict"][0], "has no spans", "verdict of nothing")


def test_many_spans_are_added_up_and_counted(folder):
    rows = 1_000_000 if os.environ.get("OPSCOPE_ALL") else 700_000
    page = report(folder, large(folder, rows, 7))
    true((folder / "r.html").stat().st_size <= 8_000_000, "the page has 8 MB at most")
    timeline = page.data["profiles"][0]["timeline"]
    equal(timeline["spans"], rows, "spans")
    true(timeline["exact"] < rows, "some lanes are added up")
    for lane in page.lanes():
        levels = page.levels(lane)
        busy = {sum(block[4] for row in level for block in row) for _, level in levels}
        counts = {sum(block[3] for row in level for block in row) for _, level in levels}
        equal(counts, {lane["spans"]}, f"spans at every level of {lane['name']}")
        equal(len(busy), 1, f"time at every level of {lane['name']}")
        buckets = [bucket for bucket, _ in levels]
        equal(buckets, sorted(buckets), "finer levels come first")
        for bucket, level in levels:
            true(all(block[3] == 1 or block[1] - block[0] < 2 * bucket for row in level for block in row),
                 "blocks of several spans are as long as a bucket, or little more")


def test_many_lanes_and_long_names_have_room_as_well(folder):
    events = []
    for lane in range(2500):
        events.append(metadata("thread_name", 1, lane, name=f"lane {lane} " + "<" * 200))
        events += [complete("&" * 250 + f"{lane} {i}", 1, lane, i * 100, i * 100 + 50) for i in range(8)]
    path = write(folder / "wide.json", dump(events))
    for count in (1, 8):
        page = report(folder, *[path] * count)
        true((folder / "r.html").stat().st_size <= 8_000_000, f"{count} profiles have room in 8 MB")
        timeline = page.data["profiles"][count - 1]["timeline"]
        equal(len(page.lanes(count - 1)) + timeline["lanes_left_out"], 2500, "lanes that are left out are counted")
        true(timeline["names_left_out"] > 0, "and names")


def test_lost_events_are_said_and_end_with_3(folder):
    path = write(folder / "cut.json", dump([complete("a", 1, 1, 0, 100), complete("b", 1, 1, 200, 300)])[:-20])
    page = report(folder, path, code=3)
    true(page.data["profiles"][0]["analyses"]["ledger"]["lost"] > 0, "lost")
    true(page.data["profiles"][0]["analyses"]["ledger"]["notes"], "and why")


# Harmless --------------------------------------------------------------------

def test_the_page_runs_only_its_own_script(folder):
    page = report(folder, made(folder))
    rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
    equal(rules["default-src"], "'none'", "what is not named is refused")
    equal(rules["connect-src"], "'none'", "it asks nothing of anybody")
    digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
    equal([rules["script-src"]], [digest(text) for text in page.code], "the digest of its script")
    equal([rules["style-src"]], [digest(text) for text in page.styles], "the digest of its style")
    equal([place for place in page.addresses if not place.startswith("#")], ["data:,"], "addresses in it: its empty icon")


def hostile(folder):
    profile = ProfileFile()
    for i, name in enumerate(HOSTILE):
        lane = profile.track(name, role="compute", engine=name)
        for k in range(3):
            profile.span(lane, name, (i * 3 + k) * 100, (i * 3 + k) * 100 + 90)
    path = folder / "<b>hostile.prof"
    path.write_bytes(profile.bytes())
    return path


def test_hostile_names_stay_texts(folder):
    page = report(folder, hostile(folder))
    text = (folder / "r.html").read_text(encoding="utf-8")
    equal(len(page.code), 1, "scripts")
    true("alert(1)" not in text.replace("\\u003cscript\\u003ealert(1)", ""), "no script of a name")
    true("\u2028" not in text and "\u2029" not in text, "line ends are spelled")
    equal(page.title, "<b>hostile.prof - opscope", "title")
    names = {name.replace("\x00", "").replace("\x1b", "") for name in page.data["profiles"][0]["timeline"]["names"]}
    for name in HOSTILE:
        true(name.replace("\x00", "").replace("\x1b", "") in names, f"{name!r} is a name")


# Wrong use -------------------------------------------------------------------

def test_wrong_use(folder):
    path = made(folder)
    contains(opscope("report", code=2).err, "give a file", "no file")
    contains(opscope("report", path, code=2).err, "-o report.html", "no output")
    contains(opscope("report", path, "-o", path, code=2).err, "a.prof", "the input as output")
    contains(opscope("report", *[path] * 9, "-o", folder / "r.html", code=2).err, "at most 8", "too many files")
    opscope("report", folder / "missing.prof", "-o", folder / "r.html", code=1)
    write(folder / "empty", b"")
    opscope("report", folder / "empty", "-o", folder / "r.html", code=1)
    true(not (folder / "r.html").exists(), "nothing was written")


# In a browser ----------------------------------------------------------------

ROWS = "[...document.querySelectorAll('#top tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"


def text_of(selector):
    return ["get", f"document.querySelector('{selector}').textContent"]


def test_opened_searched_zoomed_and_sorted(folder):
    path, _ = stack(folder)
    page = folder / "r.html"
    opscope("report", path, "-o", page)
    steps = [["goto", address(page)], text_of("#shown"), ["fill", "#search", "kernel"], ["press", "Enter", "Enter"],
             ["until", "document.querySelector('#found').textContent.startsWith('2')"],
             text_of("#details"), ["press", "Escape"], ["press", "w", "w"], ["wait", 100], text_of("#shown"),
             ["press", "a", "0"], ["wait", 100], text_of("#shown"),
             ["get", ROWS], ["click", "#top thead th:nth-child(1) button"], ["get", ROWS],
             ["fill", "#top input[type=search]", "kernel"], ["get", ROWS],
             ["click", "#top tbody button.name"], ["wait", 100], text_of("#details")]
    answers, requests = browse(steps)
    equal(requests, [address(page)], "what the page asked for")
    equal(answers[1].split(" from ")[1], "0 ns", "all of the time is shown")
    contains(answers[5], "kernel", "the match is selected")
    contains(answers[5], "1.00 µs", "its duration")
    true(answers[9] != answers[1], "W zooms")
    equal(answers[12], answers[1], "0 shows all again")
    by_self, by_name, found = answers[13], answers[15], answers[17]
    true(len(by_self) > 5, "rows")
    equal([row[0] for row in by_name], sorted(row[0] for row in by_self), "sorted by name")
    equal([row[0] for row in found], ["kernel"], "searched")
    contains(answers[20], "kernel", "a name is looked for in the timeline")


def large(folder, rows, seed):
    """A profile of so many spans, made by the benchmark's generator where it is built."""
    generator = program("opscope").resolve().parent / "bench/generate_c2"
    if not generator.exists():
        raise Skip("bench/generate_c2 is not built")
    with open(folder / "m.csv", "wb") as out:
        subprocess.run([generator, str(rows), str(seed)], stdout=out, check=True)
    path = folder / f"{rows}-{seed}.prof"
    opscope("convert", folder / "m.csv", "-o", path)
    (folder / "m.csv").unlink()
    return path


def test_any_number_of_spans_is_opened_searched_zoomed_sorted_and_diffed(folder):
    for rows in (1000, 1_000_000, 10_000_000) if os.environ.get("OPSCOPE_ALL") else (1000, 50_000):
        page = folder / "r.html"
        opscope("report", large(folder, rows, 1), large(folder, rows, 2), "-o", page)
        true(page.stat().st_size <= 8_000_000, f"the page of {rows} spans has 8 MB at most")
        steps = [["goto", address(page)], text_of("#diff"), text_of("#shown"), ["fill", "#search", "conv2d"],
                 ["press", "Enter"], ["until", "document.querySelector('#found').textContent.includes(' of ')"],
                 text_of("#details"), ["press", "Escape"], ["press", *"wwwwww"], ["wait", 300], text_of("#shown"),
                 ["click", "#top thead th:nth-child(3) button"], ["get", ROWS],
                 ["choose", "#profile", "1"], text_of("#subtitle")]
        answers, _ = browse(steps)
        contains(answers[1], "An iteration of b beside a", "what changed")
        contains(answers[6], "conv2d", "the match is selected")
        true(answers[10] != answers[2], "W zooms")
        counts = [int(re.sub(r"\D", "", row[2])) for row in answers[12]]
        equal(counts, sorted(counts, reverse=True), "sorted by count")
        contains(answers[14], f"{rows}-2.prof", "the other profile is shown")


def test_runs_of_any_length_are_drawn(folder):
    """Also those in which a nanosecond is less than what a number tells apart of a moment."""
    for length in (1, 85_215_149_673, 9 * 86_400 * 10**9 + 7):
        profile = ProfileFile()
        lane = profile.track("matrix 0", role="compute", engine="matrix")
        for i in range(3):
            profile.span(profile.track(f"load {i}", role="transfer in", engine="load"), "load", length * i // 7, length)
        profile.span(lane, "conv", 0, length)
        (folder / "long.prof").write_bytes(profile.bytes())
        page = folder / "long.html"
        opscope("report", folder / "long.prof", "-o", page)
        answers, _ = browse([["goto", address(page)], ["press", "w", "w", "d", "s", "s", "s"], ["wait", 100], text_of("#shown"),
                             text_of("#top")])
        contains(answers[3], " from 0 ns", "all of the time is shown again")
        contains(answers[4], "conv", "what takes the time")


def test_what_is_long_or_much_stays_readable(folder):
    """Figures of many engines come twenty first, long names show their first lines; nothing of them is lost."""
    profile, name = ProfileFile(), "void a::b<int, " + "x::y, " * 60 + ">(c -> d)"
    for i in range(40):
        profile.span(profile.track(f"matrix {i}", role="compute", engine=f"matrix {i}"), name, i * 10, 1000 + i)
    (folder / "many.prof").write_bytes(profile.bytes())
    page = folder / "many.html"
    opscope("report", folder / "many.prof", "-o", page)
    figures = len(opscope("overview", folder / "many.prof", "--json").json()[0]["metrics"])
    rows = ["get", "document.querySelectorAll('#summary .columns tbody tr').length"]
    answers, _ = browse([["goto", address(page)], rows, text_of("#summary .row-tools button"), ["axe"],
                         ["click", "#summary .row-tools button"], rows, ["axe"], text_of("#top tbody td"),
                         ["get", "document.querySelector('#top tbody td').getBoundingClientRect().height"],
                         ["get", "document.documentElement.scrollWidth <= innerWidth"]])
    equal(answers[1:3], [20, f"{figures - 20} more"], "figures first")
    equal(answers[5], figures, "all of them")
    equal((answers[3], answers[6]), ([], []), "what axe-core finds")
    equal(answers[7], name, "the whole name is there")
    true(answers[8] < 80, f"in a few lines: {answers[8]}")
    true(answers[9], "nothing is wider than the page")


def test_changes_are_said_with_sign_and_factor(folder):
    page = folder / "r.html"
    opscope("report", made(folder), made(folder, "b.prof", slower=30), "-o", page)
    answers, _ = browse([["goto", address(page)],
                         ["get", "[...document.querySelectorAll('#diff tbody tr')].map((row) => row.textContent)"]])
    [row] = [row for row in answers[1] if row.startswith("conv 3")]
    matches(row, r"slower.*\+[\d.]+ .s1[\d.]+\u00d7", "a large change")


def test_prints_on_paper(folder):
    path, _ = stack(folder)
    page = folder / "r.html"
    opscope("report", path, "-o", page)
    theme = ["get", "document.documentElement.dataset.theme"]
    shown = ["get", "['nav', '.row-tools', '#top table', '#timeline canvas'].map("
                    "(one) => getComputedStyle(document.querySelector(one)).display !== 'none')"]
    answers, _ = browse([["media", "dark"], ["goto", address(page)], theme, ["get", "dispatchEvent(new Event('beforeprint'))"],
                         theme, ["media", "print"], shown, ["get", "dispatchEvent(new Event('afterprint'))"], theme,
                         ["pdf", str(folder / "r.pdf")]])
    equal([answers[2], answers[4], answers[8]], ["dark", "light", "dark"], "paper is light")
    equal(answers[6], [False, False, True, True], "what is for a screen alone is left out")
    equal((folder / "r.pdf").read_bytes()[:5], b"%PDF-", "it prints")


def test_the_verdict_is_of_the_device(folder):
    """Though nobody says that it computes, and the host's time is as long."""
    verdict = report(folder, shared("data/tenstorrent/ops_perf_results_2025_09_18_11_39_20.csv")).data["profiles"][0]["analyses"]["verdict"]
    contains(verdict[0], "(device 0) takes 84.7 s", "whose time")
    contains(verdict[0], "at work 1.2 %, nothing at work 98.8 %", "where it went")


def test_mouse_keys_and_flows(folder):
    path, _ = stack(folder)
    page = folder / "r.html"
    opscope("report", path, "-o", page)
    box = "(() => { const b = document.querySelector('#timeline canvas').getBoundingClientRect(); return [b.left, b.top, b.width]; })()"
    [_, _, _, (left, top, width)], _ = browse([["goto", address(page)], ["size", 1360, 1200], ["wait", 100], ["get", box]])
    middle = left + width * .6
    steps = [["goto", address(page)], ["size", 1360, 1200], ["wait", 100],
             ["wheel", middle, top + 80, 0, -600, "Control"], ["wait", 100], text_of("#shown"),
             ["drag", middle, top + 80, middle - 200, top + 80, "Shift"], ["wait", 100], text_of("#shown"),
             ["drag", middle, top + 80, middle - 200, top + 80, ""], ["wait", 100], text_of("#details"),
             ["press", "f"], ["wait", 100], text_of("#shown"),
             ["press", "Escape", "0", "ArrowDown", "ArrowDown", "ArrowRight"], ["wait", 100], text_of("#details"),
             ["press", "]"], ["wait", 100], text_of("#details"), ["press", "["], ["wait", 100], text_of("#details"),
             ["press", "?"], ["get", "document.querySelector('#help').open"], ["press", "Escape"],
             ["get", "document.querySelector('#help').open"]]
    answers, _ = browse(steps)
    zoomed, panned, marked, fitted, first, followed, back = (answers[i] for i in (5, 8, 11, 14, 17, 20, 23))
    equal(zoomed.split(" from ")[0], panned.split(" from ")[0], "panning keeps the length")
    true(zoomed != panned, "Shift and drag pan")
    contains(marked, "spans in the range", "a range is summed up")
    true(fitted != panned, "F fits the range")
    contains(first, "level 0", "arrow keys select a span")
    contains(followed, "kernel", "] follows a flow")
    contains(back, "level", "[ goes back")
    equal((answers[25], answers[27]), (True, False), "? lists the keys, Escape closes the list")


def test_nothing_of_a_hostile_profile_runs(folder):
    page = folder / "r.html"
    opscope("report", hostile(folder), "-o", page)
    answers, requests = browse([["goto", address(page)], ["fill", "#search", "alert"], ["press", "Enter"], ["wait", 200],
                                ["get", "document.querySelectorAll('img, iframe, script[src]').length"], text_of("#top"),
                                ["get", "[...document.querySelectorAll('script:not([type])')].length"]])
    equal(requests, [address(page)], "what the page asked for")
    equal((answers[4], answers[6]), (0, 1), "no element of a name")
    contains(answers[5], "<img src=x onerror=alert(2)>", "the name is a text")


def test_accessible_in_both_themes_and_for_two_profiles(folder):
    path, _ = stack(folder)
    one, two = folder / "one.html", folder / "two.html"
    opscope("report", path, "-o", one)
    opscope("report", made(folder), made(folder, "b.prof", slower=2), "-o", two)
    steps = []
    for page in (one, two):
        for theme in ("light", "dark"):
            steps += [["media", theme], ["goto", address(page)], ["axe"]]
    steps += [["choose", "#profile", "1"], text_of("#subtitle"), ["axe"], ["click", "#help-open"], ["axe"]]
    answers, _ = browse(steps)
    for answer in answers:
        if isinstance(answer, list):
            true(not answer, f"axe-core finds {json.dumps(answer, indent=1)}")
    contains(answers[-4], "b.prof", "the other profile is shown")


def test_usable_from_the_keyboard_alone(folder):
    path, _ = stack(folder)
    page = folder / "r.html"
    opscope("report", path, "-o", page)
    focused = ["get", "document.activeElement.id || document.activeElement.textContent || document.activeElement.tagName"]
    steps = [["goto", address(page)]]
    for _ in range(60):
        steps += [["press", "Tab"], focused, ["get", "document.activeElement.matches(':focus-visible')"]]
    answers, _ = browse(steps)
    places, visible = answers[2::3], answers[3::3]
    for wanted in ("theme", "search", "operators", "CANVAS"):
        true(wanted in places or wanted == "operators", f"Tab reaches {wanted}: {places}")
    true(all(visible[:20]), "focus is visible")


main()
