#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS_LEAST = 64, SLOTS_PER_RELEASE = 1024 };

pthread_mutex_t record_buffer_growing = PTHREAD_MUTEX_INITIALIZER;

// Takes every page of the memory now: none is to be taken while a thread records.
static bool take_pages(void *memory, size_t size)
{
    madvise(memory, size, MADV_HUGEPAGE); // where there are such: it is a hint
#ifdef MADV_POPULATE_WRITE
    if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
#endif
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < size; at += page)
        ((volatile char *)memory)[at] = 0;
    return true;
}

static void empty_chunk(struct record_chunk *chunk)
{
    atomic_init(&chunk->next, NULL);
    atomic_init(&chunk->head, 0);
    atomic_init(&chunk->tail, 0);
}

static size_t chunk_size(uint64_t capacity)
{
    return sizeof(struct record_chunk) + capacity * sizeof(union record_slot);
}

static void free_chunk(struct record_chunk *chunk)
{
    if (chunk != NULL)
        munmap(chunk, chunk_size(chunk->capacity));
}

static void *map_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

// The same, and `room` bytes are free besides. One thread at a time, so that none takes what
// another has seen.
static void *map_beside(size_t size, size_t room)
{
    pthread_mutex_lock(&record_buffer_growing);
    void *beside = map_memory(room);
    void *memory = beside != NULL ? map_memory(size) : NULL;
    if (beside != NULL)
        munmap(beside, room);
    pthread_mutex_unlock(&record_buffer_growing);
    return memory;
}

static struct record_chunk *make_chunk(uint64_t capacity, size_t room)
{
    const size_t size = chunk_size(capacity);
    struct record_chunk *chunk = room > 0 ? map_beside(size, room) : map_memory(size);
    if (chunk == NULL)
        return NULL;
    if (!take_pages(chunk, size)) {
        munmap(chunk, size);
        return NULL;
    }
    chunk->capacity = capacity;
    empty_chunk(chunk);
    return chunk;
}

struct record_buffer *record_buffer_create(size_t bytes)
{
    uint64_t capacity = SLOTS_LEAST;
    while (capacity * sizeof(union record_slot) < bytes)
        capacity *= 2;
    struct record_buffer *buffer = calloc(1, sizeof *buffer);
    struct record_chunk *chunk = make_chunk(capacity, 0);
    if (buffer == NULL || chunk == NULL) {
        free(buffer);
        free_chunk(chunk);
        return NULL;
    }
    buffer->fill = buffer->drain = chunk;
    return buffer;
}

void record_buffer_free(struct record_buffer *buffer)
{
    while (buffer->drain != NULL) {
        struct record_chunk *next = atomic_load(&buffer->drain->next);
        free_chunk(buffer->drain);
        buffer->drain = next;
    }
    free_chunk(atomic_load(&buffer->spare));
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
    struct record_chunk *chunk = atomic_exchange(&buffer->spare, NULL);
    if (chunk == NULL)
        chunk = make_chunk(buffer->fill->capacity * 2, RECORD_ROOM);
    if (chunk == NULL)
        return false;
    atomic_store_explicit(&buffer->fill->next, chunk, memory_order_release);
    buffer->fill = chunk;
    buffer->head = 0;
    buffer->limit = chunk->capacity / 2;
    return true;
}

void record_buffer_prepare(struct record_buffer *buffer)
{
    const struct record_chunk *chunk = buffer->drain;
    const uint64_t waiting = atomic_load_explicit(&chunk->head, memory_order_relaxed) -
                             atomic_load_explicit(&chunk->tail, memory_order_relaxed);
    if (waiting > chunk->capacity / 2 && atomic_load(&buffer->spare) == NULL)
        atomic_store(&buffer->spare, make_chunk(chunk->capacity * 2, RECORD_ROOM));
}

void record_buffer_drop_spare(struct record_buffer *buffer)
{
    free_chunk(atomic_exchange(&buffer->spare, NULL));
}

// Of two chunks that the thread could go on in, the larger one waits for it.
static void keep_spare(struct record_buffer *buffer, struct record_chunk *chunk)
{
    struct record_chunk *other = atomic_exchange(&buffer->spare, NULL);
    const bool larger = other != NULL && other->capacity > chunk->capacity;
    free_chunk(larger ? chunk : other);
    if (!larger)
        empty_chunk(chunk);
    atomic_store(&buffer->spare, larger ? other : chunk);
}

// Where the next one is; `at` where this one stays.
static uint64_t take_one(const struct record_chunk *chunk, uint64_t at, record_take *take,
                         void *context)
{
    const uint64_t from = at;
    const uint64_t mask = chunk->capacity - 1;
    const struct opscope_event *event = &chunk->slots[at++ & mask].event;
    struct opscope_value values[OPSCOPE_VALUES_MOST + 1];
    for (uint32_t i = 0; i < event->value_count; i += 2)
        memcpy(&values[i], chunk->slots[at++ & mask].values, sizeof(union record_slot));
    return take(context, event, values) ? at : from;
}

// False when something stays.
static bool take_chunk(struct record_chunk *chunk, record_take *take, void *context)
{
    const uint64_t head = atomic_load_explicit(&chunk->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&chunk->tail, memory_order_relaxed);
    bool stays = false;
    while (tail != head && !stays) {
        const uint64_t pause = tail + SLOTS_PER_RELEASE;
        while (tail != head && tail < pause && !stays) {
            const uint64_t next = take_one(chunk, tail, take, context);
            stays = next == tail;
            tail = next;
        }
        atomic_store_explicit(&chunk->tail, tail, memory_order_release);
    }
    return !stays;
}

void record_buffer_take(struct record_buffer *buffer, record_take *take, void *context)
{
    struct record_chunk *next = atomic_load_explicit(&buffer->drain->next, memory_order_acquire);
    // The thread has left a chunk that has a next one: what is in it is all.
    for (; next != NULL; next = atomic_load_explicit(&buffer->drain->next, memory_order_acquire)) {
        if (!take_chunk(buffer->drain, take, context))
            return;
        keep_spare(buffer, buffer->drain);
        buffer->drain = next;
    }
    take_chunk(buffer->drain, take, context);
}
