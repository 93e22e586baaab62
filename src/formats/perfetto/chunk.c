#include "chunk.h"

#include <stdlib.h>

#include "base/memory.h"

void chunk_grow(struct chunk *chunk)
{
    chunk->events =
        memory_grow(chunk->events, chunk->count, &chunk->capacity, sizeof *chunk->events);
}

void chunk_define(struct chunk *chunk, uint32_t field, uint32_t iid, uint32_t text,
                  size_t text_size)
{
    chunk->definitions = memory_grow(chunk->definitions, chunk->definition_count,
                                     &chunk->definition_capacity, sizeof *chunk->definitions);
    chunk->definitions[chunk->definition_count++] =
        (struct chunk_definition){(uint32_t)chunk->count - 1, field, iid, text};
    chunk->size += text_size;
}

void chunk_name_text(struct chunk *chunk, uint32_t iid)
{
    chunk->iids =
        memory_grow(chunk->iids, chunk->iid_count, &chunk->iid_capacity, sizeof *chunk->iids);
    chunk->iids[chunk->iid_count++] = iid;
}

unsigned char *chunk_reserve(struct chunk *chunk, size_t size)
{
    return bytes_reserve(&chunk->values, size);
}

void chunk_commit(struct chunk *chunk, size_t size)
{
    *chunk_add(chunk) = (struct chunk_event){.kind = CHUNK_PACKETS,
                                             .values_at = (uint32_t)chunk->values.size,
                                             .values_size = (uint32_t)size};
    chunk->values.size += size;
    chunk->size += size;
}

void chunk_clear(struct chunk *chunk)
{
    chunk->count = chunk->definition_count = chunk->iid_count = 0;
    chunk->values.size = chunk->size = 0;
}

void chunk_free(struct chunk *chunk)
{
    free(chunk->events);
    free(chunk->definitions);
    free(chunk->iids);
    bytes_free(&chunk->values);
}
