// Cuts groups into tiles that fit the local memory of their engine.

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compiler.h"
#include "group.h"
#include "region.h"

enum {
    CODE_BYTES = 2 * 640 + 5120, // the controller's slots and a slice's program
    TILE_BYTES_LEAST = 4096,     // smaller tiles are cut for want of memory only
    SPREAD_MOST = 4,             // tiles a lane, unless memory asks for more
    // Of all groups together: what a program may take of this machine's memory. A
    // group that would go beyond is better off elsewhere.
    TILES_MOST = 1 << 18,
};

struct tiler {
    struct plan *plan;
    struct plan_group *group;
    uint32_t *values; // that have a box: inputs of the group and what its nodes give
    struct plan_box *boxes;
    bool *known;
    uint32_t count;
    bool *stays;          // by input of the group: the same for all tiles, so it is loaded once
    struct arena *arena;  // where tiles are made: the plan's, or
    struct arena scratch; // while they are only looked at, this
};

static uint32_t find_value(const struct tiler *tiler, uint32_t value)
{
    uint32_t i = 0;
    while (i < tiler->count && tiler->values[i] != value)
        i++;
    return i;
}

static void add_value(struct tiler *tiler, uint32_t value)
{
    if (value != NETWORK_NONE && find_value(tiler, value) == tiler->count)
        tiler->values[tiler->count++] = value;
}

static void tiler_start(struct tiler *tiler, struct plan *plan, struct plan_group *group)
{
    size_t most = group->input_count;
    for (uint32_t i = 0; i < group->node_count; i++)
        most += group_node(plan, group, i)->output_count;
    *tiler = (struct tiler){.plan = plan, .group = group, .arena = &plan->arena};
    tiler->values = memory_allocate_zeroed(most + 1, sizeof *tiler->values);
    tiler->boxes = memory_allocate_zeroed(most + 1, sizeof *tiler->boxes);
    tiler->known = memory_allocate_zeroed(most + 1, sizeof *tiler->known);
    tiler->stays = memory_allocate_zeroed((size_t)group->input_count + 1, sizeof *tiler->stays);
    for (uint32_t i = 0; i < group->input_count; i++)
        add_value(tiler, group->inputs[i]);
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        for (uint32_t j = 0; j < node->output_count; j++)
            add_value(tiler, node->outputs[j]);
    }
}

static void tiler_free(struct tiler *tiler)
{
    free(tiler->values);
    free(tiler->boxes);
    free(tiler->known);
    free(tiler->stays);
    arena_free(&tiler->scratch);
}

static bool same_box(const struct plan_box *a, const struct plan_box *b)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->from[i] != b->from[i] || a->size[i] != b->size[i])
            return false;
    }
    return a->rank == b->rank;
}

// A kernel takes a buffer as it is: false when others need another part of the value.
static bool need(struct tiler *tiler, uint32_t value, const struct plan_box *box)
{
    const uint32_t at = find_value(tiler, value);
    if (tiler->known[at])
        return same_box(&tiler->boxes[at], box);
    tiler->boxes[at] = *box;
    tiler->known[at] = true;
    return true;
}

static bool need_inputs(struct tiler *tiler, uint32_t index, struct plan_override *override)
{
    const struct network_node *node = group_node(tiler->plan, tiler->group, index);
    const uint32_t output = find_value(tiler, node->outputs[0]);
    if (!tiler->known[output])
        return false;
    struct plan_box *inputs = memory_allocate_zeroed((size_t)node->input_count + 1, sizeof *inputs);
    struct region_answer answer = {.inputs = inputs};
    bool found = region_find(
        &(struct region_request){tiler->plan->network, node, &tiler->boxes[output]}, &answer);
    for (uint32_t i = 0; found && i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE)
            found = need(tiler, node->inputs[i], &inputs[i]);
    }
    free(inputs);
    *override = answer.override;
    override->node = index;
    return found;
}

