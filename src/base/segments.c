#include "segments.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "recovery.h"

void segments_start(struct segments *array, size_t item_size)
{
    *array = (struct segments){.item_size = item_size};
}

// A large one will most likely be filled.
static char *segments_make_block(size_t count, size_t item_size)
{
    enum { LARGE = 8 << 20 };
    char *block = memory_allocate_zeroed(count, item_size);
    if (count * item_size >= LARGE)
        memory_prefer_huge(block, count * item_size);
    return block;
}

void *segments_add(struct segments *array)
{
    if (array->count == UINT32_MAX)
        recovery_fail(SIZE_MAX);
    const uint64_t shifted = (uint64_t)array->count + (1u << SEGMENTS_FIRST_BITS);
    const unsigned top = 63u - (unsigned)__builtin_clzll(shifted);
    const unsigned block = top - SEGMENTS_FIRST_BITS;
    if (array->blocks[block] == NULL)
        array->blocks[block] = segments_make_block((size_t)1 << top, array->item_size);
    return segments_get(array, array->count++);
}

void segments_free(struct segments *array)
{
    for (unsigned i = 0; i < SEGMENTS_BLOCKS; i++)
        free(array->blocks[i]);
    segments_start(array, array->item_size);
}
