// Into which parts convolutions are cut: all of them is covered, and the parts are even.

#include "kernels/core/fused_cuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"

static struct convolution square(int64_t inputs, int64_t outputs, int64_t side, int64_t kernel)
{
    return (struct convolution){.spatial = 2,
                                .batch = 1,
                                .groups = 1,
                                .inputs = inputs,
                                .outputs = outputs,
                                .input = {side, side},
                                .kernel = {kernel, kernel},
                                .output = {side, side},
                                .strides = {1, 1},
                                .dilations = {1, 1},
                                .pads = {kernel / 2, kernel / 2}};
}

// What the first of two threads has to do less than the other, when each takes every other part.
static int64_t difference_of_two(const struct convolution *c)
{
    const struct fused_cuts cuts = fused_cuts_choose(c);
    int64_t difference = 0;
    for (int64_t i = 0, part = 0; i < cuts.channel_parts; i++) {
        const int64_t channels =
            fused_cuts_channel(c, &cuts, i + 1) - fused_cuts_channel(c, &cuts, i);
        for (int64_t j = 0; j < cuts.row_parts; j++, part++) {
            const int64_t rows = fused_cuts_row(c, &cuts, j + 1) - fused_cuts_row(c, &cuts, j);
            difference += part % 2 == 0 ? rows * channels : -rows * channels;
        }
    }
    return difference;
}

static void two_threads_have_as_much_to_do(void **state)
{
    (void)state;
    const struct convolution cases[] = {square(1152, 192, 7, 1), square(1152, 320, 7, 1),
                                        square(96, 576, 14, 1),  square(480, 80, 14, 1),
                                        square(64, 64, 56, 3),   square(512, 512, 7, 3),
                                        square(2048, 1024, 1, 1)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct fused_cuts cuts = fused_cuts_choose(&cases[i]);
        assert_true(cuts.row_parts * cuts.channel_parts % 2 == 0);
        assert_int_equal(difference_of_two(&cases[i]), 0);
    }
}

static void parts_cover_everything(void **state)
{
    (void)state;
    unsigned seed = 5;
    for (int round = 0; round < 500; round++) {
        const int64_t kernel = 2 * between(&seed, 0, 2) + 1;
        struct convolution c =
            square(between(&seed, 1, 600), between(&seed, 1, 600), between(&seed, 1, 80), kernel);
        c.groups = between(&seed, 0, 3) == 0 ? between(&seed, 2, 64) : 1;
        const struct fused_cuts cuts = fused_cuts_choose(&c);
        assert_true(cuts.row_parts >= 1 && cuts.channel_parts >= 1);
        assert_true(c.groups == 1 || cuts.channel_parts == 1);
        assert_int_equal(fused_cuts_row(&c, &cuts, 0), 0);
        assert_int_equal(fused_cuts_channel(&c, &cuts, 0), 0);
        for (int64_t i = 0; i < cuts.row_parts; i++)
            assert_true(fused_cuts_row(&c, &cuts, i) < fused_cuts_row(&c, &cuts, i + 1));
        for (int64_t i = 0; i < cuts.channel_parts; i++)
            assert_true(fused_cuts_channel(&c, &cuts, i) < fused_cuts_channel(&c, &cuts, i + 1));
        assert_int_equal(fused_cuts_row(&c, &cuts, cuts.row_parts), c.output[0]);
        assert_int_equal(fused_cuts_channel(&c, &cuts, cuts.channel_parts), c.outputs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_have_as_much_to_do),
        cmocka_unit_test(parts_cover_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
