// The ways to draw a plot (picture.h chooses).

#ifndef OPSCOPE_REPORTS_PICTURE_DRAWERS_H
#define OPSCOPE_REPORTS_PICTURE_DRAWERS_H

#include "picture.h"

// How wide the names of lanes are, in letters, and what is left for columns.
struct picture_layout {
    size_t label;
    uint32_t columns;
};

struct picture_layout picture_layout_drawn(const struct profile *profile, uint32_t width);
struct picture_layout picture_layout_text(const struct profile *profile, uint32_t width);

status picture_draw_canvas(const struct plot *plot, const struct picture_options *options,
                           const struct picture_layout *layout, struct bytes *file);
void picture_draw_text(const struct plot *plot, const struct picture_options *options,
                       const struct picture_layout *layout, struct bytes *text);

#endif
