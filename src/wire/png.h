// Writes pictures as PNG: one byte per pixel, an index into up to 256 colours.

#ifndef OPSCOPE_WIRE_PNG_H
#define OPSCOPE_WIRE_PNG_H

#include "base/bytes.h"

enum { PNG_COLOURS_MOST = 256, PNG_SIDE_MOST = 1 << 15 };

struct png_picture {
    uint32_t width; // 1 to PNG_SIDE_MOST
    uint32_t height;
    unsigned char *pixels;              // row by row
    uint32_t colours[PNG_COLOURS_MOST]; // 0xRRGGBB
    size_t colour_count;
};

// Appends the file. Pixels beyond the colours are written as they are.
void png_append(struct bytes *file, const struct png_picture *picture);

#endif
