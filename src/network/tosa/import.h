// Reads a network from MLIR text: one function of TOSA operators.

#ifndef OPSCOPE_NETWORK_TOSA_IMPORT_H
#define OPSCOPE_NETWORK_TOSA_IMPORT_H

#include "network/network.h"

// The network owns `input`, also on failure.
status tosa_import(struct input *input, struct network **out_network);

#endif
