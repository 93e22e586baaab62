// Products with a packed matrix against sums in double.

#include "kernels/core/isa.h"
#include "kernels/core/panels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

enum { ROWS_MOST = 150, DEPTH_MOST = 70, ITEMS_MOST = 17, GAP = 3, LONG_MOST = 2100 };

static float matrix[ROWS_MOST * DEPTH_MOST];
static float panels[(ROWS_MOST + PANELS_WIDTH) * DEPTH_MOST];
static float x[ITEMS_MOST * (DEPTH_MOST + GAP)];
static float y[ITEMS_MOST * (ROWS_MOST + GAP)];

static float next(unsigned *seed)
{
    return (float)(rand_r(seed) % 2001 - 1000) / 500;
}

static void fill(unsigned *seed)
{
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
        matrix[i] = next(seed);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = next(seed);
    for (size_t i = 0; i < sizeof y / sizeof *y; i++)
        y[i] = -77;
}

static void check(uint64_t rows, uint64_t depth, uint64_t count, bool transposed, unsigned seed)
{
    fill(&seed);
    const struct panels_product product = {.panels = panels,
                                           .rows = rows,
                                           .depth = depth,
                                           .x_stride = depth + GAP,
                                           .y_stride = rows + GAP};
    const uint64_t row_step = transposed ? 1 : depth, depth_step = transposed ? rows : 1;
    panels_pack(&(struct panels_source){matrix, rows, depth, row_step, depth_step}, panels);
    panels_multiply(&product, x, count, y);
    for (uint64_t item = 0; item < count; item++) {
        const float *result = y + item * product.y_stride;
        for (uint64_t row = 0; row < rows; row++) {
            double sum = 0;
            for (uint64_t k = 0; k < depth; k++)
                sum += (double)matrix[row * row_step + k * depth_step] *
                       (double)x[item * product.x_stride + k];
            assert_true(fabs(sum - (double)result[row]) < 1e-4);
        }
        for (uint64_t i = 0; i < GAP; i++)
            assert_true(result[rows + i] == -77);
    }
}

static void check_sizes(void)
{
    const uint64_t rows[] = {1, 15, 16, 17, 64, 65, 100, 128, ROWS_MOST};
    const uint64_t depths[] = {1, 2, 13, DEPTH_MOST};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            for (uint64_t count = 1; count <= ITEMS_MOST; count++)
                check(rows[r], depths[d], count, count % 2 == 0,
                      (unsigned)(r * 100 + d * 10 + count));
        }
    }
}

static void products_are_right_for_every_size(void **state)
{
    (void)state;
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        check_sizes();
    }
}

// Where each number goes, by the definition.
static void check_places(const struct panels_source *source, const float *packed)
{
    const uint64_t channels = source->depth / source->taps;
    for (uint64_t row = 0; row < panels_size(source->rows, 1); row++) {
        for (uint64_t k = 0; k < source->depth; k++) {
            const uint64_t at = k % channels * source->taps + k / channels;
            const float wanted =
                row < source->rows
                    ? source->numbers[row * source->row_step + at * source->depth_step] *
                          source->scales[row]
                    : 0;
            const float *panel = packed + row / PANELS_WIDTH * PANELS_WIDTH * source->depth;
            assert_true(panel[k * PANELS_WIDTH + row % PANELS_WIDTH] == wanted);
        }
    }
}

// Of taps, with scales, from where floats do not lie, and by way of rooms.
static void numbers_are_arranged_from_anywhere(void **state)
{
    (void)state;
    unsigned seed = 1;
    fill(&seed);
    static char bytes[sizeof matrix + 1];
    memcpy(bytes + 1, matrix, sizeof matrix);
    struct scratch_pool *rooms = scratch_pool_create(1);
    scratch_pool_reserve(rooms, PANELS_PACK_ROOM);
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        for (uint64_t way = 0; way < 48; way++) {
            const uint64_t taps = way % 3 * 2 + 1, depth = taps * (way % 4 == 0 ? 14 : 3);
            const uint64_t rows = 16 + way;
            struct panels_source source = {.rows = rows, .depth = depth, .taps = taps, .scales = x};
            source.numbers = (const loose_float *)(const void *)(bytes + 1);
            source.row_step = way % 2 == 0 ? depth : 1;
            source.depth_step = way % 2 == 0 ? 1 : rows;
            source.rooms = way % 5 == 0 ? NULL : rooms;
            panels_pack(&source, panels);
            check_places(&source, panels);
        }
    }
    scratch_pool_free(rooms);
}

// Long vectors are met in parts, which changes nothing about their sums.
static void check_bits(uint64_t depth, bool clips)
{
    static float long_matrix[ROWS_MOST * LONG_MOST], long_x[ITEMS_MOST * LONG_MOST];
    static float long_panels[(ROWS_MOST + PANELS_WIDTH) * LONG_MOST];
    static float alone[ROWS_MOST + PANELS_WIDTH], bias[ROWS_MOST + PANELS_WIDTH];
    unsigned seed = (unsigned)depth;
    for (size_t i = 0; i < sizeof long_matrix / sizeof *long_matrix; i++)
        long_matrix[i] = next(&seed);
    for (size_t i = 0; i < sizeof long_x / sizeof *long_x; i++)
        long_x[i] = next(&seed);
    for (size_t i = 0; i < ROWS_MOST; i++)
        bias[i] = next(&seed);
    const struct panels_product product = {.panels = long_panels,
                                           .rows = ROWS_MOST,
                                           .depth = depth,
                                           .x_stride = depth,
                                           .y_stride = ROWS_MOST,
                                           .bias = bias,
                                           .clips = clips,
                                           .lowest = -40,
                                           .highest = 60};
    panels_pack(&(struct panels_source){long_matrix, ROWS_MOST, depth, depth, 1}, long_panels);
    panels_multiply(&product, long_x, ITEMS_MOST, y);
    for (uint64_t item = 0; item < ITEMS_MOST; item++) {
        panels_multiply(&product, long_x + item * depth, 1, alone);
        assert_memory_equal(alone, y + item * product.y_stride, sizeof(float) * ROWS_MOST);
    }
}

static void a_vector_gives_the_same_bits_alone_and_among_others(void **state)
{
    (void)state;
    const uint64_t depths[] = {1, DEPTH_MOST, 1024, 1025, LONG_MOST};
    for (enum isa isa = ISA_SSE4; isa < ISA_COUNT; isa++) {
        isa_limit(isa);
        for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
            check_bits(depths[i], i % 2 == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right_for_every_size),
        cmocka_unit_test(numbers_are_arranged_from_anywhere),
        cmocka_unit_test(a_vector_gives_the_same_bits_alone_and_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
