// A network as text that people read: one line for each node.
//
//     graph main(%x: 1x8x8x1xi8) -> (%9)
//       %7: 1x8x8x1xi32 = tosa.conv2d(%x, 1x3x3x1xi8=<9 values, 8d1f...>, 1xi32=[0]) {pad = [1, 1,
//       1, 1]} line 9
//
// Constants stand where they are used: all values of small ones, else their number
// and a hash of them. Graphs inside a node follow it, indented. The same network
// gives the same text, whatever its file looked like.

#ifndef OPSCOPE_NETWORK_PRINT_H
#define OPSCOPE_NETWORK_PRINT_H

#include "base/output.h"
#include "network.h"

void network_print(const struct network *network, struct output *output);

// "1x3x224x224xf32", "?" for unknown dimensions (or "?batch" if it has a name),
// "*xf32" for an unknown rank, "unknown". `symbols` may be NULL.
void network_print_type(const struct value_type *type, const struct view *symbols,
                        struct output *output);

#endif