// The parts of all values for a part of the group's output: false when a node can
// only be computed as a whole, or two need different parts of the same value.
static bool propagate(struct tiler *tiler, const struct plan_box *output,
                      struct plan_override *overrides, uint32_t *out_overrides)
{
    memset(tiler->known, 0, tiler->count * sizeof *tiler->known);
    if (!need(tiler, tiler->group->outputs[0], output))
        return false;
    *out_overrides = 0;
    for (uint32_t i = tiler->group->node_count; i-- > 0;) {
        struct plan_override *override = &overrides[*out_overrides];
        if (!need_inputs(tiler, i, override))
            return false;
        *out_overrides += override->count > 0;
    }
    return true;
}

static void take_whole(struct tiler *tiler)
{
    for (uint32_t i = 0; i < tiler->count; i++) {
        tiler->boxes[i] = plan_box_whole(&group_value(tiler->plan, tiler->values[i])->type.shape);
        tiler->known[i] = true;
    }
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static uint64_t value_bytes(const struct tiler *tiler, uint32_t value)
{
    const enum element element = group_value(tiler->plan, value)->type.element;
    return padded(plan_box_bytes(&tiler->boxes[find_value(tiler, value)], element));
}

static bool is_constant(const struct plan *plan, uint32_t value)
{
    return group_value(plan, value)->constant != NULL;
}

// Local memory that the group takes with the boxes at hand and room for `slots`
// tiles at a time.
static uint64_t local_bytes(const struct tiler *tiler, uint64_t slots)
{
    uint64_t moving = 0;
    uint64_t staying = 0;
    for (uint32_t i = 0; i < tiler->group->input_count; i++)
        *(tiler->stays[i] ? &staying : &moving) += value_bytes(tiler, tiler->group->inputs[i]);
    for (uint32_t i = 0; i < tiler->group->output_count; i++)
        moving += value_bytes(tiler, tiler->group->outputs[i]);
    return moving * slots + staying;
}

// How many parts each dimension of the output is cut into.
struct grid {
    uint32_t rank;
    int64_t parts[SHAPE_RANK_MOST];
    int64_t size[SHAPE_RANK_MOST]; // of a part, but for the last one
};

static void set_parts(struct grid *grid, const struct shape *shape, uint32_t axis, int64_t parts)
{
    const int64_t length = shape->dims[axis];
    grid->size[axis] = (length + parts - 1) / parts;
    grid->parts[axis] = (length + grid->size[axis] - 1) / grid->size[axis];
}

static struct grid grid_whole(const struct shape *shape)
{
    struct grid grid = {.rank = shape->rank};
    for (uint32_t i = 0; i < shape->rank; i++) {
        grid.parts[i] = 1;
        grid.size[i] = shape->dims[i];
    }
    return grid;
}

static uint64_t grid_tiles(const struct grid *grid)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < grid->rank; i++)
        count *= (uint64_t)grid->parts[i];
    return count;
}

// Tile `index` of the grid, row by row.
static struct plan_box grid_box(const struct grid *grid, const struct shape *shape, uint64_t index)
{
    struct plan_box box = {.rank = grid->rank};
    for (uint32_t i = grid->rank; i-- > 0;) {
        const int64_t at = (int64_t)(index % (uint64_t)grid->parts[i]);
        index /= (uint64_t)grid->parts[i];
        box.from[i] = at * grid->size[i];
        const int64_t left = shape->dims[i] - box.from[i];
        box.size[i] = left < grid->size[i] ? left : grid->size[i];
    }
    return box;
}

// A tile that has no border, if there is one: it needs the most.
static struct plan_box middle_box(const struct grid *grid, const struct shape *shape)
{
    struct plan_box box = grid_box(grid, shape, 0);
    for (uint32_t i = 0; i < grid->rank; i++) {
        if (grid->parts[i] > 2)
            box.from[i] = grid->size[i];
    }
    return box;
}

