"""Targets with other rates: what a program would take on a machine that is faster in one way.

The text of a target gets sections at its end that say a key again; the last value holds.
"""

import re

UNITS = {"": 1, "hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}


def sections(text):
    """[(kind, name, {key: value})] in order; a section that comes again goes on."""
    found = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        head = re.fullmatch(r"\[(\w+)(?: (\w+))?\]", line)
        if head:
            found.append((head.group(1), head.group(2), {}))
        elif "=" in line:
            key, value = line.split("=", 1)
            found[-1][2][key.strip()] = value.strip()
    return found


def hertz(text):
    number, unit = re.fullmatch(r"([\d.]+)\s*(\w*)", text).groups()
    return float(number) * UNITS[unit.lower()]


def times(value, factor):
    """'43 GB/s' times 1.5."""
    number, unit = re.fullmatch(r"([\d.]+)(.*)", value).groups()
    return f"{float(number) * factor:.9g}{unit}"


def faster_engines(text, factor, only=None):
    """All engines that do not move data, or those named, with another clock."""
    parts = sections(text)
    clock = next(keys["clock"] for kind, _, keys in parts if kind == "target")
    added = []
    for kind, name, keys in parts:
        moves = keys.get("role") in ("transfer", "communication")
        if kind == "engine" and not moves and (only is None or name in only):
            own = hertz(keys.get("clock", clock))
            added.append(f"[engine {name}]\nclock = {own * factor:.0f} Hz\n")
    return text + "\n" + "\n".join(added)


def faster_far_memory(text, factor):
    """Ports and engines that move data between memories, with higher rates."""
    added = []
    for kind, name, keys in sections(text):
        wanted = ()
        if kind == "port":
            wanted = ("rate", "per_user")
        elif kind == "engine" and keys.get("role") == "transfer":
            wanted = ("rate", "bytes_per_cycle")
        changed = [f"{key} = {times(keys[key], factor)}" for key in wanted if key in keys]
        if changed:
            added.append(f"[{kind} {name}]\n" + "\n".join(changed) + "\n")
    return text + "\n" + "\n".join(added)
