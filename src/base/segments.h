// A growing array whose items never move: block k holds FIRST * 2^k of them.
//
// One thread appends; another may read an item once its index has been handed
// over through a lock or a queue.

#ifndef OPSCOPE_BASE_SEGMENTS_H
#define OPSCOPE_BASE_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { SEGMENTS_FIRST_BITS = 8, SEGMENTS_BLOCKS = 32 };

struct segments {
    size_t item_size;
    uint32_t count;
    char *blocks[SEGMENTS_BLOCKS];
};

void segments_start(struct segments *array, size_t item_size);

// A zeroed new item; its index is `array->count - 1` afterwards. Ends the
// process when there are 2^32 - 1 items already.
void *segments_add(struct segments *array);

void segments_free(struct segments *array);

static inline void *segments_get(const struct segments *array, uint32_t index)
{
    const uint64_t shifted = (uint64_t)index + (1u << SEGMENTS_FIRST_BITS);
    const unsigned top = 63u - (unsigned)__builtin_clzll(shifted);
    const uint64_t offset = shifted - (1ull << top);
    return array->blocks[top - SEGMENTS_FIRST_BITS] + offset * array->item_size;
}

#endif