// Which inputs are the same for every tile: those that the first and the last one
// need all of. False when there can be no such tiles.
static bool find_staying(struct tiler *tiler, const struct grid *grid,
                         struct plan_override *overrides)
{
    const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
    const uint64_t ends[2] = {0, grid_tiles(grid) - 1};
    for (uint32_t i = 0; i < tiler->group->input_count; i++)
        tiler->stays[i] = true;
    for (uint32_t end = 0; end < 2; end++) {
        uint32_t ignored;
        const struct plan_box box = grid_box(grid, shape, ends[end]);
        if (!propagate(tiler, &box, overrides, &ignored))
            return false;
        for (uint32_t i = 0; i < tiler->group->input_count; i++) {
            const uint32_t value = tiler->group->inputs[i];
            const struct plan_box whole =
                plan_box_whole(&group_value(tiler->plan, value)->type.shape);
            tiler->stays[i] &= same_box(&tiler->boxes[find_value(tiler, value)], &whole);
        }
    }
    return true;
}

// Bytes of the largest tile: those at the borders are smaller.
static bool grid_fits(struct tiler *tiler, const struct grid *grid, uint64_t slots, uint64_t room,
                      struct plan_override *overrides)
{
    const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
    const struct plan_box box = middle_box(grid, shape);
    uint32_t ignored;
    if (!find_staying(tiler, grid, overrides) || !propagate(tiler, &box, overrides, &ignored))
        return false;
    return local_bytes(tiler, slots) <= room;
}

// The fewest parts along `axis` with which the grid fits; the most there are when
// none does.
static void cut_axis(struct tiler *tiler, struct grid *grid, const struct shape *shape,
                     uint32_t axis, uint64_t slots, uint64_t room, struct plan_override *overrides)
{
    int64_t low = 1;
    int64_t high = shape->dims[axis];
    set_parts(grid, shape, axis, high);
    if (!grid_fits(tiler, grid, slots, room, overrides))
        return;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        set_parts(grid, shape, axis, middle);
        if (grid_fits(tiler, grid, slots, room, overrides))
            high = middle;
        else
            low = middle + 1;
    }
    set_parts(grid, shape, axis, high);
}

// Leaves those of `axes` along which this node may be cut as well.
static uint32_t keep_common(const struct plan *plan, const struct network_node *node,
                            uint32_t axes[SHAPE_RANK_MOST], uint32_t count)
{
    uint32_t own[SHAPE_RANK_MOST];
    const uint32_t own_count = region_axes(plan->network, node, own);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < own_count; j++) {
            if (own[j] == axes[i]) {
                axes[kept++] = axes[i];
                break;
            }
        }
    }
    return kept;
}

// The dimensions that may be cut: those of the node that matters most, where the
// group's output still has its shape, as far as the others of that shape allow.
static uint32_t cut_axes(const struct tiler *tiler, uint32_t axes[SHAPE_RANK_MOST])
{
    const struct plan *plan = tiler->plan;
    const struct plan_group *group = tiler->group;
    const struct network_node *node = group_node(plan, group, group_main(plan, group));
    const struct shape *shape = &group_value(plan, group->outputs[0])->type.shape;
    if (node->outputs[0] == NETWORK_NONE ||
        !shape_equal(&group_value(plan, node->outputs[0])->type.shape, shape))
        node = group_node(plan, group, group->node_count - 1);
    uint32_t count = region_axes(plan->network, node, axes);
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *other = group_node(plan, group, i);
        if (other->outputs[0] != NETWORK_NONE &&
            shape_equal(&group_value(plan, other->outputs[0])->type.shape, shape))
            count = keep_common(plan, other, axes, count);
    }
    return count;
}

