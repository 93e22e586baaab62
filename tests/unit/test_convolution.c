// Convolutions and products of matrices against sums written out, with one thread
// and with several.

#include "kernels/core/convolution.h"
#include "kernels/core/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"

static int64_t product_of(uint64_t count, const int64_t *lengths)
{
    int64_t product = 1;
    for (uint64_t i = 0; i < count; i++)
        product *= lengths[i];
    return product;
}

// Where `place` of a tensor with these strides lies; batch and channel come first.
static int64_t offset_of(const struct convolution *c, const int64_t *strides, int64_t first,
                         int64_t second, const int64_t *place)
{
    int64_t offset = first * strides[0] + second * strides[1];
    for (uint64_t i = 0; i < c->spatial; i++)
        offset += place[i] * strides[2 + i];
    return offset;
}

static void place_at(uint64_t count, const int64_t *lengths, int64_t index, int64_t *place)
{
    for (uint64_t i = count; i-- > 0;) {
        place[i] = index % lengths[i];
        index /= lengths[i];
    }
}

static double expected_at(const struct convolution *c, const float *source, const float *weights,
                          int64_t batch, int64_t channel, const int64_t *place)
{
    double sum = 0;
    const int64_t group = channel / c->outputs;
    for (int64_t input = 0; input < c->inputs; input++) {
        for (int64_t k = 0; k < product_of(c->spatial, c->kernel); k++) {
            int64_t tap[CONVOLUTION_SPATIAL_MOST], at[CONVOLUTION_SPATIAL_MOST];
            place_at(c->spatial, c->kernel, k, tap);
            bool inside = true;
            for (uint64_t i = 0; i < c->spatial; i++) {
                at[i] = place[i] * c->strides[i] - c->pads[i] + tap[i] * c->dilations[i];
                inside = inside && at[i] >= 0 && at[i] < c->input[i];
            }
            if (!inside)
                continue;
            const float x =
                source[offset_of(c, c->source_strides, batch, group * c->inputs + input, at)];
            sum +=
                (double)x * (double)weights[offset_of(c, c->weight_strides, channel, input, tap)];
        }
    }
    return sum;
}

static void assert_convolved(const struct convolution *c, const float *source, const float *weights,
                             const float *bias, const float *result)
{
    const int64_t positions = product_of(c->spatial, c->output);
    // Large results are only sampled.
    const int64_t step = positions > 500 ? 37 : 1;
    for (int64_t batch = 0; batch < c->batch; batch++) {
        for (int64_t channel = 0; channel < c->groups * c->outputs; channel++) {
            for (int64_t i = (batch + channel) % step; i < positions; i += step) {
                int64_t place[CONVOLUTION_SPATIAL_MOST];
                place_at(c->spatial, c->output, i, place);
                const double wanted = expected_at(c, source, weights, batch, channel, place) +
                                      (bias != NULL ? (double)bias[channel] : 0);
                const float got = result[offset_of(c, c->result_strides, batch, channel, place)];
                if (fabs((double)got - wanted) > 1e-4 + 1e-5 * fabs(wanted))
                    fail_msg("batch %ld channel %ld place %ld: %g instead of %g", (long)batch,
                             (long)channel, (long)i, (double)got, wanted);
            }
        }
    }
}

static struct convolution random_convolution(unsigned *seed, uint64_t spatial, bool large)
{
    struct convolution c = {.spatial = spatial};
    c.batch = between(seed, 1, 3);
    c.groups = between(seed, 0, 2) == 0 ? between(seed, 1, 20) : 1;
    c.inputs = between(seed, 1, large && c.groups == 1 ? 40 : 9);
    c.outputs = between(seed, 1, large && c.groups == 1 ? 70 : 5);
    if (c.groups > 4)
        c.inputs = c.outputs = 1;
    for (uint64_t i = 0; i < spatial; i++) {
        c.kernel[i] = between(seed, 1, 4);
        c.strides[i] = between(seed, 1, 3);
        c.dilations[i] = between(seed, 1, 2);
        c.pads[i] = between(seed, 0, 3);
        const int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        const int64_t after = between(seed, 0, 3);
        c.input[i] = between(seed, 1, large ? (spatial < 3 ? 40 : 12) : 9);
        if (c.input[i] + c.pads[i] + after < reach)
            c.input[i] = reach;
        c.output[i] = (c.input[i] + c.pads[i] + after - reach) / c.strides[i] + 1;
    }
    if (between(seed, 0, 1) == 0)
        convolution_channels_first(&c);
    else
        convolution_channels_last(&c);
    return c;
}

