"""Public TOSA networks compiled, run and annotated with every version of the runtime CSV: no row
of a run is without its action in the program, and no action without its row. And the device sim,
whose outputs are the host's."""

from compiling import *
from support import *


def literals(program_file):
    """An input of ones for each input of a program, in IREE's syntax."""
    values = opscope("program", program_file, "--values", "--json").json()["values"]
    return [f"--input={value['type']}=1" for value in values if value["kind"] == "input"]


def quoted(text):
    """R3 is R2 with every location in quotes."""
    head, *lines = text.splitlines()
    rows_of_run = [line.split(",", 4) for line in lines]
    return "\n".join([head, *(",".join([*row[:4], '"' + row[4].replace('"', '""') + '"'])
                              for row in rows_of_run)]) + "\n"


def check(folder, network):
    phases = folder / "phases"
    torq_compile(network, "-o", folder / "m.vmfb", f"--dump-compilation-phases-to={phases}")
    torq_run_module(f"--module={folder / 'm.vmfb'}", *literals(folder / "m.vmfb"), "--output=",
                    "--iterations=2", *[f"--torq_profile{kind}={folder / name}" for kind, name in
                                        (("", "r1.csv"), ("_host", "r2.csv"), ("_events", "r4.csv"))])
    write(folder / "r3.csv", quoted((folder / "r2.csv").read_text()))
    dump = phases / f"{network.stem}.9.executable-targets.mlir"
    for form in ("r1", "r2", "r3", "r4"):
        runtime = folder / f"{form}.csv"
        filled = len(runtime.read_text().splitlines()) > 1
        recognised = opscope("info", runtime).out.splitlines()[0]
        true(f"torq-{form}" in recognised or not filled, f"{network.name}: {recognised}")
        for program_file in (dump, folder / "m.vmfb"):
            result = opscope("annotate", program_file, runtime, folder / "annotated.csv")
            # What runs on the host alone has no jobs, what was folded away not even actions.
            if filled:
                equal(result.err, "", f"{network.name}: what does not match in {form}")
        check_rows(folder, network, form)
    shutil.rmtree(phases)


def check_sim(folder, network):
    """The outputs of the device host; times and digest do not depend on the threads."""
    for target in ("torq-sl2610", "host"):
        opscope("compile", network, "--target", target, "-o", folder / "s.opx")
        host = opscope("run", folder / "s.opx", "--json").json()["outputs"]
        reports = [opscope("run", folder / "s.opx", "--device", "sim", "--json", "--threads",
                           threads).json() for threads in (1, 2)]
        for report in reports:
            equal(report["outputs"], host, f"outputs of {network.name} on {target}")
            equal(report["digest"], reports[0]["digest"], f"digest of {network.name} on {target}")


def check_rows(folder, network, form):
    """Each action twice, or each job: once for each iteration."""
    dispatches = opscope("program", folder / "m.vmfb", "--steps", "--json").json()["dispatches"]
    actions = [action for dispatch in dispatches for action in dispatch["actions"]]
    if form == "r1":
        jobs = sum(action["kind"] == "job start" for action in actions)
        equal(len((folder / "r1.csv").read_text().splitlines()) - 1, 2 * jobs,
              f"jobs of {network.name}")
        return
    lines = (folder / "annotated.csv").read_text().splitlines()
    equal(len(lines) - 1, 2 * len(actions), f"rows of {network.name} in {form}")


def test_public_networks(folder):
    networks = sorted(shared("data/tosa").glob("*.mlir"))
    step = 1 if os.environ.get("OPSCOPE_ALL") else 80 if SANITIZED else 20
    for network in networks[::step]:
        check(folder, network)
        check_sim(folder, network)
    print(f"# {len(networks[::step])} of {len(networks)} networks")


def test_shipped_networks(folder):
    dispatches = write(folder / "d.mlir", DISPATCHES)
    for network in (FC, dispatches) if SANITIZED else (ADD, CONV, FC, dispatches):
        check(folder, network)


def test_dispatches_within_a_microsecond(folder):
    """Which of several dispatches an action belongs to is told by what the program does next."""
    network = write(folder / "d.mlir", DISPATCHES)
    torq_compile(network, "-o", folder / "m.vmfb")
    torq_run_module(f"--module={folder / 'm.vmfb'}", "--input=1x16x16xi8=1", "--output=",
                    "--iterations=3", f"--torq_profile_host={folder / 'r2.csv'}")
    head, *lines = (folder / "r2.csv").read_text().splitlines()
    same = [re.sub(r"^(\d+),\d+,\d+", r"\1,0,77", line) for line in lines]
    write(folder / "same.csv", "\n".join([head, *same]) + "\n")
    result = opscope("annotate", folder / "m.vmfb", folder / "same.csv", folder / "out.csv")
    equal(result.err, "", "what does not match")


main()
