// Tensors as text, in IREE's syntax (docs/formats/tensors.md):
//     2x3xf32=[[1 2 3][4 5 6]]   brackets, commas and blanks only part the numbers
//     1x56x56x24xi8=1            one number fills the tensor
//     4xf32                      zeros
//     f32=3.5                    a scalar

#ifndef OPSCOPE_NETWORK_TENSOR_TEXT_H
#define OPSCOPE_NETWORK_TENSOR_TEXT_H

#include "base/bytes.h"
#include "tensor.h"
#include "value_type.h"

// "1x3xf32" or "f32". Failures say what is wrong with it.
status tensor_text_type(struct view text, enum element *out_element, struct shape *out_shape);

// A whole tensor. Refuses one of more than `most_bytes` in memory.
status tensor_text_parse(struct view text, uint64_t most_bytes, struct datum **out_datum);

// "1x3xf32", as IREE spells it: "i1" for bools, "ui8" for unsigned integers.
void tensor_text_append_type(struct bytes *text, enum element element, const struct shape *shape);

// "1x3xf32=[1 2 3]". Numbers have the digits it takes to read them back exactly.
// Of more than `most` elements only the first are shown, with "..." at the end.
void tensor_text_append(struct bytes *text, const struct tensor *tensor, uint64_t most);

// The number alone, or the text in quotes.
void tensor_text_append_element(struct bytes *text, const struct tensor *tensor, uint64_t index);

// "[1x3xf32=..., ...]" of a sequence, "nothing" of an empty optional.
void tensor_text_append_datum(struct bytes *text, const struct datum *datum, uint64_t most);

// "1x3xf32" or "?x3xf32" of a tensor, "sequence of f32"; "?" where nothing is known.
void tensor_text_append_value_type(struct bytes *text, const struct value_type *type);

#endif
