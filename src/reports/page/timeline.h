// The timeline of a page: lanes in the order of the tracks, each at the levels of detail that
// there is room for. Lanes with few spans are exact first; of the others the finest level is the
// one at which all of them fit.
//
// Two passes over the events: the first finds out how large each level would be, the second makes
// those that are chosen. Memory: the room that is given, and some 500 bytes a lane.

#ifndef OPSCOPE_REPORTS_PAGE_TIMELINE_H
#define OPSCOPE_REPORTS_PAGE_TIMELINE_H

#include "flows.h"
#include "numbers.h"
#include "reports/picture/kinds.h"

enum { TIMELINE_LANES_MOST = 2000 };

// What the rest of a timeline takes in a page, about: of a lane, of the flows, of the operators. Of
// several profiles in a page each has its share.
enum {
    TIMELINE_LANE_SIZE = 700,
    TIMELINE_FLOWS_SIZE = 400 * 1000,
    TIMELINE_OPERATORS_SIZE = 200 * 1000,
};

// A level in `blocks`, in the form of levels.h; of a counter in that of counter.h.
struct page_level {
    uint8_t shift; // buckets of 2^shift ns; LEVELS_EXACT
    uint64_t at, size, count;
};

struct page_lane {
    uint32_t track;
    unsigned depth; // how many tracks it is under
    unsigned kind;
    bool heading; // nothing lies on it: it names what is below
    unsigned rows;
    uint64_t busy;                         // ns in which some span is open
    uint64_t deeper;                       // spans that lie deeper than there are rows
    uint64_t no_numbers;                   // samples
    double least, most;                    // of a counter
    struct page_level levels[LEVELS_MOST]; // of spans and instants
    unsigned level_count;                  // finest first
    struct page_level counter;             // of the track's samples; size 0: it has none
};

struct page_timeline {
    struct profile *profile;
    uint64_t start, length; // ns
    struct picture_kinds kinds;
    unsigned share; // as of the room
    struct page_lane *lanes;
    size_t lane_count;
    uint32_t left_out; // tracks that found no room
    struct page_numbers numbers;
    struct flows flows;
    struct bytes blocks;
    uint64_t spans, instants, samples;
    uint64_t exact; // spans of lanes that have an exact level
};

struct page_timeline_room {
    uint64_t blocks; // bytes
    uint64_t names;  // bytes of JSON
    unsigned share;  // of how many profiles in the page this is one
};

// `profile` must outlive the timeline.
status page_timeline_make(struct profile *profile, const struct page_timeline_room *room,
                          struct page_timeline *out_timeline);
void page_timeline_free(struct page_timeline *timeline);

// Whether a lane has all of its spans.
bool page_timeline_lane_is_exact(const struct page_lane *lane);

#endif
