// Images with the channels last against loops over single elements.

#include "kernels/core/image_join.h"
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
                               .channels = between(seed, 1, 150),
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

// A factor and a sum for each channel of the joined image, and a clip.
static void parts_are_changed_while_they_are_joined(void **state)
{
    (void)state;
    enum { PIXELS = 333, PARTS = 3, ALL = 7 + 300 + 32 };
    static const uint64_t CHANNELS[PARTS] = {7, 300, 32};
    float *sources[PARTS], factors[ALL], sums[ALL];
    float *both = malloc(sizeof(float) * PIXELS * ALL);
    unsigned seed = 7;
    struct image_join *join = image_join_create(PARTS);
    join->pixels = PIXELS;
    join->channels = ALL;
    join->size = sizeof(float);
    for (int i = 0; i < ALL; i++) {
        factors[i] = (float)between(&seed, -9, 9);
        sums[i] = (float)between(&seed, -9, 9);
    }
    for (uint64_t i = 0, at = 0; i < PARTS; at += CHANNELS[i++]) {
        sources[i] = malloc(PIXELS * CHANNELS[i] * sizeof(float));
        for (uint64_t j = 0; j < PIXELS * CHANNELS[i]; j++)
            sources[i][j] = (float)between(&seed, -100, 100);
        struct chain *chain = calloc(1, sizeof *chain);
        const uint64_t periods[] = {0, CHANNELS[i], CHANNELS[i]};
        for (uint8_t input = 0; input < 3; input++) {
            chain_add_input(chain, ELEMENT_F32, periods[input]);
            chain_add_step(chain, (struct chain_step){.operation = CHAIN_READ, .left = input});
        }
        chain_add_step(chain, (struct chain_step){CHAIN_MULTIPLY, 0, 1});
        chain_add_step(chain, (struct chain_step){CHAIN_ADD, 3, 2});
        chain_add_step(chain, (struct chain_step){CHAIN_CLIP, 4, .a = 0, .b = 400});
        chain->result = ELEMENT_F32;
        assert_true(chain_finish(chain));
        join->parts[i] = (struct image_part){sources[i], CHANNELS[i], CHANNELS[i],
                                             at,         chain,       {factors + at, sums + at}};
    }
    struct parallel *parallel = parallel_create(2);
    image_join_run(join, both, parallel);
    parallel_free(parallel);
    for (uint64_t i = 0; i < PARTS; i++) {
        const struct image_part *part = &join->parts[i];
        for (uint64_t j = 0; j < PIXELS * part->channels; j++) {
            const uint64_t channel = part->at + j % part->channels;
            const float sum = sources[i][j] * factors[channel] + sums[channel];
            const float expected = sum < 0 ? 0 : sum > 400 ? 400 : sum;
            assert_true(both[j / part->channels * ALL + channel] == expected);
        }
        free(sources[i]);
    }
    image_join_free(join);
    free(both);
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
    struct image_join *join = image_join_create(2);
    join->pixels = PIXELS;
    join->channels = ALL;
    join->size = sizeof(float);
    join->parts[0] = (struct image_part){.source = left, .channels = LEFT, .step = LEFT};
    join->parts[1] =
        (struct image_part){.source = right, .channels = RIGHT, .step = RIGHT, .at = LEFT};
    image_join_run(join, both, parallel);
    image_join_free(join);
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
        cmocka_unit_test(parts_are_changed_while_they_are_joined),
        cmocka_unit_test(blocks_are_put_beside_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
