// Pieces of memory for whoever works at a time: each worker takes one and gives it back.

#ifndef OPSCOPE_KERNELS_CORE_ROOMS_H
#define OPSCOPE_KERNELS_CORE_ROOMS_H

#include <stddef.h>

struct rooms;

// `count`: how many work at a time at most.
struct rooms *rooms_create(unsigned count);
void rooms_free(struct rooms *rooms);

// Each room will have `bytes`, at least. Before anyone takes one.
void rooms_reserve(struct rooms *rooms, size_t bytes);

// Aligned as tensors are. NULL when there is no memory.
void *rooms_take(struct rooms *rooms);
void rooms_give_back(struct rooms *rooms, void *room);

#endif
