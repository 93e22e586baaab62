#include "cuts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "chain.h"
#include "group.h"
#include "region.h"

enum {
    AXES_MOST = 4,   // dimensions that are cut
    FINER_MOST = 4,  // cuts of the last one, for each tile that a core has at least
    MANY_ROUNDS = 2, // of those
    CUTS_MOST = 4096,
};

// Cuts that are looked at along some dimensions while the others are not cut.
struct above {
    bool fits;
    uint64_t coarser; // of the cut that it is
    uint64_t finer;   // `coarser` of all that are finer
};

uint64_t cuts_most_tiles(const struct cuts *cuts)
{
    uint64_t most = 0;
    for (size_t i = 0; i < cuts->count; i++) {
        const uint64_t tiles = cuts->items[i].count;
        most = cuts->items[i].filled && tiles > most ? tiles : most;
    }
    return most;
}

void cuts_free(struct cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        arena_free(&cuts->items[i].arena);
    free(cuts->items);
}

// Numbers of parts to try along a dimension: 1, 2, 3, 4, 6, 8, 12 ..., and as many as it has
// places.
static int64_t next_parts(int64_t parts, int64_t length)
{
    const bool power = (parts & (parts - 1)) == 0;
    const int64_t next = parts < 4 ? parts + 1 : power ? parts + parts / 2 : parts / 3 * 4;
    return parts == length ? length + 1 : next < length ? next : length;
}

static void add_cut(struct tiler *tiler, const struct grid *grid, uint64_t coarser, uint64_t beyond,
                    struct cuts *cuts)
{
    const uint64_t bytes = tiler_traffic(tiler, grid);
    const uint64_t staying = tiler_local_bytes(tiler, 0);
    if (!tiler_cuts_once(tiler, grid))
        return;
    cuts->items = memory_grow(cuts->items, cuts->count, &cuts->capacity, sizeof *cuts->items);
    cuts->items[cuts->count++] = (struct cut){.grid = *grid,
                                              .count = grid_tiles(grid),
                                              .slots = tiler->slots,
                                              .traffic = bytes,
                                              .staying = staying,
                                              .coarser = coarser,
                                              .beyond = beyond};
}

// Whole tiles are as many for several numbers of parts: one of these will do.
static bool is_tiled(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->rank; i++) {
        if (grid->step[i] > 1)
            return true;
    }
    return false;
}

