#!/usr/bin/env python3
"""Writes the seeds of the Perfetto reader's fuzz target.

    perfetto_seeds.py [DIR]        (tests/fuzz/corpus/perfetto)

One file for each case of perfetto_cases.py. Deterministic: run it again after
adding a case and commit what changes.
"""

import pathlib
import sys

from perfetto_cases import CASES

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "fuzz/corpus/perfetto"


def main(arguments):
    folder = pathlib.Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        (folder / f"{name}.pb").write_bytes(case.bytes)


main(sys.argv[1:])
