// Moments that two profiles have in common, by which their clocks are aligned.
//
// Memory: 24 bytes for each distinct text of the profile and 64 for each of at
// most ANCHORS_MOST anchors; flows and correlation ids are kept in a spool.

#ifndef OPSCOPE_ANALYSIS_ANCHORS_H
#define OPSCOPE_ANALYSIS_ANCHORS_H

#include "align.h"
#include "base/spool.h"
#include "profile/profile.h"

// Of more, every other one is left out, and every other one of the rest ...
enum { ANCHORS_MOST = 8192 };

enum anchor_kind {
    ANCHOR_NAMES,         // events whose name occurs once in each profile
    ANCHOR_FLOWS,         // flows that leave one profile and arrive in the other, and back
    ANCHOR_FLOWS_ONE_WAY, // only one way: how long they take is not known
    ANCHOR_CORRELATIONS,  // events with equal correlation ids, each once
    ANCHOR_KINDS,
};

// What may be an anchor, of one profile. Derived tracks are left out.
struct anchor_index;

status anchor_index_create(struct profile *profile, struct anchor_index **out_index);
void anchor_index_free(struct anchor_index *index);

// From the first event to the last one, in ns; false when there is none.
bool anchor_index_range(const struct anchor_index *index, uint64_t *out_first, uint64_t *out_last);

// The longest tick of its clocks, in ns.
uint64_t anchor_index_resolution(const struct anchor_index *index);

uint64_t anchor_index_last_flow(const struct anchor_index *index);

// What `from` and `to` have in common, for the caller to free. Labels are ids
// of `from`'s texts, or ids of flows and correlations. NULL when there is none.
// `*out_found` counts those that were left out, too.
struct align_anchor *anchors_find(const struct anchor_index *from, const struct anchor_index *to,
                                  enum anchor_kind kind, size_t *out_count, size_t *out_found);

// The flows that leave one and arrive in the other, either way: ascending ids
// for the caller to free.
uint64_t *anchors_shared_flows(const struct anchor_index *a, const struct anchor_index *b,
                               size_t *out_count);

// The event of this name ("name", or "name#3" for the third in time) in ns. Refused when
// there is none, or several and no number says which.
status anchors_event(struct profile *profile, const char *profile_name, struct view event,
                     uint64_t *out_start, uint64_t *out_end);

#endif
