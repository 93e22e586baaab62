// What is known of a program while its steps are gone through.

#ifndef OPSCOPE_PROGRAM_VERIFY_STATE_H
#define OPSCOPE_PROGRAM_VERIFY_STATE_H

#include "verify_order.h"

enum verify_stand { VERIFY_NOT_STARTED, VERIFY_STARTED, VERIFY_WAITED };

struct verify_tasks {
    uint8_t *stand;            // enum verify_stand
    uint32_t *stream;          // that started it; PROGRAM_NONE: the host
    struct verify_point *over; // where it was waited for
};

struct verify_state {
    const struct program *program;
    const struct target *target;
    const uint32_t *roots; // by buffer: the one whose bytes it shows, or itself
    struct verify_order *order;
    struct verify_tasks tasks;
    uint32_t *stamps; // by unit of all memories: the last task + 1 that is cast there
    uint32_t moment;
};

// Whether a task has been waited for before `now`.
static inline bool verify_is_over(const struct verify_state *state, uint32_t task,
                                  struct verify_point now)
{
    return state->tasks.stand[task] == VERIFY_WAITED &&
           verify_order_before(state->order, state->tasks.over[task], now);
}

#endif
