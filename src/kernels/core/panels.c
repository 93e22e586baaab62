#include "panels.h"

#include <string.h>

#include "isa.h"
#include "panel_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { DEPTH_TOGETHER = 1024 };

#define MULTIPLY_ADD_plain(x, factor, sum) ((x) * (factor) + (sum))
#define MULTIPLY_ADD_avx2(x, factor, sum)                                                          \
    _mm256_fmadd_ps((__m256)(x), _mm256_set1_ps(factor), (__m256)(sum))
#define MULTIPLY_ADD_avx512(x, factor, sum)                                                        \
    _mm512_fmadd_ps((__m512)(x), _mm512_set1_ps(factor), (__m512)(sum))

// NaN stays.
#define CLIP_plain(x, low, high) clip_plain(x, low, high)
#define CLIP_avx2(x, low, high)                                                                    \
    _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), (__m256)(x)))
#define CLIP_avx512(x, low, high)                                                                  \
    _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), (__m512)(x)))

typedef float plain_line __attribute__((vector_size(16), aligned(4), may_alias));

static plain_line clip_plain(plain_line x, float lowest, float highest)
{
    for (int i = 0; i < 4; i++)
        x[i] = x[i] < lowest ? lowest : x[i] > highest ? highest : x[i];
    return x;
}

// Neighbouring panels, from that of `row`, by some vectors, both numbers constants so that the sums
// stay in registers. `bytes` is the length of a vector of the machine. Vectors are met four at a
// time, whose places need no more than a pointer.
#define DEFINE_BLOCK(suffix, attributes, bytes, wide, items)                                       \
    attributes static void block_##suffix##_##wide##_##items(const struct panels_product *product, \
                                                             uint64_t row, const void *vectors,    \
                                                             float *y, uint64_t y_stride)          \
    {                                                                                              \
        enum { LANES = (bytes) / sizeof(float), PARTS = PANELS_WIDTH / LANES };                    \
        enum { FOURS = ((items) + 3) / 4 };                                                        \
        typedef float line __attribute__((vector_size(bytes), aligned(4), may_alias));             \
        const uint64_t depth = product->depth, x_stride = product->x_stride;                       \
        const uint64_t parts = product->parts > 0 ? product->parts : 1;                            \
        const uint64_t part = product->parts > 0 ? product->part_depth : depth;                    \
        line sums[(wide) * (items)*PARTS];                                                         \
        _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (wide) * (items)*PARTS; i++)             \
        {                                                                                          \
            const uint64_t at = row + i / (items)*LANES;                                           \
            sums[i] = product->goes_on                                                             \
                          ? *(const line *)(y + i % (items)*y_stride + i / (items)*LANES)          \
                      : product->bias != NULL ? *(const line *)(product->bias + at)                \
                                              : (line){0};                                         \
        }                                                                                          \
        const float *x = vectors;                                                                  \
        const float *place = product->panels + row * depth + product->skip * PANELS_WIDTH;         \
        for (uint64_t q = 0; q < parts; q++, x += product->part_step) {                            \
            const float *fours[FOURS];                                                             \
            _Pragma("GCC unroll 64") for (uint64_t i = 0; i < FOURS; i++)                          \
            {                                                                                      \
                fours[i] = x + 4 * i * x_stride;                                                   \
            }                                                                                      \
            for (uint64_t k = 0; k < part; k++, place += PANELS_WIDTH) {                           \
                line numbers[(wide)*PARTS];                                                        \
                panel_blocks_ask(place, product->ahead);                                           \
                _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)               \
                {                                                                                  \
                    const float *own = place + p / PARTS * depth * PANELS_WIDTH;                   \
                    numbers[p] = *(const line *)(own + p % PARTS * LANES);                         \
                }                                                                                  \
                _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (items); i++)                    \
                {                                                                                  \
                    const float factor = fours[i / 4][i % 4 * x_stride];                           \
                    _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)           \
                    {                                                                              \
                        sums[p * (items) + i] = (line)MULTIPLY_ADD_##suffix(                       \
                            numbers[p], factor, sums[p * (items) + i]);                            \
                    }                                                                              \
                }                                                                                  \
                _Pragma("GCC unroll 64") for (uint64_t i = 0; i < FOURS; i++)                      \
                {                                                                                  \
                    fours[i]++;                                                                    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        if (product->clips) {                                                                      \
            _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (wide) * (items)*PARTS; i++)         \
            {                                                                                      \
                sums[i] = (line)CLIP_##suffix(sums[i], product->lowest, product->highest);         \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)                       \
        {                                                                                          \
            _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (items); i++)                        \
            {                                                                                      \
                *(line *)(y + i * y_stride + p * LANES) = sums[p * (items) + i];                   \
            }                                                                                      \
        }                                                                                          \
    }

// With what takes a vector alone: as many panels that its sums do not wait for one another.
struct real_blocks {
    struct panel_blocks blocks;
    uint64_t wide;
    panel_block alone;
};

DEFINE_BLOCKS_TO_6(plain, , 16, 1)
DEFINE_BLOCK(plain, , 16, 2, 1)
static const struct real_blocks PLAIN = {
    {3, 1, {BLOCKS_TO_6(plain, 1)}, {BLOCKS_TO_6(plain, 1)}}, 2, block_plain_2_1};
