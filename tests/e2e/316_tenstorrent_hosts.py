#!/usr/bin/env python3
"""The logs of several hosts that ran together, in one report: folders given one by one, or as tt-run leaves them."""

import csv

from support import *

import tenstorrent_logs


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def capture(folder, rank, devices=2):
    path = folder / f"run/rank{rank}/.logs"
    tenstorrent_logs.ordinary(seed=rank + 1, devices=devices).write(path)
    opscope("tt-report", path, "-o", folder / f"{rank}.csv")
    return folder / f"run/rank{rank}", rows(folder / f"{rank}.csv")


def moved(found, first):
    return [{**row, "DEVICE ID": str(int(row["DEVICE ID"]) + first) if row["DEVICE ID"] else ""} for row in found]


def same(found, wanted, what):
    """Cells by column; a column that a host does not have is empty."""
    columns = {column for row in [*found, *wanted] for column in row}
    equal([[row.get(column) or "" for column in sorted(columns)] for row in found],
          [[row.get(column) or "" for column in sorted(columns)] for row in wanted], what)


def test_folders_of_ranks(folder):
    hosts = [capture(folder, rank) for rank in range(3)]
    wanted = [row for at, (_, found) in enumerate(hosts) for row in moved(found, 2 * at)]
    opscope("tt-report", folder / "run", "-o", folder / "all.csv")
    same(rows(folder / "all.csv"), wanted, "all ranks")
    opscope("tt-report", *(path for path, _ in hosts), "-o", folder / "given.csv")
    equal((folder / "given.csv").read_bytes(), (folder / "all.csv").read_bytes(), "folders one by one")
    equal({row["DEVICE ID"] for row in wanted if row["DEVICE ID"]}, {str(at) for at in range(6)}, "devices")


def test_other_order_and_other_numbers_of_devices(folder):
    small, few = capture(folder, 0, devices=1)
    large, many = capture(folder, 1, devices=3)
    opscope("tt-report", large, small, "-o", folder / "all.csv")
    same(rows(folder / "all.csv"), moved(many, 0) + moved(few, 3), "the larger first")
    opscope("tt-report", small, large, "-o", folder / "all.csv")
    same(rows(folder / "all.csv"), moved(few, 0) + moved(many, 3), "the smaller first")


def test_tt_perf_says_the_same_of_one_report(folder):
    hosts = [capture(folder, rank)[0] for rank in range(2)]
    opscope("tt-report", folder / "run", "-o", folder / "all.csv")
    apart = opscope("tt-perf", folder / "0.csv", folder / "1.csv", "--no-merge-devices", "--csv", folder / "apart.csv",
                    code=None)
    together = opscope("tt-perf", folder / "all.csv", "--no-merge-devices", "--csv", folder / "together.csv", code=None)
    equal(together.code, apart.code, "exit")
    for key in ("OP Code", "Device", "Device Time", "Cores"):
        equal([row.get(key) for row in rows(folder / "together.csv")], [row.get(key) for row in rows(folder / "apart.csv")],
              key)
    true(len(hosts) == 2, "two hosts")


def test_wrong_use_and_what_is_lost(folder):
    path, _ = capture(folder, 0)
    other, _ = capture(folder, 1)
    result = opscope("tt-report", path, other, "--device-only", "-o", folder / "x.csv", code=2)
    contains(result.err, "one host", "device only")
    (folder / "empty").mkdir()
    contains(opscope("tt-report", path, folder / "empty", "-o", folder / "x.csv", code=1).err, "empty: holds neither",
             "a folder without logs")
    true(not (folder / "x.csv").exists(), "a report is left")
    log = other / ".logs/profile_log_device.csv"
    log.write_bytes(log.read_bytes()[:-200])
    result = opscope("tt-report", folder / "run", "-o", folder / "cut.csv", code=3)
    contains(result.err, "lost", "a log that is cut off")


main()
