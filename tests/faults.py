#!/usr/bin/env python3
"""Lets one call after the other fail in every command, and in everything that the library offers.

    tests/faults.py [--sample N] [--only TEXT] [--bin FOLDER]

The k-th memory block, read, write, open, mapping, rename or thread of a command fails
(tests/tools/faults.c), for every k, or for N of them spread evenly. Each time the command must end by
itself with an exit code of its own and a message; what it writes is as before or whole; nothing
else is left. The commands are those that the program lists: one without a row in EXAMPLES fails.
Prints how many points were tried; exit 1 when one of them failed.
"""

import argparse
import errno
import gzip
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests/fuzz/corpus"
TARGET = "torq-sl2610"
PATIENCE = 300
OLD = b"what was there before\n"

# call, error, the later ones too, whether the command must do what it does otherwise
FAULTS = [
    ("memory", errno.ENOMEM, False, False),
    ("memory", errno.ENOMEM, True, False),
    ("read", errno.EIO, False, False),
    ("read", errno.EINTR, False, True),
    ("read", "short", True, True),
    ("write", errno.EIO, False, False),
    ("write", errno.ENOSPC, True, False),
    ("write", errno.EINTR, False, True),
    ("write", "short", False, True),
    ("open", errno.EIO, False, False),
    ("open", errno.EMFILE, True, False),
    ("mmap", errno.ENOMEM, False, False),
    ("rename", errno.EIO, False, False),
    ("rename", errno.ENOSPC, False, False),
    ("thread", errno.EAGAIN, True, False),
]

NETWORK = """module {
  func.func @main(%a: tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32> {
    %0 = tosa.abs %a : (tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32>
    %1 = tosa.add %0, %a : (tensor<1x8x8x16xi32>, tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32>
    return %1 : tensor<1x8x8x16xi32>
  }
}
"""
VALUE = "1x8x8x16xi32=1"

