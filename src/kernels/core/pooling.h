// Windows that slide over planes and give the largest, the mean or the norm of
// what they see. Dense tensors: planes (batch x channels) of the window's input.

#ifndef OPSCOPE_KERNELS_CORE_POOLING_H
#define OPSCOPE_KERNELS_CORE_POOLING_H

#include "kernels/parallel.h"
#include "network/element.h"
#include "network/onnx/window.h"

struct pooling {
    struct window window; // all lengths known
    uint64_t planes;
    enum element element; // f32, f64; the largest also of i8 and u8
    const void *source;
    void *result;
};

// `indices` may be NULL; otherwise it gets the place of each largest element in the whole
// source, which counts the last dimension fastest, or (`column_major`) the first
// spatial one. A window that sees only padding gives the lowest number.
void pooling_max(const struct pooling *pooling, int64_t *indices, bool column_major,
                 struct parallel *parallel);

// `with_pads`: the padding counts as zeros.
void pooling_average(const struct pooling *pooling, bool with_pads, struct parallel *parallel);

// (sum of |x|^power)^(1/power)
void pooling_norm(const struct pooling *pooling, double power, struct parallel *parallel);

// Over whole planes of `area` > 0 elements, f32 or f64: sums are kept in f64.
void pooling_global_max(const struct pooling *pooling, uint64_t area, struct parallel *parallel);
void pooling_global_average(const struct pooling *pooling, uint64_t area,
                            struct parallel *parallel);
void pooling_global_norm(const struct pooling *pooling, uint64_t area, double power,
                         struct parallel *parallel);

#endif
