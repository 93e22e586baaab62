// From beginnings and ends to spans.
//
// An end closes the innermost open span of its track; one with a name or a
// category, the innermost of that name and category. Spans go to the profile
// when they end.
//
// A track is read in the order of the file, which is what its writer meant even
// where spans overlap or lie in the file later than their neighbours. Where that
// order makes no sense (several writers, ends before beginnings), the track's
// beginnings and ends are kept, put in order of time, and paired at the end.
//
// Memory: the open spans with their values, and the distinct operators. What is
// kept for ordering lies in a spool.

#ifndef OPSCOPE_FORMATS_PERFETTO_READER_SPANS_H
#define OPSCOPE_FORMATS_PERFETTO_READER_SPANS_H

#include "base/spool.h"
#include "formats/located_calls.h"
#include "reader_losses.h"
#include "reader_tracks.h"

// A beginning or an end.
struct perfetto_edge {
    uint64_t time;
    uint64_t offset; // of its packet in the file
    uint32_t name;   // string ids, 0: not given
    uint32_t category;
    uint32_t location;
    bool begins;
    struct view values; // without the category
};

struct perfetto_spans {
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

void perfetto_spans_start(struct perfetto_spans *spans, struct profile *profile,
                          struct losses *losses);

void perfetto_spans_add(struct perfetto_spans *spans, struct perfetto_track *track,
                        const struct perfetto_edge *edge);

// A span, or an instant where `kind` says so, that is there as a whole.
void perfetto_spans_add_whole(struct perfetto_spans *spans, struct perfetto_track *track,
                              const struct perfetto_edge *edge, enum event_kind kind, uint64_t end);

// Pairs what was kept, and accounts for the spans that never end.
status perfetto_spans_finish(struct perfetto_spans *spans, struct perfetto_tracks *tracks);

void perfetto_spans_free(struct perfetto_spans *spans);

#endif
