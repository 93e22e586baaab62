#!/usr/bin/env python3
"""The least that a Python script does with a device log: reads it with the csv module and groups
the markers by operation and core. The yardstick for `opscope tt-report`.

    bench/tt_yardstick.py profile_log_device.csv
"""

import csv
import sys


def main():
    first, last = {}, {}
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        next(rows)
        for row in rows:
            if "KERNEL" not in row[8]:
                continue
            key = row[7], row[1], row[2]
            time = int(row[5])
            if key not in first or time < first[key]:
                first[key] = time
            if key not in last or time > last[key]:
                last[key] = time
    longest = max((last[key] - first[key] for key in first), default=0)
    print(f"{len(first)} operations on cores, the longest takes {longest} cycles")


main()
