// A network of one operator, made from what a user types: "Conv", "1x3x224x224xi8,32x3x3x3xi8",
// "strides=2,2".

#ifndef OPSCOPE_NETWORK_SINGLE_H
#define OPSCOPE_NETWORK_SINGLE_H

#include "network.h"

struct network_single {
    const char *operator; // of ONNX, or of TOSA with "tosa." in front
    // One for each input, commas between them: dimensions and element ("1x64xf32", "f32" of a
    // scalar; f32 where there is none), numbers ("[1,64]", i64), or nothing where it is left out.
    const char *inputs;
    const char *const *attributes; // "axis=1", "strides=2,2", "kernel=[3]", "mode=linear"
    size_t attribute_count;
};

// Weights of convolutions, products and the like are constants, other inputs are not. Shapes
// are inferred, work is measured. Failures say what was expected.
status network_make_single(const struct network_single *single, struct network **out_network);

#endif
