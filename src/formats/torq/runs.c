#include "runs.h"

#include <stdlib.h>

#include "base/memory.h"

static struct run_entry run_entry_of(const struct torq_run *run, struct view first, uint32_t second)
{
    return (struct run_entry){
        .run = *run, .first = first.data, .first_size = (uint32_t)first.size, .second = second};
}

static uint32_t runs_put(struct runs *runs, uint32_t hash, size_t size,
                         const struct run_entry *entry)
{
    *(struct run_entry *)segments_add(&runs->entries) = *entry;
    if (size <= UINT32_MAX)
        shared_index_add(&runs->index, hash, runs->entries.count - 1);
    return runs->entries.count - 1;
}

static struct run_entry runs_copy(struct runs *runs, struct view bytes, const struct torq_run *run)
{
    return run_entry_of(run, arena_copy(&runs->texts, bytes), 0);
}

const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run)
{
    const struct run_entry entry = runs_copy(runs, bytes, run);
    return &runs_entry(runs, runs_put(runs, hash, bytes.size, &entry))->run;
}

uint32_t runs_add_texts(struct runs *runs, struct view bytes, uint32_t hash, uint32_t first,
                        uint32_t second, bool known, const struct torq_run *run)
{
    struct run_entry entry = run_entry_of(run, strings_get(runs->strings, first), second);
    if (second == 0 || (!known && !run_entry_is(runs, &entry, bytes, ',')))
        entry = runs_copy(runs, bytes, run);
    return runs_put(runs, hash, bytes.size, &entry);
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
    shared_index_free(&runs->index);
    arena_free(&runs->texts);
    free(runs->calls_of);
    free(runs->calls_before);
    *runs = RUNS_EMPTY;
}
