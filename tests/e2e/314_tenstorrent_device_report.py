#!/usr/bin/env python3
"""cpp_device_perf_report.csv, tt-metal's own figures, in place of the device log."""

import csv
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import ordinary  # pylint: disable=wrong-import-position

NAME = "cpp_device_perf_report.csv"
KEYS = ["GLOBAL CALL COUNT", "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "DEVICE ID",
        "DEVICE ARCH", "OP NAME", "CORE COUNT", "AVAILABLE WORKER CORE COUNT"]
FIGURES = ["DEVICE FW DURATION [ns]", "DEVICE FW START CYCLE", "DEVICE FW END CYCLE",
           "DEVICE KERNEL DURATION [ns]", "DEVICE KERNEL DURATION DM START [ns]",
           "DEVICE KERNEL FIRST TO LAST START [ns]", "DEVICE BRISC KERNEL DURATION [ns]",
           "DEVICE NCRISC KERNEL DURATION [ns]", "DEVICE TRISC0 KERNEL DURATION [ns]",
           "DEVICE TRISC1 KERNEL DURATION [ns]", "DEVICE TRISC2 KERNEL DURATION [ns]",
           "DEVICE ERISC KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]",
           "OP TO OP LATENCY BR/NRISC START [ns]"]

# What the device's report does not say.
ABSENT = ["DEVICE KERNEL DURATION PER CORE MIN [ns]", "DEVICE KERNEL DURATION PER CORE MAX [ns]",
          "DEVICE KERNEL DURATION PER CORE AVG [ns]", "DEVICE COMPUTE CB WAIT FRONT [ns]",
          "DEVICE COMPUTE CB RESERVE BACK [ns]", "DISPATCH TOTAL CQ CMD OP TIME [ns]",
          "DISPATCH GO SEND WAIT TIME [ns]"]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def replace_device_log(folder, more=()):
    """The report of the logs, and the logs with its figures instead of the device log."""
    opscope("tt-report", folder, "--format", "v2.1", "-o", folder / "ops.csv", code=None)
    rows = rows_of(folder / "ops.csv")
    (folder / "ops.csv").unlink()
    lines = [",".join(KEYS + FIGURES + [name for name, _ in more])]
    for row in rows:
        if row["DEVICE FW START CYCLE"]:
            cells = [row.get(name, "") for name in KEYS + FIGURES] + [text for _, text in more]
            cells[KEYS.index("OP NAME")] = row["OP CODE"].replace(",", ";")
            lines.append(",".join(cells))
    write(folder / NAME, "\n".join(lines) + "\n")
    (folder / "profile_log_device.csv").unlink()
    return rows


def test_the_figures_are_those_of_the_device_log(folder):
    for seed in range(1, 6):
        logs = folder / str(seed)
        ordinary(seed).write(logs)
        wanted = replace_device_log(logs)
        opscope("tt-report", logs, "--format", "v2.1", "-o", folder / "got.csv", code=None)
        got = rows_of(folder / "got.csv")
        equal(len(got), len(wanted), f"rows of seed {seed}")
        for ours, theirs in zip(got, wanted):
            for name in theirs:
                if name not in ABSENT:
                    equal(ours.get(name, ""), theirs[name], f"seed {seed}, {name}")


def test_logs_and_their_profile_give_the_same_bytes(folder):
    ordinary(2).write(folder / "logs")
    replace_device_log(folder / "logs")
    opscope("convert", folder / "logs", "-o", folder / "logs.prof", code=None)
    for options in ([], ["--format", "v2"], ["--format", "v2.1"], ["--device-only"]):
        for source in ("logs", "logs.prof"):
            opscope("tt-report", folder / source, "-o", folder / f"{source}.csv", *options, code=None)
        equal((folder / "logs.prof.csv").read_bytes(), (folder / "logs.csv").read_bytes(), options)


def test_nothing_is_dropped_in_silence(folder):
    ordinary(1).write(folder)
    replace_device_log(folder, [("SUB DEVICE ID", "1"), ("FPU Util Avg (%)", "7")])
    result = opscope("tt-report", folder, "--format", "v2.1", "-o", folder / "got.csv", code=None)
    contains(result.err, "the report of operations has no column 'FPU Util Avg (%)'")
    true(all(row["SUB DEVICE ID"] == "1" for row in rows_of(folder / "got.csv")
             if row["DEVICE FW START CYCLE"]), "SUB DEVICE ID")


def test_what_is_missing_is_lost(folder):
    ordinary(1).write(folder)
    replace_device_log(folder)
    lines = (folder / NAME).read_text().splitlines()
    write(folder / NAME, "\n".join(lines[:1] + lines[2:] + ["7,,,"]) + "\n")
    result = opscope("tt-report", folder, "-o", folder / "got.csv", code=3)
    contains(result.err, f"{NAME}:{len(lines)}:")
    contains(result.err, "left nothing on the device")


def test_beside_a_device_log_it_is_not_needed(folder):
    ordinary(1).write(folder)
    log = (folder / "profile_log_device.csv").read_text()
    opscope("tt-report", folder, "-o", folder / "wanted.csv", code=None)
    replace_device_log(folder)
    write(folder / "profile_log_device.csv", log)
    result = opscope("tt-report", folder, "-o", folder / "got.csv", code=None)
    equal((folder / "got.csv").read_bytes(), (folder / "wanted.csv").read_bytes(), "report")
    contains(result.err, "not looked at: its figures are those of")


main()
