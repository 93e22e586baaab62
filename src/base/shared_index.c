#include "shared_index.h"

#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"
#include "recovery.h"

// From SLOTS_MANY on a table grows to what is expected; before, what is expected is a guess made of
// little.
enum { SLOTS_FIRST = 64, SLOTS_MANY = 1 << 20, SLOTS_MOST = 1 << 30 };

static void shared_index_put(struct shared_table *table, uint32_t at, uint64_t slot)
{
    while (atomic_load_explicit(&table->slots[at & table->mask], memory_order_relaxed) != 0)
        at++;
    atomic_store_explicit(&table->slots[at & table->mask], slot, memory_order_release);
}

// How many items a table holds before it grows.
static uint32_t shared_index_most(uint32_t mask)
{
    return mask / 4 * 3;
}

// Of the next table; 0: it cannot be as large.
static uint32_t shared_index_size(const struct shared_index *index, const struct shared_table *old)
{
    uint32_t size = old == NULL ? SLOTS_FIRST : (old->mask + 1) * 2;
    while (size > SLOTS_MANY && size < SLOTS_MOST && shared_index_most(size - 1) < index->expected)
        size *= 2;
    return size;
}

static struct shared_table *shared_index_grow(struct shared_index *index)
{
    struct shared_table *old = atomic_load_explicit(&index->table, memory_order_relaxed);
    const uint32_t size = shared_index_size(index, old);
    if (size == 0)
        recovery_fail(SIZE_MAX);
    const size_t bytes = sizeof *old + (size_t)size * sizeof old->slots[0];
    struct shared_table *table = memory_allocate_zeroed(1, bytes);
    memory_prefer_huge(table, bytes);
    table->smaller = old;
    table->mask = size - 1;
    for (uint32_t i = 0; old != NULL && i <= old->mask; i++) {
        const uint64_t slot = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (slot != 0)
            shared_index_put(table, (uint32_t)(slot >> 32), slot);
    }
    atomic_store_explicit(&index->table, table, memory_order_release);
    return table;
}

void shared_index_add_at(struct shared_index *index, struct shared_place ended, uint32_t hash,
                         uint32_t id)
{
    struct shared_table *table = atomic_load_explicit(&index->table, memory_order_relaxed);
    const bool full = table == NULL || index->count >= shared_index_most(table->mask);
    const uint32_t at = full || table != ended.table ? hash : ended.at - 1;
    if (full)
        table = shared_index_grow(index);
    shared_index_put(table, at, (uint64_t)hash << 32 | (id + 1));
    index->count++;
}

void shared_index_add(struct shared_index *index, uint32_t hash, uint32_t id)
{
    shared_index_add_at(index, (struct shared_place){.table = NULL}, hash, id);
}

void shared_index_free(struct shared_index *index)
{
    struct shared_table *table = atomic_load_explicit(&index->table, memory_order_relaxed);
    while (table != NULL) {
        struct shared_table *smaller = table->smaller;
        free(table);
        table = smaller;
    }
    *index = (struct shared_index){.table = NULL};
}
