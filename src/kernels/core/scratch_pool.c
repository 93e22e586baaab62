#include "scratch_pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/tensor.h"

struct scratch_block {
    atomic_bool taken;
    size_t bytes;       // of who has taken it
    void *_Atomic data; // that others compare with theirs
};

struct scratch_pool {
    struct scratch_block *items;
    unsigned count;
    size_t bytes;
};

struct scratch_pool *scratch_pool_create(unsigned count)
{
    struct scratch_pool *pool = memory_allocate_zeroed(1, sizeof *pool);
    pool->items = memory_allocate_zeroed(count, sizeof *pool->items);
    pool->count = count;
    pool->bytes = TENSOR_ALIGNMENT;
    return pool;
}

void scratch_pool_free(struct scratch_pool *pool)
{
    if (pool == NULL)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        free(pool->items[i].data);
    free(pool->items);
    free(pool);
}

void scratch_pool_reserve(struct scratch_pool *pool, size_t bytes)
{
    if (bytes > pool->bytes)
        pool->bytes = bytes;
}

// Made when first taken: a machine whose workers are idle does not pay for theirs.
static void *grown(struct scratch_block *block, size_t bytes)
{
    void *data = atomic_load(&block->data);
    if (block->bytes >= bytes)
        return data;
    // Another block may get the same memory as soon as it is free.
    atomic_store(&block->data, NULL);
    free(data);
    data = memory_take(bytes);
    block->bytes = data != NULL ? bytes : 0;
    atomic_store(&block->data, data);
    return data;
}

void *scratch_pool_take(struct scratch_pool *pool)
{
    for (unsigned i = 0;; i = (i + 1) % pool->count) {
        if (atomic_exchange(&pool->items[i].taken, true))
            continue;
        void *data = grown(&pool->items[i], pool->bytes);
        if (data == NULL)
            atomic_store(&pool->items[i].taken, false);
        return data;
    }
}

void scratch_pool_give_back(struct scratch_pool *pool, void *block)
{
    for (unsigned i = 0; i < pool->count; i++) {
        if (atomic_load(&pool->items[i].data) == block)
            atomic_store(&pool->items[i].taken, false);
    }
}
