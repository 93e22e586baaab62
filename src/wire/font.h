// Letters of a fixed width as pixels: of a font of this machine where there is one (and the build
// knows FreeType, which is loaded when it is first needed), else letters of 5 by 7 dots. Each
// letter has a cell of its own, the same for all; what is wider is made smaller.

#ifndef OPSCOPE_WIRE_FONT_H
#define OPSCOPE_WIRE_FONT_H

#include <stdbool.h>
#include <stdint.h>

enum font_weight { FONT_REGULAR, FONT_BOLD, FONT_WEIGHTS };

// (left, top) is where its pixels begin, right of the left edge of the cell and above the line
// that letters stand on.
struct font_glyph {
    int left, top;
    uint32_t width, height;
    const unsigned char *coverage; // row by row, 0 to 255
};

struct font;

// Never NULL. Not for several threads.
struct font *font_open(void);
void font_close(struct font *font);

// How `character` (of Unicode) looks in a cell of `cell` pixels, 1 to FONT_CELL_MOST; a letter that
// no font has is a box. It is the font's, and stays until the next one is asked for.
enum { FONT_CELL_MOST = 64 };
const struct font_glyph *font_glyph(struct font *font, uint32_t character, uint32_t cell,
                                    enum font_weight weight);

// Whether some letters are not what they should be for want of memory.
bool font_lacks_memory(const struct font *font);

#endif
