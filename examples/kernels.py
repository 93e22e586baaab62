#!/usr/bin/env python3
"""What took the device's time, and how busy each of its lanes was: kernels.py TRACE [COUNT]

Any profile that opscope reads. Needs opscope (pip install ./python, or make install) and nothing else.
"""
import sys

import opscope


def main(path, count=5):
    with opscope.open(path) as profile:
        rows = [row for row in profile.top(by="operator") if row.where == "device"]
        print(f"{sum(row.self_ns for row in rows) / 1e3:.1f} us on the device")
        for row in rows[:count]:
            print(f"{row.share:6.1%} {row.self_ns / 1e3:9.1f} us {row.count:6} x {row.label}")
        busy = {}
        for span in profile.spans():
            if span.category in ("kernel", "gpu_memcpy", "gpu_memset"):
                busy[span.lane] = busy.get(span.lane, 0) + span.duration_ns
        for lane, time in sorted(busy.items()):
            print(f"{lane.strip()}: {time / 1e3:.1f} us")
        if profile.ledger.lost + profile.ledger.impossible > 0:
            print(f"incomplete: {profile.ledger.notes}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
