"""What the binaries are built with: SECURITY.md."""

import platform

from support import *


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


main()
