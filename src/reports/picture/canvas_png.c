#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "canvas.h"
#include "wire/drawing.h"

enum { PIXELS = 2 }; // in a point

struct png {
    struct canvas canvas;
    struct png_picture picture;
};

// A colour beyond those that fit is the one that was there first.
static unsigned colour_index(struct png_picture *picture, uint32_t colour)
{
    for (unsigned i = 0; i < picture->colour_count; i++) {
        if (picture->colours[i] == colour)
            return i;
    }
    if (picture->colour_count == PNG_COLOURS_MOST)
        return 0;
    picture->colours[picture->colour_count] = colour;
    return (unsigned)picture->colour_count++;
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
    struct png_picture *picture = &((struct png *)(void *)canvas)->picture;
    (void)title;
    drawing_fill(picture, canvas_png_pixel(x), canvas_png_pixel(y), extent(x, width),
                 extent(y, height), colour_index(picture, colour));
}

static void canvas_png_text_at(struct canvas *canvas, double x, double y, double size,
                               uint32_t colour, struct view text)
{
    struct png_picture *picture = &((struct png *)(void *)canvas)->picture;
    const uint32_t scale = size > 1.5 ? 2 * PIXELS : PIXELS;
    drawing_smooth_text(picture, canvas_png_pixel(x),
                        canvas_png_pixel(y - CANVAS_LETTER_HEIGHT * scale / PIXELS), scale, text,
                        colour_index(picture, colour));
}

static void canvas_png_write(struct canvas *canvas, struct bytes *file)
{
    struct png *png = (struct png *)(void *)canvas;
    png_append(file, &png->picture);
    free(png->picture.pixels);
    free(png);
}

status canvas_png(double width, double height, struct canvas **out_canvas)
{
    if (width * PIXELS > PNG_SIDE_MOST || height * PIXELS > PNG_SIDE_MOST)
        return status_make(STATUS_LIMIT,
                           "a picture of %.0f x %.0f points is too large for a PNG: write .svg, or "
                           "choose --tracks or --width",
                           width, height);
    struct png *png = memory_allocate_zeroed(1, sizeof *png);
    png->canvas = (struct canvas){canvas_png_rectangle, canvas_png_text_at, canvas_png_write};
    png->picture.width = canvas_png_pixel(width);
    png->picture.height = canvas_png_pixel(height);
    png->picture.pixels = memory_allocate_zeroed(png->picture.width, png->picture.height);
    *out_canvas = &png->canvas;
    return STATUS_OK;
}
