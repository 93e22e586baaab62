#include "filling.h"

#include "memory.h"
#include "parts.h"

void filling_start(struct filling *filling, size_t part_size, void (*work)(void *part),
                   void (*take)(void *context, void *part), void *context)
{
    *filling = (struct filling){
        .parts = parts_open(work), .part_size = part_size, .take = take, .context = context};
}

// The one that was handed on first; false when there is none.
static bool filling_take_first(struct filling *filling)
{
    struct filled_part *part = parts_take(filling->parts);
    if (part == NULL)
        return false;
    filling->take(filling->context, part);
    part->next_free = filling->free_parts;
    filling->free_parts = part;
    return true;
}

void *filling_part(struct filling *filling)
{
    void *part = filling_give_back(filling);
    return part != NULL ? part : memory_allocate_zeroed(1, filling->part_size);
}

void filling_hand_on(struct filling *filling, void *part)
{
    if (!parts_room(filling->parts))
        filling_take_first(filling);
    parts_put(filling->parts, part);
}

void filling_finish(struct filling *filling)
{
    while (filling_take_first(filling))
        continue;
    parts_close(filling->parts);
}

void *filling_give_back(struct filling *filling)
{
    struct filled_part *part = filling->free_parts;
    if (part != NULL)
        filling->free_parts = part->next_free;
    return part;
}
