#include "tiler.h"

#include <stdlib.h>

#include "base/memory.h"
#include "network/block.h"
#include "group.h"
#include "program/node_cost.h"
#include "program/windows.h"
#include "region.h"

// Values and their parts ----------------------------------------------------------------

uint32_t tiler_find_value(const struct tiler *tiler, uint32_t value)
{
    uint32_t i = 0;
    while (i < tiler->count && tiler->values[i] != value)
        i++;
    return i;
}

static void tiler_add_value(struct tiler *tiler, uint32_t value)
{
    if (value != NETWORK_NONE && tiler_find_value(tiler, value) == tiler->count)
        tiler->values[tiler->count++] = value;
}

static void find_loops(struct tiler *tiler)
{
    const struct target *target = tiler->plan->target;
    struct plan_way way;
    if (tiler->group->engine == TARGET_NONE ||
        !plan_find_way(target, target->engines[tiler->group->engine].memory, &way))
        return;
    tiler->loops[0] = target->engines[way.in].loops;
    tiler->loops[1] = target->engines[way.out].loops;
}

void tiler_start(struct tiler *tiler, struct plan *plan, struct plan_group *group,
                 struct plan_group *members, uint32_t member_count)
{
    size_t most = group->input_count;
    for (uint32_t i = 0; i < group->node_count; i++)
        most += group_node(plan, group, i)->output_count;
    *tiler = (struct tiler){.plan = plan,
                            .group = group,
                            .members = members,
                            .member_count = members != NULL ? member_count : 0,
                            .arena = &plan->arena};
    find_loops(tiler);
    tiler->values = memory_allocate_zeroed(most + 1, sizeof *tiler->values);
    tiler->boxes = memory_allocate_zeroed(most + 1, sizeof *tiler->boxes);
    tiler->known = memory_allocate_zeroed(most + 1, sizeof *tiler->known);
    tiler->stays = memory_allocate_zeroed((size_t)group->input_count + 1, sizeof *tiler->stays);
    tiler->slides = memory_allocate_zeroed((size_t)group->input_count + 1, sizeof *tiler->slides);
    tiler->handed = memory_allocate_zeroed((size_t)member_count + 1, sizeof *tiler->handed);
    tiler->ends = memory_allocate_zeroed(most + 1, sizeof *tiler->ends);
    tiler->overrides =
        memory_allocate_zeroed(2 * (size_t)group->node_count + 1, sizeof *tiler->overrides);
    tiler->nodes = memory_allocate_zeroed((size_t)group->node_count + 1, sizeof *tiler->nodes);
    for (uint32_t i = 0; i < group->input_count; i++)
        tiler_add_value(tiler, group->inputs[i]);
    size_t inputs = 0;
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *node = group_node(plan, group, i);
        inputs = node->input_count > inputs ? node->input_count : inputs;
        for (uint32_t j = 0; j < node->output_count; j++)
            tiler_add_value(tiler, node->outputs[j]);
    }
    tiler->needed = memory_allocate_zeroed(inputs + 1, sizeof *tiler->needed);
}

void tiler_free(struct tiler *tiler)
{
    free(tiler->values);
    free(tiler->boxes);
    free(tiler->known);
    free(tiler->stays);
    free(tiler->slides);
    free(tiler->handed);
    free(tiler->ends);
    free(tiler->overrides);
    free(tiler->needed);
    free(tiler->nodes);
}

const struct shape *tiler_shape(const struct tiler *tiler)
{
    return &group_value(tiler->plan, tiler->group->outputs[0])->type.shape;
}

// A kernel takes a buffer as it is: false when others need another part of the value.
static bool tiler_require_box(struct tiler *tiler, uint32_t value, const struct plan_box *box)
{
    const uint32_t at = tiler_find_value(tiler, value);
    if (tiler->known[at])
        return plan_boxes_same(&tiler->boxes[at], box);
    plan_box_copy(&tiler->boxes[at], box);
    tiler->known[at] = true;
    return true;
}

static void add_override(struct tiler *tiler, uint32_t index, const struct plan_override *override)
{
    if (override->count == 0)
        return;
    tiler->overrides[tiler->override_count] = *override;
    tiler->overrides[tiler->override_count++].node = index;
}

