#include "writer_flows.h"

#include "base/sort.h"

struct flow_end {
    uint64_t flow; // of the profile
    uint64_t ns;
    uint64_t order; // of the value among all flow values * 2 + whether it ends the flow
};

status writer_flows_add(struct writer_flows *flows, uint64_t ns, uint64_t flow, bool ends)
{
    static const uint64_t NO_ROLE = WRITER_FLOW_NONE;
    const struct flow_end end = {flow, ns, (uint64_t)flows->count++ << 1 | ends};
    STATUS_TRY(spool_append(&flows->roles, &NO_ROLE, sizeof NO_ROLE));
    return spool_append(&flows->ends, &end, sizeof end);
}

static bool comes_before(const void *left, const void *right)
{
    const struct flow_end *a = left;
    const struct flow_end *b = right;
    if (a->flow != b->flow)
        return a->flow < b->flow;
    return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

static bool ends_flow(const struct flow_end *end)
{
    return (end->order & 1) != 0;
}

// What roles are given to, and which part of the trace a time belongs to.
struct giving {
    uint64_t *roles;
    uint32_t (*part_of)(const void *context, uint64_t ns); // NULL: there is one
    const void *context;
};

static uint32_t part_at(const struct giving *giving, uint64_t ns)
{
    return giving->part_of != NULL ? giving->part_of(giving->context, ns) : 0;
}

// Items [from, to) are one flow from its start to its end, in one part.
static void give_roles(const struct giving *giving, const struct flow_end *items, size_t from,
                       size_t to, uint64_t number, bool goes_on)
{
    for (size_t i = from; i < to; i++) {
        enum writer_flow_role role = i == from ? WRITER_FLOW_START : WRITER_FLOW_STEP;
        if (i > from && (ends_flow(&items[i]) || (goes_on && i + 1 == to)))
            role = WRITER_FLOW_END;
        giving->roles[items[i].order >> 1] = number << 2 | role;
    }
}

// From `from` on: one flow, from its start to its end or to where the next one starts.
static size_t flow_stop(const struct flow_end *items, size_t count, size_t from)
{
    size_t to = from;
    while (to < count && items[to].flow == items[from].flow) {
        if (ends_flow(&items[to++]))
            break;
    }
    return to;
}

static size_t part_stop(const struct giving *giving, const struct flow_end *items, size_t from,
                        size_t to)
{
    const uint32_t part = part_at(giving, items[from].ns);
    size_t end = from + 1;
    while (end < to && part_at(giving, items[end].ns) == part)
        end++;
    return end;
}

static void give_numbers(struct writer_flows *flows, const struct giving *giving,
                         const struct flow_end *items)
{
    uint64_t number = 0;
    for (size_t from = 0, to = 0; from < flows->count; from = to) {
        to = flow_stop(items, flows->count, from);
        if (ends_flow(&items[from])) {
            flows->ends_without_start++;
            continue;
        }
        for (size_t piece = from, end = from; piece < to; piece = end) {
            end = part_stop(giving, items, piece, to);
            flows->cut += end < to;
            if (end == piece + 1 && (piece > from || end < to))
                continue; // alone in its part
            give_roles(giving, items, piece, end, ++number, end < to);
        }
    }
}

status writer_flows_finish(struct writer_flows *flows,
                           uint32_t (*part_of)(const void *context, uint64_t ns),
                           const void *context)
{
    char *ends;
    char *roles;
    size_t size;
    if (flows->count == 0)
        return STATUS_OK;
    STATUS_TRY(spool_read(&flows->ends, &ends, &size));
    STATUS_TRY(spool_read(&flows->roles, &roles, &size));
    const struct giving giving = {(uint64_t *)(void *)roles, part_of, context};
    struct flow_end *items = (struct flow_end *)(void *)ends;
    sort_in_place(items, flows->count, sizeof *items, comes_before);
    give_numbers(flows, &giving, items);
    flows->given = giving.roles;
    return STATUS_OK;
}

void writer_flows_free(struct writer_flows *flows)
{
    spool_free(&flows->ends);
    spool_free(&flows->roles);
}
