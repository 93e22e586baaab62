#include "runs.h"

#include <stdlib.h>

#include "base/memory.h"

const struct torq_run *runs_find(const struct runs *runs, struct view bytes, uint32_t hash)
{
    uint32_t id;
    for (uint32_t at = hash_first(&runs->index, hash);
         (id = hash_next(&runs->index, hash, &at)) != HASH_NONE;) {
        const struct run_entry *entry = segments_get(&runs->entries, id);
        if (view_equal(entry->bytes, bytes))
            return &entry->run;
    }
    return NULL;
}

const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run)
{
    struct run_entry *entry = segments_add(&runs->entries);
    *entry = (struct run_entry){.run = *run, .bytes = arena_copy(&runs->texts, bytes)};
    hash_add(&runs->index, hash, runs->entries.count - 1);
    return &entry->run;
}

uint32_t runs_call(struct runs *runs, struct profile *profile, uint32_t type, uint32_t location)
{
    runs->calls_of =
        memory_extend(runs->calls_of, &runs->calls_of_count, location, sizeof *runs->calls_of);
    const uint32_t newest = runs->calls_of[location];
    for (uint32_t id = newest; id != 0; id = runs->calls_before[id]) {
        if (profile_operator(profile, profile_call(profile, id)->operator_id)->type == type)
            return id;
    }
    const struct operator_description op = {.type = type, .location = location};
    const struct call call = {.operator_id = profile_operator_add(profile, &op)};
    const uint32_t id = profile_call_add(profile, &call);
    runs->calls_before = memory_extend(runs->calls_before, &runs->calls_before_count, id,
                                       sizeof *runs->calls_before);
    runs->calls_before[id] = newest;
    runs->calls_of[location] = id;
    return id;
}

void runs_free(struct runs *runs)
{
    segments_free(&runs->entries);
    hash_free(&runs->index);
    arena_free(&runs->texts);
    free(runs->calls_of);
    free(runs->calls_before);
    *runs = RUNS_EMPTY;
}
