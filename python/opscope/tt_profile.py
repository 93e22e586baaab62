"""tt_profile, from the package: python -m opscope.tt_profile [-o OUTPUT_PATH] [-p PORT] "test_command"

Starts the program of that name with the same arguments: from the checkout that this file lies in, from beside the
installed package, or from PATH.
"""

import os
import pathlib
import shutil
import sys


def find_program():
    """The path of tt_profile; None where there is none."""
    here = pathlib.Path(__file__).resolve()
    checkout = here.parents[2] / "build/bin/tt_profile"
    beside = [parent / "bin/tt_profile" for parent in here.parents]
    for path in (checkout, *beside):
        if os.access(path, os.X_OK):
            return str(path)
    return shutil.which("tt_profile")


def main():
    program = find_program()
    if program is None:
        sys.exit("opscope.tt_profile: no tt_profile in build/bin, beside the package or on PATH: run make, or make install")
    os.execv(program, ["tt_profile", *sys.argv[1:]])


if __name__ == "__main__":
    main()
