"""The seven lines of Cloud AI's profiling document as they are printed, one after the other.

The vendor's folder is /opt/qti-aic/exec: `opscope links` fills one in a mount namespace of its own.
"""
import random

from support import *
from onnx_writer import *

LINES = [
    "/opt/qti-aic/exec/qaic-compile -model={model} -aic-binary-dir=./binaries -stats-level=70",
    "/opt/qti-aic/exec/qaic-compile \\\n    -model=model.onnx \\\n    -aic-binary-dir=./binaries -stats-level=70",
    "sudo /opt/qti-aic/exec/qaic-runner --test-data=./binaries --aic-profiling-type=raw_device_stats"
    " --aic-profiling-out-dir=./stats --aic-profiling-num-samples=5 --aic-profiling-start-iter 1 --num-iter=100",
    "/opt/qti-aic/exec/qaic-opstats --qpc {qpc} --input-dir ./stats/ --output-dir ./stats-out/ --summary --trace",
    "sudo /opt/qti-aic/exec/qaic-runner --test-data=./binaries --aic-profiling-type=raw_device_stats"
    " --aic-profiling-out-dir=./stats --aic-profiling-num-samples=3 --aic-profiling-start-delay=1000 --num-iter=200",
    "/opt/qti-aic/exec/qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats --output-dir ./stats-out"
    " --summary --trace --flow-events full",
    "/opt/qti-aic/exec/qaic-opstats --qpc ./binaries/programqpc.bin --input-dir ./stats --output-dir ./stats-out"
    " --trace --select-cores 0,1,2,3",
]
BUFFER = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph-aiccyclecounts.bin"
RESULT = "aic-profiling-program-0-activation-0-inf-{}-QAicGraph.qaic-opstats.{}"


def lines(sudo):
    names = {"model": "./model.onnx", "qpc": "./binaries/programqpc.bin"}
    texts = [line.format(**names) for line in LINES]
    return texts if sudo else [text.removeprefix("sudo ") for text in texts]


def network(folder, depth, wide):
    """Products and activations one after the other."""
    random.seed(7)
    nodes, weights = [], []
    for i in range(depth):
        weights.append(make_tensor(f"w{i}", "f32", [wide, wide], [random.uniform(-1, 1) for _ in range(wide * wide)]))
        nodes += [make_node("MatMul", [f"x{i}", f"w{i}"], [f"p{i}"], name=f"/layer.{i}/MatMul"),
                  make_node("Tanh", [f"p{i}"], [f"x{i + 1}"], name=f"/layer.{i}/Tanh")]
    graph = make_graph(nodes, [make_value("x0", "f32", [128, wide])], [make_value(f"x{depth}", "f32", [128, wide])],
                       weights)
    return write(folder / "model.onnx", make_model(graph))


def namespace():
    """The words that give a command a view of mounts of its own, as root."""
    for words in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        if shutil.which("unshare") and subprocess.run([*words, "mount", "-t", "tmpfs", "none", "/opt"], check=False,
                                                      capture_output=True).returncode == 0:
            return words
    raise Skip("no mount namespace can be made here (unshare --mount)")


def shell(folder, *commands, code=0, env=()):
    """Runs lines one after the other where the vendor's folder is; each must succeed."""
    script = ["set -eu", "mount -t tmpfs none /opt", f"{program('opscope')} links /opt/qti-aic/exec >&2", *commands]
    return run(*namespace(), *env, "sh", "-c", "\n".join(script), cwd=folder, code=code)


def check_sequence(folder, sudo=False, env=()):
    """All seven, and what they must leave."""
    one, two, three, four, five, six, seven = lines(sudo)
    said = shell(folder, one, two, "mkdir stats", three, four, "ls ./stats-out/ | sed 's/^/first:/'", "rm stats/*",
                 "rm -r stats-out", five, six, "ls ./stats-out/", "cp -r stats-out full", seven, env=env)
    contains(said.out, "Generated binary is present at ./binaries", "compiler")
    found = sorted(re.findall(r"^first:(.*)$", said.out, re.MULTILINE))
    equal(found, sorted(RESULT.format(i, end) for i in range(1, 6) for end in ("summary.txt", "trace.json")),
          "of the first five samples from 1 on")
    late = sorted(int(re.search(r"inf-(\d+)-", path.name)[1]) for path in (folder / "stats").iterdir())
    equal(len(late), 3, "samples after a delay")
    equal(late, list(range(late[0], late[0] + 3)), "they follow one another")
    for i in late:
        for end in ("summary.txt", "trace.json"):
            contains(said.out, RESULT.format(i, end) + "\n", "what ls lists")
    full = json.loads((folder / "full" / RESULT.format(late[0], "trace.json")).read_text())["traceEvents"]
    some = json.loads((folder / "stats-out" / RESULT.format(late[0], "trace.json")).read_text())["traceEvents"]
    true(any(event["ph"] == "s" for event in full), "flows of the sixth line")
    true(not any(event["ph"] == "s" for event in some), "none of the seventh")
    equal({event["pid"] for event in some} - {2000, 2001, 2002, 2003}, set(), "cores of the seventh")
    return said, late


def test_the_lines_in_sequence(folder):
    network(folder, 1, 64)
    check_sequence(folder)


def test_the_lines_for_a_network_of_a_millisecond(folder):
    """200 inferences are over before the delay of the fifth line is: it waits for its samples."""
    network(folder, 2 if SANITIZED else 6, 192)
    said, late = check_sequence(folder)
    true(late[0] >= 200 and "longer than 200 inferences take" in said.err or late[0] < 200,
         f"a delay that is longer than the run is said: {said}")


def test_the_lines_with_sudo(folder):
    if shutil.which("sudo") is None:
        raise Skip("sudo is not installed")
    if run("sudo", "-n", "true", code=None).code != 0:
        raise Skip("sudo wants a password")
    network(folder, 1, 64)
    check_sequence(folder, sudo=True)


def test_the_lines_in_the_environment_of_sudo(folder):
    """No HOME, and another PATH."""
    network(folder, 1, 64)
    check_sequence(folder, env=("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "SUDO_USER=somebody"))


def test_folders_that_cannot_take_samples(folder):
    network(folder, 1, 64)
    one, _, three, four, _, _, _ = lines(False)
    shell(folder, one)
    contains(shell(folder, three, code=1).err, "./stats: there is no such folder: make it first", "not there")
    true(not (folder / "stats").exists(), "it is not made")
    said = shell(folder, "mkdir stats", "mount -t tmpfs -o ro none stats", three, code=1)
    contains(said.err, "./stats: cannot be written to", "read-only")
    (folder / "stats").rmdir()
    write(folder / "stats", "a file")
    contains(shell(folder, three, code=1).err, "./stats: is a file, and no folder", "a file in its place")
    contains(shell(folder, four, code=1).err, "stats", "qaic-opstats")
    equal((folder / "stats").read_text(), "a file", "it stays")


main()
