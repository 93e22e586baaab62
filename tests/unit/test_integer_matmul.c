// Integer products and convolutions against sums written out, with and without AVX2.

#include "kernels/core/integer_matmul.h"
#include "kernels/core/byte_tile.h"
#include "kernels/core/integer_core.h"
#include "kernels/core/integer_strips.h"
#include "kernels/core/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct random {
    unsigned seed;
};

static uint64_t below(struct random *random, uint64_t most)
{
    return (uint64_t)rand_r(&random->seed) % most;
}

static void *random_elements(struct random *random, enum element element, uint64_t count)
{
    const size_t bytes = (size_t)count * element_size(element);
    unsigned char *data = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)below(random, 256);
    return data;
}

static int64_t element_of(enum element element, const void *data, uint64_t index)
{
    if (element == ELEMENT_U8)
        return ((const uint8_t *)data)[index];
    if (element == ELEMENT_I16)
        return ((const int16_t *)data)[index];
    return ((const int8_t *)data)[index];
}

static int64_t zero_of(struct integer_zeros zeros, uint64_t row)
{
    return zeros.count == 0 ? 0 : zeros.items[zeros.count == 1 ? 0 : row];
}

static int64_t matrix_at(const struct integer_matrix *matrix, uint64_t row, uint64_t outer,
                         uint64_t inner)
{
    const uint64_t index =
        row * matrix->row_stride + outer * matrix->outer_stride + inner * matrix->inner_stride;
    return element_of(matrix->element, matrix->data, index) - zero_of(matrix->zeros, row);
}

static const enum element ELEMENTS[] = {ELEMENT_I8, ELEMENT_U8, ELEMENT_I16};

static struct integer_zeros random_zeros(struct random *random, enum element element,
                                         int32_t *items, uint64_t rows)
{
    if (element == ELEMENT_I16)
        return (struct integer_zeros){NULL, 0};
    for (uint64_t i = 0; i < rows; i++)
        items[i] = (int32_t)below(random, 256) - (element == ELEMENT_I8 ? 128 : 0);
    const uint64_t counts[] = {0, 1, rows};
    return (struct integer_zeros){items, counts[below(random, 3)]};
}

static void check_product(struct random *random, struct parallel *parallel)
{
    const uint64_t m = below(random, 100), n = below(random, 90), k = below(random, 700);
    int32_t a_zeros[100], b_zeros[90];
    struct integer_matrix a = {ELEMENTS[below(random, 3)], NULL, m, 1, k, k, 0, 1, {0}};
    struct integer_matrix b = {ELEMENTS[below(random, 3)], NULL, n, 1, k, k, 0, 1, {0}};
    if (below(random, 2) == 0) {
        b.row_stride = 1;
        b.inner_stride = n;
    }
    void *a_data = random_elements(random, a.element, m * k);
    void *b_data = random_elements(random, b.element, n * k);
    a.data = a_data;
    b.data = b_data;
    a.zeros = random_zeros(random, a.element, a_zeros, m);
    b.zeros = random_zeros(random, b.element, b_zeros, n);
    const bool wide = below(random, 2) == 0;
    int32_t *narrow_sums = calloc(m * n + 1, sizeof *narrow_sums);
    int64_t *wide_sums = calloc(m * n + 1, sizeof *wide_sums);
    struct integer_store store = {narrow_sums, wide_sums, 0, n, 1};
    struct integer_packed *packed;
    const bool bytes = a.element != ELEMENT_I16 && b.element != ELEMENT_I16 && !wide;
    const enum integer_form form = bytes && below(random, 2) == 0
                                       ? INTEGER_BYTES
                                       : integer_form_of(a.element, b.element, wide);
    assert_null(integer_pack(&b, form, &packed));
    assert_null(integer_matmul(&a, packed, wide, parallel, integer_store_tile, &store));
    integer_packed_free(packed);
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < n; j++) {
            int64_t sum = 0;
            for (uint64_t l = 0; l < k; l++)
                sum += matrix_at(&a, i, 0, l) * matrix_at(&b, j, 0, l);
            if (wide)
                assert_int_equal(wide_sums[i * n + j], sum);
            else
                assert_int_equal((uint32_t)narrow_sums[i * n + j], (uint32_t)sum);
        }
    free(a_data);
    free(b_data);
    free(narrow_sums);
    free(wide_sums);
}

static void products_are_exact(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 60; round++) {
        struct random random = {round};
        isa_limit(round % ISA_COUNT);
        check_product(&random, parallel);
    }
    isa_limit(ISA_VNNI);
    parallel_free(parallel);
}

