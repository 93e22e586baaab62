// Separated text (CSV): lines, fields and records, without their meaning.
//
// Two ways to read. Line by line, for files whose rows never span lines and
// whose texts may hold raw quotes and separators (fields are then taken from
// both ends of a line); and record by record after RFC 4180. Everything given
// out is a view into the input, except for quoted fields that hold doubled
// quotes, which are copied into a buffer of the reader's.

#ifndef OPSCOPE_WIRE_CSV_H
#define OPSCOPE_WIRE_CSV_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"
#include "base/input.h"
#include "base/view.h"

// Lines ----------------------------------------------------------------------

struct csv_lines {
    const char *at;
    const char *end;
    uint64_t number; // of the line given last
};

struct csv_line {
    struct view text; // without LF or CRLF
    uint64_t number;  // from 1
    bool terminated;  // false for a last line without a newline
};

// From the first line on; a UTF-8 byte order mark is skipped.
struct csv_lines csv_lines_of(struct view bytes);

// False at the end. A file that ends in a newline has no empty last line.
static inline bool csv_line_next(struct csv_lines *lines, struct csv_line *out_line)
{
    const char *start = lines->at;
    if (start == lines->end)
        return false;
    const char *newline = memchr(start, '\n', (size_t)(lines->end - start));
    const char *stop = newline != NULL ? newline : lines->end;
    lines->at = newline != NULL ? newline + 1 : lines->end;
    if (stop > start && stop[-1] == '\r')
        stop--;
    out_line->text = (struct view){start, (size_t)(stop - start)};
    out_line->number = ++lines->number;
    out_line->terminated = newline != NULL;
    return true;
}

// Takes whole lines from the front, `size` bytes of them or, with the rest of the last one, more.
// They are numbered from 1 again; the number of what is left is for the caller to put right.
struct csv_lines csv_lines_cut(struct csv_lines *lines, size_t size);

// The same of the lines of an input that may still grow (base/input.h): what there is of them is
// looked for as it is needed.
struct csv_lines csv_lines_cut_input(struct csv_lines *lines, const struct input *input,
                                     size_t size);

bool csv_line_next_input(struct csv_lines *lines, const struct input *input,
                         struct csv_line *out_line);

// Whether cutting would not wait; and whether it would give a line, which it may wait for.
bool csv_lines_are_there(const struct csv_lines *lines, const struct input *input, size_t size);
bool csv_lines_follow(struct csv_lines *lines, const struct input *input);

// Fields of a line -----------------------------------------------------------

// Takes the text in front of the first separator, or all that is left; without
// blanks around it. Quotes mean nothing here. After the last field `*rest` has
// no data (NULL): the next call returns false.
bool csv_field_take(struct view *rest, char separator, struct view *out_field);

static inline bool csv_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

// What is left after a field that ends at `stop`.
static inline struct view csv_after(struct view rest, size_t stop)
{
    return stop < rest.size ? view_slice(rest, stop + 1, rest.size) : (struct view){NULL, 0};
}

// Position of the first `byte`, or `text.size`. Faster than a call of memchr
// where it is a few bytes away.
static inline size_t csv_find_near(struct view text, char byte)
{
    const uint64_t ones = 0x0101010101010101;
    const uint64_t pattern = ones * (unsigned char)byte;
    size_t at = 0;
    for (; text.size - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, text.data + at, sizeof word);
        word ^= pattern;
        // The lowest byte that is 0 gets its top bit set.
        const uint64_t found = (word - ones) & ~word & 0x8080808080808080;
        if (found != 0)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    while (at < text.size && text.data[at] != byte)
        at++;
    return at;
}

// Which of sixteen bytes are `byte`: the first is the lowest bit.
static inline uint32_t csv_matches(const char *at, char byte)
{
#ifdef __SSE2__
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte)));
#else
    uint32_t found = 0;
    for (uint32_t i = 0; i < 16; i++)
        found |= (uint32_t)(at[i] == byte) << i;
    return found;
#endif
}

