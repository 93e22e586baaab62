// Convolutions by panels against plain loops, whole and cut into rows and channels.

#include "kernels/core/panel_convolution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/core/isa.h"
#include "kernels/core/panels.h"
#include "convolution_rows.h"
#include "random_numbers.h"

static struct convolution random_convolution(unsigned *seed)
{
    struct convolution c = {
        .spatial = 2,
        .batch = 1,
        .groups = 1,
        .inputs = between(seed, 1, 20),
        .outputs = between(seed, 1, 40),
        .dilations = {between(seed, 1, 2), 1},
    };
    for (int d = 0; d < 2; d++) {
        c.kernel[d] = between(seed, 1, 4);
        c.strides[d] = between(seed, 1, 3);
        c.pads[d] = between(seed, 0, c.kernel[d] - 1);
        const int64_t reach = (c.kernel[d] - 1) * c.dilations[d] + 1;
        c.input[d] = reach + between(seed, 0, d == 1 && between(seed, 0, 2) == 0 ? 80 : 12);
        // Some padding after, or some pixels that no window sees.
        c.output[d] = (c.input[d] + c.pads[d] + between(seed, 0, 1) - reach) / c.strides[d] + 1;
    }
    convolution_channels_last(&c);
    // Weights lie with the channels outside.
    struct convolution first = c;
    convolution_channels_first(&first);
    memcpy(c.weight_strides, first.weight_strides, sizeof c.weight_strides);
    return c;
}

// A copy of the weights, those of each filter multiplied.
static float *scale(const struct convolution *c, const float *weights, const float *scales)
{
    const int64_t each = c->inputs * c->kernel[0] * c->kernel[1];
    float *scaled = malloc((size_t)(c->outputs * each) * sizeof *scaled);
    assert_non_null(scaled);
    for (int64_t i = 0; i < c->outputs * each; i++)
        scaled[i] = weights[i] * (scales != NULL ? scales[i / each] : 1);
    return scaled;
}

// Rows [from, to) of the output as a caller cuts them.
static void run_rows(const struct convolution *c, const struct panel_convolution *own,
                     const float *source, int64_t from, int64_t to, float *made)
{
    int64_t first;
    const struct panel_convolution_rows rows = rows_of(c, from, to, &first);
    void *room = malloc(panel_convolution_room(own, &rows) + 1);
    assert_non_null(room);
    panel_convolution_run(own, &rows, source + first * c->input[1] * c->inputs, room,
                          made + from * c->output[1] * c->outputs, (uint64_t)c->outputs);
    free(room);
}

// Of weights that do not stay in the cache.
static struct convolution large_convolution(unsigned *seed)
{
    struct convolution c = random_convolution(seed);
    for (int d = 0; d < 2; d++) {
        c.kernel[d] = between(seed, 2, 3);
        c.strides[d] = between(seed, 1, 2);
        c.pads[d] = between(seed, 0, 1);
        c.dilations[d] = 1;
        c.input[d] = between(seed, 3, 9);
        c.output[d] = (c.input[d] + 2 * c.pads[d] - c.kernel[d]) / c.strides[d] + 1;
    }
    c.inputs = between(seed, 300, 800);
    c.outputs = between(seed, 50, 70);
    convolution_channels_first(&c);
    const struct convolution first = c;
    convolution_channels_last(&c);
    memcpy(c.weight_strides, first.weight_strides, sizeof c.weight_strides);
    return c;
}

static void check(unsigned seed, bool large)
{
    const struct convolution c = large ? large_convolution(&seed) : random_convolution(&seed);
    const int64_t count = c.output[0] * c.output[1] * c.outputs;
    float *source = random_reals(&seed, c.input[0] * c.input[1] * c.inputs);
    float *weights = random_reals(&seed, c.outputs * c.inputs * c.kernel[0] * c.kernel[1]);
    float *bias = random_reals(&seed, c.outputs);
    float *want = random_reals(&seed, count), *made = random_reals(&seed, count);
    struct parallel *parallel = parallel_create(1);
    struct blocks *blocks = blocks_create();
    float *scales = seed % 3 == 0 ? random_reals(&seed, c.outputs) : NULL;
    float *scaled = scale(&c, weights, scales);
    convolution_loops_f32(&c, source, scaled, bias, want, parallel);
    const bool clips = seed % 2 == 0;
    const int64_t rows = between(&seed, 1, c.output[0]), channels = between(&seed, 1, c.outputs);
    for (int64_t from = 0; from < c.outputs; from += channels) {
        struct panel_convolution *own = panel_convolution_create(&(struct panel_convolution_plan){
            .convolution = &c,
            .from = from,
            .to = from + channels < c.outputs ? from + channels : c.outputs,
            .weights = weights,
            .scales = scales,
            .bias = bias,
            .blocks = blocks,
            .clips = clips,
            .lowest = -1,
            .highest = 2});
        assert_non_null(own);
        for (int64_t row = 0; row < c.output[0]; row += rows)
            run_rows(&c, own, source, row, row + rows < c.output[0] ? row + rows : c.output[0],
                     made + from);
        panel_convolution_free(own);
    }
    for (int64_t i = 0; i < count; i++) {
        const float clipped = fminf(fmaxf(want[i], -1), 2);
        assert_true(fabsf(made[i] - (clips ? clipped : want[i])) < (large ? 1e-2f : 1e-3f));
    }
    parallel_free(parallel);
    blocks_free(blocks);
    free(scales);
    free(scaled);
    free(source);
    free(weights);
    free(bias);
    free(want);
    free(made);
}

static void convolutions_agree_with_plain_loops(void **state)
{
    (void)state;
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        for (unsigned seed = 1; seed <= 300; seed++)
            check(seed, seed % 50 == 0);
    }
}

static void what_is_not_for_panels_is_said(void **state)
{
    (void)state;
    unsigned seed = 3;
    struct convolution c = random_convolution(&seed);
    assert_true(panel_convolution_suits(&c) == panels_are_fast());
    c.groups = 2;
    assert_false(panel_convolution_suits(&c));
    c.groups = 1;
    c.kernel[1] = 3;
    c.dilations[1] = 2;
    assert_false(panel_convolution_suits(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_agree_with_plain_loops),
        cmocka_unit_test(what_is_not_for_panels_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
