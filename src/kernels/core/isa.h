// Which vectors of the processor the kernels use: the widest that it has, unless the
// environment variable OPSCOPE_ISA lowers that (sse4, avx2, avx512, vnni), so that each way can
// be tested on any machine. What the processor lacks is never used.
//
// Integers come out the same in every way. oneDNN is lowered too: products of reals may
// differ in their last bits.

#ifndef OPSCOPE_KERNELS_CORE_ISA_H
#define OPSCOPE_KERNELS_CORE_ISA_H

#include <stdbool.h>

#include "base/status.h"

// Each has what those before it have.
enum isa {
    ISA_SSE4,   // nothing beyond what oneDNN demands of every machine
    ISA_AVX2,   // and FMA
    ISA_AVX512, // F, BW, CD, DQ and VL
    ISA_VNNI,   // AVX-512 that multiplies bytes and adds the products, four at a time
    ISA_COUNT,
};

// Set before main, for isa_used and isa_limit.
extern enum isa isa_chosen;

static inline enum isa isa_used(void)
{
    return isa_chosen;
}

// Whether vectors of AVX2 multiply bytes so as well (AVX-VNNI): with ISA_AVX2, unless it was asked
// for.
bool isa_avx2_has_vnni(void);

// Fails when OPSCOPE_ISA has a value that is not known; it is then not heeded.
status isa_check(void);

// What OPSCOPE_ISA asks for, or that it asks for nothing.
bool isa_is_limited(enum isa *out_limit);

// For tests: as if OPSCOPE_ISA were so.
void isa_limit(enum isa limit);

#endif
