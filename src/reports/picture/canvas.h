// What pictures are drawn on: rectangles and lines of text, in points from the upper left
// corner. A letter of size 1 is CANVAS_LETTER points wide and of size s that times s,
// whatever the canvas.

#ifndef OPSCOPE_REPORTS_PICTURE_CANVAS_H
#define OPSCOPE_REPORTS_PICTURE_CANVAS_H

#include "base/bytes.h"
#include "base/status.h"

#define CANVAS_LETTER 6.0
#define CANVAS_LETTER_HEIGHT 7.0

enum canvas_weight { CANVAS_REGULAR, CANVAS_BOLD };

// How letters look.
struct canvas_ink {
    double size;
    uint32_t colour;
    enum canvas_weight weight;
};

struct canvas {
    // `title` explains a rectangle where a reader points at it; may be empty.
    void (*rectangle)(struct canvas *canvas, double x, double y, double width, double height,
                      uint32_t colour, struct view title);
    // (x, y) is where the letters begin and the line that they stand on.
    void (*text)(struct canvas *canvas, double x, double y, const struct canvas_ink *ink,
                 struct view text);
    // A thin line that leaves upright and arrives upright, with a head at its end.
    void (*arrow)(struct canvas *canvas, double from_x, double from_y, double to_x, double to_y,
                  uint32_t colour);
    // Appends the file and frees the canvas, also where it fails.
    status (*finish)(struct canvas *canvas, struct bytes *file);
};

// `label` is what the whole picture is called.
struct canvas *canvas_svg(double width, double height, struct view label);

// Two pixels a point. Fails when it would be too large for a PNG.
status canvas_png(double width, double height, struct canvas **out_canvas);

#endif
