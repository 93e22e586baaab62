// Pairs of rows of which some could not be read. The other half of such a pair is found to be
// alone, which is the same loss and not another one: whoever counts asks here first.

#ifndef OPSCOPE_BASE_UNREAD_H
#define OPSCOPE_BASE_UNREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// All zero is without any. 8 bytes a row that could not be read.
struct unread {
    uint64_t *lines; // ascending
    size_t count;
    size_t capacity;
    size_t first;       // those before it are explained
    uint64_t explained; // halves
};

// `line` is after all that were added before.
void unread_add(struct unread *unread, uint64_t line);

// Whether a row before `line`, after all that were added, may be the begin of what ends there.
bool unread_explains_end(struct unread *unread, uint64_t line);

// After the last row: whether one after `line` may be the end of what begins there. To be asked
// from the last begin to the first.
bool unread_explains_begin(struct unread *unread, uint64_t line);

void unread_free(struct unread *unread);

#endif
