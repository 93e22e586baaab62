// Convolutions of each channel by itself against plain loops, bit by bit: whole and cut into rows,
// with each length of vectors that this machine has.

#include "kernels/core/depthwise_convolution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/core/isa.h"
#include "convolution_rows.h"
#include "random_numbers.h"

static struct convolution random_convolution(unsigned *seed)
{
    struct convolution c = {
        .spatial = 2, .batch = 1, .groups = between(seed, 16, 50), .inputs = 1, .outputs = 1};
    for (int d = 0; d < 2; d++) {
        c.kernel[d] = between(seed, 1, 9);
        c.strides[d] = between(seed, 1, 3);
        c.dilations[d] = between(seed, 1, 4) == 1 ? 2 : 1;
        const int64_t reach = (c.kernel[d] - 1) * c.dilations[d] + 1;
        c.pads[d] = between(seed, 0, reach - 1);
        c.input[d] = between(seed, 1, 24);
        // Padding after, or pixels that no window sees.
        const int64_t after = between(seed, 0, reach - 1);
        const int64_t room = c.input[d] + c.pads[d] + after - reach;
        c.output[d] = room < 0 ? 0 : room / c.strides[d] + 1;
    }
    return c;
}

static float expected_at(const struct convolution *c, const float *source, const float *weights,
                         const int64_t at[2], int64_t channel, float sum)
{
    for (int64_t y = 0; y < c->kernel[0]; y++) {
        for (int64_t x = 0; x < c->kernel[1]; x++) {
            const int64_t row = at[0] * c->strides[0] - c->pads[0] + y * c->dilations[0];
            const int64_t column = at[1] * c->strides[1] - c->pads[1] + x * c->dilations[1];
            if (row < 0 || row >= c->input[0] || column < 0 || column >= c->input[1])
                continue;
            const float weight = weights[(channel * c->kernel[0] + y) * c->kernel[1] + x];
            sum = fmaf(source[(row * c->input[1] + column) * c->groups + channel], weight, sum);
        }
    }
    return sum;
}

// Rows [from, to) of the output as a caller cuts them.
static void run_rows(const struct convolution *c, const struct depthwise_convolution *own,
                     const float *source, int64_t from, int64_t to, void *made, size_t size)
{
    int64_t first;
    const struct panel_convolution_rows rows = rows_of(c, from, to, &first);
    if (rows.in <= 0)
        return;
    void *room = malloc(depthwise_convolution_room(own) + 1);
    depthwise_convolution_run(own, &rows, source + first * c->input[1] * c->groups, room,
                              (char *)made + (size_t)(from * c->output[1] * c->groups) * size);
    free(room);
}

static void check(unsigned seed)
{
    const struct convolution c = random_convolution(&seed);
    const int64_t count = c.output[0] * c.output[1] * c.groups;
    if (!depthwise_convolution_suits(&c) || count == 0)
        return;
    float *source = random_reals(&seed, c.input[0] * c.input[1] * c.groups);
    float *weights = random_reals(&seed, c.groups * c.kernel[0] * c.kernel[1]);
    float *bias = random_reals(&seed, c.groups);
    float *made = random_reals(&seed, count);
    const bool clips = seed % 2 == 0, makes_bytes = seed % 3 == 0;
    const struct byte_result to_bytes = {.scale = 0.037F, .low = -90, .high = 165, .zero = 90};
    struct blocks *blocks = blocks_create();
    struct depthwise_convolution *own = depthwise_convolution_create(
        &(struct depthwise_convolution_plan){.convolution = &c,
                                             .weights = weights,
                                             .bias = bias,
                                             .blocks = blocks,
                                             .clips = clips,
                                             .lowest = -1,
                                             .highest = 2,
                                             .to_bytes = makes_bytes ? &to_bytes : NULL});
    assert_non_null(own);
    const int64_t rows = between(&seed, 1, c.output[0]);
    for (int64_t from = 0; from < c.output[0]; from += rows)
        run_rows(&c, own, source, from, from + rows < c.output[0] ? from + rows : c.output[0], made,
                 makes_bytes ? 1 : sizeof(float));
    for (int64_t i = 0; i < count; i++) {
        const int64_t pixel = i / c.groups;
        const int64_t at[2] = {pixel / c.output[1], pixel % c.output[1]};
        const int64_t start = at[0] / rows * rows * c.strides[0] - c.pads[0];
        if (start >= c.input[0])
            continue; // a piece that sees nothing is not run
        float want = expected_at(&c, source, weights, at, i % c.groups, bias[i % c.groups]);
        if (clips)
            want = want < -1 ? -1 : want > 2 ? 2 : want;
        if (makes_bytes) {
            uint8_t byte;
            byte_results_put(&to_bytes, &want, 1, &byte);
            assert_int_equal(((const uint8_t *)made)[i], byte);
            continue;
        }
        if (memcmp(&made[i], &want, sizeof want) != 0 && (made[i] != 0 || want != 0))
            fail_msg("%g, not %g, at %lld", (double)made[i], (double)want, (long long)i);
    }
    depthwise_convolution_free(own);
    blocks_free(blocks);
    free(source);
    free(weights);
    free(bias);
    free(made);
}

static void results_are_those_of_plain_loops(void **state)
{
    (void)state;
    const enum isa isas[] = {ISA_AVX2, ISA_AVX512};
    for (unsigned seed = 0; seed < 400; seed++) {
        isa_limit(isas[seed % 2]);
        check(seed);
    }
    isa_limit(ISA_VNNI);
}

static void what_is_not_quick_is_refused(void **state)
{
    (void)state;
    struct convolution c = {.spatial = 2,
                            .batch = 1,
                            .groups = 32,
                            .inputs = 1,
                            .outputs = 1,
                            .kernel = {3, 3},
                            .strides = {1, 1},
                            .dilations = {1, 1},
                            .input = {8, 8},
                            .output = {6, 6}};
    isa_limit(ISA_SSE4);
    assert_false(depthwise_convolution_suits(&c));
    isa_limit(ISA_VNNI);
    c.outputs = 2;
    assert_false(depthwise_convolution_suits(&c));
    c.outputs = 1;
    c.kernel[0] = 100;
    assert_false(depthwise_convolution_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_plain_loops),
        cmocka_unit_test(what_is_not_quick_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
