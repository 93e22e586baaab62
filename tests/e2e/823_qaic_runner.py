"""qaic-runner with every option of its own: types, samples, activations, queues, inputs, outputs."""
import itertools
import struct

from support import *
from onnx_writer import *

NAME = "aic-profiling-program-{}-{}"
COLUMNS = ["Sample", "devInfPerSec", "devExecUs", "devInWaitTimeUs", "devOutWaitTimeUs", "hostRoundTripUs", "enqTimeUs",
           "preProcTimeUs", "submitTimeUs", "execTotalUs", "exectoVcUs", "execToCompleteUs", "postProcUs",
           "totalRoundtripTimeUs", "queueDepth", "numInfInQueue"]


def runner(folder, *words, **options):
    return run(program("qaic-runner"), "-t", "b", *words, cwd=folder, **options)


def compiled(folder, *options, level=70):
    """y = 2 x + 1, on a few cores."""
    nodes = [make_node("Mul", ["x", "two"], ["d"], name="/Mul"), make_node("Add", ["d", "one"], ["y"], name="/Add")]
    graph = make_graph(nodes, [make_value("x", "f32", [4, 8])], [make_value("y", "f32", [4, 8])],
                       [make_tensor("two", "f32", [1], [2.0]), make_tensor("one", "f32", [1], [1.0])])
    write(folder / "model.onnx", make_model(graph))
    run(program("qaic-compile"), "-model=model.onnx", "-aic-binary-dir=b", f"-stats-level={level}", "-aic-num-cores=2",
        *options, cwd=folder)
    (folder / "s").mkdir(exist_ok=True)
    return folder


def profiling(*types, **options):
    words = [f"--aic-profiling-type={kind}" for kind in types]
    return words + ["--aic-profiling-out-dir=s"] + [f"--aic-profiling-{name.replace('_', '-')}={value}"
                                                    for name, value in options.items()]


def names(folder):
    return sorted(path.name.removeprefix("aic-profiling-program-") for path in (folder / "s").iterdir())


def clear(folder):
    for path in (folder / "s").iterdir():
        path.unlink()


def latencies(path):
    lines = path.read_text().splitlines()
    equal([word.strip() for word in lines[4].split(",")], COLUMNS, "columns")
    return [dict(zip(COLUMNS, (word.strip() for word in line.split(",")))) for line in lines[5:]]


def test_a_file_of_each_type(folder):
    compiled(folder)
    types = ("stats", "trace", "latency", "raw_device_stats", "stats", "trace_stream", "latency_stream")
    out = runner(folder, *profiling(*types, num_samples=2, start_iter=3), "-n", "8").out
    equal(names(folder), ["0-activation-0-inf-3-QAicGraph-aiccyclecounts.bin", "0-activation-0-inf-3.txt",
                          "0-activation-0-inf-4-QAicGraph-aiccyclecounts.bin", "0-activation-0-inf-4.txt",
                          "0-latency-stream.txt", "0-latency.txt", "0-trace-stream.json", "0-trace.json"], "files")
    for name in names(folder):
        contains(out, f"Writing file:s/aic-profiling-program-{name}\n", "what it says")
    stats = (folder / "s" / NAME.format(0, "activation-0-inf-3.txt")).read_text()
    for part in ("device: modelled by the simulated card", "host: round trip", "preprocess", "total batch ucycles"):
        contains(stats, part, "stats")
    raw = (folder / "s" / NAME.format(0, "activation-0-inf-4-QAicGraph-aiccyclecounts.bin")).read_bytes()
    true(b"host" not in raw, "raw statistics are the device's alone")
    equal(struct.unpack_from("<QIIIIIIIIQ", raw)[9], 4, "which inference it is of")
    again = runner(folder, *profiling("latency"), "-n", "2").out
    contains(again, "Deleting previous file: s/aic-profiling-program-0-latency.txt\nWriting file:", "overwriting")


