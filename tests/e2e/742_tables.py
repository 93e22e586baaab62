#!/usr/bin/env python3
"""What every command that prints rows has in common: its columns, and the options for them."""

import csv
import fcntl
import io
import pty
import struct
import termios

from support import *

from onnx_writer import *
from torq_compile import *

NETWORK = ROOT / "tests/testdata/tosa_ops/add.mlir"
TWO = ROOT / "tests/testdata/tosa_ops/every_operator.mlir"
OPTIONS = ("--columns", "--sort", "--top", "--skip", "--help-columns")


def timeline(folder):
    return write(folder / "a.csv", compile_csv("c1", random_spans(60, seed=9)))


def tests(folder):
    """Two folders of tests that cannot run."""
    for name in ("a", "b"):
        (folder / "tests" / name).mkdir(parents=True, exist_ok=True)
        write(folder / "tests" / name / "model.onnx", b"")
    return folder / "tests"


def annotated(folder):
    """A program and the profile of its run."""
    opscope("compile", NETWORK, "--target", "torq-sl2610", "-o", folder / "a.opx")
    opscope("run", folder / "a.opx", "--device", "sim", "--profile", folder / "a.prof")
    return [folder / "a.opx", folder / "a.prof"]


def operations(folder):
    """Tenstorrent's report on two operations."""
    head = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
            "HOST START TS", "HOST DURATION [ns]", "OP TO OP LATENCY [ns]", "DEVICE KERNEL DURATION [ns]"]
    rows = [[code, "tt_dnn_device", "1024", "0", "", "", "64", "1", "1000", "0", "60893"] for code in ("Add", "Tilize")]
    return write(folder / "ops.csv", "".join(",".join(row) + "\n" for row in [head, *rows]))


def statistics(folder):
    """A network of two nodes for Cloud AI, and its statistics."""
    nodes = [make_node("Tanh", ["x"], ["t"], name="/a/Tanh"), make_node("Add", ["t", "x"], ["y"], name="/b/Add"),
             make_node("MatMul", ["y", "w"], ["z"], name="/c/MatMul")]
    weights = make_tensor("w", "f16", [64, 64], [0.5] * 4096)
    graph = make_graph(nodes, [make_value("x", "f16", [64, 64])], [make_value("z", "f16", [64, 64])], [weights])
    write(folder / "net.onnx", make_model(graph))
    (folder / "stats").mkdir(exist_ok=True)
    opscope("qaic-compile", f"-model={folder}/net.onnx", f"-aic-binary-dir={folder}/binaries", "-stats-level=70")
    opscope("qaic-runner", "-t", folder / "binaries", "-n", "1", "--aic-profiling-type=raw_device_stats",
            f"--aic-profiling-out-dir={folder}/stats")
    return ["-q", folder / "binaries", "-i", folder / "stats", "--report"]


# Command: how it is called for a few rows, where its JSON has them (None: an object a line), and
# two columns, the first with different values in the rows.
TABLES = {
    "info": (lambda folder: [timeline(folder)], [0, "tracks"], ("name", "spans")),
    "compile": (lambda folder: [TWO, "-t", "torq-sl2610", "-o", folder / "two.opx"], ["slowest"], ("index", "tasks")),
    "estimate": (lambda folder: annotated(folder)[:1], ["rows"], ("task", "unit")),
    "overview": (lambda folder: [timeline(folder)], [0, "metrics"], ("name", "percent")),
    "operators": (lambda folder: [timeline(folder)], ["operators"], ("name", "calls")),
    "top": (lambda folder: [timeline(folder)], ["spans"], ("label", "count")),
    "diff": (lambda folder: [timeline(folder)] * 2, ["changes"], ("name", "verdict")),
    "explain": (lambda folder: [timeline(folder)], ["critical_path"], ("label", "pieces")),
    "whatif": (lambda folder: [timeline(folder), "--no-gaps", "--overlap-copies"], ["changes"], ("change", "speedup")),
    "model": (lambda folder: [NETWORK], ["operators"], ("index", "type")),
    "check": (lambda folder: [tests(folder)], None, ("case", "status")),
    "score": (lambda folder: [NETWORK, "-n", "1"], [0, "operators"], ("name", "measured_us")),
    "suite": (lambda folder: [NETWORK, ROOT / "tests/testdata/tosa_ops/every_operator.mlir", "-o", folder / "out",
                              "--cache", folder / "cache"], ["networks"], ("name", "status")),
    "targets": (lambda folder: [], [], ("name", "cores")),
    "merge": (lambda folder: [timeline(folder), f"b={timeline(folder)}", "-o", folder / "both.prof"],
              ["sources"], ("name", "offset_ns")),
    "annotate": (lambda folder: annotated(folder), ["groups"], ("operators", "tasks")),
    "qaic-opstats": (statistics, ["nodes"], ("node", "work_ns")),
    "tt-perf": (lambda folder: [operations(folder)], ["operations"], ("id", "op_code")),
    "tt-perf-report": (lambda folder: [operations(folder)], ["operations"], ("id", "op_code")),
}

