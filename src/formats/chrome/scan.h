// Finding the ends of JSON texts and values, many bytes at a time.

#ifndef OPSCOPE_FORMATS_CHROME_SCAN_H
#define OPSCOPE_FORMATS_CHROME_SCAN_H

#include "base/view.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool scan_is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

// One blank or none, as nearly everywhere, or the line break and the indentation of a printed
// trace.
static inline const char *scan_blanks(const char *at, const char *end)
{
    if (at < end && scan_is_blank(*at))
        at++;
#ifdef __SSE2__
    while (end - at >= 16 && scan_is_blank(*at)) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i blank =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
                         _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t'))));
        const unsigned mask = (unsigned)_mm_movemask_epi8(blank) ^ 0xffffu;
        if (mask != 0)
            return at + __builtin_ctz(mask);
        at += 16;
    }
#endif
    while (at < end && scan_is_blank(*at))
        at++;
    return at;
}

// After the opening quote: where the closing one is, `end` when there is none. Sets `*escapes`
// when there are any.
static inline const char *scan_text(const char *at, const char *end, bool *escapes)
{
    for (;;) {
#ifdef __SSE2__
        while (end - at >= 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
            const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                               _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
            const unsigned mask = (unsigned)_mm_movemask_epi8(found);
            if (mask != 0) {
                at += __builtin_ctz(mask);
                break;
            }
            at += 16;
        }
#endif
        while (at < end && *at != '"' && *at != '\\')
            at++;
        if (at == end || *at == '"')
            return at;
        *escapes = true;
        if (end - at < 2)
            return end;
        at += 2;
    }
}

// After the value at `at`, which is not blank; NULL when it is cut off or is no value. Commas
// and colons inside arrays and objects are not looked at.
const char *scan_value(const char *at, const char *end);

#endif
