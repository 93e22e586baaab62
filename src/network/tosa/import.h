// Reads a network from MLIR text: one function of TOSA operators.
//
// Pretty and generic spelling, TOSA 1.0 and 0.x give the same network. Every
// operator comes in one form, that of TOSA 1.0 as LLVM 22 defines it:
//
// - The definition and the node's type are "tosa.add" and so on. Besides TOSA
//   there is "tensor.extract_slice" (below); tensor.expand_shape and
//   tensor.collapse_shape become tosa.reshape.
// - Operands stand in the order of the dialect's definition, and none is left
//   out: what 0.x has as attributes became constants.
//     conv2d, conv3d, depthwise_conv2d, transpose_conv2d, fully_connected:
//         input, weight, bias, input_zp, weight_zp
//     avg_pool2d: input, input_zp, output_zp     negate: input1, input1_zp, output_zp
//     matmul: a, b, a_zp, b_zp                   mul: input1, input2, shift (i8)
//     rescale: input, multiplier, shift, input_zp, output_zp
//     pad: input1, padding, pad_const            reshape: input1, shape
//     slice: input1, start, size                 tile: input1, multiples
//     resize: input, scale, offset, border       table: input1, table
//     select: condition, on_true, on_false       scatter: values_in, indices, input
//   A zero point that was an attribute is a tensor of one element of the type of
//   what it belongs to (rank 1). A size-1 bias serves all channels.
// - A value of type !tosa.shape<n> is an i64 tensor of n elements; `index` is i64.
// - Attributes keep their names of LLVM 22:
//     bools and integers: ATTRIBUTE_INTEGER (axis, round, scale32, per_channel,
//         input_unsigned, output_unsigned, inverse, local_bound)
//     array<i64: ...>, array<i32: ...>: ATTRIBUTE_INTEGERS (pad, out_pad, stride,
//         dilation, kernel, perms)
//     keywords and texts: ATTRIBUTE_TEXT (mode, nan_mode, rounding_mode,
//         block_size, operator_name, domain_name, implementation_attrs), a
//         keyword without its dialect: "PROPAGATE", "DOUBLE_ROUND", "BILINEAR"
//     acc_type: ATTRIBUTE_TYPE, a scalar of that element
//     clamp's min_val and max_val: ATTRIBUTE_INTEGER or ATTRIBUTE_REAL, as the
//         input's element is
//   Attributes with a default (nan_mode, local_bound, and what 0.x leaves out:
//   acc_type, rounding_mode, input_unsigned, output_unsigned) are always there.
//   Others that the text gives follow; what has no kind here is kept as its text.
// - Outputs carry the type that the text declares, before inference: that is
//   where cast, rescale, conv2d ... find the element of their result
//   (`network_value(network, node->outputs[0])->type`). Dimensions may be unknown.
// - tosa.cond_if: inputs are the condition, then what the blocks take; attributes
//   then_graph and else_graph (ATTRIBUTE_GRAPH). tosa.while_loop: inputs are what
//   the blocks take; cond_graph and body_graph. An inner graph's outputs are what
//   it yields; in 0.x style it may also name outer values directly.
// - tensor.extract_slice: one input; ATTRIBUTE_INTEGERS static_offsets,
//   static_sizes, static_strides, as many as the input has dimensions. The
//   declared result may leave out dimensions of size 1.
// - tosa.const, tosa.const_shape and arith.constant are values with a constant,
//   without a node. Splats are spread out; all of them together may take at most
//   TOSA_SPLAT_MOST bytes.
// - tosa.variable and its reads and writes need no nodes either: each run starts
//   from the initial values, and a read names the value that was written last.
//
// A node's name is that of its location ("" if it has none), its location is the
// location's text with all aliases resolved, its line that of the file.

#ifndef OPSCOPE_NETWORK_TOSA_IMPORT_H
#define OPSCOPE_NETWORK_TOSA_IMPORT_H

#include "network/network.h"

#define TOSA_SPLAT_MOST (UINT64_C(256) << 20)

// The network owns `input`, also on failure. Failures name file, line and column.
status tosa_import(struct input *input, struct network **out_network);

#endif
