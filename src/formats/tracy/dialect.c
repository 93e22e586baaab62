#include "dialect.h"

#include <string.h>

enum { CHANGES_MOST = 24 };

// Bytes of each item of 66 with its type, of what lies in front of a body of texts.
static const uint8_t SIZES[TRACY_ITEM_TYPES] = {
    1,  1,  9,  12, 9,  12, 9,  9,  9,  1,  1,  1,  13, 13, 10, 17, // 0
    17, 9,  17, 17, 13, 17, 17, 17, 5,  27, 27, 21, 21, 27, 27, 21, // 16
    21, 25, 25, 17, 17, 17, 25, 25, 17, 17, 17, 25, 21, 25, 20, 13, // 32
    13, 3,  10, 13, 1,  1,  1,  21, 13, 1,  1,  5,  27, 19, 1,  17, // 48
    5,  4,  9,  17, 17, 17, 13, 32, 22, 13, 17, 17, 20, 17, 20, 29, // 64
    17, 13, 25, 17, 17, 17, 17, 17, 17, 17, 16, 18, 1,  5,  1,  13, // 80
    1,  1,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  // 96
};

// Items of 66 that changes name.
enum {
    MESSAGE = 2,
    SAMPLE_OF_SWITCH = 13,
    FRAME_IMAGE = 14,
    ZONE_BEGIN = 15,
    ZONE_BEGIN_STACK = 16,
    ZONE_END = 17,
    AFTER_ZONE_END = 18,
    MEMORY_FREED = 27, // as what was discarded is read
    FIRST_OF_DEVICE = 33,
    SWITCH = 46,
    WAKE_UP = 47,
    AFTER_CONTEXT_NAME = 50,
    FIBER = 55,
    TERMINATE = 57,
    TIME_SYNC = 61,
    LITERAL = 75,
    POWER = 82,
    TOPOLOGY = 95,
    SINGLE_STRING = 96,
    SECOND_STRING = 97,
    AFTER_STRINGS = 98,
    FIRST_TEXT = 99,
};

// What a protocol has before an item of 66: another one, read as `as`.
struct addition {
    uint8_t before, size, as, form;
};

struct change {
    uint8_t type, size; // 0: it does not have it
    uint8_t form;
};

