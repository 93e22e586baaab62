// The processes, threads and counters of a Chrome trace, as tracks of a profile.
//
// A track is made when an event first speaks of it and gets its name at the end: the metadata may
// stand anywhere. Memory: about 200 bytes a lane, and the spans that are open on it.

#ifndef OPSCOPE_FORMATS_CHROME_LANES_H
#define OPSCOPE_FORMATS_CHROME_LANES_H

#include "events.h"
#include "formats/trace/spans.h"
#include "overlaps.h"
#include "profile/profile.h"

enum { CHROME_LANES_MOST = 1 << 20 };

// What tells a pid or a tid from another.
struct chrome_key {
    bool is_text;
    uint64_t number; // the number, or the string id of the text
};

struct chrome_process {
    struct chrome_key pid;
    bool has_pid;
    uint32_t track;
    uint32_t name; // string ids; 0: not given
    uint32_t labels;
    bool has_rank;
    int32_t rank;
};

enum chrome_lane_kind { CHROME_THREAD, CHROME_ASYNC, CHROME_COUNTER };

// What a look at the beginnings and ends of a thread found.
struct chrome_census {
    int64_t last; // time of the latest one
    bool seen;
    bool went_back; // one is earlier than the one before it in the file
    bool broken;    // an end in the file is not the end of what began last
    int64_t *begins;
    size_t open; // at most SPAN_DEPTH_MOST are kept
    size_t capacity;
};

struct chrome_lane {
    enum chrome_lane_kind kind;
    uint32_t process;      // index
    struct chrome_key tid; // of a thread
    uint32_t name;         // string id: given, or that of the counter or the async events
    uint32_t detail; // string id: category of async events, series of a counter, lane of a thread
    uint32_t number; // string id of a counter's `id`
    uint32_t description;
    bool has_tid;
    bool has_rank;
    int32_t rank;
    struct span_lane spans;
    struct chrome_census census;
    struct chrome_overlaps overlaps; // of complete events
};

// Where the lane of a thread was found that is told by numbers alone. All zero is free.
struct chrome_near_lane {
    struct chrome_lane *lane;
    uint64_t pid;
    uint64_t tid;
    enum chrome_scalar_kind pid_kind;
    enum chrome_scalar_kind tid_kind;
};

enum { CHROME_LANES_NEAR = 64 };

struct chrome_lanes {
    struct profile *profile;
    struct segments processes; // struct chrome_process
    struct segments lanes;     // struct chrome_lane
    struct hash_index process_index;
    struct hash_index lane_index;
    uint32_t last_process;
    uint32_t last_lane;
    struct chrome_near_lane near[CHROME_LANES_NEAR];
    bool too_many; // the last lane stands for those that there was no room for
};

void chrome_lanes_start(struct chrome_lanes *lanes, struct profile *profile);

struct chrome_process *chrome_lanes_process(struct chrome_lanes *lanes,
                                            const struct chrome_event *event, uint32_t *out_index);

// The thread of an event.
struct chrome_lane *chrome_lanes_thread(struct chrome_lanes *lanes,
                                        const struct chrome_event *event);

// The lane of asynchronous events with this name and category.
struct chrome_lane *chrome_lanes_async(struct chrome_lanes *lanes, const struct chrome_event *event,
                                       uint32_t name, uint32_t category);

// A counter: its name, its series (an argument's key), and the id's text. A counter whose first
// sample has one series is called by its name, and the series (unless it is "value") is its unit.
struct chrome_lane *chrome_lanes_counter(struct chrome_lanes *lanes,
                                         const struct chrome_event *event, uint32_t name,
                                         uint32_t series, uint32_t number, bool alone);

// A line that tells provenance and clock of a lane (track_source.h), before its first event.
void chrome_lanes_describe(struct chrome_lanes *lanes, struct chrome_lane *lane,
                           struct view description);

// Names the tracks and puts them in order.
void chrome_lanes_finish(struct chrome_lanes *lanes);

void chrome_lanes_free(struct chrome_lanes *lanes);

#endif
