// Patterns of RE2 as PCRE2 writes them.

#ifndef OPSCOPE_KERNELS_CORE_REGEX_SYNTAX_H
#define OPSCOPE_KERNELS_CORE_REGEX_SYNTAX_H

#include "base/bytes.h"
#include "base/status.h"

// Appends a pattern that matches whole texts as RE2 would. Fails for what RE2 does not have, and
// may leave other mistakes for PCRE2 to find.
status regex_translate(struct view pattern, struct bytes *out_pattern);

#endif
