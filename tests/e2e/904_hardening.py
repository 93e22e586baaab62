"""What the binaries are built with: SECURITY.md."""

import platform

from support import *
from onnx_writer import *


def binaries():
    folder = program("opscope").resolve().parent
    return [program("opscope"), *(path for path in (folder / "libopscope.so", folder / "libopscope-record.so")
                                  if path.exists())]


def readelf(*arguments):
    try:
        return run("readelf", *arguments).out
    except FileNotFoundError as error:
        raise Skip("there is no readelf") from error


def test_binaries_are_hardened():
    if SANITIZED:
        raise Skip("the sanitizers bring their own")
    for path in binaries():
        segments = readelf("-lW", path)
        contains(segments, "GNU_RELRO", f"{path.name}: relocations are read only")
        stack = next(line for line in segments.splitlines() if "GNU_STACK" in line)
        true("RWE" not in stack, f"{path.name}: the stack is not executable")
        contains(readelf("-dW", path), "NOW", f"{path.name}: names are bound at the start")
        contains(readelf("-hW", path), "DYN", f"{path.name}: it lies anywhere")
        symbols = readelf("--dyn-syms", "-W", path)
        contains(symbols, "__stack_chk_fail", f"{path.name}: stacks are protected")
        contains(symbols, "_chk@", f"{path.name}: calls of libc are fortified")
    if platform.machine() == "x86_64":
        code = run("objdump", "-d", "--no-show-raw-insn", "--disassemble=main", binaries()[0]).out
        contains(code, "endbr64", "functions are marked as what may be called")


def loaded(*words):
    """The libraries that a command loads, by the loader's own account."""
    done = run(program("opscope"), *words, env={"LD_DEBUG": "files"})
    return set(re.findall(r"calling init: \S*/(lib\w+)", done.err))


def test_libraries_are_loaded_by_those_who_need_them(folder):
    """To load oneDNN or fonts takes longer than most commands."""
    if SANITIZED:
        raise Skip("the sanitizers' loader is another one")
    late = ("dnnl", "gomp", "stdc++", "freetype")
    needed = re.findall(r"NEEDED.*\[(.*)\]", readelf("-dW", program("opscope")))
    true(not any(word in name for name in needed for word in late), f"needed at the start: {needed}")
    trace = ROOT / "samples/onnxruntime/mobilenet_v2.json.gz"
    true(not any(word in name for name in loaded("info", trace) for word in late), "info loads none of them")
    drawing = loaded("timeline", trace, "-o", folder / "t.png")
    true("libdnnl" not in drawing, "a picture computes nothing")
    network = write(folder / "product.onnx", make_model(make_graph(
        [make_node("Conv", ["x", "w"], ["y"])], [make_value("x", "f32", [1, 3, 32, 32])], [make_value("y")],
        [make_tensor("w", "f32", [4, 3, 3, 3], [0.5] * 108)])))  # of few channels, which are oneDNN's
    if "libdnnl" not in loaded("infer", network, "--max-elements=1"):
        raise Skip("built without oneDNN, or not on this machine")


main()
