// Regular expressions in the syntax of RE2, matched against whole texts by PCRE2: its matcher that
// keeps all ways through a pattern side by side, so that time grows with the text and not with
// the ways.
//
// Texts are UTF-8; one that is not matches nothing. What RE2 does not have is refused:
// backreferences, looking ahead and back, and whatever else only PCRE2 knows; and so are single
// bytes (\C).

#ifndef OPSCOPE_KERNELS_CORE_REGEX_H
#define OPSCOPE_KERNELS_CORE_REGEX_H

#include "base/status.h"
#include "base/view.h"

struct regex;

// Fails for wrong patterns, saying what is wrong with them, and for those that unfold to more
// than PCRE2 takes.
status regex_compile(struct view pattern, struct regex **out_regex);

// Whether the pattern matches all of the text. One text at a time. Fails where that takes too
// much memory or too many steps.
status regex_match(struct regex *regex, struct view text, bool *out_matches);

// Accepts NULL.
void regex_free(struct regex *regex);

#endif
