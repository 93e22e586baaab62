// What happened: spans, instants and counter samples, handed on in batches.

#ifndef OPSCOPE_PROFILE_EVENT_H
#define OPSCOPE_PROFILE_EVENT_H

#include "base/status.h"
#include "value.h"

enum event_kind {
    EVENT_SPAN,    // [start, end) on one track
    EVENT_INSTANT, // start == end
    EVENT_COUNTER, // a sample at `start`: the value with key 0
    EVENT_KINDS,
};

struct event {
    uint64_t start; // ticks of the track's clock
    uint64_t end;
    uint32_t track;
    uint32_t name;      // string id
    uint32_t call;      // 0: none
    uint32_t values_at; // this event's values: a piece of the batch's `values`
    uint32_t values_size;
    enum event_kind kind;
};

enum { EVENT_BATCH = 8192 };

struct event_batch {
    size_t count;
    size_t capacity;
    struct event *events;
    struct bytes values; // in the order of the events
    uint64_t keys;       // of the values: what profile_keys_tell was told; 0: nothing
};

// One with room for EVENT_BATCH events.
struct event_batch *event_batch_create(void);

// Makes room for `count` events in all. All zero is a batch, too.
void event_batch_room(struct event_batch *batch, size_t count);

void event_batch_free(struct event_batch *batch);

static inline struct view event_values(const struct event_batch *batch, const struct event *event)
{
    if (event->values_size == 0)
        return VIEW_LITERAL("");
    return (struct view){(const char *)batch->values.data + event->values_at, event->values_size};
}

// Takes batches in the order in which they were made. A failure ends the
// stream; the one who fills the profile gets it from `profile_finish`.
struct event_sink {
    status (*take)(struct event_sink *sink, const struct event_batch *batch);
};

#endif
