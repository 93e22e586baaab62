// Sorting in place: no memory besides the items, so that items in a mapped
// file stay there. Not stable; O(n log n) whatever the input.

#ifndef OPSCOPE_BASE_SORT_H
#define OPSCOPE_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SORT_ITEM_MOST = 72 };

// `size` is at most SORT_ITEM_MOST. `before` says whether `a` comes first.
void sort_in_place(void *items, size_t count, size_t size,
                   bool (*before)(const void *a, const void *b));

// The same of items that are in order as a rule: then nothing is written.
void sort_where_needed(void *items, size_t count, size_t size,
                       bool (*before)(const void *a, const void *b));

// Whether there are few runs in order, of many items each.
bool sort_in_runs(const void *items, size_t count, size_t size,
                  bool (*before)(const void *a, const void *b));

// Sorts pointers by what they point to, stable, in O(n log runs) where there are runs in order.
// `room` is as large as `items`; returns which of them has the result.
const void **sort_pointers(const void **items, const void **room, size_t count,
                           bool (*before)(const void *a, const void *b));

// By the C library, of which a list without items may have no memory.
static inline void sort_items(void *items, size_t count, size_t size,
                              int (*compare)(const void *a, const void *b))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

// For comparisons as `sort_items` asks for them: below, at or above 0.
static inline int sort_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

#endif
