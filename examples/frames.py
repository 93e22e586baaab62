#!/usr/bin/env python3
"""The same trace as frames of pandas: frames.py TRACE. Needs opscope and pandas."""
import sys

import opscope


def main(path):
    profile = opscope.open(path)
    spans = profile.spans(arguments=["stream"]).to_pandas()
    kernels = spans[spans.category == "kernel"]
    print(kernels.groupby("args.stream").duration_ns.agg(["count", "sum", "median"]))
    rows = profile.top(by="operator").to_pandas()
    print(rows[rows["where"] == "device"].nlargest(5, "self_ns")[["label", "self_ns", "share"]])


if __name__ == "__main__":
    main(sys.argv[1])
