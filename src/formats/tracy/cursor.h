// Reads little-endian numbers, packed one after the other, out of bytes that may end anywhere.
//
// What is not there reads as 0 and sets `short_of`; nothing after it is read any more.

#ifndef OPSCOPE_FORMATS_TRACY_CURSOR_H
#define OPSCOPE_FORMATS_TRACY_CURSOR_H

#include "base/view.h"

struct tracy_cursor {
    const char *at;
    const char *end;
    bool short_of;
};

static inline struct tracy_cursor tracy_cursor_of(struct view bytes)
{
    return (struct tracy_cursor){bytes.data, bytes.data + bytes.size, false};
}

static inline size_t tracy_left(const struct tracy_cursor *cursor)
{
    return cursor->short_of ? 0 : (size_t)(cursor->end - cursor->at);
}

static inline struct view tracy_take(struct tracy_cursor *cursor, uint64_t size)
{
    if (size > tracy_left(cursor)) {
        cursor->short_of = true;
        return VIEW_LITERAL("");
    }
    const struct view taken = {cursor->at, (size_t)size};
    cursor->at += size;
    return taken;
}

static inline void tracy_skip(struct tracy_cursor *cursor, uint64_t count, uint64_t size)
{
    if (count > tracy_left(cursor) / size)
        cursor->short_of = true;
    else
        cursor->at += count * size;
}

static inline uint64_t tracy_number(struct tracy_cursor *cursor, size_t size)
{
    const struct view bytes = tracy_take(cursor, size);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.size; i++)
        number |= (uint64_t)(unsigned char)bytes.data[i] << (8 * i);
    return number;
}

static inline uint64_t tracy_u64(struct tracy_cursor *cursor)
{
    const struct view bytes = tracy_take(cursor, 8);
    uint64_t number = 0;
    if (bytes.size == 8)
        memcpy(&number, bytes.data, 8);
    return number;
}

static inline int64_t tracy_i64(struct tracy_cursor *cursor)
{
    return (int64_t)tracy_u64(cursor);
}

static inline uint32_t tracy_u32(struct tracy_cursor *cursor)
{
    return (uint32_t)tracy_number(cursor, 4);
}

static inline uint16_t tracy_u16(struct tracy_cursor *cursor)
{
    return (uint16_t)tracy_number(cursor, 2);
}

static inline uint8_t tracy_u8(struct tracy_cursor *cursor)
{
    return (uint8_t)tracy_number(cursor, 1);
}

static inline double tracy_f64(struct tracy_cursor *cursor)
{
    const uint64_t bits = tracy_u64(cursor);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline float tracy_f32(struct tracy_cursor *cursor)
{
    const uint32_t bits = tracy_u32(cursor);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// How many items follow, of at least `least` bytes each: no more than there is room for.
static inline uint64_t tracy_count(struct tracy_cursor *cursor, size_t least)
{
    const uint64_t count = tracy_u64(cursor);
    if (count > tracy_left(cursor) / least) {
        cursor->short_of = true;
        return 0;
    }
    return count;
}

// Times are differences: what a damaged file adds up to wraps around and is impossible.
static inline int64_t tracy_time(struct tracy_cursor *cursor, int64_t *reference)
{
    *reference = (int64_t)((uint64_t)*reference + tracy_u64(cursor));
    return *reference;
}

#endif
