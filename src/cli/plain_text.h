// Texts of files on a terminal: whatever they hold, they cannot steer it.

#ifndef OPSCOPE_CLI_PLAIN_TEXT_H
#define OPSCOPE_CLI_PLAIN_TEXT_H

#include <stdio.h>

#include "base/view.h"

// Prints `text` with blanks after it up to `width` letters. What would steer a terminal and
// bytes that are no UTF-8 become U+FFFD.
void plain_text_print(FILE *file, struct view text, int width);

// Prints all of `text` on the standard output.
void plain_text_put(struct view text);

// Prints a name in `width` columns, of a longer one the end: it tells more of a path.
void plain_text_print_name(struct view name, int width);

#endif
