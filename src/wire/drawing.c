#include "drawing.h"

#include <stdbool.h>

void drawing_fill(struct png_picture *picture, uint32_t x, uint32_t y, uint32_t width,
                  uint32_t height, unsigned colour)
{
    for (uint32_t row = y; row < y + height && row < picture->height; row++) {
        for (uint32_t column = x; column < x + width && column < picture->width; column++)
            picture->pixels[(size_t)row * picture->width + column] = (unsigned char)colour;
    }
}

static bool drawing_dot(const unsigned char *columns, int x, int y)
{
    if (x < 0 || x >= GLYPHS_WIDTH || y < 0 || y >= GLYPHS_HEIGHT)
        return false;
    return (columns[x] >> y & 1) != 0;
}

static void draw_letter(struct png_picture *picture, uint32_t x, uint32_t y, uint32_t scale,
                        char letter, unsigned colour)
{
    const unsigned char *columns = glyphs_columns(letter);
    for (int i = 0; i < GLYPHS_WIDTH; i++) {
        for (int k = 0; k < GLYPHS_HEIGHT; k++) {
            if (drawing_dot(columns, i, k))
                drawing_fill(picture, x + (uint32_t)i * scale, y + (uint32_t)k * scale, scale,
                             scale, colour);
        }
    }
}

void drawing_text(struct png_picture *picture, uint32_t x, uint32_t y, uint32_t scale,
                  struct view text, unsigned colour)
{
    for (size_t at = 0; at < text.size && x < picture->width;) {
        const size_t size = view_character_size(text, at);
        draw_letter(picture, x, y, scale, size == 1 ? text.data[at] : '\0', colour);
        x += drawing_letter_width(scale);
        at += size > 0 ? size : 1;
    }
}