def test_samples_in_every_combination(folder):
    """Of 20 inferences; what is sampled by time is in the unit test of the same rules."""
    compiled(folder)
    rates = {"full": 1, "half": 2, "fourth": 4, "eighth": 8, "sixteenth": 16}
    table = list(itertools.product((1, 3, 50), (0, 1, 7, 19), rates))[::1 if os.environ.get("OPSCOPE_ALL") else 7]
    for samples, start, rate in table:
        clear(folder)
        said = runner(folder, *profiling("raw_device_stats", num_samples=samples, start_iter=start, sampling_rate=rate),
                      "-n", "20")
        want = list(range(start, 20, rates[rate]))[:samples]
        got = sorted(int(re.search(r"inf-(\d+)-", name)[1]) for name in names(folder))
        equal(got, want, f"{samples} samples from {start} on, {rate}")
        equal(f"{len(want)} of {samples} samples" in said.err, len(want) < samples, "what is missing is said")


def test_samples_are_one_where_nothing_is_said(folder):
    compiled(folder)
    contains(runner(folder, *profiling("raw_device_stats")).out, "InferenceCnt 40 ", "iterations")
    equal(names(folder), ["0-activation-0-inf-0-QAicGraph-aiccyclecounts.bin"], "samples")
    said = runner(folder, *profiling("latency", num_samples=100), "-n", "50")
    contains((folder / "s" / NAME.format(0, "latency.txt")).read_text(), "NumSamples collected: 50 Num Requested: 100",
             "more than there are")
    clear(folder)
    contains(runner(folder, *profiling("stats", "latency", "trace", start_iter=9), "-n", "9", code=3).err,
             "0 of 1 samples", "a start after the end")
    equal(names(folder), [], "no file says that there is a sample")


def test_as_many_samples_as_a_time_has(folder):
    """How many were asked for is not known, so no number is made up."""
    compiled(folder)
    runner(folder, *profiling("latency", "raw_device_stats", duration=100000), "-n", "7")
    contains((folder / "s" / NAME.format(0, "latency.txt")).read_text(), "NumSamples collected: 7 Num Requested: N/A", "all")
    equal(len([name for name in names(folder) if "aiccyclecounts" in name]), 7, "buffers")
    clear(folder)
    said = runner(folder, *profiling("latency", duration=1000, start_iter=9), "-n", "7", code=3).err
    contains(said, "0 samples were taken: activation 0 had 7 inferences, and sampling starts at 9", "none")


def test_a_delay_longer_than_the_run(folder):
    """It goes on until the samples are there, and says so."""
    compiled(folder)
    said = runner(folder, *profiling("raw_device_stats", "latency", num_samples=3, start_delay=200), "-n", "4")
    contains(said.err, "the delay of 200 ms is longer than 4 inferences take", "delay")
    found = sorted(int(re.search(r"inf-(\d+)-", name)[1]) for name in names(folder) if "inf" in name)
    equal(len(found), 3, "samples")
    true(found[0] > 4 and found == list(range(found[0], found[0] + 3)), f"one after the other: {found}")
    done = int(re.search(r"InferenceCnt (\d+)", said.out)[1])
    true(done > found[-1], "inferences")
    clear(folder)
    runner(folder, *profiling("raw_device_stats", start_delay=50, duration=1, start_iter=3), "-n", "4", "-a", "2")
    programs = {name.split("-")[0] for name in names(folder)}
    equal(programs, {"0", "1"}, "each activation has its samples")


def test_activations(folder):
    compiled(folder)
    said = runner(folder, *profiling("stats", "latency", "trace", "raw_device_stats", num_samples=2, start_iter=5), "-n",
                  "10", "-a", "3", "-S", "4", "-T", "2", "--write-output-dir", "out", "--write-output-start-iter", "9")
    contains(said.out, "InferenceCnt 30 ", "inferences of all of them")
    want = [f"{p}-{rest}" for p in range(3)
            for rest in (f"activation-{p}-inf-5-QAicGraph-aiccyclecounts.bin", f"activation-{p}-inf-5.txt",
                         f"activation-{p}-inf-6-QAicGraph-aiccyclecounts.bin", f"activation-{p}-inf-6.txt",
                         "latency.txt", "trace.json")]
    equal(names(folder), sorted(want), "a program number for each")
    outputs = [(folder / f"out/y-activation-{p}-inf-9.bin").read_bytes() for p in range(3)]
    equal(outputs, [outputs[0]] * 3, "they compute the same")
    contains(runner(folder, "-n", "1", "-a", "9").err, "do not fit a card", "more than a card has")


