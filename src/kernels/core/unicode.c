#include "unicode.h"

#include <locale.h>
#include <pthread.h>
#include <wctype.h>

uint32_t unicode_next(struct view text, size_t *at)
{
    const unsigned char *bytes = (const unsigned char *)text.data + *at;
    const size_t left = text.size - *at;
    *at += 1;
    if (bytes[0] < 0x80)
        return bytes[0];
    const size_t size = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || size > left)
        return UNICODE_INVALID;
    uint32_t character = bytes[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return UNICODE_INVALID;
        character = character << 6 | (bytes[i] & 0x3fu);
    }
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    if (character < LEAST[size] || character > 0x10ffff ||
        (character >= 0xd800 && character < 0xe000))
        return UNICODE_INVALID;
    *at += size - 1;
    return character;
}

size_t unicode_put(uint32_t character, char bytes[4])
{
    const size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint32_t LEADS[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1;) {
        bytes[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    bytes[0] = (char)(LEADS[size] | character);
    return size;
}

// Letters of all scripts, whatever language the user has set.
static locale_t letters;

static void open_letters(void)
{
    letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static bool letters_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_letters);
    return letters != (locale_t)0;
}

uint32_t unicode_lower(uint32_t character)
{
    if (character < 0x80)
        return character >= 'A' && character <= 'Z' ? character + 32 : character;
    return letters_ready() ? (uint32_t)towlower_l((wint_t)character, letters) : character;
}

uint32_t unicode_upper(uint32_t character)
{
    if (character < 0x80)
        return character >= 'a' && character <= 'z' ? character - 32 : character;
    return letters_ready() ? (uint32_t)towupper_l((wint_t)character, letters) : character;
}