// The one case in which a multiply-add of pairs does not fit 32 bits.
static void the_lowest_numbers_do_not_overflow(void **state)
{
    (void)state;
    int16_t lowest[6];
    for (int i = 0; i < 6; i++)
        lowest[i] = INT16_MIN;
    struct parallel *parallel = parallel_create(1);
    const struct integer_matrix matrix = {ELEMENT_I16, lowest, 1, 1, 6, 6, 0, 1, {0}};
    struct integer_packed *packed;
    assert_null(integer_pack(&matrix, INTEGER_PAIRS, &packed));
    int64_t sum = 0;
    struct integer_store store = {NULL, &sum, 0, 1, 1};
    assert_null(integer_matmul(&matrix, packed, true, parallel, integer_store_tile, &store));
    assert_int_equal(sum, INT64_C(6) << 30);
    integer_packed_free(packed);
    parallel_free(parallel);
}

static void bytes_are_turned(void **state)
{
    (void)state;
    enum { MOST = 27, STEP = 30 };
    struct random random = {11};
    uint8_t *from = random_elements(&random, ELEMENT_U8, MOST * STEP);
    for (int round = 0; round < 200; round++) {
        const uint64_t rows = below(&random, MOST), columns = below(&random, MOST);
        uint8_t to[MOST * STEP], expected[MOST * STEP];
        memset(to, 7, sizeof to);
        memset(expected, 7, sizeof expected);
        for (uint64_t i = 0; i < rows; i++)
            for (uint64_t j = 0; j < columns; j++)
                expected[j * STEP + i] = from[i * STEP + j];
        byte_tile_turn_all(from, STEP, rows, columns, to, STEP);
        assert_memory_equal(to, expected, sizeof to);
    }
    free(from);
}

// Whatever this machine multiplies bytes with, and each number of rows.
static void strips_of_bytes_are_exact(void **state)
{
    (void)state;
    enum { LINES = 9, BYTES = 4 * LINES };
    struct random random = {7};
    uint8_t *a = random_elements(&random, ELEMENT_U8, INTEGER_STRIP * BYTES);
    int8_t *panels = random_elements(&random, ELEMENT_I8, 2 * LINES * INTEGER_LINE);
    uint32_t expected[2][INTEGER_STRIP][INTEGER_PANEL] = {0};
    for (int p = 0; p < 2; p++)
        for (int r = 0; r < INTEGER_STRIP; r++)
            for (int c = 0; c < INTEGER_PANEL; c++)
                for (int k = 0; k < BYTES; k++)
                    expected[p][r][c] +=
                        (uint32_t)(a[r * BYTES + k] *
                                   panels[(p * LINES + k / 4) * INTEGER_LINE + 4 * c + k % 4]);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        const struct integer_strips strips = integer_strips_choose(INTEGER_BYTES);
        integer_sums sums[2];
        for (uint64_t rows = 1; rows <= INTEGER_STRIP; rows++) {
            strips.single((const char *)a, BYTES, rows, (const char *)panels, LINES, sums[0]);
            assert_memory_equal(sums[0], expected[0], rows * sizeof sums[0][0]);
        }
        if (strips.pair != NULL) {
            strips.pair((const char *)a, BYTES, (const char *)panels, LINES, sums);
            assert_memory_equal(sums, expected, sizeof sums);
        }
    }
    isa_limit(ISA_VNNI);
    free(a);
    free(panels);
}

static int64_t input_at(const struct integer_convolution *shape, uint64_t batch, uint64_t channel,
                        const int64_t place[3])
{
    uint64_t position = 0;
    for (int d = 0; d < 3; d++) {
        if (place[d] < 0 || place[d] >= (int64_t)shape->in[d])
            return 0;
        position = position * shape->in[d] + (uint64_t)place[d];
    }
    const uint64_t count = shape->in[0] * shape->in[1] * shape->in[2];
    const uint64_t index = shape->channels_last
                               ? (batch * count + position) * shape->channels + channel
                               : (batch * shape->channels + channel) * count + position;
    return element_of(shape->element, shape->input, index) - shape->zero_point;
}

static int64_t convolution_at(const struct integer_convolution *shape, uint64_t batch,
                              uint64_t filter, const uint64_t out[3])
{
    const uint64_t depth = shape->channels / shape->groups;
    const uint64_t group = filter / (shape->filters / shape->groups);
    int64_t sum = 0;
    uint64_t tap = 0;
    for (uint64_t x = 0; x < shape->kernel[0]; x++)
        for (uint64_t y = 0; y < shape->kernel[1]; y++)
            for (uint64_t z = 0; z < shape->kernel[2]; z++, tap++) {
                const uint64_t at[3] = {x, y, z};
                int64_t place[3];
                for (int d = 0; d < 3; d++)
                    place[d] = (int64_t)(out[d] * shape->stride[d] + at[d] * shape->dilation[d]) -
                               shape->pad[d];
                for (uint64_t c = 0; c < depth; c++)
                    sum += input_at(shape, batch, group * depth + c, place) *
                           matrix_at(&shape->weights, filter, tap, c);
            }
    return sum;
}

