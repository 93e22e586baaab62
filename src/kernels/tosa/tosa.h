// What the kernels of TOSA's operators share.

#ifndef OPSCOPE_KERNELS_TOSA_TOSA_H
#define OPSCOPE_KERNELS_TOSA_TOSA_H

#include "kernels/kernel.h"

// Runs the kernel of ONNX's operator `name`, which does the same with the first
// `input_count` inputs.
status tosa_run_as(struct kernel_call *call, const char *name, uint32_t input_count);

// Element `index` of integers, bools or, as a double, of any numbers.
int64_t tosa_integer(const struct tensor *tensor, uint64_t index);
double tosa_real(const struct tensor *tensor, uint64_t index);

// The element that kernels see: i48 lies in memory as i64 does, and signless
// integers may be meant as unsigned ones.
enum element tosa_element(enum element element, bool is_unsigned);

// `tensor` seen so.
struct tensor tosa_view(const struct tensor *tensor, bool is_unsigned);

// Whether attribute `nan_mode` says that NaN loses against numbers.
bool tosa_ignores_nan(const struct kernel_call *call);

// The type of sums, attribute `acc_type`; f32 where there is none.
enum element tosa_accumulator(const struct kernel_call *call);

#endif
