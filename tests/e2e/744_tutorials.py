"""What the tutorials show is what their commands print.

A block that begins with `$ ` holds commands and below each what it prints on its standard output; a line ... stands for
any lines. Of what a target's rules model the words count and not the numbers, which better rules change.
"""
from support import *

TUTORIALS = ROOT / "docs/tutorials"
BIN = program("opscope").parent
MODELLED = ("tenstorrent", "qualcomm")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def shown_by(page, only=""):
    """Commands of a page, and what it shows of each."""
    blocks = re.findall(r"^```\n(\$ .*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [(command, shown) for block in blocks for command, shown in COMMAND.findall(re.sub(r"\\\n\s*", "", block))
            if only in command]


def comparable(text, modelled):
    lines = [line.rstrip() for line in text.rstrip("\n").splitlines()]
    # 5 415 is a number, too, and a better rule may make ms of us.
    return [re.sub(r"\d[\d.,]*( \d{3})*( ?(ns|us|µs|ms|s)\b)?", "#", re.sub(r"\s+", " ", line)) if modelled else line for line in lines]


def fits(lines, shown):
    """Whether lines are those that are shown, ... being any."""
    if not shown:
        return not lines
    if shown[0] == "...":
        return any(fits(lines[at:], shown[1:]) for at in range(len(lines) + 1))
    return bool(lines) and lines[0] == shown[0] and fits(lines[1:], shown[1:])


def check_page(page, folder, modelled=False, only=""):
    for name in ("samples", "tests", "examples", "python", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    (folder / "build/bin").symlink_to(BIN)
    commands = shown_by(page, only)
    true(len(commands) >= 3, f"{page}: {len(commands)} commands")
    true(any(shown for _, shown in commands), f"{page} shows what is printed")
    for command, shown in commands:
        out = run("bash", "-c", command, cwd=folder, env={"PATH": f"{BIN}:{os.environ['PATH']}"}).out
        want = comparable(shown, modelled)
        if want and not fits(comparable(out, modelled), want):
            fail(f"{page.name}: $ {command}\nshows\n{shown}\nand prints\n{out}")


def test_pytorch(folder):
    check_page(TUTORIALS / "pytorch.md", folder)


def test_onnxruntime(folder):
    check_page(TUTORIALS / "onnxruntime.md", folder)


def test_the_readme_begins_with_what_is_printed(folder):
    check_page(ROOT / "README.md", folder, only=" samples/")


def test_programs_are_as_the_readme_and_their_pages_show(folder):
    check_page(ROOT / "README.md", folder, modelled=True, only="tosa_ops/add.mlir ")
    run(BIN / "opscope", "compile", "tests/testdata/tosa_ops/add.mlir", "--target", "torq-sl2610", "-o", "add.opx",
        cwd=folder)
    for page in ("program", "verify"):
        ((command, shown),) = shown_by(ROOT / f"docs/commands/{page}.md", only=" add.opx")
        out = run("bash", "-c", command, cwd=folder, env={"PATH": f"{BIN}:{os.environ['PATH']}"}).out
        true(fits(comparable(out, True), comparable(shown, True)), f"{page}.md: {command}\nshows\n{shown}\nand prints\n{out}")


def test_modelled_machines(folder):
    if SANITIZED:
        raise Skip("compiling for a target takes long here: the tests of the commands do it")
    for name in MODELLED:
        (folder / name).mkdir()
        check_page(TUTORIALS / f"{name}.md", folder / name, modelled=True)


def test_what_is_shown_is_compared(folder):
    page = write(folder / "page.md", "```\n$ echo a 1\na 1\n$ printf 'b\\nc\\n'\n...\nc\n```\n```\n$ true\n```\n")
    equal(shown_by(page), [("echo a 1", "a 1\n"), ("printf 'b\\nc\\n'", "...\nc\n"), ("true", "")], "what is shown")
    true(fits(["a", "b", "c"], ["a", "...", "c"]) and fits(["a"], ["a", "..."]), "any lines")
    true(not fits(["a", "b"], ["a"]) and not fits(["a"], ["...", "b"]), "and no others")
    equal(comparable("x  12.5 us\n", True), comparable("x 3 us\n", True), "numbers of models")


main()
