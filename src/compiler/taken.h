// Stretches of a memory that are taken, and what is free between them.

#ifndef OPSCOPE_COMPILER_TAKEN_H
#define OPSCOPE_COMPILER_TAKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t from;
    uint64_t to;
};

// All zero is an empty list. For the owner to free.
struct taken {
    struct span *items; // in order of address; they may overlap
    size_t count;
    size_t capacity;
};

void taken_add(struct taken *spans, struct span span);
void taken_remove(struct taken *spans, struct span span);

// The largest stretch of `all` that nothing takes; the first of several, empty where there is
// none.
struct span taken_largest_gap(const struct taken *spans, struct span all);

// A place of that size at the low or the high end of what is free; false: there is none.
bool taken_find_place(const struct taken *spans, struct span all, uint64_t bytes, bool high,
                      uint64_t *out_address);

#endif