// Upstream's releases. Lists end with zeroes.
static const struct release {
    uint32_t protocol;
    bool delay;
    struct addition added[CHANGES_MOST];
    struct change changed[CHANGES_MOST];
} RELEASES[] = {
    {66, true, {{0}}, {{0}}}, // 0.11.0, and a fork of 0.10
    {74,                      // 0.12
     true,
     {{FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {FIRST_TEXT, 9, TRACY_ITEM_OTHER}},
     {{SWITCH, 23}, {WAKE_UP, 16}, {FIBER, 25}, {TOPOLOGY, 17}}},
    {76, // 0.13
     false,
     {{FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {AFTER_CONTEXT_NAME, 10, TRACY_ITEM_OTHER},
      {FIRST_TEXT, 9, TRACY_ITEM_OTHER},
      {FIRST_TEXT, 24, TRACY_ITEM_OTHER}},
     {{SWITCH, 23}, {WAKE_UP, 16}, {FIBER, 25}, {TOPOLOGY, 17}}},
    {82, // 0.14
     false,
     {{SAMPLE_OF_SWITCH, 9, TRACY_ITEM_OTHER},
      {SAMPLE_OF_SWITCH, 7, TRACY_ITEM_OTHER},
      {FRAME_IMAGE, 9, TRACY_ITEM_OTHER},
      {FRAME_IMAGE, 7, TRACY_ITEM_OTHER},
      {ZONE_BEGIN_STACK, 13, ZONE_BEGIN, TRACY_FORM_TIME_32},
      {ZONE_BEGIN_STACK, 11, ZONE_BEGIN, TRACY_FORM_TIME_16},
      {ZONE_END, 13, ZONE_BEGIN_STACK, TRACY_FORM_TIME_32},
      {ZONE_END, 11, ZONE_BEGIN_STACK, TRACY_FORM_TIME_16},
      {AFTER_ZONE_END, 5, ZONE_END, TRACY_FORM_TIME_32},
      {AFTER_ZONE_END, 3, ZONE_END, TRACY_FORM_TIME_16},
      {FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {FIRST_OF_DEVICE, 21, MEMORY_FREED},
      {AFTER_CONTEXT_NAME, 10, TRACY_ITEM_OTHER},
      {TERMINATE, 15, TRACY_ITEM_OTHER},
      {TERMINATE, 13, TRACY_ITEM_OTHER},
      {TERMINATE, 3, TRACY_ITEM_OTHER},
      {AFTER_STRINGS, 1, SINGLE_STRING, TRACY_FORM_TEXT_8},
      {AFTER_STRINGS, 1, SECOND_STRING, TRACY_FORM_TEXT_8},
      {FIRST_TEXT, 9, TRACY_ITEM_OTHER},
      {FIRST_TEXT, 24, TRACY_ITEM_OTHER}},
     {{MESSAGE, 10},
      {MESSAGE + 1, 13},
      {MESSAGE + 2, 10},
      {MESSAGE + 3, 13},
      {ZONE_BEGIN, 17, TRACY_FORM_TIME_64},
      {ZONE_BEGIN_STACK, 17, TRACY_FORM_TIME_64},
      {ZONE_END, 9, TRACY_FORM_TIME_64},
      {SWITCH, 23},
      {WAKE_UP, 16},
      {FIBER, 25},
      {LITERAL, 17, TRACY_FORM_TAGGED},
      {LITERAL + 1, 20, TRACY_FORM_TAGGED},
      {LITERAL + 2, 17, TRACY_FORM_TAGGED},
      {LITERAL + 3, 20, TRACY_FORM_TAGGED},
      {TOPOLOGY, 17},
      {SINGLE_STRING, 1, TRACY_FORM_TEXT_16},
      {SECOND_STRING, 1, TRACY_FORM_TEXT_16}}},
    {69, true, {{FIRST_TEXT, 9, TRACY_ITEM_OTHER}}, {{FIBER, 25}, {TOPOLOGY, 17}}}, // 0.11.1
    {64, true, {{0}}, {{TIME_SYNC, 0}}},                                            // 0.10
    {63, true, {{0}}, {{TIME_SYNC, 0}, {POWER, 0}}},                                // 0.9
};

bool tracy_item_has_context(unsigned type)
{
    enum { LAST_OF_DEVICE = 42, TIME = 48, CONTEXT_NAME = 49, CALIBRATION = 60, CONTEXT = 79 };
    return (type >= FIRST_OF_DEVICE && type <= LAST_OF_DEVICE) || type == TIME ||
           type == CONTEXT_NAME || type == CALIBRATION || type == TIME_SYNC || type == CONTEXT;
}

static void add_item(struct tracy_dialect *dialect, unsigned type, unsigned size, unsigned form)
{
    dialect->types[dialect->type_count] = (uint8_t)type;
    dialect->forms[dialect->type_count] = (uint8_t)form;
    dialect->sizes[dialect->type_count++] = (uint8_t)size;
}

// What an item of 66 is in a release.
static struct change change_of(const struct release *release, unsigned type)
{
    for (unsigned i = 0; i < CHANGES_MOST && release->changed[i].type != 0; i++) {
        if (release->changed[i].type == type)
            return release->changed[i];
    }
    const bool shorter = release->protocol != TRACY_PROTOCOL && tracy_item_has_context(type);
    return (struct change){(uint8_t)type, (uint8_t)(SIZES[type] - (shorter ? 1u : 0u)),
                           TRACY_FORM_SAME};
}

bool tracy_dialect_find(uint32_t protocol, struct tracy_dialect *out_dialect)
{
    const struct release *release = NULL;
    for (size_t i = 0; i < sizeof RELEASES / sizeof RELEASES[0]; i++)
        release = RELEASES[i].protocol == protocol ? &RELEASES[i] : release;
    memset(out_dialect, 0, sizeof *out_dialect);
    if (release == NULL)
        return false;
    out_dialect->protocol = protocol;
    out_dialect->delay = release->delay;
    for (unsigned type = 0; type < TRACY_ITEM_TYPES; type++) {
        for (unsigned i = 0; i < CHANGES_MOST && release->added[i].before != 0; i++) {
            const struct addition *added = &release->added[i];
            if (added->before == type)
                add_item(out_dialect, added->as, added->size, added->form);
        }
        const struct change change = change_of(release, type);
        if (change.size > 0)
            add_item(out_dialect, type, change.size, change.form);
    }
    return true;
}

uint32_t tracy_dialect_offer(unsigned index)
{
    return index < sizeof RELEASES / sizeof RELEASES[0] ? RELEASES[index].protocol : 0;
}

size_t tracy_dialect_welcome(const struct tracy_dialect *dialect)
{
    return TRACY_WELCOME - (dialect->delay ? 0 : sizeof(uint64_t));
}
