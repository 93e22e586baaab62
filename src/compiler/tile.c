// Cuts groups into tiles that fit the local memory of their engine.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "group.h"
#include "region.h"
#include "tile.h"
#include "tiler.h"
#include "unlaid.h"

enum {
    TILE_BYTES_LEAST = 4096, // smaller tiles are cut for want of memory only
    SETTLED_MOST = 4,        // places that tiles are made smaller by
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

// Cutting one group.
struct cutter {
    struct tiler tiler;
    struct tile_space space;
};

static uint64_t tile_transfer_cycles(const struct cutter *cutter, uint64_t bytes)
{
    const struct target *target = cutter->tiler.plan->target;
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    struct plan_way way;
    if (bytes == 0)
        return 0;
    plan_find_way(target, target->engines[cutter->tiler.group->engine].memory, &way);
    return cost_cycles(target, COST_RULES_BEST, way.in, &request);
}

static uint64_t tile_lanes_of(const struct cutter *cutter)
{
    return cutter->tiler.plan->target->engines[cutter->tiler.group->engine].count;
}

// About how long all tiles take: what stays is loaded first; then transfers and
// lanes work side by side, but for the first load and store or the last tile.
// Every tile counts as one in the middle.
struct grid_times {
    uint64_t all;
    uint64_t compute;
    uint64_t transfers;
    uint64_t tile_bytes; // that a tile loads and stores
};

static bool time_grid(struct cutter *cutter, const struct grid *grid, struct grid_times *out)
{
    struct tiler *tiler = &cutter->tiler;
    const struct tile_space *space = &cutter->space;
    const struct plan_box box = grid_middle(grid, tiler_shape(tiler));
    if (!tiler_cuts_once(tiler, grid) || !tiler_find_staying(tiler, grid) ||
        !tiler_propagate(tiler, &box))
        return false;
    const uint64_t staying = tiler_local_bytes(tiler, 0);
    const uint64_t tiles = grid_tiles(grid);
    const uint64_t lanes = tile_lanes_of(cutter);
    const uint64_t once = tiler_cycles(tiler);
    const uint64_t carried =
        space->output_placed && space->output_carried ? tiler_output_bytes(tiler) : 0;
    out->tile_bytes =
        (tiler->slide ? tiler_moved_bytes(tiler) : tiler_local_bytes(tiler, 1) - staying) + carried;
    const uint64_t moved = tiles * out->tile_bytes + space->loaded - space->ahead;
    const uint64_t transfers = tile_transfer_cycles(cutter, moved);
    const uint64_t before = tile_transfer_cycles(cutter, staying + space->ahead);
    out->compute = (tiles + lanes - 1) / lanes * once;
    out->transfers = transfers + before;
    const uint64_t bound_by_memory = transfers + (moved > 0 ? once : 0);
    const uint64_t bound_by_lanes = out->compute + transfers / tiles;
    out->all = before + (bound_by_memory > bound_by_lanes ? bound_by_memory : bound_by_lanes);
    return true;
}

// Where the last tile is too small for values to slide, tiles that are a little smaller may do:
// those that take the least time. False when none can be.
static bool settle_grid(struct cutter *cutter, struct grid *grid, struct grid_times *out)
{
    const struct shape *shape = tiler_shape(&cutter->tiler);
    bool found = time_grid(cutter, grid, out);
    if (!cutter->tiler.ragged || grid_cuts(grid) != 1)
        return found;
    const uint32_t axis = cutter->tiler.cut;
    const int64_t size = grid->size[axis];
    for (int64_t less = 1; less <= SETTLED_MOST && less < size; less++) {
        struct grid smaller = *grid;
        struct grid_times times;
        smaller.size[axis] = size - less;
        smaller.parts[axis] = (shape->dims[axis] + size - less - 1) / (size - less);
        if (!time_grid(cutter, &smaller, &times) || (found && times.all >= out->all) ||
            !tiler_fits(&cutter->tiler, &smaller))
            continue;
        found = true;
        *out = times;
        *grid = smaller;
    }
    return found;
}

// Of the cuts that fit, the one that takes the least time.
static bool find_grid(struct cutter *cutter, struct grid *out_grid)
{
    struct tiler *tiler = &cutter->tiler;
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, axes);
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct grid grid;
        if (!tiler_cut(tiler, axes, count, i, &grid))
            continue;
        struct grid_times times;
        if (settle_grid(cutter, &grid, &times) && times.all < best) {
            best = times.all;
            *out_grid = grid;
        }
    }
    return best != UINT64_MAX;
}

