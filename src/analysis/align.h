// How two clocks relate, from moments that both have seen: an offset, a drift
// when the moments show one, and how wrong the result can be.
//
// Integer arithmetic. Robust: up to a third of the anchors may be wrong.

#ifndef OPSCOPE_ANALYSIS_ALIGN_H
#define OPSCOPE_ANALYSIS_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The same thing as both clocks saw it, in ns of each. Where one side saw it
// for longer, it happened somewhere inside: half the difference is its width.
// Times are below INT64_MAX.
struct align_anchor {
    uint64_t from_start; // of the clock to be mapped
    uint64_t from_end;
    uint64_t to_start; // of the reference
    uint64_t to_end;
    uint64_t label; // what it is called: the caller's
    bool leaves;    // a trip of unknown length, from the clock to be mapped to the reference
    bool used;      // set by align_fit: false when it contradicts the others
};

// Nanosecond t becomes to + (t - from) * (1 + drift_ppb / 1e9), rounded down.
struct align_map {
    uint64_t from;
    int64_t to;
    int64_t drift_ppb;
};

// Clocks do not differ by more; anchors that ask for it are no common moments.
enum { ALIGN_DRIFT_MOST_PPB = 1000000 };

// Anchors that take part; of more, some are taken all over the time.
enum { ALIGN_ANCHORS_MOST = 512 };

struct align_request {
    struct align_anchor *anchors; // sorted and marked in place
    size_t count;                 // not 0
    uint64_t first;               // what the map is wanted for
    uint64_t last;
    uint64_t resolution; // ns that a time of both clocks together is uncertain by
    bool any_drift;      // take whatever drift the anchors show
};

struct align_fit {
    struct align_map map;
    uint64_t
        error_ns; // no time from first to last is mapped more wrongly, if the used anchors hold
    size_t used;
    bool has_drift;        // else it is not known: the error of one anchor is that at its moment
    int64_t refused_drift; // in ppb: what the anchors ask for, when no clock does that
};

void align_fit(const struct align_request *request, struct align_fit *out_fit);

// False when the result is no int64_t.
bool align_apply(const struct align_map *map, uint64_t time, int64_t *out_time);

// `inner`, then `outer`; the result may be either.
bool align_compose(const struct align_map *outer, const struct align_map *inner,
                   struct align_map *out_map);

#endif
