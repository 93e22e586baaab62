#include "store.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/spool.h"

enum { KIND_MASK = 3, HAS_CALL = 4, HAS_VALUES = 8, HEAD_BITS = 15 };

// What a track has: the block being filled, and the chain of closed ones.
struct track_blocks {
    struct bytes bytes;
    uint32_t count;
    uint64_t previous_start;
    size_t first; // index + 1; 0: none
    size_t last;
};

struct event_store {
    struct event_sink sink;
    struct track_blocks *tracks;
    size_t track_count;
    struct spool spool;
    char *spooled; // set by store_finish
    struct store_block *blocks;
    size_t block_count;
    size_t block_capacity;
};

static status store_take(struct event_sink *sink, const struct event_batch *batch)
{
    return store_add((struct event_store *)sink, batch);
}

struct event_store *store_create(void)
{
    struct event_store *store = memory_allocate_zeroed(1, sizeof *store);
    store->sink.take = store_take;
    store->spool = SPOOL_EMPTY;
    return store;
}

void store_free(struct event_store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < store->track_count; i++)
        bytes_free(&store->tracks[i].bytes);
    free(store->tracks);
    free(store->blocks);
    spool_free(&store->spool);
    free(store);
}

static struct track_blocks *store_blocks_of(struct event_store *store, uint32_t track)
{
    store->tracks = memory_extend(store->tracks, &store->track_count, track, sizeof *store->tracks);
    return &store->tracks[track];
}

void store_add_mapped(struct event_store *store, const struct store_block *block)
{
    store->blocks = memory_grow(store->blocks, store->block_count, &store->block_capacity,
                                sizeof *store->blocks);
    store->blocks[store->block_count++] = *block;
    struct track_blocks *chain = store_blocks_of(store, block->track);
    if (chain->last == 0)
        chain->first = store->block_count;
    else
        store->blocks[chain->last - 1].next = store->block_count;
    chain->last = store->block_count;
}

static status close_block(struct event_store *store, uint32_t track, struct track_blocks *open)
{
    if (open->count == 0)
        return STATUS_OK;
    const struct store_block block = {.track = track,
                                      .count = open->count,
                                      .size = (uint32_t)open->bytes.size,
                                      .offset = spool_size(&store->spool)};
    store_add_mapped(store, &block);
    STATUS_TRY(spool_append(&store->spool, open->bytes.data, open->bytes.size));
    open->bytes.size = 0;
    open->count = 0;
    open->previous_start = 0;
    return STATUS_OK;
}

static void encode(struct track_blocks *open, const struct event *event, struct view values)
{
    const unsigned head = (unsigned)event->kind | (event->call != 0 ? HAS_CALL : 0) |
                          (values.size > 0 ? HAS_VALUES : 0);
    unsigned char *const start = bytes_reserve(&open->bytes, 6 * VARINT_MOST + values.size);
    unsigned char *to = start;
    *to++ = (unsigned char)head;
    to = varint_put(to, varint_fold((int64_t)(event->start - open->previous_start)));
    if (event->kind == EVENT_SPAN)
        to = varint_put(to, event->end - event->start);
    to = varint_put(to, event->name);
    if (event->call != 0)
        to = varint_put(to, event->call);
    if (values.size > 0) {
        to = varint_put(to, values.size);
        memcpy(to, values.data, values.size);
        to += values.size;
    }
    open->bytes.size += (size_t)(to - start);
    open->previous_start = event->start;
    open->count++;
}

status store_add(struct event_store *store, const struct event_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct event *event = &batch->events[i];
        struct track_blocks *open = store_blocks_of(store, event->track);
        encode(open, event, event_values(batch, event));
        if (open->bytes.size >= STORE_BLOCK)
            STATUS_TRY(close_block(store, event->track, open));
    }
    return STATUS_OK;
}

struct event_sink *store_sink(struct event_store *store)
{
    return &store->sink;
}

