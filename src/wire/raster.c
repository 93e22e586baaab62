#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BYTES = 3, HEAD = 8, OPAQUE = 255, LINE_OPACITY = 150 };

static size_t row_size(const struct raster *raster)
{
    return 1 + (size_t)raster->width * BYTES;
}

static unsigned char *pixel_at(const struct raster *raster, uint32_t x, uint32_t y)
{
    return raster->rows + y * row_size(raster) + 1 + (size_t)x * BYTES;
}

status raster_open(uint32_t width, uint32_t height, struct raster *out_raster)
{
    struct raster raster = {.width = width, .height = height};
    if (width == 0 || height == 0 || width > PNG_SIDE_MOST || height > PNG_SIDE_MOST)
        return status_make(STATUS_LIMIT, "a PNG of %u x %u pixels is too large", (unsigned)width,
                           (unsigned)height);
    raster.rows = memory_take(row_size(&raster) * height);
    if (raster.rows == NULL)
        return status_make(STATUS_LIMIT, "no memory for a PNG of %u x %u pixels", (unsigned)width,
                           (unsigned)height);
    memset(raster.rows, OPAQUE, row_size(&raster) * height);
    for (uint32_t y = 0; y < height; y++)
        raster.rows[y * row_size(&raster)] = 0;
    *out_raster = raster;
    return STATUS_OK;
}

void raster_close(struct raster *raster)
{
    if (raster->font != NULL)
        font_close(raster->font);
    free(raster->rows);
    *raster = (struct raster){0};
}

// Pixels ---------------------------------------------------------------------------

static void set_pixel(unsigned char *pixel, uint32_t colour)
{
    pixel[0] = (unsigned char)(colour >> 16);
    pixel[1] = (unsigned char)(colour >> 8);
    pixel[2] = (unsigned char)colour;
}

static void blend(struct raster *raster, int64_t x, int64_t y, unsigned part, uint32_t colour)
{
    if (x < 0 || y < 0 || x >= raster->width || y >= raster->height || part == 0)
        return;
    unsigned char *pixel = pixel_at(raster, (uint32_t)x, (uint32_t)y);
    for (unsigned i = 0; i < BYTES; i++) {
        const unsigned own = colour >> (16 - 8 * i) & 0xff;
        pixel[i] = (unsigned char)((own * part + pixel[i] * (OPAQUE - part) + OPAQUE / 2) / OPAQUE);
    }
}

void raster_fill(struct raster *raster, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 uint32_t colour)
{
    for (uint32_t row = y; row < y + height && row < raster->height; row++) {
        for (uint32_t column = x; column < x + width && column < raster->width; column++)
            set_pixel(pixel_at(raster, column, row), colour);
    }
}

// Letters --------------------------------------------------------------------------

// Edges of letters in few shades, so that a picture has few colours and a small file.
static unsigned shade_of(unsigned coverage)
{
    enum { STEP = OPAQUE / 7 + 1 };
    const unsigned shade = (coverage + STEP / 2) / STEP * STEP;
    return shade < OPAQUE ? shade : OPAQUE;
}

static void draw_glyph(struct raster *raster, const struct font_glyph *glyph, uint32_t x,
                       uint32_t y, uint32_t colour)
{
    for (uint32_t row = 0; row < glyph->height; row++) {
        for (uint32_t column = 0; column < glyph->width; column++)
            blend(raster, (int64_t)x + glyph->left + column, (int64_t)y - glyph->top + row,
                  shade_of(glyph->coverage[row * glyph->width + column]), colour);
    }
}

