"""opscope sql and databases: virtual tables and real ones give the same rows, and those that top gives."""
import gzip
import os
import sqlite3
from decimal import Decimal

from support import *

from every_format import write_all

FOLDER = ROOT / "tests/testdata/pytorch"
PAGE = ROOT / "docs/sql.md"

# What users ask, in both bodies of the schema; ids are those of spans in the middle of a profile.
QUERIES = [
    "SELECT * FROM string ORDER BY id",
    "SELECT * FROM track ORDER BY id",
    "SELECT * FROM process",
    "SELECT * FROM thread",
    "SELECT * FROM span",
    "SELECT * FROM instant",
    "SELECT * FROM counter",
    "SELECT * FROM operator",
    "SELECT * FROM call",
    "SELECT * FROM arg",
    "SELECT * FROM flow",
    "SELECT * FROM clock",
    "SELECT * FROM buffer",
    "SELECT * FROM fact",
    "SELECT * FROM ledger",
    "SELECT * FROM note",
    "SELECT * FROM slice",
    "SELECT * FROM kernels",
    "SELECT * FROM memory_copies",
    "SELECT * FROM regions_and_samples",
    "SELECT * FROM top",
    "SELECT * FROM top_kernels",
    "SELECT * FROM busy",
    "SELECT * FROM memory_allocations",
    "SELECT * FROM tracks",
    "SELECT role, COUNT(*), SUM(dur), MIN(ts), MAX(ts + dur) FROM span GROUP BY role",
    "SELECT s.id, a.name, a.value FROM span s JOIN arg a ON a.span_id = s.id WHERE s.id BETWEEN 3 AND 9",
    "SELECT id FROM span WHERE track_id = (SELECT MAX(track_id) FROM span) AND ts > (SELECT AVG(ts) FROM span)",
    "SELECT id FROM span WHERE ts >= (SELECT MIN(ts) + (MAX(ts) - MIN(ts)) / 3 FROM span)"
    " AND ts <= (SELECT MIN(ts) + (MAX(ts) - MIN(ts)) / 2 FROM span) ORDER BY ts DESC, id",
    "SELECT id, ts FROM span WHERE track_id = (SELECT MIN(track_id) FROM span) ORDER BY ts LIMIT 20",
    "SELECT p.id, c.id FROM span p JOIN span c ON c.parent_id = p.id",
    "SELECT c.id, COUNT(s.id), SUM(s.dur) FROM call c LEFT JOIN span s ON s.call_id = c.id GROUP BY c.id",
    "SELECT f.id, o.name_id, i.name_id, i.ts - o.ts FROM flow f JOIN span o ON o.id = f.span_out"
    " JOIN span i ON i.id = f.span_in",
    "SELECT n.value, COUNT(*) FROM string n JOIN span s ON s.name_id = n.id GROUP BY n.id",
    "SELECT id FROM span WHERE id IN (1, 2, 7, 100000000, -1, NULL) OR name_id = 5",
    "SELECT id FROM span WHERE id = '3' OR id = 4.0 OR id = 4.5 OR track_id = NULL OR parent_id = 2",
    "SELECT id FROM span WHERE ts > 1.5 AND ts < 9e18 AND call_id IS NOT NULL AND call_id <> 3",
    "SELECT typeof(ts), typeof(dur), typeof(ticks), typeof(cycles), COUNT(*) FROM span GROUP BY 1, 2, 3, 4",
    "SELECT a.type, typeof(a.value), COUNT(*) FROM arg a GROUP BY 1, 2",
    "WITH RECURSIVE up(id, top) AS (SELECT id, id FROM track WHERE parent_id IS NULL UNION ALL"
    " SELECT t.id, up.top FROM track t JOIN up ON t.parent_id = up.id) SELECT top, COUNT(*) FROM up GROUP BY top",
]

