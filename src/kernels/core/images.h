// Images with the channels last: batch x rows x columns x channels, dense.

#ifndef OPSCOPE_KERNELS_CORE_IMAGES_H
#define OPSCOPE_KERNELS_CORE_IMAGES_H

#include "kernels/parallel.h"
#include "network/element.h"
#include "network/onnx/window.h"

struct images_pool {
    struct window window; // two spatial dimensions, all lengths known
    int64_t batch;
    int64_t channels;
    bool with_pads; // of averages: the padding counts as zeros
};

// f32, i8 and u8. A window that sees only padding gives the lowest number.
void images_pool_max(const struct images_pool *pool, enum element element, const void *source,
                     void *result, struct parallel *parallel);

// f32.
void images_pool_average(const struct images_pool *pool, const float *source, float *result,
                         struct parallel *parallel);

// The mean of every channel; sums are kept in f64.
void images_mean(int64_t batch, int64_t pixels, int64_t channels, const float *source,
                 float *result, struct parallel *parallel);

// Each pixel of `rows` x `columns` holds a block of pixels, `high` rows of `wide` elements each:
// puts the blocks beside one another. f32.
void images_spread(uint64_t rows, uint64_t columns, uint64_t high, uint64_t wide,
                   const float *source, float *result, struct parallel *parallel);

// From channels first to channels last, and back. `size`: bytes of an element, 1 or 4.
void images_to_last(int64_t batch, int64_t channels, int64_t pixels, uint32_t size,
                    const void *source, void *result, struct parallel *parallel);
void images_to_first(int64_t batch, int64_t channels, int64_t pixels, uint32_t size,
                     const void *source, void *result, struct parallel *parallel);

#endif
