// Cuts groups into tiles that fit the local memory of their engine.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "group.h"
#include "region.h"
#include "tile.h"
#include "tiler.h"

enum {
    TILE_BYTES_LEAST = 4096, // smaller tiles are cut for want of memory only
    SPREAD_MOST = 4,         // tiles a lane, unless memory asks for more
};

uint64_t tile_room(const struct plan *plan, const struct plan_group *group)
{
    const struct target *target = plan->target;
    const uint32_t memory = target->engines[group->engine].memory;
    struct plan_way way;
    uint64_t room = UINT64_MAX;
    // Tiles of a staged engine do not lie in its memory, only pieces of them.
    if (target->engines[group->engine].stage_count > 0)
        return room;
    if (!plan_find_way(target, memory, &way))
        return 0;
    const uint32_t passed[2] = {memory, way.near};
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t size = target->memories[passed[i]].size;
        const uint64_t code = plan_code_room(target, passed[i]);
        const uint64_t own = size > code ? size - code : 0;
        room = own < room ? own : room;
    }
    return room;
}

bool tile_is_cuttable(const struct plan *plan, const struct plan_group *group)
{
    return group->output_count == 1 &&
           region_axes(plan->network, group_node(plan, group, group->node_count - 1),
                       (uint32_t[SHAPE_RANK_MOST]){0}) > 0;
}

// Estimated --------------------------------------------------------------------------------

static uint64_t transfer_cycles(const struct tiler *tiler, uint64_t bytes)
{
    const struct target *target = tiler->plan->target;
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    struct plan_way way;
    plan_find_way(target, target->engines[tiler->group->engine].memory, &way);
    return cost_cycles(target, COST_RULES_BEST, way.in, &request);
}

static uint64_t lanes_of(const struct tiler *tiler)
{
    return tiler->plan->target->engines[tiler->group->engine].count;
}

// About how long all tiles take: what stays is loaded first; then transfers and
// lanes work side by side, but for the first load and store or the last tile.
// Every tile counts as one in the middle. `out_bytes`: what a tile loads and stores.
static uint64_t grid_time(struct tiler *tiler, const struct grid *grid, uint64_t *out_bytes)
{
    const struct plan_box box = grid_middle(grid, tiler_shape(tiler));
    if (!tiler_find_staying(tiler, grid) || !tiler_propagate(tiler, &box))
        return UINT64_MAX;
    const uint64_t staying = tiler_local_bytes(tiler, 0);
    const uint64_t tiles = grid_tiles(grid);
    const uint64_t lanes = lanes_of(tiler);
    const struct cost_request cost = tiler_cost(tiler);
    const uint64_t once =
        cost_cycles(tiler->plan->target, COST_RULES_BEST, tiler->group->engine, &cost);
    *out_bytes = tiler_local_bytes(tiler, 1) - staying;
    const uint64_t transfers = transfer_cycles(tiler, tiles * *out_bytes);
    const uint64_t bound_by_memory = transfers + once;
    const uint64_t bound_by_lanes = (tiles + lanes - 1) / lanes * once + transfers / tiles;
    return (staying > 0 ? transfer_cycles(tiler, staying) : 0) +
           (bound_by_memory > bound_by_lanes ? bound_by_memory : bound_by_lanes);
}

// Of the cuts that fit, the one that takes the least time.
static bool find_grid(struct tiler *tiler, struct grid *out_grid)
{
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, axes);
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct grid grid;
        if (!tiler_cut(tiler, axes, count, i, &grid))
            continue;
        uint64_t ignored;
        const uint64_t time = grid_time(tiler, &grid, &ignored);
        if (time < best) {
            best = time;
            *out_grid = grid;
        }
    }
    return best != UINT64_MAX;
}

// More tiles than memory asks for, so that loading, computing and storing overlap
// and all lanes have work: as many, and along the dimension, as take the least time.
static void tile_spread_grid(struct tiler *tiler, struct grid *grid)
{
    const struct shape *shape = tiler_shape(tiler);
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, axes);
    const struct grid start = *grid;
    uint64_t bytes;
    uint64_t best = grid_time(tiler, grid, &bytes);
    for (uint64_t times = 2; times * grid_tiles(&start) <= SPREAD_MOST * lanes_of(tiler);
         times *= 2) {
        for (uint32_t i = 0; i < count; i++) {
            struct grid finer = start;
            const uint64_t parts = (uint64_t)start.parts[axes[i]] * times;
            if (parts > (uint64_t)shape->dims[axes[i]])
                continue;
            grid_set_parts(&finer, shape, axes[i], (int64_t)parts);
            const uint64_t time = grid_time(tiler, &finer, &bytes);
            if (time < best && bytes >= TILE_BYTES_LEAST && tiler_fits(tiler, &finer)) {
                best = time;
                *grid = finer;
            }
        }
    }
}

// With room for one more tile than there are lanes, loading and storing go on
// while all lanes compute.
static bool tile_estimated(struct tiler *tiler)
{
    for (tiler->slots = lanes_of(tiler) + 1; tiler->slots > 0; tiler->slots--) {
        struct grid grid;
        if (!find_grid(tiler, &grid))
            continue;
        tile_spread_grid(tiler, &grid);
        return grid_tiles(&grid) > 1 && tiler_fill_grid(tiler, &grid);
    }
    return false;
}

// Groups -----------------------------------------------------------------------------------

static void send_to_host(struct plan *plan, struct plan_group *group)
{
    const struct target *target = plan->target;
    const struct target_memory *memory = &target->memories[target->engines[group->engine].memory];
    group->engine = target_engine_with(target, TARGET_ROLE_HOST);
    group->reason = plan_text(plan, "no part of it fits the %" PRIu64 " KiB of %s",
                              memory->size / 1024, memory->name);
}

void tile_whole(struct plan *plan, struct plan_group *group)
{
    struct tiler tiler;
    tiler_start(&tiler, plan, group, NULL, 0);
    if (group_is_local(plan, group)) {
        tiler.room = tile_room(plan, group);
        if (!tiler_fits_whole(&tiler))
            send_to_host(plan, group);
    }
    // What has no place is refused by the compiler.
    if (group->engine != TARGET_NONE && group_is_static(plan, group))
        tiler_fill_whole(&tiler);
    tiler_free(&tiler);
}

static void tile_group(struct plan *plan, struct plan_group *group)
{
    if (group_is_local(plan, group) && tile_is_cuttable(plan, group)) {
        struct tiler tiler;
        tiler_start(&tiler, plan, group, NULL, 0);
        tiler.room = tile_room(plan, group);
        if (tile_estimated(&tiler))
            plan->tile_count += group->tile_count;
        tiler_free(&tiler);
    }
    if (group->tile_count == 0)
        tile_whole(plan, group);
}

status pass_tile(struct plan *plan)
{
    if (plan->target->plan.evaluated)
        return tile_evaluated(plan);
    for (uint32_t i = 0; i < plan->group_count; i++)
        tile_group(plan, &plan->groups[i]);
    return STATUS_OK;
}
