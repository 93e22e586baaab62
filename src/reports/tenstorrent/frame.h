// Sorting and summing as a data frame of pandas does it: tt-perf-report works on one, and the
// order of equal keys and the last digit of a sum show in its output.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_FRAME_H
#define OPSCOPE_REPORTS_TENSTORRENT_FRAME_H

#include <stddef.h>
#include <stdint.h>

// A key that sorts as the number does; -0 and 0 are equal.
int64_t frame_key(double number);

// The positions of `keys` in ascending order. Equal keys come in the order in which numpy's
// quicksort leaves them: up to 16 as they stood, beyond that as its pivots had it.
void frame_order(const int64_t *keys, size_t count, size_t *out_order);

// Descending, equal keys likewise: the ascending order of the keys read backwards, backwards.
void frame_order_descending(const int64_t *keys, size_t count, size_t *out_order);

// A sum that carries the rounding error of each addition on to the next one. Starts zeroed.
struct frame_sum {
    double value;
    double error;
};
void frame_add(struct frame_sum *sum, double number);

#endif
