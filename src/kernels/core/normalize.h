// Rows of numbers less their mean, by their deviation.

#ifndef OPSCOPE_KERNELS_CORE_NORMALIZE_H
#define OPSCOPE_KERNELS_CORE_NORMALIZE_H

#include <stdbool.h>

#include "kernels/parallel.h"
#include "network/element.h"

// y = (x - mean) / sqrt(variance + epsilon) * scale + bias, where mean and variance
// (of the whole row, kept in f64) are those of `rows` rows of blocks x area elements.
// Block b of row r has the factor scale[(r * blocks + b) % parameters].
struct normalize {
    enum element element; // f32 or f64: of x, y, scale and bias
    const void *x;
    void *y; // NULL: only the statistics are wanted
    uint64_t rows;
    uint64_t blocks;
    uint64_t area;
    const void *scale; // NULL: 1
    const void *bias;  // NULL: 0
    uint64_t parameters;
    double epsilon;
    double added;     // to the deviation, after the root
    bool mean_only;   // nothing is divided
    double *means;    // one for each row; NULL: not wanted
    double *inverses; // 1 / deviation, likewise
};

void normalize_rows(const struct normalize *normalize, struct parallel *parallel);

// The sum of `count` numbers, and of their squared distances from `mean`.
double normalize_sum(enum element element, const void *x, uint64_t count);
double normalize_squares(enum element element, const void *x, uint64_t count, double mean);

#endif
