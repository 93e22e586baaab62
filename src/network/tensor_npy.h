// Tensors as .npy files.

#ifndef OPSCOPE_NETWORK_TENSOR_NPY_H
#define OPSCOPE_NETWORK_TENSOR_NPY_H

#include "base/output.h"
#include "tensor.h"

// Any byte order; Fortran order is turned into rows. bf16 is "bfloat16" or, as
// numpy writes types it does not know, "V2". The caller adds the file's name.
status tensor_npy_read(struct view bytes, struct datum **out_datum);

// Fails for texts. 4-bit integers become i1 or u1 (a byte each), i48 becomes i8,
// 8-bit floats "V1", bf16 "V2".
status tensor_npy_write(struct output *output, const struct tensor *tensor);

#endif
