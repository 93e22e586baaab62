#!/usr/bin/env python3
"""What `make install` puts there `make uninstall` takes back; Debian packages, and a machine with nothing else."""

import os

from support import *

VERSION = re.search(r"^  version: '([\d.]+)'", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]
PACKAGES = ["libopscope-dev", "libopscope0", "opscope", "python3-opscope"]


def make(*words, code=0, **environment):
    return run("make", "-C", ROOT, "-o", "all", *words, code=code, env=environment)


def tree(folder):
    """Everything below a folder: what kind it is, and what is in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", "")
        else:
            found[name] = ("file", path.read_bytes())
    return found


def test_uninstall_takes_back_what_install_put(folder):
    there = folder / "there"
    (there / "usr/bin").mkdir(parents=True)
    (there / "usr/share/man/man1").mkdir(parents=True)
    write(there / "usr/bin/mine", "mine")
    write(there / "usr/share/man/man1/mine.1", "mine")
    before = tree(there)
    words = (f"DESTDIR={there}", "PREFIX=/usr", "PYTHON=false")
    make("install", *words)
    run(there / "usr/bin/opscope", "--version")
    run(sys.executable, "-c", "import opscope", env={"PYTHONPATH": there / "usr/share/opscope/python"})
    once = tree(there)
    make("install", *words)
    equal({name: kind for name, (kind, _) in tree(there).items()}, {name: kind for name, (kind, _) in once.items()},
          "installed twice")
    make("uninstall", *words)
    equal(tree(there), before, "what remains")
    contains(make("uninstall", *words, code=2).err, "nothing was installed")


def test_what_others_put_there_stays(folder):
    """Also in folders that were made for it; and what an older version put there goes."""
    words = (f"PREFIX={folder}/usr", "PYTHON=false")
    make("install", *words)
    write(folder / "usr/share/opscope/python/theirs.py", "theirs")
    write(folder / "usr/bin/old-name", "of an older version")
    with open(folder / "usr/share/opscope/installed", "a", encoding="utf-8") as known:
        known.write(f"f {folder}/usr/bin/old-name\n")
    make("install", *words)
    true(not (folder / "usr/bin/old-name").exists(), "what an older version put there is still there")
    make("uninstall", *words)
    equal([name for name, (kind, _) in tree(folder).items() if kind != "folder"], ["usr/share/opscope/python/theirs.py"], "files")


def test_every_command_has_its_page_and_completion(folder):
    make("install", f"PREFIX={folder}/usr", "PYTHON=false")
    share = folder / "usr/share"
    completion = (share / "bash-completion/completions/opscope").read_text()
    for command in re.findall(r"^  (\S+) +", opscope("--help").out, re.MULTILINE):
        true((share / f"man/man1/opscope-{command}.1").exists(), f"{command} has no page")
        matches(completion, rf"(^|[\s'\"|(]){re.escape(command)}($|[\s'\"|)])", f"completion of {command}")
    for link in (folder / "usr/bin").iterdir():
        if link.is_symlink():
            true((share / f"man/man1/{link.name}.1").exists(), f"{link.name} has no page")
            true((share / "bash-completion/completions" / link.name).exists(), f"{link.name} has no completion")


def test_packages_are_of_this_version():
    matches((ROOT / "debian/changelog").read_text().splitlines()[0], rf"^opscope \({re.escape(VERSION)}\) ", "debian/changelog")
    matches((ROOT / "docs/releases.md").read_text(), rf"^## {re.escape(VERSION)}$", "docs/releases.md")
    equal(opscope("--version").out, f"opscope {VERSION}\n", "the program")


def test_packages_are_built_with_what_the_build_needs():
    """The list of packages that `make` installs, without what the tests need, is that of debian/control."""
    script = (ROOT / "scripts/install-dependencies.sh").read_text().split('if [ "$group" = coverage ]')[0].split("need_command cc")[1]
    needed = set(re.findall(r"^need_\w+ \S+ (\S+)$", script, re.MULTILINE)) | set(re.findall(r"missing\+=\(([\w-]+)\)", script))
    control = re.search(r"^Build-Depends: (.*?)\n\S", (ROOT / "debian/control").read_text(), re.MULTILINE | re.DOTALL)[1]
    listed = {re.split(r"[\s:(]", word.strip())[0] for word in control.split(",")}
    equal(sorted(needed - listed - {"gcc", "libcmocka-dev"}), [], "packages that debian/control lacks")
    equal(sorted(listed - needed - {"debhelper-compat", "dh-sequence-python3"}), [], "packages that nothing needs")


def test_symbols_are_those_of_the_libraries():
    """What was promised to packages that were built with an older version is still there."""
    listed = {}
    for line in (ROOT / "debian/libopscope0.symbols").read_text().splitlines():
        if line.startswith("lib"):
            names = listed[line.split()[0]] = set()
        elif line.startswith(" "):
            names.add(line.split()[0].split("@")[0])
    equal(sorted(listed), ["libopscope-record.so.0", "libopscope-session.so.0", "libopscope.so.0"], "libraries")
    for library, names in listed.items():
        path = ROOT / "build" / library
        if not path.exists():
            raise Skip(f"{path} is not built")
        there = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", path).out.splitlines()}
        equal(sorted(name for name in names if name not in there), [], f"names that {library} has no more")


# Packages, and a machine that has nothing but them ----------------------------

def need(*commands):
    for command in commands:
        if shutil.which(command) is None:
            raise Skip(f"{command} is not installed")


def test_packages_install_and_leave(folder):
    """Built from the files of the project, looked at by lintian, in a Debian that was made for it."""
    if not os.environ.get("OPSCOPE_ALL"):
        raise Skip("takes long: a part of make test-long")
    need("dpkg-buildpackage", "dh", "dh_python3", "lintian", "mmdebstrap")
    if os.getuid() != 0:
        raise Skip("a Debian in a folder takes root's rights")
    said = run(ROOT / "scripts/deb.sh", timeout=4 * PATIENCE).out
    found = sorted((ROOT / "build-deb").glob("*.deb"))
    equal([path.name.split("_")[0] for path in found if "-dbgsym" not in path.name], PACKAGES, said)
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    there = folder / "debian"
    made = run("mmdebstrap", "--mode=root", "--variant=apt", release.get("VERSION_CODENAME", "stable"), there, code=None,
               timeout=4 * PATIENCE)
    if made.code != 0:
        raise Skip(f"no Debian can be had here: {made.err.splitlines()[-1] if made.err else ''}")

    def inside(*words, **options):
        return run("chroot", there, "env", "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *words,
                   timeout=4 * PATIENCE, **options)

    packages = lambda: sorted(inside("dpkg-query", "-W", "-f", "${Package}\\n").out.split())
    (there / "packages").mkdir()
    for path in found:
        shutil.copy(path, there / "packages")
    shutil.copy(ROOT / "debian/tests/smoke", there / "packages/smoke")
    depends = re.search(r"^Depends: (.*)$", (ROOT / "debian/tests/control").read_text(), re.MULTILINE)[1].split(", ")
    inside("apt-get", "update", "-q")
    inside("apt-get", "install", "-y", "-q", "--no-install-recommends", *(word for word in depends if word not in PACKAGES))
    before = packages()
    inside("apt-get", "install", "-y", "-q", "--no-install-recommends",
           *(f"/packages/{path.name}" for path in found if "-dbgsym" not in path.name))
    equal([name for name in PACKAGES if name not in packages()], [], "packages that are not installed")
    contains(inside("sh", "/packages/smoke").out, "work")
    inside("apt-get", "purge", "-y", "-q", *PACKAGES)
    inside("apt-get", "autoremove", "--purge", "-y", "-q")
    equal(packages(), before, "packages afterwards")
    left = [path for place in ("usr", "etc", "var/lib/dpkg/info") for path in (there / place).rglob("*opscope*")]
    equal(left, [], "files afterwards")


main()
