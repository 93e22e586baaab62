#!/usr/bin/env python3
"""Refuses an #include that the table of rooms does not allow, a vendor's word elsewhere, and
an operator that is told from others by its name.

The table is the one in docs/architecture.md: a room (a folder of src that has
a row, with the folders under it that have none) may use the rooms in its row,
and not what those may use. Headers of the same folder are included by their
bare name, others by their path under src.

What one vendor's hardware and tools are called stands in that vendor's places only: as a part of
an identifier, in a text or in a comment. Sentences that the commands print may name what users
have: machines, formats, files.

What is asked of an operator stands in its row in src/network, as a trait: a comparison with an
operator's name elsewhere is one that whoever adds an operator would have to find.

usage: check-rooms.py [PROJECT]
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| src/([\w/]+)[^|]*\|[^|]*\|([^|]*)\|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')

VENDORS = ("aic100", "blackhole", "brisc", "cdma", "css", "dtcm", "hmx", "hvx", "itcm", "lram", "ncrisc",
           "ndma", "nss", "qaic", "sm", "sms", "tenstorrent", "tensix", "torq", "trisc", "vtcm", "wormhole", "xram")
WORD = re.compile(rf"(?<![a-z0-9])({'|'.join(VENDORS)})(?![a-z0-9])", re.IGNORECASE)
# The engine; a piece of a text is an ordinary word.
SLICE = re.compile(r"(?<![a-z0-9])(?<!view_)(slices?)(?![a-z0-9])", re.IGNORECASE)
# Operators of networks, by their names.
SLICE_OPERATOR = re.compile(r'"(?:tosa\.)?slice"', re.IGNORECASE)
SENTENCE = re.compile(r'"(?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*"')

VENDOR_NAMES = ("torq", "tenstorrent", "qaic")
VENDOR_FOLDERS = ("target/rules", *(f"{room}/{name}" for room in ("formats", "reports") for name in VENDOR_NAMES))
# An operator in the first two, an event in the words of the viewers in the others.
SLICE_FOLDERS = ("network", "kernels", "formats/chrome", "formats/perfetto")
VENDOR_FILES = {
    # Commands that vendors' users know, and what those share.
    "cli": ("annotate", "annotate_summary", "estimate", "perfetto_logger", "phases", "run_blocks", "run_profiles",
            "suite", "info_container", "qaic_buffers", "qaic_compile", "qaic_feeds", "qaic_opstats", "qaic_parts",
            "qaic_report", "qaic_reports", "qaic_runner", "qaic_runner_files", "qaic_runner_options",
            "qaic_runner_report", "qaic_running",
            "qaic_settings",
            "torq_compile", "torq_hw", "torq_program", "torq_run_module", "tt_perf", "tt_perf_cells", "tt_perf_files",
            "tt_perf_limits", "tt_perf_stack", "tt_perf_table", "tt_profile", "tt_report",
            # Lists of all commands, and the options of all formats.
            "commands", "main", "convert", "file_kinds"),
    # Lists of all formats.
    "formats": ("format", "readers", "writers"),
    "convert": ("convert",),
    "formats/trace": ("engine_names",),
    # A dialect of its viewer's format.
    "formats/chrome": ("opstats",),
    # What one vendor's fork numbers.
    "formats/tracy": ("device_lanes",),
    # Whose overview it is.
    "reports/overview": ("list",),
    # The public names of one vendor's library, and of the options of its formats.
    "api": ("timechart", "profile"),
    # Which containers it opens.
    "session": ("session",),
    # What engines were called when they were numbered.
    "profile": ("file_version_1",),
}
# The rows of operators, and what compares a text with one of their names.
OPERATOR = re.compile(r'\.name = "([\w.]+)"')
LITERAL = re.compile(r'"([\w.]+)"')
COMPARISON = re.compile(r'\b(?:view_is|view_equal|view_starts_with|strcmp|strncmp|strcasecmp)\([^;{]*?"([\w.]+)"')
COMMENT = re.compile(r"//.*")
OPERATOR_FOLDERS = ("network", "kernels")
# Where nodes are handled any text that is an operator's name is one too many; elsewhere it may be
# the title of a column.
NODE_ROOMS = ("compiler", "device", "program", "target")
# Tables of what target files call by an operator's name: measured times (time.Conv.f32...).
OPERATOR_FILES = ("device/calibrate_grids.c", "target/rules/table.c")


def read_table(text):
    """room -> the rooms that its row names."""
    table = {}
    for room, cell in ROW.findall(text):
        words = re.sub(r"\([^)]*\)", "", cell).replace(",", " ").split()
        table[room] = set() if words == ["nothing"] else set(words)
    for room, uses in table.items():
        if uses == {"all"}:
            table[room] = set(table) - {room}
    return table


def is_in_circle(table, room):
    """Whether a room would use itself, through others."""
    seen, ways = set(), list(table[room])
    while ways:
        used = ways.pop()
        if used not in seen:
            seen.add(used)
            ways.extend(table[used])
    return room in seen


def vendor_of(room):
    name = room.rpartition("/")[2]
    return name if name in VENDOR_NAMES else None


def check_table(table):
    for room, uses in table.items():
        for used in sorted(uses):
            if used not in table:
                yield f"docs/architecture.md: src/{room} may use '{used}', which is no room"
            elif vendor_of(room) and vendor_of(used) and vendor_of(room) != vendor_of(used):
                yield f"docs/architecture.md: src/{room} may use '{used}', which is another vendor's"
    if not any(uses - set(table) for uses in table.values()):
        for room in table:
            if is_in_circle(table, room):
                yield f"docs/architecture.md: src/{room} would use itself"


def room_of(folder, table):
    """The room of a folder under src: the nearest one above that has a row; None: there is none."""
    while folder and folder not in table:
        folder = folder.rpartition("/")[0]
    return folder or None


def check_include(room, included, source, table):
    """What is wrong with one include, or None."""
    folder, _, _ = included.rpartition("/")
    if ".." in included.split("/"):
        return "name a header by its path under src"
    if not folder:
        if not (source.parent / included).exists():
            return "no such header in this folder"
        return None
    used = room_of(folder, table)
    if used is None:
        return f"'{folder}' is no room"
    if used != room and used not in table[room]:
        names = ", ".join(sorted(table[room])) or "nothing"
        return f"src/{room} may use {names}; not {used}"
    return None


def is_under(place, folders):
    return any(place == folder or place.startswith(folder + "/") for folder in folders)


def find_vendor_words(place, line):
    """The words in one line of a file, by its path under src, that have no business there."""
    room, _, name = place.rpartition("/")
    if is_under(place, VENDOR_FOLDERS) or name.rsplit(".", 1)[0] in VENDOR_FILES.get(room, ()):
        return []
    if is_under(place, ("cli",)):
        line = SENTENCE.sub('""', line)
    line = SLICE_OPERATOR.sub('""', line)
    words = WORD.findall(line)
    return words if is_under(place, SLICE_FOLDERS) else words + SLICE.findall(line)


def read_operators(root):
    """The names of all operators."""
    names = set()
    for source in (root / "src/network").rglob("*.c"):
        names.update(OPERATOR.findall(source.read_text()))
    return names


def find_operators(place, text, names):
    """(line, name) of each operator that a file, by its path under src, tells by its name."""
    foreign = [folder for folder in VENDOR_FOLDERS if not folder.startswith("target")]
    if place in OPERATOR_FILES or is_under(place, OPERATOR_FOLDERS + tuple(foreign)):
        return
    text = COMMENT.sub("", text)
    for match in (LITERAL if is_under(place, NODE_ROOMS) else COMPARISON).finditer(text):
        if match[1] in names or match[1].startswith("tosa."):
            yield text.count("\n", 0, match.start(1)) + 1, match[1]


def check_operators(root):
    names = read_operators(root)
    if not names and (root / "src/network").exists():
        yield "src/network: no operators found"
    for source in sorted((root / "src").rglob("*.[ch]")):
        place = source.relative_to(root)
        for number, name in find_operators(place.relative_to("src").as_posix(), source.read_text(), names):
            yield f"{place}:{number}: '{name}' is an operator's name: ask for a trait of its row (src/network/operators.h)"


def check_sources(root, table):
    for source in sorted((root / "src").rglob("*.[ch]")):
        place = source.relative_to(root)
        folder = place.parent.relative_to("src").as_posix()
        room = room_of(folder, table)
        if room is None:
            yield f"{place}: src/{folder} is not in the table of docs/architecture.md"
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and check_include(room, match[1], source, table)
            if wrong:
                yield f'{place}:{number}: "{match[1]}": {wrong}'
            for word in find_vendor_words(place.relative_to("src").as_posix(), line):
                yield f"{place}:{number}: '{word}' is a vendor's word: it belongs into that vendor's folder"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if root.is_file():
        root = root.parent.parent
    table = read_table((root / "docs/architecture.md").read_text())
    if not table:
        sys.exit("docs/architecture.md: no table of rooms")
    wrong = list(check_table(table)) or list(check_sources(root, table)) + list(check_operators(root))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
