// The lengths of a tensor's dimensions, outermost first.

#ifndef OPSCOPE_NETWORK_SHAPE_H
#define OPSCOPE_NETWORK_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/view.h"

enum { SHAPE_RANK_MOST = 12 };

// A dimension whose length is known only when the network runs.
#define SHAPE_UNKNOWN INT64_C(-1)

struct shape {
    uint32_t rank;
    int64_t dims[SHAPE_RANK_MOST];
};

bool shape_equal(const struct shape *a, const struct shape *b);

// Whether every dimension is known.
bool shape_known(const struct shape *shape);

// Number of elements of a known shape. Fails when it does not fit 62 bits.
status shape_elements(const struct shape *shape, uint64_t *out_count);

// The same where the tensor exists, and so fits.
uint64_t shape_count(const struct shape *shape);

// Product of the dimensions [from, to) of a tensor that exists.
uint64_t shape_count_between(const struct shape *shape, uint32_t from, uint32_t to);

// Row-major distances, in elements, between neighbours along each dimension.
void shape_strides(const struct shape *shape, uint64_t strides[SHAPE_RANK_MOST]);

// The shape of an elementwise result (numpy's rules). Unknown dimensions stay
// unknown, unless the other one is known and not 1.
status shape_broadcast(const struct shape *a, const struct shape *b, struct shape *out_shape);

// An axis that may count from the end: -rank <= axis < rank.
status shape_axis(int64_t axis, uint32_t rank, uint32_t *out_axis);

// "1x3x224x224", "?" for what is unknown, "" for a scalar. Returns `text`, which
// has room for SHAPE_TEXT_MOST bytes.
enum { SHAPE_TEXT_MOST = SHAPE_RANK_MOST * 21 + 1 };
const char *shape_text(const struct shape *shape, char text[SHAPE_TEXT_MOST]);

#endif