// The first digits of a number are read eight bytes at a time: `word` holds
// them, the first in its lowest byte. The top bit of every byte that is no
// digit.
static inline uint64_t csv_not_digits(uint64_t word)
{
    const uint64_t digits = word ^ 0x3030303030303030;
    return (((digits & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | digits) & 0x8080808080808080;
}

// The number that eight digits make; bytes that are 0 count as the digit 0.
static inline uint64_t csv_eight_digits(uint64_t word)
{
    // Neighbours are joined to pairs, pairs to fours, fours to eight.
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

// Counts the digits at the start of `text` and gives the number that they
// make, as far as it fits.
static inline size_t csv_digits_take(const char *text, size_t size, uint64_t *out_number)
{
    uint64_t number = 0;
    size_t at = 0;
    if (size >= 8) {
        uint64_t word;
        memcpy(&word, text, sizeof word);
        const uint64_t others = csv_not_digits(word);
        at = others != 0 ? (size_t)__builtin_ctzll(others) / 8 : 8;
        number = at > 0 ? csv_eight_digits(word << (64 - 8 * at)) : 0;
    }
    for (; at < size && (unsigned)(text[at] - '0') <= 9; at++)
        number = number * 10 + (unsigned)(text[at] - '0');
    *out_number = number;
    return at;
}

// Any number of this many digits fits 64 bits.
enum { CSV_DIGITS_SAFE = 19 };

// Takes a field that is a number. `*rest` is unchanged when the field is
// anything else or does not fit 64 bits.
static inline bool csv_number_take(struct view *rest, char separator, uint64_t *out_number)
{
    const char *text = rest->data;
    size_t at = 0;
    if (text == NULL)
        return false;
    while (at < rest->size && csv_is_blank(text[at]))
        at++;
    uint64_t number;
    const size_t digits = csv_digits_take(text + at, rest->size - at, &number);
    if (digits == 0 ||
        (digits > CSV_DIGITS_SAFE && !view_to_u64((struct view){text + at, digits}, &number)))
        return false;
    at += digits;
    while (at < rest->size && csv_is_blank(text[at]))
        at++;
    if (at < rest->size && text[at] != separator)
        return false;
    *out_number = number;
    *rest = csv_after(*rest, at);
    return true;
}

// Takes a quoted field from the left, with its quotes; false, with `*rest`
// unchanged, when the text does not start with one that ends at a separator or
// at the end.
bool csv_quoted_take(struct view *rest, char separator, struct view *out_field);

// Takes the text after the last separator, which may be a quoted field (given
// with its quotes) with separators inside. False when there is no separator.
bool csv_field_take_last(struct view *rest, char separator, struct view *out_field);

// The text of a quoted field. False when `field` is not one from its first to
// its last byte (with every quote inside doubled): it is raw text then.
// Doubled quotes are undone in `scratch`, which is overwritten.
bool csv_field_unquote(struct view field, char quote, struct bytes *scratch, struct view *out_text);

// Records --------------------------------------------------------------------

// A quoted field that is longer is reported as one that never closes.
enum { CSV_RECORD_MOST = 16 << 20 };

enum csv_result {
    CSV_RECORD,
    CSV_END,
    CSV_UNCLOSED, // a quote is opened and never closed; the line is skipped
};

// `csv_records_of` makes one; free it with `csv_records_free`.
struct csv_records {
    struct csv_lines lines;
    char separator;
    char quote;      // '\0': no quoting
    uint64_t number; // line on which the record given last starts
    bool terminated; // false for a last record without a newline
    struct view *fields;
    size_t count;
    size_t capacity;
    struct bytes unquoted;
};

struct csv_records csv_records_of(struct view bytes, char separator, char quote);

// Reads the next record into `fields`, valid until the next call. Blanks are
// kept. Empty lines are records of one empty field. A quote inside a field
// that does not start with one is plain text, as is what follows a closing
// quote.
enum csv_result csv_record_next(struct csv_records *records);

void csv_records_free(struct csv_records *records);

// Writing --------------------------------------------------------------------

// Appends `text`, in double quotes if it holds the separator, a quote, a line
// break or a blank at either end.
void csv_field_append(struct bytes *row, struct view text, char separator);

void csv_field_append_quoted(struct bytes *row, struct view text);

#endif