static void check_convolution(const struct convolution *c, unsigned *seed,
                              struct parallel *const *pools, size_t pool_count)
{
    const int64_t outputs = c->groups * c->outputs;
    const int64_t size = c->batch * outputs * product_of(c->spatial, c->output);
    float *source =
        random_numbers(seed, c->batch * c->groups * c->inputs * product_of(c->spatial, c->input));
    float *weights = random_numbers(seed, outputs * c->inputs * product_of(c->spatial, c->kernel));
    float *bias = random_numbers(seed, outputs);
    float *first = calloc((size_t)size, sizeof *first);
    float *other = calloc((size_t)size, sizeof *other);
    const bool with_bias = between(seed, 0, 1) == 0;
    struct convolution_operands operands = {source, weights, with_bias ? bias : NULL, first, true};
    for (size_t i = 0; i < pool_count; i++) {
        struct kernel_state *state = NULL;
        operands.result = i == 0 ? first : other;
        for (int round = 0; round < 2; round++) {
            memset(operands.result, 0xff, (size_t)size * sizeof *first);
            assert_null(convolution_f32(c, &operands, pools[i], &state));
            if (i > 0)
                assert_memory_equal(first, other, (size_t)size * sizeof *first);
        }
        if (state != NULL)
            state->free(state);
    }
    assert_convolved(c, source, weights, operands.bias, first);
    convolution_loops_f32(c, source, weights, operands.bias, other, pools[1]);
    assert_convolved(c, source, weights, operands.bias, other);
    free(source);
    free(weights);
    free(bias);
    free(first);
    free(other);
}

static void convolutions_are_sums_whatever_the_threads(void **state)
{
    (void)state;
    struct parallel *pools[] = {parallel_create(1), parallel_create(2), parallel_create(5)};
    for (unsigned round = 0; round < 160; round++) {
        unsigned seed = round;
        const struct convolution c =
            random_convolution(&seed, round % 16 == 7 ? 4 : 1 + round % 3, round % 4 == 0);
        check_convolution(&c, &seed, pools, 3);
    }
    for (size_t i = 0; i < 3; i++)
        parallel_free(pools[i]);
}

// Large enough to be cut by rows, by channels, by groups and by batch.
static void large_convolutions_are_cut(void **state)
{
    (void)state;
    struct parallel *pools[] = {parallel_create(1), parallel_create(3)};
    const struct convolution shapes[] = {
        {2, 1, 1, 16, 32, {56, 56}, {3, 3}, {56, 56}, {1, 1}, {1, 1}, {1, 1}, {0}, {0}, {0}},
        {2, 1, 1, 256, 256, {7, 7}, {1, 1}, {7, 7}, {1, 1}, {1, 1}, {0, 0}, {0}, {0}, {0}},
        {2, 9, 1, 16, 16, {20, 20}, {3, 3}, {20, 20}, {1, 1}, {1, 1}, {1, 1}, {0}, {0}, {0}},
        {2, 1, 512, 1, 1, {14, 14}, {9, 9}, {14, 14}, {1, 1}, {1, 1}, {4, 4}, {0}, {0}, {0}},
        {1, 1, 1, 64, 64, {3000}, {5}, {1500}, {2}, {1}, {2}, {0}, {0}, {0}},
        {3,
         1,
         1,
         8,
         16,
         {20, 20, 20},
         {3, 3, 3},
         {20, 20, 20},
         {1, 1, 1},
         {1, 1, 1},
         {1, 1, 1},
         {0},
         {0},
         {0}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int layout = 0; layout < 2; layout++) {
            unsigned seed = (unsigned)i;
            struct convolution c = shapes[i];
            if (layout == 0)
                convolution_channels_first(&c);
            else
                convolution_channels_last(&c);
            check_convolution(&c, &seed, pools, 2);
        }
    }
    parallel_free(pools[0]);
    parallel_free(pools[1]);
}

