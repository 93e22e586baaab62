#include "intervals.h"

#include "base/sort.h"

static bool starts_before(const void *left, const void *right)
{
    const struct interval *a = left;
    const struct interval *b = right;
    return a->start < b->start;
}

// Moves the intervals that have a duration to the front and counts them.
static size_t drop_empty(struct interval *items, size_t count, size_t *out_impossible)
{
    size_t kept = 0;
    *out_impossible = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].start > items[i].end)
            *out_impossible += 1;
        else if (items[i].start < items[i].end)
            items[kept++] = items[i];
    }
    return kept;
}

struct interval_set intervals_normalize(struct interval *items, size_t count,
                                        size_t *out_impossible)
{
    count = drop_empty(items, count, out_impossible);
    if (count == 0)
        return (struct interval_set){items, 0};

    sort_in_place(items, count, sizeof *items, starts_before);
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (items[i].start > items[last].end)
            items[++last] = items[i];
        else if (items[i].end > items[last].end)
            items[last].end = items[i].end;
    }
    return (struct interval_set){items, last + 1};
}

uint64_t intervals_total(struct interval_set set)
{
    uint64_t total = 0;
    for (size_t i = 0; i < set.count; i++)
        total += set.items[i].end - set.items[i].start;
    return total;
}

struct interval_set intervals_intersect(struct interval_set a, struct interval_set b,
                                        struct interval *items)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; i < a.count && j < b.count;) {
        const struct interval x = a.items[i];
        const struct interval y = b.items[j];
        const uint64_t start = x.start > y.start ? x.start : y.start;
        const uint64_t end = x.end < y.end ? x.end : y.end;
        if (start < end)
            items[count++] = (struct interval){start, end};
        if (x.end < y.end)
            i++;
        else
            j++;
    }
    return (struct interval_set){items, count};
}

struct interval_set intervals_subtract(struct interval_set a, struct interval_set b,
                                       struct interval *items)
{
    size_t count = 0;
    size_t j = 0;
    for (size_t i = 0; i < a.count; i++) {
        uint64_t start = a.items[i].start;
        const uint64_t end = a.items[i].end;
        while (j < b.count && b.items[j].end <= start)
            j++;
        for (size_t k = j; k < b.count && b.items[k].start < end; k++) {
            if (start < b.items[k].start)
                items[count++] = (struct interval){start, b.items[k].start};
            start = b.items[k].end;
        }
        if (start < end)
            items[count++] = (struct interval){start, end};
    }
    return (struct interval_set){items, count};
}
