#include "byte_panels.h"

#include <string.h>

#include "isa.h"
#include "panel_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A line of a panel: four bytes of each of its rows.
enum { LINE = 4 * PANELS_WIDTH };

enum byte_form byte_panels_form(void)
{
    return isa_used() == ISA_VNNI || isa_avx2_has_vnni() ? BYTES_IN_FOURS : BYTES_IN_PAIRS;
}

void byte_panels_put(enum byte_form form, void *panels, uint64_t depth, uint64_t row, uint64_t k,
                     int8_t number)
{
    const uint64_t size = byte_form_size(form), together = 4 / size;
    char *panel = (char *)panels + row / PANELS_WIDTH * PANELS_WIDTH * depth * size;
    char *to = panel + k / together * LINE + row % PANELS_WIDTH * 4 + k % together * size;
    const int16_t wide = number;
    memcpy(to, form == BYTES_IN_FOURS ? (const void *)&number : &wide, size);
}

// What each kind of machine has: sums + the products of a vector's four bytes and a line, and what
// follows. All round alike, so products and sums of reals are not fused.
typedef int16_t plain_pairs __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t plain_sums __attribute__((vector_size(16), aligned(4), may_alias));
typedef float plain_reals __attribute__((vector_size(16), aligned(4), may_alias));

static inline plain_sums add_plain(plain_sums sums, int32_t four, plain_sums line)
{
#if defined(__x86_64__)
    const __m128i products = _mm_madd_epi16(_mm_set1_epi32(four), (__m128i)line);
    return (plain_sums)_mm_add_epi32((__m128i)sums, products);
#else
    int16_t x[2];
    memcpy(x, &four, sizeof x);
    const plain_pairs pairs = (plain_pairs)line;
    for (int i = 0; i < 4; i++)
        sums[i] += x[0] * pairs[2 * i] + x[1] * pairs[2 * i + 1];
    return sums;
#endif
}

static inline plain_reals clip_plain(plain_reals x, float lowest, float highest)
{
    for (int i = 0; i < 4; i++)
        x[i] = x[i] < lowest ? lowest : x[i] > highest ? highest : x[i];
    return x;
}

#define REALS_plain(sums) __builtin_convertvector(sums, plain_reals)
#define SCALE_plain(x, scale, bias) ((x) * (scale) + (bias))
#define ADD_plain(sums, four, line) add_plain(sums, four, line)
#define CLIP_plain(x, low, high) clip_plain(x, low, high)

#define REALS_256(sums) _mm256_cvtepi32_ps((__m256i)(sums))
#define SCALE_256(x, scale, bias) _mm256_add_ps(_mm256_mul_ps(x, (__m256)(scale)), (__m256)(bias))
#define CLIP_256(x, low, high)                                                                     \
    _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), (__m256)(x)))
#define ADD_256(sums, four, line)                                                                  \
    _mm256_add_epi32((__m256i)(sums), _mm256_madd_epi16(_mm256_set1_epi32(four), (__m256i)(line)))
#define REALS_avx2 REALS_256
#define SCALE_avx2 SCALE_256
#define CLIP_avx2 CLIP_256
#define ADD_avx2 ADD_256
#define REALS_avx2_vnni REALS_256
#define SCALE_avx2_vnni SCALE_256
#define CLIP_avx2_vnni CLIP_256
#define ADD_avx2_vnni(sums, four, line)                                                            \
    _mm256_dpbusd_avx_epi32((__m256i)(sums), _mm256_set1_epi32(four), (__m256i)(line))

#define REALS_512(sums) _mm512_cvtepi32_ps((__m512i)(sums))
#define SCALE_512(x, scale, bias) _mm512_add_ps(_mm512_mul_ps(x, (__m512)(scale)), (__m512)(bias))
#define CLIP_512(x, low, high)                                                                     \
    _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), (__m512)(x)))
#define REALS_avx512 REALS_512
#define SCALE_avx512 SCALE_512
#define CLIP_avx512 CLIP_512
#define ADD_avx512(sums, four, line)                                                               \
    _mm512_add_epi32((__m512i)(sums), _mm512_madd_epi16(_mm512_set1_epi32(four), (__m512i)(line)))
