#include "timeline.h"

#include <stdlib.h>

#include "base/memory.h"

// One event in the spool; its values follow, up to a multiple of 8 bytes.
struct kept_event {
    uint64_t start;
    uint64_t end;
    uint32_t name;
    uint32_t call;
    uint32_t kind;
    uint32_t values_size;
};

static size_t padding(size_t size)
{
    return (8 - size % 8) % 8;
}

static status torq_timeline_take_batch(struct event_sink *sink, const struct event_batch *batch)
{
    struct timeline *timeline = (struct timeline *)(void *)sink;
    static const char zeros[8];
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        const struct view values = event_values(batch, event);
        const struct track *track = profile_track(timeline->profile, event->track);
        const struct kept_event kept = {
            .start = timeline->to_ticks(timeline->profile, track, event->start),
            .end = timeline->to_ticks(timeline->profile, track, event->end),
            .name = event->name,
            .call = event->call,
            .kind = event->kind,
            .values_size = event->values_size};
        STATUS_TRY(spool_append(&timeline->spool, &kept, sizeof kept));
        STATUS_TRY(spool_append(&timeline->spool, values.data, values.size));
        STATUS_TRY(spool_append(&timeline->spool, zeros, padding(values.size)));
    }
    return STATUS_OK;
}

struct timeline timeline_create(struct profile *profile, timeline_ticks to_ticks)
{
    return (struct timeline){.sink = {torq_timeline_take_batch},
                             .profile = profile,
                             .to_ticks = to_ticks,
                             .spool = SPOOL_EMPTY};
}

static int torq_timeline_compare_tracks(const void *left, const void *right, void *context)
{
    const struct profile *profile = context;
    const uint32_t a_id = *(const uint32_t *)left;
    const uint32_t b_id = *(const uint32_t *)right;
    const struct track *a = profile_track(profile, a_id);
    const struct track *b = profile_track(profile, b_id);
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a_id > b_id) - (a_id < b_id);
}

uint32_t *timeline_tracks(const struct profile *profile)
{
    const uint32_t count = profile->tracks.count;
    uint32_t *ids = memory_allocate(count * sizeof *ids);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = i;
    qsort_r(ids, count, sizeof *ids, torq_timeline_compare_tracks, (void *)(uintptr_t)profile);
    return ids;
}

status timeline_add(struct timeline *timeline, uint32_t track)
{
    struct timeline_lane lane = {.track = track, .at = spool_size(&timeline->spool)};
    STATUS_TRY(profile_replay_track(timeline->profile, track, &timeline->sink));
    lane.end = spool_size(&timeline->spool);
    if (lane.at == lane.end)
        return STATUS_OK;
    timeline->lanes = memory_grow(timeline->lanes, timeline->lane_count, &timeline->lane_capacity,
                                  sizeof *timeline->lanes);
    timeline->lanes[timeline->lane_count++] = lane;
    return STATUS_OK;
}

static bool torq_timeline_comes_before(const struct timeline *timeline, uint32_t a, uint32_t b)
{
    const uint64_t a_start = timeline->lanes[a].start;
    const uint64_t b_start = timeline->lanes[b].start;
    return a_start != b_start ? a_start < b_start : a < b;
}

static void torq_timeline_sift(struct timeline *timeline, size_t root)
{
    uint32_t *const heap = timeline->heap;
    const uint32_t moved = heap[root];
    for (size_t child; (child = 2 * root + 1) < timeline->heap_size; root = child) {
        if (child + 1 < timeline->heap_size &&
            torq_timeline_comes_before(timeline, heap[child + 1], heap[child]))
            child++;
        if (!torq_timeline_comes_before(timeline, heap[child], moved))
            break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static void load_start(struct timeline *timeline, struct timeline_lane *lane)
{
    struct kept_event kept;
    memcpy(&kept, timeline->data + lane->at, sizeof kept);
    lane->start = kept.start;
}

status timeline_start(struct timeline *timeline)
{
    size_t size;
    STATUS_TRY(spool_read(&timeline->spool, &timeline->data, &size));
    timeline->heap = memory_allocate(timeline->lane_count * sizeof *timeline->heap);
    timeline->heap_size = timeline->lane_count;
    for (size_t i = 0; i < timeline->lane_count; i++) {
        load_start(timeline, &timeline->lanes[i]);
        timeline->heap[i] = (uint32_t)i;
    }
    for (size_t i = timeline->heap_size / 2; i > 0; i--)
        torq_timeline_sift(timeline, i - 1);
    return STATUS_OK;
}

bool timeline_next(struct timeline *timeline, struct timeline_event *out_event)
{
    if (timeline->heap_size == 0)
        return false;
    struct timeline_lane *lane = &timeline->lanes[timeline->heap[0]];
    struct kept_event kept;
    memcpy(&kept, timeline->data + lane->at, sizeof kept);
    lane->at += sizeof kept;
    *out_event = (struct timeline_event){.start = kept.start,
                                         .end = kept.end,
                                         .track = lane->track,
                                         .name = kept.name,
                                         .call = kept.call,
                                         .kind = (enum event_kind)kept.kind,
                                         .values = {timeline->data + lane->at, kept.values_size}};
    lane->at += kept.values_size + padding(kept.values_size);
    if (lane->at < lane->end)
        load_start(timeline, lane);
    else
        timeline->heap[0] = timeline->heap[--timeline->heap_size];
    if (timeline->heap_size > 0)
        torq_timeline_sift(timeline, 0);
    return true;
}

void timeline_free(struct timeline *timeline)
{
    spool_free(&timeline->spool);
    free(timeline->lanes);
    free(timeline->heap);
    *timeline = (struct timeline){.spool = SPOOL_EMPTY};
}
