#!/usr/bin/env python3
"""One question, `GROUP BY name` over all spans, asked of a profile in several ways.

    bench/sql.py [--rows 10000000] [--rounds 3] [--folder DIR] [--tp FILE]

Makes a Torq profile of ROWS spans. Takes turns: `wc -l` of it; `opscope sql` on it, by name and by the number of the
name, and on the .prof that opscope made of it; sqlite3 on the database of `opscope convert -o x.db`; and trace_processor
on the .pb, in its build for WebAssembly under node (TP: a script that takes a trace and a query; TP_DIR in the
environment is the folder of its wasm), which opens the trace again for each question as opscope does; beside them
`opscope top` and `opscope operators`, on the CSV and on the .prof. Best of each, by the clock and by the time of all
processors, which counts on a busy machine; ratios are to `wc -l` of the CSV in the same run. All must count the same
spans. Prints a table; exits 0 whatever it says.
"""

import json
import os
import pathlib
import shutil
import subprocess
import time

from measuring import ROOT, all_times, kept, row, run

OPSCOPE = str(ROOT / "build/bin/opscope")
BY_NAME = "SELECT name, COUNT(*) AS n, SUM(dur) AS ns FROM slice GROUP BY name"
BY_NUMBER = "SELECT name_id, COUNT(*) AS n, SUM(dur) AS ns FROM span GROUP BY name_id"
TRACE_PROCESSOR = ROOT.parent / "shared/tools/tp.js"


def add_options(parser):
    parser.add_argument("--tp", type=pathlib.Path, default=TRACE_PROCESSOR)


def made(folder, rows):
    source = folder / "in.csv"
    with open(source, "wb") as file:
        subprocess.run([str(ROOT / "build/bench/generate_c2"), str(rows)], stdout=file, check=True)
    for name in ("in.prof", "in.pb"):
        subprocess.run([OPSCOPE, "convert", str(source), "-o", str(folder / name)], check=True)
    start = time.perf_counter()
    subprocess.run([OPSCOPE, "convert", str(folder / "in.prof"), "-o", str(folder / "in.db")], check=True)
    row("in.db written", f"{time.perf_counter() - start:.2f} s", f"{(folder / 'in.db').stat().st_size >> 20} MiB")
    return source


def count_of(path):
    """Spans, as the question itself counts them."""
    answer = subprocess.run([OPSCOPE, "sql", str(path), BY_NAME, "--json"], check=True, capture_output=True).stdout
    return sum(counted for _, counted, _ in json.loads(answer)["results"][0]["rows"])


def measure(options, folder):
    print(f"GROUP BY name over {options.rows} spans")
    source = made(folder, options.rows)
    kept.figure("rows", options.rows, "")
    for path in (source, folder / "in.prof"):
        if count_of(path) != options.rows:
            row(path.name, "DIFFERS", f"{count_of(path)} spans")
    commands = {
        "wc -l": ["wc", "-l", str(source)],
        "opscope sql in.csv": [OPSCOPE, "sql", str(source), BY_NAME, "--csv"],
        "opscope sql in.prof": [OPSCOPE, "sql", str(folder / "in.prof"), BY_NAME, "--csv"],
        "the same by name_id": [OPSCOPE, "sql", str(folder / "in.prof"), BY_NUMBER, "--csv"],
        "opscope top in.csv": [OPSCOPE, "top", str(source), "--csv"],
        "opscope top in.prof": [OPSCOPE, "top", str(folder / "in.prof"), "--csv"],
        "opscope operators in.csv": [OPSCOPE, "operators", str(source), "--csv"],
        "opscope operators in.prof": [OPSCOPE, "operators", str(folder / "in.prof"), "--csv"],
    }
    if shutil.which("sqlite3"):
        commands["sqlite3 in.db"] = ["sqlite3", str(folder / "in.db"), BY_NAME]
        commands["the same by name_id in.db"] = ["sqlite3", str(folder / "in.db"), BY_NUMBER]
    if shutil.which("node") and options.tp.exists() and "TP_DIR" in os.environ:
        asked = ["node", str(options.tp), str(folder / "in.pb"), BY_NAME]
        said = subprocess.run(asked, capture_output=True, text=True, check=False)
        if said.returncode == 0:
            commands["trace_processor (wasm)"] = asked
        else:
            row("trace_processor (wasm)", "-", "fails" + (": out of memory" if "Out of memory" in said.stderr else ""))
    else:
        row("trace_processor (wasm)", "-", "no node, no script for it (--tp), or no wasm (TP_DIR)")
    taken = all_times(options.rounds, commands)
    best = {name: min(used for _, used in times) for name, times in taken.items()}
    for name, seconds in best.items():
        clock = min(clock for clock, _ in taken[name])
        row(name, f"{seconds:.2f} s", f"{seconds / best['wc -l']:.0f} x wc -l; {clock:.2f} s by the clock")


if __name__ == "__main__":
    run(__doc__, measure, add_options, rounds=3)
