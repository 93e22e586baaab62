// Broadcasting as it was before version 7, in terms of numpy's rules.

#ifndef OPSCOPE_NETWORK_ONNX_LEGACY_H
#define OPSCOPE_NETWORK_ONNX_LEGACY_H

#include "network/attribute.h"

// The shape under which the second input of an operator meets the first: its own
// from version 7 on. Before, the attribute `axis` says at which dimension of the
// first it begins (its end meets the first's end when there is none). Fails when the
// axis makes no sense, or when the shapes differ without the attribute `broadcast`.
status legacy_align(const struct shape *left, const struct shape *right,
                    struct attributes attributes, uint32_t version, struct shape *out_shape);

// The same for the slope of PRelu: before version 7 one dimension means channels.
struct shape legacy_slope(const struct shape *input, const struct shape *slope, uint32_t version);

#endif
