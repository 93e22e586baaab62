"""Chrome traces for tests: random ones that every viewer reads alike, and single events.

`random_trace(seed)` gives a list of events (dictionaries; times are exact) in
which slices nest, flows bind to slices and counters keep their series. `dump` writes them.
"""

import json
import random
import re

__all__ = ["TEXTS", "complete", "dump", "metadata", "random_trace"]

TEXTS = ["conv2d", "a \"quoted\" name", "back\\slash", "tab\tand\nline", "\u00fcml\u00e4ut",
         "\u6f22\u5b57", "\U0001f600", "x" * 300, "</script>", "a/b", "\u0001\u001f", "loc(\"a\":1:2)"]


class Time:
    """A time in nanoseconds, written as microseconds with three decimals."""

    def __init__(self, ns):
        self.ns = ns

    def __str__(self):
        return f"{self.ns // 1000}.{self.ns % 1000:03d}"


def complete(name, pid, tid, start, end, **more):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": Time(start),
            "dur": Time(end - start), **more}


def metadata(kind, pid, tid, **args):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": args}


def dump(events, form="array", indent=None, escaped=True):
    """The text of a trace, in ASCII where it is `escaped`."""
    if form == "object":
        events = {"schemaVersion": 1, "traceEvents": events, "displayTimeUnit": "ns"}
    text = json.dumps(events, indent=indent, ensure_ascii=escaped, default=lambda time: f"time {time}")
    return re.sub(r'"time (\d+\.\d+)"', r"\1", text)


def _value(random_, depth=0):
    kind = random_.randrange(8 if depth < 2 else 6)
    if kind == 6:
        return {f"k{i}": _value(random_, depth + 1) for i in range(random_.randrange(1, 3))}
    if kind == 7:
        return [_value(random_, depth + 1) for _ in range(random_.randrange(1, 3))]
    return (random_.randrange(1000), -random_.randrange(1, 2**63), random_.random() * 1e6,
            random_.random() < 0.5, random_.choice(TEXTS), random_.randrange(2**63))[kind]


def _arguments(random_):
    return {random_.choice(["bytes", "stream", "name with blanks", "est. %", "\u00e4"]) + str(i):
            _value(random_) for i in range(random_.randrange(4))}


def _slices(random_, pid, tid, start, end, depth=0):
    """Slices of one thread in order of start, parents first."""
    events = []
    now = start
    while now < end:
        now += random_.randrange(1, 4000)
        length = random_.randrange(0, 20000)
        if now + length > end:
            break
        event = complete(random_.choice(TEXTS), pid, tid, now, now + length)
        if random_.random() < 0.5:
            event["args"] = _arguments(random_)
        if random_.random() < 0.5:
            event["cat"] = random_.choice(["cpu_op", "kernel", "a,b"])
        events.append(event)
        if length > 100 and depth < 3 and random_.random() < 0.5:
            # Children start later than their parent, so that a flow at its start is its own.
            events += _slices(random_, pid, tid, now, now + length, depth + 1)
        now += length
    return events


def _flows(random_, slices):
    """Arrows between slices, each event right behind its slice."""
    after = {}
    starts = sorted(range(len(slices)), key=lambda i: slices[i]["ts"].ns)
    for number in range(len(slices) // 4):
        chosen = sorted(random_.sample(starts, random_.choice([2, 2, 3])),
                        key=lambda i: (slices[i]["ts"].ns, i))
        times = [slices[i]["ts"].ns for i in chosen]
        if len(set(times)) < len(times):
            continue
        phases = "s" + "t" * (len(chosen) - 2) + "f"
        for index, phase in zip(chosen, phases):
            event = {key: slices[index][key] for key in ("pid", "tid", "ts")}
            event.update(ph=phase, name="ac2g", cat="ac2g", id=number + 1)
            if phase == "f":
                event["bp"] = "e"
            after.setdefault(index, []).append(event)
    return [event for index, slice_ in enumerate(slices)
            for event in [slice_, *after.get(index, ())]]


def random_trace(seed, length=300_000):
    random_ = random.Random(seed)
    names = []
    slices = []
    others = []
    for pid in (1, 7):
        names.append(metadata("process_name", pid, pid, name=f"process {random_.choice(TEXTS)}"))
        names.append(metadata("thread_name", pid, 12, name="marks"))
        for tid in (10, 11):
            names.append(metadata("thread_name", pid, tid, name=f"{random_.choice(TEXTS)} {tid}"))
            slices += _slices(random_, pid, tid, 0, length)
        for ns in range(0, length, 9000):
            others.append({"ph": "C", "name": "memory", "pid": pid, "tid": pid, "ts": Time(ns),
                           "args": {"bytes": random_.randrange(2**40)}})
            others.append({"ph": "C", "name": "load", "pid": pid, "tid": pid, "ts": Time(ns),
                           "args": {"value": random_.randrange(100) / 4}})
        for ns in range(500, length, 30000):
            others.append({"ph": "i", "s": "t", "name": "mark", "pid": pid, "tid": 12,
                           "ts": Time(ns), "args": {"k": ns}})
    return names + _flows(random_, slices) + others
