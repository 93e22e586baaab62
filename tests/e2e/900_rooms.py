"""The check of the rooms finds what it must: wrong includes in a small project."""
from support import *

TABLE = """
| folder | holds | may use | state |
|---|---|---|---|
| src/base | ground | nothing | here |
| src/profile | record (one) | base | here |
| src/analysis | sums | profile (all of it) | here |
| src/formats | lists | base, formats/torq | here |
| src/formats/torq | bytes | base | here |
| src/formats/chrome | bytes | base | here |
| src/cli | commands | all | here |
"""


def check(folder, table=TABLE, **sources):
    """Checks a project whose files are given as room__file=content."""
    write_tree(folder, table, sources)
    result = run(sys.executable, ROOT / "scripts/check-rooms.py", folder, code=None)
    return result.code, result.out


def write_tree(folder, table, sources):
    (folder / "docs").mkdir(exist_ok=True)
    write(folder / "docs/architecture.md", table)
    for name, content in sources.items():
        *rooms, file = name.split("__")
        place = folder.joinpath("src", *rooms)
        place.mkdir(parents=True, exist_ok=True)
        write(place / (file + ".h"), content)


def test_allows_own_folder_and_the_row(folder):
    code, out = check(folder, base__view='#include <stddef.h>\n',
                      base__arena='#include "view.h"\n',
                      base__deep__heap='#include "base/view.h"\n',
                      analysis__sum='#include "profile/record.h"\n',
                      formats__writers='#include "formats/torq/unit.h"\n',
                      cli__main='#include "analysis/sum.h"\n#include "base/view.h"\n')
    equal((code, out), (0, ""), "verdict")


def test_refuses_what_only_the_rooms_of_the_row_may_use(folder):
    code, out = check(folder, analysis__sum='#include "base/view.h"\n')
    equal((code, out), (1, 'src/analysis/sum.h:1: "base/view.h": src/analysis may use profile; not base\n'),
          "verdict")


def test_refuses_another_format(folder):
    for included in ("formats/torq/unit.h", "formats/list.h"):
        code, out = check(folder, formats__chrome__reader=f'#include "{included}"\n')
        equal(code, 1, f"exit for {included}")
        contains(out, "src/formats/chrome may use base; not formats")


def test_refuses_a_row_with_another_vendor(folder):
    code, out = check(folder, TABLE + "| src/reports/tenstorrent | rows | formats/torq | here |\n")
    equal((code, out), (1, "docs/architecture.md: src/reports/tenstorrent may use 'formats/torq', "
                           "which is another vendor's\n"), "verdict")


def test_refuses_the_way_back(folder):
    code, out = check(folder, base__view='\n#include "profile/record.h"\n')
    equal((code, out), (1, 'src/base/view.h:2: "profile/record.h": src/base may use nothing; '
                        'not profile\n'), "verdict")


def test_refuses_a_command_as_a_library(folder):
    code, out = check(folder, analysis__sum='#include "cli/main.h"\n')
    equal(code, 1, "exit")
    contains(out, "src/analysis may use profile; not cli")


def test_refuses_what_hides_the_room(folder):
    code, out = check(folder, base__view='#include "../profile/record.h"\n')
    equal(code, 1, "exit")
    code, out = check(folder, base__view='#include "record.h"\n')
    equal(code, 1, "exit")
    contains(out, "no such header in this folder")


def test_refuses_a_room_that_is_not_in_the_table(folder):
    code, out = check(folder, attic__box="")
    equal(code, 1, "exit")
    contains(out, "src/attic is not in the table")


def test_refuses_a_table_that_goes_in_circles(folder):
    code, out = check(folder, TABLE.replace("| nothing |", "| analysis |"))
    equal(code, 1, "exit")
    contains(out, "would use itself")


def test_refuses_a_vendors_word_outside_its_folder(folder):
    for word in ("int css_count;", "// the NSS waits", 'print("lram");', "enum { TARGET_CDMA };", "// two slices"):
        code, out = check(folder, base__view=f"\n{word}\n")
        equal(code, 1, f"exit for {word}")
        contains(out, "src/base/view.h:2: '")
        contains(out, "is a vendor's word")


def test_allows_vendors_words_in_their_places(folder):
    (folder / "src/formats/torq").mkdir(parents=True)
    write(folder / "src/formats/torq/unit.h", "int css_count; // a slice\n")
    code, out = check(folder, base__view="view_slice(text); accessor; sliced; \n",
                      cli__help='"reads the CSVs of Torq and their slices"\n', cli__tt_report="// Tenstorrent\n")
    equal((code, out), (0, ""), "verdict")
    code, out = check(folder, cli__help='"torq"\n')
    equal(code, 1, "exit for a word that a command compares with")


def test_refuses_an_operator_that_is_told_by_its_name(folder):
    table = TABLE + "| src/network | graph | base | here |\n| src/compiler | passes | network | here |\n"
    (folder / "src/network").mkdir(parents=True)
    write(folder / "src/network/rows.c", 'UNARY(.name = "Relu"), {.name = "tosa.add"},\n')
    for line in ('view_is(node->type, "Relu")', '{"Relu", run}', 'view_starts_with(node->type, "tosa.")'):
        code, out = check(folder, table, compiler__fuse=f"\n{line}\n")
        equal(code, 1, f"exit for {line}")
        contains(out, "src/compiler/fuse.h:2: '")
        contains(out, "is an operator's name")
    code, out = check(folder, table, compiler__fuse='// "Relu"\n', cli__table='title("Relu");\n')
    equal((code, out), (0, ""), "verdict of a comment and of a title")
    code, out = check(folder, table, cli__table='if (view_is(type,\n            "Relu"))\n')
    equal(code, 1, "exit for a comparison in a command")


main()