# From the pages of rocpd on its views, word for word.
PUBLISHED = [
    "SELECT name, duration FROM kernels ORDER BY duration DESC LIMIT 10",
    "SELECT COUNT(*) as total_kernels FROM kernels",
    "SELECT pid, COUNT(*) as kernel_count FROM kernels GROUP BY pid",
    "SELECT name as kernel_name, AVG(duration) as avg_duration FROM kernels GROUP BY kernel_name",
    "SELECT name, AVG(duration) FROM kernels GROUP BY name",
    "SELECT COUNT(*) as total_kernels, SUM(duration) as total_time FROM kernels",
    "SELECT name as kernel_name, COUNT(*) as dispatch_count, MIN(duration) as min_duration, AVG(duration) as"
    " avg_duration, MAX(duration) as max_duration, SUM(duration) as total_duration FROM kernels GROUP BY kernel_name"
    " ORDER BY total_duration DESC",
    "SELECT name as kernel_name, src_agent_type, src_agent_abs_index, dst_agent_type, dst_agent_abs_index, COUNT(*)"
    " as transfer_count, SUM(size) as total_bytes, SUM(duration) as total_duration FROM memory_copies GROUP BY"
    " src_agent_abs_index ORDER BY total_bytes DESC",
    "SELECT * FROM top_kernels LIMIT 10",
    "SELECT * FROM regions_and_samples WHERE category LIKE 'cpu_%'",
    "SELECT * FROM processes", "SELECT * FROM threads", "SELECT * FROM regions",
    "SELECT name, duration, grid_x, grid_y, grid_z FROM kernels WHERE agent_abs_index = 0",
    "SELECT name, MAX(grid_x / workgroup_x) * MAX(grid_y / workgroup_y) * MAX(grid_z / workgroup_z) FROM kernels GROUP BY name",
    "SELECT total_duration,total_calls,percentage,name FROM top_kernels ORDER BY total_duration DESC LIMIT 10",
]


def trace(case):
    return FOLDER / f"{case}.json.gz"


def rows_of(path, *queries, code=0):
    """What each query gives, of one run."""
    result = opscope("sql", path, ";\n".join(queries), "--json", code=code).json()
    equal(len(result["results"]), len(queries), f"{path}: results")
    return [[tuple(row) for row in one["rows"]] for one in result["results"]]


def database(path, folder, code=0):
    out = folder / f"{path.name}.db"
    opscope("convert", path, "-o", out, code=code)
    return sqlite3.connect(out)


def as_printed(cell):
    return f"x'{cell.hex()}'" if isinstance(cell, bytes) else cell


def compare(path, folder, queries, code=0):
    real = database(path, folder, code)
    for query, got in zip(queries, rows_of(path, *queries, code=code)):
        want = [tuple(as_printed(cell) for cell in row) for row in real.execute(query)]
        if "ORDER BY" not in query:
            got, want = sorted(got, key=repr), sorted(want, key=repr)
        equal(got, want, f"{path.name}: {query}")
    equal(real.execute("PRAGMA integrity_check").fetchall(), [("ok",)], f"{path.name}: the file")
    real.close()


def test_queries_give_the_same_on_a_profile_and_its_database(folder):
    (folder / "formats").mkdir()
    files = write_all(folder / "formats")
    names = ("torq-c2", "torq-r2", "perfetto", "onnxruntime", "tracy", "qaic-raw-stats", "qaic-trace",
             "tenstorrent-folder")
    for name in names if not SANITIZED else names[::3]:
        compare(files[name], folder, QUERIES, code=opscope("info", files[name], code=None).code)
    opscope("convert", trace("training"), "-o", folder / "own.prof")
    for path in (folder / "own.prof", *map(trace, ("memory", "graphs", "stacks") if not SANITIZED else ("memory",))):
        compare(path, folder, QUERIES)


def test_published_queries_run_unchanged(folder):
    for case in ("training", "streams") if not SANITIZED else ("streams",):
        compare(trace(case), folder, PUBLISHED)
        [[(count,)], [(total,)]] = rows_of(trace(case), "SELECT COUNT(*) FROM kernels",
                                           "SELECT SUM(total_calls) FROM top_kernels")
        with gzip.open(trace(case)) as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        kernels = [event for event in events if event.get("cat") == "kernel"]
        equal((count, total), (len(kernels), len(kernels)), f"{case}: kernels")
        [rows] = rows_of(trace(case), "SELECT name, duration FROM kernels")
        equal(sorted(rows), sorted((event["name"], int(event["dur"] * 1000)) for event in kernels), f"{case}: each")
        [rows] = rows_of(trace(case), "SELECT grid_x, grid_y, grid_z, workgroup_x, workgroup_y, workgroup_z FROM kernels")
        equal(sorted(rows), sorted((*(int(a * b) for a, b in zip(event["args"]["grid"], event["args"]["block"])),
                                    *event["args"]["block"]) for event in kernels), f"{case}: work items and groups")


def test_sums_are_those_of_top(folder):
    device = ("SELECT name, COUNT(*), SUM(duration) FROM (SELECT name, duration FROM kernels UNION ALL"
              " SELECT name, duration FROM memory_copies) GROUP BY name")
    host = ("SELECT n.value, COUNT(*), SUM(s.dur - IFNULL(c.inside, 0)) FROM span s JOIN string n ON n.id = s.name_id"
            " LEFT JOIN (SELECT parent_id, SUM(dur) AS inside FROM span GROUP BY parent_id) c ON c.parent_id = s.id"
            " WHERE s.role LIKE 'host%' GROUP BY n.value")
    for case in ("inference", "training", "streams", "stacks"):
        rows = opscope("top", trace(case), "--json").json()["spans"]
        got = rows_of(trace(case), device, host)
        for side, part, key in (("device", got[0], "total_ns"), ("host", got[1], "self_ns")):
            equal(sorted(part), sorted((row["label"], row["count"], row[key]) for row in rows if row["where"] == side),
                  f"{case}: {side}")


