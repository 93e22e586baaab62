// Regular expressions in the syntax of RE2, matched against whole texts in time
// proportional to the text.
//
// Texts are UTF-8; a byte that is no part of a character matches nothing. Not
// supported: classes of Unicode (\pL) and single bytes (\C).

#ifndef OPSCOPE_KERNELS_CORE_REGEX_H
#define OPSCOPE_KERNELS_CORE_REGEX_H

#include "base/status.h"
#include "base/view.h"

struct regex;

// Fails for wrong patterns, naming the place, and for those that unfold to more
// than 131072 steps.
status regex_compile(struct view pattern, struct regex **out_regex);

// Whether the pattern matches all of the text. One text at a time.
bool regex_matches(struct regex *regex, struct view text);

// Accepts NULL.
void regex_free(struct regex *regex);

#endif
