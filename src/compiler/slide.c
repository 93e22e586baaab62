#include "slide.h"

static int64_t end_along(const struct plan_box *box, uint32_t axis)
{
    return box->from[axis] + box->size[axis];
}

uint32_t slide_axis(const struct plan_group *group, uint32_t input)
{
    const uint32_t rank = group->tiles[0].inputs[input].rank;
    uint32_t axis = rank;
    for (uint32_t t = 1; t < group->tile_count; t++) {
        const struct plan_box *box = &group->tiles[t].inputs[input];
        const struct plan_box *before = &group->tiles[t - 1].inputs[input];
        for (uint32_t i = 0; i < rank; i++) {
            if (box->from[i] == before->from[i] && box->size[i] == before->size[i])
                continue;
            if ((axis != rank && axis != i) || box->from[i] < before->from[i] ||
                end_along(box, i) < end_along(before, i))
                return rank;
            axis = i;
        }
    }
    return axis;
}

bool slide_between(const struct plan_box *first, const struct plan_box *next, uint32_t *out_axis,
                   struct slide *out)
{
    uint32_t axis = first->rank;
    for (uint32_t i = 0; i < first->rank; i++) {
        if (first->from[i] == next->from[i] && first->size[i] == next->size[i])
            continue;
        if (axis != first->rank)
            return false;
        axis = i;
    }
    if (axis == first->rank)
        return false;
    const int64_t overlap = end_along(first, axis) - next->from[axis];
    out->moved = end_along(next, axis) - end_along(first, axis);
    out->rows = first->size[axis] > out->moved ? first->size[axis] : out->moved;
    *out_axis = axis;
    return overlap > 0 && overlap <= out->moved && first->from[axis] <= next->from[axis];
}

bool slide_holds(const struct plan_group *group, uint32_t input, int64_t most)
{
    const uint32_t axis = slide_axis(group, input);
    if (axis == group->tiles[0].inputs[input].rank)
        return false;
    for (uint32_t t = 0; t < group->tile_count; t++) {
        const struct plan_box piece = slide_piece(group, input, axis, t);
        const struct plan_box *box = &group->tiles[t].inputs[input];
        if (piece.size[axis] <= 0 || piece.size[axis] > most ||
            (t > 0 && box->from[axis] >= piece.from[axis]) ||
            (t > 1 && box->from[axis] < end_along(&group->tiles[t - 2].inputs[input], axis)))
            return false;
    }
    return true;
}

struct plan_box slide_piece(const struct plan_group *group, uint32_t input, uint32_t axis,
                            uint32_t tile)
{
    struct plan_box piece = group->tiles[tile].inputs[input];
    if (tile == 0)
        return piece;
    const int64_t end = end_along(&piece, axis);
    piece.from[axis] = end_along(&group->tiles[tile - 1].inputs[input], axis);
    piece.size[axis] = end - piece.from[axis];
    return piece;
}

bool slide_part(const struct plan_group *group, uint32_t input, uint32_t axis, uint32_t tile,
                uint32_t piece, struct plan_box *out_part)
{
    const struct plan_box *box = &group->tiles[tile].inputs[input];
    *out_part = slide_piece(group, input, axis, piece);
    if (!plan_boxes_meet(box, out_part))
        return false;
    for (uint32_t i = 0; i < box->rank; i++) {
        const int64_t from = box->from[i] > out_part->from[i] ? box->from[i] : out_part->from[i];
        const int64_t box_end = end_along(box, i), end = end_along(out_part, i);
        out_part->size[i] = (box_end < end ? box_end : end) - from;
        out_part->from[i] = from;
    }
    return true;
}
