// What Tracy recorded as a profile, whether it comes from a file or from a program that runs: a
// process with a lane for each thread, a lane for each set of frames, counters, and a process for
// each device with a lane for each of its queues or processors.
//
// Times are nanoseconds since the profiler of the program began. What is impossible (before that,
// or an end before its start) is accounted for on its lane; so are zones that never end, as lost.
//
// Memory: the distinct texts and lanes.

#ifndef OPSCOPE_FORMATS_TRACY_BUILD_H
#define OPSCOPE_FORMATS_TRACY_BUILD_H

#include "profile/profile.h"

struct tracy_location {
    uint32_t name; // string ids of the profile; 0: none
    uint32_t function;
    uint32_t source; // "file:line"
};

struct tracy_zone {
    int64_t start;
    int64_t end; // below start: it never ended
    struct tracy_location location;
    uint32_t name;    // of this zone alone; 0: none
    struct view text; // "" : none
};

struct tracy_build {
    struct profile *profile;
    const char *path;
    uint32_t clock;
    uint32_t process;
    struct hash_index lanes;
    struct segments lane_keys; // struct lane_key
    uint32_t text_key, zone_key, function_key, source_key, message_key, value_key;
    uint64_t open_zones; // zones that never end
    struct bytes values;
};

void tracy_build_start(struct tracy_build *build, struct profile *profile, const char *path,
                       struct view program, uint64_t pid);

// Accounts for all lanes.
void tracy_build_finish(struct tracy_build *build);
void tracy_build_free(struct tracy_build *build);

// A location from its parts, which may be empty.
struct tracy_location tracy_build_location(struct tracy_build *build, struct view name,
                                           struct view function, struct view file, uint32_t line);

// The lane of a thread; 0 for what belongs to none, which has a lane of its own.
uint32_t tracy_build_thread(struct tracy_build *build, uint64_t thread);

// What a thread is called; before or after its first event.
void tracy_build_name_thread(struct tracy_build *build, uint64_t thread, struct view name);

// The lane of a set of frames; "" is the main one.
uint32_t tracy_build_frames(struct tracy_build *build, struct view name);

uint32_t tracy_build_counter(struct tracy_build *build, struct view name, const char *unit);

// A lane of a device: `context` numbers what Tracy calls a GPU context, `name` and `type` describe
// it, `thread` is which of its lanes.
uint32_t tracy_build_device(struct tracy_build *build, uint32_t context, struct view name,
                            unsigned type, uint64_t thread);

// What such a lane is called; those of cores have names already.
void tracy_build_name_device(struct tracy_build *build, uint32_t lane, struct view name);

void tracy_build_zone(struct tracy_build *build, uint32_t lane, const struct tracy_zone *zone);
void tracy_build_message(struct tracy_build *build, uint32_t lane, int64_t time, struct view text);
void tracy_build_sample(struct tracy_build *build, uint32_t counter, int64_t time, double value);
void tracy_build_frame(struct tracy_build *build, uint32_t lane, int64_t start, int64_t end,
                       struct view name);

#endif
