"""Torq runtime profiles of every version, and what a trace of them must hold.

A profile is a list of Event (what the host did, in microseconds) or, for R1, of
Job. `runtime_csv` and `job_csv` write it as the runtime of a version would;
`runtime_rows` and `job_rows` say which rows a trace has then.
"""

import random
from dataclasses import dataclass

from torq_compile import LOCATIONS, Row

__all__ = ["Event", "Job", "NONE", "Row", "job_csv", "job_rows", "random_events", "random_jobs",
           "runtime_csv", "runtime_rows"]

HEADERS = {
    "r2": "actionIndex, elapsed_time(us), timestamp(us), event, location",
    "r3": "actionIndex, elapsed_time(us), timestamp(us), event, location",
    "r4": "dispatch_name,invocation_id,action_id,timestamp_us,event",
}
HOST = {
    "r2": ("HOST_COPY", "NSS_START", "NSS_WAIT", "ALLOC", "DEALLOC", "HOST_PROGRAM"),
    "r4": ("HOST_COPY", "NSS_START", "NSS_WAIT", "ALLOC", "DEALLOC", "HOST_START", "HOST_WAIT"),
}
NONE = -1


@dataclass(frozen=True)
class Event:
    name: str
    begin: int  # us
    end: int
    action: int = NONE
    location: str = ""  # R2, R3
    invocation: int = 0  # R4
    dispatch: str = ""  # R4


@dataclass(frozen=True)
class Job:
    number: int
    start: int  # us since the device was opened
    end: int
    location: str = ""


def phases(events):
    """(time, is_begin, event) in the order in which the rows are written: an
    event lies inside those that are listed before it."""
    rows = []
    for number, event in enumerate(events):
        rows.append((event.begin, 1, number, event))
        rows.append((event.end, 0 if event.end > event.begin else 2, -number, event))
    rows.sort(key=lambda row: row[:3])
    return [(time, kind == 1, event) for time, kind, _, event in rows]


def phase_name(form, event, begins):
    if form == "r4":
        return event.name + ("_BEGIN" if begins else "_END")
    if not begins:
        return event.name + "_END"
    return event.name if event.name == "NSS_START" else event.name + "_START"


def runtime_csv(form, events, header=True, newline="\n", elapsed="first", last_newline=True):
    """R2, R3 or R4; `elapsed` counts from the "first" row or the "previous" one."""
    lines = [HEADERS[form]] if header else []
    rows = phases(events)
    first = previous = rows[0][0] if rows else 0
    for time, begins, event in rows:
        name = phase_name(form, event, begins)
        if form == "r4":
            lines.append(f"{event.dispatch},{event.invocation},{event.action},{time},{name}")
            continue
        location = event.location
        if form == "r3":
            location = '"' + location.replace('"', '""') + '"'
        since = time - (first if elapsed == "first" else previous)
        lines.append(f"{event.action},{since},{time},{name},{location}")
        previous = time
    return (newline.join(lines) + (newline if last_newline else "")).encode()


def runtime_args(form, event):
    args = {} if event.action == NONE else {"action": event.action}
    if form == "r4":
        args.update(invocation=event.invocation, dispatch=event.dispatch)
    elif event.location:
        args["location"] = event.location
    return args


def program_rows(form, events, process):
    """What ran on the NPU or the host: from the begin of a start to the end of its wait."""
    started = {}
    for time, begins, event in phases(events):
        unit, _, what = event.name.partition("_")
        waiting = started.setdefault((unit, event.invocation), [])
        if unit not in ("NSS", "HOST"):
            continue
        if what == "START" and begins:
            waiting.append(event)
        elif what == "WAIT" and not begins and waiting:
            start = waiting.pop(0)
            args = runtime_args(form, start)
            if event.action != NONE:
                args["wait_action"] = event.action
            yield Row(process, f"{unit} PROGRAM", start.begin * 1000,
                      (time - start.begin) * 1000, f"{unit} PROGRAM",
                      tuple(sorted(args.items())))


def runtime_lane(event, events):
    """A call of the HAL in an invocation that says more of the HAL lies on a lane of its own."""
    finer = event.name == "HAL_CALL" and any(
        other.invocation == event.invocation and other.name.startswith("HAL_") and
        other.name != "HAL_CALL" for other in events)
    return "AROUND HAL_CALL" if finer else event.name


def runtime_rows(form, events, process):
    rows = [Row(process, runtime_lane(event, events), event.begin * 1000, (event.end - event.begin) * 1000,
                event.name, tuple(sorted(runtime_args(form, event).items()))) for event in events]
    return rows + list(program_rows(form, events, process))


def job_csv(jobs, header=True, newline="\n", located=True, blank=""):
    """R1. time_since_open is taken when the job has ended."""
    columns = ["id", "time_since_open", "time_since_start"] + ["location"] * located
    lines = [";".join(columns)] if header else []
    for job in jobs:
        fields = [job.number, job.end, job.end - job.start] + [job.location] * located
        lines.append((";" + blank).join(map(str, fields)))
    return "".join(line + newline for line in lines).encode()


def job_rows(jobs, process, located=True):
    for job in jobs:
        args = {"job": job.number}
        if located and job.location:
            args["location"] = job.location
        yield Row(process, "NSS", job.start * 1000, (job.end - job.start) * 1000, "NSS",
                  tuple(sorted(args.items())))


# Profiles --------------------------------------------------------------------


def random_events(form, count, seed, start=5_000_000_000):
    """One action after the other, as one dispatch performs them."""
    rng = random.Random(seed)
    names = HOST["r4" if form == "r4" else "r2"]
    now = start
    events = []
    for action in range(count):
        now += rng.choice((0, 1, rng.randrange(100)))
        end = now + rng.choice((0, 1, rng.randrange(500)))
        last = action == count - 1
        name = rng.choice([name for name in names if not name.endswith("_WAIT") and
                           not (last and name.endswith("_START"))])
        if events and events[-1].name.endswith("_START"):
            name = events[-1].name.replace("_START", "_WAIT")
        fields = {"location": rng.choice(LOCATIONS + ("",))}
        if form == "r4":
            fields = {"invocation": 3, "dispatch": "main_dispatch_0"}
        events.append(Event(name, now, end, action, **fields))
        now = end
    return events


def random_jobs(count, seed):
    rng = random.Random(seed)
    now = 0
    jobs = []
    for number in range(count):
        now += rng.randrange(50)
        end = now + rng.choice((0, 1, rng.randrange(2**33)))
        jobs.append(Job(number, now, end, rng.choice(LOCATIONS + ("",))))
        now = end
    return jobs
