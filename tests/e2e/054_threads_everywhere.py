"""Whatever reads a large file or computes says the same with any number of threads: every format that is read in parts to
every format that is written, every report, merges, packed files, and networks."""
import json
import os

from support import *
import chrome_traces
import every_format
import kineto
import qaic_files
import tenstorrent_logs
from onnx_network import mobilenet_v2
from onnx_writer import make_graph, make_model, make_node, make_tensor, make_value
from torq_compile import Style, compile_csv, random_spans

THREADS = (1, 4) if SANITIZED else (1, 2, 4, 16)
LARGE = 1_400_000  # bytes, several parts of each reader
WRITTEN = ("out.pb", "out.pb.zst", "out.json", "out.json.gz", "out.prof", "out.csv", "out.db", "out.tracy")
SKELETONS = ("bert_tiny", "mobilenet_v3_small", "shufflenet_v2_x0_5")  # the others are for the long run
LENGTHS = ("batch,1", "seq,16", "sequence,16")
NETWORKS = ("mobilenet_v2_int8", "speech_lstm", "squeezenet1_1", "squeezenet1_1_int8", "unet_small", "vit_micro")


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def repeated(events):
    text = json.dumps(events)[1:-1]
    return "[" + ",\n".join([text] * (LARGE // len(text) + 1)) + "]"


def kineto_trace():
    steps = LARGE * 8 // len(kineto.trace(steps=8)) + 1
    return kineto.trace(steps=steps)


def torq():
    locations = [f'loc(callsite("/net.mlir":{i % 977}:{i % 13} at "/net.mlir":2:3))' for i in range(4000)]
    return compile_csv("c2", random_spans(LARGE // 100, seed=5, locations=locations), Style())


TEXTS = {
    "c2.csv": torq,
    "kineto.json": kineto_trace,
    "chrome.json": lambda: chrome_traces.dump(chrome_traces.random_trace(3, length=14_000_000), form="object"),
    "onnxruntime.json": lambda: repeated(every_format.onnxruntime_events()),
    "qaic.json": lambda: repeated(qaic_files.trace("1.21")),
    "profile_log_device.csv": lambda: tenstorrent_logs.ordinary(seed=7, ops=250, cores=8).device_log(),
}


def large(folder, name):
    path = write(folder / name, as_bytes(TEXTS[name]()))
    true(path.stat().st_size > 1 << 20, f"{name} is several parts")
    return path


def files_of(place):
    if place.is_dir():
        return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}
    return place.read_bytes() if place.exists() else None


def remove(place):
    for path in sorted(place.rglob("*"), reverse=True) if place.is_dir() else [place]:
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)


def same_for_all(words, *made):
    """The outcome of a command: exit, both streams, and the files that it makes."""
    first = None
    for threads in THREADS:
        for place in made:
            remove(place)
        result = opscope(*words, code=None, env={"OPSCOPE_THREADS": str(threads)})
        got = result.code, result.out, result.err, [files_of(place) for place in made]
        first = first or got
        true(first[0] in (0, 3), f"exit of {words}: {first[:3]}")
        equal(got[:3], first[:3], f"exit and messages of {words} with {threads} threads")
        true(got[3] == first[3], f"what {words} with {threads} threads makes")


def test_every_format_that_is_read_in_parts_to_every_one_that_is_written(folder):
    for name in TEXTS:
        path = large(folder, name)
        for output in WRITTEN:
            same_for_all(["convert", path, "-o", folder / output], folder / output)
        path.unlink()


def test_forms_of_the_vendors(folder):
    path, made = large(folder, "c2.csv"), folder / "out.csv"
    for form in ("torq-c1", "torq-c2", "torq-c4"):
        same_for_all(["convert", path, "-o", made, "--to", form], made)
    trace = large(folder, "kineto.json")
    same_for_all(["convert", trace, "-o", folder / "again.json", "--to", "kineto"], folder / "again.json")


def test_reports(folder):
    for name in ("c2.csv", "kineto.json", "chrome.json"):
        path = large(folder, name)
        for words in (["info", "--json"], ["overview", "--json"], ["operators", "--json"], ["top", "--json"],
                      ["explain", "--json"], ["sql", "--json"], ["diff", "--json"]):
            query = ["select * from span order by 1 limit 500"]
            more = query if words[0] == "sql" else [path] if words[0] == "diff" else []
            same_for_all([words[0], path, *more, *words[1:]])
        for command, output in (("timeline", "out.svg"), ("timeline", "out.png"), ("report", "out.html")):
            same_for_all([command, path, "-o", folder / output], folder / output)
        path.unlink()


def test_merges(folder):
    trace, log = large(folder, "kineto.json"), large(folder, "chrome.json")
    for output in ("both.prof", "both.pb"):
        same_for_all(["merge", f"a={trace}", f"b={log}", "-o", folder / output], folder / output)


def test_reports_of_logs(folder):
    logs = folder / "logs"
    logs.mkdir()
    tenstorrent_logs.ordinary(seed=7, ops=250, cores=8).write(logs)
    for to in ("tenstorrent-report-v1", "tenstorrent-report-v2.1"):
        same_for_all(["convert", logs, "-o", folder / "out.prof"], folder / "out.prof")
        same_for_all(["convert", folder / "out.prof", "-o", folder / "out.csv", "--to", to], folder / "out.csv")
    same_for_all(["tt-report", logs, "-o", folder / "report.csv"], folder / "report.csv")
    same_for_all(["tt-perf", folder / "report.csv", "--json"])


def test_statistics_of_cloud_ai(folder):
    nodes = [make_node("Tanh", ["x"], ["t"], name="/a/Tanh"), make_node("MatMul", ["t", "w"], ["y"], name="/b/MatMul")]
    write(folder / "net.onnx", make_model(make_graph(
        nodes, [make_value("x", "f16", [64, 64])], [make_value("y", "f16", [64, 64])],
        [make_tensor("w", "f16", [64, 64], [0.5] * 4096)])))
    (folder / "s").mkdir()
    opscope("qaic-compile", f"-model={folder}/net.onnx", f"-aic-binary-dir={folder}/b", "-stats-level=70")
    opscope("qaic-runner", "-t", folder / "b", "-n", "8", "--aic-profiling-type=raw_device_stats",
            f"--aic-profiling-out-dir={folder}/s", "--aic-profiling-num-samples=8")
    for words in (["--report"], ["--summary"], ["--trace"]):
        same_for_all(["qaic-opstats", "-q", folder / "b", "-i", folder / "s", "-o", folder / "out", *words],
                     folder / "out")


def symbols_of(model):
    """Options for the lengths that a network leaves open."""
    options = []
    for length in LENGTHS:
        if opscope("model", model, "--define-symbol", length, code=None).code == 0:
            options += ["--define-symbol", length]
    return options


def infers_the_same(model):
    symbols = symbols_of(model)
    found = [opscope("infer", model, "--threads", threads, "--max-elements", 100_000, *symbols).out
             for threads in THREADS]
    for threads, other in zip(THREADS, found):
        true(other == found[0], f"{model.name} with {threads} threads")


def test_networks(folder):
    infers_the_same(write(folder / "mobilenet_v2.onnx", mobilenet_v2()))
    infers_the_same(ROOT / "tests/testdata/tosa_ops/every_operator.mlir")


def test_networks_of_the_test_sets(folder):
    for name in NETWORKS[1:2] if SANITIZED else NETWORKS:
        infers_the_same(next(shared(f"data/models/{name}").glob("*.onnx")))


def test_skeletons(folder):
    if SANITIZED:
        raise Skip("too slow with sanitizers; the plain run has them")
    for model in sorted(shared("data/models/skeletons").glob("*.onnx")):
        if os.environ.get("OPSCOPE_ALL") or model.stem in SKELETONS:
            infers_the_same(model)


main()
