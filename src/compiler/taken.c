#include "taken.h"

#include <string.h>

#include "base/memory.h"

void taken_add(struct taken *spans, struct span span)
{
    spans->items = memory_grow(spans->items, spans->count, &spans->capacity, sizeof *spans->items);
    size_t at = spans->count++;
    for (; at > 0 && spans->items[at - 1].from > span.from; at--)
        spans->items[at] = spans->items[at - 1];
    spans->items[at] = span;
}

void taken_remove(struct taken *spans, struct span span)
{
    size_t at = 0;
    while (at < spans->count &&
           (spans->items[at].from != span.from || spans->items[at].to != span.to))
        at++;
    if (at == spans->count)
        return;
    spans->count--;
    memmove(spans->items + at, spans->items + at + 1, (spans->count - at) * sizeof *spans->items);
}

// The gap after `from`, up to the next span; `index` walks along.
static bool next_gap(const struct taken *spans, struct span all, size_t *index, uint64_t *from,
                     struct span *out_gap)
{
    while (*index <= spans->count) {
        const uint64_t to = *index < spans->count ? spans->items[*index].from : all.to;
        const uint64_t start = *from;
        if (*index < spans->count && spans->items[*index].to > *from)
            *from = spans->items[*index].to;
        ++*index;
        if (to > start) {
            *out_gap = (struct span){start, to};
            return true;
        }
    }
    return false;
}

struct span taken_largest_gap(const struct taken *spans, struct span all)
{
    struct span best = {all.from, all.from};
    struct span gap;
    uint64_t from = all.from;
    for (size_t i = 0; next_gap(spans, all, &i, &from, &gap);) {
        if (gap.to - gap.from > best.to - best.from)
            best = gap;
    }
    return best;
}

bool taken_find_place(const struct taken *spans, struct span all, uint64_t bytes, bool high,
                      uint64_t *out_address)
{
    bool found = false;
    struct span gap;
    uint64_t from = all.from;
    for (size_t i = 0; next_gap(spans, all, &i, &from, &gap) && (high || !found);) {
        if (gap.to - gap.from < bytes)
            continue;
        *out_address = high ? gap.to - bytes : gap.from;
        found = true;
    }
    return found;
}
