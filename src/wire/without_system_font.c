// For builds without FreeType (static ones, for boards): letters are dots.

#include <stddef.h>

#include "font_source.h"

struct system_font *system_font_open(void)
{
    return NULL;
}

void system_font_close(struct system_font *font)
{
    (void)font;
}

bool system_font_lacks_memory(const struct system_font *font)
{
    (void)font;
    return false;
}

bool system_font_letter(struct system_font *font, uint32_t character, uint32_t cell,
                        enum font_weight weight, struct font_pixels *out_pixels)
{
    (void)font, (void)character, (void)cell, (void)weight, (void)out_pixels;
    return false;
}
