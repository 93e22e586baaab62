"""Many rows, a million where OPSCOPE_ALL is set, through every path: nothing is dropped on the way."""
from support import *
from torq_compile import compile_csv, random_spans

ROWS = 1_000_000 if os.environ.get("OPSCOPE_ALL") else 50_000 if SANITIZED else 200_000
PREFIXES = {"DI": "DMA IN", "DO": "DMA OUT", "CD": "CDMA", "CS": "CSS"}


def million(folder):
    """A C2 of that many rows, and what it holds: {engine: (rows, ns)}."""
    path = folder / "million.csv"
    generator = program("opscope").resolve().parent / "bench/generate_c2"
    if generator.exists():
        with open(path, "wb") as out:
            subprocess.run([generator, str(ROWS), "7"], stdout=out, check=True)
    else:
        write(path, compile_csv("c2", random_spans(ROWS, seed=7)))
    engines = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            identifier, start, end, _ = line.split(",", 3)
            engine = PREFIXES.get(identifier[:2]) or "SLICE " + identifier.split("_")[1]
            rows, length = engines.get(engine, (0, 0))
            engines[engine] = (rows + 1,
                               length + int(end) * 5 // 4 - int(start) * 5 // 4)  # 800 MHz
    equal(sum(rows for rows, _ in engines.values()), ROWS, "rows of the generator")
    return path, engines


def rows_by_name(tracks):
    return {track["name"]: track["spans"] for track in tracks if track["spans"]}


def test_every_path(folder):
    path, engines = million(folder)
    counts = {engine: rows for engine, (rows, _) in engines.items()}

    opscope("convert", path, "-o", folder / "m.prof")
    opscope("convert", folder / "m.prof", "-o", folder / "m.pb")
    opscope("convert", folder / "m.prof", "-o", folder / "again.csv", "--to", "torq-c2")
    with open(folder / "again.csv", "rb") as lines:
        equal(sum(1 for _ in lines), ROWS, "rows that come back")
    for name in ("million.csv", "m.prof", "again.csv"):
        [found] = opscope("info", "--json", folder / name).json()
        equal(rows_by_name(found["tracks"]), counts, name)
        equal((found["ledger"]["expected"], found["ledger"]["recorded"]), (ROWS, ROWS), name)
    [found] = opscope("info", "--json", folder / "m.pb").json()
    equal((found["spans"], found["ledger"]["lost"]), (ROWS, 0), "m.pb")

    [first] = opscope("overview", "--json", path).json()
    [second] = opscope("overview", "--json", folder / "m.prof").json()
    equal(second["metrics"], first["metrics"], "overview")
    figures = {metric["name"]: metric["ns"] for metric in first["metrics"]}
    for row, engine in (("Css", "CSS"), ("Slice 0", "SLICE 0"), ("Slice 1", "SLICE 1")):
        equal(figures[row], engines[engine][1], f"{row}, whose spans do not overlap")

    perfetto_logger("--compile_profile", path, "--pb", folder / "m.pb")
    rows = without_loss(folder / "m.pb", "select t.name as engine, count(*) as rows, sum(dur) as ns"
                        " from slice s join thread_track tt on s.track_id = tt.id join thread t"
                        " using (utid) join process p using (upid) where p.name = 'million.csv'"
                        " group by 1")
    equal({row["engine"]: (row["rows"], row["ns"]) for row in rows}, engines, "trace")


main()
