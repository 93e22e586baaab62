// The events of several tracks in one order of time, for writers of rows.
//
// Events are kept in a spool, track after track, and merged when they are read:
// memory is bounded by the spool's window and 32 bytes a track.

#ifndef OPSCOPE_FORMATS_TORQ_TIMELINE_H
#define OPSCOPE_FORMATS_TORQ_TIMELINE_H

#include "base/spool.h"
#include "profile/profile.h"

struct timeline_event {
    uint64_t start; // in the writer's ticks
    uint64_t end;
    uint32_t track;
    uint32_t name;
    uint32_t call;
    enum event_kind kind;
    struct view values;
};

// Turns ticks of a track into the writer's. A later tick may not give less.
typedef uint64_t (*timeline_ticks)(const struct profile *profile, const struct track *track,
                                   uint64_t ticks);

struct timeline_lane {
    uint32_t track;
    size_t at;
    size_t end;
    uint64_t start; // of the event at `at`
};

struct timeline {
    struct event_sink sink;
    struct profile *profile;
    timeline_ticks to_ticks;
    struct spool spool;
    char *data;
    struct timeline_lane *lanes;
    size_t lane_count;
    size_t lane_capacity;
    uint32_t *heap; // lanes that have events left, the earliest in front
    size_t heap_size;
};

struct timeline timeline_create(struct profile *profile, timeline_ticks to_ticks);

// The ids of all tracks in the order in which a reader would list them, for
// the caller to free.
uint32_t *timeline_tracks(const struct profile *profile);

// Takes the events of a track. Where events start together, those of the track
// that was added first come first.
status timeline_add(struct timeline *timeline, uint32_t track);

// After the last track.
status timeline_start(struct timeline *timeline);

// False at the end. Values stay valid until `timeline_free`.
bool timeline_next(struct timeline *timeline, struct timeline_event *out_event);

void timeline_free(struct timeline *timeline);

#endif
