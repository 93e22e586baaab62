#include "gate.h"

const char *gate_outcome_name(enum gate_outcome outcome)
{
    static const char *const NAMES[] = {"passed", "failed", "undecided"};
    return NAMES[outcome];
}

// An interval that reaches half the limit each way tells a slowdown of the limit from none.
static const double RESOLUTION = 0.5;

struct gate_decision gate_decide(const struct shift *shift, double limit, size_t runs,
                                 double confidence)
{
    if (shift->known && shift->high <= 1 + limit)
        return (struct gate_decision){GATE_PASSED, 0};
    if (shift->known && shift->low > 1)
        return (struct gate_decision){GATE_FAILED, 0};
    return (struct gate_decision){GATE_UNDECIDED,
                                  shift_needed(shift, runs, limit * RESOLUTION, confidence)};
}
