#include "shared_index.h"

#include <stdlib.h>

#include "memory.h"
#include "recovery.h"

enum { SLOTS_FIRST = 64 };

static void shared_index_put(struct shared_table *table, uint64_t slot)
{
    uint32_t at = (uint32_t)(slot >> 32);
    while (atomic_load_explicit(&table->slots[at & table->mask], memory_order_relaxed) != 0)
        at++;
    atomic_store_explicit(&table->slots[at & table->mask], slot, memory_order_release);
}

static struct shared_table *shared_index_grow(struct shared_index *index)
{
    struct shared_table *old = atomic_load_explicit(&index->table, memory_order_relaxed);
    const uint32_t size = old == NULL ? SLOTS_FIRST : (old->mask + 1) * 2;
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
            shared_index_put(table, slot);
    }
    atomic_store_explicit(&index->table, table, memory_order_release);
    return table;
}

void shared_index_add(struct shared_index *index, uint32_t hash, uint32_t id)
{
    struct shared_table *table = atomic_load_explicit(&index->table, memory_order_relaxed);
    if (table == NULL || index->count >= table->mask / 4 * 3)
        table = shared_index_grow(index);
    shared_index_put(table, (uint64_t)hash << 32 | (id + 1));
    index->count++;
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
