#!/usr/bin/env python3
"""Compiling and estimating networks, against ONNX Runtime creating its session.

    bench/compile.py [--rounds 5] [--folder DIR]

Each network of ../shared/data/models is compiled for both targets, proved and
estimated by `opscope compile`, a whole process with its start and the written
file; ONNX Runtime's time is that of creating the session alone. They take turns,
the best counts. resnet34 and bert_base of its folder skeletons, whose weights are all
alike, are compiled for Cloud AI 100 in the same way; what it takes to write as many
zeros to a file stands beside. Then made-up networks of 1000 to 10,000 operators: the
time for each operator must not grow with their number.
"""

import sys

from measuring import ROOT, best_times, judged, kept, row, run, timed
from peer import MODELS, OPSCOPE, fetch, onnxruntime

sys.path.append(str(ROOT / "tests/gen"))
from onnx_chain import chain  # noqa: E402

TARGETS = ("torq-sl2610", "host")
# Networks without their weights, and the lengths that they leave open.
SKELETONS = {"resnet34": ["batch,1"], "bert_base": ["batch,1", "seq,128"]}
COUNTS = (1000, 2000, 5000, 10000)
# How much longer ten times the operators may take.
MOST_GROWTH = 12


def compile_command(path, target, folder):
    return [OPSCOPE, "compile", path, "--target", target, "-o", folder / "program.opx", "--json"]


def compare_with_sessions(options, folder):
    there = fetch()
    print(f"compiled, proved and estimated, best of {options.rounds}")
    for path in sorted(MODELS.glob("*/model.onnx")):
        kept.title = path.parent.name
        ours = best_times(options.rounds,
                          {target: compile_command(path, target, folder) for target in TARGETS})
        for target, seconds in ours.items():
            row(path.parent.name, f"{seconds * 1000:.1f} ms", target)
        if there:
            session = min(onnxruntime(model=str(path))["open_ms"] for _ in range(options.rounds))
            row("  ONNX Runtime's session", f"{session:.1f} ms")
            judged("  session / compile", session / 1000 / max(ours.values()), "", 1, at_least=True)


def compare_skeletons(options, folder):
    there = fetch()
    print(f"compiled for Cloud AI 100 by qaic-compile, best of {options.rounds}")
    for name, symbols in SKELETONS.items():
        path = MODELS / f"skeletons/{name}.onnx"
        if not path.exists():
            print(f"{path} is not here")
            continue
        command = [OPSCOPE.parent / "qaic-compile", f"-m={path}", f"-aic-binary-dir={folder}",
                   *[f"-onnx-define-symbol={symbol}" for symbol in symbols]]
        written = folder / "programqpc.bin"
        kept.title = "qaic-compile"
        timed(command)
        size = written.stat().st_size
        best = best_times(options.rounds, {
            name: command,
            "write": ["sh", "-c", f"head -c {size} /dev/zero > {written}"]}, [written])
        seconds = best[name]
        row(name, f"{seconds * 1000:.1f} ms", f"{size / 1e6:,.0f} MB written")
        row("  zeros written instead", f"{best['write'] * 1000:.1f} ms", "ONNX Runtime writes nothing")
        if there:
            session = min(onnxruntime(model=str(path))["open_ms"] for _ in range(options.rounds))
            row("  ONNX Runtime's session", f"{session:.1f} ms")
            judged("  session / compile", session / 1000 / seconds, "", 1, at_least=True)


def measure_growth(options, folder):
    for element, target in (("i8", "torq-sl2610"), ("f32", "torq-sl2610"), ("i8", "host"), ("f32", "host")):
        commands = {}
        for count in COUNTS:
            path = folder / f"chain_{element}_{count}.onnx"
            path.write_bytes(chain(count, element))
            commands[count] = compile_command(path, target, folder)
        kept.title = f"operators on {element} for {target}"
        times = best_times(options.rounds, commands)
        print(f"operators on {element}, compiled for {target}, best of {options.rounds}")
        for count, seconds in times.items():
            row(f"{count} operators", f"{seconds * 1000:.1f} ms", f"{seconds / count * 1e6:.1f} us each")
        judged("10,000 / 1000", times[COUNTS[-1]] / times[COUNTS[0]], "", MOST_GROWTH)


def measure(options, folder):
    compare_with_sessions(options, folder)
    compare_skeletons(options, folder)
    measure_growth(options, folder)


run(__doc__, measure)