static const struct plan_box *copy_boxes(struct tiler *tiler, const uint32_t *values,
                                         uint32_t count)
{
    struct plan_box *boxes = arena_allocate(tiler->arena, ((size_t)count + 1) * sizeof *boxes);
    for (uint32_t i = 0; i < count; i++)
        boxes[i] = tiler->boxes[find_value(tiler, values[i])];
    return boxes;
}

static const struct plan_box *copy_inner(struct tiler *tiler)
{
    const struct plan_group *group = tiler->group;
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->node_count; i++)
        count += group_node(tiler->plan, group, i)->output_count;
    struct plan_box *boxes = arena_allocate(tiler->arena, ((size_t)count + 1) * sizeof *boxes);
    uint32_t at = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(tiler->plan, group, i);
        for (uint32_t j = 0; j < node->output_count; j++, at++)
            boxes[at] = node->outputs[j] != NETWORK_NONE
                            ? tiler->boxes[find_value(tiler, node->outputs[j])]
                            : (struct plan_box){0};
    }
    return boxes;
}

static void fill_tile(struct tiler *tiler, struct plan_tile *tile,
                      const struct plan_override *overrides, uint32_t override_count)
{
    struct plan_group *group = tiler->group;
    tile->inputs = copy_boxes(tiler, group->inputs, group->input_count);
    tile->outputs = copy_boxes(tiler, group->outputs, group->output_count);
    tile->inner = copy_inner(tiler);
    struct plan_override *kept =
        arena_allocate(tiler->arena, ((size_t)override_count + 1) * sizeof *kept);
    if (override_count > 0)
        memcpy(kept, overrides, override_count * sizeof *kept);
    tile->overrides = kept;
    tile->override_count = override_count;
    tile->cost = group_cost(tiler->plan, group, tile);
}

// Cycles that an engine needs for the boxes at hand.
static uint64_t compute_cycles(struct tiler *tiler)
{
    struct plan_tile tile = {0};
    tiler->arena = &tiler->scratch;
    fill_tile(tiler, &tile, NULL, 0);
    tiler->arena = &tiler->plan->arena;
    return cost_cycles(tiler->plan->target, COST_RULES_BEST, tiler->group->engine, &tile.cost);
}

static uint64_t transfer_cycles(const struct tiler *tiler, uint64_t bytes)
{
    const uint32_t engine = target_engine_of(tiler->plan->target, TARGET_DMA_IN);
    const struct cost_request request = {.kind = COST_TRANSFER, .bytes = bytes};
    return engine == TARGET_NONE
               ? bytes
               : cost_cycles(tiler->plan->target, COST_RULES_BEST, engine, &request);
}

// About how long all tiles take: what stays is loaded first; then transfers and
// lanes work side by side, but for the first load and store or the last tile.
// Every tile counts as one in the middle. `out_bytes`: what a tile loads and stores.
static uint64_t grid_time(struct tiler *tiler, const struct grid *grid,
                          struct plan_override *overrides, uint64_t *out_bytes)
{
    const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
    const struct plan_box box = middle_box(grid, shape);
    uint32_t ignored;
    if (!find_staying(tiler, grid, overrides) || !propagate(tiler, &box, overrides, &ignored))
        return UINT64_MAX;
    const uint64_t staying = local_bytes(tiler, 0);
    const uint64_t tiles = grid_tiles(grid);
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    const uint64_t once = compute_cycles(tiler);
    *out_bytes = local_bytes(tiler, 1) - staying;
    const uint64_t transfers = transfer_cycles(tiler, tiles * *out_bytes);
    const uint64_t bound_by_memory = transfers + once;
    const uint64_t bound_by_lanes = (tiles + lanes - 1) / lanes * once + transfers / tiles;
    return (staying > 0 ? transfer_cycles(tiler, staying) : 0) +
           (bound_by_memory > bound_by_lanes ? bound_by_memory : bound_by_lanes);
}

