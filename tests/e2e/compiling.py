"""What the tests of the compiler's commands share."""
import csv
import io

from support import *

__all__ = ["ADD", "CONV", "DISPATCHES", "FC", "TARGET", "at_root", "compile_json", "compiled", "rows",
           "shell", "torq_compile", "torq_run_module", "write_npy"]

TARGET = "torq-sl2610"
ADD = ROOT / "tests/testdata/tosa_ops/add.mlir"
CONV = ROOT / "tests/testdata/tosa_ops/conv-stride1-notile.mlir"
FC = ROOT / "samples/tosa/fc.mlir"

# The host does the matrix product of floats, between two of bytes: three dispatches.
DISPATCHES = """module {
  func.func @main(%arg0: tensor<1x16x16xi8>) -> (tensor<1x16x16xi32>, tensor<1x16x16xi32>) {
    %zp = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %0 = tosa.matmul %arg0, %arg0, %zp, %zp : (tensor<1x16x16xi8>, tensor<1x16x16xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16xi32>
    %1 = tosa.cast %0 : (tensor<1x16x16xi32>) -> tensor<1x16x16xf32>
    %2 = tosa.matmul %1, %1, %zero, %zero : (tensor<1x16x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16xf32>
    %3 = tosa.cast %2 : (tensor<1x16x16xf32>) -> tensor<1x16x16xi8>
    %4 = tosa.matmul %3, %3, %zp, %zp : (tensor<1x16x16xi8>, tensor<1x16x16xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16xi32>
    return %0, %4 : tensor<1x16x16xi32>, tensor<1x16x16xi32>
  }
}
"""


def torq_compile(*arguments, **options):
    return run(program("torq-compile"), *arguments, **options)


def torq_run_module(*arguments, **options):
    return run(program("torq-run-module"), *arguments, **options)


def at_root(folder):
    """A folder in which the project's networks have the paths that documents print."""
    for name in ("tests/testdata", "samples"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    return folder


def shell(folder, line):
    """A command line of a document, as it is printed."""
    return run("sh", "-c", line, cwd=folder,
               env={"PATH": f"{program('torq-compile').parent}:{os.environ['PATH']}"})


def write_npy(path, shape, data, kind="|i1"):
    """What numpy.save writes, of elements that are bytes already."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return write(path, b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)


def compiled(folder, network, *arguments):
    """The path of a program for TARGET."""
    path = folder / "program.opx"
    opscope("compile", network, "--target", TARGET, "-o", path, *arguments)
    return path


def compile_json(folder, network, *arguments):
    """The report of `compile --json`."""
    return opscope("compile", network, "--target", TARGET, "-o", folder / "program.opx", "--json",
                   *arguments).json()


def rows(path):
    """The rows of a C1 profile as dictionaries, times as numbers."""
    table = list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text())))
    for row in table:
        row["Start"], row["End"] = int(row["Start"]), int(row["End"])
    return table
