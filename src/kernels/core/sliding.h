// Walking over places of a box, and over the places where a window meets a tensor.

#ifndef OPSCOPE_KERNELS_CORE_SLIDING_H
#define OPSCOPE_KERNELS_CORE_SLIDING_H

#include <stdbool.h>
#include <stdint.h>

struct sliding_range {
    int64_t from;
    int64_t to; // not included; may be less than `from`
};

// The x of [0, count) for which 0 <= x * step + start < limit.
static inline struct sliding_range sliding_inside(int64_t count, int64_t step, int64_t start,
                                                  int64_t limit)
{
    struct sliding_range range = {start < 0 ? (-start + step - 1) / step : 0, 0};
    if (start < limit)
        range.to = (limit - 1 - start) / step + 1;
    if (range.to > count)
        range.to = count;
    return range;
}

// The next place in row-major order; false after the last one, at the first again.
static inline bool sliding_advance(uint64_t rank, const int64_t *lengths, int64_t *place)
{
    for (uint64_t i = rank; i-- > 0;) {
        if (++place[i] < lengths[i])
            return true;
        place[i] = 0;
    }
    return false;
}

#endif
