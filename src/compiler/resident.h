// What lies in the local memory as a whole while one group after the other is looked at: who
// needs which value, and the places that have been given out (plan_place).

#ifndef OPSCOPE_COMPILER_RESIDENT_H
#define OPSCOPE_COMPILER_RESIDENT_H

#include "plan.h"
#include "taken.h"

enum { RESIDENT_AHEAD_MOST = 16 }; // groups that something may be loaded before its own

struct resident {
    struct plan *plan;
    struct plan_chain *chain; // that is looked at instead of the group that begins it; NULL
    uint32_t *readers;        // by value: how many nodes read it
    uint32_t memory;
    struct span all;   // what values may take of it
    size_t *first_use; // by value, in `uses`
    uint32_t *uses;    // groups that read it in this memory, in order
    uint32_t *maker;   // by value: the group that gives it; PLAN_NONE
    bool *outside;     // by value: it is needed in the far memory
    uint32_t *at;      // by value: the place where it lies now; PLAN_NONE
    uint32_t *active;  // places of the last few groups
    size_t active_count, active_capacity;
    uint32_t previous;   // the last group that was placed
    int64_t *idle;       // by group: cycles in which its job could transfer more
    struct taken busy;   // of the job at hand
    struct taken before; // of it and the job before
};

// False when no memory of the target can keep values: it is there once, and data gets to it
// straight.
bool resident_start(struct resident *resident, struct plan *plan);
void resident_free(struct resident *resident);

// Of the memory, for all of a value.
uint64_t resident_bytes(const struct resident *resident, uint32_t value);

// The group, or the chain that is looked at instead of it.
struct plan_group *resident_item(const struct resident *resident, uint32_t group);

// To load or store so many bytes.
uint64_t resident_carry_cycles(const struct resident *resident, uint64_t bytes);

// Whether a group computes in the memory, cut as the pass likes.
bool resident_is_near(const struct resident *resident, const struct plan_group *group);

// The first use of a value after a group, or of all the last one; PLAN_NONE.
uint32_t resident_next_use(const struct resident *resident, uint32_t value, uint32_t group);
uint32_t resident_last_use(const struct resident *resident, uint32_t value);

struct plan_place *resident_place(const struct resident *resident, uint32_t id);
uint32_t resident_add_place(struct resident *resident, struct plan_place place);

// What was over long before a group is not looked at any more.
void resident_forget_old(struct resident *resident, uint32_t group);

// A value leaves before a group: what needs it later loads it.
void resident_evict(struct resident *resident, uint32_t id, uint32_t group);

// Whether anything lies there in the job of a group.
bool resident_is_taken(const struct resident *resident, uint32_t group, struct span span);

// Those that could give way to a group, the first one first; for the caller to free. What is
// needed before `until` stays.
uint32_t *resident_find_candidates(const struct resident *resident, uint32_t group, uint32_t until,
                                   uint32_t *out_count);

#endif
