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

bool letters_steer(struct view text, size_t at, size_t size)
{
    const unsigned char *byte = (const unsigned char *)text.data + at;
    if (size == 2)
        return (byte[0] == 0xc2 && byte[1] < 0xa0) || (byte[0] == 0xd8 && byte[1] == 0x9c);
    if (size == 3 && byte[0] == 0xe2)
        return (byte[1] == 0x80 && (byte[2] == 0x8e || byte[2] == 0x8f)) ||
               (byte[1] == 0x80 && byte[2] >= 0xaa && byte[2] <= 0xae) ||
               (byte[1] == 0x81 && byte[2] >= 0xa6 && byte[2] <= 0xa9);
    return size == 1 && (byte[0] < 0x20 || byte[0] == 0x7f);
}

void letters_hide(char *text, size_t length)
{
    const struct view whole = {text, length};
    for (size_t at = 0; at < whole.size;) {
        const size_t found = view_character_size(whole, at);
        const size_t size = found > 0 ? found : 1;
        if (letters_steer(whole, at, size) && text[at] != '\n' && text[at] != '\t')
            memset(text + at, '?', size);
        at += size;
    }
}

static void append_letter(struct bytes *to, struct view text, size_t *at)
{
    const size_t size = view_character_size(text, *at);
    if (size == 0 || letters_steer(text, *at, size))
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
