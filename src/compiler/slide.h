// Inputs whose tiles overlap along one dimension: each tile brings the rows that those before
// have not brought (its piece), and reads the last ones of the piece before as well.

#ifndef OPSCOPE_COMPILER_SLIDE_H
#define OPSCOPE_COMPILER_SLIDE_H

#include "plan.h"

// What tiles take when a part moves from one place to the next.
struct slide {
    int64_t rows;  // that the first brings, or the next one, whichever are more
    int64_t moved; // that the next one brings
};

// The axis along which the tiles of a group move on through an input, none of them going
// back; its rank where they do not go along one.
uint32_t slide_axis(const struct plan_group *group, uint32_t input);

// Whether a tile that reads `next` after one that reads `first` has rows in common with it, and
// with none before it. `out_axis`: the dimension that they move along.
bool slide_between(const struct plan_box *first, const struct plan_box *next, uint32_t *out_axis,
                   struct slide *out);

// Whether all tiles do so, none of them bringing more than `most` rows.
bool slide_holds(const struct plan_group *group, uint32_t input, int64_t most);

// What a tile brings along the axis (slide_axis), and which part of a piece it reads; false: none.
struct plan_box slide_piece(const struct plan_group *group, uint32_t input, uint32_t axis,
                            uint32_t tile);
bool slide_part(const struct plan_group *group, uint32_t input, uint32_t axis, uint32_t tile,
                uint32_t piece, struct plan_box *out_part);

#endif
