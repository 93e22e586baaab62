"""Manual pages and completions come from the tables of the commands, and the documents hold the help texts."""
from support import *


def commands():
    return re.findall(r"^  (\S+) +\S", opscope("--help").out, re.MULTILINE)


def options(command):
    return re.findall(r"^ +(?:-\w, )?--([\w-]+)", opscope(command, "--help").out, re.MULTILINE)


def needs(tool):
    if shutil.which(tool) is None:
        raise Skip(f"{tool} is not installed")


def plain(page):
    """The text of a page, without what makes letters bold."""
    text = run("mandoc", "-Tascii", page).out
    return re.sub(".\b", "", text)


def test_pages_lint_clean(folder):
    needs("mandoc")
    opscope("manual", folder / "man1")
    pages = sorted((folder / "man1").glob("*.1"))
    true(len(pages) > len(commands()), "a page for each command, and one for the program")
    run("mandoc", "-Tlint", "-Wwarning", *pages)


def test_every_command_and_option_has_its_place(folder):
    needs("mandoc")
    opscope("manual", folder / "man1")
    program_page = plain(folder / "man1/opscope.1")
    for command in commands():
        contains(program_page, f"opscope-{command}(1)", "the program's page")
        page = plain(folder / f"man1/opscope-{command}.1")
        contains(page, f"opscope {command}", "the synopsis")
        for option in options(command):
            contains(page, f"--{option}", f"the page of {command}")


def test_vendors_names_have_pages(folder):
    opscope("manual", folder / "man1")
    for name in VENDOR_NAMES:
        contains((folder / f"man1/{name}.1").read_text(), ".TH ", name)


def test_what_is_special_to_man_is_text(folder):
    needs("mandoc")
    opscope("manual", folder / "man1")
    said = re.sub(r"\s+", " ", opscope("convert", "--help").out.split("options:")[0])
    page = re.sub(r"\s+", " ", plain(folder / "man1/opscope-convert.1"))
    for sentence in said.split("\n\n")[0].split(". ")[1:3]:
        contains(page, sentence.strip(), "a sentence of the help text")


def test_bash_completes(folder):
    needs("bash")
    write(folder / "opscope.bash", opscope("completion", "bash").out.encode())

    def complete(*words):
        script = (f"source {folder}/opscope.bash; COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _opscope; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return run("bash", "-c", script).out.split()

    equal(complete("opscope", "conv"), ["convert"], "a command")
    equal(set(complete("opscope", "''")) - {"--help", "--version"}, set(commands()), "all commands")
    for command in commands():
        equal(set(complete("opscope", command, "--")), {f"--{name}" for name in options(command)}, command)
    equal(complete("opscope", "compile", "--rules", "p"), ["public"], "a choice")
    equal(complete("opscope", "compile", "--rules", "=", "p"), ["public"], "a choice behind =")
    equal(complete("perfetto_logger", "--comp"), ["--compile_profile"], "a vendor's name")
    equal(complete("opscope", "convert", "x"), [], "files are left to the shell")


def test_fish_completes(folder):
    needs("fish")
    write(folder / "opscope.fish", opscope("completion", "fish").out.encode())

    def complete(line):
        script = f"source {folder}/opscope.fish; complete -C '{line}'"
        out = run("fish", "--no-config", "-c", script, env={"HOME": str(folder)}).out
        return [row.split("\t")[0] for row in out.splitlines()]

    equal(complete("opscope conv"), ["convert"], "a command")
    for command in commands():
        equal(set(complete(f"opscope {command} --")), {f"--{name}" for name in options(command)}, command)
    equal(complete("opscope compile --rules p"), ["public"], "a choice")
    equal(complete("perfetto_logger --comp"), ["--compile_profile"], "a vendor's name")


def test_zsh_loads(folder):
    needs("zsh")
    write(folder / "_opscope", opscope("completion", "zsh").out.encode())
    script = (f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -D -u; "
              "print $_comps[opscope] $_comps[torq-compile]; autoload +X _opscope; "
              "_arguments() { print -l -- \"$@\" }; _describe() { print -l $commands }; "
              "words=(opscope ''); CURRENT=2; _opscope; "
              "words=(opscope convert --); CURRENT=3; _opscope")
    out = run("zsh", "-f", "-c", script, env={"HOME": str(folder)}).out
    contains(out, "_opscope _opscope", "it is registered")
    for command in commands():
        contains(out, f"\n{command}:", "commands")
    for option in options("convert"):
        contains(out, f"--{option}", "options of convert")


def test_wrong_use(folder):
    contains(opscope("completion", "tcsh", code=2).err, "bash, zsh or fish")
    contains(opscope("completion", code=2).err, "bash, zsh or fish")
    contains(opscope("manual", code=2).err, "DIR")
    write(folder / "file", b"")
    contains(opscope("manual", folder / "file", code=1).err, "file")


def test_the_documents_hold_the_help_texts():
    run(sys.executable, ROOT / "scripts/docs.py", "--check", "--bin", program("opscope").parent)


main()
