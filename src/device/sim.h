// The evaluator: when every task of a program starts and ends, by the cost rules
// of its target. Time only; the same program gives the same times.
//
// The host walks the actions in order. The steps of a job are walked once, in the order of
// the table: each stream has a time of its own, a step that starts a task on a lane that is
// still busy waits for it, and an await moves its stream to the time of the signal. Lanes
// and ports serve tasks in that order too, so that a task that takes fewer cycles, or a
// port with a higher rate, never makes anything end later. A port without a rate carries
// one transfer after the other. The public rules know neither ports nor busy lanes.
//
// A queue may take cycles before the first and after the last step of a job, and until a job has
// come to all of its units: then each of its streams has a turn of the job. The public rules do
// not know that.
//
// The stages of a task work side by side, each on its own piece: the slowest one takes its
// time, the others add what their first or last piece takes.
//
// Inputs and outputs go over the target's link to the host, where it has one and the rules are
// not the public ones (sim_link.h).

#ifndef OPSCOPE_DEVICE_SIM_H
#define OPSCOPE_DEVICE_SIM_H

#include "base/digest.h"
#include "profile/profile.h"
#include "program/program.h"
#include "state.h"

struct sim_times {
    uint64_t start; // cycles of the target's clock
    uint64_t end;   // of the work itself; a wait may come later
};

// From the start of its task to the last piece of a stage; it waits for its neighbours when it is
// not busy.
struct sim_stage {
    struct sim_times times;
    uint64_t awaited; // cycles until its first piece came
    uint64_t busy;
};

// What a stream has of a job: its steps, and what its queue takes before and after them.
struct sim_turn {
    uint32_t job;
    uint32_t stream;
    uint32_t task; // that it starts first; PROGRAM_NONE
    struct sim_times times;
};

struct sim_result {
    struct sim_times *tasks;   // by task
    struct sim_stage *stages;  // by stage
    struct sim_times *steps;   // by step: when its stream was at it
    struct sim_times *actions; // by action
    struct sim_turn *turns;    // of queues that take something besides their steps, job by job
    size_t turn_count, turn_capacity;
    // Of a target that has a link to the host:
    bool linked;
    struct sim_times *inputs;  // by input: on the link; zeros of what does not come over it
    struct sim_times *outputs; // by output
    uint64_t *waits;           // by task: cycles that it waited for inputs
    uint64_t end;
};

struct sim_options {
    enum cost_rules rules;
    bool unlinked; // as if inputs and outputs were there: what the device takes by itself
    // What stays on the device (device/state.h) does not go over the link.
    const struct device_pair *kept;
    size_t kept_count;
};

// Fails for tasks that the target has no lane for, and for a step that awaits what no step
// before it in the table signals.
status sim_run(const struct program *program, const struct target *target, enum cost_rules rules,
               struct sim_result **out_result);
status sim_run_with(const struct program *program, const struct target *target,
                    const struct sim_options *options, struct sim_result **out_result);
void sim_result_free(struct sim_result *result);

// Adds every time of the result.
void sim_digest(const struct program *program, const struct sim_result *result,
                struct digest *digest);

// The same as a profile of one iteration, all of it modelled: a lane for every
// engine, flows along dependencies, memory in use and bandwidth as counters,
// operators and calls. Where there are several streams each has a lane with what it
// awaited.
status sim_profile(const struct program *program, const struct target *target,
                   const struct sim_result *result, struct profile *profile);

#endif
