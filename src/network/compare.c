#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// The reals of an element: complex numbers have two.
static unsigned compare_parts_of(enum element element)
{
    return element == ELEMENT_C64 || element == ELEMENT_C128 ? 2 : 1;
}

static enum element part_element(enum element element)
{
    return element == ELEMENT_C64 ? ELEMENT_F32 : element == ELEMENT_C128 ? ELEMENT_F64 : element;
}

__attribute__((format(printf, 2, 3))) static void compare_differ(struct comparison *comparison,
                                                                 const char *format, ...)
{
    if (!comparison->different) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(comparison->reason, sizeof comparison->reason, format, arguments);
        va_end(arguments);
    }
    comparison->different = true;
}

// Differences of one tensor, before they become a sentence.
struct tally {
    uint64_t different;
    uint64_t first; // element
    double max_abs;
    double max_rel;
};

static void count_difference(struct tally *tally, uint64_t index)
{
    if (tally->different++ == 0)
        tally->first = index;
}

static void compare_real(struct tally *tally, uint64_t index, double got, double want,
                         const struct compare_tolerance *tolerance)
{
    if (isnan(got) || isnan(want)) {
        if (isnan(got) != isnan(want))
            count_difference(tally, index);
        return;
    }
    if (isinf(got) || isinf(want)) {
        if (got != want)
            count_difference(tally, index);
        return;
    }
    const double distance = fabs(got - want);
    tally->max_abs = fmax(tally->max_abs, distance);
    if (want != 0)
        tally->max_rel = fmax(tally->max_rel, distance / fabs(want));
    if (distance > tolerance->atol + tolerance->rtol * fabs(want))
        count_difference(tally, index);
}

// Integers are compared as such: a double does not hold all of 64 bits.
static void compare_integer(struct tally *tally, uint64_t index, enum element element, int64_t got,
                            int64_t want)
{
    if (got == want)
        return;
    const bool wide = element == ELEMENT_U64;
    const double a = wide ? (double)(uint64_t)got : (double)got;
    const double b = wide ? (double)(uint64_t)want : (double)want;
    tally->max_abs = fmax(tally->max_abs, fabs(a - b));
    if (b != 0)
        tally->max_rel = fmax(tally->max_rel, fabs(a - b) / fabs(b));
    count_difference(tally, index);
}

// The tolerance with what depends on the whole tensor.
static struct compare_tolerance tolerance_for(const struct constant *want, uint64_t count,
                                              const struct compare_tolerance *tolerance)
{
    struct compare_tolerance own = *tolerance;
    double largest = 0;
    for (uint64_t i = 0; tolerance->of_largest > 0 && i < count; i++) {
        const double magnitude = fabs(constant_real(want, i));
        if (isfinite(magnitude))
            largest = fmax(largest, magnitude);
    }
    own.atol += tolerance->of_largest * largest;
    return own;
}

static struct tally compare_numbers(const struct tensor *got, const struct tensor *want,
                                    const struct compare_tolerance *tolerance)
{
    struct tally tally = {0};
    const unsigned parts = compare_parts_of(got->element);
    struct constant left = {.tensor = *got};
    struct constant right = {.tensor = *want};
    left.tensor.element = right.tensor.element = part_element(got->element);
    const bool exact = !element_is_float(left.tensor.element);
    const uint64_t count = tensor_count(got) * parts;
    const struct compare_tolerance own =
        exact ? *tolerance : tolerance_for(&right, count, tolerance);
    for (uint64_t i = 0; i < count; i++) {
        if (exact)
            compare_integer(&tally, i / parts, got->element, constant_integer(&left, i),
                            constant_integer(&right, i));
        else
            compare_real(&tally, i / parts, constant_real(&left, i), constant_real(&right, i),
                         &own);
    }
    return tally;
}

static struct tally compare_texts(const struct tensor *got, const struct tensor *want)
{
    struct tally tally = {0};
    const struct view *left = got->data;
    const struct view *right = want->data;
    const uint64_t count = tensor_count(got);
    for (uint64_t i = 0; i < count; i++) {
        if (!view_equal(left[i], right[i]))
            count_difference(&tally, i);
    }
    return tally;
}

