// What the host did in a run of a program, taken from the profile that was recorded: its
// actions, and from them the runtime profiles of Torq (R1, R2, R4).
//
// Memory: 40 bytes for each action of each iteration.

#ifndef OPSCOPE_FORMATS_TORQ_RUN_ACTIONS_H
#define OPSCOPE_FORMATS_TORQ_RUN_ACTIONS_H

#include "program/program.h"
#include "torq.h"

// The lane on which a run's actions are recorded, and one for what comes before the first.
#define RUN_ACTIONS_LANE "ACTIONS"
#define RUN_ACTIONS_INIT "INIT"

struct run_action {
    uint64_t start, end; // ticks of the recording's clock
    // Of a start of a job or a host's program: when the wait for it ended. Else `end`.
    uint64_t finish;
    uint64_t iteration;
    uint32_t action; // of the program
    uint32_t dispatch;
};

struct run_actions {
    const struct program *program;
    struct clock_domain clock;
    struct run_action *items; // in the order of their starts
    size_t count, capacity;
    uint64_t init_start, init_end; // how long it took to prepare the program; 0: not recorded
    uint64_t unknown;              // spans of actions that the program does not have
};

// `program` must outlive the result. A recording that was cut off gives what is there.
status run_actions_read(const struct program *program, struct profile *recorded,
                        struct run_actions *out_actions);
void run_actions_free(struct run_actions *actions);

// Writes them as R1, R2 or R4. R1's time_since_open is since the program was prepared. In R4
// an invocation is one execution of a dispatch, from 1 on; 0, of the first dispatch, is INIT.
status run_actions_write(const struct run_actions *actions, enum torq_form form,
                         enum torq_elapsed elapsed, const char *path);

#endif
