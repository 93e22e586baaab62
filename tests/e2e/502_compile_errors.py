"""compile and torq-compile: wrong use, wrong networks and targets; no half-written file."""
from compiling import *
from support import *
from onnx_writer import *


def refused(folder, *words, code=2, command=None, says=(), env=None):
    """Exit code, one line that says what to do, and no new file."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = run(program(command or "opscope"), *words, code=code, cwd=folder, env=env)
    equal(result.out, "", f"stdout of {result}")
    matches(result.err, r"\Aopscope: [^\n]*\n\Z", "one line")
    for piece in says:
        contains(result.err, piece, "message")
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    equal(after, before, f"files after {result}")


def prepared(folder):
    shutil.copy(ADD, folder / "add.mlir")
    return folder


def test_what_is_missing(folder):
    prepared(folder)
    refused(folder, "compile", says=["-o FILE"])
    refused(folder, "compile", "add.mlir", "-o", "x.opx", says=["--target NAME", "opscope targets"])
    refused(folder, "compile", "add.mlir", "-t", TARGET, says=["-o FILE"])
    refused(folder, "compile", "-t", TARGET, "-o", "x.opx", says=["give one network"])
    refused(folder, "compile", "add.mlir", "add.mlir", "-t", TARGET, "-o", "x.opx",
            says=["give one network"])
    refused(folder, "add.mlir", command="torq-compile", says=["-o model.vmfb"])
    refused(folder, "-o", "x.vmfb", command="torq-compile", says=["give one network"])


def test_unknown_flags_and_values(folder):
    prepared(folder)
    given = ("add.mlir", "-o", "x.vmfb")
    for words, says in (
            (["--torq-nothing"], ["unknown option '--torq-nothing'"]),
            (["--torq-enable-profiling=perhaps"], ["true or false"]),
            (["--torq-rules=mine"], ["best or public"]),
            (["--torq-profiling-format=c1"], ["--torq-enable-profiling"]),
            (["--torq-enable-profiling", "--torq-profiling-format=c9"], ["c1, c2 or c4"]),
            (["--torq-dump-profiling=x.vmfb"], ["cannot both be 'x.vmfb'"]),
            (["--torq-dma-in-mtu=9"], ["from 0 to 8"]),
            (["--torq-dma-out-mtu=x"], ["from 0 to 8"]),
            (["--torq-hw=SL1"], ["there is no such hardware", "SL2610"]),
            (["--torq-hw=a:512:2:coral_v1"], ["5 to 10 parts"]),
            (["--torq-hw=" + "1:" * 10 + "1"], ["5 to 10 parts"]),
            (["--torq-hw=a:0:2:coral_v1:nss_v1"], ["LRAM in KiB"]),
            (["--torq-hw=a:512:0:coral_v1:nss_v1"], ["number of slices"]),
            (["--torq-hw=a:512:256:coral_v1:nss_v1"], ["number of slices"]),
            (["--torq-hw=a:512:2:coral:nss_v1"], ["CSS"]),
            (["--torq-hw=a:512:2:coral_v1:nss"], ["NSS"]),
            (["--torq-hw=a:512:2:coral_v1:nss_v1:0"], ["bytes a cycle"]),
            (["--torq-hw=a:512:2:coral_v1:nss_v1:nan"], ["bytes a cycle"]),
            (["--torq-hw=a:512:2:coral_v1:nss_v1:8:1.5"], ["efficiency"])):
        refused(folder, *given, *words, command="torq-compile", says=says)
    given = ("compile", "add.mlir", "-t", TARGET, "-o", "x.opx")
    for words, says in (
            (["--rules", "mine"], ["best or public"]),
            (["--top", "few"], ["--top"]),
            (["--trace", "x.opx"], ["cannot both be 'x.opx'"]),
            (["--set", "slice"], ["engine.key=value"]),
            (["--set", "=1"], ["engine.key=value"]),
            (["--set", "slice.nothing=1"], ["these rules know no 'nothing'"]),
            (["--set", "nobody.count=1"], ["no setting 'nobody.count'", "opscope targets"]),
            (["--set", "slice.count=0"], ["not a number of engines"]),
            (["--set", "lram.size=many"], ["not a number"]),
            (["--json", "--nothing"], ["unknown option"])):
        refused(folder, *given, *words, says=says)


def test_unknown_targets(folder):
    prepared(folder)
    refused(folder, "compile", "add.mlir", "-t", "nothing", "-o", "x.opx",
            says=["no target 'nothing'", TARGET])
    refused(folder, "compile", "add.mlir", "-t", "./nothing.target", "-o", "x.opx", code=1,
            says=["./nothing.target"])
    write(folder / "bad.target", "[target]\nname = bad\nclock = fast\n")
    refused(folder, "compile", "add.mlir", "-t", "bad.target", "-o", "x.opx", code=1,
            says=["bad.target:3", "clock"])


def changed_target(folder, *drop):
    """The target without the sections of some engines or memories."""
    text = opscope("targets", TARGET, "--file").out
    sections = re.split(r"(?m)^(?=\[)", text)
    kept = "".join(part for part in sections if not part.startswith(drop))
    for name in drop:
        kept = kept.replace(f"row_engine = {name[8:-1]} ", "# ").replace(f"row_engine = {name[8:-1]}\n", "\n")
    return write(folder / "changed.target", kept)


def test_networks_that_cannot_fit(folder):
    prepared(folder)
    given = ("compile", "add.mlir", "-t", TARGET, "-o", "x.opx")
    refused(folder, *given, "--set", "xram.size=4KiB", code=1,
            says=["value 'arg0'", "does not fit the memory xram"])
    shutil.copy(FC, folder / "fc.mlir")
    refused(folder, "compile", "fc.mlir", "-t", TARGET, "-o", "x.opx", "--set", "xram.size=13KiB",
            code=1, says=["bytes of xram", "has 13312", "--shape"])
    # No room for a tile: the host does it, and the summary says so.
    out = opscope(*given, "--set", "lram.size=1KiB", cwd=folder).out
    contains(out, "no part of it fits", "reason")
    (folder / "x.opx").unlink()
    changed_target(folder, "[engine host]")
    opscope("compile", "add.mlir", "-t", "changed.target", "-o", "y.opx", cwd=folder)
    refused(folder, "compile", "add.mlir", "-t", "changed.target", "-o", "x.opx", "--set",
            "lram.size=1KiB", code=1, says=["no part of it fits", "no host engine"])
    write(folder / "floats.mlir", DISPATCHES)
    refused(folder, "compile", "floats.mlir", "-t", "changed.target", "-o", "x.opx", code=1,
            says=["the slices do not compute f32", "no host engine"])


def test_targets_that_lack_something(folder):
    prepared(folder)
    changed_target(folder, "[memory xram]", "[engine host]")
    refused(folder, "compile", "add.mlir", "-t", "changed.target", "-o", "x.opx", code=1,
            says=["only local memories"])
    for engine, says in (("dma_in", ["there is no engine 'dma_in'"]), # to fetch code
                         ("dma_out", ["nothing brings data", "role transfer from xram to lram"])):
        changed_target(folder, f"[engine {engine}]")
        refused(folder, "compile", "add.mlir", "-t", "changed.target", "-o", "x.opx", code=1,
                says=says)


def test_a_second_far_memory(folder):
    prepared(folder)
    given = ("-o", "x.opx", "--set", "lram.local=no")
    refused(folder, "compile", "add.mlir", "-t", TARGET, *given, code=1,
            says=["code is fetched from the far memory to a local one"])
    text = (ROOT / "targets/torq-sl2610.target").read_text()
    write(folder / "code.target", text.replace("code_fetch = dma_in", ""))
    refused(folder, "compile", "add.mlir", "-t", "code.target", *given, code=1,
            says=["nothing brings data to engine"])


def test_targets_without_some_engines_still_work(folder):
    prepared(folder)
    for engine in ("slice", "css"):
        changed_target(folder, f"[engine {engine}]")
        for network in (ADD, ROOT / "tests/testdata/tosa_ops/every_operator.mlir"):
            opscope("compile", network, "-t", "changed.target", "-o", "x.opx", cwd=folder)
            opscope("verify", "x.opx", cwd=folder)


def test_an_engine_that_no_data_reaches(folder):
    prepared(folder)
    changed_target(folder, "[engine cdma]")
    refused(folder, "compile", "add.mlir", "-t", "changed.target", "-o", "x.opx", code=1,
            says=["nothing brings data from lram to dtcm, where engine css works"])


def test_outputs(folder):
    prepared(folder)
    for words in (("compile", "add.mlir", "-t", TARGET, "-o", "add.mlir"),
                  ("compile", "add.mlir", "-t", TARGET, "-o", "x.opx", "--trace", "add.mlir")):
        refused(folder, *words, says=["'add.mlir' is read and would be overwritten"])
    refused(folder, "compile", "add.mlir", "-t", TARGET, "-o", "x.opx", "--trace", "x.txt",
            says=["cannot tell the format from 'x.txt'"])
    refused(folder, "add.mlir", "-o", "add.mlir", command="torq-compile",
            says=["would be overwritten"])
    (folder / "there").mkdir()
    refused(folder, "compile", "add.mlir", "-t", TARGET, "-o", "there", code=1,
            says=["'there': it is a folder"])
    refused(folder, "compile", "add.mlir", "-t", TARGET, "-o", "no/x.opx", code=1,
            says=["there is no folder 'no'"])
    refused(folder, "compile", "add.mlir", "-t", TARGET, "-o", "-", says=["name a file"])
    refused(folder, "add.mlir", "-o", "x.vmfb", "--torq-dump-profiling=no/t.csv", code=1,
            command="torq-compile", says=["there is no folder 'no'"])
    refused(folder, "add.mlir", "-o", "x.vmfb", "--dump-compilation-phases-to=add.mlir", code=1,
            command="torq-compile", says=["add.mlir: cannot make the folder"])
    refused(folder, "add.mlir", "-o", "x.vmfb", "--mlir-print-ir-tree-dir=add.mlir/x", code=1,
            command="torq-compile", says=["add.mlir: cannot make the folder"])


def test_a_full_disk_leaves_nothing(folder):
    """A limit on the size of files stands for it."""
    prepared(folder)
    line = ("ulimit -f 8; trap '' XFSZ; exec \"$0\" compile add.mlir -t torq-sl2610 -o x.opx")
    result = run("sh", "-c", line, program("opscope"), cwd=folder, code=1)
    contains(result.err, "x.opx", "message")
    equal([path.name for path in folder.iterdir()], ["add.mlir"], "files")


def test_folders_that_cannot_be_written(folder):
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    prepared(folder)
    closed = folder / "closed"
    closed.mkdir(mode=0o555)
    refused(folder, "compile", "add.mlir", "-t", TARGET, "-o", "closed/x.opx", code=1,
            says=["closed/x.opx"])


def test_wrong_networks(folder):
    write(folder / "text.onnx", "this is no network\n")
    refused(folder, "compile", "text.onnx", "-t", TARGET, "-o", "x.opx", code=1,
            says=["text.onnx"])
    refused(folder, "compile", "nothing.onnx", "-t", TARGET, "-o", "x.opx", code=1,
            says=["nothing.onnx"])
    refused(folder, "nothing.mlir", "-o", "x.vmfb", command="torq-compile", code=1,
            says=["nothing.mlir"])


def test_weights_are_not_overwritten(folder):
    tensor = make_external("w", "i8", [4], location="w.bin", offset=0, length=4)
    graph = make_graph([make_node("Add", ["x", "w"], ["y"])], [make_value("x", "i8", [4])],
                       [make_value("y", "i8", [4])], [tensor])
    write(folder / "w.bin", bytes(4))
    write(folder / "m.onnx", make_model(graph, opset=17))
    refused(folder, "compile", "m.onnx", "-t", TARGET, "-o", "w.bin",
            says=["'w.bin' is read and would be overwritten"])


def test_unknown_shapes(folder):
    graph = make_graph([make_node("Abs", ["x"], ["y"])], [make_value("x", "i8", ["batch", 64])],
                       [make_value("y", "i8", ["batch", 64])])
    write(folder / "m.onnx", make_model(graph, opset=17))
    refused(folder, "compile", "m.onnx", "-t", TARGET, "-o", "x.opx",
            says=["input 0 'x'", "dimension 0, 'batch'", "--define-symbol batch,N", "--shape"])
    refused(folder, "m.onnx", "-o", "x.vmfb", command="torq-compile", says=["--shape"])


def test_what_is_known_only_when_it_runs(folder):
    """The host does it; its time is not claimed to be known."""
    graph = make_graph([make_node("NonZero", ["x"], ["y"])], [make_value("x", "i8", [8, 8])],
                       [make_value("y", "i64", [2, None])])
    write(folder / "m.onnx", make_model(graph, opset=17))
    out = opscope("compile", "m.onnx", "-t", TARGET, "-o", "x.opx", cwd=folder).out
    contains(out, "y: its shapes are known only when it runs", "reason")
    matches(out, r"^  unknown   time of 1 group: not in the modelled time$", "what is unknown")
    report = opscope("compile", "m.onnx", "-t", TARGET, "-o", "x.opx", "--json", cwd=folder).json()
    equal(report["groups_of_unknown_time"], 1, "groups of unknown time")
    opscope("verify", "x.opx", cwd=folder)


main()
