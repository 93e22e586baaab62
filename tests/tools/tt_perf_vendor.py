"""Runs Tenstorrent's own tt-perf-report, job by job in one process.

    tt_perf_vendor.py CHECKOUT < jobs

A job is a line, the arguments as a JSON list; the answer a line: {"code": 0, "out": "..."}, where
"code" is a text when the tool fell over. Pictures are left out. Needs pandas; versions before 2.2
lack an argument of groupby.apply that the tool uses, and are helped along.
"""

import contextlib
import io
import json
import pathlib
import sys
import warnings


def load(checkout):
    warnings.filterwarnings("ignore")
    sys.modules["matplotlib"] = None
    sys.path.insert(0, str(pathlib.Path(checkout) / "src"))
    with contextlib.redirect_stdout(io.StringIO()):
        from pandas.core.groupby import DataFrameGroupBy
        import pandas
        from tt_perf_report import perf_report
    if tuple(map(int, pandas.__version__.split(".")[:2])) < (2, 2):
        real = DataFrameGroupBy.apply

        def apply(self, function, *words, include_groups=True, **options):
            del include_groups
            return real(self, function, *words, **options)

        DataFrameGroupBy.apply = apply
    return perf_report


def run(tool, words):
    out = io.StringIO()
    sys.argv = ["tt-perf-report", *words]
    tool._UNCLASSIFIED_OPS_WARNED.clear()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            tool.main()
        code = 0
    except SystemExit as leaving:
        code = leaving.code or 0
    except Exception as failure:  # whatever it falls over is its own affair
        code = repr(failure)
    return {"code": code, "out": out.getvalue()}


if __name__ == "__main__":
    TOOL = load(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(run(TOOL, json.loads(line))), flush=True)
