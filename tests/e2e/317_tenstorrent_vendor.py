#!/usr/bin/env python3
"""tt-report against tt-metal's own process_ops_logs of 2025-08, cell by cell, on made logs. Needs a checkout
of tenstorrent/tt-metal at 5a66ecfac01 (tt_metal/tools/profiler is enough), pandas, click and yaml:

    pytest-3 tests/e2e -k 317 --metal CHECKOUT

or OPSCOPE_TT_METAL=CHECKOUT.
"""

import csv
import random

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import ordinary  # pylint: disable=wrong-import-position

CAPTURES = 8


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_reports_have_the_same_cells(folder):
    checkout = os.environ.get("OPSCOPE_TT_METAL")
    if not checkout:
        raise Skip("no checkout of tt-metal: --metal PATH or OPSCOPE_TT_METAL")
    for seed in range(CAPTURES):
        chance = random.Random(seed)
        logs = folder / f"{seed}/.logs"
        logs.mkdir(parents=True)
        ordinary(seed, ops=chance.choice([3, 20]), cores=chance.choice([1, 4, 20]), devices=chance.choice([1, 2, 4]),
                 replays=chance.choice([0, 2, 5])).write(logs)
        run(sys.executable, ROOT / "tests/tools/tt_metal_vendor.py", checkout, logs.parent)
        opscope("tt-report", logs, "-o", logs.parent / "ours.csv")
        theirs, ours = cells(logs.parent / "reports/ops_perf_results.csv"), cells(logs.parent / "ours.csv")
        width = len(theirs[0])
        equal([row[:width] for row in ours], theirs, f"seed {seed}")
        equal(ours[0][width:], ["LOC", "CONST_EVAL_OP", "PROGRAM_METADATA"], "columns of tt-torch's")


main()
