#!/usr/bin/env python3
"""Writes a C file with the texts of files, by the names of the files without
their extensions.

usage: embed.py HEADER TABLE OUT.c FILE...

HEADER declares `struct embedded_file` and TABLE, which ends with a NULL name.
"""

import pathlib
import sys


def literal(text):
    """The text as C string literals, one for each line."""
    lines = []
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'     "{escaped}"')
    return "\n".join(lines) or '     ""'


def main(header, table, out, *files):
    rows = []
    for file in sorted(map(pathlib.Path, files)):
        rows.append(f'    {{"{file.stem}",\n{literal(file.read_text(encoding="utf-8"))}}},\n')
    pathlib.Path(out).write_text(
        f'#include "{header}"\n\nconst struct embedded_file {table}[] = {{\n'
        + "".join(rows) + "    {NULL, NULL},\n};\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
