#include "integer_strips.h"

#include <string.h>

#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { PANEL = INTEGER_PANEL, STRIP = INTEGER_STRIP, LINE = INTEGER_LINE, FEW = 4, MORE = 6 };

// The products of four bytes of a row and a column, added up.
static inline uint32_t meet_pairs(const char *x, const char *y)
{
    int16_t a[2], b[2];
    memcpy(a, x, sizeof a);
    memcpy(b, y, sizeof b);
    return (uint32_t)(a[0] * b[0]) + (uint32_t)(a[1] * b[1]);
}

static inline uint32_t meet_bytes(const char *x, const char *y)
{
    uint8_t a[4];
    int8_t b[4];
    memcpy(a, x, sizeof a);
    memcpy(b, y, sizeof b);
    return (uint32_t)(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
}

#define DEFINE_PORTABLE(name)                                                                      \
    static void portable_##name(const char *a, uint64_t a_stride, uint64_t rows,                   \
                                const char *panel, uint64_t lines, integer_sums sums)              \
    {                                                                                              \
        for (uint64_t r = 0; r < rows; r++) {                                                      \
            uint32_t own[PANEL] = {0};                                                             \
            for (uint64_t p = 0; p < lines; p++)                                                   \
                for (uint64_t c = 0; c < PANEL; c++)                                               \
                    own[c] += meet_##name(a + r * a_stride + 4 * p, panel + p * LINE + 4 * c);     \
            memcpy(sums[r], own, sizeof own);                                                      \
        }                                                                                          \
    }

DEFINE_PORTABLE(pairs)
DEFINE_PORTABLE(bytes)

#if defined(__x86_64__)
// `together` rows by both halves of a panel, a constant so that the sums stay in registers.
#define ADD_avx2(sums, both, half) _mm256_add_epi32(sums, _mm256_madd_epi16(both, half))
#define ADD_avx2_vnni(sums, both, half) _mm256_dpbusd_avx_epi32(sums, both, half)
#define FOR_avx2 __attribute__((target("avx2")))
#define FOR_avx2_vnni __attribute__((target("avx2,avxvnni")))

