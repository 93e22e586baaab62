// From beginnings and ends to spans, for readers of traces.
//
// An end closes the innermost open span of its lane; one with a name or a
// category, the innermost of that name and category. Spans go to the profile
// when they end.
//
// A lane is read in the order of the file, which is what its writer meant even
// where spans overlap or lie in the file later than their neighbours. Where that
// order makes no sense (several writers, ends before beginnings), the lane's
// beginnings and ends are kept, put in order of time, and paired at the end.
//
// Memory: the open spans with their values, and the distinct operators. What is
// kept for ordering lies in a spool.

#ifndef OPSCOPE_FORMATS_TRACE_SPANS_H
#define OPSCOPE_FORMATS_TRACE_SPANS_H

#include "base/spool.h"
#include "located_calls.h"
#include "losses.h"

enum { SPAN_DEPTH_MOST = 512 };

// The first reasons of every reader that uses this.
enum span_loss {
    SPAN_LOSS_NO_BEGIN,
    SPAN_LOSS_NO_END,
    SPAN_LOSS_TOO_DEEP,
    SPAN_LOSS_ENDS_BEFORE,
    SPAN_LOSS_MISNESTED,
    SPAN_LOSSES,
};

#define SPAN_LOSS_TEXTS                                                                            \
    [SPAN_LOSS_NO_BEGIN] = {LEDGER_LOST, "ends without a beginning", NULL},                        \
    [SPAN_LOSS_NO_END] = {LEDGER_LOST, "spans that never end", NULL},                              \
    [SPAN_LOSS_TOO_DEEP] = {LEDGER_LOST, "spans more than 512 deep in one another", NULL},         \
    [SPAN_LOSS_ENDS_BEFORE] = {LEDGER_IMPOSSIBLE, "spans that end before they begin", NULL},       \
    [SPAN_LOSS_MISNESTED] = {LEDGER_REMARK, "spans that end while a later one goes on", NULL}

// A span whose end has not come yet. Its values are the piece of the lane's
// `values` from `values_at` to where those of the next one start.
struct span_open {
    uint64_t start;
    uint64_t offset;
    size_t values_at;
    uint32_t name;
    uint32_t category;
    uint32_t location;
    uint32_t call;
};

struct span_lane {
    uint32_t track; // of the profile
    bool by_time;   // put in order of time before they are paired
    struct span_open *open;
    size_t open_count;
    size_t open_capacity;
    size_t too_deep; // open spans beyond SPAN_DEPTH_MOST
    struct bytes values;
    // What was added last, in the ticks of the track: the `last_same`th in a row with these times.
    uint64_t last_start;
    uint64_t last_end;
    uint32_t last_same;
};

// A beginning or an end.
struct span_edge {
    uint64_t time;   // ns
    uint64_t offset; // of its packet in the file
    uint32_t name;   // string ids, 0: not given
    uint32_t category;
    uint32_t location;
    uint32_t call; // 0: that of its name and location
    bool begins;
    struct view values; // without the category
};

struct spans {
    struct profile *profile;
    struct losses *losses;
    uint32_t category_key;
    uint32_t cycles_key;
    struct located_calls calls;
    struct bytes values; // of the span that ends
    struct bytes other_values;
    struct spool kept_keys; // beginnings and ends that are put in order of time
    struct spool kept;
    status failure;
};

void spans_start(struct spans *spans, struct profile *profile, struct losses *losses);

void spans_add(struct spans *spans, struct span_lane *lane, const struct span_edge *edge);

// A span, or an instant where `kind` says so, that is there as a whole.
void spans_add_whole(struct spans *spans, struct span_lane *lane, const struct span_edge *edge,
                     enum event_kind kind, uint64_t end);

// An event of the lane that is expected and not there.
void spans_lose(struct spans *spans, const struct span_lane *lane, uint32_t reason,
                uint64_t offset);

// Pairs what was kept.
status spans_finish(struct spans *spans);

// Accounts for the spans that never end.
void spans_lose_open(struct spans *spans, const struct span_lane *lane);

void spans_free(struct spans *spans);
void span_lane_free(struct span_lane *lane);

#endif
