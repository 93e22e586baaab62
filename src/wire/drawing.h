// Rectangles and letters in a picture of indexed colours. What lies outside is cut.

#ifndef OPSCOPE_WIRE_DRAWING_H
#define OPSCOPE_WIRE_DRAWING_H

#include "base/view.h"
#include "glyphs.h"
#include "png.h"

// How far one letter is from the next, for letters whose dots are `scale` points wide.
static inline uint32_t drawing_letter_width(uint32_t scale)
{
    return (GLYPHS_WIDTH + 1) * scale;
}

void drawing_fill(struct png_picture *picture, uint32_t x, uint32_t y, uint32_t width,
                  uint32_t height, unsigned colour);

// Letters with square dots, one for each character; (x, y) is the upper left corner.
void drawing_text(struct png_picture *picture, uint32_t x, uint32_t y, uint32_t scale,
                  struct view text, unsigned colour);

#endif
