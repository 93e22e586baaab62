// Numbers as text, as numpy writes them: the fewest digits that name the number
// ("0.1", "1e-05", "nan", "-inf"), integers plainly, bools "True" and "False".

#ifndef OPSCOPE_KERNELS_CORE_NUMBER_TEXT_H
#define OPSCOPE_KERNELS_CORE_NUMBER_TEXT_H

#include "network/element.h"

enum { NUMBER_TEXT_MOST = 40 };

// Writes the number at `data`, of a type that convert.h knows, with a NUL after it.
// Returns its length.
size_t number_text(enum element element, const void *data, char text[NUMBER_TEXT_MOST]);

// Reads a number of that type: plain or scientific, "inf" and "nan" in any case,
// "true" and "false" for bools. Blanks around it do not matter. False when it is
// anything else.
bool number_parse(struct view text, enum element element, void *out);

#endif
