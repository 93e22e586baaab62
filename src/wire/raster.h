// A picture of 24 bits a pixel: rectangles, letters and arrows, written as PNG. What lies outside
// is cut.

#ifndef OPSCOPE_WIRE_RASTER_H
#define OPSCOPE_WIRE_RASTER_H

#include "base/status.h"
#include "base/view.h"
#include "font.h"
#include "png.h"

struct raster {
    uint32_t width; // 1 to PNG_SIDE_MOST
    uint32_t height;
    unsigned char *rows; // each a byte 0, then red, green and blue of its pixels
    struct font *font;   // opened with the first text
};

// White. Fails when it is too large for a PNG, or for this machine.
status raster_open(uint32_t width, uint32_t height, struct raster *out_raster);
void raster_close(struct raster *raster);

// Colours are 0xRRGGBB.
void raster_fill(struct raster *raster, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 uint32_t colour);

// A letter every `cell` pixels; (x, y) is where they begin and the line that they stand on. Text
// is UTF-8; a byte that is none is a box.
void raster_text(struct raster *raster, uint32_t x, uint32_t y, uint32_t cell,
                 enum font_weight weight, struct view text, uint32_t colour);

// Where an arrow goes, in pixels.
struct raster_arrow {
    double from_x, from_y;
    double to_x, to_y;
};

// A line `thick` pixels wide that leaves upright and arrives upright, with a head at its end;
// what is below it shows through. Nothing where both ends are at the same height.
void raster_arrow(struct raster *raster, const struct raster_arrow *arrow, double thick,
                  uint32_t colour);

// Appends the file: with a palette where 256 colours are enough. Fails for want of memory.
status raster_append_png(const struct raster *raster, struct bytes *file);

#endif
