// The steps of a trace of PyTorch: ProfilerStep#N, which older versions wrote as operators.
//
// Memory: 24 bytes a step, in a spool.

#ifndef OPSCOPE_FORMATS_CHROME_KINETO_STEPS_H
#define OPSCOPE_FORMATS_CHROME_KINETO_STEPS_H

#include "base/spool.h"
#include "events.h"

struct kineto_step {
    int64_t start;
    int64_t end;
    uint32_t number;
};

struct kineto_steps {
    struct spool spool;
    struct kineto_step *items; // by start, once all are known
    size_t count;
};

// Whether an event is a step itself, and which.
bool kineto_step_is(const struct chrome_event *event, uint32_t *out_number);

// Takes a complete event, which is passed over where it is no step.
status kineto_steps_add(struct kineto_steps *steps, const struct chrome_event *event);
status kineto_steps_finish(struct kineto_steps *steps);

// The number of the step around a moment; 0: none is.
uint32_t kineto_steps_at(const struct kineto_steps *steps, int64_t time);

#endif
