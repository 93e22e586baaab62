#include "byte_results.h"

#include <stdbool.h>
#include <string.h>

#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void put_plain(const struct byte_result *result, const float *from, uint64_t count,
                      uint8_t *to)
{
    // Rounds by adding and taking away 1.5 x 2^23, which every machine has as vectors.
    const float rounding = 12582912.0f;
    const float scale = result->scale, low = result->low, high = result->high;
    for (uint64_t i = 0; i < count; i++) {
        const float scaled = from[i] / scale;
        const float raised = scaled > low ? scaled : low;
        const float sum = (raised < high ? raised : high) + rounding;
        int32_t bits; // the whole number is in the lowest of them
        memcpy(&bits, &sum, sizeof bits);
        to[i] = (uint8_t)(bits + result->zero);
    }
}

#if defined(__x86_64__)
// By vectors a quotient is x times the inverse of the scale, and what that leaves of x, exact by a
// fused product and sum, times the inverse once more: then it is within 2^-46 of the true one, and
// rounded to f32 the nearest to that, unless the true one is as close to the middle between two
// floats. What is rounded to a whole number afterwards only depends on which of the two it is where
// one of them is n + 1/2: then x is (n + 1/2 +- 2^(e - 24)) scale, where 2^e is the power of two
// below n + 1/2. In units of half the last place of the scale, whose mantissa is M, x and
// (n + 1/2) scale are whole numbers, which differ by M 2^(e - 23): so M is next to a multiple of
// 2^(23 - e), and of 2^16 as n is below 256. Those are divided.
static bool divides_alike(float scale)
{
    enum { APART = 1 << 15, NEAR = 64, MANTISSA = 1 << 23 };
    if (!(scale > 0x1p-100f && scale < 0x1p100f))
        return false;
    int32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    const int32_t mantissa = bits % MANTISSA;
    return mantissa == 0 || (mantissa + NEAR) % APART >= 2 * NEAR;
}

// Whether packing numbers cuts them off where the result ends.
static bool ends_with_bytes(const struct byte_result *result)
{
    const float zero = (float)result->zero;
    const float end = result->low + zero;
    return (end == 0 || end == -128) && result->high + zero == end + 255;
}

enum { VECTORS = 4 }; // at a time, as many as are packed into one of bytes

// By kind of vectors: types, operations on them, and what brings the four bytes of each vector to
// where they belong after packing, which stays within 128 bits.
#define FOR_avx2 __attribute__((target("avx2,fma")))
#define REALS_avx2 __m256
#define WHOLE_avx2 __m256i
#define PS_avx2(operation) _mm256_##operation##_ps
#define EPI_avx2(operation) _mm256_##operation
#define LOAD_ORDER_avx2 _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)
#define IN_ORDER_avx2(bytes, order) _mm256_permutevar8x32_epi32(bytes, order)
#define STORE_avx2(to, bytes) _mm256_storeu_si256((__m256i *)(void *)(to), bytes)
#define XOR_avx2 _mm256_xor_si256

#define FOR_avx512 __attribute__((target("avx512f,avx512bw")))
#define REALS_avx512 __m512
#define WHOLE_avx512 __m512i
#define PS_avx512(operation) _mm512_##operation##_ps
#define EPI_avx512(operation) _mm512_##operation
#define LOAD_ORDER_avx512 _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
#define IN_ORDER_avx512(bytes, order) _mm512_permutexvar_epi32(order, bytes)
#define STORE_avx512(to, bytes) _mm512_storeu_si512(to, bytes)
#define XOR_avx512 _mm512_xor_si512

// Numbers beyond the ends become those that are one further. Results with a sign get 128 more, so
// that they are packed like those without.
#define DEFINE_PUT(suffix, bytes)                                                                  \
    FOR_##suffix static void put_##suffix(const struct byte_result *result, const float *from,     \
                                          uint64_t count, uint8_t *to)                             \
    {                                                                                              \
        enum { EACH = (bytes) / VECTORS, LANES = (bytes) };                                        \
        const bool has_sign = result->low + (float)result->zero < 0;                               \
        const REALS_##suffix scale = PS_##suffix(set1)(result->scale);                             \
        const REALS_##suffix inverse = PS_##suffix(set1)(1.0f / result->scale);                    \
        const REALS_##suffix low = PS_##suffix(set1)((result->low - 1) * result->scale);           \
        const REALS_##suffix high = PS_##suffix(set1)((result->high + 1) * result->scale);         \
        const WHOLE_##suffix zero =                                                                \
            EPI_##suffix(set1_epi16)((int16_t)(result->zero + (has_sign ? 128 : 0)));              \
        const WHOLE_##suffix flip = EPI_##suffix(set1_epi8)((char)(has_sign ? 128 : 0));           \
        const WHOLE_##suffix order = LOAD_ORDER_##suffix;                                          \
        for (uint64_t next = 0; next < count; next += LANES) {                                     \
            /* the last ones again with some before them */                                        \
            const uint64_t i = next + LANES <= count ? next : count - LANES;                       \
            WHOLE_##suffix whole[VECTORS];                                                         \
            _Pragma("GCC unroll 4") for (int j = 0; j < VECTORS; j++)                              \
            {                                                                                      \
                const REALS_##suffix x = PS_##suffix(min)(                                         \
                    PS_##suffix(max)(PS_##suffix(loadu)(from + i + j * EACH), low), high);         \
                const REALS_##suffix about = PS_##suffix(mul)(x, inverse);                         \
                const REALS_##suffix left = PS_##suffix(fnmadd)(about, scale, x);                  \
                whole[j] = EPI_##suffix(cvtps_epi32)(PS_##suffix(fmadd)(left, inverse, about));    \
            }                                                                                      \
            const WHOLE_##suffix first =                                                           \
                EPI_##suffix(add_epi16)(EPI_##suffix(packs_epi32)(whole[0], whole[1]), zero);      \
            const WHOLE_##suffix second =                                                          \
                EPI_##suffix(add_epi16)(EPI_##suffix(packs_epi32)(whole[2], whole[3]), zero);      \
            const WHOLE_##suffix packed = EPI_##suffix(packus_epi16)(first, second);               \
            STORE_##suffix(to + i, XOR_##suffix(IN_ORDER_##suffix(packed, order), flip));          \
        }                                                                                          \
    }

DEFINE_PUT(avx2, 32)
DEFINE_PUT(avx512, 64)

static void put_vectors(const struct byte_result *result, const float *from, uint64_t count,
                        uint8_t *to)
{
    if (isa_used() == ISA_AVX2)
        put_avx2(result, from, count, to);
    else
        put_avx512(result, from, count, to);
}
#endif

void byte_results_put(const struct byte_result *result, const float *from, uint64_t count,
                      uint8_t *to)
{
#if defined(__x86_64__)
    if (isa_used() < ISA_AVX2 || count == 0 || !divides_alike(result->scale) ||
        !ends_with_bytes(result)) {
        put_plain(result, from, count, to);
        return;
    }
    enum { LANES_MOST = 64 };
    if (count >= LANES_MOST) {
        put_vectors(result, from, count, to);
        return;
    }
    // Few: by way of a place that has as many.
    float numbers[LANES_MOST] = {0};
    uint8_t bytes[LANES_MOST];
    memcpy(numbers, from, count * sizeof *numbers);
    put_vectors(result, numbers, LANES_MOST, bytes);
    memcpy(to, bytes, count);
#else
    put_plain(result, from, count, to);
#endif
}
