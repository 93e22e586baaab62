"""`opscope suite`: test sessions with many networks, on this machine."""
import xml.etree.ElementTree

from support import *

from onnx_writer import *

ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"
LINE = r"^{} +{}"


def layer(depth=4):
    """x W, all ones."""
    graph = make_graph([make_node("MatMul", ["x", "w"], ["y"])], inputs=[make_value("x", "f32", [2, depth])],
                       outputs=[make_value("y", "f32", [2, 3])],
                       initializers=[make_tensor("w", "f32", [depth, 3], [1.0] * (3 * depth))])
    return make_model(graph, opset=13)


def suite(folder, *words, **options):
    return opscope("suite", *words, "-o", folder / "out", "--cache", folder / "cache", **options)


def rows(folder):
    return {row["name"]: row for row in json.loads((folder / "out/results.json").read_text())["networks"]}


def test_a_plan_is_done_and_a_failure_does_not_stop_it(folder):
    (folder / "nets").mkdir()
    write(folder / "nets/a.onnx", layer())
    write(folder / "nets/b.onnx", b"this is no network")
    write(folder / "nets/c.onnx", layer(5))
    shutil.copy(ADD, folder / "add.mlir")
    plan = write(folder / "all.plan", "timeout = 600\n[networks]\nmodels = nets/*.onnx\n\n"
                                      "[networks] # another\nmodels = add.mlir\ninput = 1x56x56x24xi8=2\n")
    result = suite(folder, plan, code=1)
    matches(result.out, LINE.format("pass", "a  Wall time: [0-9]+[.][0-9]{3}s"))
    matches(result.out, r"(?m)^fail +b\n +compile: .*b\.onnx.*\n.*out/b/log\.txt$")
    contains(result.out, "3 of 4 networks pass; 1 fail, 0 errors\n")
    equal(re.findall(r"^  Model: (\S+)", result.out, re.MULTILINE), ["a", "c", "add"], "overviews")
    equal(result.out.count("Host Profile Overview"), 1, "heads")
    equal(len(re.findall(r"^  WALL_TIME +[0-9.]+m?s$", result.out, re.MULTILINE)), 3, "wall times")
    found = rows(folder)
    equal({name: row["status"] for name, row in found.items()},
          {"a": "pass", "b": "fail", "c": "pass", "add": "pass"}, "status")
    for name in ("a", "c", "add"):
        for file in ("log.txt", "host_profile.csv", "trace.pb", "annotated_profile.xlsx", "output.0.npy"):
            true((folder / "out" / name / file).stat().st_size > 0, f"{name}: {file}")
        wall = (folder / "out" / name / "wall_time.txt").read_text()
        equal(wall, f"{found[name]['wall_time_ns'] / 1e9:.3f}\n", "wall_time.txt")
        contains((folder / "out" / name / "log.txt").read_text(), f"Wall time: {wall.strip()}s\n")
        equal(found[name]["overviews"][0]["rows"][0]["ns"], found[name]["overall_ns"], "the first figure")


def test_the_overview_is_that_of_the_trace(folder):
    result = suite(folder, ADD)
    shown = result.out.partition("pass; 0 fail, 0 errors\n")[2] or result.out.partition("passes; 0 fail, 0 errors\n")[2]
    trace = shutil.copy(folder / "out/add/trace.pb", folder / "add.pb")
    wall = f"{rows(folder)['add']['wall_time_ns']}ns"
    equal(shown, opscope("overview", trace, "--wall-time", wall).out, "overview")


def test_inputs_of_the_plan_are_used(folder):
    shutil.copy(ADD, folder / "add.mlir")
    plan = write(folder / "a.plan", "[networks]\nmodels = add.mlir\ninput = 1x56x56x24xi8=5\n")
    suite(folder, plan)
    opscope("infer", ADD, "--input", "1x56x56x24xi8=5", "--output", f"@{folder / 'wanted.npy'}")
    equal((folder / "out/add/output.0.npy").read_bytes(), (folder / "wanted.npy").read_bytes(), "output")


def test_several_targets_have_folders_of_their_own(folder):
    shutil.copy(ADD, folder / "add.mlir")
    plan = write(folder / "a.plan", "target = torq-sl2610\ntarget = host\n[networks]\nmodels = add.mlir\n")
    result = suite(folder, plan, "--json").json()
    equal([(row["name"], row["target"], row["status"]) for row in result["networks"]],
          [("add@torq-sl2610", "torq-sl2610", "pass"), ("add@host", "host", "pass")], "rows")
    equal((folder / "out/add@torq-sl2610/output.0.npy").read_bytes(),
          (folder / "out/add@host/output.0.npy").read_bytes(), "outputs")
    true((folder / "out/add@host/run.prof").is_file(), "its profile")


def test_networks_of_the_same_name_are_told_apart(folder):
    for name in ("one", "two"):
        (folder / name).mkdir()
        write(folder / name / "a.onnx", layer())
    equal([row["name"] for row in suite(folder, folder / "one/a.onnx", folder / "two/a.onnx", "--json").json()["networks"]],
          ["a", "a.2"], "names")


def test_what_was_compiled_is_kept_until_something_changes(folder):
    network = write(folder / "a.onnx", layer())

    def cached(*words):
        return suite(folder, network, "--json", *words).json()["networks"][0]["cached"]

    equal([cached(), cached(), cached("--recompute-cache"), cached()], [False, True, False, True], "compiled before")
    write(network, layer(6))
    equal([cached(), cached()], [False, True], "another network")
    equal(cached("--torq-compile-cmd={opscope} torq-compile {model} -o {program} --torq-dma-in-mtu=3"), False,
          "another command")


