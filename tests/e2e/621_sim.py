"""opscope run --device sim: real outputs, modelled times, the same on every run."""

from compiling import *
from support import *

WALL = {"tasks_per_second"}  # this machine's; everything else may not change


def sim(program, *arguments):
    return opscope("run", program, "--device", "sim", "--json", *arguments).json()


def without_wall(report):
    return {key: value for key, value in report.items() if key not in WALL}


def test_same_outputs_as_the_host(folder):
    for network in (ADD, CONV, FC, write(folder / "d.mlir", DISPATCHES)):
        program = compiled(folder, network)
        host = opscope("run", program, "--json", "--max-elements", "100000").json()
        modelled = sim(program, "--max-elements", "100000")
        equal(modelled["outputs"], host["outputs"], f"outputs of {network.name}")


def test_times_are_those_of_the_estimate(folder):
    for rules in ("best", "public"):
        program = compiled(folder, ADD)
        estimate = opscope("estimate", program, "--json", "--torq-rules", rules).json()
        equal(sim(program, "--rules", rules)["cycles"], estimate["cycles"], f"cycles by {rules}")
    equal(sim(program)["cycles"], compile_json(folder, ADD)["modelled"]["cycles"], "as compiled")


def test_every_run_and_number_of_threads_gives_the_same_digest(folder):
    network = write(folder / "d.mlir", DISPATCHES)
    for program in (compiled(folder, network), compiled(folder, CONV)):
        first = without_wall(sim(program))
        for options in ((), ("--threads", "1"), ("--threads", "2"), ("--threads", "3"), ("-n", "3")):
            again = without_wall(sim(program, *options))
            equal(again.pop("iterations"), 3 if "-n" in options else 1, "iterations")
            equal(again, {key: first[key] for key in again}, f"report with {options}")


def test_the_digest_follows_outputs_and_times(folder):
    program = compiled(folder, ADD)
    one = sim(program, "--input", "1x56x56x24xi8=1")
    two = sim(program, "--input", "1x56x56x24xi8=2")
    true(one["digest"] != two["digest"], "other outputs")
    times = sim(program, "--timing-only")
    equal(times["digest_of"], "times", "what it stands for")
    equal(times["digest"], sim(program, "--timing-only", "--seed", "9")["digest"], "times alone")
    true(times["digest"] != sim(program, "--timing-only", "--rules", "public")["digest"],
         "other times")


def test_rate_is_printed(folder):
    program = compiled(folder, ADD)
    out = opscope("run", program, "--device", "sim", "--timing-only", "-n", "50").out
    matches(out, r"^modelled +[\d.]+ us  \(\d+ cycles at 800 MHz\) by the rules of torq-sl2610$")
    matches(out, r"^digest +[0-9a-f]{16}  of times$")
    tasks = len(opscope("program", program, "--tasks", "--json").json()["tasks"])
    matches(out, rf"^evaluated +{tasks} tasks, [\d.]+ [kM]? ?a second on this machine$")
    true(sim(program)["tasks_per_second"] > 0, "rate")


def test_profile_is_marked_modelled(folder):
    program = compiled(folder, ADD)
    for options in ((), ("--timing-only",)):
        profile = folder / "sim.prof"
        opscope("run", program, "--device", "sim", "--profile", profile, *options)
        text = opscope("info", profile).out
        contains(text, "modelled", "provenance")
        true("measured" not in text, f"nothing was measured: {text}")
        opscope("convert", profile, "-o", folder / "sim.pb")
        opscope("compile", ADD, "-t", TARGET, "-o", folder / "x.opx", "--trace", folder / "c.pb")
        query = "select name, ts, dur from slice order by ts, dur, name"
        equal(without_loss(folder / "sim.pb", query), without_loss(folder / "c.pb", query),
              "the spans of the compiler's trace")


def test_wrong_use(folder):
    program = compiled(folder, ADD)
    for words, piece in (
            (("--device", "npu"), "expected host or sim"),
            (("--timing-only",), "--device sim"),
            (("--rules", "public"), "--device sim"),
            (("--device", "sim", "--timing-only", "--input", "1x56x56x24xi8=1"), "leave out --input"),
            (("--device", "sim", "--timing-only", "--output", "x.npy"), "leave out --output"),
            (("--device", "sim", "--rules", "mine"), "mine"),
            (("--device", "sim", "--profile", str(program)), "program.opx")):
        contains(opscope("run", program, *words, code=2).err, piece, f"message of {words}")
    opscope("verify", program)
    error = opscope("run", program, "--device", "sim", "--profile", folder / "no/x.prof", code=1).err
    contains(error, "no/x.prof", "message")


main()
