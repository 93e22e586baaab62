#include "event.h"

#include <stdlib.h>

#include "base/memory.h"

struct event_batch *event_batch_create(void)
{
    struct event_batch *batch = memory_allocate_zeroed(1, sizeof *batch);
    event_batch_room(batch, EVENT_BATCH);
    return batch;
}

// Of its events those that count are set: to clear all of them takes time while others record.
void event_batch_room(struct event_batch *batch, size_t count)
{
    if (batch->capacity >= count)
        return;
    size_t wanted = batch->capacity == 0 ? EVENT_BATCH / 2 : batch->capacity;
    while (wanted < count)
        wanted *= 2;
    batch->events = memory_resize(batch->events, wanted * sizeof *batch->events);
    batch->capacity = wanted;
}

void event_batch_free(struct event_batch *batch)
{
    if (batch == NULL)
        return;
    bytes_free(&batch->values);
    free(batch->events);
    free(batch);
}
