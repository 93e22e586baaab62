// A profile as a picture of its timeline: tracks, spans coloured by kind, how busy each kind
// is, a time axis. As SVG, as PNG (both from the same drawing), or as text for a terminal.
//
// The same profile and options give the same bytes.

#ifndef OPSCOPE_REPORTS_PICTURE_PICTURE_H
#define OPSCOPE_REPORTS_PICTURE_PICTURE_H

#include "plot.h"

enum picture_form { PICTURE_SVG, PICTURE_PNG, PICTURE_TEXT };

enum {
    PICTURE_WIDTH = 1200, // points
    PICTURE_WIDTH_LEAST = 320,
    PICTURE_WIDTH_MOST = 8000,
    PICTURE_LETTERS = 100, // of text
    PICTURE_LETTERS_LEAST = 40,
    PICTURE_LETTERS_MOST = 1000,
};

struct picture_options {
    enum picture_form form;
    uint32_t width;           // points, or letters of text; between the bounds above
    const char *source;       // where the profile is from, for the title
    const char *title;        // NULL: of the network, or the source
    bool coloured;            // text: with a terminal's colours
    struct plot_options plot; // its columns and width are set here
};

// Appends the file or text. The plot is for reports about what was drawn.
status picture_draw(struct profile *profile, const struct picture_options *options,
                    struct bytes *file, struct plot **out_plot);

#endif
