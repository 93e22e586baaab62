// Where the tracks of a profile go in a Chrome trace: pids, tids, and lanes for what overlaps.
//
// Chrome knows processes and threads and nothing above or between them: every track that has
// lanes or counters directly below it becomes a process, called by its path in the profile.
// Numbers that a track was read with (values pid, tid) are kept where they are unique and viewers
// take them: 1 to 2^32 - 1.

#ifndef OPSCOPE_FORMATS_CHROME_WRITER_PLACES_H
#define OPSCOPE_FORMATS_CHROME_WRITER_PLACES_H

#include "formats/trace/lane_search.h"
#include "profile/profile.h"

struct writer_process {
    uint32_t track;
    uint32_t pid;
    uint32_t order;   // among all tracks
    uint32_t written; // the part in which it was described last, + 1
};

struct writer_lane {
    uint32_t tid;
    uint32_t written;  // as above
    struct bytes head; // "pid":1,"tid":2,"ts": padded
    uint64_t *ends;    // of open spans (ns), outermost first
    size_t depth;
    size_t capacity;
};

struct writer_place {
    uint32_t process; // index
    uint32_t order;
    struct clock_domain clock;
    bool cycles; // the clock counts cycles
    bool nests;
    bool ambiguous;      // a counter of the same name is in its process
    uint64_t last_start; // ns
    struct writer_lane *lanes;
    size_t lane_count;
    size_t lane_capacity;
    struct lane_search search;
};

// Numbers that are taken.
struct writer_numbers {
    uint64_t *items;
    size_t count;
    size_t capacity;
    struct hash_index index;
};

struct writer_places {
    struct profile *profile;
    struct writer_place *places; // by track
    struct writer_process *processes;
    size_t process_count;
    size_t process_capacity;
    struct writer_numbers taken; // pid << 32 | tid; tid 0 for pids
    uint32_t next_pid;
    uint32_t next_tid;
    uint32_t pid_key;
    uint32_t tid_key;
};

void writer_places_start(struct writer_places *places, struct profile *profile);

// The lane on which a span (or an instant, where it starts as it ends) has room. Spans come in
// order of start.
struct writer_lane *writer_places_lane(struct writer_places *places, uint32_t track, bool nests,
                                       uint64_t start, uint64_t end);

// A span that ends there is open on the lane from now on.
void writer_places_open(struct writer_places *places, uint32_t track, struct writer_lane *lane,
                        uint64_t end);

// Forgets what is open: the tracks are gone over again.
void writer_places_restart(struct writer_places *places);

// "outer / inner", the names of the tracks above and its own.
void writer_places_name(const struct writer_places *places, const struct writer_process *process,
                        struct bytes *to);

void writer_places_free(struct writer_places *places);

#endif
