"""opscope check: folders of tests in ONNX's layout, good, bad, broken, endless and crashing."""
import atexit
import signal

from support import *
from onnx_writer import *


def make_case(folder, name, want, data_sets=1, element="f32"):
    """A network that adds 1 to three numbers, with inputs 1, 2, 3."""
    graph = make_graph([make_node("Add", ["x", "one"], ["y"])], [make_value("x", element, [3])],
                       [make_value("y", element, [3])], [make_tensor("one", element, [1], [1])])
    case = folder / name
    case.mkdir(parents=True)
    write(case / "model.onnx", make_model(graph, opset=17))
    for number in range(data_sets):
        data = case / f"test_data_set_{number}"
        data.mkdir()
        write(data / "input_0.pb", make_tensor("x", element, [3], [1, 2, 3]))
        write(data / "output_0.pb", make_tensor("y", element, [len(want)], want))
    return case


def make_endless(folder, name):
    """A loop that never ends."""
    body = make_graph([make_node("Identity", ["going"], ["still"]), make_node("Neg", ["v"], ["w"])],
                      [make_value("i", "i64", []), make_value("going", "bool", []),
                       make_value("v", "f32", [1])],
                      [make_value("still", "bool", []), make_value("w", "f32", [1])])
    graph = make_graph([make_node("Loop", ["", "yes", "x"], ["y"], body=body)],
                       [make_value("x", "f32", [1]), make_value("yes", "bool", [])],
                       [make_value("y", "f32", [1])])
    case = folder / name
    (case / "test_data_set_0").mkdir(parents=True)
    write(case / "model.onnx", make_model(graph, opset=17))
    for index, tensor in enumerate((make_tensor("x", "f32", [1], [1]), make_tensor("yes", "bool", [], [1]))):
        write(case / f"test_data_set_0/input_{index}.pb", tensor)
    write(case / "test_data_set_0/output_0.pb", make_tensor("y", "f32", [1], [1]))
    return case


def check(*words, code=1):
    return [json.loads(line) for line in opscope("check", "--json", *words, code=code).out.splitlines()]


def test_a_pass(folder):
    case = make_case(folder, "good", [2, 3, 4], data_sets=3)
    for words in ([], ["--in-process"], ["--threads", "2"]):
        equal(check(case, *words, code=0), [{"case": str(case), "status": "pass", "reason": None,
                                             "max_abs": 0, "max_rel": 0, "data_sets": 3}], "JSON")
    equal(opscope("check", case).out, "1 of 1 cases pass; 0 fail, 0 errors, 0 skipped\n", "text")
    matches(opscope("check", "-v", case).out, rf"^pass  {case}  \(largest difference 0, relative 0\)$")


def test_everything_that_can_go_wrong_and_on(folder):
    make_case(folder, "a/fails", [2, 3, 4.5])
    make_case(folder, "b/shape", [2, 3])
    write(make_case(folder, "c/cut", [2, 3, 4]) / "model.onnx", b"\x08\x0a\x3a\x7f")
    make_case(folder, "d/deep/er/good", [2, 3, 4])
    make_case(folder, "e/nothing", [2, 3, 4], data_sets=0)
    (make_case(folder, "f/noinput", [2, 3, 4]) / "test_data_set_0/input_0.pb").unlink()
    results = check(folder)
    equal([(pathlib.Path(result["case"]).name, result["status"]) for result in results],
          [("fails", "fail"), ("shape", "fail"), ("cut", "error"), ("good", "pass"),
           ("nothing", "skip"), ("noinput", "error")], "in order")
    reasons = [result["reason"] for result in results]
    equal(reasons[0], "output 0 'y': 1 of 3 elements differ, the first [2]: 4 instead of 4.5", "fails")
    equal(reasons[1], "output 0 'y': shape is [3] instead of [2]", "shape")
    contains(reasons[2], "c/cut/model.onnx", "cut")
    equal(reasons[4], "there is no test_data_set_0", "nothing")
    contains(reasons[5], "no input_0.pb for input 'x'", "noinput")
    equal((results[0]["max_abs"], results[2]["max_abs"]), (0.5, None), "differences")
    text = opscope("check", folder, code=1).out
    contains(text, "1 of 6 cases pass; 2 fail, 2 errors, 1 skipped\n")
    contains(text, f"fail  {folder}/a/fails\n      output 0 'y': 1 of 3 elements differ")
    true("good" not in text, "cases that pass are listed without -v")


def test_tolerances(folder):
    case = make_case(folder, "near", [2, 3, 4.003])
    equal(check(case, code=0)[0]["status"], "pass", "within 1e-3")
    equal(check(case, "--rtol", "1e-4")[0]["status"], "fail", "rtol")
    equal(check(case, "--rtol=0", "--atol=0.01", code=0)[0]["status"], "pass", "atol")
    exact = make_case(folder, "exact", [2, 3, 5], element="i32")
    equal(check(exact, "--atol=10")[0]["status"], "fail", "integers are equal or not")


def test_endless_cases_are_ended(folder):
    make_endless(folder, "a")
    make_case(folder, "b", [2, 3, 4])
    for seconds in ("0.5", "4", "30", "240"):  # the good one may need some on a busy machine
        endless, good = check(folder, "--timeout", seconds)
        late = ("error", f"took longer than {seconds} s")
        equal((endless["status"], endless["reason"]), late, "the endless one")
        if good["status"] == "pass":
            return
        equal((good["status"], good["reason"]), late, "the good one")
    fail("the case behind an endless one never passes")


def test_a_crash_ends_one_case(folder):
    make_endless(folder, "a")
    make_case(folder, "b", [2, 3, 4])
    running = subprocess.Popen([program("opscope"), "check", "--json", "--timeout", str(2 * PATIENCE), folder],
                               stdout=subprocess.PIPE)
    atexit.register(running.kill)
    children = pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children")
    until(lambda: running.poll() is not None or children.read_text().split(), "the process of the endless one")
    os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    results = [json.loads(line) for line in running.communicate(timeout=PATIENCE)[0].splitlines()]
    equal([result["status"] for result in results], ["error", "pass"], "status")
    equal(results[0]["reason"], "crashed: signal 9 (Killed)", "reason")


def test_sequences_are_compared(folder):
    graph = make_graph([make_node("SequenceConstruct", ["x", "x"], ["s"])], [make_value("x", "i8", [1])],
                       [make_value("s", make_sequence_type(make_type("i8", [1])))])
    for name, second, status in (("a", 5, "pass"), ("b", 6, "fail")):
        data = folder / name / "test_data_set_0"
        data.mkdir(parents=True)
        write(folder / name / "model.onnx", make_model(graph, opset=17))
        write(data / "input_0.pb", make_tensor("x", "i8", [1], [5]))
        items = [make_tensor("", "i8", [1], [5]), make_tensor("", "i8", [1], [second])]
        write(data / "output_0.pb", make_sequence(items))
        result = check(folder / name, code=0 if status == "pass" else 1)[0]
        equal(result["status"], status, f"second item {second}")


def test_wrong_use(folder):
    contains(opscope("check", code=2).err, "give a folder")
    contains(opscope("check", folder / "none", code=1).err, "no such folder")
    contains(opscope("check", folder, code=1).err, "no folder with a model.onnx")
    contains(opscope("check", folder, "--rtol", "-1", code=2).err, "--rtol")
    contains(opscope("check", folder, "--timeout", "soon", code=2).err, "--timeout")
    contains(opscope("check", "--help").out, "examples:")


main()
