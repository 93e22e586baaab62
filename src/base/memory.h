// Small allocations that cannot fail, and large ones that can.
//
// Running out of memory for a few bytes ends the process: no caller could do
// anything sensible. Sizes that an input chooses are checked against a limit
// before they come here, or live in a spool (spool.h), which reports failure.

#ifndef OPSCOPE_BASE_MEMORY_H
#define OPSCOPE_BASE_MEMORY_H

#include <stddef.h>

void *memory_allocate(size_t size);
void *memory_allocate_zeroed(size_t count, size_t size);
void *memory_resize(void *block, size_t size);

// Makes room for one more item of `size` bytes in a growing array.
// `*capacity` is in items.
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

// A block of any size for numbers, aligned to MEMORY_ALIGNMENT, or NULL; free() it. A large
// one lies on huge pages where the machine offers them: touching it for the first time
// costs a fraction then.
enum { MEMORY_ALIGNMENT = 64 };
void *memory_take(size_t size);

// Bytes of memory that the machine has; a large number where it does not say.
size_t memory_of_machine(void);

void *memory_extend_far(void *items, size_t *count, size_t index, size_t size);

// Makes an array long enough for `index`; new items are zero. `*count` is its
// length.
static inline void *memory_extend(void *items, size_t *count, size_t index, size_t size)
{
    return index < *count ? items : memory_extend_far(items, count, index, size);
}

#endif
