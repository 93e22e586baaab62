#!/usr/bin/env python3
"""A trace of PyTorch that is too large for a browser, made small.

    bench/kineto.py [--bytes 560000000] [--rounds 3] [--folder DIR]

Makes a trace of Kineto's form of BYTES from the real one in samples/pytorch: its two steps again and again, each time
stretched by another factor and with ids of its own, so that no number repeats. Takes turns: `wc -l` and `cat` of it,
`opscope convert` to a packed Perfetto trace (.pb.zst), `opscope top` and `opscope operators` of it. The best of each
counts, by the clock and by the processors' time of all its threads, which other programs on a busy machine disturb
less; ratios are to `wc -l` of the same file in the same run. The packed trace is checked: it has as many spans as were
written. Prints a table; exits 0 whatever it says.
"""

import gzip
import json
import os
import random
import re
import subprocess

from measuring import ROOT, all_times, judged, kept, row, run

OPSCOPE = str(ROOT / "build/bin/opscope")
SAMPLE = ROOT / "samples/pytorch/training.json.gz"
LIMIT_CONVERT = 100  # times as long as wc -l
LIMIT_SMALLER = 15  # times

# Numbers of a trace that are times, and those that identify something.
TIMES = re.compile(r'"ts": (\d+\.\d+)(?:, "dur": (\d+\.\d+))?')
IDS = re.compile(r'("(?:External id|correlation|id|Ev Idx|Sequence number)": )(\d+)')
STEP = re.compile(r"ProfilerStep#(\d+)")
IDS_EACH = 100_000  # more than the sample has


def parts_of(text):
    """What stands before the events, the events of work one after the other, and what stands after them."""
    begin = text.index('"traceEvents": [') + len('"traceEvents": [')
    end = text.rindex("]")
    events = re.findall(r"\n  \{\n.*?\n  \}", text[begin:end], re.DOTALL)
    lasting = [event for event in events if '"ph": "M"' in event or '"cat": "Trace"' in event or '"ph": "i"' in event]
    kept = set(lasting)
    return text[:begin], lasting, [event for event in events if event not in kept], text[end:]


def again(text, number, first, length, factor):
    """The events of the sample as those of a later time."""
    shift = number * length * 2

    def at(micro):
        return first + shift + int((round(float(micro) * 1000) - first) * factor)

    def times(found):
        start = at(found[1])
        moved = f'"ts": {start // 1000}.{start % 1000:03}'
        if found[2] is None:
            return moved
        taken = at(float(found[1]) + float(found[2])) - start
        return f'{moved}, "dur": {taken // 1000}.{taken % 1000:03}'

    text = TIMES.sub(times, text)
    text = IDS.sub(lambda found: found[1] + str(int(found[2]) + number * IDS_EACH), text)
    return STEP.sub(lambda found: f"ProfilerStep#{int(found[1]) + 2 * number}", text)


def write_trace(path, size):
    """Returns how many spans were written."""
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as file:
        before, lasting, events, after = parts_of(re.sub(r'("ts": [\d.]+),\s+("dur")', r"\1, \2", file.read()))
    work = ",".join(events)
    starts = [float(time) for time, _ in TIMES.findall(work)]
    first, length = round(min(starts) * 1000), round((max(starts) - min(starts)) * 1000) + 1_000_000
    chance = random.Random(1)
    spans = sum('"ph": "X"' in event for event in lasting)
    with open(path, "w", encoding="utf-8") as file:
        written = file.write(before + ",".join(lasting))
        number = 0
        while written < size:
            written += file.write("," + again(work, number, first, length, chance.uniform(0.8, 1.2)))
            spans += work.count('"ph": "X"')
            number += 1
        file.write(after)
    return spans


def measure(options, folder):
    trace, packed = folder / "trace.json", folder / "trace.pb.zst"
    spans = write_trace(trace, options.bytes)
    size = trace.stat().st_size
    print(f"A trace of PyTorch's, {size / 1e6:,.0f} MB, {spans:,} spans, {os.cpu_count()} CPUs, best of "
          f"{options.rounds}", flush=True)
    commands = {"wc -l": ["wc", "-l", str(trace)], "cat": ["cat", str(trace)],
                "convert": [OPSCOPE, "convert", str(trace), "-o", str(packed)],
                "top": [OPSCOPE, "top", str(trace)], "operators": [OPSCOPE, "operators", str(trace)]}
    kept.figure("input", size, "B")
    kept.figure("spans", spans, "")
    times = all_times(options.rounds, commands)
    best = {name: tuple(map(min, zip(*taken))) for name, taken in times.items()}
    for name, (clock, processors) in best.items():
        row(name, f"{clock:.3f} s", f"{clock / best['wc -l'][0]:.1f} times wc -l; processors {processors:.3f} s, "
                                    f"{processors / best['wc -l'][1]:.1f} times")
    row("packed", f"{packed.stat().st_size / 1e6:.1f} MB")
    kept.figure("packed", packed.stat().st_size, "B")
    judged("convert / wc -l, processors", best["convert"][1] / best["wc -l"][1], "", LIMIT_CONVERT)
    judged("trace / packed", size / packed.stat().st_size, "", LIMIT_SMALLER, at_least=True)
    answer = json.loads(subprocess.run([OPSCOPE, "top", "--json", str(packed)], check=True, capture_output=True).stdout)
    row("spans in what was packed", f"{answer['count']:,}", "all" if answer["count"] == spans else f"of {spans:,}")


def add_options(parser):
    parser.add_argument("--bytes", type=int, default=560_000_000)


if __name__ == "__main__":
    run(__doc__, measure, add_options, rounds=3)
