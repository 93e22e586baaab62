#!/usr/bin/env python3
"""Every format to every other: as the table of docs/formats/README.md says, with the ledger balanced."""

import gzip

from support import *

from every_format import write_all

# Rows of the table to the files that stand for them; columns to what --to takes.
ROWS = {
    "Torq C1, C2, C3, C4": ["torq-c1", "torq-c2", "torq-c3", "torq-c4"],
    "Torq R1": ["torq-r1"],
    "Torq R2, R3, R4": ["torq-r2", "torq-r3", "torq-r4"],
    "Perfetto": ["perfetto"],
    "Chrome, ONNX Runtime, Kineto": ["chrome", "chrome-object", "onnxruntime", "kineto"],
    "Tracy": ["tracy"],
    "Nsight Systems, rocpd": ["nsys", "rocpd"],
    "Cloud AI's statistics, summaries, traces": ["qaic-raw-stats", "qaic-summary", "qaic-trace"],
    "Tenstorrent logs": ["tenstorrent-device", "tenstorrent-ops", "tenstorrent-times", "tenstorrent-folder"],
    "Tenstorrent report": ["tenstorrent-report"],
    "profile": ["profile"],
}
COLUMNS = {
    "`profile`": ["profile"], "`perfetto`": ["perfetto"], "`chrome`": ["chrome"], "`tracy`": ["tracy"],
    "`torq-c1`, `-c2`, `-c4`": ["torq-c1", "torq-c2", "torq-c4"], "`torq-r1`": ["torq-r1"],
    "`torq-r2`, `-r4`": ["torq-r2", "torq-r4"],
    "`tenstorrent-report`": ["tenstorrent-report", "tenstorrent-report-v1", "tenstorrent-report-v2",
                             "tenstorrent-report-v2.1"],
}


def table():
    """(row, column) to all, part or no."""
    lines = (ROOT / "docs/formats/README.md").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| from"))
    head, *rest = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:]
                   if line.startswith("|")]
    equal(head[1:], list(COLUMNS), "columns of the table")
    cells = {}
    for row in rest[1:]:
        cells |= {(row[0], column): cell for column, cell in zip(head[1:], row[1:])}
    equal({row for row, _ in cells}, set(ROWS), "rows of the table")
    return cells


def inputs(folder):
    files = write_all(folder)
    opscope("tt-report", files["tenstorrent-folder"], "-o", folder / "report.csv")
    opscope("convert", files["chrome"], "-o", folder / "own.prof")
    return {**files, "tenstorrent-report": folder / "report.csv", "profile": folder / "own.prof"}


def info(path):
    result = opscope("info", path, "--json", code=None)
    if result.code == 1 and "is empty" in result.err:
        return None
    return result.json()[0]


def events(about):
    return about["spans"] + about["instants"] + about["samples"]


def balanced(ledger):
    return ledger["expected"] in (None, ledger["recorded"] + ledger["lost"] + ledger["impossible"])


def not_carried(result):
    found = re.search(r"([\d ]+) not carried$", result.err, re.MULTILINE)
    return int(found[1].replace(" ", "")) if found else 0


def check(before, source, target, cell, folder):
    what = f"{source.name} to {target}"
    out = folder / "out"
    out.unlink(missing_ok=True)
    result = opscope("convert", source, "-o", out, "--to", target, code=None)
    if cell == "no":
        true(result.code in (1, 2), f"{what}: exit {result.code}")
        matches(result.err, r"^opscope: .{20}", what)
        true(not out.exists(), f"{what}: a file is left")
        return
    missing = not_carried(result)
    equal(result.code, 3 if missing else 0, f"exit of {what}: {result.err}")
    after = info(out)
    if after is None:
        equal([target, missing > 0], ["torq-c2", True], f"{what} is empty")
        return
    true(balanced(after["ledger"]), f"{what}: {after['ledger']}")
    equal(after["ledger"]["lost"] + after["ledger"]["impossible"], 0, f"lost in {what}")
    if cell == "all":
        equal(events(after), events(before), f"events of {what}")
        equal(missing, 0, f"not carried from {what}")
    else:
        gone = before["ledger"]["recorded"] - events(after)
        true(gone <= missing, f"{what}: {gone} events are gone, {missing} accounted for")


