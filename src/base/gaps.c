#include "gaps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static void remove_gap(struct gaps *gaps, size_t at)
{
    gaps->count--;
    memmove(gaps->items + at, gaps->items + at + 1, (gaps->count - at) * sizeof *gaps->items);
}

uint64_t gaps_take(struct gaps *gaps, uint64_t size)
{
    size_t best = gaps->count;
    for (size_t i = 0; i < gaps->count; i++) {
        const uint64_t length = gaps->items[i].to - gaps->items[i].from;
        if (length >= size &&
            (best == gaps->count || length < gaps->items[best].to - gaps->items[best].from))
            best = i;
    }
    if (best == gaps->count) {
        const uint64_t place = gaps->end;
        gaps->end += size;
        return place;
    }
    const uint64_t place = gaps->items[best].from;
    gaps->items[best].from += size;
    if (gaps->items[best].from == gaps->items[best].to)
        remove_gap(gaps, best);
    return place;
}

void gaps_give_back(struct gaps *gaps, uint64_t from, uint64_t size)
{
    const uint64_t to = from + size;
    size_t at = 0;
    while (at < gaps->count && gaps->items[at].from < from)
        at++;
    const bool joins_left = at > 0 && gaps->items[at - 1].to == from;
    const bool joins_right = at < gaps->count && gaps->items[at].from == to;
    if (joins_left && joins_right) {
        gaps->items[at - 1].to = gaps->items[at].to;
        remove_gap(gaps, at);
    } else if (joins_left) {
        gaps->items[at - 1].to = to;
    } else if (joins_right) {
        gaps->items[at].from = from;
    } else {
        gaps->items = memory_grow(gaps->items, gaps->count, &gaps->capacity, sizeof *gaps->items);
        memmove(gaps->items + at + 1, gaps->items + at, (gaps->count - at) * sizeof *gaps->items);
        gaps->items[at] = (struct gap){from, to};
        gaps->count++;
    }
}

void gaps_free(struct gaps *gaps)
{
    free(gaps->items);
}
