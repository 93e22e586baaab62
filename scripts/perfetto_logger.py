#!/usr/bin/env python3
"""Starts perfetto_logger with the same arguments: from build/bin, else from PATH."""
import os
import pathlib
import sys

built = pathlib.Path(__file__).resolve().parent.parent / "build/bin/perfetto_logger"
program = str(built) if built.exists() else "perfetto_logger"
try:
    os.execvp(program, ["perfetto_logger", *sys.argv[1:]])
except FileNotFoundError:
    sys.exit("perfetto_logger.py: no perfetto_logger in build/bin or on PATH; run make")
