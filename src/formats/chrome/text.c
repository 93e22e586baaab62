#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Texts -----------------------------------------------------------------------

static bool chrome_text_is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static unsigned char *put_escape(unsigned char *to, unsigned char byte)
{
    static const char HEX[] = "0123456789abcdef";
    static const char LETTERS[] = "\"\\nrtbf";
    static const char MEANINGS[] = "\"\\\n\r\t\b\f";
    const char *found = byte != 0 ? strchr(MEANINGS, byte) : NULL;
    *to++ = '\\';
    if (found != NULL) {
        *to++ = (unsigned char)LETTERS[found - MEANINGS];
        return to;
    }
    memcpy(to, "u00", 3);
    to[3] = (unsigned char)HEX[byte >> 4];
    to[4] = (unsigned char)HEX[byte & 15];
    return to + 5;
}

// One character that is not plain; `*at` is moved past it.
static unsigned char *put_character(unsigned char *to, struct view text, size_t *at, bool *valid)
{
    const unsigned char byte = (unsigned char)text.data[*at];
    const size_t size = view_character_size(text, *at);
    if (size > 1) {
        memcpy(to, text.data + *at, size);
        *at += size;
        return to + size;
    }
    ++*at;
    if (size == 1)
        return put_escape(to, byte);
    *valid = false;
    memcpy(to, "\xef\xbf\xbd", 3);
    return to + 3;
}

bool text_put_quoted(struct bytes *to, struct view text)
{
    enum { ESCAPE_MOST = 6 };
    bool valid = true;
    unsigned char *start = bytes_reserve(to, text.size * ESCAPE_MOST + 2);
    unsigned char *end = start;
    *end++ = '"';
    for (size_t at = 0; at < text.size;) {
        const size_t plain = at;
        while (at < text.size && chrome_text_is_plain((unsigned char)text.data[at]))
            at++;
        memcpy(end, text.data + plain, at - plain);
        end += at - plain;
        if (at < text.size)
            end = put_character(end, text, &at, &valid);
    }
    *end++ = '"';
    to->size += (size_t)(end - start);
    return valid;
}

// JSON ------------------------------------------------------------------------

static const char *text_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

static const char *text_digits(const char *at, const char *end)
{
    const char *from = at;
    while (at != NULL && at < end && (unsigned)(*at - '0') <= 9)
        at++;
    return at == from ? NULL : at;
}

// After the number at `at`; NULL where it is none. So below.
static const char *text_number(const char *at, const char *end)
{
    at += *at == '-';
    const bool zero = at < end && *at == '0';
    at = zero ? at + 1 : text_digits(at, end);
    if (at != NULL && at < end && *at == '.')
        at = text_digits(at + 1, end);
    if (at != NULL && at < end && (*at | 32) == 'e') {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        at = text_digits(at, end);
    }
    return at;
}