status store_finish(struct event_store *store)
{
    for (size_t i = 0; i < store->track_count; i++) {
        STATUS_TRY(close_block(store, (uint32_t)i, &store->tracks[i]));
        bytes_free(&store->tracks[i].bytes);
    }
    size_t size;
    return spool_read(&store->spool, &store->spooled, &size);
}

size_t store_block_count(const struct event_store *store)
{
    return store->block_count;
}

struct store_block store_block_get(const struct event_store *store, size_t index)
{
    struct store_block block = store->blocks[index];
    if (block.data == NULL)
        block.data = (const unsigned char *)store->spooled + block.offset;
    return block;
}

struct store_reader store_read(const struct store_block *block)
{
    return (struct store_reader){block->data, block->data + block->size, 0, block->names,
                                 block->calls};
}

static bool store_decode(struct store_reader *reader, struct event *event, struct view *out_values)
{
    const unsigned head = *reader->at++;
    const unsigned char *end = reader->end;
    uint64_t delta;
    uint64_t duration = 0;
    uint64_t size = 0;
    if (head > HEAD_BITS || (head & KIND_MASK) >= EVENT_KINDS ||
        !varint_get(&reader->at, end, &delta))
        return false;
    event->kind = (enum event_kind)(head & KIND_MASK);
    event->call = 0;
    if (event->kind == EVENT_SPAN && !varint_get(&reader->at, end, &duration))
        return false;
    if (!varint_get_u32(&reader->at, end, &event->name))
        return false;
    if ((head & HAS_CALL) != 0 && !varint_get_u32(&reader->at, end, &event->call))
        return false;
    if ((head & HAS_VALUES) != 0 &&
        (!varint_get(&reader->at, end, &size) || size > (uint64_t)(end - reader->at)))
        return false;
    event->start = reader->previous_start + (uint64_t)varint_unfold(delta);
    if (__builtin_add_overflow(event->start, duration, &event->end))
        return false;
    if (reader->names > 0 && (event->name >= reader->names || event->call >= reader->calls))
        return false;
    *out_values = (struct view){(const char *)reader->at, size};
    reader->at += size;
    reader->previous_start = event->start;
    return true;
}

bool store_next(struct store_reader *reader, struct event *out_event, struct view *out_values)
{
    if (reader->at >= reader->end)
        return false;
    const unsigned char *start = reader->at;
    if (store_decode(reader, out_event, out_values))
        return true;
    reader->at = start;
    return false;
}

// Cursors ---------------------------------------------------------------------

struct sort_key {
    uint64_t start;
    uint64_t end;
    const unsigned char *at; // the encoded event
    const unsigned char *block_end;
    uint64_t previous_start; // which its start is encoded against
    uint32_t names;          // as in the reader
    uint32_t calls;
};

// Goes from block to block, or, for a track that is not in order, from key to key.
struct store_cursor {
    const struct event_store *store;
    uint32_t track;
    struct store_mark at;
    struct spool sorted;
    const struct sort_key *keys_end;
};

static size_t first_block(const struct event_store *store, uint32_t track)
{
    return track < store->track_count ? store->tracks[track].first : 0;
}

static bool store_comes_before(const void *left, const void *right)
{
    const struct sort_key *a = left;
    const struct sort_key *b = right;
    if (a->start != b->start)
        return a->start < b->start;
    if (a->end != b->end)
        return a->end > b->end;
    return a->at < b->at;
}

static status collect_keys(const struct event_store *store, uint32_t track, struct spool *keys)
{
    struct store_block block;
    for (size_t i = first_block(store, track); i != 0; i = block.next) {
        block = store_block_get(store, i - 1);
        struct store_reader reader = store_read(&block);
        struct event event;
        struct view values;
        struct store_reader before = reader;
        while (store_next(&reader, &event, &values)) {
            const struct sort_key key = {
                event.start,           event.end,    before.at,   before.end,
                before.previous_start, before.names, before.calls};
            STATUS_TRY(spool_append(keys, &key, sizeof key));
            before = reader;
        }
    }
    return STATUS_OK;
}

