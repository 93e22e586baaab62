"""Pages in a real Chromium, for tests."""

import json
import os
import shutil

from support import PATIENCE, TOOLS, Skip, equal, fetched, run


def browse(steps, quiet=True):
    """Does the steps of tests/tools/browse.js: their answers, and what the page asked for. What the page complains of
    is a failure, unless not `quiet`: then it comes as well."""
    if not any(map(shutil.which, (os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome"))):
        raise Skip("chromium is not installed")
    if shutil.which("node") is None:
        raise Skip("no node to drive chromium with")
    tools = fetched("browser-tools")
    said = json.loads(run("node", TOOLS / "browse.js", tools, stdin=json.dumps(steps), timeout=PATIENCE).out)
    if quiet:
        equal(said["errors"], [], "what the page complained of")
        return said["answers"], said["requests"]
    return said["answers"], said["requests"], said["errors"]


def address(path):
    return path.resolve().as_uri()
