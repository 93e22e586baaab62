// Spans added up by what they have in common: their name, category, lane, engine, role, operator,
// shapes, step, or the names that they lie in.
//
// A group lies on the host, on the device, or on engines of which nobody said where they are. A
// nanosecond of a lane is in the `self` of exactly one group: that of the innermost span. `total`
// counts a span inside one of its own group once. What belongs to none (no operator, no step) is a
// group, too.
//
// Memory: 12 bytes a span while they are added up, 8 while they are ranked, in a temporary file
// from a megabyte on; a group 128 bytes.

#ifndef OPSCOPE_ANALYSIS_SPAN_GROUPS_H
#define OPSCOPE_ANALYSIS_SPAN_GROUPS_H

#include "operator_times.h"
#include "profile/profile.h"

enum span_key {
    SPANS_BY_NAME,
    SPANS_BY_CATEGORY,
    SPANS_BY_TRACK,
    SPANS_BY_ENGINE,
    SPANS_BY_ROLE,
    SPANS_BY_OPERATOR, // operators of one name together
    SPANS_BY_SHAPE,    // operators with their inputs
    SPANS_BY_STEP,
    SPANS_BY_MODULE, // the innermost of a network's modules around the operator's call, or around
                     // that of which it is the backward
    SPANS_BY_PATH,   // of the names that it lies in
    SPAN_KEYS,
};

// Whether a name is what `pattern` says; each * stands for anything, and a pattern without any for
// what has it somewhere.
bool span_name_matches(struct view name, struct view pattern);

// "name", "category" ...; false when the text is none.
bool span_key_from_name(struct view text, enum span_key *out_key);
const char *span_key_name(enum span_key key);

struct span_group_options {
    enum span_key by;
    struct view filter; // of names: * stands for anything; "": all
    uint64_t from, to;  // ns: what lies outside is cut off; 0 and UINT64_MAX: nothing
    bool has_step;
    uint64_t step; // only its spans
};

struct span_group {
    uint64_t key; // what it means depends on what spans are grouped by: span_group_label
    enum operator_side side;
    uint64_t count;
    uint64_t total, self;              // ns
    uint64_t backward;                 // of `self`, by module: in the backward pass
    uint64_t least, median, p90, most; // of the spans' durations
    uint64_t bytes;                    // that the spans say they moved
    uint64_t byte_time;                // of these spans
    // While it is measured:
    uint32_t open; // spans of the track at hand
    uint64_t first;
};

struct span_path {
    uint32_t parent; // of `paths`
    uint32_t name;
};

struct span_groups {
    const struct profile *profile;
    enum span_key by;
    struct span_group *groups; // the device's first, then by `self`
    size_t count;
    uint64_t self[OPERATOR_SIDES]; // of all
    uint64_t spans;
    bool has_backward;     // some are of a backward pass (by module)
    struct segments paths; // struct span_path
};

// Derived tracks are left out.
status span_groups_measure(struct profile *profile, const struct span_group_options *options,
                           struct span_groups *out_groups);
void span_groups_free(struct span_groups *groups);

// What the spans of a group have in common, in words.
void span_group_label(const struct span_groups *groups, const struct span_group *group,
                      struct bytes *to);

#endif
