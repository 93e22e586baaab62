"""Every command line in the README, the documents and the help texts runs as printed.

A block that begins with `$ ` holds commands, and what they print; a block of `make docs`
holds the examples of a help text; a block of lines that begin with a program's name is
commands only. The commands of a page run in their order, in a folder that has the files which
a user of the page would have.
"""
import shlex

from support import *
from onnx_decoder import decoder
from onnx_writer import *
from tenstorrent_logs import ordinary
from torq_compile import compile_csv, random_spans
from torq_runtime import job_csv, random_jobs

# What is not run here, and why.
LEFT_OUT = {
    r"^(make|tests/run\.py|python3 tests/|scripts/)": "builds, tests or measures the project: other tests do",
    r"^(git|sudo|apt-get|meson|ninja|cc|gcc|c\+\+|g\+\+|pkg-config|man|python3 -c|import) ": "other programs",
    r"\bopscope (view|mcp)\b": "serve until they are ended: 652_view and 750_mcp do",
    r"^opscope calibrate": "measures this machine for half a minute: 550_host does",
    r"--torq-addr|--torq-ssh": "boards, which no test may call but by way of board.py: 662_board does",
    r"^pytest ": "662_board and 661_pytest_plugin do",
    r"^\./": "programs that the reader builds: tests of the library do",
}
# What takes minutes on a page of its own is run on a part of it.
SHORTER = {
    r"/usr/share/libonnx-testdata/data/node": "/usr/share/libonnx-testdata/data/node/test_abs",
    r" && man \S+": "",
}
if SANITIZED:
    LEFT_OUT[r"^opscope score"] = "measures: the sanitizers distort it"
PROGRAMS = ("opscope ", "build/bin/", "annotate_profiling", "perfetto_logger", "process_ops_logs",
            "python3 ", "qaic-", "torq-", "iree-run-module", "tt-perf-report", "source ")
BIN = program("opscope").parent
# 744_tutorials runs these, and compares what they print.
ELSEWHERE = [ROOT / f"docs/tutorials/{name}.md" for name in ("pytorch", "onnxruntime", "tenstorrent", "qualcomm")]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(set((ROOT / "docs").rglob("*.md")) - set(ELSEWHERE))]


# What a page says ---------------------------------------------------------------------

def joined(text):
    return re.sub(r"\\\n\s*", " ", text).splitlines()


def block_commands(block):
    if "\nusage: " in block:
        found = re.search(r"\nexamples:\n(.*?)\n\nexit:", block, re.DOTALL)
        return [line.strip() for line in joined(found[1])] if found else []
    if block.startswith("$ "):
        return [line[2:] for line in joined(block) if line.startswith("$ ")]
    return [line for line in joined(block) if line.startswith(PROGRAMS)]


def page_commands(page):
    blocks = re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [command for block in blocks for command in block_commands(block)]


# What a reader has --------------------------------------------------------------------

def network(batch):
    """A small classifier of pictures."""
    weights = [((i * 37) % 101 - 50) / 500 for i in range(8 * 3 * 16)]
    return make_model(make_graph(
        [make_node("Conv", ["input", "w"], ["a"], name="conv", strides=[4, 4]),
         make_node("Relu", ["a"], ["b"], name="relu"),
         make_node("GlobalAveragePool", ["b"], ["c"], name="pool"),
         make_node("Flatten", ["c"], ["output"], name="flatten")],
        inputs=[make_value("input", "f32", [batch, 3, 224, 224])],
        outputs=[make_value("output", "f32", [batch, 8])],
        initializers=[make_tensor("w", "f32", [8, 3, 4, 4], weights)]), opset=13)


def sum_network():
    return make_model(make_graph(
        [make_node("Add", ["left", "right"], ["sum"], name="add")],
        inputs=[make_value("left", "f32", [2, 2]), make_value("right", "f32", [2, 2])],
        outputs=[make_value("sum", "f32", [2, 2])]), opset=13)


CONV = """func.func @main(%arg0: tensor<1x3x224x224xf32>) -> tensor<1x3x224x224xf32> {
  %0 = tosa.abs %arg0 : (tensor<1x3x224x224xf32>) -> tensor<1x3x224x224xf32>
  return %0 : tensor<1x3x224x224xf32>
}
"""


def write_torq_profiles(folder):
    for name, seed in (("compile_profile", 1), ("timeline", 2), ("a", 3), ("b", 4)):
        write(folder / f"{name}.csv", compile_csv("c1", random_spans(50, seed=seed)))
    for name, seed in (("runtime_profile", 5), ("r", 6)):
        write(folder / f"{name}.csv", job_csv(random_jobs(50, seed=seed)))
    shutil.copy(ROOT / "tests/testdata/pytorch/training.json.gz", folder / "trace.json.gz")
    write(folder / "wall_time.txt", "0.207\n")
    write(folder / "nets.plan", "[networks]\nmodels = add.mlir\n")


def write_tenstorrent(folder):
    capture = ordinary(devices=1, replays=0)
    logs = folder / "generated/profiler/.logs"
    logs.mkdir(parents=True)
    capture.write(logs)
    shutil.copytree(logs, folder / ".logs")
    for rank in range(2):
        shutil.copytree(logs, folder / f"generated/profiler/rank{rank}/.logs")
    shutil.copy(logs / "profile_log_device.csv", folder)
    opscope("tt-report", logs, "-o", folder / "ops_perf_results.csv")
    for name in ("host0.csv", "host1.csv"):
        shutil.copy(folder / "ops_perf_results.csv", folder / name)