// Cuts one dimension after the other, from axes[first] on, until a tile fits.
static bool cut_from(struct tiler *tiler, uint64_t slots, uint64_t room,
                     struct plan_override *overrides, const uint32_t *axes, uint32_t count,
                     uint32_t first, struct grid *grid)
{
    const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
    *grid = grid_whole(shape);
    for (uint32_t i = 0; i < count; i++) {
        if (grid_fits(tiler, grid, slots, room, overrides))
            return true;
        const uint32_t axis = axes[(first + i) % count];
        if (shape->dims[axis] > 1)
            cut_axis(tiler, grid, shape, axis, slots, room, overrides);
    }
    return grid_fits(tiler, grid, slots, room, overrides);
}

// Of the cuts that fit, the one that takes the least time.
static bool find_grid(struct tiler *tiler, uint64_t slots, uint64_t room,
                      struct plan_override *overrides, struct grid *out_grid)
{
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = cut_axes(tiler, axes);
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        struct grid grid;
        if (!cut_from(tiler, slots, room, overrides, axes, count, i, &grid))
            continue;
        uint64_t ignored;
        const uint64_t time = grid_time(tiler, &grid, overrides, &ignored);
        if (time < best) {
            best = time;
            *out_grid = grid;
        }
    }
    return best != UINT64_MAX;
}

// More tiles than memory asks for, so that loading, computing and storing overlap
// and all lanes have work: as many, and along the dimension, as take the least time.
static void spread(struct tiler *tiler, struct grid *grid, uint64_t slots, uint64_t room,
                   struct plan_override *overrides)
{
    const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
    const uint64_t lanes = tiler->plan->target->engines[tiler->group->engine].count;
    uint32_t axes[SHAPE_RANK_MOST];
    const uint32_t count = cut_axes(tiler, axes);
    const struct grid start = *grid;
    uint64_t bytes;
    uint64_t best = grid_time(tiler, grid, overrides, &bytes);
    for (uint64_t times = 2; times * grid_tiles(&start) <= SPREAD_MOST * lanes; times *= 2) {
        for (uint32_t i = 0; i < count; i++) {
            struct grid finer = start;
            const uint64_t parts = (uint64_t)start.parts[axes[i]] * times;
            if (parts > (uint64_t)shape->dims[axes[i]])
                continue;
            set_parts(&finer, shape, axes[i], (int64_t)parts);
            const uint64_t time = grid_time(tiler, &finer, overrides, &bytes);
            if (time < best && bytes >= TILE_BYTES_LEAST &&
                grid_fits(tiler, &finer, slots, room, overrides)) {
                best = time;
                *grid = finer;
            }
        }
    }
}

static void keep_staying(struct tiler *tiler)
{
    const size_t size = ((size_t)tiler->group->input_count + 1) * sizeof *tiler->stays;
    bool *stays = arena_allocate(&tiler->plan->arena, size);
    memcpy(stays, tiler->stays, size);
    tiler->group->stays = stays;
}

static void fill_whole(struct tiler *tiler)
{
    struct plan_group *group = tiler->group;
    group->tiles = arena_allocate(&tiler->plan->arena, sizeof *group->tiles);
    memset(group->tiles, 0, sizeof *group->tiles);
    group->tile_count = 1;
    for (uint32_t i = 0; i < group->input_count; i++)
        tiler->stays[i] = is_constant(tiler->plan, group->inputs[i]);
    keep_staying(tiler);
    take_whole(tiler);
    fill_tile(tiler, group->tiles, NULL, 0);
}

