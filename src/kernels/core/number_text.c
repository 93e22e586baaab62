#include "number_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "convert.h"
#include "network/real.h"

// What decides whether digits name the number: its own type.
static bool number_text_names(const char *text, double value, enum element element)
{
    if (element == ELEMENT_F64)
        return strtod(text, NULL) == value;
    const float single = strtof(text, NULL);
    if (element == ELEMENT_F16)
        return real_to_f16(single) == real_to_f16((float)value);
    return single == (float)value;
}

// The fewest digits in scientific form: "d.ddde[+-]dd".
static void shortest(double value, enum element element, char text[NUMBER_TEXT_MOST])
{
    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, NUMBER_TEXT_MOST, "%.*e", digits, value);
        if (number_text_names(text, value, element))
            return;
    }
}

static size_t real_text(double value, enum element element, char text[NUMBER_TEXT_MOST])
{
    if (isnan(value))
        return (size_t)snprintf(text, NUMBER_TEXT_MOST, "nan");
    if (isinf(value))
        return (size_t)snprintf(text, NUMBER_TEXT_MOST, value < 0 ? "-inf" : "inf");
    shortest(value, element, text);
    const char *mark = strchr(text, 'e');
    const int exponent = atoi(mark + 1);
    const int digits = (int)(mark - text) - (value < 0 || signbit(value) ? 1 : 0);
    const int decimals = digits > 2 ? digits - 2 : 0; // after the point
    if (value != 0 && (exponent < -4 || exponent >= 16))
        return strlen(text);
    const int after = decimals - exponent;
    return (size_t)snprintf(text, NUMBER_TEXT_MOST, "%.*f", after > 1 ? after : 1,
                            strtod(text, NULL));
}

size_t number_text(enum element element, const void *data, char text[NUMBER_TEXT_MOST])
{
    double real;
    int64_t integer;
    if (element_is_float(element)) {
        convert_row(element, data, ELEMENT_F64, &real, 1, true);
        return real_text(real, element, text);
    }
    convert_row(element, data, ELEMENT_I64, &integer, 1, true);
    if (element == ELEMENT_BOOL)
        return (size_t)snprintf(text, NUMBER_TEXT_MOST, integer != 0 ? "True" : "False");
    if (element == ELEMENT_U64)
        return (size_t)snprintf(text, NUMBER_TEXT_MOST, "%" PRIu64, (uint64_t)integer);
    return (size_t)snprintf(text, NUMBER_TEXT_MOST, "%" PRId64, integer);
}

static bool parse_real(struct view text, enum element element, void *out)
{
    double real;
    if (!view_to_double(text, &real))
        return false;
    if (element == ELEMENT_F32) {
        // Rounded once: not by way of a double. The text is known to be short.
        char copy[64];
        memcpy(copy, text.data, text.size);
        copy[text.size] = '\0';
        const float single = strtof(copy, NULL);
        memcpy(out, &single, sizeof single);
        return true;
    }
    convert_row(ELEMENT_F64, &real, element, out, 1, true);
    return true;
}

bool number_parse(struct view text, enum element element, void *out)
{
    text = view_trim(text);
    const int64_t truth = view_is_ignoring_case(text, "true") ? 1 : 0;
    if (element == ELEMENT_BOOL && (truth == 1 || view_is_ignoring_case(text, "false"))) {
        convert_row(ELEMENT_I64, &truth, element, out, 1, true);
        return true;
    }
    int64_t integer;
    uint64_t natural;
    if (!element_is_float(element) && view_to_i64(text, &integer))
        convert_row(ELEMENT_I64, &integer, element, out, 1, true);
    else if (!element_is_float(element) && view_to_u64(text, &natural))
        convert_row(ELEMENT_U64, &natural, element, out, 1, true);
    else
        return parse_real(text, element, out);
    return true;
}
