// What the `infer` functions of TOSA's operators share.

#ifndef OPSCOPE_NETWORK_TOSA_INFER_H
#define OPSCOPE_NETWORK_TOSA_INFER_H

#include "network/operators.h"

// Sets of elements for inference_check_element.
#define TOSA_FLOATS                                                                                \
    (ELEMENT_BIT(ELEMENT_F16) | ELEMENT_BIT(ELEMENT_BF16) | ELEMENT_BIT(ELEMENT_F32) |             \
     ELEMENT_BIT(ELEMENT_F64))
#define TOSA_FLOATS8 (ELEMENT_BIT(ELEMENT_F8E4M3FN) | ELEMENT_BIT(ELEMENT_F8E5M2))
// i4 is for weights and for copies only.
#define TOSA_NARROW (ELEMENT_BIT(ELEMENT_I8) | ELEMENT_BIT(ELEMENT_U8) | ELEMENT_BIT(ELEMENT_I16))
#define TOSA_INTEGERS                                                                              \
    (TOSA_NARROW | ELEMENT_BIT(ELEMENT_U16) | ELEMENT_BIT(ELEMENT_I32) |                           \
     ELEMENT_BIT(ELEMENT_U32) | ELEMENT_BIT(ELEMENT_I48) | ELEMENT_BIT(ELEMENT_I64))
#define TOSA_NUMBERS (TOSA_FLOATS | TOSA_INTEGERS)
#define TOSA_BOOL ELEMENT_BIT(ELEMENT_BOOL)
#define TOSA_ANY (TOSA_NUMBERS | TOSA_FLOATS8 | TOSA_BOOL | ELEMENT_BIT(ELEMENT_I4))

// Dimensions, pads, strides and the like are below this, so that sums and
// products of two of them cannot overflow.
#define TOSA_LENGTH_MOST (INT64_C(1) << 31)

// The type that the file declares for output `index`.
const struct value_type *tosa_declared(const struct inference *inference, uint32_t index);

// Its element, or `fallback` where the file says nothing.
enum element tosa_declared_element(const struct inference *inference, uint32_t index,
                                   enum element fallback);

// Sets output `index`, unless that contradicts what the file declares.
status tosa_set(struct inference *inference, uint32_t index, enum element element,
                const struct shape *shape);

// Sets output `index` of an unknown rank.
status tosa_set_unranked(struct inference *inference, uint32_t index, enum element element);

// Input `index`, a tensor of the set. Fails when its rank is known and is not
// `rank`; any rank will do where that is TOSA_ANY_RANK.
enum { TOSA_ANY_RANK = UINT32_MAX };
status tosa_need(const struct inference *inference, uint32_t index, uint32_t set, uint32_t rank,
                 const struct value_type **out_type);

// Fails unless input `index` is a single number of the set.
status tosa_need_single(const struct inference *inference, uint32_t index, uint32_t set);

// An attribute of exactly `count` integers in [least, TOSA_LENGTH_MOST].
status tosa_lengths(const struct inference *inference, const char *name, uint32_t count,
                    int64_t least, int64_t *out_items);

// The axis that attribute "axis" names, of a tensor of `rank` dimensions.
status tosa_axis(const struct inference *inference, uint32_t rank, uint32_t *out_axis);

// Whether attribute `name` is one of the two texts; fails when it is something else.
status tosa_choice(const struct inference *inference, const char *name, const char *first,
                   const char *second);

// The common shape of the inputs [from, to), which may be broadcast.
status tosa_broadcast(const struct inference *inference, uint32_t from, uint32_t to,
                      struct value_type *out_type);

// Fails when both are known and differ. `what` names them: "channels".
status tosa_same_length(const char *what, int64_t a, int64_t b);

// The element is left to the caller; used by rules that keep a tensor's shape.
status tosa_set_like(struct inference *inference, uint32_t index, enum element element,
                     const struct value_type *type);

#endif
