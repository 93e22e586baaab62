#include "letters.h"

enum { END_ONLY = 14 }; // where there is less room, the end of a text is left out

size_t letters_count(struct view text)
{
    size_t length = 0;
    for (size_t at = 0; at < text.size; length++) {
        const size_t size = view_character_size(text, at);
        at += size > 0 ? size : 1;
    }
    return length;
}

static void append_letter(struct bytes *to, struct view text, size_t *at)
{
    const size_t size = view_character_size(text, *at);
    const unsigned char byte = (unsigned char)text.data[*at];
    const bool control = byte < 0x20 || byte == 0x7f ||
                         (size == 2 && byte == 0xc2 && (unsigned char)text.data[*at + 1] < 0xa0);
    if (size == 0 || control)
        bytes_append(to, "\xef\xbf\xbd", 3);
    else
        bytes_append(to, text.data + *at, size);
    *at += size > 0 ? size : 1;
}

// How many letters stand before what is cut out.
static size_t head_of(size_t most, enum letters_cut cut)
{
    const size_t room = most > 2 ? most - 2 : 0;
    if (cut == LETTERS_CUT_START)
        return 0;
    return cut == LETTERS_CUT_END || most < END_ONLY ? room : room * 2 / 3;
}

void letters_append(struct bytes *to, struct view text, size_t most, enum letters_cut cut)
{
    const size_t length = letters_count(text);
    const size_t left_out = length > most ? length - most + 2 : 0;
    const size_t head = left_out == 0 ? length : head_of(most, cut);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (left_out == 0 || i < head || i >= head + left_out) {
            append_letter(to, text, &at);
            continue;
        }
        const size_t size = view_character_size(text, at);
        at += size > 0 ? size : 1;
        if (i == head)
            bytes_append(to, "..", most < 2 ? most : 2);
    }
}
