// What an operator says of its tensors: as one text (`inputs`), or a value for each
// (`input_0.shape`).

#ifndef OPSCOPE_ANALYSIS_OPERATOR_TENSORS_H
#define OPSCOPE_ANALYSIS_OPERATOR_TENSORS_H

#include "profile/profile.h"

// A text among the operator's values; "" when there is none.
struct view operator_text_value(const struct profile *profile, uint32_t operator_id,
                                const char *key);

// Shapes and elements of all its inputs or outputs (`side` is "input" or "output"); "" where it
// says none. Where each tensor has values, input_0.shape and input_0.datatype, they are put
// together in `text`, which is empty and the caller's; what says `inputs` itself is taken as it is.
struct view operator_tensors(const struct profile *profile, uint32_t operator_id, const char *side,
                             struct bytes *text);

#endif
