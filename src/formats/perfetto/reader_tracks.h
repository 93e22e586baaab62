// The tracks of a trace: what their descriptors say, wherever in the file they
// stand, and what a first look at the events tells about them.
//
// Reading a trace goes over it twice. The first time, descriptors are taken in
// and events are merely counted; then the tracks of the profile are made; the
// second time, events go to them.
//
// Memory: one entry per uuid, PERFETTO_TRACKS_MOST at most, and the times of the
// spans that are open at once.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_TRACKS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_TRACKS_H

#include "base/bytes.h"
#include "fields.h"
#include "formats/trace/spans.h"
#include "profile/profile.h"
#include "reader_sequences.h"

enum { PERFETTO_TRACKS_MOST = 1 << 20 };

enum perfetto_track_kind {
    PERFETTO_TRACK_PLAIN,
    PERFETTO_TRACK_PROCESS,
    PERFETTO_TRACK_THREAD,
    PERFETTO_TRACK_COUNTER,
};

// What the first look at a track's events found.
struct perfetto_census {
    bool has_events; // spans or instants
    bool has_spans;
    bool has_samples;  // of a counter
    bool several;      // sequences write its spans
    bool went_back;    // a beginning or end is earlier than the one before it in the file
    bool broken;       // an end in the file is not the end of what began last
    bool nested;       // beginnings and ends do not simply alternate
    uint32_t sequence; // that wrote the latest beginning or end
    uint64_t time;     // of the latest beginning or end
    uint64_t first;    // the earliest time
    uint64_t *begins;  // times of the spans that are open
    size_t open;       // how many are; at most PERFETTO_DEPTH_MOST are kept
    size_t capacity;
};

struct perfetto_track {
    uint64_t uuid;
    uint64_t parent; // uuid; 0: none
    enum perfetto_track_kind kind;
    bool described;
    bool incremental;
    bool has_children;
    bool visited; // while the profile's tracks are made
    bool unnamed; // its first event gives it its name
    uint64_t pid;
    uint64_t tid;
    int64_t multiplier;
    uint32_t name; // string ids
    uint32_t description;
    uint32_t unit;
    uint32_t ordering; // enum perfetto_child_ordering
    int32_t rank;
    // Tracks of the profile; 0 where there is none:
    uint32_t group; // what children belong to
    uint32_t lane;  // where spans and instants go
    uint32_t counter;
    struct perfetto_census census;
    struct span_lane spans; // the second time over the trace
};

struct perfetto_tracks {
    struct segments tracks;  // struct perfetto_track
    struct hash_index index; // by uuid
    struct strings *strings;
    bool too_many; // some were taken for another
};

void perfetto_tracks_start(struct perfetto_tracks *tracks, struct strings *strings);

// Takes a TrackDescriptor message. The first one of a uuid counts; a later one
// may still give it a name. False when it is malformed.
bool perfetto_tracks_describe(struct perfetto_tracks *tracks, struct view descriptor);

// The track of a uuid, which is added if it is new.
struct perfetto_track *perfetto_tracks_get(struct perfetto_tracks *tracks, uint64_t uuid);

// The same, with a sequence that remembers it for the next time.
static inline struct perfetto_track *perfetto_tracks_get_for(struct perfetto_tracks *tracks,
                                                             struct perfetto_sequence *sequence,
                                                             uint64_t uuid)
{
    if (sequence->found == NULL || sequence->found_uuid != uuid) {
        sequence->found = perfetto_tracks_get(tracks, uuid);
        sequence->found_uuid = uuid;
    }
    return sequence->found;
}

// HASH_NONE when nobody spoke of the uuid.
uint32_t perfetto_tracks_look_up(const struct perfetto_tracks *tracks, uint64_t uuid);

// The first look at an event.
void perfetto_tracks_count(struct perfetto_track *track, const struct perfetto_sequence *sequence,
                           enum perfetto_event_type type, uint64_t time);

// Makes the tracks of the profile, once everything was looked at.
void perfetto_tracks_make(struct perfetto_tracks *tracks, struct profile *profile);

// Names a track after its first event if nobody else did.
void perfetto_tracks_name(struct perfetto_track *track, struct profile *profile, uint32_t name);

void perfetto_tracks_free(struct perfetto_tracks *tracks);

#endif
