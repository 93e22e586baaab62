#include "reader_counters.h"

#include <stdlib.h>

#include "base/memory.h"

void perfetto_counters_free(struct perfetto_counters *counters)
{
    bytes_free(&counters->value);
    free(counters->totals);
    hash_free(&counters->index);
}

static struct perfetto_total *reader_counters_total_of(struct perfetto_counters *counters,
                                                       const struct perfetto_track *track,
                                                       const struct perfetto_sequence *sequence)
{
    const uint32_t hash = hash_u64(track->uuid ^ (uint64_t)sequence->id << 32);
    uint32_t id;
    for (uint32_t at = hash_first(&counters->index, hash);
         (id = hash_next(&counters->index, hash, &at)) != HASH_NONE;) {
        struct perfetto_total *total = &counters->totals[id];
        if (total->track == track && total->sequence == sequence->id)
            return total;
    }
    counters->totals = memory_grow(counters->totals, counters->count, &counters->capacity,
                                   sizeof *counters->totals);
    hash_add(&counters->index, hash, (uint32_t)counters->count);
    struct perfetto_total *added = &counters->totals[counters->count++];
    *added = (struct perfetto_total){.track = track, .sequence = sequence->id};
    return added;
}

// Adds a step to where the counter stood.
static void reader_counters_accumulate(struct perfetto_total *total, uint32_t generation,
                                       struct value *value)
{
    if (total->generation != generation)
        *total = (struct perfetto_total){
            .track = total->track, .sequence = total->sequence, .generation = generation};
    const double step = value->kind == VALUE_REAL ? value->real : (double)(int64_t)value->number;
    int64_t sum;
    if (!total->is_real && value->kind == VALUE_INT &&
        !__builtin_add_overflow(total->number, (int64_t)value->number, &sum)) {
        total->number = sum;
        value->number = (uint64_t)sum;
        return;
    }
    total->real = (total->is_real ? total->real : (double)total->number) + step;
    total->is_real = true;
    value->kind = VALUE_REAL;
    value->real = total->real;
}

static void reader_counters_multiply(struct value *value, int64_t multiplier)
{
    int64_t product;
    if (value->kind == VALUE_REAL) {
        value->real *= (double)multiplier;
    } else if (!__builtin_mul_overflow((int64_t)value->number, multiplier, &product)) {
        value->number = (uint64_t)product;
    } else {
        value->kind = VALUE_REAL;
        value->real = (double)(int64_t)value->number * (double)multiplier;
    }
}

void perfetto_counters_add(struct perfetto_counters *counters,
                           const struct perfetto_sequence *sequence,
                           const struct perfetto_track *track, uint64_t time, struct value value,
                           uint64_t offset)
{
    const uint32_t id = track->counter != 0 ? track->counter : track->lane;
    profile_track(counters->profile, id)->ledger.expected++;
    if (track->counter == 0) {
        perfetto_losses_add(counters->losses, id, PERFETTO_LOSS_NOT_COUNTER, 0, offset);
        return;
    }
    reader_counters_multiply(&value, track->multiplier);
    if (track->incremental)
        reader_counters_accumulate(reader_counters_total_of(counters, track, sequence),
                                   sequence->generation, &value);
    if (value.kind == VALUE_INT && (int64_t)value.number >= 0)
        value.kind = VALUE_UINT;
    counters->value.size = 0;
    value_add(&counters->value, &value);
    const struct event event = {.start = time, .end = time, .track = id, .kind = EVENT_COUNTER};
    profile_event_add(counters->profile, &event, bytes_view(&counters->value));
}
