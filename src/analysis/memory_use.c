#include "memory_use.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

// Bytes that are taken, or given back, at a time.
struct change {
    uint64_t at; // ns
    uint64_t bytes;
    bool taken;
};

// What is given back makes room for what is taken at the same time.
static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    return a->at != b->at ? sort_compare(a->at, b->at) : a->taken - b->taken;
}

static bool is_of(const struct buffer_lifetime *buffer, const struct memory_use *use)
{
    return buffer->memory == use->memory && buffer->device == use->device &&
           buffer->core == use->core && buffer->from < buffer->to;
}

static size_t list_changes(const struct profile *profile, const struct memory_use *use,
                           struct change *changes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->buffers.count; i++) {
        const struct buffer_lifetime *buffer = segments_get(&profile->buffers, i);
        const struct clock_domain *clock = profile_clock(profile, buffer->clock);
        if (!is_of(buffer, use))
            continue;
        changes[count++] = (struct change){clock_to_ns(clock, buffer->from), buffer->size, true};
        changes[count++] = (struct change){clock_to_ns(clock, buffer->to), buffer->size, false};
    }
    sort_items(changes, count, sizeof *changes, compare_changes);
    return count;
}

static size_t stretch_of(const struct memory_use *use, uint64_t at)
{
    const uint64_t length = use->to - use->from;
    if (length == 0)
        return 0;
    const size_t stretch = (size_t)((unsigned __int128)(at - use->from) * use->count / length);
    return stretch < use->count ? stretch : use->count - 1;
}

// The level between two changes is that of every stretch from one to the other.
static void fill_points(struct memory_use *use, const struct change *changes, size_t count)
{
    uint64_t level = 0;
    size_t stretch = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t next = stretch_of(use, changes[i].at);
        for (size_t at = stretch; at <= next; at++)
            use->most[at] = level > use->most[at] ? level : use->most[at];
        stretch = next;
        level = changes[i].taken ? level + changes[i].bytes : level - changes[i].bytes;
        use->most[stretch] = level > use->most[stretch] ? level : use->most[stretch];
    }
}

void memory_use_find(const struct profile *profile, uint32_t memory, uint32_t device, uint32_t core,
                     size_t points, struct memory_use *out_use)
{
    *out_use = (struct memory_use){.memory = memory, .device = device, .core = core};
    struct change *changes =
        memory_allocate_zeroed(2 * (size_t)profile->buffers.count + 1, sizeof *changes);
    const size_t count = list_changes(profile, out_use, changes);
    if (count > 0 && points > 0) {
        out_use->from = changes[0].at;
        out_use->to = changes[count - 1].at;
        out_use->count = points;
        out_use->most = memory_allocate_zeroed(points, sizeof *out_use->most);
        fill_points(out_use, changes, count);
    }
    free(changes);
}

void memory_use_free(struct memory_use *use)
{
    free(use->most);
    *use = (struct memory_use){0};
}
