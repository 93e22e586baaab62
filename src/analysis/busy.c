#include "busy.h"

#include <stdlib.h>

#include "base/memory.h"

// Between two marks: the window is full less often.
enum { MARK_WORDS = SPOOL_WINDOW / sizeof(uint32_t) / 2 };

struct busy busy_empty(void)
{
    return (struct busy){
        .in_order.spool = SPOOL_EMPTY, .late_in_order.spool = SPOOL_EMPTY, .late = SPOOL_EMPTY};
}

static size_t edge_put(struct edge_list *list, uint32_t *words, uint64_t edge)
{
    const uint64_t delta = edge - list->last;
    list->last = edge;
    words[0] = delta < EDGE_WIDE ? (uint32_t)delta : EDGE_WIDE;
    if (delta < EDGE_WIDE)
        return 1;
    words[1] = (uint32_t)delta;
    words[2] = (uint32_t)(delta >> 32);
    return 3;
}

static void edge_list_mark(struct edge_list *list)
{
    const uint64_t words = spool_size(&list->spool) / sizeof(uint32_t);
    const uint64_t before = list->mark_count > 0 ? list->marks[list->mark_count - 1].words : 0;
    if (words - before < MARK_WORDS)
        return;
    list->marks =
        memory_grow(list->marks, list->mark_count, &list->mark_capacity, sizeof *list->marks);
    list->marks[list->mark_count++] = (struct edge_mark){words, list->last};
}

status busy_list_add_far(struct edge_list *list, struct interval span)
{
    uint32_t words[6];
    edge_list_mark(list);
    size_t count = edge_put(list, words, span.start);
    count += edge_put(list, words + count, span.end);
    return spool_append(&list->spool, words, count * sizeof words[0]);
}

status busy_add_late(struct busy *busy, struct interval span)
{
    if (!busy->any || span.start < busy->span.start)
        busy->span.start = span.start;
    if (!busy->any || span.end > busy->span.end)
        busy->span.end = span.end;
    busy->has_spans = true;
    if (busy->any)
        return spool_append(&busy->late, &span, sizeof span);
    busy->last = span;
    busy->any = true;
    return STATUS_OK;
}

static status list_read(struct edge_list *list, struct edge_reader *out_reader)
{
    char *data;
    size_t size;
    STATUS_TRY(spool_read(&list->spool, &data, &size));
    const uint32_t *words = (const uint32_t *)(const void *)data;
    *out_reader = (struct edge_reader){words, words + size / sizeof *words, 0};
    return STATUS_OK;
}

status busy_finish(struct busy *busy)
{
    char *data;
    size_t size;
    size_t impossible;
    if (busy->any)
        STATUS_TRY(busy_list_add(&busy->in_order, busy->last));
    busy->any = false;
    STATUS_TRY(spool_read(&busy->late, &data, &size));
    const struct interval_set late = intervals_normalize(
        (struct interval *)(void *)data, size / sizeof(struct interval), &impossible);
    for (size_t i = 0; i < late.count; i++)
        STATUS_TRY(busy_list_add(&busy->late_in_order, late.items[i]));
    STATUS_TRY(list_read(&busy->in_order, &busy->edges[0]));
    return list_read(&busy->late_in_order, &busy->edges[1]);
}

struct edge_reader busy_edges_near(const struct busy *busy, unsigned list, uint64_t time)
{
    const struct edge_list *edges = busy_list(busy, list);
    struct edge_reader reader = busy->edges[list];
    size_t low = 0; // marks below lie before `time`
    for (size_t high = edges->mark_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (edges->marks[middle].last < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0) {
        reader.at += edges->marks[low - 1].words;
        reader.last = edges->marks[low - 1].last;
    }
    return reader;
}

void busy_free(struct busy *busy)
{
    spool_free(&busy->in_order.spool);
    spool_free(&busy->late_in_order.spool);
    free(busy->in_order.marks);
    free(busy->late_in_order.marks);
    spool_free(&busy->late);
}
