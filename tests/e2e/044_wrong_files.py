"""A file of another kind, or a folder: the message says what it is and which command reads it."""
import gzip

from support import *
from onnx_chain import chain
from torq_compile import *


def setting(folder):
    """A file of each kind, and a function that runs opscope beside them."""
    def use(*words, **options):
        return opscope(*words, cwd=folder, **options)
    write(folder / "in.csv", compile_csv("c2", random_spans(9, seed=1)))
    write(folder / "chain.onnx", chain(12))
    shutil.copy(ROOT / "tests/testdata/tosa_ops/add.mlir", folder)
    use("compile", "chain.onnx", "--target", "host", "-o", "chain.opx")
    use("convert", "in.csv", "-o", "in.prof")
    return use


def said(result):
    equal(result.out, "", f"stdout of {result}")
    return result.err


def test_info_names_networks_and_programs(folder):
    use = setting(folder)
    equal(use("info", "chain.onnx").out, "chain.onnx: a network (ONNX): 12 operators, 1 input, 1 output\n"
          "'opscope model chain.onnx' shows it\n", "a network of ONNX")
    matches(use("info", "add.mlir").out, r"^add\.mlir: a network \(TOSA\): 5 operators", "a network of TOSA")
    contains(use("info", "chain.opx").out, "'opscope program chain.opx'", "a program")
    contains(use("info", "in.csv").out, "spans", "a profile")
    shown = use("info", "chain.onnx", "in.csv", "--json").json()
    equal(shown[0], {"file": "chain.onnx", "format": "a network (ONNX)", "operators": 12, "inputs": 1,
                     "outputs": 1, "see": "opscope model"}, "as JSON")
    equal(shown[1]["spans"], 9, "the next one")
    cut = (folder / "chain.onnx").read_bytes()[:-3]
    write(folder / "cut.onnx", cut)
    use("info", "cut.onnx", code=1)


def test_the_command_that_reads_it_is_named(folder):
    use = setting(folder)
    for words, pieces in (
            (("model", "in.prof"), ("is a profile", "'opscope info in.prof'")),
            (("infer", "in.csv"), ("is a profile", "'opscope info in.csv'")),
            (("model", "chain.opx"), ("is a compiled program", "'opscope program chain.opx'")),
            (("overview", "chain.opx"), ("is a compiled program", "'opscope program chain.opx'")),
            (("overview", "chain.onnx"), ("is a network (ONNX)", "'opscope model chain.onnx'")),
            (("convert", "add.mlir", "-o", "x.pb"), ("is a network (TOSA)", "'opscope model add.mlir'")),
            (("run", "chain.onnx"), ("not a program", "'opscope compile' makes one of a network")),
            (("program", "in.prof"), ("is a profile", "'opscope info in.prof'"))):
        err = said(use(*words, code=1))
        equal(err.count("\n"), 1, f"lines of {err}")
        for piece in pieces:
            contains(err, piece, f"message of {words}")
    true(not (folder / "x.pb").exists(), "nothing is written")


def test_what_is_wrong_with_the_right_kind_is_said(folder):
    use = setting(folder)
    damaged = bytearray((folder / "chain.opx").read_bytes())
    damaged[-1] ^= 1
    write(folder / "damaged.opx", bytes(damaged))
    true("does not read" not in said(use("run", "damaged.opx", code=1)), "a damaged program")
    write(folder / "text.txt", "hello\n")
    contains(said(use("overview", "text.txt", code=1)), "not a file that opscope knows", "a text")


def test_a_packed_file_cut_within_its_first_bytes(folder):
    """Too little of it is left to unpack, or to tell what is in it: it is a packed file all the same."""
    use = setting(folder)
    for ending, kind in ((".prof.gz", "gzip"), (".prof.zst", "zstd")):
        use("convert", "in.prof", "-o", f"whole{ending}")
        whole = (folder / f"whole{ending}").read_bytes()
        for length in (1, 2, 3, 4, 6, 9, 12, 20):
            write(folder / f"cut{ending}", whole[:length])
            for words in (("info",), ("overview",), ("convert", "-o", "x.pb")):
                err = said(use(*words, f"cut{ending}", code=1))
                contains(err, f"cut{ending}: the {kind} data is cut off", f"{words} of {length} bytes")
        write(folder / f"cut{ending}", b"")
        contains(said(use("info", f"cut{ending}", code=1)), "is empty", "nothing")
        write(folder / f"other{ending}", b"a")
        contains(said(use("info", f"other{ending}", code=1)), "not a file that opscope knows", "a byte of something else")
    write(folder / "nothing.gz", gzip.compress(b""))
    contains(said(use("info", "nothing.gz", code=1)), "is empty", "nothing, packed")
    write(folder / "nothing.onnx", b"")
    for name in ("nothing.onnx", "nothing.gz"):
        for words in (("compile", "--target", "host", "-o", "x.opx"), ("model",), ("infer",)):
            contains(said(use(*words, name, code=1)), f"{name}: is empty", f"{words} of {name}")


def test_folders(folder):
    use = setting(folder)
    (folder / "some").mkdir()
    (folder / "some/empty").mkdir()
    for name in ("add.mlir", "chain.onnx", "chain.opx", "in.csv"):
        (folder / name).rename(folder / "some" / name)
    write(folder / "some/text.txt", "hello\n")
    kinds = {"add.mlir": "model", "chain.onnx": "model", "chain.opx": "program", "in.csv": "info"}
    for words, own in ((("model", "some"), ()), (("infer", "some/"), ("add.mlir", "chain.onnx")),
                       (("run", "some"), ("chain.opx",)), (("overview", "some"), ("in.csv",)),
                       (("timeline", "some"), ("in.csv",)),
                       (("compile", "some", "--target", "host", "-o", "x.opx"), ("add.mlir", "chain.onnx")),
                       (("torq-run-module", "--module=some"), ())):
        lines = said(use(*words, code=1)).splitlines()
        matches(lines[0], r"^opscope: some/?: (is a folder|holds neither)", f"{words}")
        want = [f"  opscope {words[0] if name in own else kind} some/{name}" for name, kind in kinds.items()]
        equal(lines[1:], ["opscope reads in it:", *want], f"what {words} lists")
    for number in range(9):
        shutil.copy(folder / "some/in.csv", folder / f"some/more{number}.csv")
    lines = said(use("model", "some", code=1)).splitlines()
    equal((len(lines), lines[-1]), (8, "  and 8 more"), "many files")


def test_folders_of_folders_and_of_nothing(folder):
    use = setting(folder)
    (folder / "outer/inner").mkdir(parents=True)
    equal(said(use("model", "outer", code=1)), "opscope: outer: is a folder; give a file\n", "nothing")
    shutil.copy(folder / "chain.onnx", folder / "outer/inner/deep.onnx")
    os.mkfifo(folder / "outer/inner/pipe")
    contains(said(use("infer", "outer", code=1)), "  opscope infer outer/inner/deep.onnx\n", "one below")
    (folder / "outer/inner").chmod(0)
    said(use("infer", "outer", code=1))
    (folder / "outer/inner").chmod(0o755)


main()
