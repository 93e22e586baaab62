#!/usr/bin/env python3
"""Computes a TOSA network with MLIR's own lowering, as an oracle for opscope.

    tosa_reference.py X.mlir --input a.bin --input b.npy --output out.bin ...

mlir-opt-22 lowers the network to LLVM's dialect, llc-22 compiles it, and the
function `main` is called through its C interface. Files are raw bytes in
row-major order; a `.npy` input loses its header. What was compiled is kept under
.cache/tosa_reference, by the content of the network.
"""

import argparse
import ctypes
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache" / "tosa_reference"
TOOLS = ("mlir-opt-22", "mlir-translate-22", "opt-22", "llc-22", "gcc")

RUNTIME = pathlib.Path("/usr/lib/llvm-22/lib")  # has memrefCopy

# Bytes in memory of one element.
SIZES = {"i1": 1, "i4": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "i32": 4, "ui32": 4, "i48": 8,
         "i64": 8, "index": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8,
         "f8E4M3FN": 1, "f8E5M2": 1}

TO_LINALG = [
    "func.func(tosa-to-scf)",
    "func.func(tosa-optional-decompositions)",
    "func.func(tosa-to-linalg-named{prefer-conv2d-kernel-layout-hwcf=true})",
    "func.func(tosa-to-linalg)",
    "func.func(tosa-to-arith{include-apply-rescale=true})",
    "func.func(tosa-to-tensor)",
    "canonicalize",
]
TO_LLVM = [
    "empty-tensor-to-alloc-tensor",
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=1}",
    "func.func(convert-linalg-to-loops)",
    "canonicalize",
    "func.func(llvm-request-c-wrappers)",
    "expand-strided-metadata",
    "lower-affine",
    "convert-scf-to-cf",
    "arith-emulate-unsupported-floats{source-types=f8E4M3FN,f8E5M2 target-type=f32}",
    "math-expand-ops{ops=rsqrt}",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "func.func(arith-expand)",
    "convert-arith-to-llvm",
    "convert-index-to-llvm",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm",
    "convert-cf-to-llvm",
    "canonicalize",
    "reconcile-unrealized-casts",
]


class Unavailable(Exception):
    """A tool of the reference is not installed."""


class Refused(Exception):
    """MLIR cannot lower or compile the network."""


def missing_tools():
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def run_tool(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True)
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip().splitlines()
        raise Refused(f"{command[0]}: {message[0] if message else done.returncode}")
    return done.stdout


def split_types(text):
    """The tensor types of a list such as 'tensor<1x2xi8>, tensor<f32>'."""
    return [parse_type(found) for found in re.findall(r"tensor<([^>]*)>", text)]


def parse_type(text):
    *dims, element = text.split("x") if not text.startswith("index") else [text]
    # "f8E4M3FN" and the like have no x; i8, bf16 neither.
    return [int(dim) for dim in dims], element


def signatures(text):
    """Of each function: shapes and elements of what it takes and gives."""
    generic = run_tool(["mlir-opt-22", "--mlir-print-op-generic", "--mlir-print-local-scope",
                        "--mlir-elide-elementsattrs-if-larger=8"], text).decode()
    found = {}
    for entry in re.findall(r'"func\.func"\(\) <\{(.*?)\}> \(\{', generic, re.S):
        types = re.search(r"function_type = \((.*?)\) -> (.*?)(?:, [a-z_]+ = |$)", entry, re.S)
        name = re.search(r'sym_name = "([^"]*)"', entry).group(1)
        found[name] = split_types(types.group(1)), split_types(types.group(2))
    return found


def modern(text):
    """Keywords were texts in TOSA 0.x."""
    return re.sub(rb'\b(rounding_mode|nan_mode|mode) = "([A-Z_]+)"', rb"\1 = \2", text)


def lower(text):
    # Signed and unsigned integers do not lower; the bits are the same.
    text = run_tool(["mlir-opt-22", "--tosa-convert-integer-type-to-signless"], text)
    pipeline = "builtin.module(" + ",".join(TO_LINALG + TO_LLVM) + ")"
    return run_tool(["mlir-opt-22", "--pass-pipeline=" + pipeline], text)


def compile_text(text):
    """The shared object of a network, compiled unless it was before."""
    missing = missing_tools()
    if missing:
        raise Unavailable(", ".join(missing) + " not installed")
    recipe = repr(TO_LINALG + TO_LLVM).encode()
    name = hashlib.sha256(recipe + b"\0" + text).hexdigest()[:32]
    library = CACHE / (name + ".so")
    if library.exists():
        return library
    CACHE.mkdir(parents=True, exist_ok=True)
    ir = run_tool(["mlir-translate-22", "--mlir-to-llvmir"], lower(text))
    ir = run_tool(["opt-22", "-O2", "-mcpu=native"], ir)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        object_file = os.path.join(folder, "network.o")
        run_tool(["llc-22", "-O2", "-mcpu=native", "-relocation-model=pic", "-filetype=obj", "-o",
                  object_file, "-"], ir)
        made = os.path.join(folder, "network.so")
        run_tool(["gcc", "-shared", "-o", made, object_file, "-lm", f"-L{RUNTIME}",
                  f"-Wl,-rpath,{RUNTIME}", "-l:libmlir_c_runner_utils.so.22.1"])
        os.replace(made, library)
    return library


