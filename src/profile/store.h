// The events of a profile, kept in blocks of one track each, in memory as in
// the profile's file form (docs/formats/profile.md has the layout).
//
// Memory: at most STORE_BLOCK bytes a track and the spool's window.

#ifndef OPSCOPE_PROFILE_STORE_H
#define OPSCOPE_PROFILE_STORE_H

#include "event.h"

enum { STORE_BLOCK = 16 * 1024 };

struct event_store;

struct store_block {
    uint32_t track;
    uint32_t count;
    uint32_t size;
    uint64_t offset;           // in the spool, unless
    const unsigned char *data; // it lies in a mapped file, which may change:
    uint32_t names;            // an event whose name or call is not below these is not given
    uint32_t calls;
    size_t next; // index + 1 of the track's next block; 0: none
};

struct event_store *store_create(void);
void store_free(struct event_store *store);

status store_add(struct event_store *store, const struct event_batch *batch);

// The store as a sink, which does the same.
struct event_sink *store_sink(struct event_store *store);

// A block that lies in memory of the caller's.
void store_add_mapped(struct event_store *store, const struct store_block *block);

// Closes the open blocks; then the blocks can be looked at.
status store_finish(struct event_store *store);
size_t store_block_count(const struct event_store *store);
struct store_block store_block_get(const struct event_store *store, size_t index);

// Reads the events of a block one by one.
struct store_reader {
    const unsigned char *at;
    const unsigned char *end;
    uint64_t previous_start;
    uint32_t names; // as in the block; 0: any
    uint32_t calls;
};

struct store_reader store_read(const struct store_block *block);

// False at the end, or where the block is damaged or cut off (`at` is then
// before `end`). `event->track` is not set.
bool store_next(struct store_reader *reader, struct event *out_event, struct view *out_values);

// Gives the events of a track one by one, sorted by start when `unsorted`. Values lie in the
// store. No longer valid when something is added to the store.
struct store_cursor;

status store_cursor_open(const struct event_store *store, uint32_t track, bool unsorted,
                         struct store_cursor **out_cursor);
bool store_cursor_next(struct store_cursor *cursor, struct event *out_event,
                       struct view *out_values);
void store_cursor_free(struct store_cursor *cursor);

// A place in the order of a cursor: what comes next there. Several may be kept of one cursor, and
// are good as long as it is.
struct sort_key;
struct store_mark {
    size_t next_block; // index + 1; 0: none
    struct store_reader reader;
    const struct sort_key *key; // of a track that is not in order
};

// The place before the first event, for a cursor that has given none yet.
struct store_mark store_cursor_mark(const struct store_cursor *cursor);

// Like store_cursor_next, from a place of the caller's, which moves on. Allocates nothing.
bool store_cursor_next_at(const struct store_cursor *cursor, struct store_mark *mark,
                          struct event *out_event, struct view *out_values);

// Hands the same to `sink`, in batches.
status store_replay(struct event_store *store, uint32_t track, bool unsorted,
                    struct event_sink *sink);

#endif