#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,fma")))
DEFINE_BLOCKS_TO_6(avx2, FOR_AVX2, 32, 1)
DEFINE_BLOCK(avx2, FOR_AVX2, 32, 4, 1)
static const struct real_blocks AVX2 = {
    {6, 1, {BLOCKS_TO_6(avx2, 1)}, {BLOCKS_TO_6(avx2, 1)}}, 4, block_avx2_4_1};
// gcc 12 does not align these sums on the stack that its sanitizer makes up (PR 110027).
#define FOR_AVX512 __attribute__((target("avx512f"), no_sanitize("address")))
DEFINE_BLOCKS_TO_12(avx512, FOR_AVX512, 64, 1)
DEFINE_BLOCKS_TO_12(avx512, FOR_AVX512, 64, 2)
DEFINE_BLOCK(avx512, FOR_AVX512, 64, 8, 1)
static const struct real_blocks AVX512 = {
    {12, 2, {BLOCKS_TO_12(avx512, 2)}, {BLOCKS_TO_12(avx512, 1)}}, 8, block_avx512_8_1};
#endif

static const struct real_blocks *choose_blocks(void)
{
#if defined(__x86_64__)
    if (isa_used() >= ISA_AVX512)
        return &AVX512;
    if (isa_used() == ISA_AVX2)
        return &AVX2;
#endif
    return &PLAIN;
}

bool panels_are_fast(void)
{
    return choose_blocks() != &PLAIN;
}

// The last panel when it is not full: by way of a place that takes it whole.
static void multiply_edge(const struct panels_product *product, uint64_t row, const void *x,
                          float *y, panel_block block, uint64_t items)
{
    const uint64_t width = product->rows - row;
    float edge[PANEL_BLOCKS_MOST * PANELS_WIDTH];
    for (uint64_t i = 0; product->goes_on && i < items; i++)
        memcpy(edge + i * PANELS_WIDTH, y + i * product->y_stride, width * sizeof *y);
    block(product, row, x, edge, PANELS_WIDTH);
    for (uint64_t i = 0; i < items; i++)
        memcpy(y + i * product->y_stride, edge + i * PANELS_WIDTH, width * sizeof *y);
}

// The panels from that of `row` on that `blocks` take at a time, `together` of them; vectors as
// evenly as can be, since a few alone have too few sums to be quick. The first blocks ask for the
// panels that follow, one each: the first to meet a panel would wait for memory otherwise.
static void multiply_panels(const struct panels_product *product, const panel_block *blocks,
                            uint64_t most, uint64_t together, uint64_t row, uint64_t size,
                            const char *x, uint64_t count, float *y)
{
    const uint64_t panel = product->depth * PANELS_WIDTH * size;
    struct panels_product with = *product;
    uint64_t asked = 0;
    for (uint64_t item = 0, items; item < count; item += items) {
        const uint64_t left = count - item, blocks_left = (left + most - 1) / most;
        items = (left + blocks_left - 1) / blocks_left;
        with.ahead = asked < together ? (together + asked++) * panel : 0;
        const panel_block block = blocks[items - 1];
        const char *from = x + item * product->x_stride * size;
        float *to = y + item * product->y_stride + row;
        if (product->rows - row < PANELS_WIDTH)
            multiply_edge(&with, row, from, to, block, items);
        else
            block(&with, row, from, to, product->y_stride);
    }
}

void panel_blocks_multiply(const struct panel_blocks *blocks, const struct panels_product *product,
                           uint64_t row, uint64_t size, const void *x, uint64_t count, float *y)
{
    const uint64_t together = blocks->together * PANELS_WIDTH;
    for (; row + together <= product->rows; row += together)
        multiply_panels(product, blocks->several, blocks->most, blocks->together, row, size, x,
                        count, y);
    for (; row < product->rows; row += PANELS_WIDTH)
        multiply_panels(product, blocks->single, blocks->most, 1, row, size, x, count, y);
}

// By lengths of the depth of which neighbouring panels stay in the cache for all vectors; the sums
// rest in y in between, which changes nothing about them.
static void multiply_by_lengths(const struct panel_blocks *blocks,
                                const struct panels_product *product, const float *x,
                                uint64_t count, float *y)
{
    const uint64_t parts = product->parts > 0 ? product->parts : 1;
    const uint64_t part = product->parts > 0 ? product->part_depth : product->depth;
    struct panels_product with = *product;
    with.parts = 1;
    for (uint64_t q = 0; q < parts; q++) {
        for (uint64_t k = 0; k < part; k += DEPTH_TOGETHER) {
            const bool last = q + 1 == parts && k + DEPTH_TOGETHER >= part;
            with.part_depth = part - k < DEPTH_TOGETHER ? part - k : DEPTH_TOGETHER;
            with.skip = product->skip + q * part + k;
            with.clips = product->clips && last;
            panel_blocks_multiply(blocks, &with, 0, sizeof *x, x + q * product->part_step + k,
                                  count, y);
            with.goes_on = true;
        }
    }
}

void panels_multiply(const struct panels_product *product, const float *x, uint64_t count, float *y)
{
    const struct real_blocks *own = choose_blocks();
    const uint64_t wide = own->wide * PANELS_WIDTH;
    const uint64_t longest = product->parts > 0 ? product->part_depth : product->depth;
    uint64_t row = 0;
    if (count > own->blocks.most && longest > DEPTH_TOGETHER) {
        multiply_by_lengths(&own->blocks, product, x, count, y);
        return;
    }
    for (; count == 1 && row + wide <= product->rows; row += wide)
        own->alone(product, row, x, y + row, 0);
    panel_blocks_multiply(&own->blocks, product, row, sizeof *x, x, count, y);
}
