// Convolutions with the channels last, and what is fused with them, against plain loops.

#include "kernels/core/fused_convolution.h"
#include "kernels/core/panels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"

static struct convolution random_convolution(unsigned *seed)
{
    struct convolution c = {.spatial = 2, .batch = between(seed, 1, 2)};
    const bool depthwise = between(seed, 0, 2) == 0;
    c.groups = depthwise ? 16 * between(seed, 1, 3) : 1;
    c.inputs = depthwise ? 1 : between(seed, 1, 40);
    c.outputs = depthwise ? 1 : between(seed, 1, 200);
    for (int i = 0; i < 2; i++) {
        c.kernel[i] = between(seed, 1, 3);
        c.strides[i] = between(seed, 1, 2);
        c.dilations[i] = between(seed, 1, 2);
        const int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        c.pads[i] = between(seed, 0, reach - 1);
        c.input[i] = between(seed, reach, 40);
        c.output[i] = (c.input[i] + 2 * c.pads[i] - reach) / c.strides[i] + 1;
    }
    return c;
}

// With the strides of images whose channels are last, and of weights whose are not.
static struct convolution with_strides(const struct convolution *c)
{
    struct convolution last = *c, first = *c;
    convolution_channels_last(&last);
    convolution_channels_first(&first);
    memcpy(last.weight_strides, first.weight_strides, sizeof last.weight_strides);
    return last;
}

struct sizes {
    int64_t source, weights, channels, result;
};

static struct sizes sizes_of(const struct convolution *c)
{
    const int64_t channels = c->groups * c->outputs;
    return (struct sizes){c->batch * c->groups * c->inputs * c->input[0] * c->input[1],
                          channels * c->inputs * c->kernel[0] * c->kernel[1], channels,
                          c->batch * channels * c->output[0] * c->output[1]};
}

static void assert_all_close(const float *got, const float *want, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (fabsf(got[i] - want[i]) > 1e-3F + 1e-4F * fabsf(want[i]))
            fail_msg("element %lld is %g, not %g", (long long)i, (double)got[i], (double)want[i]);
    }
}

static void arrange(struct fused_convolution *fused, void *place, unsigned threads,
                    struct parallel *parallel)
{
    struct scratch_pool *rooms = scratch_pool_create(threads);
    scratch_pool_reserve(rooms, PANELS_PACK_ROOM);
    fused_convolution_arrange(fused, place, rooms, parallel);
    scratch_pool_free(rooms);
}

static void run(const struct fused_convolution_plan *plan, unsigned threads, const void *source,
                const void *const *others, void *result, bool *out_done)
{
    struct fused_convolution_plan own = *plan;
    own.weights_stay = threads > 1;
    struct fused_convolution *fused = fused_convolution_create(&own);
    *out_done = fused != NULL;
    if (fused == NULL)
        return; // this machine's library has nothing quick for it
    struct parallel *parallel = parallel_create(threads);
    struct scratch_pool *rooms = scratch_pool_create(threads);
    scratch_pool_reserve(rooms, fused_convolution_room(fused));
    void *weights = memory_take(fused_convolution_weights(fused) + 1);
    arrange(fused, weights, threads, parallel);
    assert_null(fused_convolution_run(fused, source, others, result, rooms, parallel));
    free(weights);
    scratch_pool_free(rooms);
    parallel_free(parallel);
    fused_convolution_free(fused);
}

static void convolutions_agree_with_loops(void **state)
{
    (void)state;
    unsigned seed = 1;
    int done_count = 0;
    for (int round = 0; round < 60; round++) {
        const struct convolution c = random_convolution(&seed);
        const struct sizes sizes = sizes_of(&c);
        const struct convolution plain = with_strides(&c);
        float *source = random_numbers(&seed, sizes.source);
        float *weights = random_numbers(&seed, sizes.weights);
        float *bias = random_numbers(&seed, sizes.channels);
        float *want = random_numbers(&seed, sizes.result);
        float *got[2] = {random_numbers(&seed, sizes.result), random_numbers(&seed, sizes.result)};
        struct blocks *blocks = blocks_create();
        const struct fused_convolution_plan plan = {
            .convolution = c, .weights = weights, .bias = bias, .blocks = blocks};
        bool done = false;
        for (unsigned i = 0; i < 2; i++)
            run(&plan, 1 + 2 * i, source, NULL, got[i], &done);
        if (done) {
            struct parallel *parallel = parallel_create(1);
            convolution_loops_f32(&plain, source, weights, bias, want, parallel);
            parallel_free(parallel);
            assert_all_close(got[0], want, sizes.result);
            assert_memory_equal(got[0], got[1], (size_t)sizes.result * sizeof **got);
            done_count++;
        }
        blocks_free(blocks);
        free(source);
        free(weights);
        free(bias);
        free(want);
        free(got[0]);
        free(got[1]);
    }
    assert_true(done_count > 10);
}

