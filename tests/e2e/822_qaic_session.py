"""python/qaic and opscope/session.h: programs that are opened, run and measured by other programs."""
import struct

from support import *
from library import install
from onnx_writer import *

SKIP = "a plain Python cannot load a sanitized library" if SANITIZED else ""
BUILD = ROOT / "build"  # the library for a plain Python
KEYS = ["num_of_inferences", "min_latency", "max_latency", "P25", "P50", "P75", "P90", "P99", "P999",
        "total_inference_time", "avg_latency"]
IMPORTS = "import array, os, struct, sys, threading\nimport qaic\nxs = array.array('f', range(32))\n"


def network(folder):
    """y = 2 x + 1 of a batch that is left open."""
    nodes = [make_node("Mul", ["x", "two"], ["d"], name="/Mul"), make_node("Add", ["d", "one"], ["y"], name="/Add")]
    graph = make_graph(nodes, [make_value("x", "f32", ["batch", 8])], [make_value("y", "f32", ["batch", 8])],
                       [make_tensor("two", "f32", [1], [2.0]), make_tensor("one", "f32", [1], [1.0])])
    write(folder / "config.yaml", "# compile\naic_num_cores: 2\nstats-level: 70\nddr_stats: true\nconvert_to_fp16: no\n"
          "aic_pmu_events: [3F, 0x70]\nonnx_define_symbol:\n  batch: 4   # inferences\n\nnum_activations: 2\nset_size: 3\n")
    return write(folder / "model.onnx", make_model(graph))


def compiled(folder):
    network(folder)
    run(program("qaic-compile"), "-model=model.onnx", "-aic-binary-dir=b", "-aic-num-cores=2",
        "-onnx-define-symbol=batch,4", cwd=folder)


def script(folder, text, code=0, **environment):
    path = write(folder / "script.py", IMPORTS + text)
    return run(sys.executable, path, cwd=folder, code=code,
               env={"PYTHONPATH": str(ROOT / "python"), "OPSCOPE_SESSION_LIBRARY": str(BUILD / "libopscope-session.so"),
                    "OPSCOPE_QAIC_COMPILE": str(program("qaic-compile")), **environment})


def library():
    if not (BUILD / "libopscope-session.so").exists():
        raise Skip("libopscope-session.so is not built")


def test_a_session_of_a_network(folder):
    """Compiled by the options of a file; the numbers are right, and metrics are as documented."""
    library()
    network(folder)
    out = script(folder, """
session = qaic.Session("model.onnx", options_path="config.yaml", enable_metrics=True)
session.setup()
print(session.model_input_shape_dict["x"][0], session.model_output_shape_dict["y"][0], session.modelled_latency > 0)
for i in range(25):
    y = session.run({"x": xs})["y"]
values = struct.unpack("32f", bytes(y))
print(values == tuple(2 * x + 1 for x in xs), y.shape)
session.print_metrics()
print(session.get_metrics())
""").out.splitlines()
    equal(out[0], "[4, 8] [4, 8] True", "ports")
    equal(out[1], "True (4, 8)", "numbers")
    shown, metrics = out[2:13], eval(out[13])  # pylint: disable=eval-used
    equal(list(metrics), KEYS, "keys")
    equal(metrics["num_of_inferences"], 25, "inferences")
    ordered = [metrics[key] for key in ("min_latency", "P25", "P50", "P75", "P90", "P99", "P999", "max_latency")]
    true(ordered == sorted(ordered) and ordered[0] > 0, f"percentiles: {ordered}")
    close_to(metrics["avg_latency"] * 25, metrics["total_inference_time"], 1e-9, "average")
    average = f"Average latency / inference time observed is {metrics['avg_latency']} s"
    equal(shown, ["Number of inferences utilized for calculation are 25",
                  f"Minimum latency observed {metrics['min_latency']} s",
                  f"Maximum latency observed {metrics['max_latency']} s", average,
                  *(f"P{p} / {p}% of inferences observed latency less than {metrics[f'P{p}']} s"
                    for p in (25, 50, 75, 90, 99)),
                  f"Sum of all the inference times {metrics['total_inference_time']} s", average], "the eleven lines")


def test_a_compiled_program_by_several_threads(folder):
    library()
    compiled(folder)
    out = script(folder, """
session = qaic.Session("b/programqpc.bin", num_activations=2, set_size=4, dev_id=0, enable_profiling=True)
wrong = []
def infer(number):
    data = array.array("f", [number] * 32)
    for _ in range(20):
        if list(struct.unpack("32f", bytes(session.run({"x": data})["y"]))) != [2.0 * number + 1] * 32:
            wrong.append(number)
threads = [threading.Thread(target=infer, args=(i,)) for i in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong, session.get_metrics()["num_of_inferences"])
print(*session.run_benchmark(num_inferences=30, input_dict={"x": xs}))
print(*session.run_benchmark(inf_time=1))
session.print_profile_data(n=2)
session.reset()
print(len(session.run({"x": bytes(128)})["y"]))
""").out.splitlines()
    equal(out[0], "[] 120", "inferences of all threads")
    done, rate, time, batch = out[1].split()
    equal((done, batch), ("60", "4" if batch == "4" else "1"), "a benchmark of two activations")
    close_to(float(rate), 60e6 * int(batch) / int(time), float(rate) / 50, "its rate")
    true(int(out[2].split()[2]) >= 1000000, "a second")
    equal(out[3], "|  File-Line-Function  | |  num calls  | |  func time  | |  tot time  |", "header")
    matches(out[5], r"^\('.*__init__\.py', \d+, '_infer'\) 120 [\d.e-]+ [\d.e-]+$", "a function")
    equal((out[4], out[6], out[8]), ("", "", "4"), "two of them, and the session after a reset")


