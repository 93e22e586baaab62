// Packed files as inputs: what input.c asks of input_packed.c.

#ifndef OPSCOPE_BASE_INPUT_PACKED_H
#define OPSCOPE_BASE_INPUT_PACKED_H

#include "input.h"

// Puts what is packed in `bytes` in their place, as much as what its beginning says asks for; what
// is not packed stays as it is.
status input_unpack(struct input *input);

// Stops what is still unpacking.
void input_unpack_end(struct input *input);

#endif