static bool tiler_need_inputs(struct tiler *tiler, uint32_t index)
{
    const struct network_node *node = group_node(tiler->plan, tiler->group, index);
    const uint32_t output = tiler_find_value(tiler, node->outputs[0]);
    if (!tiler->known[output])
        return false;
    struct plan_box *inputs = tiler->needed;
    struct region_known *known = &tiler->nodes[index];
    struct region_answer answer;
    memset(inputs, 0, (size_t)node->input_count * sizeof *inputs);
    answer.inputs = inputs;
    if (!known->ready)
        region_know(tiler->plan->network, node, known);
    bool found = region_find(
        &(struct region_request){tiler->plan->network, node, &tiler->boxes[output], known},
        &answer);
    for (uint32_t i = 0; found && i < node->input_count; i++) {
        if (node->inputs[i] != NETWORK_NONE)
            found = tiler_require_box(tiler, node->inputs[i], &inputs[i]);
    }
    add_override(tiler, index, &answer.override);
    add_override(tiler, index, &answer.groups);
    return found;
}

// Numbers that share an exponent are computed together.
static bool keeps_blocks(const struct tiler *tiler, uint32_t index)
{
    const struct network_node *node = group_node(tiler->plan, tiler->group, index);
    const struct value_type *type = &group_value(tiler->plan, node->outputs[0])->type;
    const struct plan_box *box = &tiler->boxes[tiler_find_value(tiler, node->outputs[0])];
    if (!element_is_block(type->element) || box->rank == 0)
        return true;
    const uint32_t last = box->rank - 1;
    const int64_t end = box->from[last] + box->size[last];
    return box->from[last] % BLOCK_SIZE == 0 &&
           (end % BLOCK_SIZE == 0 || end == type->shape.dims[last]);
}

static bool propagate(struct tiler *tiler, const struct plan_box *output, bool pieces)
{
    memset(tiler->known, 0, tiler->count * sizeof *tiler->known);
    if (!tiler_require_box(tiler, tiler->group->outputs[0], output))
        return false;
    tiler->override_count = 0;
    for (uint32_t i = tiler->group->node_count; i-- > 0;) {
        if (pieces)
            tiler_slide_cut(tiler, i);
        if (!tiler_need_inputs(tiler, i) || !keeps_blocks(tiler, i))
            return false;
    }
    return true;
}

// Where what is handed on slides, members give what the tile before has not made.
bool tiler_propagate(struct tiler *tiler, const struct plan_box *output)
{
    tiler->later = false;
    if (tiler->hands && output->from[tiler->cut] > 0) {
        struct plan_box before = *output;
        before.size[tiler->cut] = tiler->step;
        before.from[tiler->cut] -= tiler->step;
        if (!propagate(tiler, &before, false))
            return false;
        tiler_slide_note(tiler);
    }
    return propagate(tiler, output, tiler->hands);
}

void tiler_take_whole(struct tiler *tiler)
{
    for (uint32_t i = 0; i < tiler->count; i++) {
        plan_box_take_whole(&tiler->boxes[i],
                            &group_value(tiler->plan, tiler->values[i])->type.shape);
        tiler->known[i] = true;
    }
    tiler->override_count = 0;
}

uint64_t tiler_value_bytes(const struct tiler *tiler, uint32_t value)
{
    const enum element element = group_value(tiler->plan, value)->type.element;
    return plan_padded(plan_box_bytes(&tiler->boxes[tiler_find_value(tiler, value)], element));
}

uint64_t tiler_output_bytes(const struct tiler *tiler)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < tiler->group->output_count; i++)
        bytes += tiler_value_bytes(tiler, tiler->group->outputs[i]);
    return bytes;
}

// Of what has the same place for every tile.
static uint64_t tiler_place_bytes(const struct tiler *tiler, uint32_t value)
{
    const uint64_t bytes = tiler_value_bytes(tiler, value);
    const uint64_t ends = tiler->ends[tiler_find_value(tiler, value)];
    return ends > bytes ? ends : bytes;
}