def test_latency_is_where_its_parts_say(folder):
    compiled(folder)
    runner(folder, *profiling("latency", num_samples=30), "-n", "30", "-S", "6", "-T", "3")
    rows = latencies(folder / "s" / NAME.format(0, "latency.txt"))
    equal([int(row["Sample"]) for row in rows], list(range(30)), "samples")
    for row in rows:
        for part in ("devInWaitTimeUs", "devOutWaitTimeUs"):
            row[part] = float("nan") if row[part] == "N/A" else float(row[part])
        row = {key: float(value) for key, value in row.items()}
        close_to(row["exectoVcUs"] + row["execToCompleteUs"], row["hostRoundTripUs"], 0.002, "round trip")
        close_to(row["submitTimeUs"] + row["hostRoundTripUs"], row["execTotalUs"], 0.002, "execution")
        close_to(row["enqTimeUs"] + row["preProcTimeUs"] + row["execTotalUs"] + row["postProcUs"],
                 row["totalRoundtripTimeUs"], 0.003, "all of it")
        close_to(row["devInfPerSec"] * row["devExecUs"], 1e6, 1e6 * 0.01, "rate")
        equal(row["numInfInQueue"], row["queueDepth"] + 1, "queue")
        true(row["queueDepth"] < 3, "no more in line than threads")
    compiled(folder, level=0)
    said = runner(folder, *profiling("latency"), "-n", "1")
    contains(said.err, "columns of the device are N/A; compile with -stats-level=40", "no statistics")
    row = latencies(folder / "s" / NAME.format(0, "latency.txt"))[0]
    equal([row[name] for name in COLUMNS[1:5]], ["N/A"] * 4, "the device's columns")
    true("Device Performance" not in said.out, "nor the table")


def test_inputs(folder):
    compiled(folder)
    sets = [[float(k + 10 * i) for k in range(32)] for i in range(2)]
    (folder / "in").mkdir()
    for i, values in enumerate(sets):
        write(folder / f"in/{i}.raw", struct.pack("<32f", *values))
    outputs = ("--write-output-dir", "out/deep", "--write-output-num-samples", "9")

    def computed(index):
        return list(struct.unpack("<32f", (folder / f"out/deep/y-inf-{index}.bin").read_bytes()))

    out = runner(folder, "-i", "in/1.raw", "-n", "1", *outputs).out
    true("random" not in out, "inputs are given")
    contains(out, "Writing file:out/deep/y-inf-0.bin", "outputs")
    equal(computed(0), [2 * x + 1 for x in sets[1]], "of a file")
    entry = {"io-direction": "in", "elem-size": 4, "map-to": "x", "dims": [4, 8]}
    write(folder / "in/list.json", json.dumps({"IO-files": [[{"path": f"{i}.raw", **entry}] for i in range(2)]}))
    runner(folder, "--aic-batch-json-input", "in/list.json", "-n", "3", *outputs)
    for i in range(3):
        equal(computed(i), [2 * x + 1 for x in sets[i % 2]], f"set of inference {i}")
    for text, message in (("{", "list.json"), ('{"IO-files": []}', "IO-files"), ('{"IO-files": [3]}', "no list of files"),
                          (json.dumps({"IO-files": [[{**entry, "path": "0.raw", "map-to": "z"}]]}), "'z'"),
                          (json.dumps({"IO-files": [[{**entry, "path": "0.raw", "dims": [4, 9]}]]}), "fit none"),
                          (json.dumps({"IO-files": [[{**entry, "path": "9.raw"}]]}), "9.raw")):
        write(folder / "in/list.json", text)
        contains(runner(folder, "--aic-batch-json-input", "in/list.json", code=1).err, message, text)
    contains(runner(folder, "-i", "in/1.raw", "-i", "in/1.raw", code=1).err, "only 1 inputs", "too many")
    contains(runner(folder, "-i", "in/1.raw", "--aic-batch-json-input", "in/list.json", code=1).err, "exclude", "both")