// Bytes are scaled to numbers, the result is scaled by channel, added to, clipped and made bytes.
static void what_is_fused_is_computed(void **state)
{
    (void)state;
    unsigned seed = 7;
    const struct convolution shapes[] = {
        {.spatial = 2,
         .batch = 1,
         .groups = 1,
         .inputs = 16,
         .outputs = 32,
         .input = {30, 20},
         .kernel = {3, 3},
         .output = {30, 20},
         .strides = {1, 1},
         .dilations = {1, 1},
         .pads = {1, 1}},
        // Many weights: cut by channels.
        {.spatial = 2,
         .batch = 1,
         .groups = 1,
         .inputs = 256,
         .outputs = 320,
         .input = {5, 5},
         .kernel = {3, 3},
         .output = {5, 5},
         .strides = {1, 1},
         .dilations = {1, 1},
         .pads = {1, 1}},
        // Each channel by itself.
        {.spatial = 2,
         .batch = 1,
         .groups = 72,
         .inputs = 1,
         .outputs = 1,
         .input = {28, 28},
         .kernel = {5, 5},
         .output = {14, 14},
         .strides = {2, 2},
         .dilations = {1, 1},
         .pads = {2, 2}},
    };
    for (size_t round = 0; round < 2 * sizeof shapes / sizeof *shapes; round++) {
        const struct convolution c = shapes[round / 2];
        const struct sizes sizes = sizes_of(&c);
        const struct convolution plain = with_strides(&c);
        int8_t *source = malloc((size_t)sizes.source);
        for (int64_t i = 0; i < sizes.source; i++)
            source[i] = (int8_t)between(&seed, -128, 127);
        float *weights = random_numbers(&seed, sizes.weights);
        for (int64_t i = 0; i < sizes.weights && round % 2 == 0; i++)
            weights[i] /= 1 + (float)(i % 7) / 10; // no longer whole numbers times a scale
        float *scales = random_numbers(&seed, sizes.channels);
        float *added = random_numbers(&seed, sizes.result);
        float *numbers = malloc((size_t)sizes.source * sizeof *numbers);
        float *want = malloc((size_t)sizes.result * sizeof *want);
        uint8_t *got = malloc((size_t)sizes.result);
        for (int64_t i = 0; i < sizes.source; i++)
            numbers[i] = ((float)source[i] - 3) * 0.01F;
        struct parallel *parallel = parallel_create(1);
        convolution_loops_f32(&plain, numbers, weights, NULL, want, parallel);
        parallel_free(parallel);

        struct chain before = {.result = ELEMENT_F32}, after = {.result = ELEMENT_U8};
        chain_add_input(&before, ELEMENT_I8, 0);
        chain_add_step(&before, (struct chain_step){.operation = CHAIN_READ});
        chain_add_step(&before, (struct chain_step){.operation = CHAIN_LINEAR, .a = 0.01F, .b = 3});
        chain_add_input(&after, ELEMENT_F32, 0);
        chain_add_input(&after, ELEMENT_F32, 0);
        chain_add_step(&after, (struct chain_step){.operation = CHAIN_READ, .left = 0});
        chain_add_step(&after, (struct chain_step){.operation = CHAIN_CLIP, .a = -1, .b = 9});
        chain_add_step(&after, (struct chain_step){.operation = CHAIN_READ, .left = 1});
        chain_add_step(&after, (struct chain_step){.operation = CHAIN_ADD, .left = 1, .right = 2});
        chain_add_step(&after, (struct chain_step){.operation = CHAIN_QUANTIZE,
                                                   .left = 3,
                                                   .a = 0.1F,
                                                   .b = 20,
                                                   .low = -20,
                                                   .high = 235});
        assert_true(chain_finish(&before) && chain_finish(&after));
        struct blocks *blocks = blocks_create();
        const struct fused_convolution_plan plan = {.convolution = c,
                                                    .weights = weights,
                                                    .scales = scales,
                                                    .before = &before,
                                                    .after = &after,
                                                    .blocks = blocks};
        bool done;
        run(&plan, 2, source, (const void *const[]){added}, got, &done);
        for (int64_t i = 0; done && i < sizes.result; i++) {
            const float scaled = want[i] * scales[i % sizes.channels];
            const float clipped = fminf(fmaxf(scaled, -1), 9) + added[i];
            const float quotient = fminf(fmaxf(clipped / 0.1F, -20), 235) + 20;
            assert_true(fabsf((float)got[i] - quotient) < 0.51F); // sums differ a little
        }
        blocks_free(blocks);
        free(source);
        free(weights);
        free(scales);
        free(added);
        free(numbers);
        free(want);
        free(got);
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct blocks *blocks = blocks_create();
    const float weights[9] = {0};
    struct fused_convolution_plan plan = {.convolution = {.spatial = 2,
                                                          .batch = 1,
                                                          .groups = 1,
                                                          .inputs = 1,
                                                          .outputs = 1,
                                                          .input = {8, 8},
                                                          .kernel = {3, 3},
                                                          .output = {6, 6},
                                                          .strides = {1, 1},
                                                          .dilations = {1, 1},
                                                          .pads = {3, 0}},
                                          .weights = weights,
                                          .blocks = blocks};
    assert_null(fused_convolution_create(&plan)); // a row would see padding alone
    plan.convolution.pads[0] = 0;
    plan.convolution.spatial = 3;
    assert_null(fused_convolution_create(&plan));
    plan.convolution.spatial = 2;
    plan.convolution.input[0] = 0;
    assert_null(fused_convolution_create(&plan));
    blocks_free(blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_agree_with_loops),
        cmocka_unit_test(what_is_fused_is_computed),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
