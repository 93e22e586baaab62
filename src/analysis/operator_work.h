// What operators say of the work of one call: multiply-adds, bytes, the narrowest operand. Of one
// that says nothing itself, what its members say: the operators of the calls inside its first call.
//
// Memory: 56 bytes an operator.

#ifndef OPSCOPE_ANALYSIS_OPERATOR_WORK_H
#define OPSCOPE_ANALYSIS_OPERATOR_WORK_H

#include "profile/profile.h"

struct operator_work {
    double macs, flops;
    double read,
        written;    // bytes; of members, what the first reads, all weights, and the last writes
    double weights; // bytes of what is read
    unsigned bits;  // of the narrowest input that is no single number; 0: not said
    bool is_float;  // that input is of real numbers
    bool known;     // something of it
};

// By operator id; for the caller to free.
struct operator_work *operator_works_read(const struct profile *profile);

#endif
