#include "async.h"

#include <stdlib.h>

#include "base/memory.h"

// How far to look for a partner among entries of the same hash.
enum { LOOK_MOST = 64 };

struct chrome_async_entry {
    struct chrome_async_key key;
    uint32_t hash;
    uint32_t next; // in its chain, or of the free ones: index + 1
    struct chrome_lane *lane;
    struct span_edge edge; // whose values are in `values`
    struct bytes values;
};

static uint32_t async_key_hash(const struct chrome_async_key *key)
{
    return hash_u64((key->id.number * 2 + key->id.is_text) ^ (uint64_t)key->process << 32 ^
                    (uint64_t)key->category << 17 ^ key->scope);
}

static bool async_key_equal(const struct chrome_async_key *a, const struct chrome_async_key *b)
{
    return a->process == b->process && a->category == b->category && a->scope == b->scope &&
           a->id.is_text == b->id.is_text && a->id.number == b->id.number;
}

// The newest stands in front: entries are used again, so that their places do not tell.
static void put_by_age(struct chrome_async *async, uint32_t index)
{
    struct chrome_async_entry *entry = &async->entries[index - 1];
    uint32_t *link = &async->heads[entry->hash & (async->head_count - 1)];
    for (unsigned i = 0; *link != 0 && i < LOOK_MOST; i++) {
        struct chrome_async_entry *other = &async->entries[*link - 1];
        if (other->edge.offset < entry->edge.offset)
            break;
        link = &other->next;
    }
    entry->next = *link;
    *link = index;
}

static void grow_heads(struct chrome_async *async)
{
    free(async->heads);
    async->head_count = async->head_count == 0 ? 64 : async->head_count * 2;
    async->heads = memory_allocate_zeroed(async->head_count, sizeof *async->heads);
    for (size_t i = 0; i < async->count; i++) {
        if (async->entries[i].lane != NULL)
            put_by_age(async, (uint32_t)i + 1);
    }
}

static struct chrome_async_entry *take_entry(struct chrome_async *async)
{
    if (async->free == 0) {
        async->entries =
            memory_grow(async->entries, async->count, &async->capacity, sizeof *async->entries);
        async->entries[async->count] = (struct chrome_async_entry){0};
        async->free = (uint32_t)++async->count;
    }
    struct chrome_async_entry *entry = &async->entries[async->free - 1];
    async->free = entry->next;
    return entry;
}

static void hold(struct chrome_async *async, const struct chrome_async_key *key,
                 struct chrome_lane *lane, const struct span_edge *edge)
{
    if (async->open >= async->head_count)
        grow_heads(async);
    struct chrome_async_entry *entry = take_entry(async);
    const uint32_t index = (uint32_t)(entry - async->entries) + 1;
    entry->key = *key;
    entry->hash = async_key_hash(key);
    entry->lane = lane;
    entry->edge = *edge;
    entry->values.size = 0;
    bytes_append(&entry->values, edge->values.data, edge->values.size);
    uint32_t *head = &async->heads[entry->hash & (async->head_count - 1)];
    entry->next = *head;
    *head = index;
    async->open++;
}

// The link to the newest entry of this key that begins or ends; NULL when there is none in which
// `fits` sees a partner of `edge`.
static uint32_t *chrome_async_find_open(struct chrome_async *async,
                                        const struct chrome_async_key *key, bool begins,
                                        const struct span_edge *edge)
{
    if (async->head_count == 0)
        return NULL;
    uint32_t *link = &async->heads[async_key_hash(key) & (async->head_count - 1)];
    for (unsigned i = 0; *link != 0 && i < LOOK_MOST; i++) {
        struct chrome_async_entry *entry = &async->entries[*link - 1];
        const bool in_time = edge == NULL || (begins ? entry->edge.time <= edge->time
                                                     : entry->edge.time >= edge->time);
        const bool names = edge == NULL || edge->name == 0 || entry->edge.name == 0 ||
                           edge->name == entry->edge.name;
        if (entry->edge.begins == begins && in_time && names && async_key_equal(&entry->key, key))
            return link;
        link = &entry->next;
    }
    return NULL;
}

// Takes an entry out of its chain.
static struct chrome_async_entry *chrome_async_release(struct chrome_async *async, uint32_t *link)
{
    const uint32_t index = *link;
    struct chrome_async_entry *entry = &async->entries[index - 1];
    *link = entry->next;
    entry->next = async->free;
    async->free = index;
    async->open--;
    return entry;
}

static void chrome_async_emit(struct chrome_async *async, struct chrome_lane *lane,
                              const struct span_edge *begin, const struct span_edge *end)
{
    struct span_edge whole = *begin;
    struct bytes values = {0};
    if (whole.name == 0)
        whole.name = end->name;
    if (whole.location == 0)
        whole.location = end->location;
    if (end->values.size > 0) {
        bytes_append(&values, begin->values.data, begin->values.size);
        bytes_append(&values, end->values.data, end->values.size);
        whole.values = bytes_view(&values);
    }
    spans_add_whole(async->spans, &lane->spans, &whole, EVENT_SPAN, end->time);
    bytes_free(&values);
}

struct chrome_lane *chrome_async_lane(struct chrome_async *async,
                                      const struct chrome_async_key *key, struct chrome_lane *lane)
{
    const uint32_t *outer = chrome_async_find_open(async, key, true, NULL);
    return outer != NULL ? async->entries[*outer - 1].lane : lane;
}

void chrome_async_begin(struct chrome_async *async, const struct chrome_async_key *key,
                        struct chrome_lane *lane, const struct span_edge *edge)
{
    lane = chrome_async_lane(async, key, lane);
    uint32_t *early = chrome_async_find_open(async, key, false, edge);
    if (early == NULL) {
        hold(async, key, lane, edge);
        return;
    }
    struct chrome_async_entry *entry = chrome_async_release(async, early);
    entry->edge.values = bytes_view(&entry->values);
    chrome_async_emit(async, lane, edge, &entry->edge);
    entry->lane = NULL;
}

void chrome_async_end(struct chrome_async *async, const struct chrome_async_key *key,
                      struct chrome_lane *lane, const struct span_edge *edge)
{
    uint32_t *begin = chrome_async_find_open(async, key, true, edge);
    if (begin == NULL) {
        hold(async, key, lane, edge);
        return;
    }
    struct chrome_async_entry *entry = chrome_async_release(async, begin);
    entry->edge.values = bytes_view(&entry->values);
    chrome_async_emit(async, entry->lane, &entry->edge, edge);
    entry->lane = NULL;
}

void chrome_async_finish(struct chrome_async *async)
{
    for (size_t i = 0; i < async->count; i++) {
        struct chrome_async_entry *entry = &async->entries[i];
        if (entry->lane != NULL)
            spans_lose(async->spans, &entry->lane->spans,
                       entry->edge.begins ? SPAN_LOSS_NO_END : SPAN_LOSS_NO_BEGIN,
                       entry->edge.offset);
        bytes_free(&entry->values);
    }
    free(async->entries);
    free(async->heads);
    *async = (struct chrome_async){0};
}
