"""Databases of other profilers, Nsight Systems' (.sqlite) and rocprofv3's (rocpd): every row, whose call it is, and
databases that mean harm."""
import collections
import csv
import gzip
import random
import shutil
import sqlite3
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))

import nsys_database  # noqa: E402
import rocpd_database  # noqa: E402


def made_databases(folder):
    for version in nsys_database.VERSIONS:
        path = folder / f"nsys-{version}.sqlite"
        yield path, nsys_database.write(path, version, 5).spans
    for layout in rocpd_database.LAYOUTS:
        path = folder / f"rocpd-{layout}.db"
        yield path, [span for run in rocpd_database.write(path, layout, 4, 2) for span in run.spans]


def spans_of(path):
    """Every span of a profile, from the flat table."""
    out = path.with_suffix(".spans.csv")
    opscope("convert", path, "-o", out)
    with open(out, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "span":
                yield row, json.loads(row["args"] or "{}")


def test_every_row_is_a_span_of_its_call(folder):
    for path, spans in made_databases(folder):
        got = collections.Counter()
        for row, values in spans_of(path):
            where = "unknown" if row["role"] in ("", "none") else "host" if row["role"].startswith("host") else "device"
            role = values.get("role")
            got[where, row["name"], int(row["start_ns"]), int(row["start_ns"]) + int(row["duration_ns"]),
                row["operator"] or None, role, values.get("bytes")] += 1
        want = collections.Counter((span["where"], span["name"], span["start"], span["end"], span.get("operator"),
                                    span.get("role"), span.get("bytes")) for span in spans)
        extra, missing = got - want, want - got
        true(not extra and not missing, f"{path.name}: not there: {list(missing)[:3]}, too many: {list(extra)[:3]}")


def test_the_time_of_the_device_is_shared_out(folder):
    for path, spans in made_databases(folder):
        want = collections.Counter()
        for span in spans:
            if span["where"] == "device":
                want[span.get("operator") or "(no operator)"] += span["end"] - span["start"]
        rows = opscope("operators", path, "--json").json()["operators"]
        got = collections.Counter()
        for row in rows:
            got[row["name"]] += row["device_ns"]
        equal({name: time for name, time in got.items() if time}, dict(want), f"{path.name}: device")
        by_name = opscope("top", path, "--json").json()
        equal(by_name["device_ns"], sum(want.values()), f"{path.name}: top")


def test_launches_and_work_are_linked(folder):
    for path, spans in made_databases(folder):
        work = sum(span["where"] == "device" for span in spans)
        flows = opscope("sql", path, "--json", "select count(*) from flow").json()["results"][0]["rows"][0][0]
        equal(flows, work, f"{path.name}: arrows from launch to work")


def test_copies_by_direction_and_overview(folder):
    for path, spans in made_databases(folder):
        roles = collections.Counter()
        for span in spans:
            if span["where"] == "device":
                roles[span["role"]] += span["end"] - span["start"]
        got = {row["label"]: row["self_ns"] for row in opscope("top", path, "--by", "role", "--json").json()["spans"]
               if row["where"] == "device"}
        equal(got, dict(roles), f"{path.name}: roles")
        names = {row["name"] for process in opscope("overview", path, "--json").json() for row in process["metrics"]}
        true("Compute" in names and "Dma" not in names and "Host" in names, f"{path.name}: overview {names}")


def test_shapes_and_ranges_of_pytorch(folder):
    path = folder / "p.sqlite"
    nsys_database.write(path)
    labels = {row["label"] for row in opscope("top", path, "--by", "shape", "--json").json()["spans"]}
    true({"aten::linear (8x64, 64)", "aten::relu (8x64)"} <= labels, f"{labels}")


def test_counters_and_remarks(folder):
    path = folder / "c.sqlite"
    nsys_database.write(path)
    info = opscope("info", path, "--json").json()[0]
    texts = " ".join(note["text"] for note in info["ledger"]["notes"])
    contains(texts, "12 events were dropped", "what the profiler says")
    contains(texts, "SCHED_EVENTS is not read: 2 rows", "what is not read")
    samples = opscope("sql", path, "--json", "select count(*), sum(value) from counter").json()["results"][0]["rows"]
    equal(samples, [[20, sum(range(20))]], "metrics")
    path = folder / "c.db"
    run = rocpd_database.write(path)[0]
    waves = [values["SQ_WAVES"] for row, values in spans_of(path) if "SQ_WAVES" in values]
    equal(sorted(waves), sorted(float(row["value"]) for row in run.rows["rocpd_pmc_event"]), "counters of kernels")
    lives = opscope("sql", path, "--json", "select count(*) from buffer").json()["results"][0]["rows"]
    equal(lives, [[3]], "lifetimes of memory")


def test_small_files_do_not_ask_for_much(folder):
    """A counter is a value of one row, and a long text is looked through once, however many rows name them."""
    path = folder / "c.db"
    run = rocpd_database.write(path, steps=100)[0]
    counters = len(run.rows["rocpd_pmc_event"])
    base = sqlite3.connect(path)
    event = run.rows["rocpd_pmc_event"][0]["event_id"]
    for table in ("rocpd_pmc_event", "rocpd_kernel_dispatch"):
        base.execute(f'UPDATE "{table}_000000_abc" SET event_id = {event}')
    base.commit()
    base.close()
    rows = opscope("sql", path, "--json", "select count(*), count(distinct span_id) from arg where name = 'SQ_WAVES'").json()
    equal(rows["results"][0]["rows"], [[counters, 1]], "values, and spans that have them")
    path = folder / "one.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    base.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    for table, columns in (("RUNTIME", "globalTid INT, nameId INT"), ("KERNEL", "streamId INT, shortName INT")):
        base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_{table} (start INT, end INT, correlationId INT, {columns})")
        base.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES (?, ?, 7, 1, 1)",
                         ((10 * i, 10 * i + 5) for i in range(1000)))
    base.commit()
    base.close()
    flows = opscope("sql", path, "--json", "select count(*) from flow").json()["results"][0]["rows"][0][0]
    true(1000 <= flows <= 10 * 2000, f"{flows} ends of flows of 1000 calls and 1000 kernels of the same number")
    path = folder / "long.sqlite"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    base.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    base.execute("CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, textId INT)")
    base.execute("INSERT INTO StringIds VALUES (1, ?)", ("x" * 1_000_000 + ", seq = 3",))
    base.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, NULL, 1, 1)", ((10 * i, 10 * i + 5) for i in range(100_000)))
    base.commit()
    base.close()
    report = opscope("operators", path, "--json").json()["operators"]
    equal([(len(row["name"]), row["spans"]) for row in report], [(1_000_000, 100_000)], "the range's name")


