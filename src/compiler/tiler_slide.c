// Which inputs of a group slide along its tiles, and which values that members of a chain hand on.

#include <stdlib.h>

#include "base/memory.h"
#include "group.h"
#include "slide.h"
#include "tiler.h"

uint64_t tiler_moved_bytes(const struct tiler *tiler)
{
    uint64_t bytes = tiler->output_placed ? 0 : tiler_output_bytes(tiler);
    for (uint32_t i = 0; i < tiler->group->input_count; i++) {
        if (tiler->slides[i].rows > 0)
            bytes += tiler->slides[i].moved;
        else if ((tiler->placed == NULL || !tiler->placed[i]) && !tiler->stays[i])
            bytes += tiler_value_bytes(tiler, tiler->group->inputs[i]);
    }
    return bytes;
}

static struct plan_box *box_of(const struct tiler *tiler, uint32_t value)
{
    return &tiler->boxes[tiler_find_value(tiler, value)];
}

static uint64_t rows_bytes(const struct tiler *tiler, uint32_t value, uint32_t axis, int64_t rows)
{
    struct plan_box box = *box_of(tiler, value);
    box.size[axis] = rows;
    return plan_padded(plan_box_bytes(&box, group_value(tiler->plan, value)->type.element));
}

// Of a value that a tile reads after the first one did: its box is the one at hand.
static struct tiler_slide slide_after(const struct tiler *tiler, uint32_t value,
                                      const struct plan_box *first)
{
    struct slide slide;
    uint32_t axis;
    if (!slide_between(first, box_of(tiler, value), &axis, &slide))
        return (struct tiler_slide){0};
    return (struct tiler_slide){slide.rows, rows_bytes(tiler, value, axis, slide.rows),
                                rows_bytes(tiler, value, axis, slide.moved), axis};
}

// What a member hands on: what neighbours have in common of it is computed once where it slides.
static bool find_handed(struct tiler *tiler, const struct plan_box tiles[2], uint32_t member)
{
    const uint32_t value = tiler->members[member].outputs[0];
    if (!tiler_propagate(tiler, &tiles[0]))
        return false;
    const struct plan_box first = *box_of(tiler, value);
    if (!tiler_propagate(tiler, &tiles[1]))
        return false;
    if (!plan_boxes_meet(&first, box_of(tiler, value)))
        return true;
    tiler->handed[member].slide = slide_after(tiler, value, &first);
    tiler->hands |= tiler->handed[member].slide.rows > 0;
    tiler->again |= tiler->handed[member].slide.rows == 0;
    return true;
}

static bool find_inputs(struct tiler *tiler, const struct plan_box tiles[2], struct plan_box *first)
{
    const struct plan_group *group = tiler->group;
    for (uint32_t t = 0; t < 2; t++) {
        if (!tiler_propagate(tiler, &tiles[t]))
            return false;
        for (uint32_t i = 0; i < group->input_count; i++) {
            const struct plan_box *box = box_of(tiler, group->inputs[i]);
            if (t == 0) {
                first[i] = *box;
                continue;
            }
            // What pieces are made from is not the same for all of them.
            tiler->stays[i] &= !tiler->hands || plan_boxes_same(&first[i], box);
            if (!tiler->stays[i] && (tiler->placed == NULL || !tiler->placed[i]))
                tiler->slides[i] = slide_after(tiler, group->inputs[i], &first[i]);
        }
    }
    return true;
}

static void drop_if_empty(struct tiler *tiler, struct tiler_slide *slide, int64_t before,
                          int64_t end)
{
    if (slide->rows == 0 || end > before)
        return;
    tiler->ragged = true;
    *slide = (struct tiler_slide){0};
}

static int64_t end_of(const struct tiler *tiler, uint32_t value, const struct tiler_slide *slide)
{
    const struct plan_box *box = box_of(tiler, value);
    return slide->rows > 0 ? box->from[slide->axis] + box->size[slide->axis] : 0;
}

// The last tile may be so small that the one before has brought all that it needs: then what
// would slide does not.
static bool check_last(struct tiler *tiler, const struct grid *grid, int64_t *ends)
{
    const struct plan_group *group = tiler->group;
    const uint64_t count = grid_tiles(grid);
    const bool hands = tiler->hands;
    tiler->hands = false; // pieces end where what is needed does
    for (uint32_t t = 0; t < 2; t++) {
        const struct plan_box box = grid_box(grid, tiler_shape(tiler), count - 2 + t);
        if (!tiler_propagate(tiler, &box))
            return false;
        for (uint32_t i = 0; i < group->input_count + tiler->member_count; i++) {
            const uint32_t m = i - group->input_count;
            const bool input = i < group->input_count;
            if (!input && m + 1 >= tiler->member_count)
                continue;
            struct tiler_slide *slide = input ? &tiler->slides[i] : &tiler->handed[m].slide;
            const int64_t end =
                end_of(tiler, input ? group->inputs[i] : tiler->members[m].outputs[0], slide);
            if (t > 0)
                drop_if_empty(tiler, slide, ends[i], end);
            ends[i] = end;
        }
    }
    tiler->hands = hands;
    tiler->again |= tiler->ragged && hands;
    return true;
}

