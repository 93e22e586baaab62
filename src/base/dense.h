// Numbers of which each should be there once, counted without keeping them: how
// many of a series are missing, or there too often.

#ifndef OPSCOPE_BASE_DENSE_H
#define OPSCOPE_BASE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// All zero is a series without numbers whose step is to be found out; one that is known is set.
struct dense {
    uint64_t count;
    uint64_t least, most;
    uint64_t step; // the greatest that all of them are apart by a multiple of; 0: all are equal
};

void dense_add_any(struct dense *dense, uint64_t number);

static inline void dense_add(struct dense *dense, uint64_t number)
{
    // Once neighbours were seen there is nothing more to find out about the step.
    if (dense->count == 0 || dense->step != 1) {
        dense_add_any(dense, number);
        return;
    }
    dense->count++;
    if (number < dense->least)
        dense->least = number;
    if (number > dense->most)
        dense->most = number;
}

// Adds all numbers of another series.
void dense_join(struct dense *dense, const struct dense *other);

// Whether the numbers are a series at all: more of it are there than are missing. What nobody
// counted through has holes that say nothing.
bool dense_is_series(const struct dense *dense);

// How many of the series lie between the least and the most and were not added; and how many more
// were added than it has. What is missing before the least or after the most cannot be known.
uint64_t dense_missing(const struct dense *dense);
uint64_t dense_repeated(const struct dense *dense);

#endif
