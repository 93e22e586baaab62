#include "time.h"

enum { BILLION = 1000000000, DECIMALS_OF_NS = 3, DECIMALS_BELOW = 9, EXPONENT_MOST = 100000 };

// A number taken apart: digits as they stand, those of the fraction after the others.
struct decimal {
    bool negative;
    const char *whole;
    size_t whole_size;
    const char *fraction;
    size_t fraction_size;
    long exponent;
};

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && (unsigned)(*at - '0') <= 9)
        at++;
    return at;
}

static bool split_exponent(const char *at, const char *end, long *out_exponent)
{
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    long exponent = 0;
    for (; at < end; at++) {
        if ((unsigned)(*at - '0') > 9)
            return false;
        if (exponent < EXPONENT_MOST)
            exponent = exponent * 10 + (*at - '0');
    }
    *out_exponent = negative ? -exponent : exponent;
    return true;
}

static bool chrome_time_split(struct view text, struct decimal *out)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    *out = (struct decimal){.negative = text.size > 0 && *at == '-'};
    at += out->negative;
    out->whole = at;
    at = skip_digits(at, end);
    out->whole_size = (size_t)(at - out->whole);
    if (at < end && *at == '.') {
        out->fraction = ++at;
        at = skip_digits(at, end);
        out->fraction_size = (size_t)(at - out->fraction);
    }
    if (out->whole_size + out->fraction_size == 0)
        return false;
    if (at < end && (*at | 32) == 'e')
        return split_exponent(at + 1, end, &out->exponent);
    return at == end;
}

// The digit at a place before (0, 1 ...) or after the decimal point; 0 where none stands.
static unsigned digit_at(const struct decimal *decimal, long place)
{
    const long total = (long)(decimal->whole_size + decimal->fraction_size);
    if (place < 0 || place >= total)
        return 0;
    return (unsigned)(place < (long)decimal->whole_size
                          ? decimal->whole[place]
                          : decimal->fraction[place - (long)decimal->whole_size]) -
           '0';
}

static bool round_down(bool negative, uint64_t ns, uint32_t billionths, bool more,
                       struct chrome_time *out_time)
{
    if (ns > INT64_MAX - 1)
        return false;
    *out_time = (struct chrome_time){(int64_t)ns, billionths};
    if (!negative)
        return true;
    billionths += more; // a negative number is rounded away from zero
    out_time->ns = -(int64_t)ns - (billionths > 0);
    out_time->billionths = billionths > 0 ? BILLION - billionths : 0;
    return true;
}

static bool any_digit(const struct decimal *decimal, long from)
{
    const long total = (long)(decimal->whole_size + decimal->fraction_size);
    for (long place = from > 0 ? from : 0; place < total; place++) {
        if (digit_at(decimal, place) != 0)
            return true;
    }
    return false;
}

bool chrome_time_of(struct view text, struct chrome_time *out_time)
{
    struct decimal decimal;
    if (text.size >= 2 && text.data[0] == '"')
        text = (struct view){text.data + 1, text.size - 2};
    if (!chrome_time_split(text, &decimal))
        return false;
    // Digits before `point` are nanoseconds.
    const long point = (long)decimal.whole_size + decimal.exponent + DECIMALS_OF_NS;
    uint64_t ns = 0;
    long place = 0;
    while (place < point && digit_at(&decimal, place) == 0 &&
           place < (long)(decimal.whole_size + decimal.fraction_size))
        place++;
    if (place >= (long)(decimal.whole_size + decimal.fraction_size))
        place = point > place ? point : place;
    for (; place < point; place++) {
        if (ns > INT64_MAX / 10)
            return false;
        ns = ns * 10 + digit_at(&decimal, place);
    }
    uint32_t billionths = 0;
    for (long i = 0; i < DECIMALS_BELOW; i++)
        billionths = billionths * 10 + digit_at(&decimal, point + i);
    const bool more = any_digit(&decimal, point + DECIMALS_BELOW);
    return round_down(decimal.negative, ns, billionths, more, out_time);
}

bool chrome_time_add(struct chrome_time a, struct chrome_time b, int64_t *out_ns)
{
    const bool carry = a.billionths + b.billionths >= BILLION;
    return !__builtin_add_overflow(a.ns, b.ns, out_ns) &&
           !__builtin_add_overflow(*out_ns, (int64_t)carry, out_ns);
}