uint64_t tiler_local_bytes(const struct tiler *tiler, uint64_t slots)
{
    uint64_t moving = 0;
    uint64_t staying = 0;
    for (uint32_t i = 0; i < tiler->group->input_count; i++) {
        if (tiler->slides[i].rows > 0) // one more: the next tile reads of it as well
            staying += slots > 0 ? tiler->slides[i].bytes * (slots + 1) : 0;
        else if (tiler->placed == NULL || !tiler->placed[i])
            *(tiler->stays[i] ? &staying : &moving) +=
                tiler_place_bytes(tiler, tiler->group->inputs[i]);
    }
    if (!tiler->output_placed)
        moving += tiler_output_bytes(tiler);
    for (uint32_t i = 0; i + 1 < tiler->member_count; i++) {
        if (tiler->handed[i].slide.rows > 0)
            staying += slots > 0 ? tiler->handed[i].slide.bytes * (slots + 1) : 0;
        else
            moving += tiler_place_bytes(tiler, tiler->members[i].outputs[0]);
    }
    return moving * slots + staying;
}

static bool is_carried(const struct tiler *tiler, uint32_t value, uint64_t most)
{
    const struct shape *shape = &group_value(tiler->plan, value)->type.shape;
    const struct plan_box *box = &tiler->boxes[tiler_find_value(tiler, value)];
    return most == 0 || program_loops(box->rank, box->size, shape->dims, shape->dims) <= most;
}

bool tiler_are_carried(const struct tiler *tiler)
{
    for (uint32_t i = 0; i < tiler->group->input_count; i++) {
        if ((tiler->placed == NULL || !tiler->placed[i]) &&
            !is_carried(tiler, tiler->group->inputs[i], tiler->loops[0]))
            return false;
    }
    for (uint32_t i = 0; i < tiler->group->output_count; i++) {
        if (!is_carried(tiler, tiler->group->outputs[i], tiler->loops[1]))
            return false;
    }
    return true;
}

// Grids -----------------------------------------------------------------------------------

// Whether an engine counts so many places: in one loop, or in two.
static bool is_loop(int64_t places, int64_t most)
{
    if (most == 0 || places <= most)
        return true;
    for (int64_t outer = 2; outer <= most && outer * outer <= places; outer++) {
        if (places % outer == 0 && places / outer <= most)
            return true;
    }
    return false;
}

static bool are_loops(int64_t length, int64_t size, int64_t most)
{
    return most == 0 || size == 0 || (is_loop(size, most) && is_loop(length % size, most));
}

void grid_set_parts(struct grid *grid, const struct shape *shape, uint32_t axis, int64_t parts)
{
    const int64_t length = shape->dims[axis];
    grid->size[axis] = (length + parts - 1) / parts;
    while (grid->size[axis] > 1 && !are_loops(length, grid->size[axis], grid->loop))
        grid->size[axis]--;
    // Whole tiles, but for the last one.
    const int64_t step = grid->step[axis];
    grid->size[axis] = (grid->size[axis] + step - 1) / step * step;
    grid->size[axis] = grid->size[axis] < length || length == 0 ? grid->size[axis] : length;
    grid->parts[axis] = (length + grid->size[axis] - 1) / grid->size[axis];
}

// Places along an axis of the result that lie together: of an image channels, of others the
// sides of a tile.
static int64_t tile_step(const struct tiler *tiler, const struct target_engine *engine,
                         uint32_t axis)
{
    const struct plan *plan = tiler->plan;
    const uint32_t rank = tiler_shape(tiler)->rank;
    if (!plan_is_image(plan, tiler->group->outputs[0]))
        return axis + 1 == rank ? engine->tile[1] : axis + 2 == rank ? engine->tile[0] : 1;
    const struct network_node *node =
        group_node(plan, tiler->group, group_main(plan, tiler->group));
    return engine->depth > 0 && node_cost_channel_axis(node, rank) == axis ? engine->depth : 1;
}

struct grid tiler_whole_grid(const struct tiler *tiler)
{
    const struct shape *shape = tiler_shape(tiler);
    const struct target_engine *engine = &tiler->plan->target->engines[tiler->group->engine];
    struct grid grid = {.rank = shape->rank, .loop = (int64_t)engine->loop};
    for (uint32_t i = 0; i < shape->rank; i++) {
        grid.step[i] = target_engine_is_tiled(engine) ? tile_step(tiler, engine, i) : 1;
        grid.parts[i] = 1;
        grid.size[i] = shape->dims[i];
    }
    return grid;
}

