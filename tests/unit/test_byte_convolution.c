// Convolutions of scaled bytes against sums in 64 bits: bit by bit, with all vectors that this
// machine has, however they are cut.

#include "kernels/core/byte_convolution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/core/byte_panels.h"
#include "kernels/core/isa.h"
#include "random_numbers.h"

static struct convolution random_convolution(unsigned *seed)
{
    struct convolution c = {
        .spatial = 2,
        .batch = between(seed, 1, 2),
        .groups = 1,
        .inputs = between(seed, 1, 40),
        .outputs = between(seed, 1, 70),
        .dilations = {between(seed, 1, 2), 1},
    };
    for (int d = 0; d < 2; d++) {
        c.kernel[d] = between(seed, 1, 4);
        c.strides[d] = between(seed, 1, 3);
        c.pads[d] = between(seed, 0, c.kernel[d] - 1);
        const int64_t reach = (c.kernel[d] - 1) * c.dilations[d] + 1;
        c.input[d] = reach + between(seed, 0, d == 1 && between(seed, 0, 2) == 0 ? 80 : 12);
        c.output[d] = (c.input[d] + 2 * c.pads[d] - reach) / c.strides[d] + 1;
    }
    return c;
}

// What a test computes with.
struct numbers {
    uint8_t *image; // or i8
    int8_t *bytes;
    float *weights, *scales, *bias;
    bool is_signed;
    int zero;
};

static int64_t image_count(const struct convolution *c)
{
    return c->batch * c->input[0] * c->input[1] * c->inputs;
}

static int64_t weights_each(const struct convolution *c)
{
    return c->inputs * c->kernel[0] * c->kernel[1];
}

static int64_t result_count(const struct convolution *c)
{
    return c->batch * c->output[0] * c->output[1] * c->outputs;
}

static void *room(int64_t count, size_t size)
{
    void *found = malloc((size_t)count * size);
    assert_non_null(found);
    return found;
}

static struct numbers random_bytes(const struct convolution *c, unsigned *seed)
{
    const int64_t each = weights_each(c), count = image_count(c);
    struct numbers n = {
        .image = room(count, 1),
        .bytes = room(c->outputs * each, 1),
        .weights = room(c->outputs * each, sizeof(float)),
        .scales = room(c->outputs, sizeof(float)),
        .bias = random_numbers(seed, c->outputs),
        .is_signed = between(seed, 0, 1) == 1,
    };
    n.zero = (int)(n.is_signed ? between(seed, -128, 127) : between(seed, 0, 255));
    // Largest magnitudes among others: sums of two products that 16 bits do not hold.
    for (int64_t i = 0; i < count; i++)
        n.image[i] = (uint8_t)(between(seed, 0, 2) == 0 ? 255 : between(seed, 0, 255));
    for (int64_t i = 0; i < c->outputs; i++) {
        n.scales[i] = (float)between(seed, 1, 1 << 20) / 3e9F;
        for (int64_t k = i * each; k < (i + 1) * each; k++) {
            // The whole range is there, so that the scale is the one that is found.
            n.bytes[k] = (int8_t)(k == i * each ? -128 : between(seed, -127, 127));
            n.weights[k] = (float)n.bytes[k] * n.scales[i];
        }
    }
    return n;
}

static void free_numbers(struct numbers *n)
{
    free(n->image);
    free(n->bytes);
    free(n->weights);
    free(n->scales);
    free(n->bias);
}

static int64_t sum_at(const struct convolution *c, const struct numbers *n, int64_t batch,
                      const int64_t at[2], int64_t filter)
{
    int64_t sum = 0;
    for (int64_t ky = 0; ky < c->kernel[0]; ky++) {
        for (int64_t kx = 0; kx < c->kernel[1]; kx++) {
            const int64_t y = at[0] * c->strides[0] - c->pads[0] + ky * c->dilations[0];
            const int64_t x = at[1] * c->strides[1] - c->pads[1] + kx * c->dilations[1];
            if (y < 0 || y >= c->input[0] || x < 0 || x >= c->input[1])
                continue;
            const uint8_t *pixel =
                n->image + ((batch * c->input[0] + y) * c->input[1] + x) * c->inputs;
            const int8_t *weights = n->bytes + filter * weights_each(c) + ky * c->kernel[1] + kx;
            for (int64_t i = 0; i < c->inputs; i++) {
                const int number = n->is_signed ? (int8_t)pixel[i] : pixel[i];
                sum += (number - n->zero) * weights[i * c->kernel[0] * c->kernel[1]];
            }
        }
    }
    return sum;
}

