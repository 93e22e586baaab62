// Elementwise loops whose row function depends on the element.

#ifndef OPSCOPE_KERNELS_CORE_TYPED_H
#define OPSCOPE_KERNELS_CORE_TYPED_H

#include "broadcast.h"

// One row function for each element that has one.
typedef broadcast_row typed_rows[ELEMENT_COUNT];

// Whether the rows serve the element: with a function of its own, or narrow
// floats by way of f32 and integers by way of f64 (rounded once at the end, by
// the rules of convert.h).
bool typed_serves(const typed_rows rows, enum element element);

// Runs them. All inputs are of `element`; the output is so too, or of bools,
// which the rows write (comparisons). Rows of f32 that stand in for a
// narrower type see f32 in all inputs.
void typed_run(struct parallel *parallel, const struct tensor *out,
               const struct broadcast_input *inputs, uint32_t input_count, enum element element,
               const typed_rows rows, const void *context);

// The same over whole tensors of one element.
void typed_run_tensors(struct parallel *parallel, const struct tensor *out,
                       const struct tensor *const *inputs, uint32_t input_count,
                       const typed_rows rows, const void *context);

#endif
