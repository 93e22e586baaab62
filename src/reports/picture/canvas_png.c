#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "canvas.h"
#include "wire/raster.h"

enum { PIXELS = 2 }; // in a point

struct png {
    struct canvas canvas;
    struct raster raster;
};

static struct raster *raster_of(struct canvas *canvas)
{
    return &((struct png *)(void *)canvas)->raster;
}

static uint32_t canvas_png_pixel(double point)
{
    const double at = round(point * PIXELS);
    return at > 0 ? (uint32_t)at : 0;
}

// What has a size is never thinner than a pixel.
static uint32_t extent(double from, double size)
{
    const uint32_t pixels = canvas_png_pixel(from + size) - canvas_png_pixel(from);
    return pixels > 0 || size <= 0 ? pixels : 1;
}

static void canvas_png_rectangle(struct canvas *canvas, double x, double y, double width,
                                 double height, uint32_t colour, struct view title)
{
    (void)title;
    raster_fill(raster_of(canvas), canvas_png_pixel(x), canvas_png_pixel(y), extent(x, width),
                extent(y, height), colour);
}

static void canvas_png_text_at(struct canvas *canvas, double x, double y,
                               const struct canvas_ink *ink, struct view text)
{
    raster_text(raster_of(canvas), canvas_png_pixel(x), canvas_png_pixel(y),
                canvas_png_pixel(CANVAS_LETTER * ink->size),
                ink->weight == CANVAS_BOLD ? FONT_BOLD : FONT_REGULAR, text, ink->colour);
}

static void canvas_png_arrow(struct canvas *canvas, double from_x, double from_y, double to_x,
                             double to_y, uint32_t colour)
{
    const struct raster_arrow arrow = {from_x * PIXELS, from_y * PIXELS, to_x * PIXELS,
                                       to_y * PIXELS};
    raster_arrow(raster_of(canvas), &arrow, PIXELS, colour);
}

static status canvas_png_write(struct canvas *canvas, struct bytes *file)
{
    struct png *png = (struct png *)(void *)canvas;
    const status result = raster_append_png(&png->raster, file);
    raster_close(&png->raster);
    free(png);
    return result;
}

status canvas_png(double width, double height, struct canvas **out_canvas)
{
    if (width * PIXELS > PNG_SIDE_MOST || height * PIXELS > PNG_SIDE_MOST)
        return status_make(STATUS_LIMIT,
                           "a picture of %.0f x %.0f points is too large for a PNG: write .svg, or "
                           "choose --tracks or --width",
                           width, height);
    struct raster raster;
    STATUS_TRY(raster_open(canvas_png_pixel(width), canvas_png_pixel(height), &raster));
    struct png *png = memory_allocate_zeroed(1, sizeof *png);
    png->canvas = (struct canvas){canvas_png_rectangle, canvas_png_text_at, canvas_png_arrow,
                                  canvas_png_write};
    png->raster = raster;
    *out_canvas = &png->canvas;
    return STATUS_OK;
}
