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

// Nanoseconds as microseconds: "1234.567".
void text_put_time(struct bytes *to, uint64_t ns);

// For texts of a few bytes, of which there are many.
static inline void text_put_view(struct bytes *to, struct view text)
{
    if (to->capacity - to->size < text.size)
        bytes_reserve(to, text.size);
    memcpy(to->data + to->size, text.data, text.size);
    to->size += text.size;
}

static inline void text_put(struct bytes *to, const char *text)
{
    text_put_view(to, (struct view){text, strlen(text)});
}

#endif
