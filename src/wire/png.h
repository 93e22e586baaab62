// Writes pictures as PNG: one byte a pixel, an index into up to 256 colours, or red, green and
// blue.

#ifndef OPSCOPE_WIRE_PNG_H
#define OPSCOPE_WIRE_PNG_H

#include "base/bytes.h"
#include "base/status.h"

enum { PNG_COLOURS_MOST = 256, PNG_SIDE_MOST = 1 << 15 };

struct png_picture {
    uint32_t width; // 1 to PNG_SIDE_MOST
    uint32_t height;
    unsigned char *pixels;              // row by row
    uint32_t colours[PNG_COLOURS_MOST]; // 0xRRGGBB
    size_t colour_count;
};

// Appends the file. Pixels beyond the colours are written as they are. Fails for want of memory.
status png_append(struct bytes *file, const struct png_picture *picture);

// Appends a file of 24 bits a pixel. Each row is a byte 0, then red, green and blue of its pixels.
// Fails alike.
status png_append_rows(struct bytes *file, uint32_t width, uint32_t height,
                       const unsigned char *rows);

#endif