def test_external_constants_count(folder):
    tensor = make_external("w", "f32", [4, 3], location="w.bin")
    graph = make_graph([make_node("MatMul", ["x", "w"], ["y"])], inputs=[make_value("x", "f32", [2, 4])],
                       outputs=[make_value("y", "f32", [2, 3])], initializers=[tensor])
    write(folder / "a.onnx", make_model(graph, opset=13))
    said = []
    for byte in (0, 0, 1):
        write(folder / "w.bin", bytes([byte]) * 48)
        said.append(suite(folder, folder / "a.onnx", "--json").json()["networks"][0]["cached"])
    equal(said, [False, True, False], "compiled before")


def test_a_cache_that_failed_is_empty(folder):
    network = write(folder / "a.onnx", layer())
    suite(folder, network, "--torq-compile-cmd=sh -c 'echo half >{program}; exit 4'", code=1)
    equal([path.name for path in (folder / "cache").iterdir()], [], "folders")
    contains(rows(folder)["a"]["reason"], "exit 4")


def test_a_network_that_takes_too_long_is_ended(folder):
    network = write(folder / "a.onnx", layer())
    result = suite(folder, network, network, "--timeout=3", "--torq-run-cmd=sh -c 'sleep 10000 & sleep 10000'", code=1)
    contains(result.out, "0 of 2 networks pass; 2 fail")
    for row in rows(folder).values():
        equal((row["status"], row["wall_time_ns"]), ("fail", None), "row")
        matches(row["reason"], "took longer than 3 s")


def test_a_crash_is_one_networks_own(folder):
    network = write(folder / "a.onnx", layer())
    suite(folder, network, "--torq-run-cmd=sh -c 'kill -SEGV $$'", code=1)
    contains(rows(folder)["a"]["reason"], "signal 11")
    suite(folder, network, "--torq-run-cmd=no-such-command {program}", code=1)
    equal(rows(folder)["a"]["status"], "error", "what cannot be started")
    contains(rows(folder)["a"]["reason"], "No such file or directory")
    suite(folder, network, "--torq-run-cmd=true", code=1)
    contains(rows(folder)["a"]["reason"], "left no profile")


def test_junit_and_json_say_the_same(folder):
    write(folder / "good.onnx", layer())
    write(folder / "bad<&>.onnx", b"no network \x01")
    document = suite(folder, folder / "good.onnx", folder / "bad<&>.onnx", "--json", code=1).json()
    equal(document, json.loads((folder / "out/results.json").read_text()), "results.json")
    equal((document["passed"], document["failed"], document["errors"]), (1, 1, 0), "counts")
    tree = xml.etree.ElementTree.parse(folder / "out/junit.xml").getroot()
    equal({name: tree.get(name) for name in ("tests", "failures", "errors")},
          {"tests": "2", "failures": "1", "errors": "0"}, "junit's counts")
    good, bad = tree.findall("testcase")
    properties = {each.get("name"): each.get("value") for each in good.iter("property")}
    equal(properties["wall_time"], (folder / "out/good/wall_time.txt").read_text().strip(), "wall time")
    equal(bad.get("file"), str(folder / "bad<&>.onnx"), "file")
    equal(bad.find("failure").get("type"), "compile", "step")
    contains(bad.find("failure").get("message"), "bad<&>.onnx")


def test_wrong_use_is_said_before_anything_runs(folder):
    network = write(folder / "a.onnx", layer())
    for words, text in (
            ([], "give a plan or networks"),
            ([folder / "missing.onnx"], "there is no such network"),
            ([network, "--timeout=0"], "number of seconds"),
            ([network, "--torq-runtime-hw-type=astra_machina"], "--torq-addr"),
            ([network, "--torq-addr=-oProxyCommand=x"], "where the board is"),
            ([network, "--torq-addr=root@x", "--torq-private-key=no-such-file"], "no-such-file"),
            ([network, "--columns=nothing"], "nothing")):
        result = suite(folder, *words, code=None)
        true(result.code in (1, 2), str(result))
        contains(result.err, text)
    true(not (folder / "out").exists(), "nothing was done")


def test_a_command_with_an_unknown_name_is_refused(folder):
    network = write(folder / "a.onnx", layer())
    suite(folder, network, "--torq-compile-cmd=cc {modle}", code=1)
    contains(rows(folder)["a"]["reason"], "'{modle}' is none of {opscope}, {model}")


def test_plans_that_make_no_sense(folder):
    for text, said in (
            ("", "section [networks]"),
            ("[nets]\n", "a.plan:1: expected '[networks]'"),
            ("[networks]\nmodel = a\n", "a.plan:2: 'model' is none of models, input"),
            ("[networks]\nmodels =\n", "a.plan:2: 'models' has no value"),
            ("[networks]\nmodels\n", "a.plan:2: expected 'key = value'"),
            ("[networks]\nmodels = x\ntimeout = soon\n", "a.plan:3: timeout: 'soon'"),
            ("[networks]\ntimeout = 3\n", "a.plan:1: which networks?"),
            ("[networks]\nmodels = *.onnx\n", "a.plan:1: "),
            ("[networks]\nmodels = a\0b\n", "zero byte")):
        plan = write(folder / "a.plan", text)
        contains(suite(folder, plan, code=1).err, said)
    contains(suite(folder, folder / "none.plan", code=1).err, "none.plan")


main()
