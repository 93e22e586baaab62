#include "runs.h"

#include <stdlib.h>

#include "base/recovery.h"

const struct torq_run *runs_add(struct runs *runs, struct view bytes, uint32_t hash,
                                const struct torq_run *run)
{
    const struct run_entry entry = {*run, (uint32_t)bytes.size};
    const size_t id = runs->entries.size / RUNS_STEP;
    if (id >= HASH_NONE || bytes.size > RUNS_SIZE_MOST)
        recovery_fail(SIZE_MAX);
    bytes_append(&runs->entries, &entry, sizeof entry);
    bytes_append(&runs->entries, bytes.data, bytes.size);
    static const char zeros[RUNS_STEP];
    bytes_append(&runs->entries, zeros, (RUNS_STEP - runs->entries.size % RUNS_STEP) % RUNS_STEP);
    hash_add(&runs->index, hash, (uint32_t)id);
    return &runs_entry(runs, (uint32_t)id)->run;
}

uint32_t runs_call(struct runs *runs, struct profile *profile, uint32_t type, uint32_t location)
{
    const uint32_t hash = hash_u64((uint64_t)type << 32 | location);
    uint32_t id;
    for (uint32_t at = hash_first(&runs->calls, hash);
         (id = hash_next(&runs->calls, hash, &at)) != HASH_NONE;) {
        const struct operator_description *op =
            profile_operator(profile, profile_call(profile, id)->operator_id);
        if (op->type == type && op->location == location)
            return id;
    }
    const struct operator_description op = {.type = type, .location = location};
    const struct call call = {.operator_id = profile_operator_add(profile, &op)};
    id = profile_call_add(profile, &call);
    hash_add(&runs->calls, hash, id);
    return id;
}

void runs_free(struct runs *runs)
{
    bytes_free(&runs->entries);
    hash_free(&runs->index);
    hash_free(&runs->calls);
    *runs = (struct runs){0};
}
