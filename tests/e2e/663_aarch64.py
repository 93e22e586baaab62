"""opscope for boards: built by Debian's cross compiler, run by qemu-aarch64.

The build takes minutes, so make test-long runs these.
"""
import functools
import getpass

from support import *

import board

TOGETHER = True
BUILT = ROOT / "build-aarch64/opscope"
NETWORKS = ("add.mlir", "conv-stride1-notile.mlir", "every_operator.mlir")
CASES = pathlib.Path("/usr/share/libonnx-testdata/data/node")


@functools.lru_cache(maxsize=None)
def build():
    """Why it cannot be built, or None."""
    if os.environ.get("OPSCOPE_ALL") != "1":
        return "a build of its own: make test-long"
    if shutil.which("qemu-aarch64") is None:
        return "no qemu-aarch64 (scripts/install-dependencies.sh board)"
    done = run(ROOT / "scripts/board/build.sh", code=None, timeout=7200)
    if done.code == 3:
        return done.err.strip().splitlines()[-1]
    equal(done.code, 0, f"scripts/board/build.sh\n{done.out[-3000:]}{done.err[-3000:]}")
    return None


def board_opscope(*words, **options):
    reason = build()
    if reason is not None:
        raise Skip(reason)
    return run("qemu-aarch64", BUILT, *words, **options)


def test_one_file_is_all_that_a_board_needs():
    board_opscope("--version")
    head = BUILT.read_bytes()[:20]
    equal((head[:5], head[18:20]), (b"\x7fELF\x02", (183).to_bytes(2, "little")), "an aarch64 program")
    equal(shutil.which("readelf") is None or "NEEDED" not in run("readelf", "-d", BUILT).out, True, "no libraries")


def test_the_runner_computes_what_it_computes_here(folder):
    for name in NETWORKS:
        path = ROOT / "tests/testdata/tosa_ops" / name
        row = opscope("suite", path, "-o", folder / "here", "--cache", folder / "cache", "--json").json()["networks"][0]
        words = next(line for line in pathlib.Path(row["folder"], "log.txt").read_text().splitlines()
                     if " torq-run-module " in line).split(" torq-run-module ")[1].split(" ")
        there = [word.replace(row["folder"], str(folder)) for word in words]
        board_opscope("torq-run-module", *there)
        for output in pathlib.Path(row["folder"]).glob("output.*.npy"):
            equal((folder / output.name).read_bytes(), output.read_bytes(), f"{name}: {output.name}")
        opscope("info", folder / "host_profile.csv")


def test_it_compiles_what_is_compiled_here(folder):
    board_opscope("--version")
    path = ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir"
    opscope("torq-compile", path, "-o", folder / "here.vmfb", f"--torq-dump-profiling={folder / 'here.csv'}")
    board_opscope("torq-compile", path, "-o", folder / "there.vmfb", f"--torq-dump-profiling={folder / 'there.csv'}")
    equal((folder / "there.vmfb").read_bytes(), (folder / "here.vmfb").read_bytes(), "program")
    equal((folder / "there.csv").read_bytes(), (folder / "here.csv").read_bytes(), "modelled times")
    board_opscope("convert", folder / "there.csv", "-o", folder / "there.pb")
    opscope("info", folder / "there.pb")


def test_operators_pass_the_onnx_projects_tests_that_they_pass_here():
    board_opscope("--version")
    if not CASES.exists():
        raise Skip("no libonnx-testdata")
    verdicts = []
    for check in (opscope, board_opscope):
        lines = check("check", "--json", "--timeout", "3600", CASES, code=None, timeout=7200).out.splitlines()
        verdicts.append([(row["case"], row["status"]) for row in map(json.loads, lines)])
    here, there = verdicts
    true(sum(status == "pass" for _, status in here) > 800, "most of them pass here")
    equal(there, here, "verdicts")


def test_a_board_gets_the_runner_of_its_processor(folder):
    board_opscope("--version")
    with board.start(folder) as there:
        (folder / "bin").mkdir()
        write(folder / "bin/uname", "#!/bin/sh\necho aarch64\n").chmod(0o755)
        there.fault(f"PATH={folder / 'bin'}:$PATH\nexport PATH\n")
        words = ("suite", ROOT / "tests/testdata/tosa_ops/add.mlir", "-o", folder / "out", "--cache", folder / "cache",
                 "--json", "--update-astra-runtime", "--torq-addr", board.ADDRESS, *there.options)
        command = "{runner} --module={program} {inputs} {outputs} --torq_profile_host={profile}"
        row = opscope(*words, f"--torq-run-cmd=qemu-aarch64 {command}").json()["networks"][0]
        equal(row["status"], "pass", "status")
        runner = there.home / "iree-build-soc" / getpass.getuser() / "torq-run-module"
        equal(runner.read_bytes(), BUILT.read_bytes(), "the runner")
        write(folder / "bin/uname", "#!/bin/sh\necho riscv64\n")
        row = opscope(*words, code=1).json()["networks"][0]
        contains(row["reason"], "it is riscv64, and there is no runner for that")


main()
