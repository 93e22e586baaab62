#include "font.h"

#include <stdlib.h>

#include "base/memory.h"
#include "font_source.h"

enum { KEPT_CHARACTERS = 128, KEPT_CELLS = 4 };

// ASCII in one size and weight, as it is asked for.
struct kept {
    uint32_t cell; // 0: free
    enum font_weight weight;
    bool known[KEPT_CHARACTERS];
    struct font_pixels letters[KEPT_CHARACTERS];
};

struct font {
    struct system_font *system; // NULL: dots
    struct kept kept[KEPT_CELLS];
    struct font_pixels last; // of those that are not kept
};

struct font *font_open(void)
{
    struct font *font = memory_allocate_zeroed(1, sizeof *font);
    font->system = system_font_open();
    return font;
}

void font_close(struct font *font)
{
    for (unsigned i = 0; i < KEPT_CELLS; i++) {
        for (unsigned k = 0; k < KEPT_CHARACTERS; k++)
            free(font->kept[i].letters[k].coverage);
    }
    free(font->last.coverage);
    if (font->system != NULL)
        system_font_close(font->system);
    free(font);
}

bool font_lacks_memory(const struct font *font)
{
    return font->system != NULL && system_font_lacks_memory(font->system);
}

static struct font_pixels font_letter(struct font *font, uint32_t character, uint32_t cell,
                                      enum font_weight weight)
{
    struct font_pixels pixels = {0};
    if (font->system == NULL || !system_font_letter(font->system, character, cell, weight, &pixels))
        pixels = font_dots(character, cell);
    pixels.glyph.coverage = pixels.coverage;
    return pixels;
}

static struct kept *find_kept(struct font *font, uint32_t cell, enum font_weight weight)
{
    for (unsigned i = 0; i < KEPT_CELLS; i++) {
        struct kept *kept = &font->kept[i];
        if (kept->cell == 0) {
            kept->cell = cell;
            kept->weight = weight;
        }
        if (kept->cell == cell && kept->weight == weight)
            return kept;
    }
    return NULL;
}

const struct font_glyph *font_glyph(struct font *font, uint32_t character, uint32_t cell,
                                    enum font_weight weight)
{
    struct kept *kept = character < KEPT_CHARACTERS ? find_kept(font, cell, weight) : NULL;
    if (kept == NULL) {
        free(font->last.coverage);
        font->last = font_letter(font, character, cell, weight);
        return &font->last.glyph;
    }
    if (!kept->known[character])
        kept->letters[character] = font_letter(font, character, cell, weight);
    kept->known[character] = true;
    return &kept->letters[character].glyph;
}