static void choose_channels(struct random *random, struct integer_convolution *shape)
{
    if (below(random, 2) == 0) { // each channel by itself
        shape->groups = shape->channels = 1 + below(random, 100);
        shape->filters = shape->groups * (1 + below(random, 8) / 7);
        return;
    }
    shape->groups = 1 + below(random, 4);
    shape->channels = shape->groups * (below(random, 2) ? 1 : 1 + below(random, 5));
    shape->filters = shape->groups * (1 + below(random, 20));
}

static void check_convolution(struct random *random, struct parallel *parallel)
{
    struct integer_convolution shape = {.batch = 1 + below(random, 2)};
    choose_channels(random, &shape);
    // More taps than some kernels take.
    const uint64_t kernel_most = below(random, 8) == 0 ? 9 : 3;
    const int spatial = 1 + (int)below(random, 3);
    uint64_t taps = 1, in_count = 1, out_count = 1;
    for (int d = 0; d < 3; d++) {
        const bool used = d >= 3 - spatial;
        shape.kernel[d] = used && (d > 0 || kernel_most == 3) ? 1 + below(random, kernel_most) : 1;
        shape.stride[d] = used ? 1 + below(random, 3) : 1;
        shape.dilation[d] = used ? 1 + below(random, 2) : 1;
        shape.pad[d] = used ? (int64_t)below(random, 3) : 0;
        const uint64_t extent = (shape.kernel[d] - 1) * shape.dilation[d] + 1;
        shape.in[d] = used ? extent + below(random, 5) : 1;
        shape.out[d] = (shape.in[d] + 2 * (uint64_t)shape.pad[d] - extent) / shape.stride[d] + 1;
        taps *= shape.kernel[d];
        in_count *= shape.in[d];
        out_count *= shape.out[d];
    }
    shape.element = ELEMENTS[below(random, 3)];
    shape.zero_point = shape.element == ELEMENT_I16 ? 0 : (int32_t)below(random, 100);
    shape.channels_last = below(random, 2) == 0;
    shape.wide = below(random, 2) == 0;
    void *input = random_elements(random, shape.element, shape.batch * shape.channels * in_count);
    shape.input = input;
    // The largest products that there are.
    const bool extreme = below(random, 4) == 0;
    if (extreme)
        memset(input, shape.element == ELEMENT_U8 ? 0xff : 0x80,
               shape.batch * shape.channels * in_count * element_size(shape.element));
    const uint64_t depth = shape.channels / shape.groups;
    int32_t zeros[200];
    const enum element element = ELEMENTS[below(random, 2)];
    shape.weights = (struct integer_matrix){
        element, NULL, shape.filters, taps, depth, taps * depth, depth, 1, {0}};
    if (below(random, 2) == 0) {
        shape.weights.outer_stride = 1;
        shape.weights.inner_stride = taps;
    }
    void *weights = random_elements(random, element, shape.filters * taps * depth);
    if (extreme)
        memset(weights, element == ELEMENT_U8 ? 0xff : 0x80, shape.filters * taps * depth);
    shape.weights.data = weights;
    shape.weights.zeros = random_zeros(random, element, zeros, shape.filters);

    const uint64_t count = shape.batch * shape.filters * out_count;
    int32_t *narrow = calloc(count, sizeof *narrow);
    int64_t *wide = calloc(count, sizeof *wide);
    struct integer_store store = {narrow, wide, shape.filters * out_count, 1, out_count};
    assert_null(integer_convolve(&shape, parallel, integer_store_tile, &store));
    uint64_t i = 0;
    for (uint64_t b = 0; b < shape.batch; b++)
        for (uint64_t f = 0; f < shape.filters; f++)
            for (uint64_t x = 0; x < shape.out[0]; x++)
                for (uint64_t y = 0; y < shape.out[1]; y++)
                    for (uint64_t z = 0; z < shape.out[2]; z++, i++) {
                        const uint64_t out[3] = {x, y, z};
                        const int64_t sum = convolution_at(&shape, b, f, out);
                        assert_int_equal(shape.wide ? wide[i] : narrow[i], sum);
                    }
    free(input);
    free(weights);
    free(narrow);
    free(wide);
}

static void convolutions_are_exact(void **state)
{
    (void)state;
    struct parallel *parallel = parallel_create(2);
    for (unsigned round = 0; round < 400; round++) {
        struct random random = {round};
        isa_limit(round % ISA_COUNT);
        check_convolution(&random, parallel);
    }
    isa_limit(ISA_VNNI);
    parallel_free(parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(bytes_are_turned),
        cmocka_unit_test(strips_of_bytes_are_exact),
        cmocka_unit_test(the_lowest_numbers_do_not_overflow),
        cmocka_unit_test(convolutions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
