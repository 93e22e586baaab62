"""The target `host`: measured by calibrate, compiled for, and scored."""

import shlex

from support import *
from onnx_chain import chain


def calibrated(folder):
    """A quick calibration, and its path."""
    path = folder / "here.target"
    opscope("calibrate", "--quick", "--threads", "1", "-o", path)
    return path


def score(target, network):
    return json.loads(opscope("score", "--target", target, "--threads", "1", network, "--json").out)[0]


def test_a_calibration_is_a_target(folder):
    if SANITIZED:
        raise Skip("times of a slow program say nothing")
    path = calibrated(folder)
    text = path.read_text()
    contains(text, "price = table", "its prices")
    contains(text, "time.Conv.f32.", "times of convolutions")
    shown = json.loads(opscope("targets", path, "--json").out)
    shown = shown[0] if isinstance(shown, list) else shown
    equal(shown["clock_hz"], 1_000_000_000, "cycles are nanoseconds")
    network = write(folder / "chain.onnx", chain(60))
    program = folder / "chain.opx"
    opscope("compile", network, "--target", path, "-o", program)
    opscope("verify", program)
    scored = score(path, network)
    groups = json.loads(opscope("program", program, "--json").out)["groups"]
    equal(sorted(op["name"] for op in scored["operators"]), sorted(group["name"] for group in groups),
          "every group is scored")
    true(len(groups) < 60, "operators are fused")
    # The machine may be busy now, or was: within a factor of thirty is enough to see units go wrong.
    ratios = [scored["modelled_ms"] / scored["measured_ms"]]
    while not 1 / 30 < ratios[-1] < 30:
        true(len(ratios) < 20, f"modelled / measured is {ratios}")
        scored = score(path, network)
        ratios.append(scored["modelled_ms"] / scored["measured_ms"])


REMARK = "not calibrated: guesses; 'opscope calibrate --quick' measures this machine"


def test_what_is_not_calibrated_says_so(folder):
    """In every report that has modelled times, once; and nothing of machines that are described."""
    if SANITIZED:
        raise Skip("times of a slow program say nothing")
    network = write(folder / "chain.onnx", chain(12))
    here = calibrated(folder)
    for target, guessed in (("host", True), (here, False), ("torq-sl2610", None)):
        program = folder / "chain.opx"
        compiling = ("compile", network, "--target", target, "-o", program)
        reports = [compiling, ("estimate", program), ("run", program, "--device", "sim"),
                   ("run", program, "--device", "sim", "--timing-only")]
        if guessed is not None:
            reports += [("run", program, "--iterations", "2"), ("score", network, network, "--target", target)]
        for words in reports:
            equal(opscope(*words).out.count(REMARK), 1 if guessed else 0, f"remarks of {words}")
            said = opscope(*words, "--json").json()
            said = said[0] if isinstance(said, list) else said
            said = said.get("modelled", said)
            equal(said.get("calibrated"), None if guessed is None else not guessed, f"calibrated in {words}")
    contains(opscope("run", folder / "chain.opx").out, "result[0]", "a run alone")


def test_a_run_is_shown_beside_its_estimate(folder):
    network = write(folder / "chain.onnx", chain(12))
    program = folder / "chain.opx"
    opscope("compile", network, "--target", "host", "-o", program)
    said = opscope("run", program, "--json").json()
    modelled = opscope("compile", network, "--target", "host", "-o", program, "--json").json()["modelled"]["ms"]
    equal(said["modelled_ms"], modelled, "modelled")
    true(said["median_ms"] > 0, "measured")
    matches(opscope("run", program, "-n", "3").out, r"^3 iterations.*\nmodelled for host: \S+ \Ss$", "both")
    true("modelled" not in opscope("run", program).out, "nothing was measured that it could stand beside")


def test_calibrate_shows_how_far_it_is(folder):
    if SANITIZED:
        raise Skip("it takes long")
    words = [str(program("opscope")), "calibrate", "--quick", "-o", str(folder / "here.target")]
    # Held three times, so that it takes longer than a second on any machine.
    held = "for i in 1 2 3; do sleep 0.1; kill -STOP $!; sleep 0.6; kill -CONT $!; done"
    code, shown = terminal(["/bin/sh", "-c", f"{shlex.join(words)} & {held}; wait $!"])
    equal(code, 0, shown)
    matches(shown, r"\r *\d+ %\r *\d+ %", "a line that changes")
    matches(shown, r"\r {5,}\r[^\r%]*here\.target: \d+ points", "the line is gone before the next")
    matches(run(*words).err, r"\A\S*here\.target: \d+ points[^\n]*\n\Z", "to a pipe")


def test_the_built_in_host_compiles_all_networks(folder):
    networks = sorted(shared("data/models").glob("*/model.onnx"))
    networks += sorted((ROOT / "tests/testdata/tosa_ops").glob("*.mlir"))
    for network in networks:
        program = folder / "program.opx"
        opscope("compile", network, "--target", "host", "-o", program)
        opscope("verify", program)


def test_a_larger_network_takes_longer(folder):
    times = []
    for count in (120, 1200):
        network = write(folder / "chain.onnx", chain(count))
        opscope("compile", network, "--target", "host", "-o", folder / "chain.opx")
        scored = json.loads(opscope("score", "--target", "host", "-n", "1", network, "--json").out)[0]
        times.append(scored["modelled_ms"])
    close_to(times[1] / times[0], 10, 0.5, "ten times the operators")


def test_wrong_use_is_refused(folder):
    contains(opscope("calibrate", "model.onnx", code=2).err, "takes no files", "a file")
    contains(opscope("score", code=2).err, "give a network", "nothing to score")
    network = write(folder / "chain.onnx", chain(12))
    contains(opscope("score", "--target", "torq-sl2610", network, code=2).err,
             "not this machine's processor", "another target")
    broken = write(folder / "broken.target", opscope("targets", "host", "--file").out + "time.Conv = 1\n")
    contains(opscope("compile", network, "--target", broken, "-o", folder / "x.opx", code=1).err,
             "know no 'time.Conv'", "a time without a place")
    equal((folder / "x.opx").exists(), False, "no half-written file")


main()
