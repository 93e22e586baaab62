#!/usr/bin/env python3
"""Writes a C file with the parts of a page: its style, its script and its body as texts, and the
digests by which the page's policy knows the first two.

usage: page.py HEADER OUT.c FILE...

Of the files, *.css are the style, *.html the body, *.js the script: in the order of the
arguments, within one function, so that they share names and nothing else sees them.
"""

import base64
import hashlib
import pathlib
import sys

from embed import literal


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def joined(files, extension):
    return "".join(file.read_text(encoding="utf-8") for file in files if file.suffix == extension)


def main(header, out, *names):
    files = [pathlib.Path(name) for name in names]
    style = "\n" + joined(files, ".css")
    script = '\n(function () {\n"use strict";\n' + joined(files, ".js") + "})();\n"
    if "</script" in script or "<!--" in script:
        sys.exit("page.py: a script must not hold the end of a script")
    texts = {"PAGE_STYLE": style, "PAGE_STYLE_DIGEST": digest(style), "PAGE_SCRIPT": script,
             "PAGE_SCRIPT_DIGEST": digest(script), "PAGE_BODY": joined(files, ".html")}
    pathlib.Path(out).write_text(
        f'#include "{header}"\n\n'
        + "\n".join(f"const char {name}[] =\n{literal(text)};\n" for name, text in texts.items()),
        encoding="utf-8")


main(*sys.argv[1:])
