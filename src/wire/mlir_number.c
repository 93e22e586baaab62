#include "mlir_number.h"

static const signed char DIGITS[256] = {
    ['1'] = 1,  ['2'] = 2,  ['3'] = 3,  ['4'] = 4,  ['5'] = 5,  ['6'] = 6,  ['7'] = 7,
    ['8'] = 8,  ['9'] = 9,  ['a'] = 10, ['b'] = 11, ['c'] = 12, ['d'] = 13, ['e'] = 14,
    ['f'] = 15, ['A'] = 10, ['B'] = 11, ['C'] = 12, ['D'] = 13, ['E'] = 14, ['F'] = 15,
};

int mlir_number_hex_digit(char byte)
{
    return byte == '0' ? 0 : DIGITS[(unsigned char)byte] > 0 ? DIGITS[(unsigned char)byte] : -1;
}

bool mlir_number_is_hex(const char *at, const char *end)
{
    if (at < end && *at == '-')
        at++;
    return end - at > 2 && at[0] == '0' && at[1] == 'x' && mlir_number_hex_digit(at[2]) >= 0;
}

static bool mlir_number_read_hex(const char **at, const char *end, uint64_t *out_number)
{
    const char *next = *at + 2;
    uint64_t number = 0;
    for (int digit; next < end && (digit = mlir_number_hex_digit(*next)) >= 0; next++) {
        if (number >> 60 != 0)
            return false;
        number = number << 4 | (unsigned)digit;
    }
    *at = next;
    *out_number = number;
    return true;
}

static bool read_decimal(const char **at, const char *end, uint64_t *out_number)
{
    const char *next = *at;
    uint64_t number = 0;
    const char *safe = end - next > 19 ? next + 19 : end; // 19 digits always fit
    for (; next < safe && (unsigned)(*next - '0') <= 9; next++)
        number = number * 10 + (unsigned)(*next - '0');
    for (; next < end && (unsigned)(*next - '0') <= 9; next++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (unsigned)(*next - '0'), &number))
            return false;
    }
    if (next == *at)
        return false;
    *at = next;
    *out_number = number;
    return true;
}

bool mlir_number_integer(const char **at, const char *end, int64_t *out_number)
{
    const char *next = *at;
    const bool negative = next < end && *next == '-';
    if (negative)
        next++;
    uint64_t number;
    if (mlir_number_is_hex(next, end) ? !mlir_number_read_hex(&next, end, &number)
                                      : !read_decimal(&next, end, &number))
        return false;
    if (negative && number > (uint64_t)INT64_MAX + 1)
        return false;
    *at = next;
    *out_number = (int64_t)(negative ? 0 - number : number);
    return true;
}

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// What a decimal number says: digits x 10^exponent. `exact` while all digits fit.
struct decimal {
    uint64_t digits;
    int exponent;
    bool exact;
};

static const char *read_digits(const char *at, const char *end, int step, struct decimal *decimal)
{
    for (; at < end && (unsigned)(*at - '0') <= 9; at++) {
        if (decimal->digits >= UINT64_C(1) << 53)
            decimal->exact = false;
        if (!decimal->exact)
            continue;
        decimal->digits = decimal->digits * 10 + (unsigned)(*at - '0');
        decimal->exponent -= step;
    }
    return at;
}

static const char *read_exponent(const char *at, const char *end, struct decimal *decimal)
{
    if (at == end || (*at | 32) != 'e')
        return at;
    const char *next = at + 1;
    const bool negative = next < end && *next == '-';
    if (next < end && (*next == '-' || *next == '+'))
        next++;
    if (next == end || (unsigned)(*next - '0') > 9)
        return at;
    int exponent = 0;
    for (; next < end && (unsigned)(*next - '0') <= 9; next++)
        exponent = exponent < 100000 ? exponent * 10 + (*next - '0') : exponent;
    decimal->exponent += negative ? -exponent : exponent;
    return next;
}

// Two exact doubles give the nearest one to what was written; other numbers go
// the long way.
bool mlir_number_real(const char **at, const char *end, double *out_number)
{
    const char *next = *at;
    const bool negative = next < end && *next == '-';
    if (negative)
        next++;
    struct decimal decimal = {.exact = true};
    const char *point = read_digits(next, end, 0, &decimal);
    if (point == next || point == end || *point != '.')
        return false;
    next = read_exponent(read_digits(point + 1, end, 1, &decimal), end, &decimal);
    if (decimal.exact && decimal.digits <= UINT64_C(1) << 53 && decimal.exponent >= -22 &&
        decimal.exponent <= 22) {
        const double digits = (double)decimal.digits;
        const double value = decimal.exponent < 0 ? digits / POWERS[-decimal.exponent]
                                                  : digits * POWERS[decimal.exponent];
        *out_number = negative ? -value : value;
    } else if (!view_to_double((struct view){*at, (size_t)(next - *at)}, out_number)) {
        return false;
    }
    *at = next;
    return true;
}

bool mlir_number_bytes(struct view digits, unsigned char *out_bytes)
{
    if (digits.size % 2 != 0)
        return false;
    int wrong = 0;
    for (size_t i = 0; i < digits.size / 2; i++) {
        const int high = mlir_number_hex_digit(digits.data[2 * i]);
        const int low = mlir_number_hex_digit(digits.data[2 * i + 1]);
        wrong |= high | low;
        out_bytes[i] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
    }
    return wrong >= 0;
}
