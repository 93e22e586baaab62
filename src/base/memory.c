#undef free // of the system

#include "memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recovery.h"

// A block that the scope cannot remember would never be given back when memory runs out.
static void *scoped(void *block, size_t size)
{
    if (block == NULL)
        recovery_fail(size);
    if (recovery_current != NULL && !recovery_add_block(block)) {
        free(block);
        recovery_fail(size);
    }
    return block;
}

void *memory_allocate(size_t size)
{
    const size_t least = size > 0 ? size : 1;
    void *block = malloc(least);
    if (block == NULL && recovery_use_reserve())
        block = malloc(least);
    return scoped(block, size);
}

void *memory_allocate_zeroed(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    void *block = calloc(count, size);
    if (block == NULL && recovery_use_reserve())
        block = calloc(count, size);
    return scoped(block, count * size);
}

void *memory_resize(void *block, size_t size)
{
    void *moved = recovery_current != NULL ? recovery_resize_block(block, size > 0 ? size : 1)
                                           : realloc(block, size > 0 ? size : 1);
    if (moved == NULL)
        recovery_fail(size);
    return moved;
}

void memory_free(void *block)
{
    if (recovery_current != NULL && block != NULL)
        recovery_drop_block(block);
    free(block);
}

// What grew so large will most likely grow on: without huge pages it is touched for the first time
// at a fault for every 4 KiB.
static void *memory_resize_large(void *block, size_t size)
{
    enum { LARGE = 8 << 20 };
    void *moved = memory_resize(block, size);
    if (size >= LARGE)
        memory_prefer_huge(moved, size);
    return moved;
}

void *memory_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    if (wanted > SIZE_MAX / size)
        recovery_fail(SIZE_MAX);
    void *grown = memory_resize_large(items, wanted * size);
    *capacity = wanted;
    return grown;
}

void *memory_extend_far(void *items, size_t *count, size_t index, size_t size)
{
    if (index >= SIZE_MAX / size / 2 - 16)
        recovery_fail(SIZE_MAX);
    const size_t wanted = (index + 16) * 2;
    char *extended = memory_resize_large(items, wanted * size);
    memset(extended + *count * size, 0, (wanted - *count) * size);
    *count = wanted;
    return extended;
}

enum { HUGE_PAGE = 2 << 20, MEMORY_PAGE = 4096 };

void *memory_take(size_t size)
{
    const bool large = size >= HUGE_PAGE;
    void *block;
    if (posix_memalign(&block, large ? HUGE_PAGE : MEMORY_ALIGNMENT, size > 0 ? size : 1) != 0)
        return NULL;
    // A machine without huge pages goes on with small ones.
    if (large)
        (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return block;
}

void memory_keep_freed(void)
{
    enum { FREED_MOST_EACH = 32 << 20, FREED_MOST = 256 << 20 };
    mallopt(M_MMAP_THRESHOLD, FREED_MOST_EACH);
    mallopt(M_TRIM_THRESHOLD, FREED_MOST);
}

static atomic_bool heaps_are_huge;

// What malloc has been given and got back it cuts up again, and pages stay as they were advised.
static void advise_heap(void)
{
    enum { PIECES = 2, PIECE = 24 << 20 };
    void *pieces[PIECES];
    for (unsigned i = 0; i < PIECES; i++) {
        pieces[i] = malloc(PIECE);
        if (pieces[i] != NULL)
            memory_prefer_huge(pieces[i], PIECE);
    }
    for (unsigned i = 0; i < PIECES; i++)
        free(pieces[i]);
}

void memory_heap_on_huge_pages(void)
{
    memory_keep_freed();
    atomic_store(&heaps_are_huge, true);
    advise_heap();
}

void memory_begin_thread(void)
{
    if (atomic_load(&heaps_are_huge))
        advise_heap();
}

void *memory_take_kept(size_t size)
{
    void *block = memory_take(size);
    return block != NULL ? scoped(block, size) : NULL;
}

// All pages of it alike, also those at its ends: a mapping that was advised in parts cannot grow
// where it lies.
void memory_prefer_huge(void *block, size_t size)
{
    const uintptr_t page = MEMORY_PAGE;
    const uintptr_t from = (uintptr_t)block / page * page;
    const uintptr_t to = ((uintptr_t)block + size + page - 1) / page * page;
    if (size >= HUGE_PAGE)
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

size_t memory_of_machine(void)
{
    // Asked for every tensor; the answer is a system call.
    static atomic_size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes > 0)
        return bytes;
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    bytes = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
    atomic_store_explicit(&known, bytes, memory_order_relaxed);
    return bytes;
}