# Command: its words, and the files that it writes. IN is the folder of inputs, OUT of outputs.
EXAMPLES = {
    "overview": (["IN/c1.csv"], []),
    "operators": (["IN/a.prof", "--json"], []),
    "top": (["IN/kineto.json", "--by", "path"], []),
    "report": (["IN/kineto.json", "IN/a.prof", "-o", "OUT/r.html"], ["r.html"]),
    "view": (["IN/kineto.json", "--no-browser", "--idle", "0.05"], []),
    "sql": (["IN/kineto.json", "SELECT c.id, s.dur FROM call c LEFT JOIN slice s ON s.id = c.id ORDER BY 2;"
             "SELECT * FROM arg ORDER BY value; SELECT COUNT(*) FROM flow"], []),
    "diff": (["IN/a.prof", "IN/kineto.json"], []),
    "mcp": (["IN/"], []),
    "gate": (["--save", "OUT/base.json", "IN/a.prof", "IN/kineto.json"], ["base.json"]),
    "explain": (["IN/a.prof", "--target", TARGET], []),
    "whatif": (["IN/kineto.json", "--faster", "*=2x", "--no-gaps"], []),
    "timeline": (["IN/packed.csv.gz", "-o", "OUT/t.svg"], ["t.svg"]),
    "convert": (["IN/c1.csv", "-o", "OUT/c.pb"], ["c.pb"]),
    "merge": (["IN/c1.csv", "b=IN/a.prof", "-o", "OUT/both.prof"], ["both.prof"]),
    "info": (["IN/kineto.json"], []),
    "model": (["IN/networks/net.mlir"], []),
    "infer": (["IN/networks/net.mlir", "--threads", "2", "--output", "OUT/y.npy"], ["y.npy"]),
    "run": (["IN/a.opx", "--output", "OUT/y.npy", "--threads", "2"], ["y.npy"]),
    "check": (["IN/cases"], []),
    "compile": (["IN/networks/net.mlir", "--target", TARGET, "-o", "OUT/b.opx"], ["b.opx"]),
    "estimate": (["IN/a.opx"], []),
    "program": (["IN/a.opx"], []),
    "verify": (["IN/a.opx"], []),
    "targets": ([TARGET], []),
    "torq-compile": (["IN/networks/net.mlir", "-o", "OUT/b.vmfb"], ["b.vmfb"]),
    "torq-run-module": (["--module=IN/a.opx", f"--input={VALUE}", "--output=@OUT/y.npy",
                         "--torq_profile_host=OUT/r.csv"], ["y.npy"]),
    "iree-run-module": (["--module=IN/a.opx", f"--input={VALUE}", "--output=@OUT/y.npy"], ["y.npy"]),
    "profile": (["-o", "OUT/run.prof", "--", "/bin/true"], []),
    "tt_profile": (["-o", "OUT/report.csv", "/bin/true"], []),
    "qaic-compile": (["-m=IN/gemm.onnx", "-aic-binary-dir=OUT/binaries"], []),
    "qaic-exec": (["-m=IN/gemm.onnx", "-aic-binary-dir=OUT/binaries"], []),
    "qaic-runner": (["-t", "IN/binaries", "-n", "1"], []),
    "qaic-opstats": (["-q", "IN/binaries/programqpc.bin", "-i", "IN/stats", "-o", "OUT/stats", "--summary"], []),
    "suite": (["IN/networks/net.mlir", "-o", "OUT/session", "--cache", "OUT/cache", "--timeout", "60"], []),
    "calibrate": (["--quick", "-o", "OUT/here.target"], []),
    "score": (["IN/networks/net.mlir", "-n", "1"], []),
    "annotate": (["IN/a.opx", "IN/a.prof", "OUT/a.csv"], ["a.csv"]),
    "tt-report": (["IN/logs", "-o", "OUT/ops.csv"], ["ops.csv"]),
    "perfetto_logger": (["--compile_profile", "IN/large.csv", "--pb", "OUT/p.pb"], ["p.pb"]),
    "annotate_profiling": (["IN/a.opx", "IN/host.csv", "OUT/a.xlsx"], ["a.xlsx"]),
    "process_ops_logs": (["-o", "OUT", "--device-only"], []),
    "tt-perf": (["IN/ops.csv"], []),
    "tt-perf-report": (["IN/ops.csv"], []),
    "help": (["info"], []),
    "links": (["OUT/links"], []),
    "completion": (["bash"], []),
    "manual": (["OUT/manual"], []),
}

# Whose tools end so when they fail.
VENDOR_FAILS = ("qaic-compile", "qaic-exec")

# Which fail as they stand here: a test session finds no case, a command records nothing.
FAILING = ("check", "tt_profile")

# They take long: a point for each fault, and only when all are asked for.
SLOW = ("calibrate",)

# What may be left: a recording, which is written as it comes and kept when what was to be made of it
# fails; where the program itself ran out of memory, the folder in which a session was compiling, and
# the socket of a capture.
LEFT = re.compile(r"\.partial\.prof$|^cache/[0-9a-f]{16}\.\d+/|^tmp/opscope-\w{6}/capture$")


