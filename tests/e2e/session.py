"""The test session of Torq's guide: its line, run by a shell in what looks like the project's root."""

import importlib.util
import pathlib
import shlex
import sys

from support import ROOT, Skip, contains, equal, matches, program, run, true

PRINTED = """pytest tests/test_onnx_model.py -k example-matmul_layer \\
--torq-runtime-hw-type=astra_machina \\
--torq-addr root@10.46.130.17 \\
--torq-runtime-profiling-output-dir=./profile \\
--update-astra-runtime \\
--recompute-cache
"""


def run_line(folder, line, *options, code=0):
    """Runs it with further options that only the environment gives. What it writes stays in `folder`."""
    if importlib.util.find_spec("pytest") is None:
        raise Skip("this python3 has no pytest")
    root = folder / "root"
    if not root.exists():
        root.mkdir()
        for name in ("tests", "pytest.ini"):
            (root / name).symlink_to(ROOT / name)
        (folder / "bin").mkdir()
        start = folder / "bin/pytest"
        start.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pytest \"$@\"\n")
        start.chmod(0o755)
    more = ["-p", "no:cacheprovider", "-o", "log_cli=true", "--log-cli-level=INFO", f"--basetemp={folder / 'tmp'}",
            f"--junitxml={folder / 'junit.xml'}", *options]
    return run("sh", "-c", line, cwd=root, code=code,
               env={"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "PYTEST_ADDOPTS": shlex.join(map(str, more)),
                    "XDG_CACHE_HOME": str(folder / "cache"), "OPSCOPE_BIN": str(program("opscope").parent),
                    "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_XDIST_WORKER": "", "PYTEST_CURRENT_TEST": ""})


def kept(folder):
    """What is in the folder of profiles, by the end of the name after the network's."""
    files = (folder / "root/profile").glob("*example-matmul_layer*")
    return {path.name.rpartition("]")[2]: pathlib.Path(path) for path in files}


def check(result, folder):
    """What the guide says of the end of the session."""
    contains(result.out, "1 passed")
    matches(result.out, r"=+ Host Profile Overview =+")
    contains(result.out, "Model: example-matmul_layer\n")
    matches(result.out, r"  WALL_TIME +[0-9.]+m?s\n  OVERALL +\S+\n  Dma +\S+")
    contains(result.out, "Slice 0")
    ends = kept(folder)
    true({".csv", ".xlsx", ".pb", ".wall_time.txt", ".log.txt"} <= set(ends), f"what is kept: {sorted(ends)}")
    matches(ends[".wall_time.txt"].read_text(), r"^[0-9]+\.[0-9]{3}\n$")
    equal(ends[".csv"].read_text().splitlines()[0].replace(" ", ""),
          "actionIndex,elapsed_time(us),timestamp(us),event,location", "head of the profile")
