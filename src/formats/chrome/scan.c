#include "scan.h"

// The next byte that matters inside arrays and objects: a quote or a bracket of any kind.
static const char *next_structure(const char *at, const char *end)
{
#ifdef __SSE2__
    // '[' and '{', ']' and '}' differ in one bit that neither pair shares with the quote.
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i bit = _mm_set1_epi8(0x20);
    const __m128i open = _mm_set1_epi8('{');
    const __m128i close = _mm_set1_epi8('}');
    while (end - at >= 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i folded = _mm_or_si128(bytes, bit);
        const __m128i brackets =
            _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close));
        const unsigned mask =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, quote)));
        if (mask != 0)
            return at + __builtin_ctz(mask);
        at += 16;
    }
#endif
    while (at < end && *at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}')
        at++;
    return at;
}

// Which bracket closes what was opened is known to this depth: a value that lacks its end would
// take in all that comes after it.
enum { BRACKETS_KNOWN = 64 };

static const char *scan_nested(const char *at, const char *end)
{
    size_t depth = 0;
    uint64_t objects = 0; // bit by bit, whether what is open is one
    bool escapes;
    while ((at = next_structure(at, end)) < end) {
        if (*at == '"') {
            at = scan_text(at + 1, end, &escapes);
            if (at == end)
                return NULL;
        } else if ((*at | 0x20) == '{') {
            if (depth < BRACKETS_KNOWN)
                objects = (objects & ~(1ull << depth)) | (uint64_t)(*at == '{') << depth;
            depth++;
        } else {
            depth--;
            if (depth < BRACKETS_KNOWN && (objects >> depth & 1) != (*at == '}'))
                return NULL;
            if (depth == 0)
                return at + 1;
        }
        at++;
    }
    return NULL;
}

// What ends a number or a word, besides blanks and control characters.
static const bool ENDS[256] = {[','] = true, ['}'] = true, [']'] = true, [':'] = true,
                               ['"'] = true, ['{'] = true, ['['] = true};

// A number or a word. One that touches the end of the input may be cut off.
static const char *scan_word(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && (unsigned char)*at > ' ' && !ENDS[(unsigned char)*at])
        at++;
    return at == from || at == end ? NULL : at;
}

const char *scan_value(const char *at, const char *end)
{
    bool escapes;
    if (at == end)
        return NULL;
    if (*at == '"') {
        at = scan_text(at + 1, end, &escapes);
        return at == end ? NULL : at + 1;
    }
    if (*at == '{' || *at == '[')
        return scan_nested(at, end);
    return scan_word(at, end);
}
