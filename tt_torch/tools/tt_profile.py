#!/usr/bin/env python3
"""Starts tt_profile with the same arguments: from build/bin, else from PATH."""
import os
import pathlib
import sys

built = pathlib.Path(__file__).resolve().parents[2] / "build/bin/tt_profile"
program = str(built) if built.exists() else "tt_profile"
try:
    os.execvp(program, ["tt_profile", *sys.argv[1:]])
except FileNotFoundError:
    sys.exit("tt_profile.py: no tt_profile in build/bin or on PATH; run make")
