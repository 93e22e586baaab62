#include "writer_flows.h"

#include "base/sort.h"

struct flow_end {
    uint64_t flow; // of the profile
    uint64_t ns;
    uint64_t order; // of the value among all flow values * 4 + writer_flow_end
};

status writer_flows_add(struct writer_flows *flows, uint64_t ns, uint64_t flow,
                        enum writer_flow_end end)
{
    const struct flow_end item = {flow, ns, (uint64_t)flows->count++ << 2 | end};
    return spool_append(&flows->ends, &item, sizeof item);
}

static bool writer_flows_comes_before(const void *left, const void *right)
{
    const struct flow_end *a = left;
    const struct flow_end *b = right;
    if (a->flow != b->flow)
        return a->flow < b->flow;
    return a->ns != b->ns ? a->ns < b->ns : a->order < b->order;
}

// Sorting ---------------------------------------------------------------------

// Ids that are hardly larger than there are ends: those of most profiles are 1, 2 ...
static bool are_dense(const struct flow_end *items, size_t count, size_t *out_ids)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = items[i].flow > largest ? items[i].flow : largest;
    *out_ids = (size_t)largest + 1;
    return largest < 2 * (uint64_t)count;
}

// To where its flow has room, in the order of before; then each flow by itself.
static void sort_by_id(const struct flow_end *items, size_t count, uint64_t *at, size_t ids,
                       struct flow_end *to)
{
    for (size_t i = 0; i < count; i++)
        at[items[i].flow + 1]++;
    for (size_t i = 0; i < ids; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < count; i++)
        to[at[items[i].flow]++] = items[i];
    for (size_t from = 0, end = 0; from < count; from = end) {
        while (end < count && to[end].flow == to[from].flow)
            end++;
        sort_in_place(to + from, end - from, sizeof *to, writer_flows_comes_before);
    }
}

static status sort_ends(struct writer_flows *flows, struct flow_end **out_items)
{
    char *data;
    char *sorted;
    char *at;
    size_t size;
    size_t ids;
    STATUS_TRY(spool_read(&flows->ends, &data, &size));
    struct flow_end *items = (struct flow_end *)(void *)data;
    *out_items = items;
    if (!are_dense(items, flows->count, &ids)) {
        sort_in_place(items, flows->count, sizeof *items, writer_flows_comes_before);
        return STATUS_OK;
    }
    struct spool places = SPOOL_EMPTY;
    status result = spool_make_room(&places, (ids + 1) * sizeof(uint64_t), &at);
    if (result == STATUS_OK)
        result = spool_make_room(&flows->sorted, size, &sorted);
    if (result == STATUS_OK) {
        *out_items = (struct flow_end *)(void *)sorted;
        sort_by_id(items, flows->count, (uint64_t *)(void *)at, ids, *out_items);
    }
    spool_free(&places);
    return result;
}

// Roles -----------------------------------------------------------------------

static bool ends_flow(const struct flow_end *end)
{
    return (end->order & 3) != WRITER_FLOW_GOES_ON;
}

// What roles are given to, and which part of the trace a time belongs to.
struct giving {
    uint64_t *roles;
    uint32_t (*part_of)(const void *context, uint64_t ns); // NULL: there is one
    const void *context;
};

static uint32_t writer_flows_part_at(const struct giving *giving, uint64_t ns)
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
        giving->roles[items[i].order >> 2] = number << 2 | role;
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
    const uint32_t part = writer_flows_part_at(giving, items[from].ns);
    size_t end = from + 1;
    while (end < to && writer_flows_part_at(giving, items[end].ns) == part)
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
            if ((items[from].order & 3) == WRITER_FLOW_ENDS_AS_READ)
                flows->ends_as_read++;
            else
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
    struct flow_end *items;
    char *roles;
    if (flows->count == 0)
        return STATUS_OK;
    STATUS_TRY(sort_ends(flows, &items));
    STATUS_TRY(spool_make_room(&flows->roles, flows->count * sizeof(uint64_t), &roles));
    const struct giving giving = {(uint64_t *)(void *)roles, part_of, context};
    give_numbers(flows, &giving, items);
    flows->given = giving.roles;
    return STATUS_OK;
}

void writer_flows_free(struct writer_flows *flows)
{
    spool_free(&flows->ends);
    spool_free(&flows->sorted);
    spool_free(&flows->roles);
}
