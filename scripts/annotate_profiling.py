#!/usr/bin/env python3
"""Starts annotate_profiling with the same arguments: from build/bin, else from PATH."""
import os
import pathlib
import sys

built = pathlib.Path(__file__).resolve().parent.parent / "build/bin/annotate_profiling"
program = str(built) if built.exists() else "annotate_profiling"
try:
    os.execvp(program, ["annotate_profiling", *sys.argv[1:]])
except FileNotFoundError:
    sys.exit("annotate_profiling.py: no annotate_profiling in build/bin or on PATH; run make")
