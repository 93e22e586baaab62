// A growing buffer of bytes. All zero is an empty one.

#ifndef OPSCOPE_BASE_BYTES_H
#define OPSCOPE_BASE_BYTES_H

#include "varint.h"
#include "view.h"

struct bytes {
    unsigned char *data;
    size_t size;
    size_t capacity;
};

unsigned char *bytes_reserve_far(struct bytes *bytes, size_t size);

// Room for `size` more bytes; returns where they go.
static inline unsigned char *bytes_reserve(struct bytes *bytes, size_t size)
{
    if (bytes->data == NULL || bytes->capacity - bytes->size < size)
        return bytes_reserve_far(bytes, size);
    return bytes->data + bytes->size;
}

void bytes_append(struct bytes *bytes, const void *data, size_t size);
void bytes_append_varint(struct bytes *bytes, uint64_t number);

// A length, then the text.
void bytes_append_text(struct bytes *bytes, struct view text);

// In decimal digits.
void bytes_append_number(struct bytes *bytes, uint64_t number);

void bytes_append_format(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline struct view bytes_view(const struct bytes *bytes)
{
    return (struct view){(const char *)bytes->data, bytes->size};
}

void bytes_free(struct bytes *bytes);

#endif