def test_every_pair(folder):
    cells = table()
    files = inputs(folder)
    equal({name for names in ROWS.values() for name in names}, set(files), "files")
    for row, names in ROWS.items():
        for name in names[-1:] if SANITIZED else names:
            before = info(files[name])
            true(events(before) > 0 and balanced(before["ledger"]), f"{name}: {before['ledger']}")
            for column, targets in COLUMNS.items():
                for target in targets[:1] if SANITIZED else targets:
                    check(before, files[name], target, cells[row, column], folder)


def test_packed_inputs(folder):
    """As gzip and as zstd, recognised by content whatever the name says."""
    for name, path in inputs(folder).items():
        if path.is_dir():
            continue
        plain = info(path)
        packed = write(folder / "packed", gzip.compress(path.read_bytes()))
        again = info(packed)
        for key in ("spans", "instants", "samples", "first_ns", "last_ns"):
            equal(again[key], plain[key], f"{key} of {name}, packed")
        equal(again["ledger"]["recorded"], plain["ledger"]["recorded"], f"ledger of {name}, packed")


def test_packed_outputs(folder):
    path = inputs(folder)["torq-r4"]
    for extension in (".pb", ".json", ".prof", ".csv", ".tracy"):
        opscope("convert", path, "-o", folder / f"plain{extension}")
        want = info(folder / f"plain{extension}")
        for packing, magic in ((".gz", b"\x1f\x8b"), (".zst", b"\x28\xb5\x2f\xfd")):
            out = folder / f"packed{extension}{packing}"
            opscope("convert", path, "-o", out)
            true(out.read_bytes().startswith(magic), f"{out.name} is packed")
            equal(events(info(out)), events(want), out.name)
            opscope("convert", out, "-o", folder / "again.prof")
            equal(events(info(folder / "again.prof")), events(want), f"{out.name} and back")
        equal(gzip.decompress((folder / f"packed{extension}.gz").read_bytes()),
              (folder / f"plain{extension}").read_bytes(), f"bytes of {extension}.gz")


def test_every_format_merges(folder):
    """Each file with itself and with a Chrome trace: spans, instants and samples of all arrive."""
    files = inputs(folder)
    other = info(files["chrome"])
    for name, path in files.items():
        alone = info(path)
        opscope("merge", path, path, files["chrome"], "-o", folder / "merged.prof", code=None)
        both = info(folder / "merged.prof")
        for key in ("spans", "instants", "samples"):
            equal(both[key], 2 * alone[key] + other[key], f"{key} of {name}, twice")
        equal(both["ledger"]["recorded"], 2 * alone["ledger"]["recorded"] + other["ledger"]["recorded"],
              f"recorded of {name}, twice")
        true(balanced(both["ledger"]), f"{name}: {both['ledger']}")


def test_reasons(folder):
    files = inputs(folder)
    for name in ("tenstorrent-folder", "torq-c1", "perfetto"):
        result = opscope("convert", files[name], "-o", folder / "x.csv", "--to", "tenstorrent-report", code=1)
        contains(result.err, "opscope tt-report", name)
    opscope("convert", files["tenstorrent-ops"], "-o", folder / "x.csv")
    contains((folder / "x.csv").read_text().splitlines()[0], "track,process,thread", "a flat table")
    for name, command in (("x.svg", "timeline"), ("x.png", "timeline"), ("x.html", "report")):
        contains(opscope("convert", files["torq-c1"], "-o", folder / name, code=2).err, f"'opscope {command}' writes it")
    contains(opscope("convert", files["torq-c1"], files["torq-c2"], "-o", folder / "x.pb", code=2).err,
             "opscope merge")
    missing = opscope("convert", folder / "no.csv", "-o", folder / "x.csv", "--to", "tenstorrent-report", code=1)
    true("tt-report" not in missing.err, missing.err)


main()
