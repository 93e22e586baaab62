// Memory that is taken piece by piece and given back all at once.
//
// What is taken from the system beforehand is 64 KiB, or an eighth of what the arena has if that is
// more, but at most 16 MiB: large arenas lie on huge pages.

#ifndef OPSCOPE_BASE_ARENA_H
#define OPSCOPE_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "view.h"

struct arena_chunk;

// All zero is an empty arena.
struct arena {
    struct arena_chunk *chunks;
    size_t used;  // bytes taken from the newest chunk
    size_t total; // bytes of all chunks
};

// Aligned for any type. Never fails (memory.h).
void *arena_allocate(struct arena *arena, size_t size);

// A copy of `v` that lives as long as the arena, with a NUL after it.
struct view arena_copy(struct arena *arena, struct view v);

// The text that printf would print. Lives as long as the arena, with a NUL after it.
struct view arena_format(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

struct view arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void arena_free(struct arena *arena);

#endif
