// Which values are images: what convolutions and poolings take and give, filters as well, and what
// is computed from these element by element. Their last two dimensions are no matrix's.

#ifndef OPSCOPE_COMPILER_IMAGES_H
#define OPSCOPE_COMPILER_IMAGES_H

#include "network/network.h"

// By value; free it.
bool *images_find(const struct network *network);

#endif
