// Allocations that do not return without memory, and large ones that do (memory_take).
//
// Without memory for a few bytes no caller could do anything sensible: what is being done fails as
// a whole (recovery.h). Sizes that an input chooses are checked against a limit before they come
// here, or live in a spool (spool.h), which reports failure.
//
// What is given back by free() in this source goes through memory_free: the build says
// -Dfree=memory_free, so that blocks are known wherever they are freed.

#ifndef OPSCOPE_BASE_MEMORY_H
#define OPSCOPE_BASE_MEMORY_H

#include <stddef.h>

void *memory_allocate(size_t size);
void *memory_allocate_zeroed(size_t count, size_t size);
void *memory_resize(void *block, size_t size);

// Also for blocks of malloc.
void memory_free(void *block);

// Makes room for one more item of `size` bytes in a growing array.
// `*capacity` is in items.
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

// A block of any size for numbers, aligned to MEMORY_ALIGNMENT, or NULL; free() it. A large
// one lies on huge pages where the machine offers them: touching it for the first time
// costs a fraction then.
enum { MEMORY_ALIGNMENT = 64 };
void *memory_take(size_t size);

// The same for what a scope takes (recovery.h), as of memory_allocate.
void *memory_take_kept(size_t size);

// From now on what is given back stays with the process, up to a bound, instead of being mapped and
// cleared again: for what takes and gives back much, over and over.
void memory_keep_freed(void);

// The same, and small blocks of this thread, and of those of a crew that begin later, lie on huge
// pages where there are such, up to some MiB for each. Nothing is touched for it.
void memory_heap_on_huge_pages(void);
void memory_begin_thread(void); // of a crew

// Asks for huge pages under a block of memory_allocate that will be filled from end to end.
void memory_prefer_huge(void *block, size_t size);

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