// After the opening quote.
static const char *text_string(const char *at, const char *end)
{
    for (; at < end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        if (++at == end || memchr("\"\\/bfnrtu", *at, 9) == NULL)
            return NULL;
        for (int i = 0; *at == 'u' && i < 4; i++) {
            if (end - at <= i + 1 || memchr("0123456789abcdefABCDEF", at[i + 1], 22) == NULL)
                return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

static const char *text_word(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 ? at + size : NULL;
}

static const char *text_value(const char *at, const char *end, unsigned depth);

static const char *text_member(const char *at, const char *end, unsigned depth)
{
    at = at < end && *at == '"' ? text_string(at + 1, end) : NULL;
    at = at != NULL ? text_blanks(at, end) : end;
    return at < end && *at == ':' ? text_value(text_blanks(at + 1, end), end, depth) : NULL;
}

static const char *text_nested(const char *at, const char *end, unsigned depth)
{
    const bool object = *at == '{';
    const char close = object ? '}' : ']';
    at = text_blanks(at + 1, end);
    if (at < end && *at == close)
        return at + 1;
    for (;;) {
        at = object ? text_member(at, end, depth) : text_value(at, end, depth);
        at = at != NULL ? text_blanks(at, end) : end;
        if (at < end && *at == close)
            return at + 1;
        if (at == end || *at != ',')
            return NULL;
        at = text_blanks(at + 1, end);
    }
}

static const char *text_value(const char *at, const char *end, unsigned depth)
{
    enum { DEPTH_MOST = 64 };
    if (at == end || depth == DEPTH_MOST)
        return NULL;
    switch (*at) {
    case '"':
        return text_string(at + 1, end);
    case '{':
    case '[':
        return text_nested(at, end, depth + 1);
    case 't':
        return text_word(at, end, "true");
    case 'f':
        return text_word(at, end, "false");
    case 'n':
        return text_word(at, end, "null");
    default:
        return text_number(at, end);
    }
}

static bool is_utf8(struct view text)
{
    for (size_t at = 0; at < text.size;) {
        const size_t size = view_character_size(text, at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

void text_put_json(struct bytes *to, struct view json)
{
    const char *end = json.data + json.size;
    if (json.size > 0 && text_value(json.data, end, 0) == end && is_utf8(json))
        text_put_view(to, json);
    else
        text_put_quoted(to, json);
}

// Numbers ---------------------------------------------------------------------

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

enum { DIGITS_MOST = 20 };

static unsigned count_digits(uint64_t number)
{
    static const uint64_t POWERS[DIGITS_MOST] = {0,
                                                 10,
                                                 100,
                                                 1000,
                                                 10000,
                                                 100000,
                                                 1000000,
                                                 10000000,
                                                 100000000,
                                                 1000000000,
                                                 10000000000,
                                                 100000000000,
                                                 1000000000000,
                                                 10000000000000,
                                                 100000000000000,
                                                 1000000000000000,
                                                 10000000000000000,
                                                 100000000000000000,
                                                 1000000000000000000,
                                                 10000000000000000000u};
    const unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
    const unsigned least = bits * 1233 >> 12; // 1233 / 4096: a little more than log10(2)
    return least + (number >= POWERS[least]);
}

// Writes digits backwards from `end`.
static void put_digits(unsigned char *end, uint64_t number)
{
    while (number >= 100) {
        end -= 2;
        memcpy(end, PAIRS + number % 100 * 2, 2);
        number /= 100;
    }
    if (number < 10) {
        end[-1] = (unsigned char)('0' + number);
        return;
    }
    memcpy(end - 2, PAIRS + number * 2, 2);
}

void text_put_uint(struct bytes *to, uint64_t number)
{
    unsigned char *at = text_room(to, DIGITS_MOST);
    const unsigned count = count_digits(number);
    put_digits(at + count, number);
    to->size += count;
}

void text_put_int(struct bytes *to, int64_t number)
{
    if (number < 0)
        text_put(to, "-");
    text_put_uint(to, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

void text_put_time(struct bytes *to, uint64_t ns)
{
    unsigned char *at = text_room(to, DIGITS_MOST + 1);
    const unsigned below = (unsigned)(ns % 1000);
    const unsigned count = count_digits(ns / 1000);
    put_digits(at + count, ns / 1000);
    at += count;
    *at++ = '.';
    memcpy(at, PAIRS + below / 10 * 2, 2);
    at[2] = (unsigned char)('0' + below % 10);
    to->size += count + 4;
}

// Numbers with a few decimals, as nearly all are.
static bool put_short_real(struct bytes *to, double number)
{
    static const double POWERS[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    const double size = fabs(number);
    for (unsigned decimals = 0; decimals < sizeof POWERS / sizeof POWERS[0]; decimals++) {
        const double scaled = size * POWERS[decimals];
        if (scaled >= 1e15)
            return false;
        const uint64_t whole = (uint64_t)(scaled + 0.5);
        if ((double)whole / POWERS[decimals] != size)
            continue;
        const uint64_t power = (uint64_t)POWERS[decimals];
        if (signbit(number))
            text_put(to, "-");
        text_put_uint(to, whole / power);
        text_put(to, ".");
        for (uint64_t digit = power / 10; digit > 1 && whole % power < digit; digit /= 10)
            text_put(to, "0");
        text_put_uint(to, whole % power);
        return true;
    }
    return false;
}

void text_put_real(struct bytes *to, double number)
{
    char text[40];
    if (!isfinite(number)) {
        text_put(to, isnan(number) ? "\"NaN\"" : number < 0 ? "\"-Infinity\"" : "\"Infinity\"");
        return;
    }
    if (put_short_real(to, number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    text_put(to, text);
    if (strpbrk(text, ".e") == NULL)
        text_put(to, ".0");
}