def test_copies_to_peers_are_copies(folder):
    for path, spans in made_databases(folder):
        for view, wanted in (("kernels", lambda span: "bytes" not in span), ("memory_copies", lambda span: "bytes" in span)):
            rows = opscope("sql", path, "--json", f"SELECT name, start, duration FROM {view}").json()["results"][0]["rows"]
            want = sorted([span["name"], span["start"], span["end"] - span["start"]] for span in spans
                          if span["where"] == "device" and wanted(span))
            equal(sorted(rows), want, f"{path.name}: {view}")


def test_a_chrome_trace_of_one_is_no_trace_of_pytorch(folder):
    """Categories are alike, ids are not."""
    for path, _ in made_databases(folder):
        opscope("convert", path, "-o", folder / "out.json")
        equal(opscope("info", folder / "out.json", "--json").json()[0]["format"], "chrome", path.name)


def test_sizes_of_kernels(folder):
    """In work items and groups, whatever the profiler counts."""
    for path, spans in made_databases(folder):
        rows = opscope("sql", path, "--json", "SELECT DISTINCT grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z"
                                              " FROM kernels WHERE name NOT LIKE '[CUDA graph%'").json()["results"][0]["rows"]
        equal(rows, [[8 * 256, 1, 1, 256, 1, 1] if "nsys" in path.name else [4096, 1, 1, 64, 1, 1]], path.name)


