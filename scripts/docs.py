#!/usr/bin/env python3
"""Brings what `opscope COMMAND --help` and `--help-columns` print into docs/commands.

    scripts/docs.py [--check] [--bin build/bin]

A page holds it between `<!-- help: COMMAND -->` (`<!-- columns: COMMAND -->`) and
`<!-- end -->`. A command that no page has gets a page of its own, and columns that none
has stand before the help. With --check nothing is written: what is out of date
is named, and the exit is 1.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/commands"
BLOCK = re.compile(r"<!-- help: (\S+) -->\n.*?<!-- end -->\n", re.DOTALL)
COLUMNS = re.compile(r"<!-- columns: (\S+) -->\n.*?<!-- end -->\n", re.DOTALL)
INDEX_HEAD = """# Commands

What `opscope --help` lists, a page each. `man opscope-COMMAND` says the same when it is installed.

| command | does |
|---|---|
"""


class Program:
    def __init__(self, folder):
        self.opscope = folder / "opscope"
        listed = re.findall(r"^  (\S+) +(.+)$", self.says("--help"), re.MULTILINE)
        self.commands = dict(listed)

    def says(self, *words):
        return subprocess.run([self.opscope, *words], check=True, capture_output=True, text=True).stdout

    def block(self, command):
        return f"<!-- help: {command} -->\n```\n{self.says(command, '--help')}```\n<!-- end -->\n"

    def columns(self, command):
        """The block of a command's columns; "" for one that prints no rows."""
        if command not in self.commands or "--help-columns" not in self.says(command, "--help"):
            return ""
        return f"<!-- columns: {command} -->\n```\n{self.says(command, '--help-columns')}```\n<!-- end -->\n"

    def page(self, command):
        return f"# opscope {command}\n\n## Help\n{self.block(command)}"


def refreshed(program):
    """The text of every page, by path."""
    pages = {path: path.read_text(encoding="utf-8")
             for path in sorted(PAGES.glob("*.md")) if path.name != "README.md"}
    home = {}
    for path, text in pages.items():
        for command in BLOCK.findall(text):
            home[command] = path
        pages[path] = BLOCK.sub(
            lambda match: program.block(match[1]) if match[1] in program.commands else "", text)
    for command in program.commands:
        if command not in home:
            home[command] = PAGES / f"{command}.md"
            old = pages.get(home[command])
            pages[home[command]] = (program.page(command) if old is None else
                                    f"{old.rstrip()}\n\n## Help\n{program.block(command)}")
    for command, path in home.items():
        block = program.columns(command)
        text = COLUMNS.sub(lambda match: program.columns(match[1]), pages[path])
        if block and f"<!-- columns: {command} -->" not in text:
            text = text.replace("## Help\n", f"## Columns\n{block}\n## Help\n", 1)
        pages[path] = text
    rows = [f"| [{command}]({home[command].name}) | {summary} |\n"
            for command, summary in program.commands.items()]
    pages[PAGES / "README.md"] = INDEX_HEAD + "".join(rows)
    return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    options = parser.parse_args()
    stale = [(path, text) for path, text in refreshed(Program(options.bin)).items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        print(f"{path.relative_to(ROOT)} {'is out of date: make docs' if options.check else 'written'}")
        if not options.check:
            path.write_text(text, encoding="utf-8")
    sys.exit(1 if options.check and stale else 0)


main()