#define REALS_vnni REALS_512
#define SCALE_vnni SCALE_512
#define CLIP_vnni CLIP_512
#define ADD_vnni(sums, four, line)                                                                 \
    _mm512_dpbusd_epi32((__m512i)(sums), _mm512_set1_epi32(four), (__m512i)(line))

static inline int32_t four_bytes(const char *from, uint64_t count)
{
    (void)count;
    int32_t four;
    memcpy(&four, from, sizeof four);
    return four;
}

// The last bytes of a part, fewer than four: others may not be there to be read.
static inline int32_t some_bytes(const char *from, uint64_t count)
{
    uint16_t two = 0;
    if (count >= 2)
        memcpy(&two, from, sizeof two);
    const uint32_t last = count % 2 != 0 ? (uint8_t)from[count - 1] : 0;
    return (int32_t)(two | last << 8 * (count - 1));
}

// The lines at `place` of the panels, by the four bytes of each vector i.
#define MEET_LINE(suffix, bytes, wide, items, take)                                                \
    {                                                                                              \
        line numbers[(wide)*PARTS];                                                                \
        _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)                       \
        {                                                                                          \
            numbers[p] =                                                                           \
                *(const line *)(const void *)(place + p / PARTS * panel + p % PARTS * (bytes));    \
        }                                                                                          \
        _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (items); i++)                            \
        {                                                                                          \
            const int32_t met = take(fours[i / 4] + i % 4 * x_stride, part - k);                   \
            _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)                   \
            {                                                                                      \
                sums[p * (items) + i] =                                                            \
                    (line)ADD_##suffix(sums[p * (items) + i], met, numbers[p]);                    \
            }                                                                                      \
        }                                                                                          \
    }