uint64_t grid_tiles(const struct grid *grid)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < grid->rank; i++)
        count *= (uint64_t)grid->parts[i];
    return count;
}

// Tile `index` of the grid, row by row.
struct plan_box grid_box(const struct grid *grid, const struct shape *shape, uint64_t index)
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

uint32_t grid_cuts(const struct grid *grid)
{
    uint32_t cuts = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        cuts += grid->parts[i] > 1;
    return cuts;
}

struct plan_box grid_middle(const struct grid *grid, const struct shape *shape)
{
    struct plan_box box = grid_box(grid, shape, 0);
    for (uint32_t i = 0; i < grid->rank; i++) {
        if (grid->parts[i] > 2)
            box.from[i] = grid->parts[i] / 2 * grid->size[i];
    }
    return box;
}

// Fitting ---------------------------------------------------------------------------------

static void note_end(struct tiler *tiler)
{
    for (uint32_t i = 0; i < tiler->count; i++) {
        const uint64_t bytes = tiler->known[i] ? tiler_value_bytes(tiler, tiler->values[i]) : 0;
        tiler->ends[i] = bytes > tiler->ends[i] ? bytes : tiler->ends[i];
    }
}

bool tiler_find_staying(struct tiler *tiler, const struct grid *grid)
{
    const uint64_t ends[2] = {0, grid_tiles(grid) - 1};
    tiler->hands = false;
    memset(tiler->ends, 0, tiler->count * sizeof *tiler->ends);
    for (uint32_t i = 0; i < tiler->group->input_count; i++)
        tiler->stays[i] = true;
    for (uint32_t end = 0; end < 2; end++) {
        const struct plan_box box = grid_box(grid, tiler_shape(tiler), ends[end]);
        if (!tiler_propagate(tiler, &box))
            return false;
        note_end(tiler);
        for (uint32_t i = 0; i < tiler->group->input_count; i++) {
            const uint32_t value = tiler->group->inputs[i];
            tiler->stays[i] &= plan_box_is_whole(&tiler->boxes[tiler_find_value(tiler, value)],
                                                 &group_value(tiler->plan, value)->type.shape);
        }
    }
    return tiler_slide_find(tiler, grid);
}

// By the bytes of a tile in the middle, and of those at the ends where these are larger.
bool tiler_fits(struct tiler *tiler, const struct grid *grid)
{
    const struct plan_box box = grid_middle(grid, tiler_shape(tiler));
    for (uint32_t i = 0; i < grid->rank; i++) {
        if (!are_loops(tiler_shape(tiler)->dims[i], grid->size[i], grid->loop))
            return false;
    }
    if (!tiler_find_staying(tiler, grid) || !tiler_propagate(tiler, &box))
        return false;
    return tiler_are_carried(tiler) && tiler_local_bytes(tiler, tiler->slots) <= tiler->room;
}

bool tiler_counts(const struct tiler *tiler)
{
    const int64_t most = (int64_t)tiler->plan->target->engines[tiler->group->engine].loop;
    for (uint32_t i = 0; most > 0 && i < tiler->group->output_count; i++) {
        const struct shape *shape = &group_value(tiler->plan, tiler->group->outputs[i])->type.shape;
        for (uint32_t d = 0; d < shape->rank; d++) {
            if (!is_loop(shape->dims[d], most))
                return false;
        }
    }
    return true;
}

bool tiler_fits_whole(struct tiler *tiler)
{
    tiler_take_whole(tiler);
    return tiler_local_bytes(tiler, 1) <= tiler->room && tiler_counts(tiler);
}

// The fewest parts along `axis` with which the grid fits; the most there are when none
// does.
static void cut_axis(struct tiler *tiler, struct grid *grid, uint32_t axis)
{
    const struct shape *shape = tiler_shape(tiler);
    int64_t low = 1;
    int64_t high = shape->dims[axis];
    grid_set_parts(grid, shape, axis, high);
    if (!tiler_fits(tiler, grid))
        return;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        grid_set_parts(grid, shape, axis, middle);
        if (tiler_fits(tiler, grid))
            high = middle;
        else
            low = middle + 1;
    }
    grid_set_parts(grid, shape, axis, high);
}

