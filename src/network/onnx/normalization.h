// What attributes and versions of ONNX's normalizations mean.

#ifndef OPSCOPE_NETWORK_ONNX_NORMALIZATION_H
#define OPSCOPE_NETWORK_ONNX_NORMALIZATION_H

#include "network/attribute.h"

// Whether a BatchNormalization computes statistics of its input.
bool normalization_trains(uint32_t version, struct attributes attributes, uint32_t output_count);

// The dimensions over which MeanVarianceNormalization takes the mean.
status normalization_axes(uint32_t version, struct attributes attributes, uint32_t rank,
                          bool out_reduced[SHAPE_RANK_MOST]);

#endif