// Weights that are not fixed may change behind the same pointer.
static void changed_weights_are_packed_again(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(1);
    unsigned seed = 5;
    struct convolution c = {2,      1,      1,      8,   8,   {5, 5}, {3, 3},
                            {3, 3}, {1, 1}, {1, 1}, {0}, {0}, {0},    {0}};
    convolution_channels_first(&c);
    float *source = random_numbers(&seed, 200);
    float *weights = random_numbers(&seed, 576);
    float result[72];
    struct kernel_state *kept = NULL;
    const struct convolution_operands operands = {source, weights, NULL, result, false};
    assert_null(convolution_f32(&c, &operands, parallel, &kept));
    for (int i = 0; i < 576; i++)
        weights[i] *= -3;
    assert_null(convolution_f32(&c, &operands, parallel, &kept));
    assert_convolved(&c, source, weights, NULL, result);
    kept->free(kept);
    free(source);
    free(weights);
    parallel_free(parallel);
}

static void transposed_convolutions_undo_the_places_of_convolutions(void **state)
{
    (void)state;
    struct parallel *pools[] = {parallel_create(1), parallel_create(3)};
    for (unsigned round = 0; round < 60; round++) {
        unsigned seed = round;
        struct convolution c = random_convolution(&seed, 1 + round % 3, false);
        for (uint64_t i = 0; i < c.spatial; i++)
            c.output[i] = between(&seed, 1, 20);
        convolution_channels_first(&c);
        const int64_t from = product_of(c.spatial, c.input), to = product_of(c.spatial, c.output);
        const int64_t taps = product_of(c.spatial, c.kernel);
        float *source = random_numbers(&seed, c.batch * c.groups * c.inputs * from);
        float *weights = random_numbers(&seed, c.groups * c.inputs * c.outputs * taps);
        float *bias = random_numbers(&seed, c.groups * c.outputs);
        const int64_t size = c.batch * c.groups * c.outputs * to;
        double *wanted = calloc((size_t)size, sizeof *wanted);
        float *got = calloc((size_t)size, sizeof *got);
        float *again = calloc((size_t)size, sizeof *again);
        for (int64_t i = 0; i < size; i++)
            wanted[i] = (double)bias[i / to % (c.groups * c.outputs)];
        for (int64_t n = 0; n < c.batch * c.groups * c.inputs * c.outputs * from * taps; n++) {
            int64_t place[CONVOLUTION_SPATIAL_MOST], tap[CONVOLUTION_SPATIAL_MOST], rest = n;
            const int64_t k = rest % taps, p = rest / taps % from;
            rest = rest / taps / from;
            const int64_t output = rest % c.outputs,
                          input = rest / c.outputs % (c.groups * c.inputs);
            const int64_t batch = rest / c.outputs / (c.groups * c.inputs);
            place_at(c.spatial, c.input, p, place);
            place_at(c.spatial, c.kernel, k, tap);
            int64_t at = 0;
            bool inside = true;
            for (uint64_t i = 0; i < c.spatial; i++) {
                const int64_t x = place[i] * c.strides[i] - c.pads[i] + tap[i] * c.dilations[i];
                inside = inside && x >= 0 && x < c.output[i];
                at = at * c.output[i] + x;
            }
            const int64_t channel =
                batch * c.groups * c.outputs + input / c.inputs * c.outputs + output;
            if (inside)
                wanted[channel * to + at] +=
                    (double)source[(batch * c.groups * c.inputs + input) * from + p] *
                    (double)weights[(input * c.outputs + output) * taps + k];
        }
        assert_null(convolution_transposed_f32(&c, source, weights, bias, got, pools[0]));
        assert_null(convolution_transposed_f32(&c, source, weights, bias, again, pools[1]));
        assert_memory_equal(got, again, (size_t)size * sizeof *got);
        for (int64_t i = 0; i < size; i++)
            assert_true(fabs((double)got[i] - wanted[i]) < 1e-3);
        free(source);
        free(weights);
        free(bias);
        free(wanted);
        free(got);
        free(again);
    }
    parallel_free(pools[0]);
    parallel_free(pools[1]);
}

