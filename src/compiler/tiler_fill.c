// The tiles of a group, made in the boxes that were found for them.

#include "base/memory.h"
#include "group.h"
#include "tiler.h"

enum {
    // Of all groups together: what a program may take of this machine's memory. A
    // group that would go beyond is better off elsewhere.
    TILES_MOST = 1 << 18,
};

static struct plan_box *tiler_copy_boxes(struct tiler *tiler, const uint32_t *values,
                                         uint32_t count)
{
    struct plan_box *boxes = arena_allocate(tiler->arena, (size_t)count * sizeof *boxes);
    for (uint32_t i = 0; i < count; i++)
        plan_box_copy(&boxes[i], &tiler->boxes[tiler_find_value(tiler, values[i])]);
    return boxes;
}

// Of what slides, a member reads more than the one before it makes for the tile.
static const struct plan_box *copy_inputs(struct tiler *tiler, const struct plan_group *group)
{
    struct plan_box *boxes = tiler_copy_boxes(tiler, group->inputs, group->input_count);
    for (uint32_t m = 0; tiler->hands && m + 1 < tiler->member_count; m++) {
        for (uint32_t i = 0; tiler->handed[m].slide.rows > 0 && i < group->input_count; i++) {
            if (group->inputs[i] == tiler->members[m].outputs[0])
                plan_box_copy(&boxes[i], &tiler->handed[m].needed);
        }
    }
    return boxes;
}

static uint32_t count_inner(const struct plan *plan, const struct plan_group *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->node_count; i++)
        count += group_node(plan, group, i)->output_count;
    return count;
}

static const struct plan_box *copy_inner(struct tiler *tiler, const struct plan_group *group)
{
    const uint32_t count = count_inner(tiler->plan, group);
    struct plan_box *boxes = arena_allocate(tiler->arena, (size_t)count * sizeof *boxes);
    static const struct plan_box NOTHING = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(tiler->plan, group, i);
        for (uint32_t j = 0; j < node->output_count; j++, at++)
            plan_box_copy(&boxes[at], node->outputs[j] != NETWORK_NONE
                                          ? &tiler->boxes[tiler_find_value(tiler, node->outputs[j])]
                                          : &NOTHING);
    }
    return boxes;
}

// Those of a group whose nodes begin at `first_node` of the whole.
static const struct plan_override *copy_overrides(struct tiler *tiler,
                                                  const struct plan_group *group,
                                                  uint32_t first_node, uint32_t *out_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tiler->override_count; i++)
        count += tiler->overrides[i].node - first_node < group->node_count;
    struct plan_override *kept = arena_allocate(tiler->arena, (size_t)count * sizeof *kept);
    *out_count = 0;
    for (uint32_t i = 0; i < tiler->override_count; i++) {
        if (tiler->overrides[i].node - first_node >= group->node_count)
            continue;
        kept[*out_count] = tiler->overrides[i];
        kept[(*out_count)++].node -= first_node;
    }
    return kept;
}

static bool are_as_large(const struct plan_box *a, const struct plan_box *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].rank != b[i].rank ||
            memcmp(a[i].size, b[i].size, a[i].rank * sizeof *a[i].size) != 0)
            return false;
    }
    return true;
}

// Whether tiles cost the same: where they lie is nothing to that.
static bool are_alike(const struct plan *plan, const struct plan_group *group,
                      const struct plan_tile *a, const struct plan_tile *b)
{
    return are_as_large(a->outputs, b->outputs, group->output_count) &&
           are_as_large(a->inputs, b->inputs, group->input_count) &&
           are_as_large(a->inner, b->inner, count_inner(plan, group));
}

// The tile at hand of a group whose nodes begin at `first_node` of the whole; `before`: another
// tile of it, or NULL.
static void fill_tile(struct tiler *tiler, const struct plan_group *group, uint32_t first_node,
                      const struct plan_tile *before, struct plan_tile *tile)
{
    tile->inputs = copy_inputs(tiler, group);
    tile->outputs = tiler_copy_boxes(tiler, group->outputs, group->output_count);
    tile->inner = copy_inner(tiler, group);
    tile->overrides = copy_overrides(tiler, group, first_node, &tile->override_count);
    tile->cost = before != NULL && are_alike(tiler->plan, group, before, tile)
                     ? before->cost
                     : group_cost(tiler->plan, group, tile);
}

