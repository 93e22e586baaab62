// What a run of bytes that repeats from row to row stands for: a location with
// its op type, an event with its location. Looked up as a whole, so that a
// location is taken apart once and not once a row.
//
// Memory: the distinct runs and about 50 bytes for each.

#ifndef OPSCOPE_FORMATS_TORQ_RUNS_H
#define OPSCOPE_FORMATS_TORQ_RUNS_H

#include "base/hash.h"
#include "profile/profile.h"

struct torq_run {
    uint32_t name; // string id
    uint32_t call;
    uint32_t kind; // the two are the reader's
    uint32_t index;
};

// A run as it is kept; its bytes follow at once, so that one look at memory
// finds both.
struct run_entry {
    struct torq_run run;
    uint32_t size;
};

enum { RUNS_STEP = 16, RUNS_SIZE_MOST = 16 << 20 };

// All zero is an empty set.
struct runs {
    struct bytes entries; // each at a multiple of RUNS_STEP, which is its id
    struct hash_index index;
    struct hash_index calls; // by operator type and location
};

static inline const struct run_entry *runs_entry(const struct runs *runs, uint32_t id)
{
    return (const struct run_entry *)(const void *)(runs->entries.data + (size_t)id * RUNS_STEP);
}

// Asks for the memory of the run that `hash` most likely belongs to.
static inline void runs_prefetch(const struct runs *runs, uint32_t hash)
{
    uint32_t at = hash_first(&runs->index, hash);
    const uint32_t id = hash_next(&runs->index, hash, &at);
    if (id == HASH_NONE)
        return;
    const char *entry = (const char *)runs_entry(runs, id);
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + 64);
    __builtin_prefetch(entry + 128);
}

// NULL when the run is new. Valid until the next one is added.
static inline const struct torq_run *runs_find(const struct runs *runs, struct view bytes,
                                               uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&runs->index, hash);
         (id = hash_next(&runs->index, hash, &at)) != HASH_NONE;) {
        const struct run_entry *entry = runs_entry(runs, id);
        if (entry->size == bytes.size && memcmp(entry + 1, bytes.data, bytes.size) == 0)
            return &entry->run;
    }
    return NULL;
}

// `bytes` are copied and at most RUNS_SIZE_MOST.
const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run);

// The one call of the one operator with this type and location (string ids).
uint32_t runs_call(struct runs *runs, struct profile *profile, uint32_t type, uint32_t location);

void runs_free(struct runs *runs);

#endif