// Fills A, B and C of any element from small whole numbers, so that sums are exact.
static void *whole_numbers(unsigned *seed, enum element element, uint64_t count)
{
    char *data = malloc(count * element_size(element) + 1);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t number = between(seed, -4, 4);
        if (element == ELEMENT_F32)
            ((float *)data)[i] = (float)number;
        else if (element == ELEMENT_F64)
            ((double *)data)[i] = (double)number;
        else if (element == ELEMENT_I32)
            ((int32_t *)data)[i] = (int32_t)number;
        else
            ((int64_t *)data)[i] = number;
    }
    return data;
}

static int64_t number_at(enum element element, const void *data, uint64_t index)
{
    if (element == ELEMENT_F32)
        return (int64_t)((const float *)data)[index];
    if (element == ELEMENT_F64)
        return (int64_t)((const double *)data)[index];
    if (element == ELEMENT_I32)
        return ((const int32_t *)data)[index];
    return ((const int64_t *)data)[index];
}

static void products_are_sums(void **state)
{
    (void)state;
    static const enum element elements[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_I32, ELEMENT_I64};
    struct parallel *parallel = parallel_create(3);
    for (unsigned round = 0; round < 120; round++) {
        unsigned seed = round;
        const enum element element = elements[round % 4];
        const bool large = round % 10 == 0;
        const uint64_t m = (uint64_t)between(&seed, 1, large ? 300 : 20);
        const uint64_t n = (uint64_t)between(&seed, 1, large ? 700 : 20);
        const uint64_t k = (uint64_t)between(&seed, 0, 40);
        struct matrix_product product = matrix_product_dense(m, n, k);
        product.a_transposed = between(&seed, 0, 1) == 0;
        product.b_transposed = between(&seed, 0, 1) == 0;
        product.a_stride = product.a_transposed ? m : k;
        product.b_stride = product.b_transposed ? k : n;
        product.batch_rank = 2;
        product.batch[0] = 2;
        product.batch[1] = 3;
        product.a_batch[0] = 3 * m * k;
        product.a_batch[1] = m * k;
        product.b_batch[1] = k * n;
        product.c_batch[0] = 3 * m * n;
        product.c_batch[1] = m * n;
        void *a = whole_numbers(&seed, element, 6 * m * k);
        void *b = whole_numbers(&seed, element, 3 * k * n);
        void *c = whole_numbers(&seed, element, 6 * m * n);
        matrix_multiply(&product, element, a, b, c, parallel);
        for (uint64_t i = 0; i < 6 * m * n; i += large ? 101 : 1) {
            const uint64_t row = i / n % m, column = i % n, matrix = i / n / m;
            int64_t sum = 0;
            for (uint64_t d = 0; d < k; d++)
                sum +=
                    number_at(element, a,
                              matrix * m * k + (product.a_transposed ? d * m + row : row * k + d)) *
                    number_at(element, b,
                              matrix % 3 * k * n +
                                  (product.b_transposed ? column * k + d : d * n + column));
            assert_int_equal(number_at(element, c, i), sum);
        }
        free(a);
        free(b);
        free(c);
    }
    parallel_free(parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_are_sums_whatever_the_threads),
        cmocka_unit_test(large_convolutions_are_cut),
        cmocka_unit_test(changed_weights_are_packed_again),
        cmocka_unit_test(transposed_convolutions_undo_the_places_of_convolutions),
        cmocka_unit_test(products_are_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
