#include "bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "recovery.h"

unsigned char *bytes_reserve_far(struct bytes *bytes, size_t size)
{
    size_t wanted = bytes->capacity == 0 ? 64 : bytes->capacity;
    while (wanted - bytes->size < size) {
        if (wanted > SIZE_MAX / 2)
            recovery_fail(SIZE_MAX);
        wanted *= 2;
    }
    bytes->data = memory_resize(bytes->data, wanted);
    bytes->capacity = wanted;
    return bytes->data + bytes->size;
}

void bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (size == 0)
        return;
    memcpy(bytes_reserve(bytes, size), data, size);
    bytes->size += size;
}

void bytes_append_varint(struct bytes *bytes, uint64_t number)
{
    unsigned char *to = bytes_reserve(bytes, VARINT_MOST);
    bytes->size += (size_t)(varint_put(to, number) - to);
}

void bytes_append_text(struct bytes *bytes, struct view text)
{
    bytes_append_varint(bytes, text.size);
    bytes_append(bytes, text.data, text.size);
}

void bytes_append_number(struct bytes *bytes, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    bytes_append(bytes, digits + at, sizeof digits - at);
}

void bytes_append_format(struct bytes *bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        unsigned char *to = bytes_reserve(bytes, (size_t)length + 1);
        vsnprintf((char *)to, (size_t)length + 1, format, again);
        bytes->size += (size_t)length;
    }
    va_end(again);
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}