def test_memory_waits_and_open_ranges(folder):
    path = folder / "m.sqlite"
    steps = 4
    nsys_database.write(path, "2024.6", steps)
    lives = opscope("sql", path, "--json", 'SELECT memory, device, size, address, start, "end" FROM buffer ORDER BY start')
    lives = lives.json()["results"][0]["rows"]
    base = sqlite3.connect(path)
    taken, given = ([row[0] for row in base.execute("SELECT start FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE"
                                                    f" memoryOperationType = {kind} ORDER BY start")] for kind in (0, 1))
    last = max(base.execute(f"SELECT MAX(end) FROM {table}").fetchone()[0] for table in
               ("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "OSRT_API"))
    base.close()
    equal(lives, [["GPU", 0, 1024 * (i + 1), 0x7f0000000000 + 4096 * i, taken[i], [*given, max(last, taken[-1])][i]]
                  for i in range(steps)], "lifetimes of memory")
    rows = {row["name"]: row["ns"] for report in opscope("overview", path, "--json").json() if "process" in report["model"]
            for row in report["metrics"]}
    equal(rows["Wait"], 700 * steps, "waiting for the device")
    info = opscope("info", path, "--json").json()[0]
    true(info["ledger"]["lost"] == 0, f"{info['ledger']}")
    contains(" ".join(note["text"] for note in info["ledger"]["notes"]), f"kept as instants: {steps}", "open ranges")
    instants = opscope("sql", path, "--json", "SELECT name, COUNT(*) FROM samples GROUP BY name").json()["results"][0]["rows"]
    equal(dict(instants), {"open": steps, "allocation": steps, "deallocation": steps - 1}, "instants")


def test_a_database_that_was_cut_gives_what_is_there(folder):
    for module, name in ((nsys_database, "c.sqlite"), (rocpd_database, "c.db")):
        path = folder / name
        module.write(path, steps=30)
        whole = opscope("info", path, "--json").json()[0]["ledger"]["recorded"]
        data = path.read_bytes()
        path.write_bytes(data[:len(data) * 3 // 4])
        ledger = opscope("info", path, "--json", code=3).json()[0]["ledger"]
        true(50 < ledger["recorded"] <= whole and ledger["expected"] is None, f"{name}: {ledger} of {whole}")
        contains(ledger["notes"][0]["text"], f"is cut off: the last {len(data) - len(data) * 3 // 4} bytes", name)


def test_packed_and_with_a_log(folder):
    """A file that was written with a write-ahead log says so in its header, and is read all the same."""
    for module, name in ((nsys_database, "w.sqlite"), (rocpd_database, "w.db")):
        path = folder / name
        module.write(path)
        plain = opscope("operators", path, "--json").json()["operators"]
        packed = folder / f"{name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        equal(opscope("operators", packed, "--json").json()["operators"], plain, "packed")
        data = bytearray(path.read_bytes())
        data[18] = data[19] = 2
        path.write_bytes(data)
        result = opscope("operators", path, "--json")
        equal(result.json()["operators"], plain, "with a log")
        contains(result.err, "-wal", "a remark")


def change(path, *statements):
    base = sqlite3.connect(path)
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()


def test_what_a_database_would_run_is_not_run(folder):
    """Views, virtual tables, computed columns and triggers in the place of tables."""
    start = "CUPTI_ACTIVITY_KIND_KERNEL"
    cases = {
        "view": (f"ALTER TABLE {start} RENAME TO hidden",
                 f"CREATE VIEW {start} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start,"
                 " i AS end, 0 AS deviceId FROM n"),
        "computed": (f"ALTER TABLE {start} ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(1000000000))) VIRTUAL",),
        "virtual": (f"DROP TABLE {start}", f"CREATE VIRTUAL TABLE {start} USING fts5(start, end)"),
    }
    for name, statements in cases.items():
        path = folder / f"{name}.sqlite"
        nsys_database.write(path, "2021.5")
        try:
            change(path, *statements)
        except sqlite3.OperationalError:
            continue  # this SQLite has no such module
        result = opscope("top", path, "--json", code=None)
        true(result.code in (0, 3), f"{name}: {result}")
        kernels = [row["label"] for row in result.json()["spans"] if "_kernel" in row["label"]]
        equal(kernels, [], f"{name}: nothing of it is read")
        if name == "computed":
            contains(result.err, "computed", name)


def test_cells_of_the_wrong_type(folder):
    path = folder / "types.sqlite"
    made = nsys_database.write(path, "2021.5")
    kernels = len(made.rows["CUPTI_ACTIVITY_KIND_KERNEL"])
    change(path, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'abc' WHERE rowid = 1",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL WHERE rowid = 2",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 1 WHERE rowid = 3",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -5 WHERE rowid = 4",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = x'00ff', shortName = 99999 WHERE rowid = 5",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 9223372036854775807 WHERE rowid = 6",
           "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = -1, contextId = 1e300 WHERE rowid = 7")
    ledger = opscope("info", path, "--json", code=3).json()[0]["ledger"]
    equal((ledger["lost"], ledger["impossible"]), (4, 1), "lost and impossible")
    equal(ledger["expected"], ledger["recorded"] + 5, "expected")
    result = opscope("sql", path, "--json", "select count(*) from kernels", code=3)
    true(result.json()["results"][0]["rows"][0][0] >= kernels - 5, "the others are there")


def test_databases_of_others_are_refused(folder):
    path = folder / "other.sqlite"
    change(path, "CREATE TABLE notes (id INTEGER, text TEXT)")
    result = opscope("info", path, code=1)
    contains(result.err, "neither of Nsight Systems nor of rocprofv3", "why")
    own = folder / "own.db"
    opscope("convert", ROOT / "tests/testdata/pytorch/graph_alone.json.gz", "-o", own)
    contains(opscope("top", own, code=1).err, "give the profile it was made of", "what to do")


def test_damaged_databases_end(folder):
    """Cut anywhere, with bytes changed anywhere: an answer or an error, no more rows than there are."""
    rng = random.Random(5)
    for module, name in ((nsys_database, "d.sqlite"), (rocpd_database, "d.db")):
        path, whole = folder / name, folder / f"whole-{name}"
        module.write(whole)
        data = whole.read_bytes()
        for number in range(4 if SANITIZED else 25):
            damaged = bytearray(data)
            if number % 3 == 0:
                del damaged[rng.randrange(100, len(damaged)):]
            for _ in range(rng.randrange(1, 30) if number % 3 else 0):
                damaged[rng.randrange(100, len(damaged))] = rng.randrange(256)
            path.write_bytes(damaged)
            result = opscope("operators", path, "--json", code=None)
            true(result.code in (0, 1, 3), f"{name} {number}: {result}")
    shutil.rmtree(folder, ignore_errors=True)


def test_pages_that_are_their_own_children(folder):
    """A tree in which every page has the same child gives more rows than there are bytes: it ends."""
    path = folder / "bomb.sqlite"
    nsys_database.write(path, "2021.5", 400)
    base = sqlite3.connect(path)
    root = base.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'CUPTI_ACTIVITY_KIND_RUNTIME'").fetchone()[0]
    base.close()
    data = bytearray(path.read_bytes())
    page = (root - 1) * 4096
    equal(data[page], 5, "an inner page of a table")
    cells = int.from_bytes(data[page + 3:page + 5], "big")
    child = data[page + 8:page + 12]
    for cell in range(cells):
        at = page + int.from_bytes(data[page + 12 + 2 * cell:page + 14 + 2 * cell], "big")
        data[at:at + 4] = child
    path.write_bytes(data)
    result = opscope("top", path, "--json", code=None)
    true(result.code in (0, 1, 3), f"{result}")


main()