bool tiler_slide_find(struct tiler *tiler, const struct grid *grid)
{
    const struct plan_group *group = tiler->group;
    const struct shape *shape = tiler_shape(tiler);
    memset(tiler->slides, 0, group->input_count * sizeof *tiler->slides);
    memset(tiler->handed, 0, tiler->member_count * sizeof *tiler->handed);
    tiler->hands = tiler->again = tiler->ragged = false;
    if (!tiler->slide || grid_cuts(grid) != 1)
        return true;
    for (uint32_t i = 0; i < grid->rank; i++)
        tiler->cut = grid->parts[i] > 1 ? i : tiler->cut;
    tiler->step = grid->size[tiler->cut];
    const struct plan_box tiles[2] = {grid_box(grid, shape, 0), grid_box(grid, shape, 1)};
    struct plan_box *first =
        memory_allocate_zeroed((size_t)group->input_count + tiler->member_count + 1, sizeof *first);
    bool found = true;
    // The last first: what it reads in pieces is given in pieces.
    for (uint32_t m = tiler->hand ? tiler->member_count : 0; m-- > 1 && found;)
        found = find_handed(tiler, tiles, m - 1);
    int64_t *ends =
        memory_allocate_zeroed((size_t)group->input_count + tiler->member_count + 1, sizeof *ends);
    found = found && find_inputs(tiler, tiles, first) && check_last(tiler, grid, ends);
    free(ends);
    free(first);
    return found;
}

void tiler_slide_note(struct tiler *tiler)
{
    tiler->later = true;
    for (uint32_t m = 0; m + 1 < tiler->member_count; m++) {
        const struct plan_box *box = box_of(tiler, tiler->members[m].outputs[0]);
        const uint32_t axis = tiler->handed[m].slide.axis;
        tiler->handed[m].made = box->from[axis] + box->size[axis];
    }
}

void tiler_slide_cut(struct tiler *tiler, uint32_t node)
{
    uint32_t end = 0;
    for (uint32_t m = 0; m + 1 < tiler->member_count; m++) {
        struct tiler_handed *handed = &tiler->handed[m];
        end += tiler->members[m].node_count;
        if (node + 1 != end || handed->slide.rows == 0)
            continue;
        struct plan_box *box = box_of(tiler, tiler->members[m].outputs[0]);
        const uint32_t axis = handed->slide.axis;
        handed->needed = *box;
        if (tiler->later && handed->made > box->from[axis]) {
            box->size[axis] -= handed->made - box->from[axis];
            box->from[axis] = handed->made;
        }
    }
}

// Of a group: the inputs that slide, by a rule that says so.
static bool keep_of(struct tiler *tiler, struct plan_group *group,
                    const struct tiler_slide *(*slide_of)(const struct tiler *tiler,
                                                          uint32_t group_input, uint32_t value))
{
    bool *slides = arena_allocate(tiler->arena, ((size_t)group->input_count + 1) * sizeof *slides);
    bool any = false;
    for (uint32_t i = 0; i < group->input_count; i++) {
        const struct tiler_slide *slide = slide_of(tiler, i, group->inputs[i]);
        slides[i] = slide != NULL && slide->rows > 0;
        any |= slides[i];
        if (slides[i] && !slide_holds(group, i, slide->rows))
            return false;
    }
    group->slides = any ? slides : NULL;
    return true;
}

static const struct tiler_slide *slide_of_input(const struct tiler *tiler, uint32_t input,
                                                uint32_t value)
{
    (void)value;
    return &tiler->slides[input];
}

static const struct tiler_slide *slide_of_handed(const struct tiler *tiler, uint32_t input,
                                                 uint32_t value)
{
    (void)input;
    for (uint32_t m = 0; m + 1 < tiler->member_count; m++) {
        if (tiler->members[m].outputs[0] == value)
            return &tiler->handed[m].slide;
    }
    return NULL;
}

bool tiler_slide_keep(struct tiler *tiler)
{
    if (!keep_of(tiler, tiler->group, slide_of_input))
        return false;
    for (uint32_t m = 1; m < tiler->member_count; m++) {
        if (!keep_of(tiler, &tiler->members[m], slide_of_handed))
            return false;
    }
    return true;
}
