// Numbers that a file has where such numbers need not lie: protobuf aligns nothing. What packs them
// reads them there, so that they are moved once.

#ifndef OPSCOPE_KERNELS_CORE_LOOSE_H
#define OPSCOPE_KERNELS_CORE_LOOSE_H

typedef float loose_float __attribute__((aligned(1), may_alias));

#endif
