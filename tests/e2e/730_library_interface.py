"""What the public library promises: names, versions, headers, comments, and nothing besides."""
import itertools
from support import *
from library import *

SKIP = "names and headers are those of the plain run" if SANITIZED else ""
BUILD = ROOT / "build"
INCLUDE = ROOT / "include/opscope"
# Of libopscope; what runs programs is a library of its own.
PUBLIC = [INCLUDE / name for name in HEADERS if name not in ("version.h", "session.h")] + [INCLUDE / "version.h.in"]
SESSION = INCLUDE / "session.h"
INLINE = re.compile(r"^static inline [\w\s\*]*?\b(opscope_\w+)\(", re.MULTILINE)
COMPILERS = (("gcc", "c", ("c11", "c17")), ("clang", "c", ("c11", "c17")),
             ("g++", "c++", ("c++11", "c++17")), ("clang++", "c++", ("c++11", "c++17")))


def names_of(*headers):
    return sorted(itertools.chain(*(declared(header) for header in headers)))


def mapped(path="src/api/opscope.map"):
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.findall(r"^    (opscope_\w+);$", text, re.MULTILINE)


def test_the_library_shows_what_the_headers_declare_and_nothing_else():
    headers = [header for header in PUBLIC if header.name != "record.h"]
    equal(exported(BUILD / "libopscope.so"), names_of(*headers), "names of libopscope")
    equal(mapped(), names_of(*headers), "src/api/opscope.map")
    equal(exported(BUILD / "libopscope-record.so"), names_of(INCLUDE / "record.h"),
          "names of libopscope-record")
    true(len(mapped()) > 60, "the headers were read")
    equal(exported(BUILD / "libopscope-session.so"), names_of(SESSION), "names of libopscope-session")
    equal(mapped("src/session/opscope-session.map"), names_of(SESSION), "its map")


def test_the_archives_show_the_same():
    def visible(archive):
        lines = run("nm", "--defined-only", "--extern-only", BUILD / archive).out.splitlines()
        return sorted(line.split()[2] for line in lines if len(line.split()) == 3)
    equal(visible("libopscope-record.a"), names_of(INCLUDE / "record.h"), "libopscope-record.a")
    equal(visible("libopscope.a"), names_of(*PUBLIC), "libopscope.a")


def test_the_archives_need_what_pkg_config_lists(folder):
    place = install(folder)
    write(folder / "all.c", "#include <opscope/opscope.h>\nextern const void *const all[];\n"
          "const void *const all[] = {" +
          ", ".join(f"(const void *)&{name}" for name in names_of(*PUBLIC)) +
          "};\nint main(void) { return all[0] == 0; }\n")
    for static in (False, True):
        place.build(folder / "all.c", folder / "all", "-Wno-pedantic", static=static)
        place.run(folder / "all")


def test_a_program_may_use_names_that_opscope_uses_inside(folder):
    place = install(folder)
    inside = run("nm", "--defined-only", BUILD / "libopscope.a").out
    names = sorted(set(re.findall(r" t ((?:profile|view|status|hash|json|perfetto)_\w+)$", inside, re.MULTILINE)))
    true(len(names) > 50, f"names inside: {len(names)}")
    write(folder / "same.c", "#include <opscope/profile.h>\n#include <stdlib.h>\n" +
          "".join(f"void {name}(void);\nvoid {name}(void) {{ abort(); }}\n" for name in names) +
          "int main(void) { opscope_profile_free(opscope_profile_create()); return 0; }\n")
    for static in (False, True):
        place.build(folder / "same.c", folder / "same", "-rdynamic", static=static)
        place.run(folder / "same")


def test_the_library_needs_no_more_than_it_says():
    needed = set(re.findall(r"NEEDED.*\[(lib\w+)", run("readelf", "-d", BUILD / "libopscope.so").out))
    true(needed <= {"libisal", "liblz4", "libsqlite3", "libz", "libzstd", "libc", "libm"}, f"libopscope.so needs {needed}")
    needed = set(re.findall(r"NEEDED.*\[(lib\w+)", run("readelf", "-d", BUILD / "libopscope-record.so").out))
    true(needed <= {"libz", "libzstd", "libc"}, f"libopscope-record.so needs {needed}")


