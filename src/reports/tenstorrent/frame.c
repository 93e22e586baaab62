#include "frame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Parts up to this long are sorted by insertion.
enum { SMALL = 15, STACK_ROOM = 128 };

struct part {
    size_t *first;
    size_t *last;
    int depth; // below 0: its pivots were bad for too long
};

struct sorter {
    const int64_t *keys;
    struct part waiting[STACK_ROOM];
    size_t waiting_count;
};

int64_t frame_key(double number)
{
    int64_t bits;
    const double positive_zero = number + 0.0;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static void frame_swap(size_t *a, size_t *b)
{
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

static bool is_less(const struct sorter *sorter, const size_t *a, const size_t *b)
{
    return sorter->keys[*a] < sorter->keys[*b];
}

static void sort_small(const struct sorter *sorter, const struct part *part)
{
    for (size_t *at = part->first + 1; at <= part->last; at++) {
        const size_t moved = *at;
        size_t *to = at;
        for (; to > part->first && sorter->keys[moved] < sorter->keys[to[-1]]; to--)
            *to = to[-1];
        *to = moved;
    }
}

// Splits around the median of the first, middle and last; returns where it came to stand.
static size_t *split(const struct sorter *sorter, const struct part *part)
{
    size_t *middle = part->first + (part->last - part->first) / 2;
    if (is_less(sorter, middle, part->first))
        frame_swap(middle, part->first);
    if (is_less(sorter, part->last, middle))
        frame_swap(part->last, middle);
    if (is_less(sorter, middle, part->first))
        frame_swap(middle, part->first);
    const int64_t pivot = sorter->keys[*middle];
    size_t *low = part->first;
    size_t *high = part->last - 1;
    frame_swap(middle, high);
    for (;;) {
        do {
            low++;
        } while (sorter->keys[*low] < pivot);
        do {
            high--;
        } while (pivot < sorter->keys[*high]);
        if (low >= high)
            break;
        frame_swap(low, high);
    }
    frame_swap(low, part->last - 1);
    return low;
}

// Lets the item at `from` (1 is the first) sink in a heap of `count`.
static void frame_sink(const struct sorter *sorter, size_t *heap, size_t from, size_t count)
{
    const size_t item = heap[from - 1];
    size_t at = from;
    for (size_t child = 2 * at; child <= count; child = 2 * at) {
        if (child < count && is_less(sorter, &heap[child - 1], &heap[child]))
            child++;
        if (!is_less(sorter, &item, &heap[child - 1]))
            break;
        heap[at - 1] = heap[child - 1];
        at = child;
    }
    heap[at - 1] = item;
}

static void sort_heap(const struct sorter *sorter, const struct part *part)
{
    const size_t count = (size_t)(part->last - part->first) + 1;
    for (size_t from = count / 2; from > 0; from--)
        frame_sink(sorter, part->first, from, count);
    for (size_t left = count; left > 1; left--) {
        frame_swap(&part->first[0], &part->first[left - 1]);
        frame_sink(sorter, part->first, 1, left - 1);
    }
}

// Puts the longer side aside and goes on with the shorter one.
static void sort_part(struct sorter *sorter, struct part part)
{
    if (part.depth < 0) {
        sort_heap(sorter, &part);
        return;
    }
    while (part.last - part.first > SMALL) {
        size_t *pivot = split(sorter, &part);
        const struct part low = {part.first, pivot - 1, part.depth - 1};
        const struct part high = {pivot + 1, part.last, part.depth - 1};
        const bool low_is_shorter = pivot - part.first < part.last - pivot;
        sorter->waiting[sorter->waiting_count++] = low_is_shorter ? high : low;
        part = low_is_shorter ? low : high;
    }
    sort_small(sorter, &part);
}

static int frame_bits_of(size_t number)
{
    int bits = 0;
    while (number >>= 1)
        bits++;
    return bits;
}

void frame_order(const int64_t *keys, size_t count, size_t *out_order)
{
    for (size_t i = 0; i < count; i++)
        out_order[i] = i;
    if (count < 2)
        return;
    struct sorter sorter = {.keys = keys};
    sorter.waiting[sorter.waiting_count++] =
        (struct part){out_order, out_order + count - 1, 2 * frame_bits_of(count)};
    while (sorter.waiting_count > 0) {
        const struct part part = sorter.waiting[--sorter.waiting_count];
        if (part.last > part.first)
            sort_part(&sorter, part);
    }
}

void frame_order_descending(const int64_t *keys, size_t count, size_t *out_order)
{
    int64_t *backwards = memory_allocate_zeroed(count + 1, sizeof *backwards);
    size_t *order = memory_allocate_zeroed(count + 1, sizeof *order);
    for (size_t i = 0; i < count; i++)
        backwards[i] = keys[count - 1 - i];
    frame_order(backwards, count, order);
    for (size_t i = 0; i < count; i++)
        out_order[i] = count - 1 - order[count - 1 - i];
    free(order);
    free(backwards);
}

void frame_add(struct frame_sum *sum, double number)
{
    const double corrected = number - sum->error;
    const double next = sum->value + corrected;
    sum->error = next - sum->value - corrected;
    sum->value = next;
}
