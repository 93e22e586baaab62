// Letters of 5 by 7 dots and one below the line, with rounded corners.

#include "base/memory.h"
#include "font_source.h"
#include "glyphs.h"

enum { ABOVE_LINE = GLYPHS_HEIGHT - 1 };

static bool is_dot(const unsigned char *columns, int x, int y)
{
    if (x < 0 || x >= GLYPHS_WIDTH || y < 0 || y >= GLYPHS_HEIGHT)
        return false;
    return (columns[x] >> y & 1) != 0;
}

// A quarter of a dot takes the colour of its two neighbours on that side where they agree with
// each other and differ from those across.
static bool is_quarter(const unsigned char *columns, int x, int y, bool right, bool below)
{
    const bool beside = is_dot(columns, x + (right ? 1 : -1), y);
    const bool across = is_dot(columns, x + (right ? -1 : 1), y);
    const bool near = is_dot(columns, x, y + (below ? 1 : -1));
    const bool far = is_dot(columns, x, y + (below ? -1 : 1));
    return beside == near && beside != far && near != across ? near : is_dot(columns, x, y);
}

struct font_pixels font_dots(uint32_t character, uint32_t cell)
{
    const unsigned char *columns = glyphs_columns(character < 128 ? (char)character : '\0');
    const uint32_t scale = cell / (GLYPHS_WIDTH + 1) > 0 ? cell / (GLYPHS_WIDTH + 1) : 1;
    struct font_pixels pixels = {.glyph = {.top = (int)(ABOVE_LINE * scale),
                                           .width = GLYPHS_WIDTH * scale,
                                           .height = GLYPHS_HEIGHT * scale}};
    const uint32_t width = pixels.glyph.width;
    pixels.coverage = memory_allocate_zeroed(width, pixels.glyph.height);
    for (uint32_t i = 0; i < width * pixels.glyph.height; i++) {
        const uint32_t x = i % width, y = i / width;
        if (is_quarter(columns, (int)(x / scale), (int)(y / scale), 2 * (x % scale) >= scale,
                       2 * (y % scale) >= scale))
            pixels.coverage[i] = 255;
    }
    return pixels;
}
