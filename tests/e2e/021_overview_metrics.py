"""The overview's figures against a count of every single nanosecond."""
import csv
import io
import random

from support import *
from spans import trace_rows, is_overview
from torq_compile import *
from torq_runtime import NONE, Event, runtime_csv, runtime_rows
from torq_trace import OVERVIEW

PROFILES = 150


def some_spans(seed):
    """A few spans, overlapping and out of order, of some engines."""
    rng = random.Random(seed)
    units = rng.sample(["DMA IN", "DMA OUT", "CDMA", "CSS", "SLICE", "SLICE", "SLICE"],
                       rng.randrange(1, 7))
    first = rng.choice((0, 0, 1000, 2**40))
    spans = []
    for _ in range(rng.randrange(1, 25)):
        start = first + rng.randrange(300)
        unit = rng.choice(units)
        spans.append(Span(unit, start, start + rng.choice((0, 1, 5, rng.randrange(120))),
                          op="LRAM_TO_DTCM" if unit == "CDMA" else "add",
                          slice=rng.choice((0, 1, 0, 1, 2, 5)) if unit == "SLICE" else 0))
    return spans


def busy_units(rows, engine_of, unit=1):
    """For every engine the set of time units in which it was busy."""
    busy = {}
    for row in rows:
        engine = engine_of(row.thread)
        if engine is not None:
            busy.setdefault(engine, set()).update(
                range(row.ts // unit, (row.ts + row.dur) // unit))
    return busy


def union(busy, *engines):
    return set().union(*(busy[engine] for engine in busy
                         if any(engine.startswith(part) for part in engines)))


def compile_figures(rows):
    """The figures by row name; None where a compile profile has none."""
    busy = busy_units(rows, lambda thread: thread)
    dma, compute = union(busy, "DMA", "CDMA"), union(busy, "SLICE", "CSS")
    overall = max(row.ts + row.dur for row in rows) - min(row.ts for row in rows)
    figures = {
        "OVERALL": overall, "Dma": len(dma), "Dma Only": len(dma - compute),
        "Dma Total": len(union(busy, "DMA")), "Cdma": len(union(busy, "CDMA")),
        "Dma In": len(union(busy, "DMA IN")), "Dma Out": len(union(busy, "DMA OUT")),
        "Compute": len(compute), "Compute Only": len(compute - dma),
        "Slice": len(union(busy, "SLICE")), "Css": len(union(busy, "CSS")),
        "Overlap": len(dma & compute), "Idle": overall - len(dma | compute),
        "Slice 0": len(busy.get("SLICE 0", ())), "Slice 1": len(busy.get("SLICE 1", ())),
        **dict.fromkeys(("Hal", "Npu", "Host", "Host Copy", "TOTAL NPU OPERATIONS")),
    }
    for engine in busy:
        if engine.startswith("SLICE"):
            figures[engine.title()] = len(busy[engine])
    return figures


def percent_of(name, ns, figures):
    if ns is None or name in ("OVERALL", "TOTAL NPU OPERATIONS"):
        return None
    return ns / figures["OVERALL"] * 100 if figures["OVERALL"] else 0


def check(found, figures, what):
    """What the program found, as JSON, is what was counted."""
    metrics = {metric["name"]: metric for metric in found["metrics"]}
    equal(len(metrics), len(found["metrics"]), "names differ")
    equal({name: metric["ns"] for name, metric in metrics.items()}, figures, what)
    for name, metric in metrics.items():
        want = percent_of(name, figures[name], figures)
        if want is None:
            equal(metric["percent"], None, f"{what}: percent of {name}")
        else:
            close_to(metric["percent"], want, 0.006, f"{what}: percent of {name}")


def write_profiles(folder, count):
    paths, figures = [], []
    for seed in range(count):
        form = FORMS[1 + seed % 3]
        spans = some_spans(seed)
        paths.append(write(folder / f"{seed}.csv", compile_csv(form, spans)))
        figures.append(compile_figures(compile_rows(form, spans, f"{seed}.csv")))
    return paths, figures


def test_compile_profiles(folder):
    paths, figures = write_profiles(folder, PROFILES)
    found = opscope("overview", "--json", "--all", *paths).json()
    equal([one["file"] for one in found], list(map(str, paths)), "files")
    for one, want in zip(found, figures):
        check(one, want, one["file"])


def duration(ns):
    for limit, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "\u00b5s")):
        if ns >= limit:
            return f"{ns / limit:.3f}{unit}"
    return f"{ns}ns"


ROW_OF_LABEL = {
    "DMA+CDMA union": "Dma", "SLICE+CSS union": "Compute", "DMA total": "Dma Total",
    "CDMA total": "Cdma", "SLICE 0 + 1 union": "Slice", "SLICE 0": "Slice 0", "SLICE 1": "Slice 1",
    "CSS": "Css", "DMA/CDMA ONLY (no compute)": "Dma Only", "COMPUTE ONLY (no DMA/CDMA)":
    "Compute Only", "DMA/CDMA<->COMPUTE overlap": "Overlap", "HAL total": "Hal",
    "HOST total": "Host", "HOST COPY total": "Host Copy", "IDLE": "Idle", "OVERALL": "OVERALL"}


def event_name(label, figures):
    ns = figures[ROW_OF_LABEL[label]]
    if ns is None:
        return f"{label}: absent"
    percent = percent_of(label, ns, figures)
    return f"{label}: {duration(ns)}" + ("" if percent is None else f" ({percent:.2f}%)")


