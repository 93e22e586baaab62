// What the evaluator's times say of a program: where its modelled time goes, what
// bounds each group of operators, and how much of each memory is in use.

#ifndef OPSCOPE_ANALYSIS_MODELLED_H
#define OPSCOPE_ANALYSIS_MODELLED_H

#include "device/sim.h"

enum modelled_kind {
    MODELLED_COMPUTE, // whatever computes, on the device or on a processor
    MODELLED_DMA,
    MODELLED_HOST, // the host of an accelerator
    MODELLED_KINDS,
};

struct modelled_group {
    uint32_t group;
    uint64_t start; // of its first task, in cycles
    uint64_t end;   // of its last task
    uint64_t busy[MODELLED_KINDS];
    uint64_t least; // what its tasks need, one after the other, at the peak rates
    uint32_t tasks; // 0: it only shows bytes under another shape
    uint32_t tiles;
    bool unknown;             // how long its work takes depends on shapes that are not known
    enum modelled_kind bound; // what is busy for most of its time
};

struct modelled_memory {
    uint64_t peak;      // bytes in use at the same time, of its fullest unit
    uint64_t reach;     // end of the highest address in use
    uint64_t constants; // bytes loaded with the program
    uint64_t unknown;   // buffers whose size is known only when it runs
};

struct modelled {
    uint64_t cycles;
    uint64_t busy[MODELLED_KINDS]; // cycles in which at least one of the kind is at work
    uint64_t link;                 // in which something is on the link to the host
    uint64_t idle;                 // in which nothing is at work, nor on the link
    // The least that the engine with the most to do needs at its peak rate.
    uint64_t least;
    uint32_t least_engine;            // of the target; TARGET_NONE: there is no work, or no price
    uint32_t unpriced;                // tasks with work that the rules give no time
    uint32_t unpriced_engine;         // of the first of them
    struct modelled_memory *memories; // of the target
    uint64_t constants;               // bytes, of all memories
    uint32_t host_groups;
    uint32_t unknown_groups; // whose time is known only when they run
    uint32_t group_count;
    struct modelled_group *groups; // the slowest first, then in order of the program
};

struct modelled *modelled_create(const struct program *program, const struct target *target,
                                 const struct sim_result *result);
void modelled_free(struct modelled *modelled);

enum modelled_kind modelled_kind_of(const struct target *target, uint32_t engine);

// "compute", "dma", "host"
const char *modelled_kind_name(enum modelled_kind kind);

// How a group is called: its name, or its type and the place in the network's file.
// Cut to the size of `text`.
const char *modelled_group_text(const struct program *program, uint32_t group, char *text,
                                size_t size);

// Groups taken together --------------------------------------------------------

// How many groups after the first `from` take more than so many percent of all cycles.
uint32_t modelled_groups_above(const struct modelled *modelled, uint32_t from, double percent);

// Groups of one type.
struct modelled_type {
    uint32_t type; // text
    uint32_t count;
    uint64_t cycles;
    uint64_t least;
};

// The type whose groups take the most time beyond their least.
struct modelled_type modelled_slowest_type(const struct modelled *modelled,
                                           const struct program *program);

// Groups that are on the host for one reason.
struct modelled_reason {
    uint32_t text;  // id in the program
    uint32_t group; // the first one
    uint32_t count;
};

// The most frequent first; for the caller to free.
struct modelled_reason *modelled_host_reasons(const struct program *program,
                                              const struct target *target, size_t *out_count);

#endif
