"""Files of Cloud AI's tools, written by the published grammar and opscope's own layout: statistics
buffers, summaries, and traces as three generations of the SDK wrote them."""

import random
import struct

GROUPS = ("HVX", "HMX", "DMAIssue")
THREAD_GROUPS = (0, 0, 0, 0, 1, 2)
TICKS = 19_200_000
HEAD = ("core  ucycles  ucycles(%)     pcycles  pcycles(%)  count      out KB  ucycles/KB  pcycles/KB  "
        "stddev(pc/KB)  opdetails")
KINDS = (("aicconvolutiond32", 1, "TCM", "float16, i8"), ("aicsoftmax", 0, "TCM", "float16"),
         ("aicconverttod32", 0, "TCM", "float16"), ("aiccopytovtcm", 2, "DDR", ""),
         ("aicmulticastvtcm", 2, "TCM", ""))


# Statistics buffers ---------------------------------------------------------------------------

def section(name, size, offset, count):
    return struct.pack("<16sIIQQ", name.encode(), size, 0, offset, count)


def operation(core, thread, ordinal, task, start, end, pcycles, sync=0, barrier=0):
    return struct.pack("<IHHIIQQQII", core, thread, THREAD_GROUPS[thread], ordinal, task, start, end, pcycles, sync,
                       barrier)


def buffer(operations, threads, cores=2, level=70, program=0, inference=0, measured=0):
    """`threads`: (start, end, pcycles, activation) of each; `operations`: records, None below the level."""
    lanes = b"".join(struct.pack("<4Q", *thread) for thread in threads)
    count = 1 + (operations is not None)
    offset = 56 + 40 * count
    parts = section("threads", 32, offset, len(threads))
    if operations is not None:
        parts += section("operations", 48, offset + len(lanes), len(operations))
    header = struct.pack("<8sIIIIIIIIQQ", b"QAICSTAT", 1, count, level, cores, 6, measured, program, 0, inference, TICKS)
    return header + parts + lanes + b"".join(operations or [])


def random_buffer(seed, count=60, cores=2):
    """Head and records, apart."""
    rng = random.Random(seed)
    records, ends = [], {}
    for task in range(count):
        place = rng.randrange(cores), rng.randrange(6)
        wait, length = rng.randrange(50), rng.randrange(1, 400)
        start = ends.get(place, 1000) + wait
        ends[place] = start + length
        records.append(operation(*place, task, task, start, start + length, length * 64, wait))
    last = max(ends.values())
    whole = buffer(records, [(1000, last, (last - 1000) * 64, 2**64 - 1)] * 6 * cores, cores)
    return whole[:-48 * count], records


# Summaries ------------------------------------------------------------------------------------

def row(core, ucycles, total, pcycles, ptotal, count, kb, deviation, details):
    def real(number, sign=""):
        return "N/A" if number is None else f"{number:.2f}{sign}"
    words = (f"c{core}", str(ucycles), real(100 * ucycles / total, "%"), "N/A" if pcycles is None else str(pcycles),
             real(None if pcycles is None else 100 * pcycles / ptotal, "%"), str(count), real(kb),
             real(None if kb is None else ucycles / kb), real(None if kb is None else pcycles / kb), real(deviation),
             details)
    return "%-4s%9s%12s%12s%12s%7s%12s%12s%12s%15s  %s\n" % words


def summary(seed=0, cores=2, specialization=None):
    rng = random.Random(seed)
    text = f"Specialization: {specialization}\n\n\n" if specialization else ""
    start, total, cycles = 9803252406782, 444672, 28559104
    for core in range(cores):
        rows = []
        for kind, group, memory, types in KINDS:
            ucycles = rng.randrange(1, 200000)
            details = f"{kind} {GROUPS[group]} {memory} " + (f"({types})" if types else "")
            rows.append((ucycles, row(core, ucycles, total, ucycles * 64, cycles, rng.randrange(1, 99),
                                      rng.randrange(1, 9999) / 4, rng.randrange(99) / 8, details)))
        for group in GROUPS:
            for what in ("sync", "barrier"):
                ucycles = rng.randrange(1, 200000)
                rows.append((ucycles, row(core, ucycles, total, None, cycles, rng.randrange(1, 99), None, None,
                                          f"{what} {group}")))
        text += f"\n{HEAD}\n" + "".join(line for _, line in sorted(rows, reverse=True))
        text += f"\nc{core} total:{total:16d} ucycles{cycles:16d} pcycles (thread max)\n"
        for thread, group in enumerate(THREAD_GROUPS):
            text += (f"c{core}    t{thread} {GROUPS[group]:8}{total:16d} ucycles [{start}, {start + total}]"
                     f"{cycles:16d} pcycles{50:7.2f}% utilization\n")
        text += "\n\n"
        for thread in range(6):
            text += (f"c{core:02d}t{thread} batch ucycles:{total:17d} [{start},{start + total}]    pcycles:{cycles:16d} \n")
        text += f"c{core}: Total inference pcycle is {cycles}\nc{core}: Effective frequency is 1233.12MHz\n"
    return text + f"total batch ucycles:{total:17d} [{start}, {start + total}]\n"


# Traces ---------------------------------------------------------------------------------------

def trace(sdk, operations=24, inference=3, waits=True):
    """Events as SDK 1.10, 1.12 or 1.21 has them, by the published lists of fields."""
    events = []
    for core in range(2):
        pid = core if sdk == "1.10" else 2000 + core
        if sdk == "1.12":
            events.append({"ph": "M", "pid": pid, "name": "process_name",
                           "args": {"name": f"Program:BenchmarkSet_10 [QAicGraph_Core_{core}]"}})
        for thread, group in ((0, 0), (4, 1), (5, 2)):
            if sdk == "1.21":
                events.append({"ph": "M", "pid": pid, "tid": thread, "name": "thread_name",
                               "args": {"name": f"QAicGraph_slice00_Core_{core}_{GROUPS[group]}"}})
        at = 100.0
        for number in range(operations):
            kind, group, memory, _ = KINDS[number % len(KINDS)]
            tid = (0, 4, 5)[group]
            suffix = {"1.10": f"-{inference}", "1.12": f"-Inf-{inference}", "1.21": ""}[sdk]
            args = {"opKind": kind, "opName": f"/layer.{number % 3}/attn/MatMul_{number % 2}/__{number}",
                    "opMemory": memory, "opUCycle": "192", "opPCycle": "13920"}
            if waits:
                name = f"sync {GROUPS[group]}"
                if sdk == "1.21":
                    events.append({"ph": "X", "cat": "aic", "pid": pid, "tid": tid, "ts": at, "dur": 0, "name": name,
                                   "args": {"oc": str(number), "opSyncDurUs": "2.000"}})
                else:
                    events.append({"ph": "X", "cat": "aic", "pid": pid, "tid": tid, "ts": at, "dur": 2.0,
                                   "name": name + suffix, "args": {}})
            events.append({"ph": "X", "cat": "aic", "pid": pid, "tid": tid, "ts": at + 2, "dur": 10.0,
                           "name": kind + suffix, "args": args})
            at += 12
    return events
