// An index from hashes to the positions of things that are stored elsewhere (base/hash.h), in
// which several threads look up while one adds. What is found was stored before it was added; what
// is being added may not be found yet.
//
// Memory: 11 to 22 bytes an item, and as much for smaller tables that somebody may still look into;
// less for those of who said how many items there will be.

#ifndef OPSCOPE_BASE_SHARED_INDEX_H
#define OPSCOPE_BASE_SHARED_INDEX_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

struct shared_table {
    struct shared_table *smaller;
    uint32_t mask;
    _Atomic uint64_t slots[]; // hash << 32 | id + 1; 0: free
};

// All zero is an empty index.
struct shared_index {
    struct shared_table *_Atomic table;
    uint32_t count;
    uint32_t expected;
};

// Goes over the ids that were added under `hash`, in one table:
//     const struct shared_table *table = shared_index_table(index);
//     for (uint32_t at = hash; (id = shared_index_next(table, hash, &at)) != HASH_NONE;)
static inline const struct shared_table *shared_index_table(const struct shared_index *index)
{
    return atomic_load_explicit(&index->table, memory_order_acquire);
}

static inline uint32_t shared_index_next(const struct shared_table *table, uint32_t hash,
                                         uint32_t *at)
{
    if (table == NULL)
        return HASH_NONE;
    for (;;) {
        const uint64_t slot =
            atomic_load_explicit(&table->slots[*at & table->mask], memory_order_acquire);
        *at += 1;
        if (slot == 0)
            return HASH_NONE;
        if (slot >> 32 == hash)
            return (uint32_t)slot - 1;
    }
}

// Where a look-up of `hash` that did not find what it looked for ended, for who goes on from there:
// what was added meanwhile comes after it, unless it is in another table.
struct shared_place {
    const struct shared_table *table;
    uint32_t at;
};

static inline struct shared_place shared_index_resume(const struct shared_index *index,
                                                      uint32_t hash, struct shared_place ended)
{
    const struct shared_table *table = shared_index_table(index);
    return table == ended.table && table != NULL ? (struct shared_place){table, ended.at - 1}
                                                 : (struct shared_place){table, hash};
}

// Asks for the memory in which a later look-up of `hash` starts.
static inline void shared_index_prefetch(const struct shared_index *index, uint32_t hash)
{
    const struct shared_table *table = shared_index_table(index);
    if (table != NULL)
        __builtin_prefetch((const void *)&table->slots[hash & table->mask]);
}

// By one thread. `id` is below HASH_NONE.
void shared_index_add(struct shared_index *index, uint32_t hash, uint32_t id);

// The same where a look-up of `hash` ended.
void shared_index_add_at(struct shared_index *index, struct shared_place ended, uint32_t hash,
                         uint32_t id);

// About how many items there will be: a table that is large already then grows at once.
static inline void shared_index_expect(struct shared_index *index, uint64_t count)
{
    index->expected = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

// When nobody looks into it any more.
void shared_index_free(struct shared_index *index);

#endif
