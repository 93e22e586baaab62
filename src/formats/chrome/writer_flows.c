#include "writer_flows.h"

#include "base/sort.h"

status writer_flows_add(struct writer_flows *flows, uint64_t ns, uint64_t flow, bool ends)
{
    const struct writer_flow item = {
        .ns = ns, .flow = flow, .ordinal = flows->count++, .ends = ends};
    return spool_append(&flows->spool, &item, sizeof item);
}

static bool flow_before(const void *left, const void *right)
{
    const struct writer_flow *a = left;
    const struct writer_flow *b = right;
    if (a->flow != b->flow)
        return a->flow < b->flow;
    return a->ns != b->ns ? a->ns < b->ns : a->ordinal < b->ordinal;
}

// Ordinals are 0, 1 ...: every item goes to its place.
static void restore_order(struct writer_flow *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        while (items[i].ordinal != i) {
            const struct writer_flow moved = items[i];
            items[i] = items[moved.ordinal];
            items[moved.ordinal] = moved;
        }
    }
}

// Items [from, to) are one flow from its start to its end, in one part.
static void give_roles(struct writer_flow *items, size_t from, size_t to, uint64_t number,
                       bool goes_on)
{
    for (size_t i = from; i < to; i++) {
        items[i].flow = number;
        items[i].role = i == from ? WRITER_FLOW_START : WRITER_FLOW_STEP;
        if (i > from && (items[i].ends || (goes_on && i + 1 == to)))
            items[i].role = WRITER_FLOW_END;
    }
}

// From `from` on: one flow, from its start to its end or to where the next one starts.
static size_t flow_end(const struct writer_flow *items, size_t count, size_t from)
{
    size_t to = from;
    while (to < count && items[to].flow == items[from].flow) {
        if (items[to++].ends)
            break;
    }
    return to;
}

static size_t part_end(const struct writer_flow *items, size_t from, size_t to)
{
    size_t end = from;
    while (end < to && items[end].part == items[from].part)
        end++;
    return end;
}

static void give_numbers(struct writer_flows *flows)
{
    struct writer_flow *items = flows->items;
    uint64_t number = 0;
    for (size_t from = 0, to = 0; from < flows->count; from = to) {
        to = flow_end(items, flows->count, from);
        if (items[from].ends) {
            flows->ends_without_start++;
            continue;
        }
        for (size_t piece = from, end = from; piece < to; piece = end) {
            end = part_end(items, piece, to);
            flows->cut += end < to;
            if (end == piece + 1 && (piece > from || end < to))
                continue; // alone in its part
            give_roles(items, piece, end, ++number, end < to);
        }
    }
}

status writer_flows_finish(struct writer_flows *flows,
                           uint32_t (*part_of)(const void *context, uint64_t ns),
                           const void *context)
{
    char *data;
    size_t size;
    if (flows->count == 0)
        return STATUS_OK;
    STATUS_TRY(spool_read(&flows->spool, &data, &size));
    flows->items = (struct writer_flow *)(void *)data;
    for (size_t i = 0; part_of != NULL && i < flows->count; i++)
        flows->items[i].part = part_of(context, flows->items[i].ns);
    sort_in_place(flows->items, flows->count, sizeof *flows->items, flow_before);
    give_numbers(flows);
    restore_order(flows->items, flows->count);
    return STATUS_OK;
}

void writer_flows_free(struct writer_flows *flows)
{
    spool_free(&flows->spool);
}
