#include "view.h"

#include <ctype.h>
#include <stdlib.h>

#include "memory.h"

bool view_is_ignoring_case(struct view v, const char *text)
{
    const size_t size = strlen(text);
    if (v.size != size)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (tolower((unsigned char)v.data[i]) != tolower((unsigned char)text[i]))
            return false;
    }
    return true;
}

bool view_ends_with(struct view v, const char *suffix)
{
    const size_t size = strlen(suffix);
    return v.size >= size && memcmp(v.data + v.size - size, suffix, size) == 0;
}

bool view_has_extension(struct view name, const char *extension)
{
    const size_t size = strlen(extension);
    return name.size >= size &&
           view_is_ignoring_case(view_slice(name, name.size - size, name.size), extension);
}

size_t view_find(struct view v, char byte)
{
    const char *at = v.size > 0 ? memchr(v.data, byte, v.size) : NULL;
    return at == NULL ? v.size : (size_t)(at - v.data);
}

size_t view_find_last(struct view v, char byte)
{
    for (size_t i = v.size; i > 0; i--) {
        if (v.data[i - 1] == byte)
            return i - 1;
    }
    return v.size;
}

size_t view_find_text(struct view v, const char *text)
{
    const char *at = v.size > 0 ? memmem(v.data, v.size, text, strlen(text)) : NULL;
    return at == NULL ? v.size : (size_t)(at - v.data);
}

static bool view_is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

struct view view_trim(struct view v)
{
    while (v.size > 0 && view_is_blank(v.data[0])) {
        v.data++;
        v.size--;
    }
    while (v.size > 0 && view_is_blank(v.data[v.size - 1]))
        v.size--;
    return v;
}

bool view_to_u64(struct view v, uint64_t *out_number)
{
    uint64_t number = 0;
    if (v.size == 0)
        return false;
    for (size_t i = 0; i < v.size; i++) {
        const unsigned digit = (unsigned)(v.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
    }
    *out_number = number;
    return true;
}

bool view_to_i64(struct view v, int64_t *out_number)
{
    const bool negative = v.size > 0 && v.data[0] == '-';
    uint64_t magnitude;
    if (!view_to_u64(negative ? view_slice(v, 1, v.size) : v, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *out_number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool view_to_double(struct view v, double *out_number)
{
    char text[64];
    if (v.size == 0 || v.size >= sizeof text || isspace((unsigned char)v.data[0]))
        return false;
    memcpy(text, v.data, v.size);
    text[v.size] = '\0';
    char *end;
    const double number = strtod(text, &end);
    if (end != text + v.size)
        return false;
    *out_number = number;
    return true;
}

char *view_copy(struct view v)
{
    char *text = memory_allocate(v.size + 1);
    if (v.size > 0)
        memcpy(text, v.data, v.size);
    text[v.size] = '\0';
    return text;
}

size_t view_character_size(struct view v, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)v.data + at;
    const size_t left = v.size - at;
    if (bytes[0] < 0x80)
        return 1;
    const size_t size = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || size > left)
        return 0;
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    }
    const bool overlong =
        (bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xf0 && bytes[1] < 0x90);
    const bool surrogate = bytes[0] == 0xed && bytes[1] >= 0xa0;
    const bool beyond = bytes[0] == 0xf4 && bytes[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : size;
}
