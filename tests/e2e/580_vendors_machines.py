"""Machines of other vendors that are built in as target files: Qualcomm's and Tenstorrent's.

What they compute is held against the plain executor here on a sample; tests/equality.py runs
aic100 and wormhole_b0 on all networks (make conformance).
"""
from support import *
from onnx_writer import *

sys.path.append(str(ROOT / "tests"))
import equality

CORES = {"aic100": 14, "aic100-pro": 16, "aic100-ultra": 16, "wormhole_b0": 64, "blackhole": 130}


def product(folder, element="f16", m=512, k=512, n=512):
    graph = make_graph([make_node("MatMul", ["x", "w"], ["y"], name="layer")],
                       [make_value("x", element, [m, k]), make_value("w", element, [k, n])],
                       [make_value("y", element, [m, n])])
    return write(folder / "product.onnx", make_model(graph))


def compiled(folder, network, target, *options):
    path = folder / f"{target}.opx"
    said = opscope("compile", network, "--target", target, "-o", path, "--json", *options).json()
    return path, said, opscope("program", path, "--json").json()


def units(program, engine):
    return {task.get("unit", 0) for task in program["tasks"] if task["engine"] == engine}


def stages(program):
    return [stage for task in program["tasks"] for stage in task.get("stages", [])]


def test_networks_compute_the_same(folder):
    if not equality.RUNNER.exists():
        raise Skip(f"there is no {equality.RUNNER}")
    for target in ("aic100", "wormhole_b0") if SANITIZED else CORES:
        for group, paths in equality.networks(every=500 if SANITIZED else 80).items():
            equal(equality.check(target, group, paths), [], f"{group} for {target}")


def test_all_cores_take_part(folder):
    """Of a product that is large enough; of several devices those of the first."""
    network = product(folder, m=4480, n=4096)
    for target, engine in (("aic100", "hmx"), ("aic100-pro", "hmx"), ("aic100-ultra", "hmx"),
                           ("wormhole_b0", "tensix")):
        path, _, program = compiled(folder, network, target)
        equal(units(program, engine), set(range(CORES[target])), f"cores of {target}")
        contains(opscope("verify", path).out, "proved", target)


def test_stages_of_a_core(folder):
    """A task of Tenstorrent's runs through all five processors, and the simulated device shows them."""
    path, _, program = compiled(folder, product(folder), "wormhole_b0")
    used = {stage["engine"] for stage in stages(program)}
    equal(used, {"ncrisc", "trisc_0", "trisc_1", "trisc_2", "brisc"}, "stages")
    opscope("run", path, "--device", "sim", "--profile", folder / "a.prof")
    tracks = {track["name"]: track for track in opscope("info", folder / "a.prof", "--json").json()[0]["tracks"]}
    for name in ("NCRISC 0", "TRISC_0 0", "TRISC_1 0", "TRISC_2 0", "BRISC 0"):
        true(tracks[name]["spans"] > 0, f"spans of {name}")


def test_what_several_cores_need_is_read_once(folder):
    """Each core brings its share of what others need as well, unless the plan says no."""
    network = product(folder, m=1024, n=1024)
    text = (ROOT / "targets/wormhole_b0.target").read_text()
    alone = write(folder / "alone.target", text.replace("name = wormhole_b0", "name = alone") + "\n[plan]\ncast = no\n")
    shared = compiled(folder, network, "wormhole_b0")[2]
    opscope("compile", network, "-t", alone, "-o", folder / "alone.opx")
    program = opscope("program", folder / "alone.opx", "--json").json()

    def read(program):
        return sum(stage["bytes"] for stage in stages(program) if stage["engine"] == "ncrisc")
    true(read(program) > 3 * read(shared), f"{read(program)} bytes instead of {read(shared)}")
    true(read(shared) >= 2 * (1024 * 512 + 512 * 1024), "every operand is read at least once")


def test_elements_decide_the_engine(folder):
    """Halves go to the matrix unit, floats to the vector threads, which say so by their time."""
    half = compiled(folder, product(folder, "f16"), "aic100")
    full = compiled(folder, product(folder, "f32"), "aic100")
    laid_out = {i for i, group in enumerate(half[2]["groups"]) if group["type"].endswith("_tiles")}
    true(units(half[2], "hmx") and all(task["group"] in laid_out for task in half[2]["tasks"] if task["engine"] == "hvx"),
         "halves")
    true(units(full[2], "hvx") and not units(full[2], "hmx"), "floats")
    true(half[1]["modelled"]["cycles"] < full[1]["modelled"]["cycles"], "halves take less time")


if __name__ == "__main__":
    main()