def test_for_a_time(folder):
    compiled(folder)
    out = runner(folder, "--time", "1", "-a", "2", "-d", "0", "-D", "0:1", "-c").out
    found = matches(out, r"InferenceCnt (\d+) TotalDuration (\d+)us BatchSize 1 Inf/Sec ([\d.]+)")
    true(int(found[2]) >= 1000000 and int(found[1]) > 2, "a second")
    close_to(float(found[3]), int(found[1]) * 1e6 / int(found[2]), float(found[3]) / 1000, "rate")
    matches(out, r"^Device Performance: \nMetric, {10}Avg, {11}Min, {11}Max, {11}Std {12}\nExecTimeUs, {6}\d+\.\d{3}, ")


def test_times_of_this_machine(folder):
    """--device host: said in every file."""
    compiled(folder)
    out = runner(folder, *profiling("stats", "raw_device_stats", "latency", "trace"), "-n", "3", "--device", "host").out
    contains(out, "so are those of the device", "stdout")
    raw = (folder / "s" / NAME.format(0, "activation-0-inf-0-QAicGraph-aiccyclecounts.bin")).read_bytes()
    equal(struct.unpack_from("<QIIIIII", raw)[6], 1, "the flag of the buffer")
    contains((folder / "s" / NAME.format(0, "activation-0-inf-0.txt")).read_text(), "device: measured", "stats")
    trace = json.loads((folder / "s" / NAME.format(0, "trace.json")).read_text())
    contains(trace["otherData"]["device"], "measured", "trace")
    row = latencies(folder / "s" / NAME.format(0, "latency.txt"))[0]
    true(0 < float(row["devExecUs"]) <= float(row["execToCompleteUs"]), "the device's time is within the host's")


def test_traces_of_host_and_device(folder):
    compiled(folder)
    runner(folder, *profiling("trace", "trace_stream", "latency_stream", num_samples=3, start_iter=2, sampling_rate="half"),
           "-n", "12", "-S", "5")
    path = folder / "s" / NAME.format(0, "trace.json")
    rows = without_loss(path, "select name, dur from slice where name glob 'Inference-*' order by name",
                        "select count(*) as n from slice where name glob 'Core-*-Execution'",
                        "select count(*) as n from slice where name = 'preprocess'")
    equal([row["name"] for row in rows[0]], ["Inference-2", "Inference-4", "Inference-6"], "inferences")
    equal((rows[1][0]["n"], rows[2][0]["n"]), (6, 3), "cores and parts of the host")
    # Streams have what the rate says, to the end.
    stream = folder / "s" / NAME.format(0, "trace-stream.json")
    equal(without_loss(stream, "select count(*) as n from slice where name glob 'Inference-*'")[0]["n"], 5, "streamed")
    shown = latencies(folder / "s" / NAME.format(0, "latency-stream.txt"))
    equal(sorted(int(row["Sample"]) for row in shown), [2, 4, 6, 8, 10], "rows of the stream")


def test_wrong_use(folder):
    compiled(folder)
    write(folder / "file", b"")
    for words, message in ((["--num-iter=x"], "--num-iter x"), (["-n", "0"], "from 1"), (["-a", "0"], "from 1"),
                           (["-S", "0"], "--set-size"), (["-T", "-1"], "--aic-threads-per-queue"),
                           (["--time", "soon"], "--time"), (["-d", "a"], "0:1"), (["-D", "0::1"], "0:1"),
                           (["--device", "gpu"], "sim and host"), (["word"], "'word'"),
                           (["--aic-profiling-type=all"], "raw_device_stats"),
                           (profiling("stats", sampling_rate="third"), "half"),
                           (profiling("stats", reporting_rate=700), "2000"),
                           (profiling("stats", num_samples=0), "from 1"),
                           (["--aic-profiling-type=stats", "--aic-profiling-out-dir=none"], "make it first"),
                           (["--aic-profiling-type=stats", "--aic-profiling-out-dir=file"], "is a file"),
                           (["-i", "none.raw"], "none.raw"), (["-n"], "needs a value")):
        contains(runner(folder, *words, code=1).err, message, str(words))
    said = runner(folder, "--nonsense", code=0)
    contains(said.err, "unknown option '--nonsense'", "an option that it does not know")
    contains(said.out, "usage: ", "the usage follows")
    contains(run(program("qaic-runner"), "-h").out, "usage: ", "help")
    contains(run(program("qaic-runner"), code=1).err, "--test-data", "no program")
    contains(run(program("qaic-runner"), "-t", "nowhere", cwd=folder, code=1).err, "nowhere", "no such folder")


main()
