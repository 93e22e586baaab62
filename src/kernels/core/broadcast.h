// Loops over an output whose inputs have smaller shapes: numpy's broadcasting,
// dimensions aligned at the last one.
//
// Neighbouring dimensions along which every input either moves or stays are
// merged, so that most calls are one long row.

#ifndef OPSCOPE_KERNELS_CORE_BROADCAST_H
#define OPSCOPE_KERNELS_CORE_BROADCAST_H

#include "kernels/parallel.h"
#include "network/tensor.h"

// Computes `count` > 0 neighbours of the output. Input i moves by `steps[i]`
// elements for each: 0 or 1.
typedef void (*broadcast_row)(const void *context, void *out, const void *const *in,
                              const uint8_t *steps, uint64_t count);

struct broadcast_input {
    const void *data;
    size_t size;        // bytes of an element
    struct shape shape; // each dimension 1 or that of the output; of at most its rank
};

static inline struct broadcast_input broadcast_input(const struct tensor *tensor)
{
    return (struct broadcast_input){tensor->data, element_size(tensor->element), tensor->shape};
}

// Calls `row` until all of `out` is written, in parallel pieces whose bounds
// depend on the shapes alone. Does nothing for an empty output. There may be
// any number of inputs, also none.
void broadcast_run(struct parallel *parallel, const struct tensor *out,
                   const struct broadcast_input *inputs, uint32_t input_count, broadcast_row row,
                   const void *context);

// The same over whole tensors.
void broadcast_tensors(struct parallel *parallel, const struct tensor *out,
                       const struct tensor *const *inputs, uint32_t input_count, broadcast_row row,
                       const void *context);

#endif
