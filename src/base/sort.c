#include "sort.h"

#include <stdint.h>
#include <string.h>

// A few words at most: a call would take longer than the copying.
static inline void sort_copy_item(char *to, const char *from, size_t size)
{
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
        memcpy(to, from, sizeof(uint64_t));
        to += sizeof(uint64_t);
        from += sizeof(uint64_t);
    }
    while (size-- > 0)
        *to++ = *from++;
}

// A run of items.
struct sort_range {
    char *items;
    size_t size;
    bool (*before)(const void *a, const void *b);
};

static char *sort_item(const struct sort_range *run, size_t index)
{
    return run->items + index * run->size;
}

static void sort_sift(const struct sort_range *run, size_t count, size_t root)
{
    char moved[SORT_ITEM_MOST];
    sort_copy_item(moved, sort_item(run, root), run->size);
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && run->before(sort_item(run, child), sort_item(run, child + 1)))
            child++;
        if (!run->before(moved, sort_item(run, child)))
            break;
        sort_copy_item(sort_item(run, root), sort_item(run, child), run->size);
    }
    sort_copy_item(sort_item(run, root), moved, run->size);
}

static void base_sort_swap(const struct sort_range *run, size_t a, size_t b)
{
    char kept[SORT_ITEM_MOST];
    sort_copy_item(kept, sort_item(run, a), run->size);
    sort_copy_item(sort_item(run, a), sort_item(run, b), run->size);
    sort_copy_item(sort_item(run, b), kept, run->size);
}

static void heap_sort(const struct sort_range *run, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sort_sift(run, count, i - 1);
    for (size_t i = count; i > 1; i--) {
        base_sort_swap(run, 0, i - 1);
        sort_sift(run, i - 1, 0);
    }
}

static void insertion_sort(const struct sort_range *run, size_t count)
{
    char moved[SORT_ITEM_MOST];
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        if (!run->before(sort_item(run, i), sort_item(run, i - 1)))
            continue;
        sort_copy_item(moved, sort_item(run, i), run->size);
        for (; to > 0 && run->before(moved, sort_item(run, to - 1)); to--)
            sort_copy_item(sort_item(run, to), sort_item(run, to - 1), run->size);
        sort_copy_item(sort_item(run, to), moved, run->size);
    }
}

// Brings the middle one of the first, the middle and the last item to the front.
static void choose_pivot(const struct sort_range *run, size_t count)
{
    const size_t middle = count / 2;
    if (run->before(sort_item(run, middle), sort_item(run, 0)))
        base_sort_swap(run, middle, 0);
    if (run->before(sort_item(run, count - 1), sort_item(run, middle)))
        base_sort_swap(run, count - 1, middle);
    if (run->before(sort_item(run, middle), sort_item(run, 0)))
        base_sort_swap(run, middle, 0);
    base_sort_swap(run, 0, middle);
}

// Puts what comes before the first item into the front part, the rest after it; returns the size
// of the front part, which is neither 0 nor `count`.
static size_t partition(const struct sort_range *run, size_t count)
{
    char pivot[SORT_ITEM_MOST];
    size_t left = 0;
    size_t right = count - 1;
    choose_pivot(run, count);
    sort_copy_item(pivot, sort_item(run, 0), run->size);
    for (;; left++, right--) {
        while (run->before(sort_item(run, left), pivot))
            left++;
        while (run->before(pivot, sort_item(run, right)))
            right--;
        if (left >= right)
            return right + 1;
        base_sort_swap(run, left, right);
    }
}

// Quicksort, the smaller part first; what splits badly too often is left to heap sort.
static void sort_run(struct sort_range run, size_t count, unsigned splits)
{
    enum { FEW = 16 };
    while (count > FEW && splits > 0) {
        const size_t front = partition(&run, count);
        const struct sort_range back = {sort_item(&run, front), run.size, run.before};
        splits--;
        if (front < count - front) {
            sort_run(run, front, splits);
            run = back;
            count -= front;
        } else {
            sort_run(back, count - front, splits);
            count = front;
        }
    }
    if (count > FEW)
        heap_sort(&run, count);
    else
        insertion_sort(&run, count);
}

void sort_in_place(void *items, size_t count, size_t size,
                   bool (*before)(const void *a, const void *b))
{
    unsigned splits = 0;
    for (size_t left = count; left > 0; left /= 2)
        splits += 2;
    if (count > 1)
        sort_run((struct sort_range){items, size, before}, count, splits);
}

void sort_where_needed(void *items, size_t count, size_t size,
                       bool (*before)(const void *a, const void *b))
{
    const struct sort_range run = {items, size, before};
    for (size_t i = 1; i < count; i++) {
        if (before(sort_item(&run, i), sort_item(&run, i - 1))) {
            sort_in_place(items, count, size, before);
            return;
        }
    }
}

// Runs ---------------------------------------------------------------------------

bool sort_in_runs(const void *items, size_t count, size_t size,
                  bool (*before)(const void *a, const void *b))
{
    enum { RUN_LEAST = 8 };
    const char *item = items;
    size_t runs = 1;
    for (size_t i = 1; i < count; i++, item += size)
        runs += before(item + size, item);
    return runs <= count / RUN_LEAST;
}

static size_t run_end(const void *const *items, size_t from, size_t count,
                      bool (*before)(const void *a, const void *b))
{
    size_t end = from;
    while (end < count && (end == from || !before(items[end], items[end - 1])))
        end++;
    return end;
}

// Two runs, which meet at `middle`, into one.
static void merge_runs(const void *const *items, const void **to, size_t from, size_t middle,
                       size_t end, bool (*before)(const void *a, const void *b))
{
    size_t left = from;
    size_t right = middle;
    for (size_t i = from; i < end; i++) {
        const bool second = left == middle || (right < end && before(items[right], items[left]));
        to[i] = second ? items[right++] : items[left++];
    }
}

const void **sort_pointers(const void **items, const void **room, size_t count,
                           bool (*before)(const void *a, const void *b))
{
    while (run_end(items, 0, count, before) < count) {
        for (size_t from = 0, middle, end; from < count; from = end) {
            middle = run_end(items, from, count, before);
            end = run_end(items, middle, count, before);
            merge_runs(items, room, from, middle, end, before);
        }
        const void **merged = room;
        room = items;
        items = merged;
    }
    return items;
}