# Commands that have --json and no such table, and why.
OTHERS = {
    "infer": "values", "run": "values", "program": "a tree of a program",
    "verify": "a verdict", "gate": "a verdict", "timeline": "a picture", "sql": "the query says which columns",
}

# Their --csv takes a file, as the vendor's does.
CSV_FILE = ("tt-perf", "tt-perf-report")


def commands():
    return re.findall(r"^  (\S+) +", opscope("--help").out, re.MULTILINE)


def rows_of(result, path):
    if path is None:
        return [json.loads(line) for line in result.out.splitlines()]
    document = result.json()
    for step in path:
        document = document[step]
    return document


def test_a_report_has_them_or_says_why_not():
    for command in commands():
        text = opscope(command, "--help").out
        if command in TABLES:
            for option in OPTIONS:
                contains(text, option, command)
        elif re.search(r"^ +--json ", text, re.MULTILINE):
            true(command in OTHERS, f"{command} prints a report without {', '.join(OPTIONS)}: give it a table "
                 "(CONTRIBUTING.md), or say why not in OTHERS")
    equal([name for name in [*TABLES, *OTHERS] if name not in commands()], [], "commands that are no more")


def test_columns_are_described():
    for command, (_, _, keys) in TABLES.items():
        text = opscope(command, "--help-columns").out
        for key in keys:
            matches(text, rf"^  {key} +\S.*  \S", f"{command}: {key}")
        for line in text.splitlines():
            true(len(line) <= 100, f"{command}: {len(line)} letters: {line}")


def test_csv_and_json_have_the_same_rows(folder):
    for command, (words, path, keys) in TABLES.items():
        words = words(folder)
        chosen = ("--columns", ",".join(keys), "--sort", keys[0])
        if command in CSV_FILE:
            continue
        head, *table = csv.reader(io.StringIO(opscope(command, *words, "--csv", *chosen, code=None).out))
        rows = rows_of(opscope(command, *words, "--json", *chosen, code=None), path)
        true(len(rows) > 0, f"{command} has rows")
        equal(len(head), len(keys), f"{command}: columns")
        equal([list(row) for row in rows], [list(keys)] * len(rows), f"{command}: columns of JSON")
        equal([row[0] for row in table], [str(row[keys[0]]) for row in rows], f"{command}: rows")


def test_order_and_number_of_rows(folder):
    for command, (words, path, keys) in TABLES.items():
        words = words(folder)

        def values(*options):
            found = opscope(command, *words, "--json", "--columns", keys[0], *options, code=None)
            return [row[keys[0]] for row in rows_of(found, path)]
        all_values = values("--sort", keys[0])
        equal(all_values, sorted(all_values), f"{command}: sorted")
        equal(values("--sort", f"{keys[0]}:desc"), all_values[::-1], f"{command}: the largest first")
        equal(values("--sort", keys[0], "--top", "1"), all_values[:1], f"{command}: one")
        equal(values("--sort", keys[0], "--top", "0"), all_values, f"{command}: all")
        equal(values("--sort", keys[0], "--top", "1", "--skip", "1"), all_values[1:2], f"{command}: the second")
        equal(values("--sort", keys[0], "--skip", "100000"), [], f"{command}: beyond the end")


def test_wrong_use(folder):
    for command, (words, _, keys) in TABLES.items():
        words = words(folder)
        wrong = opscope(command, *words, "--columns", f"{keys[0]},nonesuch", code=2).err
        contains(wrong, "there is no column 'nonesuch'", command)
        contains(opscope(command, *words, "--sort", "nonesuch", code=2).err, "--help-columns", command)
        contains(opscope(command, *words, "--sort", f"{keys[0]}:up", code=2).err, ":desc", command)
        contains(opscope(command, *words, "--top", "x", code=2).err, "--top 'x'", command)
        contains(opscope(command, *words, "--skip", "x", code=2).err, "--skip 'x'", command)


def on_terminal(width, *words):
    """What the program writes to a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    child = subprocess.Popen([str(program("opscope")), *map(str, words)], stdout=follower,
                             stderr=subprocess.DEVNULL)
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 65536):
            text += part
    except OSError:  # the end of a terminal
        pass
    os.close(leader)
    child.wait(timeout=PATIENCE)
    return text.decode().replace("\r\n", "\n")


def test_text_fits_the_terminal(folder):
    for width in (50, 80):
        for command in ("operators", "model"):
            words, _, keys = TABLES[command]
            text = on_terminal(width, command, *words(folder))
            true(len(text.splitlines()) > 3, f"{command}: {text}")
            table = [line for line in text.splitlines() if re.match(r" .*\d", line)]
            equal([line for line in table if len(line) > width], [], f"{command} at {width}")
    # Into a file it is as wide as it is, whatever the terminal.
    wide = opscope("operators", timeline(folder)).out
    true(max(map(len, wide.splitlines())) > 50, wide)


main()
