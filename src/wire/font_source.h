// Where the letters of a font come from (font.h): the system's fonts, or dots.

#ifndef OPSCOPE_WIRE_FONT_SOURCE_H
#define OPSCOPE_WIRE_FONT_SOURCE_H

#include "font.h"

// A letter in a cell of `cell` pixels; its coverage is the caller's to free, NULL where it is
// blank.
struct font_pixels {
    struct font_glyph glyph;
    unsigned char *coverage;
};

// Letters of dots. Always there.
struct font_pixels font_dots(uint32_t character, uint32_t cell);

struct system_font;

// NULL when this machine has no fonts or no library for them, or the build knows of none.
struct system_font *system_font_open(void);
void system_font_close(struct system_font *font);

// Whether something was left out for want of memory.
bool system_font_lacks_memory(const struct system_font *font);

// False when no font has the letter.
bool system_font_letter(struct system_font *font, uint32_t character, uint32_t cell,
                        enum font_weight weight, struct font_pixels *out_pixels);

#endif