// The character of `size` bytes at `at`, which is well formed; 0: a box.
static uint32_t character_at(struct view text, size_t at, size_t size)
{
    static const unsigned char FIRST[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    if (size == 0 || size > 4)
        return 0;
    uint32_t character = (unsigned char)text.data[at] & FIRST[size];
    for (size_t i = 1; i < size; i++)
        character = character << 6 | ((unsigned char)text.data[at + i] & 0x3f);
    return character;
}

void raster_text(struct raster *raster, uint32_t x, uint32_t y, uint32_t cell,
                 enum font_weight weight, struct view text, uint32_t colour)
{
    if (raster->font == NULL)
        raster->font = font_open();
    for (size_t at = 0; at < text.size && x < raster->width; x += cell) {
        const size_t size = view_character_size(text, at);
        draw_glyph(raster, font_glyph(raster->font, character_at(text, at, size), cell, weight), x,
                   y, colour);
        at += size > 0 ? size : 1;
    }
}

// Arrows ---------------------------------------------------------------------------

// From `left` to `right` in one row, its ends as far as they cover their pixels.
static void blend_run(struct raster *raster, double left, double right, int64_t y, unsigned opacity,
                      uint32_t colour)
{
    const int64_t last = right < raster->width ? (int64_t)floor(right) : raster->width;
    for (int64_t x = left > 0 ? (int64_t)left : 0; x <= last; x++) {
        const double from = left > (double)x ? left : (double)x;
        const double to = right < (double)(x + 1) ? right : (double)(x + 1);
        if (to > from)
            blend(raster, x, y, (unsigned)((to - from) * opacity + 0.5), colour);
    }
}

// Where the line is at `part` of its height, 0 to 1. The height of a curve whose inner points lie
// half way is 3t(1-t)/2 + t^3 ...: found by halving.
static double arrow_x(const struct raster_arrow *arrow, double part)
{
    double low = 0, high = 1;
    for (unsigned i = 0; i < 24; i++) {
        const double t = (low + high) / 2;
        const double height = 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t;
        if (height < part)
            low = t;
        else
            high = t;
    }
    const double t = (low + high) / 2;
    return arrow->from_x + (arrow->to_x - arrow->from_x) * t * t * (3 - 2 * t);
}

void raster_arrow(struct raster *raster, const struct raster_arrow *arrow, double thick,
                  uint32_t colour)
{
    const double height = arrow->to_y - arrow->from_y;
    const double top = height > 0 ? arrow->from_y : arrow->to_y;
    const double length = fabs(height);
    if (!(length >= 1) || !isfinite(length + arrow->from_x + arrow->to_x))
        return;
    const int64_t first = top > 0 ? (int64_t)top : 0;
    for (int64_t y = first; (double)y < top + length && y < raster->height; y++) {
        const double below = ((double)y - top) / length;
        const double above = fmin(((double)(y + 1) - top) / length, 1);
        const double one = arrow_x(arrow, height > 0 ? fmax(below, 0) : 1 - fmax(below, 0));
        const double other = arrow_x(arrow, height > 0 ? above : 1 - above);
        const double to_head = height > 0 ? top + length - (double)y : (double)(y + 1) - top;
        blend_run(raster, fmin(one, other) - thick / 2, fmax(one, other) + thick / 2, y,
                  LINE_OPACITY, colour);
        if (to_head <= HEAD)
            blend_run(raster, arrow->to_x - to_head / 2, arrow->to_x + to_head / 2, y, OPAQUE,
                      colour);
    }
}

// Writing --------------------------------------------------------------------------

// The colours of a picture, as long as there are few enough for a palette.
struct palette {
    struct png_picture *picture;
    uint16_t slots[1 << 12]; // 1 + the index of a colour, by its hash; 0: free
};

static uint32_t colour_of(const unsigned char *pixel)
{
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

// Its index; PNG_COLOURS_MOST when there is no more room.
static unsigned index_of(struct palette *palette, uint32_t colour)
{
    enum { SLOTS = sizeof palette->slots / sizeof *palette->slots };
    struct png_picture *picture = palette->picture;
    uint32_t at = (colour * 2654435761u) >> 20;
    for (; palette->slots[at] != 0; at = (at + 1) % SLOTS) {
        if (picture->colours[palette->slots[at] - 1] == colour)
            return palette->slots[at] - 1u;
    }
    if (picture->colour_count == PNG_COLOURS_MOST)
        return PNG_COLOURS_MOST;
    picture->colours[picture->colour_count++] = colour;
    palette->slots[at] = (uint16_t)picture->colour_count;
    return palette->slots[at] - 1u;
}

static bool fill_palette(const struct raster *raster, struct palette *palette)
{
    for (uint32_t y = 0; y < raster->height; y++) {
        uint32_t last = UINT32_MAX;
        unsigned index = 0;
        for (uint32_t x = 0; x < raster->width; x++) {
            const uint32_t colour = colour_of(pixel_at(raster, x, y));
            index = colour == last ? index : index_of(palette, colour);
            last = colour;
            if (index == PNG_COLOURS_MOST)
                return false;
            palette->picture->pixels[(size_t)y * raster->width + x] = (unsigned char)index;
        }
    }
    return true;
}

status raster_append_png(const struct raster *raster, struct bytes *file)
{
    if (raster->font != NULL && font_lacks_memory(raster->font))
        return status_make(STATUS_LIMIT, "no memory for the letters of a PNG");
    struct png_picture picture = {.width = raster->width, .height = raster->height};
    struct palette palette = {.picture = &picture};
    picture.pixels = memory_allocate((size_t)raster->width * raster->height);
    const status result = fill_palette(raster, &palette)
                              ? png_append(file, &picture)
                              : png_append_rows(file, raster->width, raster->height, raster->rows);
    free(picture.pixels);
    return result;
}