// More tiles than memory asks for, so that loading, computing and storing overlap
// and all lanes have work: as many, and along the dimension, as take the least time.
static void tile_spread_grid(struct cutter *cutter, struct grid *grid)
{
    struct tiler *tiler = &cutter->tiler;
    const struct shape *shape = tiler_shape(tiler);
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = tiler_axes(tiler, axes);
    const uint64_t lanes = tile_lanes_of(cutter);
    const struct grid start = *grid;
    struct grid_times times;
    uint64_t best = time_grid(cutter, grid, &times) ? times.all : UINT64_MAX;
    for (uint64_t by = 2; by * grid_tiles(&start) <= SPREAD_MOST * lanes; by *= 2) {
        for (uint32_t i = 0; i < count; i++) {
            struct grid finer = start;
            const uint64_t parts = (uint64_t)start.parts[axes[i]] * by;
            if (parts > (uint64_t)shape->dims[axes[i]])
                continue;
            grid_set_parts(&finer, shape, axes[i], (int64_t)parts);
            // Tiles that move little are not worth it, unless what they use moves by itself.
            if (settle_grid(cutter, &finer, &times) && times.all < best &&
                (times.tile_bytes >= TILE_BYTES_LEAST || cutter->space.output_placed ||
                 cutter->space.loaded > 0) &&
                tiler_fits(tiler, &finer)) {
                best = times.all;
                *grid = finer;
            }
        }
    }
}

// With room for one more tile than there are lanes, loading and storing go on
// while all lanes compute.
static bool find_slots(struct cutter *cutter, struct grid *out_grid)
{
    struct tiler *tiler = &cutter->tiler;
    // Tiles of a long chain that do not go through it side by side take too long.
    const uint64_t least = tiler->hand && tiler->member_count > 2 ? tile_lanes_of(cutter) : 0;
    for (tiler->slots = tile_lanes_of(cutter) + 1; tiler->slots > least; tiler->slots--) {
        if (!find_grid(cutter, out_grid))
            continue;
        tile_spread_grid(cutter, out_grid);
        return true;
    }
    return false;
}

// Whether a group's data goes straight to a memory that is there once.
static bool slides_there(const struct plan *plan, const struct plan_group *group)
{
    const struct target *target = plan->target;
    const uint32_t memory = target->engines[group->engine].memory;
    struct plan_way way;
    return target->memories[memory].per == TARGET_PER_MACHINE &&
           target->engines[group->engine].stage_count == 0 && plan_find_way(target, memory, &way) &&
           way.near == memory;
}

static void cutter_start(struct cutter *cutter, struct plan *plan, struct plan_group *group,
                         const struct tile_space *space)
{
    cutter->space = *space;
    tiler_start(&cutter->tiler, plan, group, space->members, space->member_count);
    cutter->tiler.room = space->room;
    cutter->tiler.placed = space->placed;
    cutter->tiler.output_placed = space->output_placed;
    cutter->tiler.slide = plan->slides && slides_there(plan, group);
    cutter->tiler.hand = cutter->tiler.slide && plan->deep;
}

// Groups -----------------------------------------------------------------------------------

static void send_to_host(struct plan *plan, struct plan_group *group, bool counts)
{
    const struct target *target = plan->target;
    const struct target_memory *memory = &target->memories[target->engines[group->engine].memory];
    const struct target_engine *engine = &target->engines[group->engine];
    group->engine = target_engine_with(target, TARGET_ROLE_HOST);
    if (!counts) {
        group->reason =
            plan_text(plan,
                      "a dimension that cannot be cut has no loops of %" PRIu64
                      " places, the most that %s count%s",
                      engine->loop, engine->called, target_is_plural(engine->called) ? "" : "s");
        return;
    }
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
            send_to_host(plan, group, tiler_counts(&tiler));
    }
    // What has no place is refused by the compiler.
    if (group->engine != TARGET_NONE && group_is_static(plan, group))
        tiler_fill_whole(&tiler);
    tiler_free(&tiler);
}

bool tile_may_leave(const struct plan *plan, const struct plan_group *group)
{
    const struct network_node *node = group_node(plan, group, 0);
    return target_engine_with(plan->target, TARGET_ROLE_HOST) != TARGET_NONE &&
           group_is_local(plan, group) && plan->target->engines[group->engine].stage_count == 0 &&
           group->tile_count == 1 && group->node_count == 1 &&
           node->definition->price == PRICED_AS_GATHERED_ROWS &&
           group_value(plan, node->inputs[0])->constant != NULL;
}

void tile_on_host(struct plan *plan, struct plan_group *group, uint64_t time)
{
    const struct target *target = plan->target;
    struct plan_group there = *group;
    struct tiler tiler;
    there.engine = target_engine_with(target, TARGET_ROLE_HOST);
    tiler_start(&tiler, plan, &there, NULL, 0);
    tiler_fill_whole(&tiler);
    tiler_free(&tiler);
    if (cost_cycles(target, COST_RULES_BEST, there.engine, &there.tiles[0].cost) >= time)
        return;
    there.reason = plan_text(plan, "it reads its rows sooner than all of them are moved to %s",
                             target->memories[target->engines[group->engine].memory].name);
    *group = there;
}

