#include "units.h"

#include "base/input.h"
#include "base/view.h"
#include "profile/clock.h"
#include "reports/overview_rows.h"

status units_clock(const struct arguments *arguments, const char *name, uint64_t *out_hz)
{
    const char *text = arguments_value(arguments, name);
    double megahertz = 0;
    *out_hz = 0;
    if (text == NULL)
        return STATUS_OK;
    if (!view_to_double(view_of(text), &megahertz) || !(megahertz >= 1e-6) || megahertz > 1e6)
        return status_make(STATUS_USAGE, "--%s: '%s' is not a clock in MHz (example: --%s 800)",
                           name, text, name);
    *out_hz = (uint64_t)(megahertz * 1e6 + 0.5);
    return STATUS_OK;
}

static bool parse_time(struct view text, uint64_t *out_ns)
{
    double seconds;
    text = view_trim(text);
    if (view_to_double(text, &seconds) && seconds >= 0 && seconds < 1e9) {
        *out_ns = (uint64_t)(seconds * 1e9 + 0.5);
        return true;
    }
    return overview_parse_duration(text, out_ns);
}

status units_time(const char *text, uint64_t *out_ns)
{
    if (parse_time(view_of(text), out_ns))
        return STATUS_OK;
    struct input *input;
    const status failure = input_open(text, &input);
    if (failure != STATUS_OK) {
        status_free(failure);
        return status_make(
            STATUS_USAGE,
            "'%s' is neither a time (207ms, 1.234 for seconds) nor a file whose first line "
            "is one",
            text);
    }
    const struct view line = view_slice(input->bytes, 0, view_find(input->bytes, '\n'));
    const bool good = parse_time(line, out_ns);
    input_close(input);
    return good ? STATUS_OK
                : status_make(STATUS_DATA, "%s:1: expected a time in seconds (1.234)", text);
}

struct unit_scale {
    const char *name; // "": when there is none
    uint64_t scale;
};

// The number in front and the unit after it.
static bool split_unit(struct view text, const struct unit_scale *units, struct view *out_digits,
                       uint64_t *out_scale)
{
    for (; units->name != NULL; units++) {
        if (!view_ends_with(text, units->name))
            continue;
        *out_digits = view_trim(view_slice(text, 0, text.size - strlen(units->name)));
        *out_scale = units->scale;
        return true;
    }
    return false;
}

// digits[.digits] times `scale`; digits beyond the scale are dropped.
static bool scale_decimal(struct view digits, uint64_t scale, uint64_t *out_number)
{
    const size_t point = view_find(digits, '.');
    uint64_t whole = 0;
    if (digits.size == 0 || (point > 0 && !view_to_u64(view_slice(digits, 0, point), &whole)) ||
        __builtin_mul_overflow(whole, scale, out_number))
        return false;
    for (size_t i = point + 1; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        scale /= 10;
        if (__builtin_add_overflow(*out_number, (uint64_t)(digits.data[i] - '0') * scale,
                                   out_number))
            return false;
    }
    return digits.size > 1 || point > 0;
}

static bool parse_signed(struct view text, const struct unit_scale *units, int64_t *out_number)
{
    struct view digits;
    uint64_t scale;
    uint64_t number;
    text = view_trim(text);
    const bool negative = text.size > 0 && text.data[0] == '-';
    if (text.size > 0 && (negative || text.data[0] == '+'))
        text = view_slice(text, 1, text.size);
    if (!split_unit(text, units, &digits, &scale) || !scale_decimal(digits, scale, &number) ||
        number > INT64_MAX)
        return false;
    *out_number = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

bool units_signed_time(struct view text, int64_t *out_ns)
{
    static const struct unit_scale UNITS[] = {{"ns", 1},       {"us", 1000},      {"\u00b5s", 1000},
                                              {"ms", 1000000}, {"s", 1000000000}, {"", 1000000000},
                                              {NULL, 0}};
    return parse_signed(text, UNITS, out_ns);
}

bool units_drift(struct view text, int64_t *out_ppb)
{
    static const struct unit_scale UNITS[] = {{"ppm", 1000}, {"ppb", 1}, {"", 1000}, {NULL, 0}};
    return parse_signed(text, UNITS, out_ppb) && *out_ppb <= CLOCK_DRIFT_MOST &&
           *out_ppb >= -CLOCK_DRIFT_MOST;
}

bool units_size(struct view text, uint64_t *out_bytes)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } UNITS[] = {{"", 1},         {"b", 1},         {"kb", 1000},       {"kib", 1024},
                 {"mb", 1000000}, {"mib", 1 << 20}, {"gb", 1000000000}, {"gib", 1 << 30},
                 {"k", 1000},     {"m", 1000000},   {"g", 1000000000}};
    size_t digits = 0;
    while (digits < text.size && (unsigned)(text.data[digits] - '0') <= 9)
        digits++;
    const struct view unit = view_trim(view_slice(text, digits, text.size));
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (view_is_ignoring_case(unit, UNITS[i].name))
            return view_to_u64(view_slice(text, 0, digits), out_bytes) &&
                   !__builtin_mul_overflow(*out_bytes, UNITS[i].bytes, out_bytes);
    }
    return false;
}

status units_rules(const struct arguments *arguments, const char *name, enum cost_rules *out_rules)
{
    const char *text = arguments_value(arguments, name);
    *out_rules = COST_RULES_BEST;
    if (text == NULL || strcmp(text, "best") == 0)
        return STATUS_OK;
    *out_rules = COST_RULES_PUBLIC;
    return strcmp(text, "public") == 0
               ? STATUS_OK
               : status_make(STATUS_USAGE, "--%s %s: expected best or public", name, text);
}
