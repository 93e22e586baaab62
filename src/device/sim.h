// The evaluator: when every task of a program starts and ends, by the cost rules
// of its target. Time only; the same program gives the same times.
//
// The host walks the actions in order; a controller walks the steps of its job;
// a step that starts a task on a lane that is still busy waits for it. The far
// memory does one transfer after the other, in the order in which they are started,
// unless the public rules are asked for. A task that takes fewer cycles never makes
// anything end later.

#ifndef OPSCOPE_DEVICE_SIM_H
#define OPSCOPE_DEVICE_SIM_H

#include "base/digest.h"
#include "profile/profile.h"
#include "program/program.h"

struct sim_times {
    uint64_t start; // cycles of the target's clock
    uint64_t end;   // of the work itself; a wait may come later
};

struct sim_result {
    struct sim_times *tasks;   // by task
    struct sim_times *steps;   // by step: when the controller was at it
    struct sim_times *actions; // by action
    uint64_t end;
};

status sim_run(const struct program *program, const struct target *target, enum cost_rules rules,
               struct sim_result **out_result);
void sim_result_free(struct sim_result *result);

// Adds every time of the result.
void sim_digest(const struct program *program, const struct sim_result *result,
                struct digest *digest);

// The same as a profile of one iteration, all of it modelled: a lane for every
// engine, flows along dependencies, memory in use and bandwidth as counters,
// operators and calls.
status sim_profile(const struct program *program, const struct target *target,
                   const struct sim_result *result, struct profile *profile);

#endif
