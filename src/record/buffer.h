// The events of one thread on their way to the one that collects them. One thread puts,
// one takes; neither waits for the other, unless the policy says so.

#ifndef OPSCOPE_RECORD_BUFFER_H
#define OPSCOPE_RECORD_BUFFER_H

#include <opscope/record.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

// An event takes one slot, and one more for each two of its values.
union record_slot {
    struct opscope_event event;
    struct opscope_value values[2];
};

struct record_chunk {
    uint64_t capacity; // slots, a power of two
    struct record_chunk *_Atomic next;
    alignas(64) _Atomic uint64_t head; // slots ever filled
    alignas(64) _Atomic uint64_t tail; // slots ever taken
    alignas(64) union record_slot slots[];
};

struct record_buffer {
    // Of the thread:
    struct record_chunk *fill;
    uint64_t head;
    uint64_t limit; // head may go up to here without a look at the tail
    _Atomic uint32_t lane;
    // Of the collector:
    struct record_chunk *drain;
    struct record_chunk *_Atomic spare; // an empty one, for the thread to take; NULL: none
    bool ended;                         // the thread is gone
    struct record_buffer *next;
    char name[32];
};

// For the collector, after it took.
static inline bool record_buffer_is_empty(const struct record_buffer *buffer)
{
    const struct record_chunk *chunk = buffer->drain;
    return atomic_load(&chunk->next) == NULL &&
           atomic_load(&chunk->head) == atomic_load(&chunk->tail);
}

// Room for at least `bytes`, all of it taken at once; NULL when there is no memory.
struct record_buffer *record_buffer_create(size_t bytes);
void record_buffer_free(struct record_buffer *buffer);

// Makes room for `size` slots; false when there is none. Sets `*out_wake` when the
// collector should look soon.
bool record_buffer_room(struct record_buffer *buffer, uint32_t size, bool *out_wake);

// What grows leaves memory to who writes down what is in it: RECORD_ROOM bytes are free after it.
// The lock is of who looks for that; a fork has to hold it.
enum { RECORD_ROOM = 32 << 20 };
extern pthread_mutex_t record_buffer_growing;

// Goes on in the spare chunk, or in a new one of twice the size; false when there is no
// memory.
bool record_buffer_grow(struct record_buffer *buffer);

// Of the collector: has a chunk ready for a thread that will soon need one. Emptied ones
// are used again.
void record_buffer_prepare(struct record_buffer *buffer);

// Of the collector: memory is needed elsewhere.
void record_buffer_drop_spare(struct record_buffer *buffer);

static inline uint32_t record_event_slots(uint32_t value_count)
{
    return 1 + (value_count + 1) / 2;
}

// Puts an event, for this lane. There must be room.
static inline void record_buffer_put(struct record_buffer *buffer,
                                     const struct opscope_event *event, uint32_t lane,
                                     const struct opscope_value *values)
{
    struct record_chunk *chunk = buffer->fill;
    const uint64_t mask = chunk->capacity - 1;
    uint64_t head = buffer->head;
    struct opscope_event *to = &chunk->slots[head++ & mask].event;
    *to = *event;
    to->lane = lane;
    for (uint32_t i = 0; i < event->value_count; i += 2) {
        union record_slot *slot = &chunk->slots[head++ & mask];
        slot->values[0] = values[i];
        if (i + 1 < event->value_count)
            slot->values[1] = values[i + 1];
    }
    buffer->head = head;
    atomic_store_explicit(&chunk->head, head, memory_order_release);
}

// Takes the events that were there when it was called, in order. A callback with
// the event and its values, which it may keep until it returns; false: the event stays, and what
// comes after it.
typedef bool record_take(void *context, const struct opscope_event *event,
                         const struct opscope_value *values);
void record_buffer_take(struct record_buffer *buffer, record_take *take, void *context);

#endif