def test_devices_of_a_trace_are_apart_and_busy_once(folder):
    """Streams 7 and 8 of two GPUs: of 400 us both work in 100, the first alone in 100 more."""
    works = [("kernel", "gemm", 7, 0, 200), ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 8, 100, 100),
             ("kernel", "gemm", 7, 390, 10)]
    events = [{"ph": "X", "cat": cat, "name": name, "pid": gpu, "tid": stream, "ts": ts, "dur": dur,
               "args": {"device": gpu, "stream": stream, "correlation": gpu + ts}}
              for gpu in (0, 1) for cat, name, stream, ts, dur in works]
    trace = write(folder / "t.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
                                                 "traceEvents": events}))
    for path in (trace, folder / "t.prof", folder / "t.pb"):
        if path != trace:
            opscope("convert", trace, "-o", path)
        busy, kernels, copies = rows_of(
            path, "SELECT agent_id, GpuTime, WallTime, Busy FROM busy",
            "SELECT device, COUNT(*) FROM kernels GROUP BY 1",
            "SELECT DISTINCT dst_agent_abs_index FROM memory_copies ORDER BY 1")
        equal(busy, [(gpu, 210_000, 400_000, 0.525) for gpu in (0, 1)], f"busy of {path.name}")
        equal((kernels, copies), ([(0, 2), (1, 2)], [(0,), (1,)]), f"work of {path.name}")


def test_what_does_not_fit_an_integer_is_text(folder):
    far = 2 ** 63 + 11
    events = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"address": far, "near": 2 ** 63 - 1,
                                                                                      "below": -5, "real": 0.1}}]
    path = write(folder / "far.json", json.dumps({"traceEvents": events}))
    query = "SELECT name, typeof(value), value FROM arg WHERE span_id = 1 AND name IN ('address', 'near', 'below', 'real')"
    want = [("address", "text", str(far)), ("below", "integer", -5), ("near", "integer", 2 ** 63 - 1), ("real", "real", 0.1)]
    equal(sorted(rows_of(path, query)[0]), want, "virtual")
    with database(path, folder) as real:
        equal(sorted(real.execute(query).fetchall()), want, "real")


def test_a_database_is_the_same_every_time(folder):
    for number, dirt in enumerate(("", "165", "90")):
        opscope("convert", trace("streams"), "-o", folder / f"{number}.sqlite",
                env={**os.environ, "MALLOC_PERTURB_": dirt} if dirt else None)
    first = (folder / "0.sqlite").read_bytes()
    for number in (1, 2):
        true((folder / f"{number}.sqlite").read_bytes() == first, "the same bytes")
    opscope("convert", trace("streams"), "-o", folder / "packed.db.gz")
    equal(gzip.decompress((folder / "packed.db.gz").read_bytes()), first, "packed")
    with sqlite3.connect(folder / "0.sqlite") as real:
        equal(real.execute("PRAGMA user_version").fetchall(), [(1,)], "version")
        contains(" ".join(row[0] for row in real.execute("SELECT name FROM sqlite_master WHERE type = 'index'")),
                 "span_by_track_id_ts")


def test_forms(folder):
    path = trace("streams")
    query = "SELECT 1 AS one, NULL AS none, '=1+1' AS formula, 0.1 AS real, x'00ff' AS bytes"
    equal(opscope("sql", path, query, "--csv").out, "one,none,formula,real,bytes\n1,,'=1+1,0.1,x'00ff'\n", "CSV")
    contains(opscope("sql", path, query, "--csv", "--no-spreadsheet-safe").out, ",=1+1,", "as it is")
    equal(opscope("sql", path, query).out.splitlines(),
          ["one  none  formula  real  bytes", "  1  NULL  =1+1      0.1  x'00ff'"], "text")
    document = opscope("sql", path, query, "--json").json()
    equal(document["results"], [{"columns": ["one", "none", "formula", "real", "bytes"],
                                 "rows": [[1, None, "=1+1", 0.1, "x'00ff'"]]}], "JSON")
    equal(document["ledger"]["lost"], 0, "ledger")
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i FROM n"
    equal(opscope("sql", path, many, "--csv").out.split(), ["i", *map(str, range(1, 2501))], "many rows")
    equal(opscope("sql", path, "SELECT 1 WHERE 0", "--csv").out, "1\n", "none")


