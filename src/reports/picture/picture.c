#include "picture.h"

#include "drawers.h"

enum { WIDE_POINTS = 3, WIDE_LETTERS = 5 };

status picture_draw(struct profile *profile, const struct picture_options *options,
                    struct bytes *file, struct plot **out_plot)
{
    const bool text = options->form == PICTURE_TEXT;
    const struct picture_layout layout = text ? picture_layout_text(profile, options->width)
                                              : picture_layout_drawn(profile, options->width);
    struct plot_options plot_options = options->plot;
    plot_options.columns = layout.columns;
    plot_options.wide = text ? WIDE_LETTERS : WIDE_POINTS;
    STATUS_TRY(plot_create(profile, &plot_options, out_plot));
    if (!text)
        return picture_draw_canvas(*out_plot, options, &layout, file);
    picture_draw_text(*out_plot, options, &layout, file);
    return STATUS_OK;
}
