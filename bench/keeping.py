"""Keeps what the benchmarks measure in one file, which `opscope gate` compares (docs/formats/runs.md)."""

import json
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = 1


def isa_of(flags):
    """The most that kernels use."""
    best = next((name for name, flag in (("avx512", "avx512f"), ("avx2", "avx2")) if flag in flags), "sse4")
    vnni = {"avx512": "avx512_vnni", "avx2": "avx_vnni"}.get(best)
    return f"{best} vnni" if vnni in flags else best


def machine():
    about = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = re.search(r"^model name\s*:\s*(.*)$", about, re.MULTILINE)
    flags = re.search(r"^flags\s*:\s*(.*)$", about, re.MULTILINE)
    return {"cpu": model[1] if model else platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "isa": isa_of(flags[1].split() if flags else []), "system": f"{platform.system()} {platform.release()}"}


def machine_text(found):
    return f"{found['cpu']}, {found['cores']} cores, {found['isa']}"


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], check=False, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


class Kept:
    """What one benchmark measured."""

    def __init__(self, bench):
        self.bench, self.title = bench, ""
        self.measurements, self.figures = [], []

    def times(self, name, clock, processors=None):
        """Of each round, in seconds."""
        made = {"bench": self.bench, "title": self.title, "name": name, "clock_s": [round(value, 6) for value in clock]}
        if processors is not None:
            made["processors_s"] = [round(value, 6) for value in processors]
        self.measurements.append(made)

    def figure(self, name, value, unit, limit=None, at_least=False):
        made = {"bench": self.bench, "title": self.title, "name": name.strip(), "value": round(value, 4),
                "unit": unit.strip()}
        if limit is not None:
            made.update(limit=limit, at_least=at_least)
        self.figures.append(made)

    def save(self, path):
        """Adds it to what others left there; what was there of the same benchmark goes."""
        path = pathlib.Path(path)
        before = json.loads(path.read_text(encoding="utf-8"))["bench"] if path.exists() else {}
        changed = git("status", "--porcelain", "--untracked-files=no")
        made = {"version": VERSION, "machine": machine(), "commit": git("rev-parse", "HEAD"),
                "changed": None if changed is None else changed != "",
                "load": max(before.get("load", 0), round(os.getloadavg()[0], 1))}
        for key, own in (("measurements", self.measurements), ("figures", self.figures)):
            made[key] = [item for item in before.get(key, []) if item["bench"] != self.bench] + own
        runs = ",\n".join(map(json.dumps, runs_of(made)))
        path.write_text(f'{{"opscope_runs": 1, "runs": [\n{runs}\n], "bench": {json.dumps(made, indent=1)}}}\n',
                        encoding="utf-8")


def part_name(item):
    return f"{item['bench']}: {item['title'] + ', ' if item['title'] else ''}{item['name']}"


def input_of(made, item):
    """How large what was read is, in words: nothing where its benchmark does not say. Two files of other sizes are
    other shapes to `opscope diff`."""
    found = {figure["name"]: figure["value"] for figure in made["figures"]
             if (figure["bench"], figure["title"]) == (item["bench"], item["title"])}
    if "rows" in found:
        return f"{found['rows']:.0f} rows"
    return f"{found['input'] / 1e6:.0f} MB" if "input" in found else ""


def runs_of(made):
    """Each round as a run (docs/formats/runs.md), as far as all benchmarks had one."""
    items = made["measurements"]
    rounds = min((len(item["clock_s"]) for item in items), default=0)
    runs = []
    for number in range(rounds):
        parts, samples, at = [], [], 0
        for place, item in enumerate(items):
            took = round(item.get("processors_s", item["clock_s"])[number] * 1e9)
            parts.append({"name": part_name(item), "type": "", "shape": input_of(made, item), "location": "", "kernel": "",
                          "operator": True, "first_ns": at, "calls": 1, "bytes": 0, "macs": 0, "waited_ns": 0})
            samples.append([place, 0, took])
            at += took
        runs.append({"source": f"round {number + 1}", "machine": machine_text(made["machine"]), "side": "host",
                     "modelled": False, "clock": "", "began_ns": 0, "iterations": [[0, 0, at, at]], "parts": parts,
                     "samples": samples})
    return runs
