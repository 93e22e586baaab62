"""The public library where `make install` puts it, and programs built with it."""
import shutil
from support import ROOT, SANITIZED, Skip, os, program, re, run

__all__ = ["EXAMPLES", "HEADERS", "Installed", "declared", "exported", "install"]

EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".c", ".cpp"))
HEADERS = ["analyse.h", "opscope.h", "profile.h", "query.h", "record.h", "result.h", "session.h", "table.h",
           "timechart.h", "version.h"]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


class Installed:
    """Builds and runs programs with the library; with sanitizers in a run that has them."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.environment = {"LD_LIBRARY_PATH": str(prefix / "lib")}

    def flags(self, *options, package="opscope"):
        found = run("pkg-config", *options, package,
                    env={"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")})
        return found.out.split()

    def build(self, source, out, *options, static=False, package="opscope"):
        """Compiles a program of examples/ or any other; the standard comes with the options."""
        compiler = "c++" if str(source).endswith(".cpp") else "cc"
        if static:
            libraries = [self.prefix / f"lib/lib{word[2:]}.a" if word.startswith("-lopscope") else word
                         for word in self.flags("--static", "--libs", package=package)]
        else:
            libraries = self.flags("--libs", package=package)
        run(compiler, *WARNINGS, *(SANITIZE if SANITIZED else ()), *options, *self.flags("--cflags"),
            ROOT / "examples" / source, *libraries, "-o", out)
        return out

    def run(self, *command, **options):
        return run(*command, env=self.environment, **options)


def install(folder, destdir="", build=None, python="python3"):
    """`make install` into folder; what is there already is not built again."""
    if shutil.which("make") is None:
        raise Skip("no make")
    build = build or program("opscope").resolve().parent
    prefix = "/usr" if destdir else folder / "installed"
    run("make", "-C", ROOT, "-o", "all", "install", f"DESTDIR={destdir}", f"PREFIX={prefix}",
        f"BUILD={os.path.relpath(build, ROOT)}", f"PYTHON={python}")
    return Installed(folder / "installed")


def declared(header):
    """Name -> the paragraph of a header that declares it, for all that is no inline function."""
    text = header.read_text(encoding="utf-8")
    names = {}
    for paragraph in re.split(r"\n\s*\n", text):
        code = re.sub(r"//.*", "", paragraph)
        if "static inline" in code or code.startswith("{"):
            continue
        for name in re.findall(r"^[a-z][\w\s\*]*?\b(opscope_\w+)\(", code, re.MULTILINE):
            names[name] = paragraph
        for name in re.findall(r"^extern \w+ (opscope_\w+);", code, re.MULTILINE):
            names[name] = paragraph
    return names


def exported(library):
    """The names that a shared library shows, without their versions."""
    lines = run("nm", "-D", "--defined-only", library).out.splitlines()
    return sorted(words[2].split("@")[0] for words in map(str.split, lines) if words[1] != "A")
