#!/usr/bin/env python3
"""Lets one call after the other fail in every command, and in everything that the library offers.

    tests/faults.py [--sample N] [--only TEXT] [--bin FOLDER]

The k-th memory block, read, write, open, mapping, rename or thread of a command fails
(tests/tools/faults.c), for every k, or for N of them spread evenly. Each time the command must end by
itself with an exit code of its own and a message; what it writes is as before or whole; nothing
else is left. The commands are those that the program lists: one without a row in EXAMPLES fails.
Prints how many points were tried; exit 1 when one of them failed.
"""

import argparse
import errno
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests/fuzz/corpus"
ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"
TARGET = "torq-sl2610"
PATIENCE = 300
OLD = b"what was there before\n"

# call, error, the later ones too, whether the command must do what it does otherwise
FAULTS = [
    ("memory", errno.ENOMEM, False, False),
    ("memory", errno.ENOMEM, True, False),
    ("read", errno.EIO, False, False),
    ("read", errno.EINTR, False, True),
    ("read", "short", True, True),
    ("write", errno.EIO, False, False),
    ("write", errno.ENOSPC, True, False),
    ("write", errno.EINTR, False, True),
    ("write", "short", False, True),
    ("open", errno.EIO, False, False),
    ("open", errno.EMFILE, True, False),
    ("mmap", errno.ENOMEM, False, False),
    ("rename", errno.EIO, False, False),
    ("rename", errno.ENOSPC, False, False),
    ("thread", errno.EAGAIN, True, False),
]

# Inputs, made once by the program itself: name: its words, OUT being the file.
MADE = {
    "a.opx": ["compile", ADD, "--target", TARGET, "-o", "OUT"],
    "a.prof": ["run", "IN/a.opx", "--device", "sim", "--profile", "OUT"],
}

# Command: its words, and the files that it writes. IN is the folder of inputs, OUT of outputs.
EXAMPLES = {
    "overview": (["IN/c1.csv"], []),
    "operators": (["IN/a.prof", "--json"], []),
    "timeline": (["IN/c1.csv", "-o", "OUT/t.svg"], ["t.svg"]),
    "convert": (["IN/c1.csv", "-o", "OUT/c.pb"], ["c.pb"]),
    "merge": (["IN/c1.csv", "b=IN/a.prof", "-o", "OUT/both.prof"], ["both.prof"]),
    "info": (["IN/kineto.json"], []),
    "model": ([ADD], []),
    "infer": ([ADD, "--threads", "2", "--output", "OUT/y.npy"], ["y.npy"]),
    "run": (["IN/a.opx", "--output", "OUT/y.npy"], ["y.npy"]),
    "check": (["IN/cases"], []),
    "compile": ([ADD, "--target", TARGET, "-o", "OUT/b.opx"], ["b.opx"]),
    "estimate": (["IN/a.opx"], []),
    "program": (["IN/a.opx"], []),
    "verify": (["IN/a.opx"], []),
    "targets": ([TARGET], []),
    "torq-compile": ([ADD, "-o", "OUT/b.vmfb"], ["b.vmfb"]),
    "torq-run-module": (["--module=IN/a.opx", "--input=1x64x56x24xi32=1", "--output=@OUT/y.npy"], ["y.npy"]),
    "iree-run-module": (["--module=IN/a.opx", "--input=1x64x56x24xi32=1", "--output=@OUT/y.npy"], ["y.npy"]),
    "calibrate": (["--help"], []),  # it measures for a minute
    "score": ([ADD, "-n", "1"], []),
    "annotate": (["IN/a.opx", "IN/a.prof", "-o", "OUT/a.csv"], ["a.csv"]),
    "tt-report": (["IN/logs", "-o", "OUT/ops.csv"], ["ops.csv"]),
    "perfetto_logger": (["--compile_profile", "IN/c1.csv", "--pb", "OUT/p.pb"], ["p.pb"]),
    "annotate_profiling": (["IN/a.opx", "IN/a.prof", "-o", "OUT/a.csv"], ["a.csv"]),
    "process_ops_logs": (["--help"], []),  # tt-report under another name
    "tt-perf": (["IN/ops.csv"], []),
    "tt-perf-report": (["IN/ops.csv"], []),
    "help": (["info"], []),
    "links": (["OUT/links"], []),
    "completion": (["bash"], []),
    "manual": (["OUT"], []),
}
