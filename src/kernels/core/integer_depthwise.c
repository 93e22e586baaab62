#include "integer_depthwise.h"

#include <string.h>

#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LANES_256 = 16, LANES_512 = 32, PART = 4 }; // PART: channels of 128 bits of pairs

uint64_t integer_depthwise_lanes(void)
{
#if defined(__x86_64__)
    if (isa_used() >= ISA_AVX512)
        return LANES_512;
    if (isa_used() == ISA_AVX2)
        return LANES_256;
#endif
    return 0;
}

uint64_t integer_depthwise_size(uint64_t lanes, uint64_t taps, uint64_t channels)
{
    return (channels + lanes - 1) / lanes * lanes * (taps + taps % 2);
}

// Vectors of channels, pairs of taps, and of these two vectors, in the order in which numbers of
// two taps are brought together: within 128 bits the lower half of the channels, and the upper one.
void integer_depthwise_arrange(uint64_t lanes, uint64_t taps, uint64_t channels,
                               const int16_t *lines, int16_t *out)
{
    const uint64_t pairs = (taps + 1) / 2;
    memset(out, 0, (size_t)integer_depthwise_size(lanes, taps, channels) * sizeof *out);
    for (uint64_t c = 0; c < channels; c++) {
        const uint64_t lane = c % lanes, upper = lane / PART % 2;
        const uint64_t place = lane / (2 * PART) * PART + lane % PART;
        for (uint64_t t = 0; t < taps; t++)
            out[(c / lanes * pairs + t / 2) * 2 * lanes + upper * lanes + 2 * place + t % 2] =
                lines[t * channels + c];
    }
}

#if defined(__x86_64__)
#define FOR_avx2 __attribute__((target("avx2")))
#define WHOLE_avx2 __m256i
#define LOAD_avx2(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define LOWER_avx2 _mm256_unpacklo_epi16
#define UPPER_avx2 _mm256_unpackhi_epi16
#define NONE_avx2 _mm256_setzero_si256
#define ADD_avx2(sums, x, w) _mm256_add_epi32(sums, _mm256_madd_epi16(x, w))
#define STORE_avx2(to, lower, upper)                                                               \
    _mm256_storeu_si256((__m256i *)(void *)(to), _mm256_permute2x128_si256(lower, upper, 0x20));   \
    _mm256_storeu_si256((__m256i *)(void *)((to) + 8),                                             \
                        _mm256_permute2x128_si256(lower, upper, 0x31))

#define FOR_avx512 __attribute__((target("avx512f,avx512bw")))
#define WHOLE_avx512 __m512i
#define LOAD_avx512(from) _mm512_loadu_si512(from)
#define LOWER_avx512 _mm512_unpacklo_epi16
#define UPPER_avx512 _mm512_unpackhi_epi16
#define NONE_avx512 _mm512_setzero_si512
#define ADD_avx512(sums, x, w) _mm512_add_epi32(sums, _mm512_madd_epi16(x, w))
#define STORE_avx512(to, lower, upper)                                                             \
    _mm512_storeu_si512(                                                                           \
        to, _mm512_permutex2var_epi64(lower, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), upper)); \
    _mm512_storeu_si512(                                                                           \
        (to) + 16,                                                                                 \
        _mm512_permutex2var_epi64(lower, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), upper))

#define FOR_vnni __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define WHOLE_vnni WHOLE_avx512
#define LOAD_vnni LOAD_avx512
#define LOWER_vnni LOWER_avx512
#define UPPER_vnni UPPER_avx512
#define NONE_vnni NONE_avx512
#define ADD_vnni(sums, x, w) _mm512_dpwssd_epi32(sums, x, w)
#define STORE_vnni STORE_avx512

#define DEFINE_SUM(suffix, lanes)                                                                  \
    FOR_##suffix static void sum_##suffix(const int16_t *const *inputs, uint64_t pairs,            \
                                          const int16_t *w, uint64_t channels, uint32_t *sums)     \
    {                                                                                              \
        for (uint64_t c = 0; c < channels; c += (lanes)) {                                         \
            WHOLE_##suffix lower = NONE_##suffix(), upper = NONE_##suffix();                       \
            for (uint64_t p = 0; p < pairs; p++, w += 2 * (lanes)) {                               \
                const WHOLE_##suffix first = LOAD_##suffix(inputs[2 * p] + c);                     \
                const WHOLE_##suffix second = LOAD_##suffix(inputs[2 * p + 1] + c);                \
                lower = ADD_##suffix(lower, LOWER_##suffix(first, second), LOAD_##suffix(w));      \
                upper = ADD_##suffix(upper, UPPER_##suffix(first, second),                         \
                                     LOAD_##suffix(w + (lanes)));                                  \
            }                                                                                      \
            STORE_##suffix(sums + c, lower, upper);                                                \
        }                                                                                          \
    }

DEFINE_SUM(avx2, LANES_256)
DEFINE_SUM(avx512, LANES_512)
DEFINE_SUM(vnni, LANES_512)
#endif

void integer_depthwise_sum(uint64_t lanes, const int16_t *const *inputs, uint64_t taps,
                           const int16_t *arranged, uint64_t channels, uint32_t *sums)
{
#if defined(__x86_64__)
    const uint64_t pairs = (taps + 1) / 2;
    if (lanes == LANES_256)
        sum_avx2(inputs, pairs, arranged, channels, sums);
    else
        (isa_used() == ISA_VNNI ? sum_vnni : sum_avx512)(inputs, pairs, arranged, channels, sums);
#else
    (void)lanes, (void)inputs, (void)taps, (void)arranged, (void)channels, (void)sums;
#endif
}
