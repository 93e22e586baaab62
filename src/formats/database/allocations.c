#include "allocations.h"

#include "base/sort.h"
#include "profile/memory.h"

_Static_assert(sizeof(struct allocation) <= SORT_ITEM_MOST, "allocations are sorted in place");

status allocations_add(struct allocations *allocations, struct allocation allocation)
{
    allocation.order = allocations->count++;
    return spool_append(&allocations->spool, &allocation, sizeof allocation);
}

void allocations_free(struct allocations *allocations)
{
    spool_free(&allocations->spool);
}

static bool allocations_by_time(const void *left, const void *right)
{
    const struct allocation *a = left;
    const struct allocation *b = right;
    if (a->place != b->place)
        return a->place < b->place;
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

// All of one place, from the first on; returns how many.
static uint64_t add_place(struct profile *profile, const struct allocation *first, uint64_t count,
                          uint64_t end, const struct buffer_lifetime *like)
{
    struct memory_book book = {.profile = profile, .like = *like};
    uint64_t i = 0;
    for (; i < count && first[i].place == first->place; i++) {
        const struct allocation *at = &first[i];
        if (at->bytes > 0)
            memory_book_take(&book, at->address, at->bytes, at->time, 0, 0);
        else
            memory_book_give_back(&book, at->address, at->time);
    }
    memory_book_close(&book, end);
    return i;
}

status allocations_finish(struct allocations *allocations, struct profile *profile, uint64_t end,
                          allocations_describe describe, void *context)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&allocations->spool, &data, &size));
    const uint64_t count = size / sizeof(struct allocation);
    const struct allocation *at = (const struct allocation *)(const void *)data;
    sort_in_place(data, count, sizeof(struct allocation), allocations_by_time);
    for (uint64_t i = 0; i < count;) {
        struct buffer_lifetime like = {0};
        describe(context, at[i].place, &like);
        i += add_place(profile, &at[i], count - i, end, &like);
    }
    return STATUS_OK;
}
