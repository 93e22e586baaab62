// Several profiles into one: each placed on one time axis, its processes named.
//
// Operators, calls, buffers, ledgers and provenance stay those of each source;
// the ledger of the result is their sum. Ticks stay as they are: a source's
// clocks get another base, and a drift where one is known.
//
// Memory: the tables of all sources and of the result; events are spooled.

#ifndef OPSCOPE_ANALYSIS_MERGE_H
#define OPSCOPE_ANALYSIS_MERGE_H

#include "anchors.h"

enum merge_method {
    MERGE_REFERENCE, // the one that the others are placed by
    MERGE_OFFSET,    // as the caller says
    MERGE_PAIRS,     // by events that the caller says are the same
    MERGE_CLOCK,     // both say that they used the same clock
    MERGE_FLOWS,     // ... the rest by what they share
    MERGE_NAMES,
    MERGE_FLOWS_ONE_WAY,
    MERGE_CORRELATIONS,
    MERGE_START, // nothing is shared: it starts when the reference does
    MERGE_EMPTY, // no events: there is nothing to place
};

// "shared names", ...
const char *merge_method_name(enum merge_method method);

struct merge_source {
    char *name; // unique
    const char *path;
    struct profile *profile;
    // What the caller knows:
    bool has_offset;
    int64_t offset_ns; // added to its times
    bool has_drift;
    int64_t drift_ppb; // its seconds last this much longer than the reference's
    // Set by merge_place:
    struct anchor_index *index;
    enum merge_method method;
    size_t reference;     // the source that it was placed by
    struct align_map map; // from its ns to the reference's
    struct align_anchor *anchors;
    size_t anchor_count;
    size_t found; // anchors, also those that are not among `anchors`
    size_t used;
    bool has_error; // false: nothing says how wrong the placing is
    uint64_t error_ns;
    bool fitted_drift;
    int64_t refused_drift; // ppb, as in align_fit
    bool placed;
    size_t tried; // how many of those that are placed share nothing with it
};

// `a` of source `source_a` and `b` of source `source_b` are the same moment.
struct merge_pair {
    size_t source_a;
    size_t source_b;
    struct view event_a;
    struct view event_b;
};

struct merge {
    struct merge_source *sources; // the first one is the reference
    size_t count;
    struct merge_pair *pairs;
    size_t pair_count;
    int64_t shift; // set by merge_place: added to all times, so that none is negative
};

// Finds how each source is placed.
status merge_place(struct merge *merge);

// How far the first event of a placed source moved, in ns; 0 where there is none. The shift of
// all of them is not part of it.
int64_t merge_offset_of(const struct merge_source *source);

// Whether the anchors of a source are named: by what the profiles share, or by the caller's pairs.
bool merge_anchors_have_labels(const struct merge_source *source);
struct view merge_anchor_label(const struct merge *merge, const struct merge_source *source,
                               const struct align_anchor *anchor);

// Fills a fresh profile. Facts `merge.NAME.*` say how each source was placed.
status merge_fill(struct merge *merge, struct profile *out);

void merge_source_free(struct merge_source *source);

#endif
