// Tensors that MLIR text spells out: splats, nested lists, hexadecimal bytes and
// resources.

#ifndef OPSCOPE_NETWORK_TOSA_LITERAL_H
#define OPSCOPE_NETWORK_TOSA_LITERAL_H

#include "network/tensor.h"
#include "wire/mlir.h"

struct tosa_literals {
    const struct mlir_document *document;
    struct arena *arena;   // where constants live
    uint64_t splat_budget; // bytes that splats may still take
};

// A constant of the given type from a number, a bool, dense<...> or
// dense_resource<...>. Failures name the place in the text: a number that does
// not fit, a list of another shape, bytes of another size.
status tosa_literal_read(struct tosa_literals *literals, const struct mlir_attribute *attribute,
                         enum element element, const struct shape *shape,
                         const struct constant **out_constant);

// The numbers after "array<i64:", in the arena.
status tosa_literal_integers(struct tosa_literals *literals, const struct mlir_attribute *numbers,
                             const int64_t **out_items, uint32_t *out_count);
status tosa_literal_reals(struct tosa_literals *literals, const struct mlir_attribute *numbers,
                          const double **out_items, uint32_t *out_count);

// The value of a number, rounded to `element`.
status tosa_literal_real(struct tosa_literals *literals, const struct mlir_attribute *attribute,
                         enum element element, double *out_number);

// A new constant of integers, each cut to the element's bits.
const struct constant *tosa_literal_of_integers(struct arena *arena, enum element element,
                                                const struct shape *shape, const int64_t *items);

#endif
