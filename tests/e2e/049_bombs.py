"""Files that ask for more than a machine has: packed ones that unfold to gigabytes, networks that
never end or take all memory, traces in which everything overlaps. Each is refused with a message,
or read in reasonable time."""

import gzip

from support import *

from onnx_writer import make_graph, make_model, make_node, make_sequence_type, make_tensor, make_type, make_value

RLE_MOST = 128 * 1024
MIB = 1 << 20
HEADER = b"taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
ROW = b'0,77,0,DMA In,loc("/p/x.mlir":4:10),364\n'


def zstd_blocks(beginning, byte, count):
    """A zstd file of `beginning`, followed by `count` blocks of 128 KiB of one byte: 4 bytes each."""
    def block(kind, size, content, last=False):
        return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content
    frame = b"\x28\xb5\x2f\xfd" + b"\x00\x58"  # no size is promised; a window of 2 MiB
    if beginning:
        frame += block(0, len(beginning), beginning)
    return frame + block(1, RLE_MOST, byte) * (count - 1) + block(1, RLE_MOST, byte, last=True)


def promised(size):
    """The head of a zstd file that says how much is in it."""
    return b"\x28\xb5\x2f\xfd" + b"\xe0" + size.to_bytes(8, "little") + (RLE_MOST << 3 | 2).to_bytes(3, "little") + b"\0"


