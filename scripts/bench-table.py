#!/usr/bin/env python3
"""README's table of speed, made from what `make bench` kept (docs/formats/runs.md).

    scripts/bench-table.py [FILE]            prints it; FILE is bench/kept.json unless given
    scripts/bench-table.py [FILE] --write    puts it into README.md, between its marks

A time is the best of all rounds, with the worst one behind it. A ratio is the median of the rounds, with the least and
the most: the processors' time of a command by that of `wc -l` on the same file in the same round.
"""

import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BEGIN, END = "<!-- bench: scripts/bench-table.py -->", "<!-- end of bench -->"

# What it is, and where it stands in the file: benchmark, title, name, its yardstick, its memory.
ROWS = (
    ("`perfetto_logger`, Torq C2 ({input}, {rows} rows), all arguments",
     "convert", "", "full", "count", "most anonymous memory"),
    ("the same with `--no-args`", "convert", "", "short", "count", None),
    ("the same, with a location of its own in each row ({input})",
     "convert", "own locations", "full", "count", "most anonymous memory"),
    ("`opscope tt-report`, Tenstorrent logs ({input}, {rows} rows)",
     "tt_report", "", "report", "count", "most anonymous memory"),
    ("`opscope info`, Chrome trace ({input})", "chrome", "without flows", "read", "count", "anonymous memory reading"),
    ("the same with an arrow for each kernel ({input})",
     "chrome", "with flows", "read", "count", "anonymous memory reading"),
    ("`opscope convert` of the first to a Chrome trace again ({output})",
     "chrome", "without flows", "write", "count", "anonymous memory writing"),
    ("the same of the second ({output})", "chrome", "with flows", "write", "count", "anonymous memory writing"),
    ("`opscope convert` of a PyTorch trace ({input}, {spans} spans) to {packed} of `.pb.zst`",
     "kineto", "", "convert", "wc -l", None),
    ("`opscope top` of the same", "kineto", "", "top", "wc -l", None),
    ("`opscope timeline` of a profile of {rows} spans, as PNG", "timeline", "", "png", None, "most anonymous memory, png"),
    ("`opscope sql`, `GROUP BY name` over a Torq C2 of {rows} rows", "sql", "", "opscope sql in.csv", "wc -l", None),
    ("a network of {input} opened, its shapes inferred", "networks", "", "opscope", None, "anonymous memory"),
    ("ONNX Runtime's session for it", "networks", "", "onnxruntime", None, None),
)


def bytes_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def count_text(count):
    if count >= 1e6:
        return f"{count / 1e6:.3g} million"
    return f"{count:,.0f}".replace(",", " ")


def seconds_text(values):
    best, worst = min(values), max(values)
    unit, scale = ("s", 1) if best >= 0.1 else ("ms", 1000)
    return f"{best * scale:.3g} {unit} (to {worst * scale:.3g})"


class Kept:
    def __init__(self, path):
        self.bench = json.loads(path.read_text(encoding="utf-8"))["bench"]

    def find(self, kind, bench, title, name):
        return next((item for item in self.bench[kind] if (item["bench"], item["title"], item["name"]) ==
                     (bench, title, name)), None)

    def facts(self, bench, title):
        """What a label may say of its input."""
        return {item["name"]: bytes_text(item["value"]) if item["unit"] == "B" else count_text(item["value"])
                for item in self.bench["figures"] if (item["bench"], item["title"]) == (bench, title)}

    def line(self, label, bench, title, name, yardstick, memory):
        """The row of a table; None where it was not measured."""
        own = self.find("measurements", bench, title, name)
        beside = self.find("measurements", bench, title, yardstick)
        taken = self.find("figures", bench, title, memory)
        if own is None:
            return None
        processors = own.get("processors_s")
        ratios = [a / b for a, b in zip(processors or (), (beside or {}).get("processors_s", ())) if b > 0]
        cells = [label.format(**self.facts(bench, title)), seconds_text(own["clock_s"]),
                 seconds_text(processors) if processors else "",
                 f"{statistics.median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g})" if ratios else "",
                 f"{taken['value']:.3g} {taken['unit']}" if taken else ""]
        return "| " + " | ".join(cells) + " |"


def table(path):
    kept = Kept(path)
    machine = kept.bench["machine"]
    load = f", under a load of {kept.bench['load']:.0f}" if "load" in kept.bench else ""
    rounds = min(len(item["clock_s"]) for item in kept.bench["measurements"])
    lines = [f"On {machine['cpu']}, {machine['cores']} cores, {machine['isa']}, at commit "
             f"{kept.bench['commit'][:10]}{' with changes' if kept.bench['changed'] else ''}{load}, best of {rounds} rounds or "
             "more, in which all commands of a benchmark take turns, and the worst:", "",
             "| what | time | of processors | against `wc -l`, of processors | anonymous memory |", "|---|---|---|---|---|"]
    lines += [line for line in (kept.line(*row) for row in ROWS) if line is not None]
    return "\n".join(lines) + "\n"


def write(text):
    page = README.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    README.write_text(f"{page[:begin]}\n{text}{page[end:]}", encoding="utf-8")


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    if len(words) > 1 or any(word.startswith("-") for word in words):
        sys.exit(__doc__.strip())
    text = table(pathlib.Path(words[0]) if words else ROOT / "bench/kept.json")
    if "--write" in sys.argv:
        write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
