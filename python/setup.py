"""A wheel of the package `opscope` with the libraries that `make` built: pip install ./python

OPSCOPE_BUILD names another build folder than the one beside. Nothing is written into the source.
"""
import atexit
import os
import pathlib
import re
import shutil
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("OPSCOPE_BUILD") or ROOT / "build")
LIBRARIES = ("libopscope.so", "libopscope-record.so")


class WithLibraries(build_py):
    """The modules, and the libraries in a folder of the package, where opscope/_libraries.py looks first."""

    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib) / "opscope/lib"
        self.mkpath(str(folder))
        for name in LIBRARIES:
            if not (BUILD / name).exists():
                raise SystemExit(f"{BUILD / name}: not there; run 'make' in {ROOT} first")
            shutil.copyfile(BUILD / name, folder / name)


class ForThisMachine(bdist_wheel):
    """Any Python 3, as ctypes loads the libraries; this system and processor alone."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


def version():
    return re.search(r"^  version: '([\d.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.MULTILINE)[1]


scratch = tempfile.mkdtemp(prefix="opscope-wheel-")
atexit.register(shutil.rmtree, scratch, ignore_errors=True)
setup(version=version(), cmdclass={"build_py": WithLibraries, "bdist_wheel": ForThisMachine},
      options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}})
