#include "rooms.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/tensor.h"

struct room {
    atomic_bool taken;
    size_t bytes;       // of who has taken it
    void *_Atomic data; // that others compare with theirs
};

struct rooms {
    struct room *items;
    unsigned count;
    size_t bytes;
};

struct rooms *rooms_create(unsigned count)
{
    struct rooms *rooms = memory_allocate_zeroed(1, sizeof *rooms);
    rooms->items = memory_allocate_zeroed(count, sizeof *rooms->items);
    rooms->count = count;
    rooms->bytes = TENSOR_ALIGNMENT;
    return rooms;
}

void rooms_free(struct rooms *rooms)
{
    if (rooms == NULL)
        return;
    for (unsigned i = 0; i < rooms->count; i++)
        free(rooms->items[i].data);
    free(rooms->items);
    free(rooms);
}

void rooms_reserve(struct rooms *rooms, size_t bytes)
{
    if (bytes > rooms->bytes)
        rooms->bytes = bytes;
}

// Made when first taken: a machine whose workers are idle does not pay for theirs.
static void *grown(struct room *room, size_t bytes)
{
    void *data = atomic_load(&room->data);
    if (room->bytes >= bytes)
        return data;
    // Another room may get the same memory as soon as it is free.
    atomic_store(&room->data, NULL);
    free(data);
    data = memory_take(bytes);
    room->bytes = data != NULL ? bytes : 0;
    atomic_store(&room->data, data);
    return data;
}

void *rooms_take(struct rooms *rooms)
{
    for (unsigned i = 0;; i = (i + 1) % rooms->count) {
        if (atomic_exchange(&rooms->items[i].taken, true))
            continue;
        void *data = grown(&rooms->items[i], rooms->bytes);
        if (data == NULL)
            atomic_store(&rooms->items[i].taken, false);
        return data;
    }
}

void rooms_give_back(struct rooms *rooms, void *room)
{
    for (unsigned i = 0; i < rooms->count; i++) {
        if (atomic_load(&rooms->items[i].data) == room)
            atomic_store(&rooms->items[i].taken, false);
    }
}
