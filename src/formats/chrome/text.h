// JSON being put together in a buffer: valid whatever the texts hold.

#ifndef OPSCOPE_FORMATS_CHROME_TEXT_H
#define OPSCOPE_FORMATS_CHROME_TEXT_H

#include "base/bytes.h"

// Appends `text` in quotes. Control characters are escaped; bytes that are no UTF-8 become U+FFFD.
// Returns false where there were any.
bool text_put_quoted(struct bytes *to, struct view text);

void text_put_uint(struct bytes *to, uint64_t number);
void text_put_int(struct bytes *to, int64_t number);

// The shortest that reads back as the same number, with a point or an exponent; those that are no
// numbers as texts.
void text_put_real(struct bytes *to, double number);

// JSON as it is written, where it is JSON (RFC 8259); anything else in quotes.
void text_put_json(struct bytes *to, struct view json);

// Nanoseconds as microseconds: "1234.567".
void text_put_time(struct bytes *to, uint64_t ns);

static inline unsigned char *text_room(struct bytes *to, size_t size)
{
    return to->capacity - to->size < size ? bytes_reserve(to, size) : to->data + to->size;
}

static inline void text_put_view(struct bytes *to, struct view text)
{
    memcpy(text_room(to, text.size), text.data, text.size);
    to->size += text.size;
}

// For words of the program: their sizes are known to the compiler.
static inline __attribute__((always_inline)) void text_put(struct bytes *to, const char *text)
{
    text_put_view(to, (struct view){text, strlen(text)});
}

// Bytes after a text that may be read, whatever they hold.
enum { TEXT_PADDING = 16 };

// For texts of a few bytes with padding, of which there are many: without a call for each.
static inline void text_put_padded(struct bytes *to, struct view text)
{
    unsigned char *at = text_room(to, text.size + TEXT_PADDING);
    for (size_t i = 0; i < text.size; i += TEXT_PADDING)
        memcpy(at + i, text.data + i, TEXT_PADDING);
    to->size += text.size;
}

#endif
