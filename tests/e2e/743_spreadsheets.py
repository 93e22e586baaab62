"""CSV for spreadsheets: texts that one would calculate get a ' in front, unless the user wants them
as they are; vendors' forms and JSON keep them."""

import csv
import io

from support import *

NAMES = ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\t=1", "plain", "-2.5", "a=b", "-"]
FORMULAS = {"=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\t=1"}


def trace(folder):
    events = [{"ph": "X", "pid": 1, "tid": i + 1, "ts": 10 * i, "dur": 5, "name": name}
              for i, name in enumerate(NAMES)]
    names = [{"ph": "M", "pid": 1, "tid": i + 1, "name": "thread_name", "args": {"name": name}}
             for i, name in enumerate(NAMES)]
    return write(folder / "trace.json", json.dumps(names + events))


def threads(text):
    return [row["name"] for row in csv.DictReader(io.StringIO(text, newline="")) if row["parent"] != "0"]


def test_the_usual(folder):
    path = trace(folder)
    want = ["'" + name if name in FORMULAS else name for name in NAMES]
    equal(sorted(threads(opscope("info", path, "--csv").out)), sorted(want), "names")
    equal(sorted(threads(opscope("info", path, "--csv", "--spreadsheet-safe").out)), sorted(want), "names")


def test_texts_as_they_are(folder):
    path = trace(folder)
    equal(sorted(threads(opscope("info", path, "--csv", "--no-spreadsheet-safe").out)), sorted(NAMES), "names")
    found = [track["name"] for track in opscope("info", path, "--json").json()[0]["tracks"]]
    true(set(NAMES) <= set(found), f"JSON has {found}")
    contains(opscope("info", path, "--csv", "--spreadsheet-safe", "--no-spreadsheet-safe", code=2).err,
             "choose --spreadsheet-safe or --no-spreadsheet-safe")


def test_vendors_forms_keep_their_texts(folder):
    rows = "DI0,0,77,=1+1,DMA_IN,4\nS0_0,78,180,@loc,-op\nS1_0,190,200,l,=op\n"
    path = write(folder / "in.csv", rows)
    opscope("convert", path, "-o", folder / "out.csv", "--to", "torq-c2")
    equal((folder / "out.csv").read_text(encoding="utf-8"), rows, "C2")


def test_every_table_takes_it():
    for command in re.findall(r"^  (\S+) +\S", opscope("--help").out, re.MULTILINE):
        text = opscope(command, "--help").out
        if "--help-columns" in text:
            contains(text, "--no-spreadsheet-safe", command)


main()
