"""The ledger to the unit: k rows of a file that are cut off, garbled, dropped or there twice are
counted as k, in every format that opscope reads.

FORMATS is all that there is to say about a format: a file as rows, which of them may be hit, and
what cannot be found, which the page of the format then has to say."""

import random
import tempfile
from dataclasses import dataclass, field

from support import *

import kineto
import tenstorrent_logs
from every_format import onnxruntime_events
from torq_compile import compile_csv, random_spans
from torq_runtime import job_csv, random_events, random_jobs, runtime_csv

K = 7
SEEDS = range(3)


@dataclass
class File:
    rows: list  # bytes each
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""

    def content(self, rows):
        return self.before + self.between.join(rows) + self.after


@dataclass
class Format:
    """`make` gives a File; `groups` for each row what it shares with others of which only one is to
    be hit, and None for those that are not; `silent` says what cannot be found, in the words of
    the page."""
    name: str
    page: str
    extension: str
    make: object
    groups: object = staticmethod(lambda file: range(len(file.rows)))
    garble: object = None
    cut: object = staticmethod(lambda row: re.match(rb"(?:[^,;]*[,;]){2}.", row).group() + b"\n")
    silent: dict = field(default_factory=dict)


def lines(content, header=1, footer=0):
    rows = content.splitlines(True)
    stop = len(rows) - footer
    return File(rows[header:stop], before=b"".join(rows[:header]), after=b"".join(rows[stop:]))


def swap(old, new):
    """Garbles the first field that matches."""
    def garbled(row):
        found, count = re.subn(old, new, row, count=1)
        equal(count, 1, f"fields garbled in {row!r}")
        return found
    return garbled


def compiled(form):
    return lambda seed: lines(compile_csv(form, random_spans(80, seed)), header=form in ("c3", "c4"))


def but_last_ids(file):
    """Nobody knows that there was one more after the last ID of a counter, or whether a slice
    rested where S<i>, which is its number too, leaves one out."""
    groups, last = list(range(len(file.rows))), {}
    for number, row in enumerate(file.rows):
        if re.match(rb"S\d+[^_\d]", row):
            groups[number] = None
        last[re.match(rb"D|CDMA|CSS|S", row).group().replace(b"CDMA", b"D")] = number
    for number in last.values():
        groups[number] = None
    return groups


def field_of(number):
    """Rows of one span have the same text in this field."""
    return lambda file: [row.split(b",")[number] for row in file.rows]


def events(form):
    return lambda seed: lines(runtime_csv(form, random_events(form, 60, seed)))


def zones(file):
    """Starts and ends of zones; of each only one is hit."""
    groups = []
    for row in file.rows:
        cells = row.split(b",")
        groups.append((b",".join(cells[:4]), cells[7], cells[8]) if cells[9] in (b"ZONE_START", b"ZONE_END") else None)
    return groups


def operations(seed):
    """A report, made of logs by opscope."""
    capture = tenstorrent_logs.ordinary(seed=seed, devices=1, replays=0, ops=30)
    with tempfile.TemporaryDirectory() as name:
        capture.write(pathlib.Path(name))
        opscope("tt-report", name, "-o", pathlib.Path(name) / "report.csv")
        content = (pathlib.Path(name) / "report.csv").read_bytes()
    head, *rows = [row + b"\r\n" for row in content.split(b"\r\n")[:-1]]
    return File(rows, before=head)


def counted(file):
    """Rows with a call count, but for the first and the last of them."""
    groups = [number if row.split(b",")[2].isdigit() else None for number, row in enumerate(file.rows)]
    there = [number for number in groups if number is not None]
    return [number if number in there[1:-1] else None for number in groups]


def json_events(found):
    rows = [json.dumps(one).encode() for one in found]
    return File(rows, before=b'{"traceEvents": [\n', between=b",\n", after=b"\n]}\n")


def begins_and_ends(seed):
    rng = random.Random(seed)
    found = []
    for number in range(60):
        start = 1000 * number + rng.randrange(100)
        name, track = f"work {number}", {"pid": 1, "tid": 1 + number % 3}
        found.append({"ph": "B", "ts": start, "name": name, **track})
        found.append({"ph": "E", "ts": start + rng.randrange(1, 800), "name": name, **track})
    return json_events(found)


def whole_events(seed):
    rng = random.Random(seed)
    return json_events([{"ph": "X", "pid": 1, "tid": 1, "ts": 100 * number, "dur": rng.randrange(1, 90), "name": "a"}
                        for number in range(60)])


def kineto_events(seed):
    text = kineto.trace(steps=4, layers=5, seed=seed).encode()
    start = text.index(b'"traceEvents": [\n  ') + len(b'"traceEvents": [\n  ')
    stop = text.index(b'\n  ],\n  "traceName"')
    first, *rest = text[start:stop].split(b",\n  {")
    return File([first] + [b"{" + row for row in rest], text[:start], b",\n  ", text[stop:])


def operators(file):
    """Operators that no flow begins or ends in: one that is lost takes nothing with it. Other
    numbers come after the last of them."""
    return [number if b'"aten::transpose' in row else None for number, row in enumerate(file.rows)]


