// Reads pictures of 8 bits a colour from PNG, JPEG, BMP (not compressed) and PNM (binary)
// files, told apart by their content.
//
// Memory is bounded by what the file could hold: a PNG of one bit a pixel, all the
// same, is 26,000 times smaller than its picture, a JPEG at most 12,000 times.

#ifndef OPSCOPE_KERNELS_CORE_PICTURE_H
#define OPSCOPE_KERNELS_CORE_PICTURE_H

#include <stdint.h>

#include "base/status.h"
#include "base/view.h"

enum { PICTURE_SIDE_MOST = 1 << 20 };

// Red, green and blue, row by row from the top. Deeper colours are cut to their
// high byte, transparency is dropped.
struct picture {
    uint32_t width;
    uint32_t height;
    unsigned char *pixels; // from malloc
};

// Fails for damaged files and with STATUS_UNSUPPORTED for TIFF, WebP and others.
status picture_read(struct view file, struct picture *out_picture);

// Of the files that begin so.
status picture_read_png(struct view file, struct picture *out_picture);
status picture_read_jpeg(struct view file, struct picture *out_picture);

// Room for the pixels. Fails for sides of 0 or beyond PICTURE_SIDE_MOST.
status picture_start(uint64_t width, uint64_t height, struct picture *out_picture);

#endif
