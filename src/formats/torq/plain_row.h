// Rows of C1 and C2 as Torq's compiler writes them: no blanks around fields, no quotes around IDs,
// locations and types, short IDs and numbers. They are split in few steps; all others are for
// split.h, which gives the same for these.

#ifndef OPSCOPE_FORMATS_TORQ_PLAIN_ROW_H
#define OPSCOPE_FORMATS_TORQ_PLAIN_ROW_H

#include "split.h"
#include "wire/csv.h"

// Of a row: from its start as many bytes can be read whatever is in it, and its last field and the
// one before, with their commas, lie within the last ones. Nothing of its numbers does: at most
// PLAIN_DIGITS each.
enum { PLAIN_ID_MOST = 15, PLAIN_DIGITS = 15, PLAIN_TAIL = 32, PLAIN_LEAST = 64 };

static inline bool plain_is_printed(char byte)
{
    return (unsigned char)byte > ' ';
}

static inline uint64_t plain_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// A number with the comma after it, which is passed over; sixteen bytes can be read. NULL when it
// is anything else.
static inline const char *plain_number(const char *at, uint64_t *out_number)
{
    static const uint32_t TENS[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    const uint64_t word = plain_word(at);
    const uint64_t others = csv_not_digits(word);
    unsigned digits;
    if (others != 0) {
        digits = (unsigned)__builtin_ctzll(others) / 8;
        if (digits == 0)
            return NULL;
        *out_number = csv_eight_digits(word << (64 - 8 * digits));
        at += digits;
    } else {
        const uint64_t next = plain_word(at + 8);
        const uint64_t rest = csv_not_digits(next);
        if (rest == 0)
            return NULL;
        digits = (unsigned)__builtin_ctzll(rest) / 8;
        *out_number = csv_eight_digits(word) * TENS[digits] +
                      csv_eight_digits(next << 8 << (56 - 8 * digits));
        at += 8 + digits;
    }
    return *at == ',' ? at + 1 : NULL;
}

// A text from `from` to `end`, which is no blanks, no quotes and not empty.
static inline bool plain_is_type(const char *from, const char *end)
{
    return from < end && plain_is_printed(from[0]) && plain_is_printed(end[-1]) && end[-1] != '"';
}

// The fields after the numbers: what lies in front of them has ended at `at`.
static inline bool plain_take_texts(const char *at, const char *end, struct split_compile *row,
                                    struct view *out_type, struct view *out_location)
{
    const char *tail = end - PLAIN_TAIL;
    uint32_t commas = csv_matches(tail, ',') | csv_matches(tail + 16, ',') << 16;
    if (commas == 0)
        return false;
    unsigned last = 31 - (unsigned)__builtin_clz(commas);
    const unsigned size = 31 - last;
    if (!plain_is_type(tail + last + 1, end))
        return false;
    const uint64_t word = plain_word(end - 8);
    const uint64_t others = csv_not_digits(word);
    const unsigned digits = others != 0 ? (unsigned)__builtin_clzll(others) / 8 : 8;
    row->has_bytes = digits >= size;
    if (row->has_bytes) {
        row->bytes = csv_eight_digits(word >> (64 - 8 * size) << (64 - 8 * size));
        commas ^= 1u << last;
        end = tail + last;
        if (commas == 0)
            return false;
        last = 31 - (unsigned)__builtin_clz(commas);
        if (!plain_is_type(tail + last + 1, end))
            return false;
    } else if (digits == 8) {
        return false;
    }
    const char *comma = tail + last;
    if (comma < at || !plain_is_printed(*at) || *at == '"' || !plain_is_printed(comma[-1]))
        return false;
    *out_location = (struct view){at, (size_t)(comma - at)};
    *out_type = (struct view){comma + 1, (size_t)(end - comma) - 1};
    return true;
}

// Fills `*row` but for its run. False when it is not sure: the row is then taken as any other.
static inline bool plain_row_take(struct view line, struct split_compile *row,
                                  struct view *out_type, struct view *out_location)
{
    if (line.size < PLAIN_LEAST || line.size > SPLIT_RUN_MOST)
        return false;
    const unsigned id = (unsigned)__builtin_ctz(csv_matches(line.data, ',') | 1u << 16);
    if (id == 0 || id > PLAIN_ID_MOST || !plain_is_printed(line.data[0]) || line.data[0] == '"' ||
        !plain_is_printed(line.data[id - 1]))
        return false;
    const char *at = plain_number(line.data + id + 1, &row->start);
    if (at == NULL || (at = plain_number(at, &row->end)) == NULL)
        return false;
    row->id = (struct view){line.data, id};
    return plain_take_texts(at, line.data + line.size, row, out_type, out_location);
}

#endif
