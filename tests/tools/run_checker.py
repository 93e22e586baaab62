#!/usr/bin/env python3
"""Proves the profile of a run from the program that ran: run_checker.py PROGRAM PROFILE ITERATIONS

Reads both files by itself, from docs/formats/program.md and docs/formats/profile.md.
What must hold, for every iteration:

 1. Every task has one span, on the lane of its engine, with its bytes and a call of the
    iteration; every action has one span.
 2. Spans of a lane do not overlap.
 3. A task starts after all that it depends on have ended, of whatever kind of dependency,
    and after the iteration before.
 4. A job's tasks lie within the time from its start to the end of its wait; a host task
    within that of its action.
 5. Flows lie along the true dependencies, each from the one task to the other, and there
    is no other.
 6. A task that a stream starts begins after all that are over for its step: those that the
    stream has waited for, or whoever gave it a signal that it awaited.
 7. The ledger expects and records of each lane what the program says, once an iteration;
    nothing is lost or impossible.
"""

import collections
import pathlib
import sys

from profile_file import Profile
from program_checker import (AWAIT, HOST_START, JOB_START, JOB_WAIT, NONE, SIGNAL, START, TRANSFER, WAIT,
                             Program, Target)

ACTIONS = "ACTIONS"
GROUP = 0  # a kind of track
FLOWS_MOST = 22  # that a span has room for, docs/commands/run.md


class Wrong(Exception):
    """What a run did that it must not."""


def need(holds, message):
    if not holds:
        raise Wrong(message)


