#include "buffer.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_LEAST = 64, SLOTS_PER_RELEASE = 1024 };

static struct record_chunk *make_chunk(uint64_t capacity)
{
    const size_t size = sizeof(struct record_chunk) + capacity * sizeof(union record_slot);
    struct record_chunk *chunk = aligned_alloc(64, (size + 63) / 64 * 64);
    if (chunk == NULL)
        return NULL;
    chunk->capacity = capacity;
    atomic_init(&chunk->next, NULL);
    atomic_init(&chunk->head, 0);
    atomic_init(&chunk->tail, 0);
    return chunk;
}

struct record_buffer *record_buffer_create(size_t bytes)
{
    uint64_t capacity = SLOTS_LEAST;
    while (capacity * sizeof(union record_slot) < bytes)
        capacity *= 2;
    struct record_buffer *buffer = calloc(1, sizeof *buffer);
    struct record_chunk *chunk = make_chunk(capacity);
    if (buffer == NULL || chunk == NULL) {
        free(buffer);
        free(chunk);
        return NULL;
    }
    buffer->fill = buffer->drain = chunk;
    return buffer;
}

void record_buffer_free(struct record_buffer *buffer)
{
    while (buffer->drain != NULL) {
        struct record_chunk *next = atomic_load(&buffer->drain->next);
        free(buffer->drain);
        buffer->drain = next;
    }
    free(buffer);
}

bool record_buffer_room(struct record_buffer *buffer, uint32_t size, bool *out_wake)
{
    const struct record_chunk *chunk = buffer->fill;
    const uint64_t tail = atomic_load_explicit(&chunk->tail, memory_order_acquire);
    const uint64_t needed = buffer->head + size;
    *out_wake = needed > tail + chunk->capacity / 2;
    buffer->limit = *out_wake ? tail + chunk->capacity : tail + chunk->capacity / 2;
    return needed <= buffer->limit;
}

bool record_buffer_grow(struct record_buffer *buffer)
{
    struct record_chunk *chunk = make_chunk(buffer->fill->capacity * 2);
    if (chunk == NULL)
        return false;
    atomic_store_explicit(&buffer->fill->next, chunk, memory_order_release);
    buffer->fill = chunk;
    buffer->head = 0;
    buffer->limit = chunk->capacity / 2;
    return true;
}

static uint64_t take_one(const struct record_chunk *chunk, uint64_t at, record_take *take,
                         void *context)
{
    const uint64_t mask = chunk->capacity - 1;
    const struct opscope_event *event = &chunk->slots[at++ & mask].event;
    struct opscope_value values[OPSCOPE_VALUES_MOST + 1];
    for (uint32_t i = 0; i < event->value_count; i += 2)
        memcpy(&values[i], chunk->slots[at++ & mask].values, sizeof(union record_slot));
    take(context, event, values);
    return at;
}

static void take_chunk(struct record_chunk *chunk, record_take *take, void *context)
{
    const uint64_t head = atomic_load_explicit(&chunk->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&chunk->tail, memory_order_relaxed);
    while (tail != head) {
        const uint64_t pause = tail + SLOTS_PER_RELEASE;
        while (tail != head && tail < pause)
            tail = take_one(chunk, tail, take, context);
        atomic_store_explicit(&chunk->tail, tail, memory_order_release);
    }
}

void record_buffer_take(struct record_buffer *buffer, record_take *take, void *context)
{
    struct record_chunk *next = atomic_load_explicit(&buffer->drain->next, memory_order_acquire);
    // The thread has left a chunk that has a next one: what is in it is all.
    for (; next != NULL; next = atomic_load_explicit(&buffer->drain->next, memory_order_acquire)) {
        take_chunk(buffer->drain, take, context);
        free(buffer->drain);
        buffer->drain = next;
    }
    take_chunk(buffer->drain, take, context);
}
