"""The ledger to the unit: k rows of a file that are cut off, garbled, dropped or there twice are
counted as k, in every format that opscope reads.

FORMATS is all that there is to say about a format: a file as rows, which of them may be hit, and
what cannot be found, which the page of the format then has to say. A reader that has no row here
fails."""

import dataclasses
import random
import struct
import sys
import tempfile
import zlib
from dataclasses import dataclass, field

from support import *

sys.path.insert(0, str(ROOT / "tests/tools"))

import kineto
import made_profile
import nsys_database
import perfetto_wire
import qaic_files
import rocpd_database
import tenstorrent_logs
import tracy_file
import tracy_stream_seeds
from every_format import onnxruntime_events
from torq_compile import compile_csv, random_spans
from torq_runtime import job_csv, random_events, random_jobs, runtime_csv

K = 7
SEEDS = range(1 if SANITIZED else 3)


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
    the page, and `other` which damage cannot be done to one row, in its words, too."""
    name: str  # as `info` says it
    reader: str  # in src/formats/readers.c
    page: str
    extension: str
    make: object
    groups: object = staticmethod(lambda file: range(len(file.rows)))
    garble: object = None
    cut: object = staticmethod(lambda row: re.match(rb"(?:[^,;]*[,;]){2}.", row).group() + b"\n")
    silent: dict = field(default_factory=dict)
    other: dict = field(default_factory=dict)
    called: str = ""  # in a folder that is given in its place


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


def packets(seed):
    """Ends have names: one that is left alone then takes no other beginning."""
    rng = random.Random(seed)
    threads = [perfetto_wire.thread(10 + number, 100, 101 + number, f"thread {number}") for number in range(3)]
    rows = []
    for number in range(60):
        start, track, name = 1000 * number + rng.randrange(100), 10 + number % 3, f"work {number}"
        for time, kind in ((start, perfetto_wire.BEGIN), (start + rng.randrange(1, 800), perfetto_wire.END)):
            rows.append(perfetto_wire.trace([perfetto_wire.event(time, kind, track, name)]))
    return File(rows, before=perfetto_wire.trace([perfetto_wire.process(1, 100, "runner"), *threads]))


def packet_of(change):
    """Of a packet the content is changed, and the length with it."""
    return lambda row: perfetto_wire.field(1, change(row[2:]))


def blocks(seed):
    """A profile with a block for each event."""
    rng = random.Random(seed)
    profile = made_profile.ProfileFile()
    lanes = [profile.track(f"lane {number}") for number in range(3)]
    for number in range(60):
        profile.span(lanes[number % 3], f"work {number % 4}", 100 * number, 100 * number + rng.randrange(1, 90))
    content, at, tables, rows = profile.bytes(a_block=1), 16, [], []
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at + 4)
        stop = at + 24 + size + -size % 8
        (rows if kind == 9 else tables).append(content[at:stop])
        at = stop
    return File(rows, before=content[:16] + b"".join(tables[:-1]), after=tables[-1])


class Zones(File):
    """Of a saved trace; the rows are zones."""
    def content(self, rows):
        trace = tracy_file.Trace("runner", 42, "OS: test\n")
        trace.threads[7] = tracy_file.Thread("Main thread", rows)
        return trace.file()


def saved_zones(seed):
    rng = random.Random(seed)
    return Zones([tracy_file.Zone(f"zone {number % 5}", 100 * number, 100 * number + rng.randrange(1, 90))
                  for number in range(60)])


class Items(File):
    """Of a stream; the rows are beginnings and ends of zones."""
    def content(self, rows):
        def say(program):
            for thread, time, name in rows:
                if name:
                    program.begin_zone(thread, time, name)
                else:
                    program.end_zone(thread, time)
        return tracy_stream_seeds.stream(say)


def sent_zones(_):
    return Items([(11 + number % 2, 1000 * number + late, "" if late else f"zone {number % 4}")
                  for number in range(80) for late in (0, 400)])


def one_kind_a_thread(file):
    """An end that is left alone would end what another one left open."""
    return [number if (thread == 11) == bool(name) else None for number, (thread, _, name) in enumerate(file.rows)]


def host(of):
    return tenstorrent_logs.ordinary(seed=of, devices=1, replays=0, ops=40)


def messages(seed):
    head, _, rest = host(seed).ops_data().encode().partition(b"\n")
    return File([row + b"\n" for row in re.split(rb"(?<=\d)\n(?=[`A-Z])", rest.rstrip(b"\n"))], before=head + b"\n")


def calls(pattern):
    """Rows with a call count, but for the least and the most."""
    def groups(file):
        found = [re.search(pattern, row, re.DOTALL) for row in file.rows]
        numbers = [int(count[1]) if count else None for count in found]
        known = sorted(number for number in numbers if number is not None)
        return [number if number in known[1:-1] else None for number in numbers]
    return groups


def device_report(_):
    head = ("GLOBAL CALL COUNT,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,DEVICE ID,DEVICE ARCH,OP NAME,CORE COUNT,"
            "DEVICE FW DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE\n")
    return lines((head + "".join(f"{1024 * number},,,0,wormhole_b0,Matmul,64,900,{10000 * number},{10000 * number + 900}\n"
                                 for number in range(1, 61))).encode())


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


def stats_buffer(seed):
    head, records = qaic_files.random_buffer(seed)
    return File(records, before=head)


def summary_rows(file):
    """Those of the tables, whose kinds are told apart."""
    return [number if re.match(rb"c\d+ +\d+ +[\d.]+%", row) else None for number, row in enumerate(file.rows)]


@dataclass
class Database(File):
    """Rows of one table; `store` writes them with all others."""
    store: object = None

    def content(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "made.db"
            self.store(path, [{**row, "id": number + 1} if "id" in row else row for number, row in enumerate(rows)])
            return path.read_bytes()


def nsys_kernels(seed):
    made, table = nsys_database.Made("2021.5", 20, seed), "CUPTI_ACTIVITY_KIND_KERNEL"
    made.text("main")

    def store(path, rows):
        made.rows[table] = rows
        nsys_database.write_made(path, made)
    return Database(made.rows[table], store=store)


def rocpd_kernels(seed):
    run, table = rocpd_database.Run("columns", 20, seed), "rocpd_kernel_dispatch"

    def store(path, rows):
        run.rows[table] = rows
        rocpd_database.write_runs(path, [run])
    return Database(run.rows[table], store=store)


def half(row):
    return row[:len(row) // 2]


def anywhere(row):
    """Cut at a place that depends on the row."""
    return row[:1 + zlib.crc32(row) % (len(row) - 1)]


def first_member(row):
    """What is cut inside a list takes others with it."""
    return row[:row.index(b",")]


def every_third(file):
    """Neighbours that are cut are one piece."""
    return [number if number % 3 == 1 else None for number in range(len(file.rows))]


WHOLE_EVENTS = {fault: "A whole event (`X`" for fault in ("dropped", "doubled")}

FORMATS = [
    Format("torq-c1", "torq", "torq-csv", ".csv", compiled("c1"), but_last_ids, garble=swap(rb",\d+,", b",1x,")),
    Format("torq-c2", "torq", "torq-csv", ".csv", compiled("c2"), but_last_ids, garble=swap(rb",\d+,", b",1x,")),
    Format("torq-c3", "torq", "torq-csv", ".csv", compiled("c3"), garble=swap(rb",\d+,", b",1x,"),
           silent={"dropped": "a row of C3 or C4 that was dropped leaves no trace"}),
    Format("torq-c4", "torq", "torq-csv", ".csv", compiled("c4"), garble=swap(rb",\d+,", b",1x,"),
           silent={"dropped": "a row of C3 or C4 that was dropped leaves no trace"}),
    Format("torq-r1", "torq", "torq-csv", ".csv", lambda seed: lines(job_csv(random_jobs(60, seed))),
           garble=swap(rb";\d+;", b";1x;")),
    Format("torq-r2", "torq", "torq-csv", ".csv", events("r2"), field_of(0), garble=swap(rb",\d+,", b",1x,")),
    Format("torq-r3", "torq", "torq-csv", ".csv", events("r3"), field_of(0), garble=swap(rb",\d+,", b",1x,")),
    Format("torq-r4", "torq", "torq-csv", ".csv", events("r4"), field_of(2),
           garble=swap(rb"\d+,(?=[A-Z])", b"1x,")),
    Format("chrome", "chrome", "chrome", ".json", begins_and_ends, lambda file: [number // 2 for number in range(len(file.rows))],
           garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=half),
    Format("chrome", "chrome", "chrome", ".json", whole_events, every_third, garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=half,
           silent=WHOLE_EVENTS),
    Format("onnxruntime-profile", "chrome", "onnxruntime-profile", ".json",
           lambda _: json_events([one for _ in range(20) for one in onnxruntime_events()]),
           every_third, garble=swap(rb'"ts": \d+', b'"ts": "x"'), cut=first_member, silent=WHOLE_EVENTS),
    Format("kineto", "chrome", "kineto", ".json", kineto_events, operators,
           garble=swap(rb'"ts": [0-9.]+', b'"ts": "x"'), cut=anywhere),
    # A record has no end that could be missing: what was not written is zeros.
    Format("qaic-raw-stats", "qaic-raw-stats", "qaic", ".bin", stats_buffer, garble=lambda row: b"\xff" * 4 + row[4:],
           cut=lambda row: row[:24] + bytes(24)),
    Format("qaic-summary", "qaic-summary", "qaic", ".txt", lambda seed: lines(qaic_files.summary(seed).encode(), header=0), summary_rows,
           garble=swap(rb"(?<= )\d+(?= )", b"1x"), cut=lambda row: row[:40] + b"\n",
           silent={"dropped": "a row that was dropped leaves no trace"}),
    Format("qaic-trace", "chrome", "qaic", ".json", lambda _: json_events(qaic_files.trace("1.21", waits=False)), every_third,
           garble=swap(rb'"ts": [0-9.]+', b'"ts": "x"'), cut=first_member, silent=WHOLE_EVENTS),
    Format("tenstorrent-device-log", "tenstorrent-log", "tenstorrent-logs", ".csv",
           lambda seed: lines(tenstorrent_logs.ordinary(seed=seed, devices=1, replays=0, ops=4).device_log().encode(),
                              header=2),
           zones, garble=swap(rb",\d+,(?=[0-9])", b",1x,")),
    Format("tenstorrent-report-v1", "tenstorrent-report", "tenstorrent-report", ".csv", operations, counted,
           garble=swap(rb"tt_dnn_device,\d+,\d+", b"tt_dnn_device,1x,0")),
    Format("tenstorrent-ops-data", "tenstorrent-log", "tenstorrent-logs", ".csv", messages,
           calls(rb"^`TT_DNN_DEVICE_OP: \"[^\"]*\", \d+, \d+, (\d+)"), cut=lambda row: half(row) + b"\n",
           garble=swap(rb";\d+\n", b";x\n")),
    Format("tenstorrent-ops-times", "tenstorrent-log", "tenstorrent-logs", ".csv",
           lambda seed: lines(host(seed).ops_times().encode()), calls(rb"^TT_DNN_DEVICE_OP.*\"id:(\d+)\""),
           garble=swap(rb",\d+,\d+,(?=[0-9])", b",1x,1,")),
    Format("tenstorrent-report-v2.1", "tenstorrent-report", "tenstorrent-report", ".csv", device_report,
           garble=swap(rb"^\d+", b"1x")),
    Format("tenstorrent-device-log", "tenstorrent-log", "tenstorrent-logs", ".csv", device_report,
           garble=swap(rb"^\d+", b"1x"), called="cpp_device_perf_report.csv"),
    Format("perfetto", "perfetto", "perfetto", ".pb", packets, lambda file: [number // 2 for number in range(len(file.rows))],
           cut=packet_of(lambda content: content[:-3]), garble=packet_of(lambda content: b"\xff" * len(content))),
    Format("opscope profile", "profile", "profile", ".prof", blocks, cut=half, garble=lambda row: row[:24] + b"\xff" + row[25:]),
    Format("nsys-sqlite", "nsys", "nsys", ".sqlite", nsys_kernels, garble=lambda row: {**row, "start": "x"},
           cut=lambda row: {**row, "end": None},
           silent={fault: "nothing numbers its rows" for fault in ("dropped", "doubled")}),
    Format("rocpd", "rocpd", "rocpd", ".db", rocpd_kernels, garble=lambda row: {**row, "start": "x"},
           cut=lambda row: {**row, "end": None},
           silent={fault: "nothing numbers its rows" for fault in ("dropped", "doubled")}),
    Format("tracy", "tracy", "tracy", ".tracy", saved_zones, garble=lambda zone: dataclasses.replace(zone, end=tracy_file.OPEN),
           silent={fault: "nothing numbers zones" for fault in ("dropped", "doubled")},
           other={"cut": "behind damage nothing can be read"}),
    Format("tracy-stream", "tracy-stream", "tracy-stream", ".tracy", sent_zones, one_kind_a_thread,
           other={fault: "behind damage nothing can be read" for fault in ("cut", "garbled")}),
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


def account(path, name):
    result = opscope("info", path, "--json", code=None)
    true(result.json(), f"{name}: {result.err}")
    equal(result.json()[0]["format"], name, "format")
    ledger = result.json()[0]["ledger"]
    equal(result.code, 3 if ledger["lost"] or ledger["impossible"] else 0, f"exit\n{result.err}")
    return ledger


def placed(form, folder, name, content):
    if not form.called:
        return write(folder / f"{name}{form.extension}", content)
    (folder / name).mkdir(exist_ok=True)
    return write(folder / name / form.called, content).parent


def check(form, fault, folder):
    for seed in SEEDS:
        file = form.make(seed)
        path = placed(form, folder, fault, hit(form, file, FAULTS[fault], seed))
        found = account(path, form.name)
        want = 0 if fault in form.silent else K
        equal(found["lost"] + found["impossible"], want,
              f"{form.name}, {K} rows {fault}, seed {seed}: {json.dumps(found, indent=1)}\nlost")


def test_whole(folder):
    for form in FORMATS:
        for seed in SEEDS:
            file = form.make(seed)
            found = account(placed(form, folder, "whole", file.content(file.rows)), form.name)
            equal((found["lost"], found["impossible"]), (0, 0), f"{form.name}: nothing is wrong")


def for_every_format(fault):
    def test(folder):
        wrong = []
        for form in FORMATS:
            if fault in form.other:
                continue
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
        for fault, words in {**form.silent, **form.other}.items():
            contains(page, words, f"{form.page}.md on rows of {form.name} that are {fault}")


def test_every_reader_has_a_row():
    table = (ROOT / "src/formats/readers.c").read_text(encoding="utf-8")
    readers = set(re.findall(r'\{"([a-z-]+)", FORMAT_BY_', table))
    true(len(readers) > 7, f"readers: {readers}")
    equal(sorted({form.reader for form in FORMATS}), sorted(readers), "readers with rows here")


main()
