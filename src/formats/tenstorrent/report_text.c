// Numbers and texts as Python writes them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

enum { DIGITS_MOST = 17 };

// The fewest digits that read back as `number` (finite, not 0), without the
// point, and the exponent of the first one.
static void shortest_digits(double number, char digits[DIGITS_MOST + 1], int *out_exponent)
{
    char text[40];
    for (int precision = 0; precision < DIGITS_MOST; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, number);
        if (strtod(text, NULL) == number)
            break;
    }
    size_t count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    }
    digits[count] = '\0';
    *out_exponent = atoi(at + 1);
}

// digits[0] '.' digits[1..] 'e' exponent
static void write_scientific(const char *digits, int exponent, char *text, size_t room)
{
    snprintf(text, room, "%c%s%se%c%02d", digits[0], digits[1] != '\0' ? "." : "", digits + 1,
             exponent < 0 ? '-' : '+', abs(exponent));
}

static void write_plain(const char *digits, int exponent, char *text, size_t room)
{
    const int count = (int)strlen(digits);
    if (exponent < 0)
        snprintf(text, room, "0.%.*s%s", -exponent - 1, "0000", digits);
    else if (exponent + 1 >= count)
        snprintf(text, room, "%s%.*s.0", digits, exponent + 1 - count, "0000000000000000");
    else
        snprintf(text, room, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

const char *report_real_text(double number, char text[REPORT_REAL_ROOM])
{
    if (isnan(number) || isinf(number)) {
        snprintf(text, REPORT_REAL_ROOM, "%s", isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
        return text;
    }
    char *at = text;
    if (signbit(number))
        *at++ = '-';
    const size_t room = (size_t)(text + REPORT_REAL_ROOM - at);
    if (number == 0) {
        snprintf(at, room, "0.0");
        return text;
    }
    char digits[DIGITS_MOST + 1];
    int exponent;
    shortest_digits(fabs(number), digits, &exponent);
    if (exponent < -4 || exponent >= 16)
        write_scientific(digits, exponent, at, room);
    else
        write_plain(digits, exponent, at, room);
    return text;
}

const char *report_rounded_text(double number, int digits, char text[REPORT_REAL_ROOM])
{
    if (digits > 0) {
        char rounded[400];
        snprintf(rounded, sizeof rounded, "%.*f", digits, number);
        return report_real_text(strtod(rounded, NULL), text);
    }
    // printf rounds halves to even, as Python does; integers have no -0.
    const double whole = rint(number);
    snprintf(text, REPORT_REAL_ROOM, "%.0f", whole == 0 ? 0.0 : whole);
    return text;
}

static void append_escaped(struct bytes *text, unsigned char byte, char quote)
{
    if (byte == '\\' || byte == (unsigned char)quote)
        bytes_append_format(text, "\\%c", byte);
    else if (byte == '\n')
        bytes_append(text, "\\n", 2);
    else if (byte == '\r')
        bytes_append(text, "\\r", 2);
    else if (byte == '\t')
        bytes_append(text, "\\t", 2);
    else if (byte < 0x20 || byte == 0x7f)
        bytes_append_format(text, "\\x%02x", byte);
    else
        bytes_append(text, &byte, 1);
}

void report_append_quoted(struct bytes *text, struct view item)
{
    const bool single = view_find(item, '\'') < item.size;
    const char quote = single && view_find(item, '"') == item.size ? '"' : '\'';
    bytes_append(text, &quote, 1);
    for (size_t i = 0; i < item.size; i++)
        append_escaped(text, (unsigned char)item.data[i], quote);
    bytes_append(text, &quote, 1);
}

// A whole number, also as a data frame writes one: 32.0.
static bool report_text_whole_number(struct view text, uint64_t *out_number)
{
    text = view_trim(text);
    if (view_ends_with(text, ".0"))
        text.size -= 2;
    return view_to_u64(text, out_number);
}

bool report_padded(struct view cell, uint64_t *out_number)
{
    return report_text_whole_number(view_slice(cell, 0, view_find(cell, '[')), out_number);
}

bool report_logical(struct view cell, uint64_t *out_number)
{
    const size_t from = view_find(cell, '[');
    const size_t to = view_find(cell, ']');
    if (from == cell.size)
        return report_text_whole_number(cell, out_number);
    return to > from && to < cell.size &&
           report_text_whole_number(view_slice(cell, from + 1, to), out_number);
}