static status sort_events(struct store_cursor *cursor)
{
    char *data;
    size_t size;
    STATUS_TRY(collect_keys(cursor->store, cursor->track, &cursor->sorted));
    STATUS_TRY(spool_read(&cursor->sorted, &data, &size));
    struct sort_key *keys = (struct sort_key *)(void *)data;
    const size_t count = size / sizeof *keys;
    sort_in_place(keys, count, sizeof *keys, store_comes_before);
    cursor->at.key = keys;
    cursor->keys_end = count > 0 ? keys + count : keys;
    return STATUS_OK;
}

status store_cursor_open(const struct event_store *store, uint32_t track, bool unsorted,
                         struct store_cursor **out_cursor)
{
    struct store_cursor *cursor = memory_allocate_zeroed(1, sizeof *cursor);
    cursor->store = store;
    cursor->track = track;
    cursor->sorted = SPOOL_EMPTY;
    const status result = unsorted ? sort_events(cursor) : STATUS_OK;
    if (result != STATUS_OK) {
        store_cursor_free(cursor);
        return result;
    }
    cursor->at.next_block = unsorted ? 0 : first_block(store, track);
    *out_cursor = cursor;
    return STATUS_OK;
}

static bool next_by_key(const struct store_cursor *cursor, struct store_mark *mark,
                        struct event *out_event, struct view *out_values)
{
    bool found = false;
    while (!found && mark->key < cursor->keys_end) {
        const struct sort_key *key = mark->key++;
        struct store_reader reader = {key->at, key->block_end, key->previous_start, key->names,
                                      key->calls};
        found = store_next(&reader, out_event, out_values);
    }
    return found;
}

struct store_mark store_cursor_mark(const struct store_cursor *cursor)
{
    return cursor->at;
}

bool store_cursor_next_at(const struct store_cursor *cursor, struct store_mark *mark,
                          struct event *out_event, struct view *out_values)
{
    out_event->track = cursor->track;
    if (mark->key != NULL)
        return next_by_key(cursor, mark, out_event, out_values);
    while (!store_next(&mark->reader, out_event, out_values)) {
        if (mark->next_block == 0)
            return false;
        const struct store_block block = store_block_get(cursor->store, mark->next_block - 1);
        mark->reader = store_read(&block);
        mark->next_block = block.next;
    }
    return true;
}

bool store_cursor_next(struct store_cursor *cursor, struct event *out_event,
                       struct view *out_values)
{
    return store_cursor_next_at(cursor, &cursor->at, out_event, out_values);
}

void store_cursor_free(struct store_cursor *cursor)
{
    if (cursor == NULL)
        return;
    spool_free(&cursor->sorted);
    free(cursor);
}

// Replay ----------------------------------------------------------------------

static status hand_batch(struct event_sink *sink, struct event_batch *batch)
{
    if (batch->count == 0)
        return STATUS_OK;
    const status result = sink->take(sink, batch);
    batch->count = 0;
    batch->values.size = 0;
    return result;
}

static status replay(struct store_cursor *cursor, struct event_sink *sink,
                     struct event_batch *batch)
{
    struct event event;
    struct view values;
    while (store_cursor_next(cursor, &event, &values)) {
        event.values_at = (uint32_t)batch->values.size;
        event.values_size = (uint32_t)values.size;
        bytes_append(&batch->values, values.data, values.size);
        batch->events[batch->count++] = event;
        if (batch->count == EVENT_BATCH || batch->values.size > (1u << 30))
            STATUS_TRY(hand_batch(sink, batch));
    }
    return hand_batch(sink, batch);
}

status store_replay(struct event_store *store, uint32_t track, bool unsorted,
                    struct event_sink *sink)
{
    struct store_cursor *cursor;
    STATUS_TRY(store_cursor_open(store, track, unsorted, &cursor));
    struct event_batch *batch = event_batch_create();
    const status result = replay(cursor, sink, batch);
    event_batch_free(batch);
    store_cursor_free(cursor);
    return result;
}