// Neighbouring panels, from that of `row`, by some vectors, both numbers constants so that the sums
// stay in registers. `bytes` is the length of a vector of the machine. Vectors are met four at a
// time, whose places need no more than a pointer.
#define DEFINE_BLOCK(suffix, attributes, bytes, wide, items)                                       \
    attributes static void block_##suffix##_##wide##_##items(const struct panels_product *product, \
                                                             uint64_t row, const void *vectors,    \
                                                             float *y, uint64_t y_stride)          \
    {                                                                                              \
        const struct byte_panels *own = product->of_bytes;                                         \
        enum { LANES = (bytes) / sizeof(float), PARTS = PANELS_WIDTH / LANES };                    \
        enum { FOURS = ((items) + 3) / 4 };                                                        \
        typedef int32_t line __attribute__((vector_size(bytes), aligned(4), may_alias));           \
        typedef float reals __attribute__((vector_size(bytes), aligned(4), may_alias));            \
        const uint64_t size = byte_form_size(own->form);                                           \
        const uint64_t x_stride = product->x_stride * size, step = product->part_step * size;      \
        const uint64_t parts = product->parts > 0 ? product->parts : 1;                            \
        const uint64_t part = (product->parts > 0 ? product->part_depth : product->depth) * size;  \
        const uint64_t panel = product->depth * PANELS_WIDTH * size;                               \
        const char *place = (const char *)own->panels +                                            \
                            (row * product->depth + product->skip * PANELS_WIDTH) * size;          \
        const char *x = vectors;                                                                   \
        line sums[(wide) * (items)*PARTS];                                                         \
        _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (wide) * (items)*PARTS; i++)             \
        {                                                                                          \
            sums[i] = (line){0};                                                                   \
        }                                                                                          \
        for (uint64_t q = 0; q < parts; q++, x += step) {                                          \
            const char *fours[FOURS];                                                              \
            _Pragma("GCC unroll 64") for (uint64_t i = 0; i < FOURS; i++)                          \
            {                                                                                      \
                fours[i] = x + 4 * i * x_stride;                                                   \
            }                                                                                      \
            uint64_t k = 0;                                                                        \
            for (; k + 4 <= part; k += 4, place += LINE) {                                         \
                MEET_LINE(suffix, bytes, wide, items, four_bytes)                                  \
                _Pragma("GCC unroll 64") for (uint64_t i = 0; i < FOURS; i++)                      \
                {                                                                                  \
                    fours[i] += 4;                                                                 \
                }                                                                                  \
            }                                                                                      \
            if (k < part) {                                                                        \
                MEET_LINE(suffix, bytes, wide, items, some_bytes)                                  \
                place += LINE;                                                                     \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 64") for (uint64_t p = 0; p < (wide)*PARTS; p++)                       \
        {                                                                                          \
            const uint64_t at = row + p * LANES;                                                   \
            const line excess = *(const line *)(own->excess + at);                                 \
            const reals scales = *(const reals *)(own->scales + at);                               \
            const reals bias =                                                                     \
                product->bias != NULL ? *(const reals *)(product->bias + at) : (reals){0};         \
            _Pragma("GCC unroll 64") for (uint64_t i = 0; i < (items); i++)                        \
            {                                                                                      \
                reals made = (reals)SCALE_##suffix(REALS_##suffix(sums[p * (items) + i] - excess), \
                                                   scales, bias);                                  \
                if (product->clips)                                                                \
                    made = (reals)CLIP_##suffix(made, product->lowest, product->highest);          \
                *(reals *)(y + i * y_stride + p * LANES) = made;                                   \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_BLOCKS_TO_6(plain, , 16, 1)
static const struct panel_blocks PLAIN = {2, 1, {BLOCKS_TO_6(plain, 1)}, {BLOCKS_TO_6(plain, 1)}};
#if defined(__x86_64__)
DEFINE_BLOCKS_TO_6(avx2, __attribute__((target("avx2"))), 32, 1)
static const struct panel_blocks AVX2 = {6, 1, {BLOCKS_TO_6(avx2, 1)}, {BLOCKS_TO_6(avx2, 1)}};
// gcc 12 does not align these sums on the stack that its sanitizer makes up (PR 110027).
#define FOR_AVX512 __attribute__((target("avx512f,avx512bw"), no_sanitize("address")))
DEFINE_BLOCKS_TO_12(avx512, FOR_AVX512, 64, 1)
DEFINE_BLOCKS_TO_12(avx512, FOR_AVX512, 64, 2)
static const struct panel_blocks AVX512 = {
    12, 2, {BLOCKS_TO_12(avx512, 2)}, {BLOCKS_TO_12(avx512, 1)}};
#define FOR_VNNI __attribute__((target("avx512f,avx512vnni"), no_sanitize("address")))
DEFINE_BLOCKS_TO_12(vnni, FOR_VNNI, 64, 1)
DEFINE_BLOCKS_TO_12(vnni, FOR_VNNI, 64, 2)
static const struct panel_blocks VNNI = {12, 2, {BLOCKS_TO_12(vnni, 2)}, {BLOCKS_TO_12(vnni, 1)}};
#if !defined(__clang__)
DEFINE_BLOCKS_TO_6(avx2_vnni, __attribute__((target("avx2,avxvnni"))), 32, 1)
static const struct panel_blocks AVX2_VNNI = {
    6, 1, {BLOCKS_TO_6(avx2_vnni, 1)}, {BLOCKS_TO_6(avx2_vnni, 1)}};
#endif
#endif

static const struct panel_blocks *choose_blocks(enum byte_form form)
{
#if defined(__x86_64__)
    if (form == BYTES_IN_FOURS) {
#if !defined(__clang__)
        if (isa_avx2_has_vnni())
            return &AVX2_VNNI;
#endif
        return &VNNI;
    }
    if (isa_used() >= ISA_AVX512)
        return &AVX512;
    if (isa_used() == ISA_AVX2)
        return &AVX2;
#else
    (void)form;
#endif
    return &PLAIN;
}

void byte_panels_multiply(const struct panels_product *product, const void *x, uint64_t count,
                          float *y)
{
    const enum byte_form form = product->of_bytes->form;
    panel_blocks_multiply(choose_blocks(form), product, 0, byte_form_size(form), x, count, y);
}