def descriptor(rank):
    """The C type of a memref of this rank."""
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
              ("offset", ctypes.c_int64)]
    if rank > 0:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type("Memref", (ctypes.Structure,), {"_fields_": fields})


def strides_of(dims):
    strides, step = [], 1
    for dim in reversed(dims):
        strides.insert(0, step)
        step *= dim
    return strides


def count_of(dims):
    count = 1
    for dim in dims:
        count *= dim
    return count


def bytes_of(kind):
    dims, element = kind
    return count_of(dims) * SIZES[element]


def make_input(kind, data):
    dims, _ = kind
    if len(data) != bytes_of(kind):
        raise ValueError(f"{len(data)} bytes for {kind}")
    buffer = (ctypes.c_char * (len(data) + 64))()
    start = (ctypes.addressof(buffer) + 63) & ~63
    ctypes.memmove(start, data, len(data))
    memref = descriptor(len(dims))(start, start, 0)
    if dims:
        memref.sizes[:] = dims
        memref.strides[:] = strides_of(dims)
    return memref, buffer


def gather(memref, kind):
    """The bytes of a result, in row-major order."""
    data = gather_raw(memref, kind)
    return sign_extended(data) if kind[1] == "i48" else data


def sign_extended(data):
    """LLVM leaves the upper two bytes of an i48 as they were."""
    values = [int.from_bytes(data[at:at + 6], "little", signed=True)
              for at in range(0, len(data), 8)]
    return b"".join(value.to_bytes(8, "little", signed=True) for value in values)


def gather_raw(memref, kind):
    dims, element = kind
    size = SIZES[element]
    count = count_of(dims)
    if count == 0:
        return b""
    start = memref.aligned + memref.offset * size
    if not dims or list(memref.strides) == strides_of(dims):
        return ctypes.string_at(start, count * size)
    places = [0]
    for dim, stride in zip(dims, memref.strides):
        places = [place + i * stride for place in places for i in range(dim)]
    return b"".join(ctypes.string_at(start + place * size, size) for place in places)


class Network:
    """A compiled function: `inputs` and `outputs` are lists of (dims, element)."""

    def __init__(self, function, inputs, outputs):
        self.function = function
        self.inputs = inputs
        self.outputs = outputs

    def run(self, inputs):
        """Takes and gives the bytes of each tensor."""
        made = [make_input(kind, data) for kind, data in zip(self.inputs, inputs, strict=True)]
        fields = [(f"r{i}", descriptor(len(kind[0]))) for i, kind in enumerate(self.outputs)]
        results = type("Results", (ctypes.Structure,), {"_fields_": fields})()
        self.function(ctypes.byref(results), *[ctypes.byref(memref) for memref, _ in made])
        return [gather(getattr(results, f"r{i}"), kind) for i, kind in enumerate(self.outputs)]


def networks_of(text):
    """Every function of a text, by name."""
    library = ctypes.CDLL(str(compile_text(text)))
    return {name: Network(getattr(library, "_mlir_ciface_" + name), *kinds)
            for name, kinds in signatures(text).items()}


def read_network(path):
    """The function `main`, or the only one, of a file."""
    found = networks_of(modern(pathlib.Path(path).read_bytes()))
    return found["main"] if "main" in found else next(iter(found.values()))


def networks_together(texts):
    """Functions `main` of many texts, by name, compiled at once; those that MLIR
    refuses come as the reason."""
    joined = b"".join(text.replace("@main(", f"@{name}(", 1).encode()
                      for name, text in texts.items())
    try:
        return networks_of(joined)
    except Refused as failure:
        if len(texts) == 1:
            return {name: str(failure) for name in texts}
    names = list(texts)
    halves = names[:len(names) // 2], names[len(names) // 2:]
    return {name: network for half in halves
            for name, network in networks_together({key: texts[key] for key in half}).items()}


def read_input(path):
    data = pathlib.Path(path).read_bytes()
    if not data.startswith(b"\x93NUMPY"):
        return data
    wide = data[6] > 1
    header = int.from_bytes(data[8:12 if wide else 10], "little")
    return data[(12 if wide else 10) + header:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--output", action="append", default=[])
    arguments = parser.parse_args()
    try:
        network = read_network(arguments.network)
        outputs = network.run([read_input(path) for path in arguments.input])
    except (Unavailable, Refused, ValueError) as failure:
        sys.exit(f"{arguments.network}: {failure}")
    for kind, data, path in zip(network.outputs, outputs, arguments.output):
        pathlib.Path(path).write_bytes(data)
        print(path, "x".join(map(str, kind[0] + [kind[1]])))


if __name__ == "__main__":
    main()
