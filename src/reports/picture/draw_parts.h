// What the parts of a drawing share (draw.c): measures in points, colours, and where it is drawn.

#ifndef OPSCOPE_REPORTS_PICTURE_DRAW_PARTS_H
#define OPSCOPE_REPORTS_PICTURE_DRAW_PARTS_H

#include "canvas.h"
#include "plot.h"

enum { DRAW_MARGIN = 16, DRAW_LANE_GAP = 6, DRAW_ROW = 13, DRAW_BAR = 12 };

enum draw_colours {
    DRAW_PAPER = 0xffffff,
    DRAW_STRIPE = 0xf6f8fa,
    DRAW_GRID = 0xe4e8ec,
    DRAW_RULE = 0xc9d1d9,
    DRAW_INK = 0x1f2933,
    DRAW_SOFT_INK = 0x5b6673,
    DRAW_WARNING = 0xb3261e,
    DRAW_TROUGH = 0xebeef2,
};

struct drawing {
    const struct plot *plot;
    struct canvas *canvas;
    double width;
    double left; // of the plot
    double y;
    double *tops;       // where the rows of each lane begin
    struct bytes text;  // for one text
    struct bytes title; // for one title
};

void draw_rectangle(struct drawing *drawing, double x, double y, double width, double height,
                    uint32_t colour);

// Shortens what is longer than `width` points.
void draw_write_text(struct drawing *drawing, double x, double y, double width,
                     const struct canvas_ink *ink, struct view text);
void draw_write(struct drawing *drawing, double x, double y, double width, uint32_t colour,
                struct view text);

// How high all lanes are.
double draw_lanes_height(const struct plot *plot);

// Every second one has a darker ground, from `y` on.
void draw_stripes(struct drawing *drawing, double y);

// From `y` on, which is then at their end.
void draw_lanes(struct drawing *drawing);

// From span to span, over the lanes.
void draw_arrows(struct drawing *drawing);

#endif