// What transfers of any number of loops could have carried.
static bool lacks_loops(struct cutter *cutter)
{
    struct grid grid;
    if (cutter->tiler.loops[0] == 0 && cutter->tiler.loops[1] == 0)
        return false;
    cutter->tiler.loops[0] = cutter->tiler.loops[1] = 0;
    return find_slots(cutter, &grid);
}

void tile_alone(struct plan *plan, struct plan_group *group)
{
    const uint32_t engine = group->engine;
    bool lacking = false;
    if (group_is_local(plan, group) && tile_is_cuttable(plan, group)) {
        const struct tile_space space = {.room = tile_room(plan, group)};
        struct cutter cutter;
        struct grid grid;
        cutter_start(&cutter, plan, group, &space);
        if (find_slots(&cutter, &grid) && grid_tiles(&grid) > 1 &&
            tiler_fill_grid(&cutter.tiler, &grid))
            plan->tile_count += group->tile_count;
        lacking = group->tile_count == 0 && lacks_loops(&cutter);
        tiler_free(&cutter.tiler);
    }
    if (group->tile_count == 0)
        tile_whole(plan, group);
    if (lacking && group->engine != engine)
        group->reason = plan_text(plan, "parts of it that fit take more loops than a transfer has");
}

// As one tile.
static bool choose_whole(struct cutter *cutter, struct tile_choice *out_choice)
{
    struct tiler *tiler = &cutter->tiler;
    if (cutter->space.members != NULL || !tiler_fits_whole(tiler))
        return false;
    const struct cost_request cost = tiler_cost(tiler);
    const uint64_t bytes = tiler_local_bytes(tiler, 1);
    const uint64_t carried = cutter->space.output_carried ? tiler_output_bytes(tiler) : 0;
    *out_choice = (struct tile_choice){
        .whole = true,
        .slots = 1,
        .bytes = bytes,
        .compute = cost_cycles(tiler->plan->target, COST_RULES_BEST, tiler->group->engine, &cost),
        .transfers = tile_transfer_cycles(cutter, bytes + cutter->space.loaded + carried)};
    out_choice->time = out_choice->compute + out_choice->transfers;
    return true;
}

static bool choose_cut(struct cutter *cutter, struct tile_choice *out_choice)
{
    struct tiler *tiler = &cutter->tiler;
    struct grid_times times;
    *out_choice = (struct tile_choice){0};
    if (!find_slots(cutter, &out_choice->grid) || !time_grid(cutter, &out_choice->grid, &times) ||
        !tiler_fits(tiler, &out_choice->grid))
        return false;
    out_choice->slots = grid_tiles(&out_choice->grid) > 1 ? tiler->slots : 1;
    out_choice->bytes = tiler_local_bytes(tiler, out_choice->slots);
    out_choice->time = times.all;
    out_choice->compute = times.compute;
    out_choice->transfers = times.transfers;
    return true;
}

bool tile_choose(struct plan *plan, struct plan_group *group, const struct tile_space *space,
                 struct tile_choice *out_choice)
{
    struct cutter cutter;
    cutter_start(&cutter, plan, group, space);
    const bool found = (tile_is_cuttable(plan, group) && choose_cut(&cutter, out_choice)) ||
                       choose_whole(&cutter, out_choice);
    tiler_free(&cutter.tiler);
    return found;
}

bool tile_apply(struct plan *plan, struct plan_group *group, const struct tile_space *space,
                const struct tile_choice *choice)
{
    struct cutter cutter;
    bool made = true;
    cutter_start(&cutter, plan, group, space);
    if (choice->whole)
        tiler_fill_whole(&cutter.tiler);
    else
        made = tiler_fill_grid(&cutter.tiler, &choice->grid);
    tiler_free(&cutter.tiler);
    plan->tile_count += made ? group->tile_count : 0;
    return made;
}

static status tile_groups(struct plan *plan)
{
    if (plan->target->plan.evaluated)
        return tile_evaluated(plan);
    if (plan->target->plan.values)
        return plan->target->plan.first_in ? tile_resident(plan) : tile_ways(plan);
    for (uint32_t i = 0; i < plan->group_count; i++)
        tile_alone(plan, &plan->groups[i]);
    return STATUS_OK;
}

status pass_tile(struct plan *plan)
{
    STATUS_TRY(tile_groups(plan));
    while (unlaid_return(plan)) {
        STATUS_TRY(pass_layout(plan));
        STATUS_TRY(tile_groups(plan));
    }
    return STATUS_OK;
}
