#include "lane_search.h"

#include <stdlib.h>

#include "base/memory.h"

// No span has room there, nor has one ended.
static const struct lane_ends NOTHING = {.least = UINT64_MAX, .most = 0};

static struct lane_ends lane_search_join(struct lane_ends a, struct lane_ends b)
{
    return (struct lane_ends){.least = a.least < b.least ? a.least : b.least,
                              .most = a.most > b.most ? a.most : b.most};
}

static void join_above(struct lane_search *search, size_t node)
{
    while ((node /= 2) > 0)
        search->nodes[node] =
            lane_search_join(search->nodes[2 * node], search->nodes[2 * node + 1]);
}

static void lane_search_grow(struct lane_search *search, size_t lane)
{
    size_t leaves = search->leaves == 0 ? 1 : search->leaves;
    while (leaves <= lane)
        leaves *= 2;
    struct lane_ends *nodes = memory_allocate(2 * leaves * sizeof *nodes);
    for (size_t i = 0; i < leaves; i++)
        nodes[leaves + i] = i < search->leaves ? search->nodes[search->leaves + i] : NOTHING;
    for (size_t i = leaves - 1; i > 0; i--)
        nodes[i] = lane_search_join(nodes[2 * i], nodes[2 * i + 1]);
    free(search->nodes);
    *search = (struct lane_search){nodes, leaves};
}

void lane_search_set(struct lane_search *search, size_t lane, uint64_t end, bool full)
{
    if (lane >= search->leaves)
        lane_search_grow(search, lane);
    const size_t leaf = search->leaves + lane;
    search->nodes[leaf] = (struct lane_ends){.least = end, .most = full ? 0 : end};
    join_above(search, leaf);
}

static bool has_room(struct lane_ends ends, bool nests, uint64_t start, uint64_t end)
{
    return ends.least <= start || (nests && ends.most >= end && ends.most > 0);
}

size_t lane_search_next(const struct lane_search *search, size_t from, size_t count, bool nests,
                        uint64_t start, uint64_t end)
{
    if (from >= count || from >= search->leaves)
        return count;
    // Up to the first subtree after that has one, then down to its first.
    size_t node = search->leaves + from;
    while (!has_room(search->nodes[node], nests, start, end)) {
        while (node % 2 == 1)
            node /= 2;
        if (node == 0)
            return count;
        node++;
    }
    while (node < search->leaves) {
        node *= 2;
        node += !has_room(search->nodes[node], nests, start, end);
    }
    const size_t lane = node - search->leaves;
    return lane < count ? lane : count;
}

void lane_search_free(struct lane_search *search)
{
    free(search->nodes);
    *search = (struct lane_search){0};
}
