"""Every option of Cloud AI's tools is taken, and the page says of each what it does, or that it does nothing and why."""
from support import *
from support import ROOT
from onnx_writer import *

PAGE = (ROOT / "docs/formats/qaic.md").read_text()


def tool(name, *words, **options):
    return run(program(name), *words, **options)


def options_of(name):
    """Of the help text: long names and letters, each with what follows it."""
    text = tool(name, "-h").out
    text = text[text.index("\noptions:\n"):text.index("\nexamples:\n")]
    found = {}
    for line in re.findall(r"^  (?:-(\w), |    )--([\w-]+)(.*(?:\n {20,}.*)?)", text, re.M):
        found[line[1]] = line
    return found


def listed(name):
    """Of the page's table: options in the first column, each with the second."""
    table = PAGE[PAGE.index(f"| {name} | |"):]
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", table[:table.index("\n\n")], re.M)
    return {option: text for first, text in rows for option in re.findall(r"`-+([\w-]+)`", first)}


def test_the_page_lists_all(folder):
    for name, title in (("qaic-compile", "qaic-compile, qaic-exec"), ("qaic-runner", "qaic-runner"),
                        ("qaic-opstats", "qaic-opstats")):
        helped, page = options_of(name), listed(title)
        letters = {letter for letter, _, _ in helped.values() if letter}
        equal(sorted(set(helped) - set(page)), [], f"{name}: not on the page")
        equal(sorted(set(page) - set(helped) - letters), [], f"{name}: on the page alone")
        for option, (_, _, text) in helped.items():
            equal("no effect" in page[option], "without effect" in text, f"{name} {option}: both say whether it has an effect")


def network(folder):
    write(folder / "m.onnx", make_model(make_graph([make_node("Relu", ["x"], ["y"])], [make_value("x", "f32", [8])],
                                                   [make_value("y", "f32", [8])])))
    tool("qaic-compile", "-m=m.onnx", "-aic-binary-dir=b", cwd=folder)


def test_the_runner_says_what_has_no_effect(folder):
    network(folder)
    for _, option, text in options_of("qaic-runner").values():
        if "without effect" not in text:
            continue
        words = [f"--{option}"] + (["off"] if "on|off" in text else ["1"] if re.match(r" [A-Z]", text) else [])
        matches(tool("qaic-runner", "-t", "b", "-n", "1", *words, cwd=folder).out, rf"(?m)^--{option}: taken, without effect: .",
                option)


def test_the_runner_refuses_inputs_that_it_does_not_read(folder):
    network(folder)
    for option in ("aic-batch-input-directory", "aic-batch-input-file-list"):
        contains(tool("qaic-runner", "-t", "b", f"--{option}=x", cwd=folder, code=1).err, "--aic-batch-json-input", option)


def test_older_names_of_types(folder):
    network(folder)
    for form, name in (("ascii", "activation-0-inf-0.txt"), ("json", "trace.json"), ("latency", "latency.txt")):
        out = tool("qaic-runner", "-t", "b", "-n", "1", f"--aic-profiling-format={form}", cwd=folder).out
        contains(out, f"Writing file:./aic-profiling-program-0-{name}\n", form)
    contains(tool("qaic-runner", "-t", "b", "--aic-profiling-format=x", cwd=folder, code=1).err, "ascii, json and latency", "x")


def test_live_reporting(folder):
    """A line each period while it runs, besides the one at the end."""
    network(folder)
    line = r"(?m)^InferenceCnt (\d+) TotalDuration \d+us BatchSize 1 Inf/Sec [\d.]+$"
    counts = [int(count) for count in re.findall(line, tool("qaic-runner", "-t", "b", "--time", "1", "-l", "-r", "100",
                                                            cwd=folder).out)]
    true(len(counts) >= 3, f"{len(counts)} lines in a second")
    equal(counts, sorted(counts), "they grow")
    equal(len(re.findall(line, tool("qaic-runner", "-t", "b", "-n", "5", cwd=folder).out)), 1, "without it")
    contains(tool("qaic-runner", "-t", "b", "-l", "-r", "0", cwd=folder, code=1).err, "live-reporting-period", "0 ms")


def test_verbose(folder):
    network(folder)
    said = tool("qaic-runner", "-t", "b", "-n", "1", "-v", "--aic-profiling-start-iter=3", cwd=folder).err
    contains(said, "QAicGraph: 1 inputs, 1 outputs", "the program")
    contains(said, "samples from inference 3", "samples")
    equal(tool("qaic-runner", "-t", "b", "-n", "1", cwd=folder).err, "", "without it")


if __name__ == "__main__":
    main()
