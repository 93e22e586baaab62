#include "engines.h"

#include <ctype.h>

const struct torq_engine TORQ_DMA_IN = {"dma in", ROLE_TRANSFER_IN};
const struct torq_engine TORQ_DMA_OUT = {"dma out", ROLE_TRANSFER_OUT};
const struct torq_engine TORQ_CDMA = {"cdma", ROLE_TRANSFER};
const struct torq_engine TORQ_SLICE = {"slice", ROLE_COMPUTE};
const struct torq_engine TORQ_CSS = {"css", ROLE_CONTROL};
// A controller's program, whatever it uses.
const struct torq_engine TORQ_NPU = {"npu", ROLE_DEVICE};
const struct torq_engine TORQ_HAL = {"hal", ROLE_HOST_CALL};
const struct torq_engine TORQ_HOST = {"host", ROLE_HOST};
const struct torq_engine TORQ_HOST_COPY = {"host copy", ROLE_HOST_COPY};

static const struct {
    const char *name;
    const struct torq_engine *engine;
} SPELLINGS[] = {
    {"dma in", &TORQ_DMA_IN},
    {"ndma in", &TORQ_DMA_IN},
    {"dma out", &TORQ_DMA_OUT},
    {"ndma out", &TORQ_DMA_OUT},
    {"cdma", &TORQ_CDMA},
    {"slice", &TORQ_SLICE},
    {"css", &TORQ_CSS},
    {"nss", &TORQ_NPU},
    {"nss program", &TORQ_NPU},
    {"nss programs", &TORQ_NPU},
    {"hal", &TORQ_HAL},
    {"host", &TORQ_HOST},
    {"host program", &TORQ_HOST},
    {"host programs", &TORQ_HOST},
    {"host start", &TORQ_HOST},
    {"host wait", &TORQ_HOST},
    {"host copy", &TORQ_HOST_COPY},
};
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

static struct view engines_take_number(struct view text, uint32_t *out_number)
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

const struct torq_engine *torq_engine_of_name(struct view name, uint32_t *out_index)
{
    char text[64];
    *out_index = 0;
    if (name.size >= sizeof text)
        return NULL;
    const size_t size = simplify(name, text, sizeof text);
    struct view words = {text, size};
    if (view_ends_with(words, " used"))
        words.size -= 5;
    words = engines_take_number(words, out_index);
    if (view_starts_with(words, "hal "))
        return &TORQ_HAL;
    for (size_t i = 0; i < sizeof SPELLINGS / sizeof SPELLINGS[0]; i++) {
        if (view_is(words, SPELLINGS[i].name))
            return SPELLINGS[i].engine;
    }
    return NULL;
}

const struct torq_engine *torq_engine_of_word(struct view word)
{
    static const struct torq_engine *const ALL[] = {
        &TORQ_DMA_IN, &TORQ_DMA_OUT, &TORQ_CDMA, &TORQ_SLICE,     &TORQ_CSS,
        &TORQ_NPU,    &TORQ_HAL,     &TORQ_HOST, &TORQ_HOST_COPY,
    };
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        if (view_is(word, ALL[i]->name))
            return ALL[i];
    }
    return NULL;
}

const struct torq_engine *torq_engine_of_track(const struct profile *profile,
                                               const struct track *track)
{
    return track->engine != 0 ? torq_engine_of_word(profile_text(profile, track->engine)) : NULL;
}

void torq_engine_set(struct profile *profile, struct track *track, const struct torq_engine *engine,
                     uint32_t index)
{
    profile_track_set_engine(profile, track, engine != NULL ? engine->role : ROLE_NONE,
                             engine != NULL ? engine->name : "");
    track->index = index;
}
