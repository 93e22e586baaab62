// Memory for many blocks that live equally long, taken by several threads: in large pieces,
// so that the machine has few pages to clear.

#ifndef OPSCOPE_BASE_BLOCKS_H
#define OPSCOPE_BASE_BLOCKS_H

#include <stddef.h>

struct blocks;

struct blocks *blocks_create(void);
void blocks_free(struct blocks *blocks); // with all blocks

// Aligned to MEMORY_ALIGNMENT (memory.h); NULL when there is none.
void *blocks_take(struct blocks *blocks, size_t size);

#endif
