// Images with the channels last against loops over single elements.

#include "kernels/core/images.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"

static struct images_pool random_pool(unsigned *seed)
{
    struct images_pool pool = {.batch = between(seed, 1, 2),
                               .channels = between(seed, 1, 40),
                               .with_pads = between(seed, 0, 1) == 1};
    pool.window.spatial = 2;
    for (int i = 0; i < 2; i++) {
        struct window *window = &pool.window;
        window->kernel[i] = between(seed, 1, 7);
        window->stride[i] = between(seed, 1, 3);
        window->dilation[i] = between(seed, 1, 2);
        const int64_t reach = (window->kernel[i] - 1) * window->dilation[i] + 1;
        window->pad[i] = between(seed, 0, window->kernel[i] - 1);
        window->pad_end[i] = between(seed, 0, window->kernel[i] - 1);
        window->input[i] = between(seed, reach, 20);
        const int64_t room = window->input[i] + window->pad[i] + window->pad_end[i] - reach;
        window->output[i] = room / window->stride[i] + 1;
    }
    return pool;
}

// The largest and the mean of what a window sees of a channel.
static void look(const struct images_pool *pool, const float *source, int64_t batch, int64_t y,
                 int64_t x, int64_t channel, float *out_most, float *out_mean)
{
    const struct window *window = &pool->window;
    double sum = 0;
    int64_t seen = 0, padded = 0;
    *out_most = -INFINITY;
    for (int64_t i = 0; i < window->kernel[0]; i++) {
        for (int64_t j = 0; j < window->kernel[1]; j++) {
            const int64_t row = y * window->stride[0] - window->pad[0] + i * window->dilation[0];
            const int64_t column = x * window->stride[1] - window->pad[1] + j * window->dilation[1];
            padded += row < window->input[0] + window->pad_end[0] &&
                      column < window->input[1] + window->pad_end[1];
            if (row < 0 || column < 0 || row >= window->input[0] || column >= window->input[1])
                continue;
            const int64_t pixel = (batch * window->input[0] + row) * window->input[1] + column;
            const float number = source[pixel * pool->channels + channel];
            *out_most = number > *out_most ? number : *out_most;
            sum += (double)number;
            seen++;
        }
    }
    const int64_t all = pool->with_pads ? padded : seen;
    *out_mean = all > 0 ? (float)(sum / (double)all) : 0;
}

static void windows_see_what_they_should(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        const struct images_pool pool = random_pool(&seed);
        const struct window *window = &pool.window;
        const int64_t in = pool.batch * window->input[0] * window->input[1] * pool.channels;
        const int64_t out = pool.batch * window->output[0] * window->output[1] * pool.channels;
        float *source = malloc((size_t)in * sizeof *source);
        uint8_t *bytes = malloc((size_t)in);
        float *most = malloc((size_t)out * sizeof *most);
        float *mean = malloc((size_t)out * sizeof *mean);
        uint8_t *most_bytes = malloc((size_t)out);
        for (int64_t i = 0; i < in; i++) {
            bytes[i] = (uint8_t)between(&seed, 0, 255);
            source[i] = (float)bytes[i];
        }
        struct parallel *parallel = parallel_create((unsigned)between(&seed, 1, 2));
        images_pool_max(&pool, ELEMENT_F32, source, most, parallel);
        images_pool_max(&pool, ELEMENT_U8, bytes, most_bytes, parallel);
        images_pool_average(&pool, source, mean, parallel);
        parallel_free(parallel);
        for (int64_t i = 0; i < out; i++) {
            const int64_t channel = i % pool.channels, pixel = i / pool.channels;
            const int64_t x = pixel % window->output[1], row = pixel / window->output[1];
            float want_most, want_mean;
            look(&pool, source, row / window->output[0], row % window->output[0], x, channel,
                 &want_most, &want_mean);
            assert_true(most[i] == want_most);
            assert_int_equal(most_bytes[i], isinf(want_most) ? 0 : (int)want_most);
            assert_true(fabsf(mean[i] - want_mean) < 1e-3F);
        }
        free(source);
        free(bytes);
        free(most);
        free(mean);
        free(most_bytes);
    }
}