def limited(file_size, *words, code):
    """Runs opscope where no file, and so no temporary one, may grow beyond that."""
    return run("sh", "-c", 'ulimit -f "$0"; exec "$@"', file_size // 512, program("opscope"), *words, code=code)


def test_what_nobody_knows_is_not_unpacked(folder):
    path = write(folder / "zeros.zst", zstd_blocks(b"", b"\0", 163840))  # 20 GiB
    true(path.stat().st_size < 700_000, "a small file")
    for words in (["info", path], ["overview", path], ["convert", path, "-o", folder / "x.pb"],
                  ["tt-report", path]):
        result = limited(4 * MIB, *words, code=1)
        matches(result.err, "not a file that opscope knows|expected profile_log_device.csv")
    equal(sorted(one.name for one in folder.iterdir()), ["zeros.zst"])


def test_what_unpacks_to_500_times_its_size_is_refused(folder):
    path = write(folder / "rows.zst", zstd_blocks(HEADER + ROW, b"\n", 163840))
    for words in (["info", path], ["overview", path], ["convert", path, "-o", folder / "x.pb"]):
        result = limited(400 * MIB, *words, code=1)
        contains(result.err, "unpacks to more than 500 times its size; --max-unpacked SIZE allows it")
    equal(sorted(one.name for one in folder.iterdir()), ["rows.zst"])


def test_a_promise_is_enough(folder):
    path = write(folder / "says.zst", promised(20 << 30))
    for command in ("info", "model", "infer", "program"):
        result = limited(MIB, command, path, code=1)
        contains(result.err, "unpacks to more than 500 times its size", command)
    result = limited(MIB, "info", write(folder / "more.zst", promised(200 << 30)), code=1)
    contains(result.err, "unpacks to more than 64 GiB; --max-unpacked SIZE allows more")


def test_the_user_decides(folder):
    many = HEADER + ROW + b"\n" * (100 * MIB)
    path = write(folder / "blank.csv.gz", gzip.compress(many, 6))
    contains(opscope("info", path, code=1).err, "500 times its size")
    equal(opscope("info", path, "--max-unpacked", "101MiB", "--json").json()[0]["spans"], 1)
    contains(opscope("info", path, "--max-unpacked=100MiB", code=1).err,
             "unpacks to more than 0.0976562 GiB; --max-unpacked")
    few = write(folder / "few.csv.gz", gzip.compress(HEADER + ROW))
    contains(opscope("overview", few, "--max-unpacked", "10", code=1).err, "--max-unpacked SIZE allows more")
    for wrong in ("x", "0", "-1", "4 miles"):
        contains(opscope("info", few, "--max-unpacked", wrong, code=2).err, "is no size such as 4GiB")
    contains(opscope("links", folder, "--max-unpacked", "1", code=2).err, "unknown option")


# Work that grows with the square of these would take hours and meet PATIENCE; n log n takes seconds.
CROWDS = {
    "spans of one thread that overlap": lambda i, n: f'{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":{n},"name":"a"}}',
    "spans of one process that overlap": lambda i, n: (
        f'{{"ph":"b","pid":1,"id":{i},"cat":"c","ts":{i},"name":"a"}},'
        f'{{"ph":"e","pid":1,"id":{i},"cat":"c","ts":{i + n},"name":"a"}}'),
    "threads": lambda i, n: f'{{"ph":"X","pid":1,"tid":{i},"ts":{i},"dur":5,"name":"a"}}',
    "processes": lambda i, n: f'{{"ph":"X","pid":{i},"tid":1,"ts":{i},"dur":5,"name":"a"}}',
}


def crowd(folder, what, count):
    rows = (CROWDS[what](i, count) for i in range(1, count + 1))
    return write(folder / "crowd.json", "[" + ",".join(rows) + "]")


def test_crowds_of_spans_take_n_log_n(folder):
    for what in list(CROWDS)[:2]:
        path = crowd(folder, what, 20_000 if SANITIZED else 200_000)
        for words in (["overview"], ["convert", "-o", folder / "x.pb"], ["convert", "-o", folder / "x.json"]):
            opscope(words[0], path, *words[1:])


def test_crowds_of_tracks_take_n_log_n(folder):
    for what in list(CROWDS)[2:]:
        path = crowd(folder, what, 2_000 if SANITIZED else 50_000)
        for words in (["info", "--top", "1"], ["overview", "--json"], ["convert", "-o", folder / "x.pb"]):
            opscope(words[0], path, *words[1:])


def endless(body_of_loop):
    """A network whose loop has no number of rounds and never says that it is done."""
    condition = make_tensor("yes", "bool", [], [True])
    return make_model(make_graph(
        [body_of_loop], inputs=[make_value("x", "f32", [256])], outputs=[make_value("y", "f32", [256])],
        initializers=[condition]), opset=17)


def loop_for_ever():
    body = make_graph([make_node("Identity", ["going"], ["still"]), make_node("Neg", ["v"], ["w"])],
                      inputs=[make_value("i", "i64", []), make_value("going", "bool", []), make_value("v", "f32", [256])],
                      outputs=[make_value("still", "bool", []), make_value("w", "f32", [256])])
    return endless(make_node("Loop", ["", "yes", "x"], ["y"], body=body))


def grow_for_ever():
    """Each round keeps another tensor of a megabyte."""
    sequence = make_sequence_type(make_type("f32", [1 << 18]))
    body = make_graph([make_node("Identity", ["going"], ["still"]),
                       make_node("ConstantOfShape", ["many"], ["more"]),
                       make_node("SequenceInsert", ["kept", "more"], ["longer"])],
                      inputs=[make_value("i", "i64", []), make_value("going", "bool", []),
                              make_value("kept", sequence)],
                      outputs=[make_value("still", "bool", []), make_value("longer", sequence)])
    return make_model(make_graph(
        [make_node("SequenceConstruct", ["x"], ["first"]),
         make_node("Loop", ["", "yes", "first"], ["all"], body=body),
         make_node("SequenceAt", ["all", "zero"], ["y"])],
        inputs=[make_value("x", "f32", [1 << 18])], outputs=[make_value("y", "f32", [1 << 18])],
        initializers=[make_tensor("yes", "bool", [], [True]), make_tensor("zero", "i64", [], [0]),
                      make_tensor("many", "i64", [1], [1 << 18])]), opset=17)


def test_what_never_ends_is_ended(folder):
    model = write(folder / "endless.onnx", loop_for_ever())
    for words in (["infer", model], ["infer", "--plain", model]):
        result = opscope(*words, "--max-time", "500ms", code=1)
        contains(result.err, "infer: took longer than 0.5 s; --max-time allows more")
    program_path = folder / "endless.opx"
    opscope("compile", model, "--target", "host", "-o", program_path)
    contains(opscope("run", program_path, "--max-time=0.5", "-o", folder / "y.npy", code=1).err,
             "run: took longer than 0.5 s")
    case = folder / "case"
    (case / "test_data_set_0").mkdir(parents=True)
    write(case / "model.onnx", loop_for_ever())
    tensor = make_tensor("x", "f32", [256], [0.0] * 256)
    write(case / "test_data_set_0/input_0.pb", tensor)
    write(case / "test_data_set_0/output_0.pb", tensor)
    for more in ([], ["--in-process"]):
        contains(opscope("check", case, "--max-time", "2", *more, code=1).err, "check: took longer than 2 s")
    true(not (folder / "y.npy").exists(), "no half file")


def test_what_grows_for_ever_is_ended(folder):
    if SANITIZED:
        raise Skip("a sanitizer maps more memory than can be counted")
    model = write(folder / "growing.onnx", grow_for_ever())
    for words in (["infer", model], ["infer", "--plain", model]):
        result = opscope(*words, "--max-memory", "300MB", code=1)
        matches(result.err, "^opscope: .*--max-memory")


def test_limits_that_are_none(folder):
    model = write(folder / "endless.onnx", loop_for_ever())
    for option, wrong in (("--max-time", "x"), ("--max-time", "-1"), ("--max-memory", "much")):
        contains(opscope("infer", model, option, wrong, code=2).err, f"infer: {option}: '{wrong}' is no ")
    for command in ("infer", "run", "check"):
        text = opscope(command, "--help").out
        contains(text, "--max-time TIME", command)
        contains(text, "--max-memory SIZE", command)


main()
