#!/usr/bin/env python3
"""Refuses a module that no test is known to hold.

A module is a header of src with a source file beside it or code of its own. A unit test
names it: tests/unit/test_NAME.c, or an #include of its header in tests/unit. Where none does,
tests/modules.txt says which test holds it, one line a module:

    formats/spans    e2e/012_difficult_spans

A test is unit/NAME, e2e/NNN_name or fuzz/NAME; several stand behind one another.

usage: check-tested.py [PROJECT]
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
CODE = re.compile(r"^(static )?inline ", re.MULTILINE)
LIST = "tests/modules.txt"


def find_modules(root):
    """room/name of each module."""
    for header in sorted((root / "src").rglob("*.h")):
        if header.with_suffix(".c").exists() or CODE.search(header.read_text(encoding="utf-8")):
            yield header.relative_to(root / "src").with_suffix("").as_posix()


def find_tests(root):
    """unit/NAME, e2e/NNN_name and fuzz/NAME of all that there are."""
    tests = root / "tests"
    return {*(f"unit/{path.stem[5:]}" for path in tests.glob("unit/test_*.c")),
            *(f"e2e/{path.stem}" for path in tests.glob("e2e/[0-9]*.py")),
            *(f"fuzz/{path.stem[5:]}" for path in tests.glob("fuzz/fuzz_*.c"))}


def find_included(root):
    """The modules whose headers unit tests include."""
    for path in (root / "tests/unit").glob("*.[ch]"):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            yield name.removesuffix(".h")


def read_list(root):
    """(number of the line, module, its tests)"""
    for number, line in enumerate((root / LIST).read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words[0], words[1:]


def check(root):
    modules, tests = list(find_modules(root)), find_tests(root)
    included = set(find_included(root))
    named = {module for module in modules
             if module in included or f"unit/{module.rpartition('/')[2]}" in tests}
    listed = {}
    for number, module, holders in read_list(root):
        place = f"{LIST}:{number}: {module}"
        if module not in modules:
            yield f"{place}: there is no such module"
        if module in listed:
            yield f"{place}: line {listed[module]} has it already"
        if not holders:
            yield f"{place}: which test holds it?"
        for holder in holders:
            if holder not in tests:
                yield f"{place}: there is no test {holder}"
        listed[module] = number
    for module in modules:
        if module not in named and module not in listed:
            yield (f"src/{module}.h: no unit test names it: add tests/unit/test_{module.rpartition('/')[2]}.c, "
                   f"or a line of {LIST} that says which test holds it")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    wrong = list(check(root))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