static void turning_back_gives_the_same(void **state)
{
    (void)state;
    unsigned seed = 2;
    for (int round = 0; round < 60; round++) {
        const int64_t batch = between(&seed, 1, 3), channels = between(&seed, 1, 70);
        const int64_t pixels = between(&seed, 1, 3000);
        const uint32_t size = between(&seed, 0, 1) == 0 ? 1 : 4;
        const size_t bytes = (size_t)(batch * channels * pixels) * size;
        char *first = malloc(bytes), *last = malloc(bytes), *back = malloc(bytes);
        for (size_t i = 0; i < bytes; i++)
            first[i] = (char)rand_r(&seed);
        struct parallel *parallel = parallel_create((unsigned)between(&seed, 1, 2));
        images_to_last(batch, channels, pixels, size, first, last, parallel);
        images_to_first(batch, channels, pixels, size, last, back, parallel);
        parallel_free(parallel);
        assert_memory_equal(first, back, bytes);
        const int64_t n = between(&seed, 0, batch - 1), c = between(&seed, 0, channels - 1);
        const int64_t p = between(&seed, 0, pixels - 1);
        assert_memory_equal(first + ((n * channels + c) * pixels + p) * size,
                            last + ((n * pixels + p) * channels + c) * size, size);
        free(first);
        free(last);
        free(back);
    }
}

static void channels_are_joined_and_averaged(void **state)
{
    (void)state;
    enum { PIXELS = 700, LEFT = 5, RIGHT = 9, ALL = LEFT + RIGHT };
    float left[PIXELS * LEFT], right[PIXELS * RIGHT], both[PIXELS * ALL], mean[ALL];
    for (int i = 0; i < PIXELS * LEFT; i++)
        left[i] = (float)(i % LEFT);
    for (int i = 0; i < PIXELS * RIGHT; i++)
        right[i] = (float)(LEFT + i % RIGHT);
    struct parallel *parallel = parallel_create(2);
    images_join(PIXELS, LEFT, ALL, 0, sizeof(float), left, both, parallel);
    images_join(PIXELS, RIGHT, ALL, LEFT, sizeof(float), right, both, parallel);
    for (int i = 0; i < PIXELS * ALL; i++)
        assert_true(both[i] == (float)(i % ALL));
    images_mean(1, PIXELS, ALL, both, mean, parallel);
    for (int i = 0; i < ALL; i++)
        assert_true(mean[i] == (float)i);
    parallel_free(parallel);
}

// Pixel (y, x) of the result is pixel (y % 2, x % 3) of the block that (y / 2, x / 3) holds.
static void blocks_are_put_beside_one_another(void **state)
{
    (void)state;
    enum { ROWS = 5, COLUMNS = 4, HIGH = 2, ACROSS = 3, CHANNELS = 2, WIDE = ACROSS * CHANNELS };
    float source[ROWS * COLUMNS * HIGH * WIDE], result[ROWS * COLUMNS * HIGH * WIDE];
    for (int i = 0; i < ROWS * COLUMNS * HIGH * WIDE; i++)
        source[i] = (float)i;
    struct parallel *parallel = parallel_create(2);
    images_spread(ROWS, COLUMNS, HIGH, WIDE, source, result, parallel);
    parallel_free(parallel);
    for (int y = 0; y < ROWS * HIGH; y++) {
        for (int x = 0; x < COLUMNS * ACROSS; x++) {
            const int block = y / HIGH * COLUMNS + x / ACROSS;
            const int pixel = y % HIGH * ACROSS + x % ACROSS;
            const int at = (block * HIGH * ACROSS + pixel) * CHANNELS;
            assert_memory_equal(&result[(y * COLUMNS * ACROSS + x) * CHANNELS], &source[at],
                                CHANNELS * sizeof *source);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_see_what_they_should),
        cmocka_unit_test(turning_back_gives_the_same),
        cmocka_unit_test(channels_are_joined_and_averaged),
        cmocka_unit_test(blocks_are_put_beside_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
