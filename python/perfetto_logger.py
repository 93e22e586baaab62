#!/usr/bin/env python3
"""Torq's profile CSVs to a Perfetto trace: Torq's perfetto_logger, as a module and a script.

    python3 perfetto_logger.py --compile_profile a.csv --runtime_profile r.csv --pb out.pb

The names of the API are those of perfetto_api, which does the work in this process.
"""
import argparse
import sys

from perfetto_api import (LibraryMissing, ProfileError, TimeChartLog, TimeChartView, TrackEvent,
                          convert_to_perfetto, csv_to_view_compile_profile,
                          csv_to_view_runtime_profile)

__all__ = ["LibraryMissing", "ProfileError", "TimeChartLog", "TimeChartView", "TrackEvent",
           "convert_to_perfetto", "csv_to_view_compile_profile", "csv_to_view_runtime_profile", "main"]


def main(words=None):
    """Returns the exit code of the program perfetto_logger: 0, 1, or 3 when rows were lost."""
    parser = argparse.ArgumentParser(prog="perfetto_logger.py",
                                     description="Torq's profile CSVs to a Perfetto trace.")
    parser.add_argument("--compile_profile", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--runtime_profile", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--pb", required=True, metavar="FILE")
    parser.add_argument("--num_slices", type=int, default=2, metavar="N")
    given = parser.parse_args(words)
    if not given.compile_profile and not given.runtime_profile:
        parser.error("give --compile_profile FILE... or --runtime_profile FILE...")
    try:
        lost = convert_to_perfetto(given.compile_profile, given.runtime_profile, given.pb,
                                   given.num_slices)
    except (LibraryMissing, ProfileError) as error:
        print(f"perfetto_logger.py: {error}", file=sys.stderr)
        return 1
    if lost:
        print(lost, file=sys.stderr)
    return 3 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
