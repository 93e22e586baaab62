#include "overlaps.h"

#include <stdlib.h>

#include "base/memory.h"

void chrome_overlaps_add(struct chrome_overlaps *overlaps, uint64_t start, uint64_t end)
{
    if (overlaps->unsorted)
        return;
    if (start < overlaps->last_start ||
        (start == overlaps->last_start && end > overlaps->last_end && overlaps->last_end > 0)) {
        overlaps->unsorted = true;
        return;
    }
    overlaps->last_start = start;
    overlaps->last_end = end;
    while (overlaps->depth > 0 && overlaps->ends[overlaps->depth - 1] <= start)
        overlaps->depth--;
    if (overlaps->depth > 0 && overlaps->ends[overlaps->depth - 1] < end) {
        overlaps->count++;
        return;
    }
    overlaps->ends =
        memory_grow(overlaps->ends, overlaps->depth, &overlaps->capacity, sizeof *overlaps->ends);
    overlaps->ends[overlaps->depth++] = end;
}

struct look {
    struct event_sink sink;
    struct chrome_overlaps *overlaps;
};

static status overlaps_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct look *look = (struct look *)sink;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->events[i].kind == EVENT_SPAN)
            chrome_overlaps_add(look->overlaps, batch->events[i].start, batch->events[i].end);
    }
    return STATUS_OK;
}

status chrome_overlaps_look_again(struct chrome_overlaps *overlaps, struct profile *profile,
                                  uint32_t track)
{
    struct look look = {.sink.take = overlaps_take_batch, .overlaps = overlaps};
    overlaps->unsorted = false;
    overlaps->depth = 0;
    overlaps->count = 0;
    overlaps->last_start = 0;
    overlaps->last_end = 0;
    return profile_replay_track(profile, track, &look.sink);
}

void chrome_overlaps_free(struct chrome_overlaps *overlaps)
{
    free(overlaps->ends);
}
