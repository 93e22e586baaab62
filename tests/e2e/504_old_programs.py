"""Programs of version 1, as an earlier opscope wrote them: printed, proved, priced and run as it
did. tests/testdata/programs_v1/said.json is what that opscope said of them:
    OPSCOPE_BIN=FOLDER_OF_THAT_OPSCOPE 504_old_programs.py record"""
from compiling import *
from support import *

FOLDER = ROOT / "tests/testdata/programs_v1"
SAID = FOLDER / "said.json"
PROGRAMS = ["torq.opx", "host.opx"]


def said(path):
    """All that does not depend on this machine."""
    def answer(*arguments):
        found = opscope(*arguments, cwd=path.parent).json()
        if isinstance(found, dict):
            found.pop("calibrated", None)  # a remark that came later
        return found
    name = path.name
    modelled = answer("run", name, "--device", "sim", "--json")
    del modelled["tasks_per_second"]
    return {"text": opscope("program", name, "--all", cwd=path.parent).out.splitlines(),
            "program": answer("program", name, "--json"),
            "verify": answer("verify", name, "--json"),
            "estimate": answer("estimate", name, "--json"),
            "public": answer("estimate", name, "--torq-rules=public", "--json"),
            "host": answer("run", name, "--json")["outputs"],
            "sim": modelled}


def test_they_are_what_they_were(folder):
    known = json.loads(SAID.read_text())
    equal(sorted(known), sorted(PROGRAMS), "programs")
    for name in PROGRAMS:
        found = said(FOLDER / name)
        for what, answer in known[name].items():
            equal(found[what], answer, f"{name}: {what}")


def test_what_they_are_compiled_to_now_says_the_same(folder):
    known = json.loads(SAID.read_text())
    # The controller of that time had its code where it ran, kernels had neither tables nor names,
    # and no value stayed near.
    torq = opscope("targets", "torq-sl2610", "--file").out
    torq = re.sub(r"(?m)^(code_tasks|code_fetch|program_tables|widths|lookups_per_cycle) = .*\n", "", torq)
    torq = torq.replace("price = torq-kernels", "price = torq-slice").replace(" ; unary clip : f32", "")
    torq = torq.replace("keep = values", "keep = no")
    write(folder / "torq-sl2610.target", torq)
    for name, options in (("torq.opx", ["-t", folder / "torq-sl2610.target",
                                        "--set", "lram.size=6592B"]),
                          ("host.opx", ["-t", "host"])):
        opscope("compile", FOLDER / "small.mlir", *options, "-o", folder / name)
        true((folder / name).read_bytes()[8] == 2, "it is of version 2")
        found = said(folder / name)
        for what in ("text", "program", "verify", "host"):
            equal(found[what], known[name][what], f"{name}: {what}")


def test_damage_is_refused(folder):
    data = (FOLDER / "torq.opx").read_bytes()
    for at in range(0, len(data), len(data) // 50):
        bad = write(folder / "bad.opx", data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
        contains(opscope("verify", bad, code=1).err, "bad.opx: ", f"byte {at}")


if sys.argv[1:] == ["record"]:
    lines = (f"{json.dumps(name)}: {json.dumps(said(FOLDER / name))}" for name in PROGRAMS)
    SAID.write_text("{" + ",\n".join(lines) + "}\n")
    sys.exit(0)

main()