def half(row):
    return row[:len(row) // 2]


def first_member(row):
    """What is cut inside a list takes others with it."""
    return row[:row.index(b",")]


def every_third(file):
    """Neighbours that are cut are one piece."""
    return [number if number % 3 == 1 else None for number in range(len(file.rows))]


WHOLE_EVENTS = {fault: "A whole event (`X`" for fault in ("dropped", "doubled")}

FORMATS = [
    Format("torq-c1", "torq-csv", ".csv", compiled("c1"), but_last_ids, garble=swap(rb",\d+,", b",1x,")),
    Format("torq-c2", "torq-csv", ".csv", compiled("c2"), but_last_ids, garble=swap(rb",\d+,", b",1x,")),
    Format("torq-c3", "torq-csv", ".csv", compiled("c3"), garble=swap(rb",\d+,", b",1x,"),
           silent={"dropped": "a row of C3 or C4 that was dropped leaves no trace"}),
    Format("torq-c4", "torq-csv", ".csv", compiled("c4"), garble=swap(rb",\d+,", b",1x,"),
           silent={"dropped": "a row of C3 or C4 that was dropped leaves no trace"}),
    Format("torq-r1", "torq-csv", ".csv", lambda seed: lines(job_csv(random_jobs(60, seed))),
           garble=swap(rb";\d+;", b";1x;")),
    Format("torq-r2", "torq-csv", ".csv", events("r2"), field_of(0), garble=swap(rb",\d+,", b",1x,")),
    Format("torq-r3", "torq-csv", ".csv", events("r3"), field_of(0), garble=swap(rb",\d+,", b",1x,")),
    Format("torq-r4", "torq-csv", ".csv", events("r4"), field_of(2),
           garble=swap(rb"\d+,(?=[A-Z])", b"1x,")),
    Format("chrome", "chrome", ".json", begins_and_ends, lambda file: [number // 2 for number in range(len(file.rows))],
           garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=half),
    Format("chrome-whole", "chrome", ".json", whole_events, every_third, garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=half,
           silent=WHOLE_EVENTS),
    Format("onnxruntime", "onnxruntime-profile", ".json",
           lambda _: json_events([one for _ in range(20) for one in onnxruntime_events()]),
           every_third, garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=first_member, silent=WHOLE_EVENTS),
    Format("kineto", "kineto", ".json", kineto_events, operators,
           garble=swap(rb'"ts": [0-9.]+', b'"ts": "x"'), cut=half),
    Format("tenstorrent-device-log", "tenstorrent-logs", ".csv",
           lambda seed: lines(tenstorrent_logs.ordinary(seed=seed, devices=1, replays=0, ops=4).device_log().encode(),
                              header=2),
           zones, garble=swap(rb",\d+,(?=[0-9])", b",1x,")),
    Format("tenstorrent-report", "tenstorrent-report", ".csv", operations, counted,
           garble=swap(rb"tt_dnn_device,\d+,\d+", b"tt_dnn_device,1x,0")),
]


def hit(form, file, fault, seed):
    """The file with K rows damaged."""
    rng = random.Random(seed)
    groups = {}
    for number, group in enumerate(form.groups(file)):
        if group is not None and 0 < number < len(file.rows) - 1:
            groups.setdefault(group, []).append(number)
    chosen = {rng.choice(groups[group]) for group in rng.sample(sorted(groups), K)}
    rows = []
    for number, row in enumerate(file.rows):
        rows += [row] if number not in chosen else fault(form, row)
    return file.content(rows)


FAULTS = {
    "cut": lambda form, row: [form.cut(row)],
    "garbled": lambda form, row: [form.garble(row)],
    "dropped": lambda form, row: [],
    "doubled": lambda form, row: [row, row],
}


def account(path):
    result = opscope("info", path, "--json", code=None)
    ledger = result.json()[0]["ledger"]
    equal(result.code, 3 if ledger["lost"] or ledger["impossible"] else 0, f"exit\n{result.err}")
    return ledger


def check(form, fault, folder):
    for seed in SEEDS:
        file = form.make(seed)
        whole = account(write(folder / f"whole{form.extension}", file.content(file.rows)))
        equal((whole["lost"], whole["impossible"]), (0, 0), f"{form.name}: nothing is wrong")
        path = write(folder / f"{fault}{form.extension}", hit(form, file, FAULTS[fault], seed))
        found = account(path)
        want = 0 if fault in form.silent else K
        equal(found["lost"] + found["impossible"], want,
              f"{form.name}, {K} rows {fault}, seed {seed}: {json.dumps(found, indent=1)}\nlost")


def for_every_format(fault):
    def test(folder):
        wrong = []
        for form in FORMATS:
            try:
                check(form, fault, folder)
            except Failure as failure:
                wrong.append(str(failure))
        true(not wrong, "\n".join(wrong))
    return test


test_cut = for_every_format("cut")
test_garbled = for_every_format("garbled")
test_dropped = for_every_format("dropped")
test_doubled = for_every_format("doubled")


def test_pages_say_what_cannot_be_found():
    for form in FORMATS:
        page = (ROOT / f"docs/formats/{form.page}.md").read_text(encoding="utf-8")
        for fault, words in form.silent.items():
            contains(page, words, f"{form.page}.md on rows of {form.name} that are {fault}")


main()
