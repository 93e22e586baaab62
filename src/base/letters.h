// Texts as people see them: counted in letters, cut where they are too long, harmless on a
// terminal whatever they hold.

#ifndef OPSCOPE_BASE_LETTERS_H
#define OPSCOPE_BASE_LETTERS_H

#include "bytes.h"

// How many letters wide a text is: one for each character, and for each byte that is no UTF-8.
size_t letters_count(struct view text);

// Whether the character at `at`, of `size` bytes, would steer a terminal: a control character, or
// a mark that turns the direction of what follows (U+061C, U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069).
bool letters_steer(struct view text, size_t at, size_t size);

// Puts "?" in place of those, line breaks and tabs excepted: as many as they have bytes.
void letters_hide(char *text, size_t length);

enum letters_cut {
    LETTERS_CUT_MIDDLE, // its end where there is little room
    LETTERS_CUT_END,
    LETTERS_CUT_START,
};

// Appends `text` with at most `most` letters: what is cut out of a longer one becomes "..".
// What would steer a terminal and bytes that are no UTF-8 become U+FFFD.
void letters_append(struct bytes *to, struct view text, size_t most, enum letters_cut cut);

#endif
