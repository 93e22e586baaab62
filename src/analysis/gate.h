// Whether something became slower than it may: a decision under noise.
//
// It failed when the slowdown is real (the interval lies above none) and is not shown to keep to
// the limit (the interval reaches beyond it). It passed when the interval ends below the limit.
// Between the two nobody can tell: more runs make the interval narrower.

#ifndef OPSCOPE_ANALYSIS_GATE_H
#define OPSCOPE_ANALYSIS_GATE_H

#include "comparison.h"

enum gate_outcome { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };

const char *gate_outcome_name(enum gate_outcome outcome);

struct gate_decision {
    enum gate_outcome outcome;
    size_t needed; // undecided: about so many runs of each side would tell
};

// `limit` is 0.03 for three percent; `runs` of each side were compared.
struct gate_decision gate_decide(const struct shift *shift, double limit, size_t runs,
                                 double confidence);

#endif
