"""What benchmarks keep: `opscope gate` compares two such files, and README's table is made from one."""

import random
import sys

from support import *

sys.path.insert(0, str(ROOT / "bench"))
import keeping  # noqa: E402

TABLE = ROOT / "scripts/bench-table.py"
KEPT = ROOT / "bench/kept.json"
MARKS = re.compile(r"<!-- bench: scripts/bench-table.py -->\n(.*?)<!-- end of bench -->", re.DOTALL)


def bench(path, factor=1.0, rounds=8, seed=1, **changes):
    """A file as benchmarks keep it, of a command that takes `factor` times as long as it did."""
    made = random.Random(seed)
    for name, commands in (("convert", {"count": 0.1, "full": factor}), ("chrome", {"count": 0.2, "read": 2.0})):
        kept = keeping.Kept(name)
        kept.title = "without flows" if name == "chrome" else ""
        for command, seconds in commands.items():
            took = [seconds * made.uniform(1, 1.01) for _ in range(rounds)]
            kept.times(command, [3 * value for value in took], took)
        kept.figure("input", 1_130_000_000, "B")
        kept.figure("rows", 10_000_000, "")
        kept.save(path)
    if changes:
        text = path.read_text()
        for before, after in changes.values():
            contains(text, before, "what is changed")
            text = text.replace(before, after)
        path.write_text(text)
    return path


def test_gate_compares_two_of_them(folder):
    before = bench(folder / "a.json")
    judged = opscope("gate", before, bench(folder / "same.json", seed=2), "--operators", "--json").json()
    equal(judged["outcome"], "passed", "as fast as before")
    slower = opscope("gate", before, bench(folder / "b.json", 1.3), "--operators", "--json", code=4).json()
    outcomes = {row["name"]: row["outcome"] for row in slower["judged"]}
    equal((outcomes["convert: full"], outcomes["chrome: without flows, read"]), ("failed", "passed"), "which of them")
    equal(len(slower["a"]), 8, "a round is a run")


def test_other_machines_are_said(folder):
    before = bench(folder / "a.json")
    here = keeping.machine_text(keeping.machine())
    equal({run_["machine"] for run_ in opscope("gate", before, before, "--json").json()["a"]}, {here}, "the machine")
    true("different machines" not in opscope("gate", before, before).out, "on one machine nothing is said")
    other = bench(folder / "b.json", machine=(here, "another processor, 1 cores, sse4"))
    contains(opscope("gate", before, other).out, f"a on {here[:20]}", "the note")
    contains(opscope("diff", before, other).out, "measured on different machines", "the note of diff")
    opscope("gate", "--save", folder / "again.json", before)
    contains((folder / "again.json").read_text(), f'"machine": "{here}"', "what is kept of what was kept")


def test_other_sizes_are_other_shapes(folder):
    before = bench(folder / "a.json")
    smaller = bench(folder / "b.json", rows=("10000000 rows", "100000 rows"))
    contains(opscope("diff", before, smaller).out, "other shapes (10000000 rows -> 100000 rows)", "what differs")
    true("other shapes" not in opscope("diff", before, before).out, "of one size nothing is said")


def test_measuring_again_replaces_what_was_measured(folder):
    path = bench(folder / "a.json")
    bench(path, 2.0)
    about = json.loads(path.read_text())["bench"]
    equal([keeping.part_name(item) for item in about["measurements"]],
          ["convert: count", "convert: full", "chrome: without flows, count", "chrome: without flows, read"], "parts")
    equal(len(about["figures"]), 4, "figures")
    true(set(about["machine"]) == {"cpu", "cores", "isa", "system"}, "the machine")


def test_fewer_rounds_of_one_are_those_of_all(folder):
    path = bench(folder / "a.json", rounds=6)
    kept = keeping.Kept("sql")
    kept.times("wc -l", [1, 2, 3])
    kept.save(path)
    equal(len(json.loads(path.read_text())["runs"]), 3, "runs")


def test_the_table_says_what_is_in_the_file(folder):
    path = bench(folder / "a.json", 1.61)
    lines = run(TABLE, path).out.splitlines()
    contains(lines[0], keeping.machine()["cpu"], "the machine")
    [full] = [line for line in lines if "all arguments" in line]
    contains(full, "Torq C2 (1.13 GB, 10 million rows)", "the input")
    about = json.loads(path.read_text())["bench"]["measurements"]
    took, count = about[1]["processors_s"], about[0]["processors_s"]
    ratios = sorted(a / b for a, b in zip(took, count))
    contains(full, f"| {min(took):.3g} s (to {max(took):.3g}) |", "the time")
    contains(full, f"({ratios[0]:.3g} to {ratios[-1]:.3g})", "the spread of the ratio")
    true(not any("tt-report" in line for line in lines), "what was not measured is absent")


def test_the_readme_has_the_table_of_the_kept_file(folder):
    found = MARKS.search((ROOT / "README.md").read_text())
    true(found is not None, "README's marks")
    equal(found[1], run(TABLE, KEPT).out, "README's table: scripts/bench-table.py --write")
    opscope("gate", KEPT, KEPT)


def test_a_benchmark_keeps_its_figures(folder):
    """As `make bench` calls it."""
    if not (ROOT / "build/bench/generate_c2").exists() or SANITIZED:
        raise Skip("build/bench/generate_c2 is not built")
    for name in ("a.json", "b.json"):
        run(ROOT / "bench/convert.py", "--rows", 500, "--rounds", 5, "--keep", folder / name, "--folder", folder)
    about = json.loads((folder / "a.json").read_text())["bench"]
    equal([(item["title"], item["name"], len(item["clock_s"]), len(item["processors_s"]))
           for item in about["measurements"]],
          [("", "count", 5, 5), ("", "full", 5, 5), ("", "short", 5, 5),
           ("own locations", "count", 5, 5), ("own locations", "full", 5, 5)], "measurements")
    true({"input", "rows", "bytes a span", "most anonymous memory"} <= {item["name"] for item in about["figures"]},
         "figures")
    opscope("gate", folder / "a.json", folder / "b.json", "--max-regress", "1000%")


main()
