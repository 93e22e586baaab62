#!/usr/bin/env python3
"""What the questions about a large profile cost beside reading it alone.

    bench/questions.py [--rows 10000000] [--rounds 3] [--folder DIR]

Generates two C2 profiles and takes turns: `opscope info`, which reads no events, `top`, which reads all of them once
and adds them up, `diff` of both profiles (beside `top` of each of them), `explain` and `whatif`. Processor time, the
best of each; and the most anonymous memory (not mapped files): of `diff` 4 bytes a call of a profile. bench/page.py
does the same for `report`, and bench/whatif.py for a profile with as many flows.
"""

from measuring import MIB, ROOT, all_times, c2_profile, judged, kept, most_anonymous, row, run

OPSCOPE = str(ROOT / "build/bin/opscope")
LIMIT_MEMORY = 128  # MiB


def questions(a, b):
    return {"info": [OPSCOPE, "info", a], "top": [OPSCOPE, "top", a], "diff": [OPSCOPE, "diff", a, b],
            "explain": [OPSCOPE, "explain", a], "whatif": [OPSCOPE, "whatif", a, "--faster", "*=2x"]}


def measure(options, folder):
    commands = questions(*(str(c2_profile(folder, options.rows, seed)) for seed in (1, 2)))
    kept.figure("rows", options.rows, "")
    best = {name: min(processor for _, processor in times)
            for name, times in all_times(options.rounds, commands).items()}
    print(f"{options.rows:,} spans, best of {options.rounds}, processor time")
    for name, seconds in best.items():
        files = 2 if name == "diff" else 1
        row(name, f"{seconds:.2f} s", f"{seconds / max(files * best['top'], 1e-3):.1f} times top")
    for name in ("diff", "explain", "whatif"):
        judged(f"most anonymous memory, {name}", most_anonymous(commands[name]) / MIB, " MiB", LIMIT_MEMORY)


run(__doc__, measure, rounds=3)
