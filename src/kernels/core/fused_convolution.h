// f32 convolutions of images with the channels last (NHWC), by panels (panel_convolution.h)
// or oneDNN, with what is done element by element before and after them.
//
// The output is cut into pieces by the shapes alone, and each piece is computed by one
// thread: results do not depend on the number of threads. What a chain makes of a piece's
// input, and the piece's result before the chain after it, stay in the cache.

#ifndef OPSCOPE_KERNELS_CORE_FUSED_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_FUSED_CONVOLUTION_H

#include "base/blocks.h"
#include "chain.h"
#include "convolution.h"
#include "loose.h"
#include "scratch_pool.h"

struct fused_convolution_plan {
    // Two spatial dimensions; strides of tensors do not count.
    struct convolution convolution;
    // Outputs of all groups x inputs x kernel.
    const loose_float *weights;
    bool weights_stay; // they outlive it: fused_convolution_arrange; if not, they are not kept
    // The weights lie the other way round, inputs x outputs: of one group and single pixels.
    bool weights_turned;
    bool by_panels;      // or not at all: not by oneDNN
    const float *scales; // NULL: none; what the weights of each output channel are multiplied with
    const loose_float *bias; // NULL: none; not kept
    struct blocks *blocks;   // for packed weights; must outlive it
    // Of one input with an element for each place; NULL: the source is f32.
    const struct chain *before;
    // Input 0 is the convolution's result; others have an element for each place or for
    // each channel. NULL: the result is f32.
    const struct chain *after;
};

struct fused_convolution;

// Copies the chains and what else it keeps. NULL when there is nothing quick for it.
struct fused_convolution *fused_convolution_create(const struct fused_convolution_plan *plan);
void fused_convolution_free(struct fused_convolution *convolution);

// Bytes that weights take which stay and are to be arranged before it runs; 0: none are.
size_t fused_convolution_weights(const struct fused_convolution *convolution);

// Arranges them in `place`, aligned as tensors are, where they are used until they are arranged
// elsewhere. `rooms` of PANELS_PACK_ROOM bytes (panels.h).
void fused_convolution_arrange(struct fused_convolution *convolution, void *place,
                               struct scratch_pool *rooms, struct parallel *parallel);

// What a piece needs at most.
size_t fused_convolution_room(const struct fused_convolution *convolution);

// `others`: the inputs of the chain after it from its second one on.
status fused_convolution_run(struct fused_convolution *convolution, const void *source,
                             const void *const *others, void *result, struct scratch_pool *rooms,
                             struct parallel *parallel);

#endif
