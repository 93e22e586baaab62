// What a run of bytes that repeats from row to row stands for: a location with
// its op type, an event with its location. Looked up as a whole, so that a
// location is taken apart once and not once a row.
//
// One thread adds, several may look up meanwhile.
//
// Memory: about 60 bytes for each distinct run and 20 for its call, and its bytes where they are
// not texts that are kept anyway. A run of 4 GiB or more is not found again.

#ifndef OPSCOPE_FORMATS_TORQ_RUNS_H
#define OPSCOPE_FORMATS_TORQ_RUNS_H

#include "base/shared_index.h"
#include "profile/profile.h"

struct torq_run {
    uint32_t name; // string id
    uint32_t call;
    uint32_t kind; // the two are the reader's
    uint32_t index;
};

// A run as it is kept: its bytes in one piece, or in two with one byte between them.
struct run_entry {
    struct torq_run run;
    const char *first;
    uint32_t first_size;
    uint32_t second; // string id; 0: there is none
};

struct runs {
    struct segments entries;       // struct run_entry
    const struct strings *strings; // that second pieces are of, set before anybody looks up
    struct shared_index index;
    struct arena texts;
    uint32_t *calls_of; // by location (string id): the newest call, 0: none
    size_t calls_of_count;
    uint32_t *calls_before; // by call: the one of the same location before it, 0: none
    size_t calls_before_count;
};

#define RUNS_EMPTY ((struct runs){.entries.item_size = sizeof(struct run_entry)})

// Ids of runs are valid for good.
static inline const struct run_entry *runs_entry(const struct runs *runs, uint32_t id)
{
    return segments_get(&runs->entries, id);
}

// Asks for the memory of the run that `hash` most likely belongs to; NULL where there is none.
static inline const struct run_entry *runs_prefetch(const struct runs *runs, uint32_t hash)
{
    uint32_t at = hash;
    const uint32_t id = shared_index_next(shared_index_table(&runs->index), hash, &at);
    if (id == HASH_NONE)
        return NULL;
    const struct run_entry *entry = runs_entry(runs, id);
    __builtin_prefetch(entry);
    return entry;
}

// The same for its bytes, some time later.
static inline void run_entry_prefetch(const struct run_entry *entry)
{
    enum { LINE = 64 };
    if (entry == NULL)
        return;
    __builtin_prefetch(entry->first);
    if (entry->first_size > LINE)
        __builtin_prefetch(entry->first + LINE);
}

static inline bool run_entry_is(const struct runs *runs, const struct run_entry *entry,
                                struct view bytes, char separator)
{
    const size_t first = entry->first_size;
    if (entry->second == 0)
        return view_equal((struct view){entry->first, first}, bytes);
    const struct view second = strings_get(runs->strings, entry->second);
    return bytes.size == first + 1 + second.size && bytes.data[first] == separator &&
           memcmp(entry->first, bytes.data, first) == 0 &&
           memcmp(second.data, bytes.data + first + 1, second.size) == 0;
}

// HASH_NONE when the run is new, or is being added by another thread.
static inline uint32_t runs_find_id(const struct runs *runs, struct view bytes, uint32_t hash)
{
    const struct shared_table *table = shared_index_table(&runs->index);
    uint32_t id;
    for (uint32_t at = hash; (id = shared_index_next(table, hash, &at)) != HASH_NONE;) {
        if (run_entry_is(runs, runs_entry(runs, id), bytes, ','))
            return id;
    }
    return HASH_NONE;
}

// NULL when the run is new.
static inline const struct torq_run *runs_find(const struct runs *runs, struct view bytes,
                                               uint32_t hash)
{
    const uint32_t id = runs_find_id(runs, bytes, hash);
    return id != HASH_NONE ? &runs_entry(runs, id)->run : NULL;
}

// `bytes` are copied.
const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run);

// The same; where the bytes are two of the `strings` (ids) with a comma between them, as `known`
// says or is found out, nothing is copied. Returns the id.
uint32_t runs_add_texts(struct runs *runs, struct view bytes, uint32_t hash, uint32_t first,
                        uint32_t second, bool known, const struct torq_run *run);

// The one call of the one operator with this type and location (string ids).
uint32_t runs_call(struct runs *runs, struct profile *profile, uint32_t type, uint32_t location);

void runs_free(struct runs *runs);

#endif
