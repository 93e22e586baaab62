#include "arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

enum { CHUNK_LEAST = 64 << 10, CHUNK_MOST = 16 << 20, CHUNK_SHARE = 8, CHUNK_HUGE = 4 << 20 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    alignas(max_align_t) char bytes[];
};

static size_t chunk_size(const struct arena *arena, size_t least)
{
    const size_t share = arena->total / CHUNK_SHARE;
    const size_t most = share < CHUNK_MOST ? share : CHUNK_MOST;
    const size_t size = most > CHUNK_LEAST ? most : CHUNK_LEAST;
    return least > size ? least : size;
}

static void add_chunk(struct arena *arena, size_t least)
{
    const size_t size = chunk_size(arena, least);
    struct arena_chunk *chunk = memory_allocate(sizeof *chunk + size);
    if (least > CHUNK_LEAST || size >= CHUNK_HUGE)
        memory_prefer_huge(chunk, sizeof *chunk + size);
    chunk->next = arena->chunks;
    chunk->size = size;
    arena->chunks = chunk;
    arena->used = 0;
    arena->total += size;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    const size_t step = alignof(max_align_t);
    const size_t rounded = (size + step - 1) / step * step;
    if (arena->chunks == NULL || arena->chunks->size - arena->used < rounded)
        add_chunk(arena, rounded);
    void *piece = arena->chunks->bytes + arena->used;
    arena->used += rounded;
    return piece;
}

struct view arena_copy(struct arena *arena, struct view v)
{
    char *text = arena_allocate(arena, v.size + 1);
    if (v.size > 0)
        memcpy(text, v.data, v.size);
    text[v.size] = '\0';
    return (struct view){text, v.size};
}

struct view arena_format(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t size = length > 0 ? (size_t)length : 0;
    char *text = arena_allocate(arena, size + 1);
    vsnprintf(text, size + 1, format, arguments);
    return (struct view){text, size};
}

struct view arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const struct view text = arena_format(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = 0;
    arena->total = 0;
}
