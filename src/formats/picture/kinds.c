#include "kinds.h"

#include <ctype.h>

#include "base/digest.h"
#include "base/memory.h"

static const struct {
    const char *name;
    uint32_t colour;
    unsigned terminal;
} KINDS[PICTURE_KINDS] = {
    [PICTURE_DMA_IN] = {"dma in", 0x7accf2, 75},
    [PICTURE_DMA_OUT] = {"dma out", 0x344fa8, 25},
    [PICTURE_CDMA] = {"cdma", 0x44aa86, 37},
    [PICTURE_COMPUTE] = {"compute", 0xe59e34, 214},
    [PICTURE_CONTROL] = {"css", 0xb23e7c, 132},
    [PICTURE_HOST] = {"host", 0x3d7f48, 65},
    [PICTURE_HOST_COPY] = {"host copy", 0xc4eea6, 151},
    [PICTURE_WAIT] = {"wait", 0xc9ccd1, 250},
    [PICTURE_OTHER] = {"other", 0x9a86b8, 139},
};

enum { KNOWN = 0x80, WAITS = 0x40, SHADE = 0x3f };

const char *picture_kind_name(enum picture_kind kind)
{
    return KINDS[kind].name;
}

uint32_t picture_kind_colour(enum picture_kind kind, unsigned shade)
{
    static const struct {
        unsigned target; // each of red, green and blue goes there ...
        unsigned part;   // ... by so many parts of 20
    } SHADES[PICTURE_SHADES] = {{0, 0}, {255, 4}, {0, 2}};
    uint32_t mixed = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        const unsigned part = SHADES[shade % PICTURE_SHADES].part;
        const unsigned own = KINDS[kind].colour >> shift & 0xff;
        mixed |= ((own * (20 - part) + SHADES[shade % PICTURE_SHADES].target * part) / 20) << shift;
    }
    return mixed;
}

unsigned picture_kind_terminal_colour(enum picture_kind kind)
{
    return KINDS[kind].terminal;
}

uint32_t picture_ink(uint32_t colour)
{
    const uint32_t light =
        (colour >> 16) * 299 + (colour >> 8 & 0xff) * 587 + (colour & 0xff) * 114;
    return light > 140000 ? 0x1f2933 : 0xffffff;
}

enum picture_kind picture_engine_kind(enum engine engine)
{
    static const enum picture_kind BY_ENGINE[ENGINE_KINDS] = {
        [ENGINE_NONE] = PICTURE_OTHER,      [ENGINE_DMA_IN] = PICTURE_DMA_IN,
        [ENGINE_DMA_OUT] = PICTURE_DMA_OUT, [ENGINE_CDMA] = PICTURE_CDMA,
        [ENGINE_SLICE] = PICTURE_COMPUTE,   [ENGINE_CSS] = PICTURE_CONTROL,
        [ENGINE_NPU] = PICTURE_COMPUTE,     [ENGINE_HAL] = PICTURE_HOST,
        [ENGINE_HOST] = PICTURE_HOST,       [ENGINE_HOST_COPY] = PICTURE_HOST_COPY,
    };
    return BY_ENGINE[engine];
}

bool picture_has_word(struct view name, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; at + size <= name.size; at++) {
        size_t same = 0;
        while (same < size &&
               tolower((unsigned char)name.data[at + same]) == tolower((unsigned char)word[same]))
            same++;
        if (same == size)
            return true;
    }
    return false;
}

static unsigned char look_at(struct view name)
{
    const bool waits = picture_has_word(name, "wait") || picture_has_word(name, "idle") ||
                       picture_has_word(name, "stall");
    struct digest digest = digest_start();
    digest_add(&digest, name.data, name.size);
    return (unsigned char)(KNOWN | (waits ? WAITS : 0) | digest_finish(&digest) % PICTURE_SHADES);
}

enum picture_kind picture_names_kind(struct picture_names *names, uint32_t name,
                                     enum picture_kind lane, unsigned *out_shade)
{
    names->known = memory_extend(names->known, &names->count, name, 1);
    if (names->known[name] == 0)
        names->known[name] = look_at(profile_text(names->profile, name));
    *out_shade = names->known[name] & SHADE;
    return (names->known[name] & WAITS) != 0 ? PICTURE_WAIT : lane;
}
