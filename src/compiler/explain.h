// What the operators of a plan cost, each as a whole, and how that comes about.

#ifndef OPSCOPE_COMPILER_EXPLAIN_H
#define OPSCOPE_COMPILER_EXPLAIN_H

#include "plan.h"

// What brings data to where an engine works, or takes it away.
struct explained_transfer {
    uint32_t engine; // TARGET_NONE: none is needed, or none is there
    uint64_t bytes;
    uint64_t cycles;
};

struct explained {
    uint32_t engine; // TARGET_NONE: nothing takes it
    const char *reason;
    struct cost_request request;
    struct cost_explanation price;
    struct explained_transfer in, out;
};

// The first group, fused and placed. What it says lives as long as the plan.
status explain_plan(struct plan *plan, enum cost_rules rules, struct explained *out);

#endif
