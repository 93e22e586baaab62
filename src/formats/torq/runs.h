// What repeats from row to row, and what it stands for: a run of bytes that is an event with its
// location, say. Looked up as a whole, so that it is taken apart once and not once a row.
//
// Memory: about 60 bytes for each distinct run and its bytes, and 20 for its call.

#ifndef OPSCOPE_FORMATS_TORQ_RUNS_H
#define OPSCOPE_FORMATS_TORQ_RUNS_H

#include "profile/profile.h"

struct torq_run {
    uint32_t name; // string id
    uint32_t call;
    uint32_t kind; // the two are the reader's
    uint32_t index;
};

struct run_entry {
    struct torq_run run;
    struct view bytes;
};

// All zero but for the size of its items is empty.
struct runs {
    struct segments entries; // struct run_entry
    struct hash_index index;
    struct arena texts;
    uint32_t *calls_of; // by location (string id): the newest call, 0: none
    size_t calls_of_count;
    uint32_t *calls_before; // by call: the one of the same location before it, 0: none
    size_t calls_before_count;
};

#define RUNS_EMPTY ((struct runs){.entries.item_size = sizeof(struct run_entry)})

// NULL when the run is new. What is found or added stays where it is.
const struct torq_run *runs_find(const struct runs *runs, struct view bytes, uint32_t hash);

// `bytes` are copied.
const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run);

// The one call of the one operator with this type and location (string ids).
uint32_t runs_call(struct runs *runs, struct profile *profile, uint32_t type, uint32_t location);

void runs_free(struct runs *runs);

#endif
