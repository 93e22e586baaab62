#include "flows.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

// The same in every process, unlike hashes.
static uint64_t mix(uint64_t number)
{
    number ^= number >> 33;
    number *= 0xff51afd7ed558ccdull;
    return number ^ number >> 33;
}

static bool is_kept(const struct flows *flows, uint64_t flow)
{
    return mix(flow) % (1ull << flows->sampled) == 0;
}

static void keep_half(struct flows *flows)
{
    size_t kept = 0;
    flows->sampled++;
    for (size_t i = 0; i < flows->count; i++) {
        if (is_kept(flows, flows->ends[i].flow))
            flows->ends[kept++] = flows->ends[i];
    }
    flows->count = kept;
}

static void add_end(struct flows *flows, const struct flow_end *end)
{
    flows->total++;
    if (!is_kept(flows, end->flow))
        return;
    flows->ends = memory_grow(flows->ends, flows->count, &flows->capacity, sizeof *flows->ends);
    flows->ends[flows->count++] = *end;
    while (flows->count > flows->most && flows->sampled < 63)
        keep_half(flows);
}

void flows_add(struct flows *flows, struct view values, const struct flow_end *like)
{
    struct value_reader reader = value_read(values);
    struct value value;
    while (value_next(&reader, &value)) {
        if (value.kind != VALUE_FLOW_OUT && value.kind != VALUE_FLOW_IN)
            continue;
        struct flow_end end = *like;
        end.flow = value.number;
        end.out = value.kind == VALUE_FLOW_OUT;
        add_end(flows, &end);
    }
}

static int compare_ends(const void *left, const void *right)
{
    const struct flow_end *a = left;
    const struct flow_end *b = right;
    if (a->flow != b->flow)
        return sort_compare(a->flow, b->flow);
    if (a->out != b->out && a->start == b->start)
        return a->out ? -1 : 1;
    return a->start != b->start ? sort_compare(a->start, b->start) : sort_compare(a->lane, b->lane);
}

void flows_finish(struct flows *flows)
{
    sort_items(flows->ends, flows->count, sizeof *flows->ends, compare_ends);
}

bool flows_linked(const struct flows *flows, size_t index)
{
    const struct flow_end *end = &flows->ends[index];
    return index + 1 < flows->count && end->out && end[1].flow == end->flow;
}

void flows_free(struct flows *flows)
{
    free(flows->ends);
    *flows = (struct flows){0};
}
