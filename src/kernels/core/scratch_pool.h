// Pieces of memory for whoever works at a time: each worker takes one and gives it back.

#ifndef OPSCOPE_KERNELS_CORE_SCRATCH_POOL_H
#define OPSCOPE_KERNELS_CORE_SCRATCH_POOL_H

#include <stddef.h>

struct scratch_pool;

// `count`: how many work at a time at most.
struct scratch_pool *scratch_pool_create(unsigned count);
void scratch_pool_free(struct scratch_pool *pool);

// Each block will have `bytes`, at least. Before anyone takes one.
void scratch_pool_reserve(struct scratch_pool *pool, size_t bytes);

// Aligned as tensors are. NULL when there is no memory.
void *scratch_pool_take(struct scratch_pool *pool);
void scratch_pool_give_back(struct scratch_pool *pool, void *block);

#endif
