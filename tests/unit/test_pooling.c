// Poolings against windows walked place by place, for all types, paddings and dilations.

#include "kernels/core/pooling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_numbers.h"

static struct window random_window(unsigned *seed)
{
    struct window window = {.spatial = (uint32_t)between(seed, 1, 3)};
    for (uint32_t d = 0; d < window.spatial; d++) {
        window.kernel[d] = between(seed, 1, 4);
        window.stride[d] = between(seed, 1, 3);
        window.dilation[d] = between(seed, 1, 3);
        window.pad[d] = between(seed, 0, 2);
        window.pad_end[d] = between(seed, 0, 2);
        const int64_t reach = (window.kernel[d] - 1) * window.dilation[d] + 1;
        window.input[d] = reach + between(seed, 0, 6);
        const int64_t room = window.input[d] + window.pad[d] + window.pad_end[d] - reach;
        window.output[d] = room / window.stride[d] + 1;
    }
    return window;
}

static int64_t volume(const struct window *window, const int64_t *lengths)
{
    int64_t product = 1;
    for (uint32_t d = 0; d < window->spatial; d++)
        product *= lengths[d];
    return product;
}

static void place_at(const struct window *window, const int64_t *lengths, int64_t index,
                     int64_t *place)
{
    for (uint32_t d = window->spatial; d-- > 0;) {
        place[d] = index % lengths[d];
        index /= lengths[d];
    }
}

// What one output place sees.
struct seen {
    double largest;
    int64_t index;  // of the largest, last dimension fastest
    int64_t column; // the same, first dimension fastest
    double sum;
    double cubes;
    int64_t count;  // of elements
    int64_t padded; // with those of the padding
};

static struct seen look(const struct window *window, const double *plane, int64_t output)
{
    struct seen seen = {.largest = -INFINITY, .index = -1};
    int64_t place[WINDOW_SPATIAL_MOST], tap[WINDOW_SPATIAL_MOST];
    place_at(window, window->output, output, place);
    for (int64_t k = 0; k < volume(window, window->kernel); k++) {
        place_at(window, window->kernel, k, tap);
        bool inside = true, padded = true;
        int64_t index = 0, column = 0, step = 1;
        for (uint32_t d = 0; d < window->spatial; d++) {
            const int64_t at =
                place[d] * window->stride[d] - window->pad[d] + tap[d] * window->dilation[d];
            inside = inside && at >= 0 && at < window->input[d];
            padded = padded && at < window->input[d] + window->pad_end[d];
            index = index * window->input[d] + at;
            column += at * step;
            step *= window->input[d];
        }
        seen.padded += padded;
        if (!inside)
            continue;
        seen.count++;
        seen.sum += plane[index];
        seen.cubes += pow(fabs(plane[index]), 3);
        if (seen.index < 0 || plane[index] > seen.largest) {
            seen.largest = plane[index];
            seen.index = index;
            seen.column = column;
        }
    }
    return seen;
}

static const enum element ELEMENTS[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_I8, ELEMENT_U8};

static void store(enum element element, void *data, int64_t index, double number)
{
    if (element == ELEMENT_F32)
        ((float *)data)[index] = (float)number;
    else if (element == ELEMENT_F64)
        ((double *)data)[index] = number;
    else if (element == ELEMENT_I8)
        ((int8_t *)data)[index] = (int8_t)number;
    else
        ((uint8_t *)data)[index] = (uint8_t)number;
}

static double load(enum element element, const void *data, int64_t index)
{
    if (element == ELEMENT_F32)
        return (double)((const float *)data)[index];
    if (element == ELEMENT_F64)
        return ((const double *)data)[index];
    return element == ELEMENT_I8 ? ((const int8_t *)data)[index] : ((const uint8_t *)data)[index];
}

// Different numbers, so that there is one largest.
static double *random_planes(unsigned *seed, int64_t count, bool negative)
{
    double *numbers = malloc((size_t)count * sizeof *numbers);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = (double)between(seed, negative ? -120 : 0, 120);
    return numbers;
}

static void check_round(unsigned *seed, struct parallel *parallel)
{
    enum { PLANES = 3 };
    const enum element element = ELEMENTS[between(seed, 0, 3)];
    const struct window window = random_window(seed);
    const int64_t input = volume(&window, window.input);
    const int64_t output = volume(&window, window.output);
    double *planes = random_planes(seed, PLANES * input, element != ELEMENT_U8);
    void *source = malloc((size_t)(PLANES * input) * 8);
    void *result = malloc((size_t)(PLANES * output) * 8);
    int64_t *rows = malloc((size_t)(PLANES * output) * sizeof *rows);
    int64_t *columns = malloc((size_t)(PLANES * output) * sizeof *columns);
    for (int64_t i = 0; i < PLANES * input; i++)
        store(element, source, i, planes[i]);
    const struct pooling pooling = {window, PLANES, element, source, result};
    pooling_max(&pooling, columns, true, parallel);
    pooling_max(&pooling, rows, false, parallel);
    pooling_max(&pooling, NULL, false, parallel);
    for (int64_t i = 0; i < PLANES * output; i++) {
        const int64_t base = i / output * input;
        const struct seen seen = look(&window, planes + base, i % output);
        if (seen.count == 0)
            continue;
        assert_true(load(element, result, i) == seen.largest);
        assert_int_equal(rows[i], base + seen.index);
        assert_int_equal(columns[i], base + seen.column);
    }
    for (int kind = 0; kind < 3 && (element == ELEMENT_F32 || element == ELEMENT_F64); kind++) {
        if (kind < 2)
            pooling_average(&pooling, kind == 1, parallel);
        else
            pooling_norm(&pooling, 3, parallel);
        for (int64_t i = 0; i < PLANES * output; i++) {
            const struct seen seen = look(&window, planes + i / output * input, i % output);
            const double count = (double)(kind == 0 ? seen.count : seen.padded);
            const double wanted = kind == 2 ? cbrt(seen.cubes) : count > 0 ? seen.sum / count : 0;
            assert_true(fabs(load(element, result, i) - wanted) <= 1e-4 * (1 + fabs(wanted)));
        }
    }
    free(planes);
    free(source);
    free(result);
    free(rows);
    free(columns);
}

static void poolings_see_what_their_windows_cover(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 200; round++) {
        unsigned seed = round;
        check_round(&seed, parallel);
    }
    parallel_free(parallel);
}

static void whole_planes(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(2);
    enum { PLANES = 5, AREA = 37 };
    float source[PLANES * AREA], result[PLANES];
    for (int i = 0; i < PLANES * AREA; i++)
        source[i] = (float)(i % 11) - 7;
    const struct pooling pooling = {{0}, PLANES, ELEMENT_F32, source, result};
    for (int kind = 0; kind < 3; kind++) {
        if (kind == 0)
            pooling_global_max(&pooling, AREA, parallel);
        else if (kind == 1)
            pooling_global_average(&pooling, AREA, parallel);
        else
            pooling_global_norm(&pooling, AREA, 2, parallel);
        for (int plane = 0; plane < PLANES; plane++) {
            double largest = -INFINITY, sum = 0, squares = 0;
            for (int i = 0; i < AREA; i++) {
                const double number = (double)source[plane * AREA + i];
                largest = number > largest ? number : largest;
                sum += number;
                squares += number * number;
            }
            const double wanted = kind == 0 ? largest : kind == 1 ? sum / AREA : sqrt(squares);
            assert_true(fabs((double)result[plane] - wanted) < 1e-5);
        }
    }
    parallel_free(parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poolings_see_what_their_windows_cover),
        cmocka_unit_test(whole_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