def test_sixteen_tracks_in_a_trace(folder):
    paths, figures = write_profiles(folder, 20)
    perfetto_logger("--compile_profile", *paths, "--pb", folder / "all.pb")
    rows = trace_rows(folder / "all.pb")
    for number, (path, want) in enumerate(zip(paths, figures), 1):
        process = f"{number:02} {path.name}"
        start = min(row.ts for row in rows if row.process == process)
        got = [row for row in rows if row.process == process + " Overview"]
        equal([(row.thread, row.ts, row.dur, row.name) for row in sorted(got, key=lambda row:
                                                                         row.thread)],
              [(track, start, want[ROW_OF_LABEL[label]] or 0, event_name(label, want))
               for track, label in OVERVIEW], process)
    [row] = trace_query(folder / "all.pb", "select count(*) as n from slice where category ="
                        " 'overview'")
    equal(row["n"], 16 * len(paths), "events of category overview")


def test_the_trace_says_what_the_profile_says(folder):
    """Figures in names are rounded to a thousandth of their unit."""
    paths, figures = write_profiles(folder, 12)
    for path, want in zip(paths, figures):
        perfetto_logger("--compile_profile", path, "--pb", folder / "x.pb")
        [found] = opscope("overview", "--json", folder / "x.pb").json()
        for metric in found["metrics"]:
            equal(metric["ns"], want[metric["name"]], f"{path}: {metric['name']}")


def test_text_json_and_csv_agree(folder):
    paths, figures = write_profiles(folder, 30)
    text = opscope("overview", *paths, "--all").out
    table = list(csv.DictReader(io.StringIO(opscope("overview", *paths, "--all", "--csv").out)))
    found = opscope("overview", "--json", "--all", *paths).json()
    blocks = text.split("  Model: ")[1:]
    equal(len(blocks), len(paths), "blocks")
    for block, one, want in zip(blocks, found, figures):
        lines = block.splitlines()
        equal(lines[0], pathlib.Path(one["file"]).name, "model")
        shown = []
        for metric in one["metrics"]:
            value = "absent" if metric["ns"] is None else duration(metric["ns"])
            percent = percent_of(metric["name"], metric["ns"], want)
            shown.append(f"  {metric['name']:<26} {value:>14}" +
                         ("" if percent is None else f"  ({percent:.2f}%)"))
        equal(lines[2:-1] if lines[-1] == "" else lines[2:], shown, one["file"])
        rows = [row for row in table if row["file"] == one["file"]]
        equal([(row["metric"], row["ns"]) for row in rows],
              [(metric["name"], "" if metric["ns"] is None else str(metric["ns"]))
               for metric in one["metrics"]], "CSV")


def runtime_engine(thread):
    if thread.startswith("HAL_"):
        return "HAL"
    return {"HOST_COPY": "COPY", "HOST_PROGRAM": "HOST", "HOST_START": "HOST", "HOST_WAIT": "HOST",
            "HOST PROGRAM": "HOST", "NSS PROGRAM": "NPU"}.get(thread)


def runtime_figures(rows):
    busy = busy_units(rows, runtime_engine, 1000)
    engines = [row for row in rows if runtime_engine(row.thread)]
    beside = [row for row in engines if runtime_engine(row.thread) != "HAL"]

    def length(chosen):
        return (max(row.ts + row.dur for row in chosen) - min(row.ts for row in chosen)
                if chosen else 0)
    host = union(busy, "HOST", "COPY")
    alone = len(host - union(busy, "NPU", "HAL")) * 1000
    figures = {"OVERALL": length(engines),
               "Idle": length(engines) - 1000 * len(union(busy, "HAL", "HOST", "COPY", "NPU"))}
    for name, engine in (("Hal", "HAL"), ("Npu", "NPU"), ("Host", "HOST"), ("Host Copy", "COPY")):
        figures[name] = 1000 * len(busy[engine]) if engine in busy else None
    if "HOST" in busy or "COPY" in busy:
        figures["Host"] = figures["Host"] or 0
        figures["Host Copy"] = figures["Host Copy"] or 0
        figures["TOTAL NPU OPERATIONS"] = max(0, length(beside) - alone)
    return figures


def some_events(seed):
    rng = random.Random(seed)
    names = rng.sample(["HAL_CALL", "HAL_QUEUE_WAIT", "HOST_COPY", "HOST_START", "HOST_WAIT",
                        "NSS_START", "DISPATCH", "ALLOC"], rng.randrange(2, 8))
    events = []
    for number in range(rng.randrange(2, 20)):
        begin = 5_000_000 + rng.randrange(300)
        name = rng.choice(names)
        end = begin + rng.choice((0, 1, rng.randrange(80)))
        fields = {"invocation": number, "dispatch": "d"}
        action = NONE if name[:3] in ("HAL", "DIS") else number
        events.append(Event(name, begin, end, action, **fields))
        if name == "NSS_START":
            events.append(Event("NSS_WAIT", end + rng.randrange(9), end + 30, action + 1, **fields))
    return events


def test_runtime_profiles(folder):
    paths, wants = [], []
    for seed in range(PROFILES):
        events = some_events(seed)
        rows = runtime_rows("r4", events, f"{seed}.csv")
        if not any(runtime_engine(row.thread) for row in rows):
            continue
        paths.append(write(folder / f"{seed}.csv", runtime_csv("r4", events)))
        wants.append(runtime_figures(rows))
    found = opscope("overview", "--json", "--all", *paths).json()
    for one, want in zip(found, wants):
        got = {metric["name"]: metric["ns"] for metric in one["metrics"]}
        figures = {**dict.fromkeys(got), **want}
        check(one, figures, one["file"])


main()
