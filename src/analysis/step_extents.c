#include "step_extents.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

struct extent_reader {
    struct event_sink sink;
    const struct profile *profile;
    struct step_extents *extents;
    size_t capacity;
};

bool step_extents_is_step(const struct profile *profile, uint32_t call)
{
    const struct call *described = profile_call(profile, call);
    return call != 0 && described->operator_id == 0 &&
           view_is(profile_text(profile, described->domain), "step");
}

static status extents_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct extent_reader *reader = (struct extent_reader *)sink;
    const struct profile *profile = reader->profile;
    struct step_extents *extents = reader->extents;
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        if (event->kind != EVENT_SPAN || !step_extents_is_step(profile, event->call))
            continue;
        const struct clock_domain *clock =
            profile_clock(profile, profile_track(profile, event->track)->clock);
        extents->items =
            memory_grow(extents->items, extents->count, &reader->capacity, sizeof *extents->items);
        extents->items[extents->count++] =
            (struct step_extent){profile_call(profile, event->call)->iteration,
                                 clock_to_ns(clock, event->start), clock_to_ns(clock, event->end)};
    }
    return STATUS_OK;
}

static int extents_by_number(const void *left, const void *right)
{
    const struct step_extent *a = left, *b = right;
    return a->number != b->number ? sort_compare(a->number, b->number)
                                  : sort_compare(a->start, b->start);
}

// Several processes may have spans of one step.
static void join_extents(struct step_extents *extents)
{
    size_t kept = 0;
    sort_items(extents->items, extents->count, sizeof *extents->items, extents_by_number);
    for (size_t i = 0; i < extents->count; i++) {
        const struct step_extent *item = &extents->items[i];
        struct step_extent *last = kept > 0 ? &extents->items[kept - 1] : NULL;
        if (last == NULL || last->number != item->number)
            extents->items[kept++] = *item;
        else if (item->end > last->end)
            last->end = item->end;
    }
    extents->count = kept;
}

static bool has_steps(const struct profile *profile)
{
    for (uint32_t i = 1; i < profile->calls.count; i++) {
        if (step_extents_is_step(profile, i))
            return true;
    }
    return false;
}

status step_extents_read(struct profile *profile, struct step_extents *out_extents)
{
    struct extent_reader reader = {
        .sink = {extents_take_batch}, .profile = profile, .extents = out_extents};
    *out_extents = (struct step_extents){0};
    status result = STATUS_OK;
    const uint32_t tracks = has_steps(profile) ? profile->tracks.count : 0;
    for (uint32_t i = 0; i < tracks && result == STATUS_OK; i++) {
        if (!role_is_device(profile_track(profile, i)->role))
            result = profile_replay_track(profile, i, &reader.sink);
    }
    if (result == STATUS_OK)
        join_extents(out_extents);
    else
        step_extents_free(out_extents);
    return result;
}

void step_extents_free(struct step_extents *extents)
{
    free(extents->items);
    *extents = (struct step_extents){0};
}

const struct step_extent *step_extents_find(const struct step_extents *extents, uint32_t number)
{
    size_t from = 0, to = extents->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (extents->items[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < extents->count && extents->items[from].number == number ? &extents->items[from]
                                                                          : NULL;
}

const struct step_extent *step_extents_at(const struct step_extents *extents, uint64_t ns)
{
    size_t from = 0, to = extents->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (extents->items[middle].start <= ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && ns < extents->items[from - 1].end ? &extents->items[from - 1] : NULL;
}
