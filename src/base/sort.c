#include "sort.h"

#include <string.h>

struct heap {
    char *items;
    size_t size;
    bool (*before)(const void *a, const void *b);
};

static char *item(const struct heap *heap, size_t index)
{
    return heap->items + index * heap->size;
}

static void sift(const struct heap *heap, size_t count, size_t root)
{
    char moved[SORT_ITEM_MOST];
    memcpy(moved, item(heap, root), heap->size);
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap->before(item(heap, child), item(heap, child + 1)))
            child++;
        if (!heap->before(moved, item(heap, child)))
            break;
        memcpy(item(heap, root), item(heap, child), heap->size);
    }
    memcpy(item(heap, root), moved, heap->size);
}

void sort_in_place(void *items, size_t count, size_t size,
                   bool (*before)(const void *a, const void *b))
{
    const struct heap heap = {items, size, before};
    char largest[SORT_ITEM_MOST];
    for (size_t i = count / 2; i > 0; i--)
        sift(&heap, count, i - 1);
    for (size_t i = count; i > 1; i--) {
        memcpy(largest, item(&heap, 0), size);
        memcpy(item(&heap, 0), item(&heap, i - 1), size);
        memcpy(item(&heap, i - 1), largest, size);
        sift(&heap, i - 1, 0);
    }
}
