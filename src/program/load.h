// The nodes of a program as a network again, which kernels are called with.
//
// Node i of the program is node i of the network; value i is value i; graph i is
// graph i + 1 (graph 0, the main one, has ports and no nodes: a program's tasks say
// what is run). Constants lie where the program has them.

#ifndef OPSCOPE_PROGRAM_LOAD_H
#define OPSCOPE_PROGRAM_LOAD_H

#include "program.h"

// `program` must outlive the network. Fails for an operator that is not known.
status program_load(const struct program *program, struct network **out_network);

#endif