bool tiler_cut(struct tiler *tiler, const uint32_t *axes, uint32_t count, uint32_t first,
               struct grid *out_grid)
{
    const struct shape *shape = tiler_shape(tiler);
    *out_grid = tiler_whole_grid(tiler);
    for (uint32_t i = 0; i < count; i++)
        grid_set_parts(out_grid, shape, axes[i], 1);
    for (uint32_t i = 0; i < count; i++) {
        if (tiler_fits(tiler, out_grid))
            return true;
        const uint32_t axis = axes[(first + i) % count];
        if (shape->dims[axis] > 1)
            cut_axis(tiler, out_grid, axis);
    }
    return tiler_fits(tiler, out_grid);
}

uint64_t tiler_traffic(const struct tiler *tiler, const struct grid *grid)
{
    const uint64_t staying = tiler_local_bytes(tiler, 0);
    return staying + grid_tiles(grid) * (tiler_local_bytes(tiler, 1) - staying);
}

// Parts of what members hand on, for the first tile of the grid or its neighbour.
static bool find_handed(struct tiler *tiler, const struct plan_box *tile, struct plan_box *handed)
{
    if (!tiler_propagate(tiler, tile))
        return false;
    for (uint32_t m = 0; m + 1 < tiler->member_count; m++)
        handed[m] = tiler->boxes[tiler_find_value(tiler, tiler->members[m].outputs[0])];
    return true;
}

bool tiler_cuts_once(struct tiler *tiler, const struct grid *grid)
{
    if (tiler->member_count < 2)
        return true;
    if (tiler->hand && grid_cuts(grid) == 1)
        return tiler_find_staying(tiler, grid) && !tiler->again;
    tiler->hands = false;
    struct plan_box *first = memory_allocate_zeroed(2 * (size_t)tiler->member_count, sizeof *first);
    struct plan_box *next = first + tiler->member_count;
    const struct plan_box start = grid_box(grid, tiler_shape(tiler), 0);
    bool apart = find_handed(tiler, &start, first);
    for (uint32_t axis = 0; axis < grid->rank && apart; axis++) {
        if (grid->parts[axis] < 2)
            continue;
        struct plan_box beside = start;
        const int64_t left = tiler_shape(tiler)->dims[axis] - grid->size[axis];
        beside.from[axis] = grid->size[axis];
        beside.size[axis] = left < grid->size[axis] ? left : grid->size[axis];
        apart = find_handed(tiler, &beside, next);
        for (uint32_t m = 0; m + 1 < tiler->member_count && apart; m++)
            apart = !plan_boxes_meet(&first[m], &next[m]);
    }
    free(first);
    return apart;
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

// Leaves out the channels of what computes each by itself.
static uint32_t drop_apart(const struct plan *plan, const struct network_node *node,
                           uint32_t axes[SHAPE_RANK_MOST], uint32_t count)
{
    const uint32_t apart = region_apart_axis(plan->network, node);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i] != apart)
            axes[kept++] = axes[i];
    }
    return kept;
}

// Those of the node that matters most, where the group's output still has its shape, as far
// as the others of that shape allow.
uint32_t tiler_axes(const struct tiler *tiler, uint32_t axes[SHAPE_RANK_MOST])
{
    const struct plan *plan = tiler->plan;
    const struct plan_group *group = tiler->group;
    const struct network_node *node = group_node(plan, group, group_main(plan, group));
    const struct shape *shape = tiler_shape(tiler);
    if (node->outputs[0] == NETWORK_NONE ||
        !shape_equal(&group_value(plan, node->outputs[0])->type.shape, shape))
        node = group_node(plan, group, group->node_count - 1);
    uint32_t count = region_axes(plan->network, node, axes);
    for (uint32_t i = 0; i < group->node_count; i++) {
        const struct network_node *other = group_node(plan, group, i);
        if (other->outputs[0] != NETWORK_NONE &&
            shape_equal(&group_value(plan, other->outputs[0])->type.shape, shape))
            count = keep_common(plan, other, axes, count);
        if (plan->rows_only)
            count = drop_apart(plan, other, axes, count);
    }
    return count;
}