def test_queries_from_files_and_the_standard_input(folder):
    path = trace("streams")
    script = write(folder / "report.sql", "CREATE TEMP VIEW long AS\n  SELECT * FROM span WHERE dur > 10000; -- a ; here\n"
                                          "CREATE TEMP TABLE kept AS SELECT id FROM long;\nSELECT COUNT(*) FROM kept")
    [[(want,)]] = rows_of(path, "SELECT COUNT(*) FROM span WHERE dur > 10000")
    equal(opscope("sql", path, "--script", script, "--csv").out.split()[1], str(want), "from a file")
    equal(opscope("sql", path, "--script", "-", "--csv", stdin=script.read_bytes()).out.split()[1], str(want), "input")
    out = opscope("sql", path, stdin=b".tables\n.schema span\n.schema busy\nSELECT\n';' AS text;\n.quit\nSELECT 'no';").out
    for piece in ("memory_copies        view:", "CREATE TABLE span(", "CREATE VIEW busy AS", "text\n;"):
        contains(out, piece, "prompt")
    true("no" not in out.splitlines(), "after .quit")
    contains(opscope("sql", path, stdin=b".frobnicate\n", code=2).err, "'.frobnicate' is no command")


def test_a_query_writes_nothing(folder):
    path = trace("streams")
    for query in ("ATTACH '{}/x.db' AS x", "VACUUM INTO '{}/x.db'", "CREATE TABLE x(a)", "INSERT INTO span(id) VALUES (1)",
                  "DELETE FROM track", "DROP TABLE span", "DROP VIEW kernels", "PRAGMA temp_store_directory = '{}'",
                  "PRAGMA user_version = 7", "SELECT load_extension('{}/x.so')", "PRAGMA writable_schema = 1",
                  "CREATE VIRTUAL TABLE temp.x USING opscope(span)", "UPDATE sqlite_master SET sql = ''", "BEGIN",
                  "CREATE TEMP TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END"):
        result = opscope("sql", path, query.format(folder), code=2)
        matches(result.err, r"^opscope: SQL: .{5}", query)
    contains(opscope("sql", path, "CREATE TABLE x(a)", code=2).err, "a query reads, and makes temporary tables and views")
    equal(list(folder.iterdir()), [], "files")


def test_wrong_use_and_damaged_inputs(folder):
    path = trace("streams")
    for words, piece in (((), "give one file and one query"), ((path, "SELECT 1", "x"), "one query"),
                         ((path, "SELEC 1"), 'near "SELEC": syntax error'), ((path, "SELECT * FROM nosuch"), "nosuch; 'opscope sql --schema' prints the tables"),
                         ((path, "SELECT 1; SELECT 2", "--csv"), "--csv has room"),
                         ((path, "SELECT 1", "--csv", "--json"), "not both"), ((path, "SELECT 1", "--script", "-"), "not both")):
        contains(opscope("sql", *words, code=2).err, piece, f"{words}")
    contains(opscope("sql", folder / "none.json", "SELECT 1", code=1).err, "none.json")
    contains(opscope("sql", write(folder / "empty.json", ""), "SELECT 1", code=1).err, "empty")
    contains(opscope("sql", path, "--script", folder / "none.sql", code=1).err, "none.sql")
    contains(opscope("sql", path, "SELECT zeroblob(1000000000)", code=1).err, "too big")
    lossy = write(folder / "lossy.json", json.dumps([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
                                                     {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": "no", "dur": 2}]))
    [notes, [(lost,)]] = rows_of(lossy, "SELECT kind, count FROM note WHERE kind = 'lost'",
                                 "SELECT SUM(lost) FROM ledger", code=3)
    equal((notes, lost), ([("lost", 1)], 1), "the ledger as a table")
    compare(lossy, folder, QUERIES, code=3)


def test_the_page_is_true(folder):
    """Its schema is what the program has, and its queries run on both."""
    text = PAGE.read_text()
    blocks = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    equal(blocks[-1], opscope("sql", "--schema").out, "the schema")
    queries = [block.strip().rstrip(";") for block in blocks[:-1]]
    true(len(queries) >= 10, "ten queries")
    compare(trace("training"), folder, queries)
    answers = rows_of(trace("training"), *queries)
    for query, rows in zip(queries, answers):
        true(rows, f"rows of {query}")
    steps = next(rows for query, rows in zip(queries, answers) if "AS step_ns" in query)
    with gzip.open(trace("training")) as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    equal([row[:2] for row in steps], [(int(event["name"].split("#")[1]), int(event["dur"] * 1000)) for event in events
                                       if event.get("cat") == "user_annotation" and "ProfilerStep#" in event["name"]],
          "how long steps take")


main()
