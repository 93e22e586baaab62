// The JSON of single events: metadata, slices, instants, samples and flows, one after another in
// a buffer.

#ifndef OPSCOPE_FORMATS_CHROME_WRITER_EVENTS_H
#define OPSCOPE_FORMATS_CHROME_WRITER_EVENTS_H

#include "writer_flows.h"
#include "writer_places.h"

// What the format cannot carry as it is, counted.
struct writer_losses {
    uint64_t bad_texts; // with bytes that are no UTF-8
    uint64_t not_numbers;
    uint64_t same_keys;
    uint64_t samples;
};

struct writer_events {
    struct profile *profile;
    struct bytes buffer;
    bool first; // no event is in the file yet
    bool no_arguments;
    uint64_t base;       // ns of the trace's time 0
    struct view *quoted; // by string id: in quotes, escaped, padded; size 0: not yet
    size_t quoted_count;
    struct arena arena; // of those
    uint32_t location_key;
    uint32_t cycles_key;
    uint32_t category_key;
    uint32_t *locations; // by call: text id + 1
    size_t location_count;
    struct writer_losses losses;
};

void writer_events_start(struct writer_events *events, struct profile *profile, uint64_t base);

// Counts anew what cannot be carried.
void writer_events_forget(struct writer_events *events);

void writer_events_free(struct writer_events *events);

void writer_put_process(struct writer_events *events, const struct writer_places *places,
                        const struct writer_process *process);
void writer_put_thread(struct writer_events *events, const struct writer_places *places,
                       uint32_t track, const struct writer_lane *lane);

static inline bool writer_is_flow(const struct value *value)
{
    return value->kind == VALUE_FLOW_OUT || value->kind == VALUE_FLOW_IN;
}

// How many values are ends of flows.
size_t writer_count_flows(struct view values);

// Times in nanoseconds of the profile. Returns how many of the values are ends of flows.
size_t writer_put_slice(struct writer_events *events, const struct writer_place *place,
                        const struct writer_lane *lane, const struct event *event,
                        struct view values, uint64_t start, uint64_t end);
void writer_put_flow(struct writer_events *events, const struct writer_lane *lane,
                     const struct writer_flow *flow, uint64_t start);
void writer_put_sample(struct writer_events *events, const struct writer_places *places,
                       uint32_t track, struct view values, uint64_t start);

#endif