static bool fill_grid(struct tiler *tiler, const struct grid *grid, struct plan_override *overrides)
{
    struct plan_group *group = tiler->group;
    const struct shape *shape = &group_value(tiler->plan, group->outputs[0])->type.shape;
    const uint64_t count = grid_tiles(grid);
    if (count > TILES_MOST - tiler->plan->tile_count)
        return false;
    if (!find_staying(tiler, grid, overrides))
        return false;
    keep_staying(tiler);
    group->tiles = arena_allocate(&tiler->plan->arena, count * sizeof *group->tiles);
    memset(group->tiles, 0, count * sizeof *group->tiles);
    for (uint64_t i = 0; i < count; i++) {
        const struct plan_box box = grid_box(grid, shape, i);
        uint32_t override_count;
        if (!propagate(tiler, &box, overrides, &override_count))
            return false;
        fill_tile(tiler, &group->tiles[i], overrides, override_count);
    }
    group->tile_count = (uint32_t)count;
    tiler->plan->tile_count += count;
    return true;
}

static uint64_t room_behind_code(const struct plan *plan, uint32_t memory)
{
    const uint64_t size = plan->target->memories[memory].size;
    return size > CODE_BYTES ? size - CODE_BYTES : 0;
}

// What is for a memory that the DMA does not reach lies in the one that it does on
// its way, behind the code there.
static uint64_t local_room(const struct plan *plan, const struct plan_group *group)
{
    const struct target *target = plan->target;
    const struct target_engine *engine = &target->engines[group->engine];
    const uint64_t size = target->memories[engine->memory].size;
    const uint64_t own =
        engine->kind == TARGET_SLICE ? room_behind_code(plan, engine->memory) : size;
    const uint32_t dma = target_engine_of(target, TARGET_DMA_IN);
    if (dma == TARGET_NONE || target->engines[dma].memory == engine->memory)
        return own;
    const uint64_t near = room_behind_code(plan, target->engines[dma].memory);
    return near < own ? near : own;
}

// With room for one more tile than there are lanes, loading and storing go on
// while all lanes compute.
static bool tile_grid(struct tiler *tiler, struct plan_override *overrides)
{
    struct plan *plan = tiler->plan;
    const uint64_t lanes = plan->target->engines[tiler->group->engine].count;
    const uint64_t room = local_room(plan, tiler->group);
    for (uint64_t slots = lanes + 1; slots > 0; slots--) {
        struct grid grid;
        if (!find_grid(tiler, slots, room, overrides, &grid))
            continue;
        spread(tiler, &grid, slots, room, overrides);
        if (grid_tiles(&grid) > 1 && fill_grid(tiler, &grid, overrides))
            return true;
        break;
    }
    return false;
}

static bool fits_whole(struct tiler *tiler)
{
    take_whole(tiler);
    return local_bytes(tiler, 1) <= local_room(tiler->plan, tiler->group);
}

static void send_to_host(struct plan *plan, struct plan_group *group, const char *reason)
{
    group->engine = target_engine_of(plan->target, TARGET_HOST);
    group->reason = reason;
}

static void tile_group(struct plan *plan, struct plan_group *group)
{
    struct tiler tiler;
    tiler_start(&tiler, plan, group);
    struct plan_override *overrides =
        memory_allocate_zeroed((size_t)group->node_count + 1, sizeof *overrides);
    const bool cuttable = group->output_count == 1 &&
                          region_axes(plan->network, group_node(plan, group, group->node_count - 1),
                                      (uint32_t[SHAPE_RANK_MOST]){0}) > 0;
    const bool local = group_is_local(plan, group);
    const struct target *target = plan->target;
    if (local && !(cuttable && tile_grid(&tiler, overrides)) && !fits_whole(&tiler)) {
        const struct target_memory *memory =
            &target->memories[target->engines[group->engine].memory];
        send_to_host(plan, group,
                     plan_text(plan, "no part of it fits the %" PRIu64 " KiB of %s",
                               memory->size / 1024, memory->name));
    }
    const bool placed = group->engine != TARGET_NONE; // else the compiler refuses it
    if (placed && group->tile_count == 0 && group_is_static(plan, group))
        fill_whole(&tiler);
    free(overrides);
    tiler_free(&tiler);
}

status pass_tile(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->group_count; i++)
        tile_group(plan, &plan->groups[i]);
    return STATUS_OK;
}
