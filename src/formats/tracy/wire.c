#include "wire.h"

#include <lz4.h>

// Bytes of an item with its type, of what lies in front of a body of texts.
static const uint8_t SIZES[TRACY_ITEM_TYPES] = {
    1,  1,  9,  12, 9,  12, 9,  9,  9,  1,  1,  1,  13, 13, 10, 17, // 0
    17, 9,  17, 17, 13, 17, 17, 17, 5,  27, 27, 21, 21, 27, 27, 21, // 16
    21, 25, 25, 17, 17, 17, 25, 25, 17, 17, 17, 25, 21, 25, 20, 13, // 32
    13, 3,  10, 13, 1,  1,  1,  21, 13, 1,  1,  5,  27, 19, 1,  17, // 48
    5,  4,  9,  17, 17, 17, 13, 32, 22, 13, 17, 17, 20, 17, 20, 29, // 64
    17, 13, 25, 17, 17, 17, 17, 17, 17, 17, 16, 18, 1,  5,  1,  13, // 80
    1,  1,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  // 96
};

bool tracy_wire_unpack(struct tracy_wire *wire, struct view packed, struct view *out_content)
{
    const int size =
        LZ4_decompress_safe_usingDict(packed.data, wire->content, (int)packed.size,
                                      TRACY_CONTENT_MOST, wire->history, (int)wire->history_size);
    if (size <= 0)
        return false;
    *out_content = (struct view){wire->content, (size_t)size};
    const size_t kept = (size_t)size < TRACY_HISTORY ? (size_t)size : TRACY_HISTORY;
    const size_t before =
        wire->history_size + kept <= TRACY_HISTORY ? wire->history_size : TRACY_HISTORY - kept;
    memmove(wire->history, wire->history + wire->history_size - before, before);
    memcpy(wire->history + before, wire->content + size - kept, kept);
    wire->history_size = before + kept;
    return true;
}

// Whether an item has the number of a GPU context, which is a byte shorter in upstream's 66.
static bool has_context(unsigned type)
{
    return (type >= TRACY_DEVICE_BEGIN && type <= TRACY_DEVICE_END_SERIAL) ||
           type == TRACY_DEVICE_TIME || type == TRACY_CONTEXT_NAME || type == TRACY_CALIBRATION ||
           type == TRACY_TIME_SYNC || type == TRACY_NEW_CONTEXT;
}

// At the first context: the fork's ends in flags (0 or 1) and a type from 1 to 6; a byte earlier
// these are upstream's, and what follows them is the next item.
static unsigned guess_context_size(struct tracy_cursor payload)
{
    const struct view bytes = tracy_take(&payload, 28);
    const unsigned flags = bytes.size == 28 ? (unsigned char)bytes.data[26] : 2;
    const unsigned type = bytes.size == 28 ? (unsigned char)bytes.data[27] : 0;
    return flags <= 1 && type >= 1 && type <= 6 ? 2 : 1;
}

static struct view take_body(unsigned type, struct tracy_cursor *content)
{
    const bool is_text = type == TRACY_SINGLE_STRING || type == TRACY_SECOND_STRING ||
                         (type >= TRACY_STRING && type < TRACY_ITEM_TYPES);
    const bool is_large = type == 106 || type == 109 || type == 110;
    if (!is_text)
        return VIEW_LITERAL("");
    return tracy_take(content, is_large ? tracy_u32(content) : tracy_u16(content));
}

bool tracy_wire_next(struct tracy_wire *wire, struct tracy_cursor *content,
                     struct tracy_item *out_item)
{
    if (tracy_left(content) == 0)
        return false;
    struct tracy_cursor at = *content;
    const unsigned type = tracy_u8(&at);
    if (type >= TRACY_ITEM_TYPES)
        return false;
    if (type == TRACY_NEW_CONTEXT && wire->context_size == 0)
        wire->context_size = guess_context_size(at);
    const size_t size = SIZES[type] - 1u - (has_context(type) && wire->context_size == 1 ? 1 : 0);
    out_item->type = type;
    out_item->payload = tracy_cursor_of(tracy_take(&at, size));
    out_item->body = take_body(type, &at);
    if (at.short_of)
        return false;
    *content = at;
    return true;
}

uint32_t tracy_wire_context(const struct tracy_wire *wire, struct tracy_cursor *payload)
{
    return wire->context_size == 1 ? tracy_u8(payload) : tracy_u16(payload);
}

static struct view text_until_nul(struct view bytes)
{
    return view_slice(bytes, 0, view_find(bytes, '\0'));
}

struct tracy_welcome tracy_welcome_of(struct view bytes)
{
    enum { PROGRAM = 64, HOST = 1024 };
    struct tracy_cursor cursor = tracy_cursor_of(bytes);
    struct tracy_welcome welcome = {.multiplier = tracy_f64(&cursor)};
    welcome.begin = tracy_i64(&cursor);
    tracy_skip(&cursor, 5, 8); // ready, delay, resolution, epoch, time of the program
    welcome.pid = tracy_u64(&cursor);
    tracy_skip(&cursor, 1, 8); // sampling period
    welcome.on_demand = (tracy_u8(&cursor) & 1) != 0;
    tracy_skip(&cursor, 1, 1 + 12 + 4); // processor
    welcome.program = text_until_nul(tracy_take(&cursor, PROGRAM));
    welcome.host = text_until_nul(tracy_take(&cursor, HOST));
    return welcome;
}
