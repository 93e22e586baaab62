#include "engine.h"

#include <ctype.h>

static const char *const ENGINE_NAMES[ENGINE_KINDS] = {
    [ENGINE_NONE] = "none",       [ENGINE_DMA_IN] = "dma in",
    [ENGINE_DMA_OUT] = "dma out", [ENGINE_CDMA] = "cdma",
    [ENGINE_SLICE] = "slice",     [ENGINE_CSS] = "css",
    [ENGINE_NPU] = "npu",         [ENGINE_HAL] = "hal",
    [ENGINE_HOST] = "host",       [ENGINE_HOST_COPY] = "host copy",
};

const char *engine_name(enum engine engine)
{
    return ENGINE_NAMES[engine < ENGINE_KINDS ? engine : ENGINE_NONE];
}

// Lower case letters and digits, single blanks between words, no numbering in
// front: "0_DMA_IN" and "DMA In Used" become "dma in" and "dma in used".
static size_t simplify(struct view name, char *text, size_t room)
{
    size_t size = 0;
    size_t at = 0;
    while (at < name.size && isdigit((unsigned char)name.data[at]))
        at++;
    if (at == name.size || (name.data[at] != '_' && name.data[at] != ' '))
        at = 0;
    for (; at < name.size && size + 1 < room; at++) {
        const unsigned char byte = (unsigned char)name.data[at];
        if (isalnum(byte))
            text[size++] = (char)tolower(byte);
        else if (size > 0 && text[size - 1] != ' ')
            text[size++] = ' ';
    }
    while (size > 0 && text[size - 1] == ' ')
        size--;
    text[size] = '\0';
    return size;
}

static struct view take_number(struct view text, uint32_t *out_number)
{
    size_t digits = 0;
    while (digits < text.size && isdigit((unsigned char)text.data[text.size - 1 - digits]))
        digits++;
    uint64_t number = 0;
    if (digits == 0 || !view_to_u64(view_slice(text, text.size - digits, text.size), &number) ||
        number > UINT32_MAX)
        return text;
    *out_number = (uint32_t)number;
    return view_trim(view_slice(text, 0, text.size - digits));
}

enum engine engine_from_name(struct view name, uint32_t *out_index)
{
    static const struct {
        const char *name;
        enum engine engine;
    } SPELLINGS[] = {
        {"dma in", ENGINE_DMA_IN},
        {"ndma in", ENGINE_DMA_IN},
        {"dma out", ENGINE_DMA_OUT},
        {"ndma out", ENGINE_DMA_OUT},
        {"cdma", ENGINE_CDMA},
        {"slice", ENGINE_SLICE},
        {"css", ENGINE_CSS},
        {"nss", ENGINE_NPU},
        {"nss program", ENGINE_NPU},
        {"nss programs", ENGINE_NPU},
        {"hal", ENGINE_HAL},
        {"host", ENGINE_HOST},
        {"host program", ENGINE_HOST},
        {"host programs", ENGINE_HOST},
        {"host start", ENGINE_HOST},
        {"host wait", ENGINE_HOST},
        {"host copy", ENGINE_HOST_COPY},
    };
    char text[64];
    *out_index = 0;
    if (name.size >= sizeof text)
        return ENGINE_NONE;
    const size_t size = simplify(name, text, sizeof text);
    struct view words = {text, size};
    if (view_ends_with(words, " used"))
        words.size -= 5;
    words = take_number(words, out_index);
    if (view_starts_with(words, "hal "))
        return ENGINE_HAL;
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof SPELLINGS[0]; i++) {
        if (view_is(words, SPELLINGS[i].name))
            return SPELLINGS[i].engine;
    }
    return ENGINE_NONE;
}
