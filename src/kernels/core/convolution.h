// Convolutions of real numbers in any layout and of any number of dimensions.
//
// Results do not depend on the number of threads: the output is cut into
// pieces by the shapes alone, and each piece is computed by one thread.

#ifndef OPSCOPE_KERNELS_CORE_CONVOLUTION_H
#define OPSCOPE_KERNELS_CORE_CONVOLUTION_H

#include "kernels/kernel.h"

enum { CONVOLUTION_SPATIAL_MOST = SHAPE_RANK_MOST - 2 };

// Strides of tensors are distances in elements: those of the first two
// dimensions (batch and channel; output and input channel for weights), then one
// for each spatial dimension. Groups of weights follow one another along their
// output channels.
struct convolution {
    uint64_t spatial; // number of spatial dimensions
    int64_t batch;
    int64_t groups;
    int64_t inputs;  // channels of one group
    int64_t outputs; // channels of one group
    int64_t input[CONVOLUTION_SPATIAL_MOST];
    int64_t kernel[CONVOLUTION_SPATIAL_MOST];
    int64_t output[CONVOLUTION_SPATIAL_MOST];
    int64_t strides[CONVOLUTION_SPATIAL_MOST];
    int64_t dilations[CONVOLUTION_SPATIAL_MOST];
    int64_t pads[CONVOLUTION_SPATIAL_MOST]; // before the first element, not negative
    int64_t source_strides[SHAPE_RANK_MOST];
    int64_t weight_strides[SHAPE_RANK_MOST];
    int64_t result_strides[SHAPE_RANK_MOST];
};

// Sets the strides of dense tensors with the channels outside (NCHW, OIHW) or
// inside (NHWC, OHWI) of the spatial dimensions.
void convolution_channels_first(struct convolution *convolution);
void convolution_channels_last(struct convolution *convolution);

// `weights_fixed`: their bytes are the same at every call with this state, so that what was
// made of them is kept. `bias` (one for each output channel) may be NULL.
struct convolution_operands {
    const float *source;
    const float *weights;
    const float *bias;
    float *result;
    bool weights_fixed;
};

// f32, through oneDNN where it can.
status convolution_f32(const struct convolution *convolution,
                       const struct convolution_operands *operands, struct parallel *parallel,
                       struct kernel_state **state);

// Plain loops.
void convolution_loops_f32(const struct convolution *convolution, const float *source,
                           const float *weights, const float *bias, float *result,
                           struct parallel *parallel);
void convolution_loops_f64(const struct convolution *convolution, const double *source,
                           const double *weights, const double *bias, double *result,
                           struct parallel *parallel);

// The transposed convolution: `input` is the smaller side, `output` the larger one,
// `pads` what is cut off before the first element of the output; `inputs` and
// `outputs` are its channels. All tensors are dense with channels first, and
// the weights are (inputs of all groups) x outputs x kernel.
status convolution_transposed_f32(const struct convolution *convolution, const float *source,
                                  const float *weights, const float *bias, float *result,
                                  struct parallel *parallel);
status convolution_transposed_f64(const struct convolution *convolution, const double *source,
                                  const double *weights, const double *bias, double *result,
                                  struct parallel *parallel);

#endif
