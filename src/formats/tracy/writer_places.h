// Where the tracks of a profile go in a .tracy file: threads of the program, contexts of devices
// with a thread for each of their lanes, sets of frames, plots.
//
// A file has one program: the first process with something of the host on it. Lanes elsewhere are
// called by their path ("other / group / lane"). Spans that overlap on a track without lying inside
// one another go to further lanes of the same name.
//
// Lanes of a device are those whose role says so, and what `build.h` makes of contexts: these
// become the same contexts again.

#ifndef OPSCOPE_FORMATS_TRACY_WRITER_PLACES_H
#define OPSCOPE_FORMATS_TRACY_WRITER_PLACES_H

#include "device_lanes.h"
#include "formats/trace/lane_search.h"
#include "profile/profile.h"

enum {
    TRACY_THREADS_MOST = 65535, // numbers of 16 bits stand for them, one of which is none
    TRACY_CONTEXT_OPENCL = 3,   // what lanes of a device belong to that say no more
};

enum place_kind { PLACE_THREAD, PLACE_DEVICE, PLACE_FRAMES, PLACE_COUNTER };

// One row of zones, with what is open on it while spans come.
struct written_lane {
    uint32_t track;
    enum place_kind kind; // a thread, or a lane of a device
    uint64_t thread;      // its number
    uint32_t name;        // text id of the writer's; 0: the number says it all
    uint32_t next;        // of the same context: lane + 1; 0: none
    uint64_t zones;       // in all
    uint64_t first_row;   // of them, when they are sorted
    uint64_t messages;    // the same
    uint64_t first_message;
    uint64_t *ends; // of spans that are open, outermost first
    size_t depth;
    size_t capacity;
};

struct written_context {
    uint32_t holder; // track
    uint32_t name;   // text id of the writer's
    unsigned type;
    uint32_t first; // lane + 1
    uint32_t last;
    uint64_t zones;
};

struct track_place {
    enum place_kind kind;
    uint32_t context; // of a device: index
    uint64_t own;     // number of the thread that it was read with, if `has_own`
    bool has_own;
    bool is_core;      // a processor of a core
    bool of_nobody;    // its messages belong to no thread
    uint32_t messages; // lane + 1 that its messages are on, where that is another one; 0: none yet
    uint32_t *lanes;   // that its spans are on
    size_t lane_count;
    size_t lane_capacity;
    struct lane_search search;
};

struct tracy_places {
    const struct profile *profile;
    struct strings *texts; // of the writer
    uint32_t program;      // track; 0: there is none
    struct track_place *tracks;
    struct segments lanes;    // struct written_lane
    struct segments contexts; // struct written_context
    struct hash_index context_index;
    struct hash_index taken; // numbers of threads, by position in `numbers`
    struct segments numbers; // uint64_t
    uint64_t next_thread;
    uint64_t next_device_threads[TRACY_PROCESSORS]; // by processor
};

void tracy_places_start(struct tracy_places *places, const struct profile *profile,
                        struct strings *texts);
void tracy_places_free(struct tracy_places *places);

static inline struct written_lane *tracy_places_lane(const struct tracy_places *places, uint32_t id)
{
    return segments_get(&places->lanes, id);
}

// The lane that a span of a track goes to; it is open there from now on. Spans come in order of
// their starts. HASH_NONE: there are too many.
uint32_t tracy_places_span(struct tracy_places *places, uint32_t track, uint64_t start,
                           uint64_t end);

// The lane whose thread has the messages of a track; HASH_NONE: there are too many. Those of thread
// 0 belong to nobody.
uint32_t tracy_places_message(struct tracy_places *places, uint32_t track);

// "group / lane", with the process where that is not the program.
uint32_t tracy_places_path(struct tracy_places *places, uint32_t track);

// The short number that stands for a thread in the file: its place in `numbers`, + 1; 0: none.
uint32_t tracy_places_short(const struct tracy_places *places, uint64_t thread);

#endif
