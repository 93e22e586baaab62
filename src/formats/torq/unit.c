#include "unit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "wire/csv.h"

const struct unit_kind UNIT_DMA_IN = {1,    "DMA IN", &TORQ_DMA_IN, LANES_DMA_IN, true,
                                      "DI", 2,        COUNTER_DMA};
const struct unit_kind UNIT_DMA_OUT = {2,    "DMA OUT", &TORQ_DMA_OUT, LANES_DMA_OUT, true,
                                       "DO", 2,         COUNTER_DMA};
const struct unit_kind UNIT_CDMA = {3,    "CDMA",  &TORQ_CDMA, LANES_CDMA,
                                    true, "CDMA_", 5,          COUNTER_DMA};
const struct unit_kind UNIT_CSS = {4, "CSS", &TORQ_CSS, LANES_CSS, false, "CSS", 3, COUNTER_CSS};
const struct unit_kind UNIT_HOST = {5, "HOST", &TORQ_HOST, LANES_HOST, false, NULL, 0, 0};
const struct unit_kind UNIT_SLICE = {6,     "SLICE", &TORQ_SLICE, LANES_SLICE,
                                     false, "S",     1,           COUNTER_SLICE};

static const struct unit_kind *const BY_NUMBER[UNIT_NUMBERS] = {
    NULL, &UNIT_DMA_IN, &UNIT_DMA_OUT, &UNIT_CDMA, &UNIT_CSS, &UNIT_HOST, &UNIT_SLICE};

const uint8_t UNIT_COUNTER_OF[UNIT_NUMBERS] = {0,           COUNTER_DMA, COUNTER_DMA,  COUNTER_DMA,
                                               COUNTER_CSS, 0,           COUNTER_SLICE};

static const struct {
    const struct unit_kind *kind;
    const char *op_type; // C1, C2
    const char *event;   // C3, C4
} WORDS[] = {
    {&UNIT_DMA_IN, "DMA_IN", "DMA In"},
    {&UNIT_DMA_OUT, "DMA_OUT", "DMA Out"},
    {&UNIT_CDMA, "CDMA_LRAM_TO_DTCM", "CDMA LRAM to DTCM"},
    {&UNIT_CDMA, "CDMA_LRAM_TO_ITCM", "CDMA LRAM to ITCM"},
    {&UNIT_CDMA, "CDMA_DTCM_TO_LRAM", "CDMA DTCM to LRAM"},
    {&UNIT_CSS, "CSS", "CSS"},
    {&UNIT_HOST, "HOST", "HOST"},
};

enum { WORD_COUNT = sizeof WORDS / sizeof WORDS[0] };

static const struct unit OTHER = {NULL, 0};

static bool unit_is_digit(char byte)
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
        return (struct unit){&UNIT_SLICE, (uint32_t)(index % num_slices)};
    if (numbers.data[at] != '_' ||
        !view_to_u64(view_slice(numbers, at + 1, numbers.size), &slice) || slice > UINT32_MAX)
        return OTHER;
    return (struct unit){&UNIT_SLICE, (uint32_t)slice};
}

struct unit unit_of_id(struct view id, uint32_t num_slices)
{
    if (id.size < 2)
        return OTHER;
    if (id.data[0] == 'S')
        return slice_of_id(view_slice(id, 1, id.size), num_slices);
    if (id.size > 2 && id.data[0] == 'D' && unit_is_digit(id.data[2])) {
        if (id.data[1] == 'I')
            return (struct unit){&UNIT_DMA_IN, 0};
        if (id.data[1] == 'O')
            return (struct unit){&UNIT_DMA_OUT, 0};
    }
    if (view_starts_with(id, "CDMA_"))
        return (struct unit){&UNIT_CDMA, 0};
    if (view_starts_with(id, "CSS") && id.size > 3 && unit_is_digit(id.data[3]))
        return (struct unit){&UNIT_CSS, 0};
    return id.data[0] == 'H' && unit_is_digit(id.data[1]) ? (struct unit){&UNIT_HOST, 0} : OTHER;
}

bool unit_index_of_id(struct unit unit, struct view id, uint64_t *out_index)
{
    if (unit.kind == NULL || unit.kind->id == NULL)
        return false;
    // Most IDs are the unit's letters and the number.
    size_t at = unit.kind->id_size;
    size_t digits = at < id.size ? csv_digits_take(id.data + at, id.size - at, out_index) : 0;
    // A slice is the only one with something after it.
    if (unit.kind != &UNIT_SLICE && (digits == 0 || at + digits < id.size)) {
        for (at = id.size; at > 0 && unit_is_digit(id.data[at - 1]);)
            at--;
        digits = csv_digits_take(id.data + at, id.size - at, out_index);
    }
    // S<i> also says which slice it is: where one of them rests, numbers are left out.
    if (unit.kind == &UNIT_SLICE && at + digits == id.size)
        return false;
    return digits > 0 && digits <= CSV_DIGITS_SAFE;
}

