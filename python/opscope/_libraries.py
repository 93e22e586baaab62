"""Where opscope's libraries are, and how they are loaded: for this package and the modules beside it."""

import ctypes
import os
import pathlib
from typing import Any, List, Optional, Tuple

INTERFACE = 0  # of the libraries: libopscope.so.0

__all__ = ["LibraryMissing", "candidates", "load", "missing"]


class LibraryMissing(RuntimeError):
    """A library was not found; the message says what to do."""


def candidates(name: str, variable: str) -> List[str]:
    """Where a library may be: as a variable of the environment tells, in a wheel, beside an installed
    module, in a build folder."""
    told = os.environ.get(variable)
    if told:
        return [told]
    above = pathlib.Path(__file__).resolve().parents
    found = [folder / where / name for folder in above for where in ("lib", "lib64", "build")]
    # A system's own library has the number of its interface in its name.
    return [str(path) for path in found if path.exists()] + [f"{name}.{INTERFACE}", name]


def load(name: str, variable: str, kind: Any = ctypes.CDLL) -> Tuple[Any, str]:
    """The library and "", or None and why there is none."""
    reasons = []
    for path in candidates(name, variable):
        try:
            return kind(path), ""
        except OSError as error:
            reasons.append(str(error))
    return None, "; ".join(reasons)


def missing(name: str, variable: str, reason: Optional[str]) -> str:
    """What is said where a library cannot be loaded."""
    return (f"{name} cannot be loaded ({reason}). Build it ('make' in opscope's folder) or install it"
            f" ('make install'), or say where it is: {variable}=/path/to/{name}")
