// Numbers in as few bytes as they need: seven bits a byte, lowest first, the
// top bit set on all but the last (the form that protobuf uses).

#ifndef OPSCOPE_BASE_VARINT_H
#define OPSCOPE_BASE_VARINT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VARINT_MOST = 10 };

// `to` has room for VARINT_MOST bytes; returns the byte after the number.
static inline unsigned char *varint_put(unsigned char *to, uint64_t number)
{
    while (number > 127) {
        *to++ = (unsigned char)(number | 128);
        number >>= 7;
    }
    *to++ = (unsigned char)number;
    return to;
}

// The same for numbers of which nobody knows how long they are: without a branch on it, where they
// take no more than four bytes.
static inline unsigned char *varint_put_any(unsigned char *to, uint64_t number)
{
    if (number >> 28 != 0)
        return varint_put(to, number);
    const uint32_t pairs = (uint32_t)((number & 0x3fff) | (number & 0xfffc000) << 2);
    const uint32_t spread = (pairs & 0x007f007f) | (pairs & 0x3f803f80) << 1;
    const unsigned more = (31u - (unsigned)__builtin_clz(spread | 1)) & ~7u; // bits after the first
    const uint32_t bytes = htole32(spread | (0x808080 & ((1u << more) - 1)));
    memcpy(to, &bytes, sizeof bytes);
    return to + more / 8 + 1;
}

// How many bytes the number at `at` has, of which VARINT_LOOK can be read: without a branch on it.
// 0: more than these.
enum { VARINT_LOOK = 8 };
static inline unsigned varint_look(const unsigned char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    const uint64_t last = ~le64toh(bytes) & 0x8080808080808080;
    return last == 0 ? 0 : (unsigned)__builtin_ctzll(last) / 8 + 1;
}

// Bytes that it takes.
static inline unsigned varint_size(uint64_t number)
{
    unsigned size = 1;
    while (number > 127) {
        number >>= 7;
        size++;
    }
    return size;
}

// Signed numbers near zero stay short: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
static inline uint64_t varint_fold(int64_t number)
{
    return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static inline int64_t varint_unfold(uint64_t number)
{
    return (int64_t)((number >> 1) ^ (0 - (number & 1)));
}

// Reads at `*at`, never beyond `end`. False when the number is cut off or
// longer than ten bytes; `*at` is then unchanged.
static inline bool varint_get(const unsigned char **at, const unsigned char *end,
                              uint64_t *out_number)
{
    const unsigned char *from = *at;
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 70 && from < end; shift += 7) {
        const unsigned char byte = *from++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *at = from;
            *out_number = number;
            return true;
        }
    }
    return false;
}

// What was read, and the byte after it; NULL where there is no number.
struct varint_read {
    const unsigned char *end;
    uint64_t number;
};

// Out of the way of the short ones.
static __attribute__((noinline, unused)) struct varint_read
varint_get_long(const unsigned char *at, const unsigned char *end)
{
    struct varint_read read = {0};
    if (varint_get(&at, end, &read.number))
        read.end = at;
    return read;
}

// The same where most numbers have one or two bytes.
static inline bool varint_get_short(const unsigned char **at, const unsigned char *end,
                                    uint64_t *out_number)
{
    const unsigned char *from = *at;
    if (from < end && from[0] < 128) {
        *out_number = from[0];
        *at = from + 1;
        return true;
    }
    if (end - from >= 2 && from[1] < 128) {
        *out_number = (uint64_t)(from[0] & 127) | (uint64_t)from[1] << 7;
        *at = from + 2;
        return true;
    }
    const struct varint_read read = varint_get_long(from, end);
    if (read.end == NULL)
        return false;
    *out_number = read.number;
    *at = read.end;
    return true;
}

// A number that must fit 32 bits.
static inline bool varint_get_u32(const unsigned char **at, const unsigned char *end,
                                  uint32_t *out_number)
{
    uint64_t number;
    if (!varint_get(at, end, &number) || number > UINT32_MAX)
        return false;
    *out_number = (uint32_t)number;
    return true;
}

#endif