static void compute(const struct convolution *c, const struct numbers *n, float scale, float *want)
{
    for (int64_t i = 0; i < result_count(c); i++) {
        const int64_t pixel = i / c->outputs, filter = i % c->outputs;
        const int64_t at[2] = {pixel / c->output[1] % c->output[0], pixel % c->output[1]};
        const int64_t sum = sum_at(c, n, pixel / c->output[1] / c->output[0], at, filter);
        const float factor = (float)((double)scale * (double)n->scales[filter]);
        want[i] = (float)sum * factor + n->bias[filter];
    }
}

static void run(const struct fused_convolution_plan *plan, const void *image, unsigned threads,
                float *got)
{
    struct fused_convolution *fused = fused_convolution_create(plan);
    assert_non_null(fused);
    struct parallel *parallel = parallel_create(threads);
    struct scratch_pool *rooms = scratch_pool_create(threads);
    scratch_pool_reserve(rooms, fused_convolution_room(fused));
    assert_null(fused_convolution_run(fused, image, NULL, got, rooms, parallel));
    scratch_pool_free(rooms);
    parallel_free(parallel);
    fused_convolution_free(fused);
}

static void check(unsigned seed)
{
    const struct convolution c = random_convolution(&seed);
    struct numbers n = random_bytes(&c, &seed);
    const float scale = 0.0123F;
    float *want = room(result_count(&c), sizeof *want), *got = room(result_count(&c), sizeof *got);
    compute(&c, &n, scale, want);
    struct chain before = {.result = ELEMENT_F32};
    chain_add_input(&before, n.is_signed ? ELEMENT_I8 : ELEMENT_U8, 0);
    chain_add_step(&before, (struct chain_step){.operation = CHAIN_READ});
    chain_add_step(&before,
                   (struct chain_step){.operation = CHAIN_LINEAR, .a = scale, .b = (float)n.zero});
    assert_true(chain_finish(&before));
    struct blocks *blocks = blocks_create();
    const struct fused_convolution_plan plan = {.convolution = c,
                                                .weights = n.weights,
                                                .bias = n.bias,
                                                .before = &before,
                                                .blocks = blocks};
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        struct byte_convolution bytes = byte_convolution_find(&plan);
        assert_non_null(bytes.weights);
        byte_convolution_free(&bytes);
        memset(got, 0x7f, (size_t)result_count(&c) * sizeof *got);
        run(&plan, n.image, 1 + isa % 2, got);
        assert_memory_equal(got, want, (size_t)result_count(&c) * sizeof *got);
    }
    blocks_free(blocks);
    free(want);
    free(got);
    free_numbers(&n);
}

static void sums_are_exact_on_every_machine(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 150; seed++)
        check(seed);
}

static void what_is_not_of_bytes_is_said(void **state)
{
    (void)state;
    unsigned seed = 5;
    const struct convolution c = random_convolution(&seed);
    struct numbers n = random_bytes(&c, &seed);
    struct chain before = {.result = ELEMENT_F32};
    chain_add_input(&before, ELEMENT_U8, 0);
    chain_add_step(&before, (struct chain_step){.operation = CHAIN_READ});
    chain_add_step(&before, (struct chain_step){.operation = CHAIN_LINEAR, .a = 1});
    struct fused_convolution_plan plan = {
        .convolution = c, .weights = n.weights, .before = &before};
    struct byte_convolution bytes = byte_convolution_find(&plan);
    assert_non_null(bytes.weights);
    byte_convolution_free(&bytes);

    n.weights[0] *= 1.0000002F;
    n.weights[weights_each(&c) / 2] += 1e-3F;
    assert_null(byte_convolution_find(&plan).weights);
    n.weights[0] = INFINITY;
    assert_null(byte_convolution_find(&plan).weights);
    before.steps[1].operation = CHAIN_SQRT;
    assert_null(byte_convolution_find(&plan).weights);
    before.steps[1].operation = CHAIN_LINEAR;
    before.inputs[0].element = ELEMENT_F32;
    assert_null(byte_convolution_find(&plan).weights);
    plan.before = NULL;
    assert_null(byte_convolution_find(&plan).weights);
    plan.before = &before;
    before.inputs[0].element = ELEMENT_U8;
    plan.convolution.inputs = BYTE_PANELS_DEPTH_MOST + 1; // whose sums might not fit 32 bits
    assert_null(byte_convolution_find(&plan).weights);
    free_numbers(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_on_every_machine),
        cmocka_unit_test(what_is_not_of_bytes_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