def write_networks(folder):
    for name in ("model.onnx", "mobilenet_v2.onnx", "a.onnx", "b.onnx"):
        write(folder / name, network(1))
    write(folder / "dynamic.onnx", network("batch"))
    write(folder / "add.onnx", sum_network())
    write(folder / "decoder.onnx", decoder())
    write(folder / "specializations.json",
          '{"specializations": [{"batch_size": 1, "seq_len": 4, "ctx_len": 8}, '
          '{"batch_size": 1, "seq_len": 1, "ctx_len": 8}]}')
    write(folder / "conv.mlir", CONV)
    write(folder / "train.py", "import subprocess\nsubprocess.run(['opscope', 'run', 'add.opx'], check=True)\n")
    shutil.copy(ROOT / "tests/testdata/tosa_ops/add.mlir", folder)
    opscope("infer", "model.onnx", "--output", "@output.npy", cwd=folder)
    ones = "1x3x224x224xf32=0.5"
    opscope("infer", "conv.mlir", "--input", ones, "--output", "@input_0.npy", cwd=folder)
    case = folder / "models/squeezenet/test_data_set_0"
    case.mkdir(parents=True)
    write(case.parent / "model.onnx", network(1))
    opscope("infer", "conv.mlir", "--input", ones, "--output", case / "input_0.pb", cwd=folder)
    opscope("infer", "model.onnx", "--input", ones, "--output", case / "output_0.pb", cwd=folder)


def write_programs(folder):
    """A program, its dump and its runs, as the pages about them begin."""
    for command in (
            "torq-compile add.mlir -o model.vmfb --dump-compilation-phases-to=compilation_phases "
            "--torq-debug-info=debug_info",
            "cp compilation_phases/add.9.executable-targets.mlir .",
            "torq-run-module --module=model.vmfb --input=1x56x56x24xi8=1 --torq_profile_host=runtime.csv "
            "--torq_profile_events=events.csv",
            "opscope compile model.onnx --target torq-sl2610 -o model.opx",
            "opscope compile add.mlir --target torq-sl2610 -o add.opx",
            "opscope run add.opx --iterations 20 --profile run.prof",
            "opscope infer add.mlir --output @x.npy && cp x.npy in.npy",
            "for name in host yesterday today old new a1 a2 a3 b1 b2 b3 run1 run2 run3 run4 run5 new1 new2 new3 new4 new5; "
            "do cp run.prof $name.prof; done",
            "cp tests/testdata/pytorch/inference.json.gz trace_a.json.gz && cp trace_a.json.gz trace_b.json.gz",
            "opscope gate --save base.json run*.prof",
            "opscope targets host --file > here.target",
            "qaic-compile -model=model.onnx -aic-binary-dir=./binaries -stats-level=70 && mkdir stats",
            "qaic-runner -t ./binaries -n 1 --aic-profiling-type=raw_device_stats --aic-profiling-out-dir=./stats",
            "opscope convert runtime.csv -o runtime.prof",
            "opscope convert timeline.csv -o trace.pb"):
        run_line(command, folder)


def make_world(folder):
    folder.mkdir()
    for name in ("tests", "samples", "docs", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    (folder / "build/bin").symlink_to(BIN)
    for name in ("annotate_profiling.py", "perfetto_logger.py"):
        shutil.copy(ROOT / "scripts" / name, folder)
    for name in (".zfunc", ".config/fish/completions", "bin"):
        (folder / name).mkdir(parents=True)
    write_torq_profiles(folder)
    write_tenstorrent(folder)
    write_networks(folder)
    write_programs(folder)


# Running ------------------------------------------------------------------------------

def run_line(line, folder):
    # A dimension that has a name is of the network that has it.
    if "--define-symbol" in line:
        line = line.replace("model.onnx", "dynamic.onnx")
    for pattern, instead in SHORTER.items():
        line = re.sub(pattern, instead, line)
    environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(folder)}
    return run("bash", "-c", line, cwd=folder, env=environment)


def is_left_out(line):
    return any(re.search(pattern, line) for pattern in LEFT_OUT)


def run_page(page, folder):
    """What does not run."""
    failures = []
    for line in page_commands(page):
        if is_left_out(line):
            continue
        try:
            run_line(line, folder)
        except Failure as failure:
            failures.append(f"{page.relative_to(ROOT)}: {line}\n{str(failure)[-800:]}")
    return failures


def test_every_command_runs(folder):
    make_world(folder / "world")
    failures = []
    for page in PAGES:
        if page_commands(page):
            here = shutil.copytree(folder / "world", folder / "here", symlinks=True)
            failures += run_page(page, here)
            shutil.rmtree(here)
    true(not failures, f"{len(failures)} commands do not run\n" + "\n".join(failures))


def test_commands_are_found(folder):
    page = write(folder / "page.md", "```\n$ opscope info \\\n    x\nsaid\n$ opscope overview x\n```\n"
                 "```\nopscope x: y\n\nusage: opscope x\n\nexamples:\n  opscope x a\n\nexit: 0\n```\n")
    equal(page_commands(page), ["opscope info  x", "opscope overview x", "opscope x a"], "commands")
    true(sum(map(len, map(page_commands, PAGES))) > 60, "the documents have commands")
    for page in PAGES:
        for line in page_commands(page):
            shlex.split(line)


main()
