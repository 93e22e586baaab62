#!/usr/bin/env python3
"""How much of ONNX and TOSA opscope computes as it should: `make conformance`.

Runs the ONNX project's backend tests (Debian's libonnx-testdata) with
`opscope check` and holds the outcome against docs/conformance-onnx.md: a case
that fails must be listed there with the reason, and one that is listed must
fail. Then the TOSA networks against MLIR's own lowering, where both are there, and all
networks as compiled programs: proved twice, interpreted beside the plain executor, and run
on the device `host` beside it (tests/equality.py). The TOSA networks are also run as documents
print it, and annotated. Networks of real sizes are compiled and proved for each machine.

    tests/conformance.py [--build build-asan]

With build-asan the sanitizers watch: what they find ends a case as failed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Before others look where the program is.
if len(sys.argv) == 3 and sys.argv[1] == "--build":
    os.environ["OPSCOPE_BIN"] = str(ROOT / sys.argv[2] / "bin")
    if sys.argv[2] == "build-asan":
        os.environ.update(OPSCOPE_SANITIZED="1", UBSAN_OPTIONS="print_stacktrace=1:exitcode=99",
                          ASAN_OPTIONS="exitcode=99:detect_stack_use_after_return=1:strict_string_checks=1")

sys.path.append(str(ROOT / "bench"))
import equality  # pylint: disable=wrong-import-position
from peer import symbols_of  # pylint: disable=wrong-import-position

BIN = pathlib.Path(os.environ.get("OPSCOPE_BIN", ROOT / "build/bin")).resolve()
DATA = pathlib.Path(os.environ.get("ONNX_TESTDATA", "/usr/share/libonnx-testdata/data"))
DOCUMENT = ROOT / "docs/conformance-onnx.md"
LARGE = [("torq-sl2610", "f32=bf16,i64=i32"), ("aic100", "f32=f16"), ("wormhole_b0", "f32=bf16"), ("host", "f32=f16")]
GROUPS = ["node", "simple", "pytorch-converted", "pytorch-operator"]


def exceptions():
    """Cases that the document lists, 'node/test_x', with the reason."""
    rows = re.findall(r"^\| `([a-z-]+/\w+)` \| (.+?) \|$", DOCUMENT.read_text(encoding="utf-8"),
                      re.MULTILINE)
    return dict(rows)


def check(group, *options):
    """The results of `opscope check --json` on a group, by case 'node/test_x'."""
    done = subprocess.run([str(BIN / "opscope"), "check", "--json", *options, str(DATA / group)],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        raise RuntimeError(f"opscope check {group}: exit {done.returncode}\n{done.stderr}")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {f"{group}/{pathlib.Path(result['case']).name}": result for result in results}


def surprises(results, listed):
    """What the document does not say, as lines of text."""
    lines = []
    for case, result in results.items():
        if result["status"] != "pass" and case not in listed:
            lines.append(f"{case}: {result['status']}: {result['reason']}")
        if result["status"] == "pass" and case in listed:
            lines.append(f"{case} passes, but {DOCUMENT.relative_to(ROOT)} lists it")
    return lines


def conform_onnx():
    if not DATA.is_dir():
        print(f"skipped: no {DATA} (Debian's libonnx-testdata)")
        return []
    listed = exceptions()
    lines = [f"{case} is listed but does not exist" for case in listed
             if not (DATA / case / "model.onnx").exists()]
    passed = total = 0
    for group in GROUPS:
        results = check(group)
        good = sum(result["status"] == "pass" for result in results.values())
        print(f"{group:20} {good:4} of {len(results):4} pass")
        lines += surprises(results, listed)
        passed, total = passed + good, total + len(results)
    print(f"{'ONNX':20} {passed:4} of {total:4} pass, {len(listed)} exceptions are listed")
    return lines


def conform_networks():
    """The end-to-end tests of TOSA and of compiled programs do the work; here all networks
    instead of some."""
    failed = []
    tests = [*(ROOT / "tests/e2e").glob("*_tosa*.py"), ROOT / "tests/e2e/510_program_checker.py"]
    for test in sorted(tests):
        done = subprocess.run([sys.executable, str(test)], capture_output=True, text=True,
                              env={**os.environ, "OPSCOPE_ALL": "1"}, check=False)
        print(done.stdout, end="")
        failed += [f"{test.name} fails\n{done.stderr}"] if done.returncode != 0 else []
    return failed


def prove_large():
    """Networks of real sizes, as users of each machine convert them: compiled and proved, not run."""
    networks = sorted((ROOT.parent / "shared/data/models/skeletons").glob("*.onnx"))
    if not networks:
        print("large networks skipped: not at hand")
    lines = []
    for target, conversion in LARGE:
        for path in networks:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([str(BIN / "opscope"), "compile", path, *symbols_of(path), "--target", target,
                                       "--convert", conversion, "-o", f"{folder}/large.opx"],
                                      capture_output=True, text=True, check=False)
            lines += [f"{path.stem} for {target}: {done.stderr.strip()}"] if done.returncode else []
        print(f"{target:12} {len(networks)} large networks as {conversion}", flush=True)
    return lines


def main():
    lines = conform_onnx() + conform_networks() + prove_large() + equality.compare_all() + \
        equality.compare_cards(1 if os.environ.get("OPSCOPE_ALL") else len(equality.CARDS))
    print("\n".join(lines) if lines else "as documented")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
