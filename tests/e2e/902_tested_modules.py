"""The check of the list of tested modules finds what it must, in a small project."""
from support import *

FILES = {
    "src/base/arena.h": "", "src/base/arena.c": "",
    "src/base/view.h": "", "src/base/view.c": "",
    "src/base/words.h": "// nothing but declarations\n",
    "src/base/bits.h": "static inline int bits(void)\n",
    "tests/unit/test_arena.c": "", "tests/unit/test_other.c": '#include "base/view.h"\n',
    "tests/e2e/010_a.py": "", "tests/fuzz/fuzz_csv.c": "",
}


def check(folder, listed, **more):
    for name, content in {**FILES, **more, "tests/modules.txt": listed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / name, content)
    result = run(sys.executable, ROOT / "scripts/check-tested.py", folder, code=None)
    equal(result.code, 1 if result.out else 0, "exit")
    return result.out


def test_a_unit_test_a_header_that_one_includes_or_a_line_will_do(folder):
    equal(check(folder, "# why\nbase/bits e2e/010_a fuzz/csv unit/arena\n"), "", "verdict")


def test_a_module_without_a_test_is_named(folder):
    contains(check(folder, ""), "src/base/bits.h: no unit test names it: add tests/unit/test_bits.c", "verdict")


def test_lines_that_lead_nowhere_are_named(folder):
    out = check(folder, "base/bits e2e/011_b\nbase/gone unit/arena\nbase/bits\n")
    for line in ("tests/modules.txt:1: base/bits: there is no test e2e/011_b",
                 "tests/modules.txt:2: base/gone: there is no such module",
                 "tests/modules.txt:3: base/bits: line 1 has it already",
                 "tests/modules.txt:3: base/bits: which test holds it?"):
        contains(out, line, "verdict")


main()
