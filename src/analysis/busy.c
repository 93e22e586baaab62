#include "busy.h"

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

status busy_list_add_far(struct edge_list *list, struct interval span)
{
    uint32_t words[6];
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

void busy_free(struct busy *busy)
{
    spool_free(&busy->in_order.spool);
    spool_free(&busy->late_in_order.spool);
    spool_free(&busy->late);
}
