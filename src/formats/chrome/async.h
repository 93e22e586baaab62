// Asynchronous events (b, n, e): paired by process, category and id, wherever their threads are.
//
// Traces whose threads wrote one after the other have ends before their beginnings; those wait
// here as open beginnings do. Memory: what is open at once, with its values.

#ifndef OPSCOPE_FORMATS_CHROME_ASYNC_H
#define OPSCOPE_FORMATS_CHROME_ASYNC_H

#include "lanes.h"

struct chrome_async_key {
    uint32_t process;
    uint32_t category; // string id
    uint32_t scope;    // string id
    struct chrome_key id;
};

struct chrome_async_entry;

struct chrome_async {
    struct spans *spans;
    struct chrome_async_entry *entries;
    size_t count; // ever used, some free again
    size_t capacity;
    uint32_t *heads; // chains of entries by hash: index + 1
    size_t head_count;
    uint32_t free; // index + 1
    size_t open;
};

// Both take over nothing. `lane` is where the span goes unless an outer one of the same key is
// open, whose lane it then shares.
void chrome_async_begin(struct chrome_async *async, const struct chrome_async_key *key,
                        struct chrome_lane *lane, const struct span_edge *edge);
void chrome_async_end(struct chrome_async *async, const struct chrome_async_key *key,
                      struct chrome_lane *lane, const struct span_edge *edge);

// The lane of an event between a beginning and an end; `lane` when nothing is open.
struct chrome_lane *chrome_async_lane(struct chrome_async *async,
                                      const struct chrome_async_key *key, struct chrome_lane *lane);

// Accounts for what is still open, and frees everything.
void chrome_async_finish(struct chrome_async *async);

#endif
