"""Wrong use: exit 2, a line that says what to do, nothing written. Help: exit 0."""
from support import *
import tenstorrent_logs
from onnx_writer import *
from torq_compile import *

COMMANDS = ("overview", "convert", "merge", "operators", "top", "sql", "info", "perfetto_logger", "tt-report", "tt-perf",
            "links", "compile", "torq-compile", "program", "verify", "targets")


def refused(folder, result, *pieces):
    """Nothing on stdout, one line on stderr with these pieces, no file."""
    equal((result.code, result.out), (2, ""), f"exit and output of {result}")
    matches(result.err, r"\A(opscope: )?\S[^\n]*\n\Z", "one line")
    for piece in pieces:
        contains(result.err, piece, "message")
    equal(sorted(path.name for path in folder.iterdir()), ["in.csv"], "files")


def setting(folder):
    """A good input, and a function that runs opscope in its folder."""
    write(folder / "in.csv", compile_csv("c2", random_spans(9, seed=1)))

    def use(*words, **options):
        return opscope(*words, code=None, cwd=folder, **options)
    return use


def test_no_arguments_at_all(folder):
    result = opscope(code=2)
    equal(result.out, "", "stdout")
    for piece in ("usage: opscope COMMAND", "opscope COMMAND --help", *COMMANDS):
        contains(result.err, piece, "usage")


def test_no_arguments(folder):
    use = setting(folder)
    refused(folder, use("overview"), "give a file", "opscope overview trace.pb")
    refused(folder, use("info"), "give a file", "opscope info")
    refused(folder, use("convert"), "-o OUT", "opscope convert")
    refused(folder, use("convert", "in.csv"), "-o OUT")
    refused(folder, use("convert", "-o", "out.pb"), "give one file")
    refused(folder, use("links"), "opscope links DIR")
    refused(folder, use("perfetto_logger"), "--compile_profile", "--runtime_profile")
    refused(folder, perfetto_logger(cwd=folder, code=None), "--compile_profile")


def test_unknown_commands(folder):
    use = setting(folder)
    for word in ("reprot", "", "--frobnicate", "Info", "in.csv"):
        refused(folder, use(word), f"'{word}'", "--help")


def test_unknown_options(folder):
    use = setting(folder)
    for command in COMMANDS:
        for option in ("--frobnicate", "--frobnicate=3", "-x"):
            refused(folder, use(command, "in.csv", option), option, f"{command}", "--help")
    refused(folder, perfetto_logger("--compile-profile", "in.csv", "--pb", "o.pb", cwd=folder,
                                    code=None), "--compile-profile", "--help")


def test_what_may_have_been_meant(folder):
    use = setting(folder)
    for word, *meant in (("covnert", "'convert'"), ("Info", "'info'"), ("ovrview", "'overview'"),
                         ("inf", "'info' or 'infer'"), ("comple", "'compile' or 'completion'")):
        refused(folder, use(word), f"'{word}'; did you mean {meant[0]}? 'opscope --help'")
        refused(folder, use("help", word), f"did you mean {meant[0]}?")
    for word in ("frobnicate", "x", "", "in.csv", "c" * 5000):
        true("did you mean" not in use(word).err, f"nothing is like {word}")
    for words, meant in ((("convert", "in.csv", "--ouput", "o.pb"), "'--output'"),
                         (("info", "in.csv", "--jsno"), "'--json'"),
                         (("infer", "in.csv", "--iter=3"), "'--iterations'"),
                         (("perfetto_logger", "--compile-profile", "in.csv"), "'--compile_profile'")):
        refused(folder, use(*words), f"; did you mean {meant}? see '{words[0]} --help'")


