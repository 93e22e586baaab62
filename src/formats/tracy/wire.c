#include "wire.h"

#include <lz4.h>

bool tracy_wire_start(struct tracy_wire *wire, uint32_t protocol)
{
    memset(wire, 0, sizeof *wire);
    wire->context_size = protocol == TRACY_PROTOCOL ? 0 : 1;
    return tracy_dialect_find(protocol, &wire->dialect);
}

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

// At the first context: the fork's ends in flags (0 or 1) and a type from 1 to 6; a byte earlier
// these are upstream's, and what follows them is the next item.
static unsigned guess_context_size(struct tracy_cursor payload)
{
    const struct view bytes = tracy_take(&payload, 28);
    const unsigned flags = bytes.size == 28 ? (unsigned char)bytes.data[26] : 2;
    const unsigned type = bytes.size == 28 ? (unsigned char)bytes.data[27] : 0;
    return flags <= 1 && type >= 1 && type <= 6 ? 2 : 1;
}

static struct view take_body(unsigned type, unsigned form, struct tracy_cursor *content)
{
    const bool is_text = type == TRACY_SINGLE_STRING || type == TRACY_SECOND_STRING ||
                         (type >= TRACY_STRING && type < TRACY_ITEM_TYPES);
    const bool is_large = type == 106 || type == 109 || type == 110;
    if (!is_text)
        return VIEW_LITERAL("");
    if (form == TRACY_FORM_TEXT_8)
        return tracy_take(content, tracy_u8(content));
    if (form == TRACY_FORM_TEXT_16)
        return tracy_take(content, tracy_u16(content) + 256u);
    return tracy_take(content, is_large ? tracy_u32(content) : tracy_u16(content));
}

// A difference of time in the bytes that it needs. The program adds up without a sign, and so do
// we.
static uint64_t take_time(unsigned form, struct tracy_cursor *payload)
{
    const uint64_t after_16 = UINT64_C(1) << 16;
    if (form == TRACY_FORM_TIME_16)
        return tracy_u16(payload);
    if (form == TRACY_FORM_TIME_32)
        return tracy_u32(payload) + after_16;
    const int64_t time = tracy_i64(payload);
    return (uint64_t)time + (time >= 0 ? after_16 + (UINT64_C(1) << 32) : 0);
}

// The payload as 66 has it.
static struct tracy_cursor payload_of(struct tracy_wire *wire, unsigned form, struct view bytes)
{
    struct tracy_cursor payload = tracy_cursor_of(bytes);
    uint64_t number;
    if (form == TRACY_FORM_TIME_16 || form == TRACY_FORM_TIME_32 || form == TRACY_FORM_TIME_64) {
        number = take_time(form, &payload);
        const struct view rest = tracy_take(&payload, tracy_left(&payload));
        memcpy(wire->payload, &number, sizeof number);
        memcpy(wire->payload + sizeof number, rest.data, rest.size);
        return tracy_cursor_of((struct view){wire->payload, sizeof number + rest.size});
    }
    if (form == TRACY_FORM_TAGGED && bytes.size > sizeof number) {
        const size_t before = bytes.size - sizeof number;
        memcpy(wire->payload, bytes.data, bytes.size);
        memcpy(&number, wire->payload + before, sizeof number);
        number >>= 8;
        memcpy(wire->payload + before, &number, sizeof number);
        return tracy_cursor_of((struct view){wire->payload, bytes.size});
    }
    return payload;
}

bool tracy_wire_next(struct tracy_wire *wire, struct tracy_cursor *content,
                     struct tracy_item *out_item)
{
    if (tracy_left(content) == 0)
        return false;
    struct tracy_cursor at = *content;
    const unsigned number = tracy_u8(&at);
    if (number >= wire->dialect.type_count)
        return false;
    const unsigned type = wire->dialect.types[number];
    const unsigned form = wire->dialect.forms[number];
    if (type == TRACY_NEW_CONTEXT && wire->context_size == 0)
        wire->context_size = guess_context_size(at);
    const bool shorter = wire->dialect.protocol == TRACY_PROTOCOL && wire->context_size == 1 &&
                         tracy_item_has_context(type);
    const size_t size = wire->dialect.sizes[number] - 1u - (shorter ? 1 : 0);
    const struct view payload = tracy_take(&at, size);
    out_item->type = type;
    out_item->body = take_body(type, form, &at);
    if (at.short_of)
        return false;
    out_item->payload = payload_of(wire, form, payload);
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

struct tracy_welcome tracy_welcome_of(const struct tracy_wire *wire, struct view bytes)
{
    enum { PROGRAM = 64, HOST = 1024 };
    struct tracy_cursor cursor = tracy_cursor_of(bytes);
    struct tracy_welcome welcome = {.multiplier = tracy_f64(&cursor)};
    welcome.begin = tracy_i64(&cursor);
    // Ready, delay, resolution, epoch, time of the program.
    tracy_skip(&cursor, wire->dialect.delay ? 5 : 4, 8);
    welcome.pid = tracy_u64(&cursor);
    tracy_skip(&cursor, 1, 8); // sampling period
    welcome.on_demand = (tracy_u8(&cursor) & 1) != 0;
    tracy_skip(&cursor, 1, 1 + 12 + 4); // processor
    welcome.program = text_until_nul(tracy_take(&cursor, PROGRAM));
    welcome.host = text_until_nul(tracy_take(&cursor, HOST));
    return welcome;
}