#define DEFINE_HALVES(suffix, together)                                                            \
    FOR_##suffix static void suffix##_##together(const char *a, uint64_t a_stride,                 \
                                                 const char *panel, uint64_t lines,                \
                                                 uint32_t(*sums)[PANEL])                           \
    {                                                                                              \
        __m256i low[together], high[together];                                                     \
        _Pragma("GCC unroll 6") for (uint64_t r = 0; r < (together); r++)                          \
        {                                                                                          \
            low[r] = high[r] = _mm256_setzero_si256();                                             \
        }                                                                                          \
        for (uint64_t p = 0; p < lines; p++) {                                                     \
            const void *line = panel + p * LINE;                                                   \
            const __m256i first = _mm256_loadu_si256((const __m256i *)line);                       \
            const __m256i second = _mm256_loadu_si256((const __m256i *)line + 1);                  \
            _Pragma("GCC unroll 6") for (uint64_t r = 0; r < (together); r++)                      \
            {                                                                                      \
                int32_t four;                                                                      \
                memcpy(&four, a + r * a_stride + 4 * p, sizeof four);                              \
                const __m256i both = _mm256_set1_epi32(four);                                      \
                low[r] = ADD_##suffix(low[r], both, first);                                        \
                high[r] = ADD_##suffix(high[r], both, second);                                     \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 6") for (uint64_t r = 0; r < (together); r++)                          \
        {                                                                                          \
            _mm256_storeu_si256((__m256i *)(void *)sums[r], low[r]);                               \
            _mm256_storeu_si256((__m256i *)(void *)(sums[r] + 8), high[r]);                        \
        }                                                                                          \
    }

#define DEFINE_STRIP_256(suffix)                                                                   \
    DEFINE_HALVES(suffix, 6)                                                                       \
    DEFINE_HALVES(suffix, 4)                                                                       \
    DEFINE_HALVES(suffix, 1)                                                                       \
    static void strip_##suffix(const char *a, uint64_t a_stride, uint64_t rows, const char *panel, \
                               uint64_t lines, integer_sums sums)                                  \
    {                                                                                              \
        uint64_t r = 0;                                                                            \
        for (; r + MORE <= rows; r += MORE)                                                        \
            suffix##_6(a + r * a_stride, a_stride, panel, lines, sums + r);                        \
        for (; r + FEW <= rows; r += FEW)                                                          \
            suffix##_4(a + r * a_stride, a_stride, panel, lines, sums + r);                        \
        for (; r < rows; r++)                                                                      \
            suffix##_1(a + r * a_stride, a_stride, panel, lines, sums + r);                        \
    }

DEFINE_STRIP_256(avx2)
#if !defined(__clang__)
DEFINE_STRIP_256(avx2_vnni)
#endif

// A line of a panel is a vector: sums + the products of each column's four bytes.
#define ADD_avx512(sums, both, line)                                                               \
    _mm512_add_epi32((__m512i)(sums), _mm512_madd_epi16(both, (__m512i)(line)))
#define ADD_vnni(sums, both, line) _mm512_dpwssd_epi32((__m512i)(sums), both, (__m512i)(line))
#define ADD_vnni_bytes(sums, both, line) _mm512_dpbusd_epi32((__m512i)(sums), both, (__m512i)(line))
// gcc 12 does not align these sums on the stack that its sanitizer makes up (PR 110027).
#define FOR_avx512 __attribute__((target("avx512f,avx512bw"), no_sanitize("address")))
#define FOR_vnni __attribute__((target("avx512f,avx512bw,avx512vnni"), no_sanitize("address")))
#define FOR_vnni_bytes FOR_vnni

// `panels` neighbours by `together` rows, both numbers constants so that the sums stay in
// registers.
#define DEFINE_STRIP(suffix, together, panels)                                                     \
    FOR_##suffix static void strip_##suffix##_##together##_##panels(                               \
        const char *a, uint64_t a_stride, const char *panel, uint64_t lines, integer_sums *sums)   \
    {                                                                                              \
        __m512i own[(together) * (panels)];                                                        \
        _Pragma("GCC unroll 24") for (int i = 0; i < (together) * (panels); i++)                   \
        {                                                                                          \
            own[i] = _mm512_setzero_si512();                                                       \
        }                                                                                          \
        for (uint64_t p = 0; p < lines; p++) {                                                     \
            __m512i met[panels];                                                                   \
            _Pragma("GCC unroll 2") for (uint64_t i = 0; i < (panels); i++)                        \
            {                                                                                      \
                met[i] = _mm512_loadu_si512(panel + (i * lines + p) * LINE);                       \
            }                                                                                      \
            _Pragma("GCC unroll 12") for (int r = 0; r < (together); r++)                          \
            {                                                                                      \
                int32_t four;                                                                      \
                memcpy(&four, a + (uint64_t)r * a_stride + 4 * p, sizeof four);                    \
                _Pragma("GCC unroll 2") for (int i = 0; i < (panels); i++)                         \
                {                                                                                  \
                    own[i * (together) + r] =                                                      \
                        ADD_##suffix(own[i * (together) + r], _mm512_set1_epi32(four), met[i]);    \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        _Pragma("GCC unroll 24") for (int i = 0; i < (together) * (panels); i++)                   \
        {                                                                                          \
            _mm512_storeu_si512(sums[i / (together)][i % (together)], own[i]);                     \
        }                                                                                          \
    }

#define DEFINE_STRIPS(suffix)                                                                      \
    DEFINE_STRIP(suffix, 12, 2)                                                                    \
    DEFINE_STRIP(suffix, 12, 1)                                                                    \
    DEFINE_STRIP(suffix, 4, 1)                                                                     \
    DEFINE_STRIP(suffix, 1, 1)                                                                     \
    static void strip_##suffix(const char *a, uint64_t a_stride, uint64_t rows, const char *panel, \
                               uint64_t lines, integer_sums sums)                                  \
    {                                                                                              \
        if (rows == STRIP) {                                                                       \
            strip_##suffix##_12_1(a, a_stride, panel, lines, (integer_sums *)sums);                \
            return;                                                                                \
        }                                                                                          \
        uint64_t r = 0;                                                                            \
        for (; r + FEW <= rows; r += FEW)                                                          \
            strip_##suffix##_4_1(a + r * a_stride, a_stride, panel, lines,                         \
                                 (integer_sums *)(sums + r));                                      \
        for (; r < rows; r++)                                                                      \
            strip_##suffix##_1_1(a + r * a_stride, a_stride, panel, lines,                         \
                                 (integer_sums *)(sums + r));                                      \
    }

DEFINE_STRIPS(avx512)
DEFINE_STRIPS(vnni)
DEFINE_STRIPS(vnni_bytes)
#endif

bool integer_strips_like_bytes(void)
{
    return isa_used() == ISA_VNNI || isa_avx2_has_vnni();
}

static struct integer_strips strips_of_bytes(void)
{
#if defined(__x86_64__)
    if (isa_used() == ISA_VNNI)
        return (struct integer_strips){strip_vnni_bytes, strip_vnni_bytes_12_2};
#if !defined(__clang__)
    if (isa_avx2_has_vnni())
        return (struct integer_strips){strip_avx2_vnni, NULL};
#endif
#endif
    return (struct integer_strips){portable_bytes, NULL};
}

struct integer_strips integer_strips_choose(enum integer_form form)
{
    if (form == INTEGER_BYTES)
        return strips_of_bytes();
#if defined(__x86_64__)
    if (isa_used() == ISA_VNNI)
        return (struct integer_strips){strip_vnni, strip_vnni_12_2};
    if (isa_used() == ISA_AVX512)
        return (struct integer_strips){strip_avx512, strip_avx512_12_2};
    if (isa_used() == ISA_AVX2)
        return (struct integer_strips){strip_avx2, NULL};
#endif
    return (struct integer_strips){portable_pairs, NULL};
}
