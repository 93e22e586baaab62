#include "unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "wire/csv.h"

static const struct {
    const char *lane;
    enum engine engine;
    int32_t rank;
} UNITS[] = {
    [UNIT_DMA_IN] = {"DMA IN", ENGINE_DMA_IN, LANES_DMA_IN},
    [UNIT_DMA_OUT] = {"DMA OUT", ENGINE_DMA_OUT, LANES_DMA_OUT},
    [UNIT_CDMA] = {"CDMA", ENGINE_CDMA, LANES_CDMA},
    [UNIT_CSS] = {"CSS", ENGINE_CSS, LANES_CSS},
    [UNIT_HOST] = {"HOST", ENGINE_HOST, LANES_HOST},
};

static const struct {
    enum unit_kind kind;
    const char *op_type; // C1, C2
    const char *event;   // C3, C4
} WORDS[] = {
    {UNIT_DMA_IN, "DMA_IN", "DMA In"},
    {UNIT_DMA_OUT, "DMA_OUT", "DMA Out"},
    {UNIT_CDMA, "CDMA_LRAM_TO_DTCM", "CDMA LRAM to DTCM"},
    {UNIT_CDMA, "CDMA_LRAM_TO_ITCM", "CDMA LRAM to ITCM"},
    {UNIT_CDMA, "CDMA_DTCM_TO_LRAM", "CDMA DTCM to LRAM"},
    {UNIT_CSS, "CSS", "CSS"},
    {UNIT_HOST, "HOST", "HOST"},
};

enum { WORD_COUNT = sizeof WORDS / sizeof WORDS[0] };

static const struct unit OTHER = {UNIT_OTHER, 0};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// `numbers` is what follows the S: "<i>" or "<i>_<slice>".
static struct unit slice_of_id(struct view numbers, uint32_t num_slices)
{
    uint64_t index;
    uint64_t slice;
    const size_t at = csv_digits_take(numbers.data, numbers.size, &index);
    if (at == 0 || at > CSV_DIGITS_SAFE)
        return OTHER;
    if (at == numbers.size)
        return (struct unit){UNIT_SLICE, (uint32_t)(index % num_slices)};
    if (numbers.data[at] != '_' ||
        !view_to_u64(view_slice(numbers, at + 1, numbers.size), &slice) || slice > UINT32_MAX)
        return OTHER;
    return (struct unit){UNIT_SLICE, (uint32_t)slice};
}

struct unit unit_of_id(struct view id, uint32_t num_slices)
{
    if (id.size < 2)
        return OTHER;
    if (id.data[0] == 'S')
        return slice_of_id(view_slice(id, 1, id.size), num_slices);
    if (id.size > 2 && id.data[0] == 'D' && is_digit(id.data[2])) {
        if (id.data[1] == 'I')
            return (struct unit){UNIT_DMA_IN, 0};
        if (id.data[1] == 'O')
            return (struct unit){UNIT_DMA_OUT, 0};
    }
    if (view_starts_with(id, "CDMA_"))
        return (struct unit){UNIT_CDMA, 0};
    if (view_starts_with(id, "CSS") && id.size > 3 && is_digit(id.data[3]))
        return (struct unit){UNIT_CSS, 0};
    return id.data[0] == 'H' && is_digit(id.data[1]) ? (struct unit){UNIT_HOST, 0} : OTHER;
}

static bool same_letter(char a, char b)
{
    if (a == '_')
        a = ' ';
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Whether `text` starts with `words`, in any case, with underscores for blanks.
static bool starts_with_words(struct view text, const char *words)
{
    const size_t size = strlen(words);
    if (text.size < size)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!same_letter(text.data[i], words[i]))
            return false;
    }
    return true;
}

struct unit unit_of_event(struct view event)
{
    uint64_t slice = 0;
    if (starts_with_words(event, "dma in") && event.size == 6)
        return (struct unit){UNIT_DMA_IN, 0};
    if (starts_with_words(event, "dma out") && event.size == 7)
        return (struct unit){UNIT_DMA_OUT, 0};
    if (starts_with_words(event, "cdma") && (event.size == 4 || same_letter(event.data[4], ' ')))
        return (struct unit){UNIT_CDMA, 0};
    if (starts_with_words(event, "css") && event.size == 3)
        return (struct unit){UNIT_CSS, 0};
    if (starts_with_words(event, "host") && event.size == 4)
        return (struct unit){UNIT_HOST, 0};
    if (starts_with_words(event, "slice ") &&
        view_to_u64(view_slice(event, 6, event.size), &slice) && slice <= UINT32_MAX)
        return (struct unit){UNIT_SLICE, (uint32_t)slice};
    return OTHER;
}

struct unit unit_of_engine(enum engine engine, uint32_t index)
{
    if (engine == ENGINE_SLICE)
        return (struct unit){UNIT_SLICE, index};
    for (unsigned kind = 0; kind < sizeof UNITS / sizeof UNITS[0]; kind++) {
        if (UNITS[kind].engine == engine && kind != UNIT_HOST)
            return (struct unit){(enum unit_kind)kind, index};
    }
    return OTHER;
}

uint32_t unit_lane(struct unit unit, struct lanes *lanes)
{
    if (unit.kind != UNIT_SLICE)
        return lanes_named(lanes, view_of(UNITS[unit.kind].lane), UNITS[unit.kind].engine, 0,
                           UNITS[unit.kind].rank);
    const uint32_t most = LANES_CDMA - LANES_SLICE - 1;
    char name[32];
    snprintf(name, sizeof name, "SLICE %" PRIu32, unit.slice);
    return lanes_named(lanes, view_of(name), ENGINE_SLICE, unit.slice,
                       LANES_SLICE + (int32_t)(unit.slice < most ? unit.slice : most));
}

bool unit_moves_bytes(enum unit_kind kind)
{
    return kind == UNIT_DMA_IN || kind == UNIT_DMA_OUT || kind == UNIT_CDMA;
}

bool unit_type_is_cut(enum unit_kind kind, struct view type)
{
    bool cut = false;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        const struct view whole = view_of(WORDS[i].op_type);
        if (WORDS[i].kind != kind || type.size > whole.size ||
            memcmp(type.data, whole.data, type.size) != 0)
            continue;
        if (type.size == whole.size)
            return false;
        cut = true;
    }
    return cut;
}

const char *unit_op_type(struct unit unit, struct view name)
{
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (WORDS[i].kind == unit.kind && view_is(name, WORDS[i].event))
            return WORDS[i].op_type;
    }
    // C3 and C4 do not say what a slice computes, and "unknown" is the
    // compiler's own word for it.
    if (name.size == 0 || (unit.kind == UNIT_SLICE && unit_of_event(name).kind == UNIT_SLICE))
        return "unknown";
    return "";
}

const char *unit_event(struct unit unit, struct view name)
{
    // Of the units that have words, only CDMA has several.
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (WORDS[i].kind == unit.kind &&
            (unit.kind != UNIT_CDMA || view_is(name, WORDS[i].op_type)))
            return WORDS[i].event;
    }
    return "";
}