def test_missing_values(folder):
    use = setting(folder)
    refused(folder, use("convert", "in.csv", "-o"), "--output needs a value")
    refused(folder, use("convert", "in.csv", "-o", "out.pb", "--to"), "--to needs a value")
    refused(folder, use("overview", "in.csv", "--wall-time"), "--wall-time needs a value")
    refused(folder, use("perfetto_logger", "--pb"), "--pb needs a value")
    refused(folder, use("perfetto_logger", "--compile_profile", "--pb", "o.pb"),
            "--compile_profile needs a value")
    refused(folder, use("perfetto_logger", "--compile_profile", "in.csv"), "--pb FILE")
    refused(folder, use("perfetto_logger", "--pb", "o.pb"), "--compile_profile")


def test_values_that_make_no_sense(folder):
    use = setting(folder)
    logger = ("perfetto_logger", "--compile_profile", "in.csv", "--pb", "o.pb")
    for value in ("0", "-1", "x", "", "1.5", "99999999999"):
        refused(folder, use(*logger, "--num_slices", value), "num_slices", f"'{value}'")
    for value in ("0", "-800", "fast", "", "nan", "1e30"):
        refused(folder, use(*logger, "--clock_mhz", value), "clock_mhz", f"'{value}'", "MHz")
    for value in ("yesterday", "-5", ""):
        refused(folder, use("overview", "in.csv", "--wall-time", value), f"'{value}'", "time")
    refused(folder, use("convert", "in.csv", "-o", "o.csv", "--to", "torq-c9"), "torq-c9",
            "torq-c1")


def test_values_where_none_belongs(folder):
    use = setting(folder)
    refused(folder, use("info", "in.csv", "--json=yes"), "--json takes no value")
    refused(folder, use("convert", "in.csv", "-o", "o.pb", "--no-args=1"),
            "--no-args takes no value")


def test_options_that_contradict_each_other(folder):
    use = setting(folder)
    refused(folder, use("overview", "in.csv", "--json", "--csv"), "--json or --csv")


def test_files_in_the_wrong_place(folder):
    use = setting(folder)
    refused(folder, use("perfetto_logger", "in.csv", "--pb", "o.pb"), "in.csv", "--compile_profile")
    refused(folder, use("convert", "in.csv", "in.csv", "-o", "o.pb"), "one file")
    refused(folder, use("convert", "in.csv", "-o", "out.xyz"), "'out.xyz'", ".pb", ".prof", ".csv")
    refused(folder, use("convert", "in.csv", "-o", "out"), "'out'", "--to")


def test_the_input_is_not_overwritten(folder):
    use = setting(folder)
    before = (folder / "in.csv").read_bytes()
    result = use("convert", "in.csv", "-o", "./in.csv")
    equal(result.code, 2, f"exit of {result}")
    result = use("perfetto_logger", "--compile_profile", "in.csv", "--pb", "in.csv")
    equal(result.code, 2, f"exit of {result}")
    true((folder / "in.csv").read_bytes() == before, "the input is as it was")


def test_help(folder):
    for word in ("--help", "-h", "help"):
        result = opscope(word)
        for command in COMMANDS:
            matches(result.out, rf"^  {command} +\S", "list of commands")
    for command in COMMANDS:
        for word in ("--help", "-h", "-help"):
            result = opscope(command, word)
            equal(result.err, "", "stderr")
            matches(result.out, rf"^usage: opscope {command} ", command)
            matches(result.out, rf"examples:\n  \S*.*{command}", command)
            matches(result.out, r"^exit: 0 done, 1 failed, 2 wrong use, 3 ", command)
    contains(perfetto_logger("--help").out, "usage: perfetto_logger ")


def test_help_does_not_contradict_itself_about_exits(folder):
    """Tools of the vendors know no code for lost data; who runs a command ends as that does."""
    for command in ("process_ops_logs", "tt-perf-report", "annotate_profiling"):
        text = opscope(command, "--help").out
        matches(text, r"^exit: 0 done, also when data was lost \(stderr says it\), 1 failed, 2 wrong use$", command)
        true("3 done" not in text, command)
    for command in ("profile", "tt_profile"):
        matches(opscope(command, "--help").out, r"^exit: the command's status; ", command)
    del folder


