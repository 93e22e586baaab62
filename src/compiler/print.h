// A plan as text that people read, with as much as the passes have decided so far.
//
//     plan for example-npu, 1 group
//     group 0 conv2d_rescale "backbone/conv" on matrix: the arrays compute it
//       node   tosa.conv2d, line 8
//       input  %arg0: 1x16x16x8xi8
//       output %1: 1x16x16x16xi8
//       tile 0: [0+1, 0+9, 0+16, 0+8] -> [0+1, 0+8, 0+16, 0+16]

#ifndef OPSCOPE_COMPILER_PRINT_H
#define OPSCOPE_COMPILER_PRINT_H

#include "base/output.h"
#include "plan.h"

// Before groups are formed: the network. The same plan gives the same text.
void plan_print(const struct plan *plan, struct output *output);

#endif
