// Nodes that compute the same from the same: only the first of them is computed.

#ifndef OPSCOPE_COMPILER_SAME_H
#define OPSCOPE_COMPILER_SAME_H

#include "network/network.h"

// Whoever reads what a later one gives reads what the first gives instead; then nothing reads the
// later one. Of the main graph; results of the network stay, and so does what is random or has
// graphs inside.
void same_join(struct network *network);

#endif
