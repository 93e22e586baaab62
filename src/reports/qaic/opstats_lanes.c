#include "opstats_lanes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

struct lane_key {
    uint64_t start;
    uint32_t place; // of all cores
    uint32_t index;
};

// Lanes of the place at hand.
struct lane_ends {
    uint64_t ends[OPSTATS_LANES_MOST];
    unsigned count;
};

static uint32_t place_of(const struct opstats_lanes *lanes, const struct qaic_raw_operation *item,
                         bool merged)
{
    return item->core * lanes->places + (merged ? item->group : item->thread);
}

static bool is_before(const void *left, const void *right)
{
    const struct lane_key *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place;
    return a->start != b->start ? a->start < b->start : a->index < b->index;
}

static bool is_in_order(const struct opstats_lanes *lanes, const struct qaic_raw_stats *stats,
                        bool merged)
{
    for (size_t i = 1; i < stats->operation_count; i++) {
        const struct qaic_raw_operation *item = &stats->operations[i];
        const uint32_t before = place_of(lanes, item - 1, merged);
        const uint32_t own = place_of(lanes, item, merged);
        if (own < before || (own == before && item->start < item[-1].start))
            return false;
    }
    return true;
}

static struct lane_key *sort_lane_items(const struct opstats_lanes *lanes,
                                        const struct qaic_raw_stats *stats, bool merged)
{
    struct lane_key *keys = memory_allocate_zeroed(stats->operation_count + 1, sizeof *keys);
    for (size_t i = 0; i < stats->operation_count; i++)
        keys[i] = (struct lane_key){stats->operations[i].start,
                                    place_of(lanes, &stats->operations[i], merged), (uint32_t)i};
    sort_in_place(keys, stats->operation_count, sizeof *keys, is_before);
    return keys;
}

static uint8_t take_lane(struct lane_ends *lanes, const struct qaic_raw_operation *item)
{
    unsigned lane = 0;
    while (lane < lanes->count && lanes->ends[lane] > item->start)
        lane++;
    if (lane == lanes->count && lanes->count < OPSTATS_LANES_MOST)
        lanes->count++;
    else if (lane == lanes->count)
        lane = OPSTATS_LANES_MOST - 1;
    lanes->ends[lane] = item->end;
    return (uint8_t)lane;
}

void opstats_lanes_find(const struct opstats *opstats, bool merged, struct opstats_lanes *out_lanes)
{
    const struct qaic_network *network = opstats->network;
    const struct qaic_raw_stats *stats = opstats->stats;
    struct lane_ends ends = {.count = 0};
    uint32_t last = UINT32_MAX;
    out_lanes->places = merged ? network->group_count : network->threads;
    out_lanes->lane = memory_allocate_zeroed(stats->operation_count + 1, 1);
    out_lanes->counts = memory_allocate_zeroed((size_t)network->cores * out_lanes->places + 1, 1);
    struct lane_key *keys =
        is_in_order(out_lanes, stats, merged) ? NULL : sort_lane_items(out_lanes, stats, merged);
    for (size_t i = 0; i < stats->operation_count; i++) {
        const size_t index = keys != NULL ? keys[i].index : i;
        const struct qaic_raw_operation *item = &stats->operations[index];
        const uint32_t place = place_of(out_lanes, item, merged);
        if (place != last)
            ends.count = 0;
        last = place;
        out_lanes->lane[index] = take_lane(&ends, item);
        out_lanes->counts[place] = (uint8_t)ends.count;
    }
    free(keys);
}

void opstats_lanes_free(struct opstats_lanes *lanes)
{
    free(lanes->lane);
    free(lanes->counts);
}
