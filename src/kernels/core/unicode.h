// Characters of UTF-8 texts.

#ifndef OPSCOPE_KERNELS_CORE_UNICODE_H
#define OPSCOPE_KERNELS_CORE_UNICODE_H

#include <stdint.h>

#include "base/view.h"

// What stands for a byte that is no part of a character.
#define UNICODE_INVALID UINT32_C(0x110000)

// The character at `*at` < text.size; moves `*at` past it.
uint32_t unicode_next(struct view text, size_t *at);

// Writes a character (no UNICODE_INVALID) to `bytes`; returns how many there are.
size_t unicode_put(uint32_t character, char bytes[4]);

// The other case where there is one, without regard to a language.
uint32_t unicode_lower(uint32_t character);
uint32_t unicode_upper(uint32_t character);

#endif