static uint64_t unit_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static bool plain_slice(struct view id, uint32_t num_slices, struct unit_id *out_id)
{
    const uint64_t word = unit_word(id.data + 1);
    const uint64_t others = csv_not_digits(word);
    const size_t digits = others != 0 ? (size_t)__builtin_ctzll(others) / 8 : 0;
    if (digits == 0)
        return false;
    const uint64_t index = csv_eight_digits(word << (64 - 8 * digits));
    const bool named =
        id.size == digits + 3 && id.data[digits + 1] == '_' && unit_is_digit(id.data[digits + 2]);
    if (!named && id.size != digits + 1)
        return false;
    *out_id = (struct unit_id){.index = index,
                               .slice = named ? (uint32_t)(id.data[digits + 2] - '0')
                                              : (uint32_t)(index % num_slices),
                               .unit = (uint8_t)UNIT_SLICE.number,
                               .has_index = named};
    return true;
}

// Of the others that have digits at their end.
static const struct unit_kind *plain_kind(struct view id)
{
    if (id.data[0] == 'D' && unit_is_digit(id.data[2]))
        return id.data[1] == 'I' ? &UNIT_DMA_IN : id.data[1] == 'O' ? &UNIT_DMA_OUT : NULL;
    if (memcmp(id.data, "CDMA_", 5) == 0)
        return &UNIT_CDMA;
    return memcmp(id.data, "CSS", 3) == 0 && unit_is_digit(id.data[3]) ? &UNIT_CSS : NULL;
}

bool unit_of_plain_id(struct view id, uint32_t num_slices, struct unit_id *out_id)
{
    enum { LEAST = 3, MOST = 16 };
    if (id.size < LEAST || id.size > MOST)
        return false;
    if (id.data[0] == 'S')
        return plain_slice(id, num_slices, out_id);
    const uint64_t word =
        id.size < 8 ? unit_word(id.data) << (64 - 8 * id.size) : unit_word(id.data + id.size - 8);
    const uint64_t others = csv_not_digits(word);
    const unsigned before = others != 0 ? 64 - (unsigned)__builtin_clzll(others) / 8 * 8 : 64;
    const struct unit_kind *kind = plain_kind(id);
    if (before == 64 || kind == NULL)
        return false;
    *out_id = (struct unit_id){.index = csv_eight_digits(word >> before << before),
                               .unit = (uint8_t)kind->number,
                               .has_index = true};
    return true;
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
        return (struct unit){&UNIT_DMA_IN, 0};
    if (starts_with_words(event, "dma out") && event.size == 7)
        return (struct unit){&UNIT_DMA_OUT, 0};
    if (starts_with_words(event, "cdma") && (event.size == 4 || same_letter(event.data[4], ' ')))
        return (struct unit){&UNIT_CDMA, 0};
    if (starts_with_words(event, "css") && event.size == 3)
        return (struct unit){&UNIT_CSS, 0};
    if (starts_with_words(event, "host") && event.size == 4)
        return (struct unit){&UNIT_HOST, 0};
    if (starts_with_words(event, "slice ") &&
        view_to_u64(view_slice(event, 6, event.size), &slice) && slice <= UINT32_MAX)
        return (struct unit){&UNIT_SLICE, (uint32_t)slice};
    return OTHER;
}

struct unit unit_of_track(const struct profile *profile, const struct track *track)
{
    const struct torq_engine *engine = torq_engine_of_track(profile, track);
    for (unsigned i = 1; i < UNIT_NUMBERS && engine != NULL; i++) {
        if (BY_NUMBER[i]->engine == engine && BY_NUMBER[i] != &UNIT_HOST)
            return (struct unit){BY_NUMBER[i], track->index};
    }
    return OTHER;
}

struct unit unit_of_number(unsigned number, uint32_t slice)
{
    return (struct unit){BY_NUMBER[number], slice};
}

uint32_t unit_lane(struct unit unit, struct lanes *lanes)
{
    const struct unit_kind *kind = unit.kind;
    if (kind != &UNIT_SLICE)
        return lanes_named(lanes, view_of(kind->lane), kind->engine, 0, kind->rank);
    const uint32_t most = LANES_CDMA - LANES_SLICE - 1;
    char name[32];
    snprintf(name, sizeof name, "%s %" PRIu32, kind->lane, unit.slice);
    return lanes_named(lanes, view_of(name), kind->engine, unit.slice,
                       kind->rank + (int32_t)(unit.slice < most ? unit.slice : most));
}

bool unit_type_is_cut(struct unit unit, struct view type)
{
    bool cut = false;
    for (size_t i = 0; i < WORD_COUNT; i++) {
        const struct view whole = view_of(WORDS[i].op_type);
        if (WORDS[i].kind != unit.kind || type.size > whole.size ||
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
    if (name.size == 0 || (unit.kind == &UNIT_SLICE && unit_of_event(name).kind == &UNIT_SLICE))
        return "unknown";
    return "";
}

const char *unit_event(struct unit unit, struct view name)
{
    // Of the units that have words, only CDMA has several.
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (WORDS[i].kind == unit.kind &&
            (unit.kind != &UNIT_CDMA || view_is(name, WORDS[i].op_type)))
            return WORDS[i].event;
    }
    return "";
}
