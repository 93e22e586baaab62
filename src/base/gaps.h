// Places in a range of addresses, given out and taken back: the smallest gap that
// is large enough, else the end.

#ifndef OPSCOPE_BASE_GAPS_H
#define OPSCOPE_BASE_GAPS_H

#include <stddef.h>
#include <stdint.h>

struct gap {
    uint64_t from;
    uint64_t to;
};

// All zero is an empty range.
struct gaps {
    struct gap *items; // below `end`, in order of address; neighbours are merged
    size_t count;
    size_t capacity;
    uint64_t end; // no place has been given out beyond
};

// Sizes must all be multiples of one alignment, which the places then have too.
uint64_t gaps_take(struct gaps *gaps, uint64_t size);
void gaps_give_back(struct gaps *gaps, uint64_t from, uint64_t size);
void gaps_free(struct gaps *gaps);

#endif