def test_help_of_one_command(folder):
    use = setting(folder)
    for command in COMMANDS:
        equal(use("help", command).out, use(command, "--help").out, f"help {command}")
    equal(use("help").out, use("--help").out, "help alone")
    refused(folder, use("help", "info", "model"), "one command", "opscope help info")
    refused(folder, use("help", "--frobnicate"), "--frobnicate")


def test_version():
    for word in ("--version", "-V"):
        matches(opscope(word).out, r"\Aopscope \d+\.\d+\.\d+\n\Z", word)


def test_help_is_given_amid_other_words(folder):
    use = setting(folder)
    result = use("convert", "in.csv", "-o", "o.pb", "--help")
    equal(result.code, 0, "exit")
    true(not (folder / "o.pb").exists(), "nothing is written")


def test_help_fits_a_terminal():
    for command in COMMANDS:
        for line in opscope(command, "--help").out.splitlines():
            true(len(line) <= 100, f"{len(line)} characters: {line}")


def test_the_examples_of_the_help_run(folder):
    """With files that have the names which the examples use."""
    csv = compile_csv("c2", random_spans(20, seed=2))
    for name in ("timeline.csv", "compile_profile.csv", "a.csv", "b.csv", "trace.csv"):
        write(folder / name, csv)
    write(folder / "runtime.csv", "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
          "d,0,0,5,HOST_COPY_BEGIN\nd,0,0,9,HOST_COPY_END\n")
    shutil.copy(folder / "runtime.csv", folder / "r.csv")
    write(folder / "wall_time.txt", "1.234\n")
    opscope("convert", folder / "timeline.csv", "-o", folder / "trace.pb")
    for name in ("runtime.prof", "run.prof"):
        opscope("convert", folder / "runtime.csv", "-o", folder / name)
    shutil.copy(ROOT / "tests/testdata/pytorch/training.json.gz", folder / "trace.json.gz")
    (folder / "binaries").mkdir()
    opscope("qaic-compile", f"-m={ROOT}/tests/fuzz/corpus/onnx/layer_Gemm.onnx", "-stats-level=70",
            f"-aic-binary-dir={folder}/binaries")
    (folder / "bin").mkdir()
    capture = tenstorrent_logs.ordinary(devices=1, replays=0)
    for name in ("start", "stop"):
        capture.signpost(name)
        capture.launch("Matmul", cores=capture.grid(2))
    for where in (".logs", "generated/profiler/.logs", "generated/profiler/rank0/.logs",
                  "generated/profiler/rank1/.logs", "."):
        capture.write(folder / where)
    for name in ("ops_perf_results.csv", "host0.csv", "host1.csv"):
        opscope("tt-report", folder / ".logs", "-o", folder / name)
    write_networks(folder)
    run(program("torq-compile"), "add.mlir", "-o", "x.vmfb", "--torq-debug-info=debug_info", cwd=folder)
    path = f"{program('opscope').parent}:{os.environ['PATH']}"
    for command in COMMANDS:
        text = opscope(command, "--help").out.split("examples:\n")[1].split("\n\n")[0]
        for line in text.replace("~", str(folder)).replace("\\\n", " ").splitlines():
            run("sh", "-c", line, cwd=folder, env={"PATH": path})


def write_networks(folder):
    for name, batch in (("model.onnx", 1), ("dynamic.onnx", "batch")):
        graph = make_graph([make_node("Abs", ["x"], ["y"])], [make_value("x", "i8", [batch, 64])],
                           [make_value("y", "i8", [batch, 64])])
        write(folder / name, make_model(graph, opset=17))
    for name in ("add", "conv-stride1-notile"):
        shutil.copy(ROOT / f"tests/testdata/tosa_ops/{name}.mlir",
                    folder / f"{name.split('-', maxsplit=1)[0]}.mlir")


def test_version():
    matches(opscope("--version").out, r"\Aopscope \d+\.\d+\.\d+\n\Z")


main()
