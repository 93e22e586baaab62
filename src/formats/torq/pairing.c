#include "pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/recovery.h"

static uint32_t pairing_hash_of(struct pairing_key key)
{
    const uint64_t words[] = {key.invocation, key.action, key.event};
    return hash_bytes(words, sizeof words);
}

static bool same_key(struct pairing_key a, struct pairing_key b)
{
    return a.invocation == b.invocation && a.action == b.action && a.event == b.event;
}

// The slot that holds the list of `key`, or the free one where it would go.
static uint32_t pairing_find(const struct pairing *pairing, struct pairing_key key)
{
    uint32_t at = pairing_hash_of(key) & pairing->mask;
    while (pairing->slots[at] != 0 && !same_key(pairing->items[pairing->slots[at] - 1].key, key))
        at = (at + 1) & pairing->mask;
    return at;
}

static void pairing_grow(struct pairing *pairing)
{
    uint32_t *const old = pairing->slots;
    const uint32_t old_size = old == NULL ? 0 : pairing->mask + 1;
    const uint32_t size = old == NULL ? 64 : old_size * 2;
    if (size == 0)
        recovery_fail(SIZE_MAX);
    pairing->slots = memory_allocate_zeroed(size, sizeof *pairing->slots);
    pairing->mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old[i] != 0)
            pairing->slots[pairing_find(pairing, pairing->items[old[i] - 1].key)] = old[i];
    }
    free(old);
}

// Moves the lists after a slot that became free to where they are looked for.
static void close_gap(struct pairing *pairing, uint32_t gap)
{
    const uint32_t mask = pairing->mask;
    for (uint32_t at = (gap + 1) & mask; pairing->slots[at] != 0; at = (at + 1) & mask) {
        const uint32_t home = pairing_hash_of(pairing->items[pairing->slots[at] - 1].key) & mask;
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        pairing->slots[gap] = pairing->slots[at];
        gap = at;
    }
    pairing->slots[gap] = 0;
}

static uint32_t new_item(struct pairing *pairing, const struct pairing_begin *begin)
{
    uint32_t id = pairing->free;
    if (id != 0) {
        pairing->free = pairing->items[id - 1].next;
    } else {
        if (pairing->count >= UINT32_MAX - 1)
            recovery_fail(SIZE_MAX);
        pairing->items =
            memory_grow(pairing->items, pairing->count, &pairing->capacity, sizeof *pairing->items);
        id = (uint32_t)++pairing->count;
    }
    struct pairing_begin *item = &pairing->items[id - 1];
    *item = *begin;
    item->next = 0;
    item->last = id;
    pairing->waiting++;
    return id;
}

// The slot for `key`, in a table that has room for one more list.
static uint32_t slot_for(struct pairing *pairing, struct pairing_key key)
{
    if (pairing->slots == NULL || pairing->lists >= pairing->mask / 2)
        pairing_grow(pairing);
    const uint32_t slot = pairing_find(pairing, key);
    if (pairing->slots[slot] == 0)
        pairing->lists++;
    return slot;
}

void pairing_add_first(struct pairing *pairing, const struct pairing_begin *begin)
{
    const uint32_t slot = slot_for(pairing, begin->key);
    const uint32_t first = pairing->slots[slot];
    const uint32_t id = new_item(pairing, begin);
    if (first != 0) {
        pairing->items[id - 1].next = first;
        pairing->items[id - 1].last = pairing->items[first - 1].last;
    }
    pairing->slots[slot] = id;
}

void pairing_add_last(struct pairing *pairing, const struct pairing_begin *begin)
{
    const uint32_t slot = slot_for(pairing, begin->key);
    const uint32_t first = pairing->slots[slot];
    const uint32_t id = new_item(pairing, begin);
    if (first == 0) {
        pairing->slots[slot] = id;
        return;
    }
    pairing->items[pairing->items[first - 1].last - 1].next = id;
    pairing->items[first - 1].last = id;
}

bool pairing_take(struct pairing *pairing, struct pairing_key key, struct pairing_begin *out_begin)
{
    if (pairing->slots == NULL)
        return false;
    const uint32_t slot = pairing_find(pairing, key);
    const uint32_t id = pairing->slots[slot];
    if (id == 0)
        return false;
    struct pairing_begin *item = &pairing->items[id - 1];
    *out_begin = *item;
    if (item->next != 0) {
        pairing->items[item->next - 1].last = item->last;
        pairing->slots[slot] = item->next;
    } else {
        close_gap(pairing, slot);
        pairing->lists--;
    }
    item->next = pairing->free;
    pairing->free = id;
    pairing->waiting--;
    return true;
}

static int compare_line(const void *left, const void *right)
{
    const struct pairing_begin *a = left;
    const struct pairing_begin *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

void pairing_list(const struct pairing *pairing, struct pairing_begin *out_begins)
{
    size_t count = 0;
    for (uint32_t i = 0; pairing->slots != NULL && i <= pairing->mask; i++) {
        for (uint32_t id = pairing->slots[i]; id != 0; id = pairing->items[id - 1].next)
            out_begins[count++] = pairing->items[id - 1];
    }
    sort_items(out_begins, count, sizeof *out_begins, compare_line);
}

void pairing_free(struct pairing *pairing)
{
    free(pairing->items);
    free(pairing->slots);
    *pairing = (struct pairing){0};
}