class Bench:
    """A folder with inputs, and a folder of its own for each point."""

    def __init__(self, binaries, folder):
        self.opscope = binaries / "opscope"
        self.library = binaries.resolve().parent / "tests/libfaults.so"
        self.folder = folder
        self.inputs = folder / "in"
        self.number = 0
        self.clean = {}

    def make_inputs(self):
        sys.path.insert(0, str(ROOT / "tests/gen"))
        import tenstorrent_logs  # pylint: disable=import-outside-toplevel
        from torq_compile import compile_csv, random_spans  # pylint: disable=import-outside-toplevel
        self.inputs.mkdir()
        # Apart: what programs are annotated with is looked for beside them, and missed by nobody.
        (self.inputs / "networks").mkdir()
        (self.inputs / "networks/net.mlir").write_text(NETWORK)
        shutil.copy(CORPUS / "torq/c1.csv", self.inputs)
        # Several parts (src/base/parts.h): threads work on it.
        (self.inputs / "large.csv").write_bytes(compile_csv("c2", random_spans(9000, seed=1)))
        # Larger than what a packed file is known by (src/base/input.h): the rest is unpacked on a thread.
        packed = gzip.compress(compile_csv("c2", random_spans(20000, seed=1)))
        (self.inputs / "packed.csv.gz").write_bytes(packed)
        shutil.copy(CORPUS / "chrome/kineto.json", self.inputs)
        shutil.copy(CORPUS / "onnx/layer_Gemm.onnx", self.inputs / "gemm.onnx")
        (self.inputs / "stats").mkdir()
        case = self.inputs / "cases/test_abs"
        case.mkdir(parents=True)
        (case / "model.onnx").write_bytes(b"")
        tenstorrent_logs.ordinary(1).write(self.inputs / "logs")
        for words in (["compile", "networks/net.mlir", "--target", TARGET, "-o", "a.opx"],
                      ["run", "a.opx", "--device", "sim", "--profile", "a.prof"],
                      ["torq-run-module", "--module=a.opx", f"--input={VALUE}", "--torq_profile_host=host.csv"],
                      ["tt-report", "logs", "-o", "ops.csv"],
                      ["qaic-compile", "-m=gemm.onnx", "-aic-binary-dir=binaries", "-stats-level=70"],
                      ["qaic-runner", "-t", "binaries", "-n", "1", "--aic-profiling-num-samples=1",
                       "--aic-profiling-type=raw_device_stats", "--aic-profiling-out-dir=stats"]):
            subprocess.run([str(self.opscope), *words], cwd=self.inputs, check=True, capture_output=True)

    def run(self, command, fault=None, at=0):
        """(exit code, stderr, calls so far, how many failed, outputs, what else is there, whether it said something)"""
        words, written = EXAMPLES[command]
        out = self.folder / f"out{os.getpid()}-{self.number}"
        self.number += 1
        temporary = out / "tmp"
        temporary.mkdir(parents=True)
        if command == "process_ops_logs":
            shutil.copytree(self.inputs / "logs", out / ".logs")
        for name in written:
            (out / name).write_bytes(OLD)
        before = set(out.rglob("*"))
        count = self.folder / f"{out.name}.count"
        count.write_bytes(bytes(16))
        environment = {**os.environ, "TMPDIR": str(temporary), "FAULTS_COUNT": str(count),
                       "OPSCOPE_THREADS": "3"}
        if fault is not None:
            call, error, after, _ = fault
            environment.update(FAULTS_CALL=call, FAULTS_AT=str(at), FAULTS_ERROR=str(error),
                               LD_PRELOAD=str(self.library))
            if after:
                environment["FAULTS_AFTER"] = "1"
        filled = [str(word).replace("IN/", f"{self.inputs}/").replace("OUT", str(out)) for word in words]
        done = subprocess.run([str(self.opscope), command, *filled], env=environment, cwd=out, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        calls, failed = struct.unpack("<QQ", count.read_bytes())
        contents = {name: (out / name).read_bytes() if (out / name).exists() else None for name in written}
        others = {str(path.relative_to(out)) for path in out.rglob("*")
                  if path not in before and not path.is_dir()}
        shutil.rmtree(out)
        count.unlink()
        return done.returncode, done.stderr.decode(errors="replace"), calls, failed, contents, others, bool(
            (done.stdout + done.stderr).strip())

    def complaint(self, command, fault, at):
        """None, or what is wrong at this point."""
        clean_code, _, _, _, clean_contents, clean_others, _ = self.clean[command]
        try:
            code, said, _, failed, contents, others, told = self.run(command, fault, at)
        except subprocess.TimeoutExpired:
            return "does not end"
        must_be_equal = fault[3] or failed == 0
        if code not in (0, 1, 2, 3) and not (code == 255 and command in VENDOR_FAILS):
            return f"exit {code}: {said}"
        if code == 1 and clean_code != 1 and not told:
            return "exit 1 without a message"
        if must_be_equal and code != clean_code:
            return f"exit {code}, otherwise {clean_code}: {said}"
        left = sorted(name for name in others - clean_others if not LEFT.search(name))
        if left:
            return f"left behind: {left} ({code}: {said})"
        for name, content in contents.items():
            whole = content == clean_contents[name]
            if not whole and (content != OLD or must_be_equal or code in (0, 3)):
                return f"{name} is neither the old file nor the new one, or another than said ({code}: {said})"
        return None

    def try_command(self, command, sample):
        """(points that were tried, complaints)"""
        if command in SLOW and sample > 0:
            return 0, []
        self.clean[command] = self.run(command)
        if self.clean[command][0] not in (0, 3) and command not in FAILING:
            return 0, [f"{command}: {self.clean[command][1]}"]
        points, complaints = 0, []
        known = {}
        for fault in FAULTS:
            if fault[0] not in known:
                known[fault[0]] = self.run(command, fault, 0)[2]
            calls = known[fault[0]]
            if sample == 0:
                chosen = range(1, calls + 1)
            else:
                chosen = sorted({1 + calls * i // sample for i in range(sample) if calls > 0})
            if command in SLOW:
                chosen = [calls // 2 + 1] if calls > 0 else []
            for at in chosen:
                wrong = self.complaint(command, fault, at)
                points += 1
                if wrong:
                    call, error, after, _ = fault
                    complaints.append(f"{command}: {call} {at} of {calls}, {error}{' and all after it' if after else ''}: "
                                      f"{wrong}")
        return points, complaints

    def listed(self):
        said = subprocess.run([str(self.opscope), "--help"], capture_output=True, text=True, check=True).stdout
        return re.findall(r"^  (\S+) +", said, re.MULTILINE)

    def try_library(self, every):
        """(points that were tried, complaints); the driver must use all that the library has."""
        build = self.library.parent
        driver = build / "library_faults"
        complaints = []
        used = subprocess.run(["nm", "-u", str(driver)], capture_output=True, text=True, check=True).stdout
        for library in ("libopscope.so", "libopscope-record.so"):
            offered = subprocess.run(["nm", "-D", "--defined-only", str(build.parent / library)],
                                     capture_output=True, text=True, check=True).stdout
            for name in re.findall(r" T (opscope_\w+)", offered):
                if not re.search(rf"\b{name}\b", used):
                    complaints.append(f"{driver.name} does not use {name} of {library}")
        folder = self.folder / "library"
        (folder / "out").mkdir(parents=True)
        files = [CORPUS / "torq/c1.csv", CORPUS / "torq/r4.csv", CORPUS / "chrome/kineto.json",
                 CORPUS / "perfetto/compressed_packets.pb", self.inputs / "a.prof", self.inputs / "ops.csv"]
        done = subprocess.run([str(driver), str(every), str(folder), *map(str, files)], capture_output=True,
                              text=True, timeout=3 * 3600, check=False)
        match = re.search(r"^(\d+) points, 0 failed$", done.stdout, re.MULTILINE)
        if done.returncode != 0 or not match:
            complaints.append(f"the library: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        return int(match[1]) if match else 0, complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="points of each fault (all)")
    parser.add_argument("--only", default="", metavar="TEXT", help="commands whose name has TEXT, or 'library'")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin", help="where the program is")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    complaints, all_points = [], 0
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        bench = Bench(options.bin, pathlib.Path(folder))
        bench.make_inputs()
        for command in [*bench.listed(), "the library"]:
            if options.only not in command:
                continue
            if command == "the library":
                points, wrong = bench.try_library(1 + 29 * (options.sample > 0))
            elif command not in EXAMPLES:
                points, wrong = 0, [f"{command} has no row in EXAMPLES of {pathlib.Path(__file__).name}"]
            else:
                points, wrong = bench.try_command(command, options.sample)
            print(f"{command:20} {points:6} points, {len(wrong)} failed")
            print("".join(f"  {line}\n" for line in wrong), end="")
            complaints += wrong
            all_points += points
    print(f"{all_points} points, {len(complaints)} failed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