def test_every_name_has_a_comment():
    for header in [*PUBLIC, SESSION]:
        text = header.read_text(encoding="utf-8")
        paragraphs = declared(header)
        for name, paragraph in paragraphs.items():
            plain = name.removesuffix("_sized")
            inline = next((part for part in re.split(r"\n\s*\n", text)
                           if "static inline" in part and f" {plain}(" in part), "")
            beside = re.search(rf"\b{name}\b.*//", paragraph)
            true(beside or paragraph.lstrip().startswith("//") or inline.lstrip().startswith("//"),
                 f"{header.name}: {name} has no comment")
        for name in INLINE.findall(text):
            part = next(part for part in re.split(r"\n\s*\n", text)
                        if "static inline" in part and f" {name}(" in part)
            true(part.lstrip().startswith("//") or f"{name}_sized" in paragraphs,
                 f"{header.name}: {name} has no comment")


def test_the_guide_names_every_function():
    guide = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    for header in [*PUBLIC, SESSION]:
        if header.name == "record.h":
            continue
        for name in declared(header):
            contains(guide, f"`{name.removesuffix('_sized')}`", "docs/library.md")
    for name in EXAMPLES:
        contains(guide, f"../examples/{name}", "docs/library.md")


def test_headers_compile_alone(folder):
    place = install(folder)
    tried = 0
    for (compiler, language, standards), header in itertools.product(COMPILERS, HEADERS):
        if shutil.which(compiler) is None:
            continue
        source = write(folder / "alone.c", f"#include <opscope/{header}>\nint main(void) {{ return 0; }}\n")
        for standard in standards:
            run(compiler, "-fsyntax-only", "-x", language, f"-std={standard}", "-Wall", "-Wextra",
                "-pedantic", "-Werror", "-Wshadow", "-Wconversion", *place.flags("--cflags"), source)
            tried += 1
    true(tried >= 28, f"gcc and g++ are needed; {tried} tries")


def test_one_version_everywhere(folder):
    place = install(folder)
    [version] = re.findall(r"version: '(\d+\.\d+\.\d+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))
    write(folder / "version.c", "#include <opscope/version.h>\n#include <stdio.h>\n"
          "int main(void) { printf(\"%s %s %d.%d.%d\", opscope_version(), OPSCOPE_VERSION,\n"
          "OPSCOPE_VERSION_MAJOR, OPSCOPE_VERSION_MINOR, OPSCOPE_VERSION_PATCH); return 0; }\n")
    place.build(folder / "version.c", folder / "version")
    equal(place.run(folder / "version").out, f"{version} {version} {version}", "versions")
    equal(place.flags("--modversion"), [version], "pkg-config")
    equal(opscope("--version").out, f"opscope {version}\n", "the program")
    major = version.split(".", maxsplit=1)[0]
    for name in ("opscope", "opscope-record", "opscope-session"):
        dynamic = run("readelf", "-d", place.prefix / f"lib/lib{name}.so").out
        contains(dynamic, f"soname: [lib{name}.so.{major}]", "its name")
        true((place.prefix / f"lib/lib{name}.so.{major}").exists(), "what programs look for")


def test_destdir_is_not_in_what_is_installed(folder):
    install(folder, destdir=folder / "root")
    for path in (folder / "root/usr").rglob("*"):
        if path.is_symlink():
            true(not os.path.isabs(os.readlink(path)), f"{path} points to a fixed place")
        elif path.suffix in (".pc", ".h"):
            true(str(folder).encode() not in path.read_bytes(), f"{path} holds DESTDIR")
    package = (folder / "root/usr/lib/pkgconfig/opscope.pc").read_text()
    contains(package, "prefix=/usr\n")


main()