// Tiles that are enough for so many cores: finer cuts move more, and let no more of them work.
static uint64_t many_tiles(uint32_t units, uint32_t split)
{
    return (uint64_t)units * split * MANY_ROUNDS;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Along the last dimension as few parts as fit, and a few more: finer cuts only move more, and
// are there for those who ask for many tiles. Whole tiles are few: there cuts go on until all cores
// have one.
static void cut_last(struct tiler *tiler, uint32_t axis, struct above above, struct grid *grid,
                     struct cuts *cuts)
{
    const int64_t length = tiler_shape(tiler)->dims[axis];
    uint32_t found = 0;
    int64_t before = 0;
    uint64_t tiles = 0;
    for (int64_t parts = 1; parts <= length && (found < cuts->finer || tiles < cuts->cores);
         parts = next_parts(parts, length)) {
        if (above.finer >= cuts->many && parts > 1)
            break;
        const uint64_t beyond = found < cuts->finer ? 0 : tiles;
        grid_set_parts(grid, tiler_shape(tiler), axis, parts);
        tiles = is_tiled(grid) ? grid_tiles(grid) : UINT64_MAX;
        const bool seen = is_tiled(grid) && grid->parts[axis] == before;
        before = grid->parts[axis];
        if (seen || !(parts == 1 ? above.fits : tiler_fits(tiler, grid)))
            continue;
        add_cut(tiler, grid, parts == 1 ? above.coarser : above.finer, beyond, cuts);
        above.finer = larger(above.finer, grid_tiles(grid));
        found++;
    }
    grid_set_parts(grid, tiler_shape(tiler), axis, 1);
}

static void cut_axes(struct tiler *tiler, const uint32_t *axes, uint32_t count, struct above above,
                     struct grid *grid, struct cuts *cuts)
{
    if (count == 1) {
        cut_last(tiler, axes[0], above, grid, cuts);
        return;
    }
    const int64_t length = tiler_shape(tiler)->dims[axes[0]];
    int64_t before = 0;
    for (int64_t parts = 1; parts <= length && cuts->count < CUTS_MOST;
         parts = next_parts(parts, length)) {
        if (above.finer >= cuts->many && parts > 1)
            break;
        grid_set_parts(grid, tiler_shape(tiler), axes[0], parts);
        const bool seen = is_tiled(grid) && grid->parts[axes[0]] == before;
        before = grid->parts[axes[0]];
        if (seen)
            continue;
        struct above own = above;
        if (parts > 1) {
            own.fits = tiler_fits(tiler, grid);
            own.coarser = above.finer;
            own.finer = larger(above.finer, own.fits ? grid_tiles(grid) : 0);
            above.finer = own.finer;
        }
        cut_axes(tiler, axes + 1, count - 1, own, grid, cuts);
    }
    grid_set_parts(grid, tiler_shape(tiler), axes[0], 1);
}

// The longest dimension last: it is looked at least.
static uint32_t order_axes(const struct tiler *tiler, uint32_t axes[SHAPE_RANK_MOST])
{
    const struct shape *shape = tiler_shape(tiler);
    uint32_t all[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, all);
    uint32_t kept = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (shape->dims[all[i]] <= 1)
            continue;
        axes[kept] = all[i];
        longest = shape->dims[all[i]] > shape->dims[axes[longest]] ? kept : longest;
        kept++;
    }
    if (kept == 0 && count > 0)
        axes[kept++] = all[0];
    if (kept == 0)
        return 0;
    const uint32_t last = axes[longest];
    axes[longest] = axes[kept - 1];
    axes[kept - 1] = last;
    return kept < AXES_MOST ? kept : AXES_MOST;
}

// All cuts that fit, with as many places for tiles as there can be.
static struct cuts list_cuts(struct tiler *tiler, uint32_t split)
{
    const uint32_t cores = chain_units(tiler->plan, tiler->group);
    struct cuts cuts = {.finer = FINER_MOST * split,
                        .many = many_tiles(cores, split),
                        .split = split,
                        .cores = cores};
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = order_axes(tiler, axes);
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    for (tiler->slots = lanes + 1; count > 0 && tiler->slots > 0 && cuts.count == 0;
         tiler->slots--) {
        struct grid grid = tiler_whole_grid(tiler);
        const bool whole = tiler_fits(tiler, &grid);
        cut_axes(tiler, axes, count, (struct above){.fits = whole, .finer = whole}, &grid, &cuts);
    }
    return cuts;
}

struct cuts cuts_list(struct tiler *tiler, uint32_t split, uint32_t way)
{
    struct plan *plan = tiler->plan;
    bool apart = way == 0;
    for (uint32_t i = 0; i < tiler->group->node_count && !apart; i++)
        apart =
            region_apart_axis(plan->network, group_node(plan, tiler->group, i)) < SHAPE_RANK_MOST;
    if (!apart)
        return (struct cuts){0};
    plan->rows_only = way == 0;
    const struct cuts cuts = list_cuts(tiler, split);
    plan->rows_only = false;
    return cuts;
}

bool cuts_fill(struct tiler *tiler, struct cut *cut)
{
    if (!cut->filled && !cut->failed) {
        tiler->arena = &cut->arena;
        tiler->slots = cut->slots;
        cut->filled = tiler_fill_grid(tiler, &cut->grid);
        cut->failed = !cut->filled;
        cut->tiles[0] = tiler->group->tiles;
        for (uint32_t m = 0; m < tiler->member_count; m++)
            cut->tiles[m + 1] = tiler->members[m].tiles;
        cut->stays = tiler->group->stays;
    }
    return cut->filled;
}

bool cuts_has(const struct cuts *cuts, const struct cut *cut, uint32_t units)
{
    return cut->coarser < many_tiles(units, cuts->split) &&
           (cut->beyond == 0 || cut->beyond < units);
}
