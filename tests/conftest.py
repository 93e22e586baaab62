"""What pytest needs for every test here: the program, and the plugin that tests with networks use."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
pytest_plugins = ("opscope_pytest",)


@pytest.hookimpl(tryfirst=True)
def pytest_configure():
    """Before the cache of --lf is looked for, which lies in the build folder."""
    os.environ.setdefault("OPSCOPE_BIN", str(ROOT / "build/bin"))