// "[0,3]" of element `index`; "" of a scalar.
static void place_text(const struct shape *shape, uint64_t index, char *text, size_t size)
{
    int64_t at[SHAPE_RANK_MOST];
    for (uint32_t i = shape->rank; i-- > 0;) {
        at[i] = (int64_t)(index % (uint64_t)shape->dims[i]);
        index /= (uint64_t)shape->dims[i];
    }
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < shape->rank && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRId64, i == 0 ? " [" : ",", at[i]);
    if (shape->rank > 0 && used < size)
        snprintf(text + used, size - used, "]");
}

static void element_text(const struct tensor *tensor, uint64_t index, char *text, size_t size)
{
    if (tensor->element == ELEMENT_TEXT) {
        const struct view item = ((const struct view *)tensor->data)[index];
        snprintf(text, size, "'%.*s'", (int)(item.size < 40 ? item.size : 40),
                 item.size > 0 ? item.data : "");
        return;
    }
    struct constant constant = {.tensor = *tensor};
    constant.tensor.element = part_element(tensor->element);
    if (compare_parts_of(tensor->element) == 2)
        snprintf(text, size, "%.9g%+.9gi", constant_real(&constant, 2 * index),
                 constant_real(&constant, 2 * index + 1));
    else if (element_is_float(tensor->element))
        snprintf(text, size, "%.9g", constant_real(&constant, index));
    else if (tensor->element == ELEMENT_U64)
        snprintf(text, size, "%" PRIu64, (uint64_t)constant_integer(&constant, index));
    else
        snprintf(text, size, "%" PRId64, constant_integer(&constant, index));
}

static void compare_tensors(const struct tensor *got, const struct tensor *want,
                            const struct compare_tolerance *tolerance,
                            struct comparison *comparison)
{
    char left[SHAPE_TEXT_MOST];
    char right[SHAPE_TEXT_MOST];
    if (got->element != want->element) {
        compare_differ(comparison, "elements are %s instead of %s", element_name(got->element),
                       element_name(want->element));
        return;
    }
    if (!shape_equal(&got->shape, &want->shape)) {
        compare_differ(comparison, "shape is [%s] instead of [%s]", shape_text(&got->shape, left),
                       shape_text(&want->shape, right));
        return;
    }
    const struct tally tally = got->element == ELEMENT_TEXT ? compare_texts(got, want)
                                                            : compare_numbers(got, want, tolerance);
    comparison->max_abs = fmax(comparison->max_abs, tally.max_abs);
    comparison->max_rel = fmax(comparison->max_rel, tally.max_rel);
    if (tally.different == 0)
        return;
    place_text(&got->shape, tally.first, right, sizeof right);
    char one[64];
    char other[64];
    element_text(got, tally.first, one, sizeof one);
    element_text(want, tally.first, other, sizeof other);
    compare_differ(comparison,
                   "%" PRIu64 " of %" PRIu64 " elements differ, the first%s: %s instead of %s",
                   tally.different, tensor_count(got), right, one, other);
}

static const char *kind_text(const struct datum *datum)
{
    static const char *const names[] = {"nothing", "a tensor", "a sequence"};
    return names[datum->kind];
}

void compare_data(const struct datum *got, const struct datum *want,
                  const struct compare_tolerance *tolerance, struct comparison *comparison)
{
    if (got->kind != want->kind) {
        compare_differ(comparison, "%s instead of %s", kind_text(got), kind_text(want));
        return;
    }
    if (got->kind == DATUM_TENSOR) {
        compare_tensors(&got->tensor, &want->tensor, tolerance, comparison);
        return;
    }
    if (got->count != want->count) {
        compare_differ(comparison, "%zu items instead of %zu", got->count, want->count);
        return;
    }
    for (size_t i = 0; i < got->count; i++)
        compare_data(got->items[i], want->items[i], tolerance, comparison);
}