class Run:
    """The spans of a run by iteration and task or action. Tests alter them."""

    def __init__(self, program, profile):
        self.program = program
        self.profile = profile
        self.target = Target(program.target)
        self.spans = [span for span in profile.spans if "iteration" in span.values]

    def lane_of(self, task):
        return self.place_of(task)[1]

    def place_of(self, task):
        """The group that its lane lies in, "" for none, and the lane."""
        engine, target = self.target.engines[task.engine], self.target
        core = task.unit if engine.per == "core" else 0
        device = core // target.cores if engine.per == "core" else task.unit
        group = ""
        if engine.per == "core" and target.cores * target.devices > 1:
            group = f"core {core}"
        elif engine.per in ("core", "device") and target.devices > 1:
            group = f"device {device}"
        return group, engine.label.format(lane=task.lane, core=core, device=device)

    def place_of_track(self, track):
        parent = self.profile.tracks[track.parent]
        inside = track.parent != 0 and parent.kind == GROUP
        return parent.name if inside else "", track.name

    def track_name(self, span):
        return self.profile.tracks[span.track].name

    def check(self, iterations):
        self.check_all_there(iterations)
        self.check_lanes()
        for iteration in range(iterations):
            self.check_dependencies(iteration)
            self.check_actions(iteration)
            self.check_streams(iteration)
        self.check_flows()
        self.check_ledger(iterations)

    def check_all_there(self, iterations):
        self.tasks, self.actions = {}, {}
        dispatches = {}
        for dispatch in self.program.dispatches:
            for i in range(dispatch.first_action, dispatch.first_action + dispatch.action_count):
                dispatches[self.text(dispatch.name), self.program.actions[i].number] = i
        for span in self.spans:
            iteration = span.values["iteration"]
            need(iteration < iterations, f"iteration {iteration} of {iterations}")
            if self.track_name(span) == ACTIONS:
                action = dispatches[span.values["dispatch"], span.values["action"]]
                need((iteration, action) not in self.actions, f"action {action} twice")
                self.actions[iteration, action] = span
                continue
            task = span.values["program_task"]
            need((iteration, task) not in self.tasks, f"task {task} twice in iteration {iteration}")
            self.tasks[iteration, task] = span
            self.check_task(span, self.program.tasks[task], task)
        for iteration in range(iterations):
            for kind, found, table in (("task", self.tasks, self.program.tasks),
                                       ("action", self.actions, self.program.actions)):
                for i in range(len(table)):
                    need((iteration, i) in found, f"{kind} {i} is missing in iteration {iteration}")

    def text(self, number):
        return self.program.texts[number:self.program.texts.index(b"\0", number)].decode()

    def check_task(self, span, task, number):
        need(span.start <= span.end, f"task {number} ends before it starts")
        found, wanted = self.place_of_track(self.profile.tracks[span.track]), self.place_of(task)
        need(found == wanted, f"task {number} is on lane {found}, not {wanted}")
        if task.kind == TRANSFER:
            need(span.values.get("bytes") == task.bytes, f"task {number} has other bytes")
        if task.group != NONE:
            need(self.profile.calls[span.call][2] == span.values["iteration"],
                 f"task {number} belongs to a call of another iteration")

    def check_lanes(self):
        lanes = collections.defaultdict(list)
        for span in self.spans:
            lanes[span.track].append(span)
        for track, spans in lanes.items():
            spans.sort(key=lambda span: (span.start, span.end))
            for before, after in zip(spans, spans[1:]):
                need(before.end <= after.start,
                     f"lane '{self.profile.tracks[track].name}' has two spans at once: "
                     f"{before.values} and {after.values}")

    def check_dependencies(self, iteration):
        before = max((span.end for (i, _), span in self.tasks.items() if i == iteration - 1), default=0)
        for number, task in enumerate(self.program.tasks):
            start = self.tasks[iteration, number].start
            need(start >= before, f"task {number} starts in the iteration before")
            for item in self.program.dependencies[task.first_dependency:][:task.dependency_count]:
                need(start >= self.tasks[iteration, item.task].end,
                     f"task {number} starts before task {item.task} has ended")

    def check_actions(self, iteration):
        starts = {}
        for number, action in enumerate(self.program.actions):
            span = self.actions[iteration, number]
            if action.kind == JOB_START:
                starts[action.subject] = span.start
            elif action.kind == JOB_WAIT:
                for step in self.steps_of(self.program.jobs[action.subject]):
                    if step.kind == START:
                        self.need_inside(iteration, step.task, starts[action.subject], span.end)
            elif action.kind == HOST_START:
                self.need_inside(iteration, action.subject, span.start, span.end)

    def check_streams(self, iteration):
        raised = collections.defaultdict(list)  # by semaphore: what was over at each signal
        before = 0
        for action in self.program.actions:
            if action.kind == JOB_START:
                self.check_job(iteration, self.program.jobs[action.subject], before, raised)
            elif action.kind == JOB_WAIT:
                job = self.program.jobs[action.subject]
                ends = [self.tasks[iteration, step.task].end for step in self.steps_of(job)
                        if step.kind == START]
                before = max([before, *ends])

    def steps_of(self, job):
        return self.program.steps[job.first_step:][:job.step_count]

    def check_job(self, iteration, job, before, raised):
        over = collections.defaultdict(lambda: before)  # by stream: the end of all that is over for it
        for step in self.steps_of(job):
            if step.kind == START:
                start = self.tasks[iteration, step.task].start
                need(start >= over[step.stream], f"task {step.task} starts before its stream may start it")
            elif step.kind == WAIT:
                over[step.stream] = max(over[step.stream], self.tasks[iteration, step.task].end)
            elif step.kind == SIGNAL:
                raised[step.semaphore].append(over[step.stream])
            elif step.kind == AWAIT:
                over[step.stream] = max(over[step.stream], raised[step.semaphore][step.count - 1])

    def need_inside(self, iteration, number, start, end):
        task = self.tasks[iteration, number]
        need(start <= task.start and task.end <= end, f"task {number} lies outside of what starts it")

    def check_flows(self):
        ends = collections.defaultdict(lambda: ([], []))
        for (iteration, number), span in self.tasks.items():
            for flow in span.flows_out:
                ends[flow][0].append((iteration, number))
            for flow in span.flows_in:
                ends[flow][1].append((iteration, number))
        found = collections.Counter()
        for flow, (sources, targets) in ends.items():
            need(len(sources) == 1 and len(targets) == 1, f"flow {flow} has not two ends")
            (iteration, source), (other, target) = sources[0], targets[0]
            need(iteration == other, f"flow {flow} goes from one iteration to another")
            found[iteration, source, target] += 1
        wanted = collections.Counter()
        for iteration in {iteration for iteration, _ in self.tasks}:
            for number, task in enumerate(self.program.tasks):
                for item in self.program.dependencies[task.first_dependency:][:task.dependency_count]:
                    if item.data:
                        wanted[iteration, item.task, number] += 1
        need(not found - wanted, f"flows where no data goes: {list(found - wanted)[:3]}")
        for (iteration, source, target) in wanted - found:
            full = [number for number in (source, target)
                    if len(self.tasks[iteration, number].flows_out) +
                    len(self.tasks[iteration, number].flows_in) >= FLOWS_MOST]
            need(full, f"no flow from task {source} to task {target}")

    def check_ledger(self, iterations):
        wanted = collections.Counter(self.place_of(task) for task in self.program.tasks)
        wanted["", ACTIONS] = len(self.program.actions)
        for track in self.profile.tracks:
            need(track.lost == 0 and track.impossible == 0, f"lane '{track.name}' has lost something")
            count = wanted.pop(self.place_of_track(track), 0) * iterations
            need(track.expected == count and track.recorded == count,
                 f"lane '{track.name}': {track.expected} expected, {track.recorded} recorded, "
                 f"the program says {count}")
        need(not wanted, f"lanes that are missing: {list(wanted)}")


def read(program, profile):
    return Run(Program(pathlib.Path(program).read_bytes()), Profile(pathlib.Path(profile).read_bytes()))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        read(sys.argv[1], sys.argv[2]).check(int(sys.argv[3]))
    except Wrong as wrong:
        sys.exit(f"{sys.argv[2]}: {wrong}")


if __name__ == "__main__":
    main()