struct cost_request tiler_cost(struct tiler *tiler)
{
    struct plan_tile tile = {0};
    struct arena scratch = {0};
    struct arena *own = tiler->arena;
    tiler->arena = &scratch;
    fill_tile(tiler, tiler->group, 0, NULL, &tile);
    tiler->arena = own;
    arena_free(&scratch);
    return tile.cost;
}

uint64_t tiler_cycles(struct tiler *tiler)
{
    const struct target *target = tiler->plan->target;
    struct arena scratch = {0};
    struct arena *own = tiler->arena;
    uint64_t cycles = 0;
    uint32_t first_node = 0;
    tiler->arena = &scratch;
    for (uint32_t m = 0; m < (tiler->member_count > 0 ? tiler->member_count : 1); m++) {
        const struct plan_group *group =
            tiler->member_count > 0 ? &tiler->members[m] : tiler->group;
        struct plan_tile tile = {0};
        fill_tile(tiler, group, first_node, NULL, &tile);
        cycles += cost_cycles(target, COST_RULES_BEST, group->engine, &tile.cost);
        first_node += group->node_count;
    }
    tiler->arena = own;
    arena_free(&scratch);
    return cycles;
}

static void keep_staying(struct tiler *tiler)
{
    const size_t size = ((size_t)tiler->group->input_count + 1) * sizeof *tiler->stays;
    bool *stays = arena_allocate(tiler->arena, size);
    memcpy(stays, tiler->stays, size);
    tiler->group->stays = stays;
}

static void allocate_tiles(struct tiler *tiler, struct plan_group *group, uint64_t count)
{
    group->tiles = arena_allocate(tiler->arena, count * sizeof *group->tiles);
    memset(group->tiles, 0, count * sizeof *group->tiles);
    group->tile_count = (uint32_t)count;
}

static void fill_next(struct tiler *tiler, const struct plan_group *group, uint32_t first_node,
                      uint64_t index)
{
    struct plan_tile *tile = &group->tiles[index];
    fill_tile(tiler, group, first_node, index > 0 ? tile - 1 : NULL, tile);
}

static void fill_at(struct tiler *tiler, uint64_t index)
{
    uint32_t first_node = 0;
    fill_next(tiler, tiler->group, 0, index);
    for (uint32_t m = 0; m < tiler->member_count; m++) {
        fill_next(tiler, &tiler->members[m], first_node, index);
        first_node += tiler->members[m].node_count;
    }
}

void tiler_fill_whole(struct tiler *tiler)
{
    struct plan_group *group = tiler->group;
    allocate_tiles(tiler, group, 1);
    for (uint32_t i = 0; i < group->input_count; i++)
        tiler->stays[i] = group_value(tiler->plan, group->inputs[i])->constant != NULL;
    keep_staying(tiler);
    tiler_take_whole(tiler);
    fill_tile(tiler, group, 0, NULL, group->tiles);
}

bool tiler_has_room(const struct plan *plan, uint64_t tiles)
{
    return tiles <= TILES_MOST - plan->tile_count;
}

bool tiler_fill_grid(struct tiler *tiler, const struct grid *grid)
{
    const uint64_t count = grid_tiles(grid);
    if (!tiler_has_room(tiler->plan, count) || !tiler_find_staying(tiler, grid))
        return false;
    keep_staying(tiler);
    allocate_tiles(tiler, tiler->group, count);
    for (uint32_t m = 0; m < tiler->member_count; m++)
        allocate_tiles(tiler, &tiler->members[m], count);
    for (uint64_t i = 0; i < count; i++) {
        const struct plan_box box = grid_box(grid, tiler_shape(tiler), i);
        if (!tiler_propagate(tiler, &box) || !tiler_are_carried(tiler)) {
            tiler->group->tile_count = 0;
            return false;
        }
        fill_at(tiler, i);
    }
    if (tiler_slide_keep(tiler))
        return true;
    tiler->group->tile_count = 0;
    return false;
}
