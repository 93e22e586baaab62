#include "track_order.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/memory.h"

struct ranked {
    uint32_t parent;
    int32_t rank;
    uint32_t id;
};

static int track_order_by_place(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->parent != b->parent)
        return (a->parent > b->parent) - (a->parent < b->parent);
    if (a->rank != b->rank)
        return (a->rank > b->rank) - (a->rank < b->rank);
    return (a->id > b->id) - (a->id < b->id);
}

// A parent always has a smaller id than its children. `size` of a track counts itself and
// those below it: so much room it takes after its parent.
void track_order(const struct profile *profile, uint32_t *order)
{
    const uint32_t count = profile->tracks.count;
    struct ranked *ranked = memory_allocate_zeroed(count, sizeof *ranked);
    uint32_t *size = memory_allocate_zeroed(count, sizeof *size);
    uint32_t *place = memory_allocate_zeroed(count, sizeof *place);
    for (uint32_t i = 1; i < count; i++) {
        const struct track *track = profile_track(profile, i);
        ranked[i] = (struct ranked){track->parent, track->rank, i};
    }
    for (uint32_t i = count - 1; i > 0; i--) {
        size[i]++;
        size[ranked[i].parent] += size[i];
    }
    // `place` of a parent is where its next child goes; by_place has parents in order of
    // their ids, so that it is known when its children come.
    sort_items(ranked + 1, count - 1, sizeof *ranked, track_order_by_place);
    order[0] = 0;
    place[0] = 1;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t id = ranked[i].id;
        const uint32_t at = place[ranked[i].parent];
        place[ranked[i].parent] += size[id];
        order[at] = id;
        place[id] = at + 1;
    }
    free(ranked);
    free(size);
    free(place);
}