def test_what_sessions_refuse(folder):
    library()
    compiled(folder)
    write(folder / "bad.yaml", "aic_num_cores: 2\n  deep:\n    deeper: 1\n")
    write(folder / "anchors.yaml", "a: &x 1\n")
    write(folder / "option.yaml", "no_such_option: 3\nonnx_define_symbol:\n  batch: 4\n")
    out = script(folder, """
def says(what, call):
    try:
        call()
        print(what, "nothing")
    except Exception as error:
        print(what, type(error).__name__, error)
session = qaic.Session("b")
says("both:", lambda: qaic.Session("b", enable_metrics=True, enable_profiling=True))
says("metrics:", session.get_metrics)
says("profile:", session.print_profile_data)
says("none yet:", qaic.Session("b", enable_metrics=True).get_metrics)
says("name:", lambda: session.run({"z": xs}))
says("missing:", lambda: session.run({}))
says("size:", lambda: session.run({"x": b"123"}))
says("file:", lambda: qaic.Session("nowhere").setup())
says("deep:", lambda: qaic.read_options("bad.yaml"))
says("yaml:", lambda: qaic.read_options("anchors.yaml"))
says("option:", lambda: qaic.Session("model.onnx", options_path="option.yaml").setup())
""").out
    for line in ("both: ValueError enable_metrics and enable_profiling exclude one another", "metrics: RuntimeError nothing",
                 "profile: RuntimeError nothing", "none yet: SessionError nothing was inferred",
                 "name: ValueError 'z' is no input", "missing: ValueError input 'x' is missing", "size: ValueError input 'x'",
                 "file: SessionError nowhere", "deep: ValueError bad.yaml:2: indented, but below no key",
                 "yaml: ValueError anchors.yaml:1:", "option: CompileError Invalid option -no-such-option"):
        contains(out, line, "what it says")
    contains(script(folder, "qaic.Session('b').setup()\n", code=1, OPSCOPE_SESSION_LIBRARY="/nowhere.so").err,
             "OPSCOPE_SESSION_LIBRARY", "no library")


PROGRAM = r"""
#include <opscope/session.h>
#include <stdio.h>

int main(int count, char **words)
{
    char message[512];
    struct opscope_session *session;
    struct opscope_session_port port;
    struct opscope_session_times times;
    struct opscope_session_metrics metrics;
    struct opscope_session_benchmark done;
    float x[32], y[32];
    const void *inputs[] = {x};
    void *outputs[] = {y};
    for (int i = 0; i < 32; i++)
        x[i] = (float)i;
    if (opscope_session_open(words[count - 1], NULL, &session, message, sizeof message) != 0)
        return puts(message), 1;
    opscope_session_get_port(session, OPSCOPE_SESSION_OUTPUTS, 0, &port);
    printf("%s %s %d %d\n", port.name, port.element, (int)port.rank, (int)port.bytes);
    printf("%d\n", opscope_session_get_metrics(session, &metrics));
    for (int i = 0; i < 3; i++) {
        if (opscope_session_run(session, inputs, outputs, &times, message, sizeof message) != 0)
            return puts(message), 1;
    }
    printf("%g %d\n", (double)y[31], times.total >= times.execution + times.preparation);
    opscope_session_get_metrics(session, &metrics);
    printf("%d %d\n", (int)metrics.inferences, metrics.least <= metrics.p50 && metrics.p50 <= metrics.most);
    printf("%d\n", opscope_session_run_benchmark(session, NULL, 0, 0, &done, message, sizeof message));
    opscope_session_run_benchmark(session, NULL, 7, 0, &done, message, sizeof message);
    printf("%d %s\n", (int)done.inferences, message);
    opscope_session_free(session);
    return 0;
}
"""


def test_the_interface_of_c(folder):
    """Against the installed library."""
    library()
    compiled(folder)
    write(folder / "session.c", PROGRAM)
    place = install(folder)
    place.build(folder / "session.c", folder / "session", package="opscope-session")
    equal(place.run(folder / "session", folder / "b").out,
          "y f32 2 128\n-2\n63 1\n3 1\n-1\n7 say how many inferences, or for how many seconds\n", "what it does")
    contains(place.run(folder / "session", folder / "none", code=1).out, "none", "no such program")
    installed = place.prefix / "share/opscope/python"
    write(folder / "use.py", IMPORTS + "print(len(qaic.Session('b').run({'x': xs})['y']))\n")
    equal(run(sys.executable, "use.py", cwd=folder, env={"PYTHONPATH": str(installed)}).out, "4\n", "as it is installed")


main()
