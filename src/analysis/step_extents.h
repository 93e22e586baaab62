// When the steps of a profile were, as it says itself: by spans that are steps (ProfilerStep#N,
// model_run). The call of such a span is of no operator, has the domain "step" and the step's
// number as its iteration.
//
// Memory: 24 bytes a step.

#ifndef OPSCOPE_ANALYSIS_STEP_EXTENTS_H
#define OPSCOPE_ANALYSIS_STEP_EXTENTS_H

#include "profile/profile.h"

struct step_extent {
    uint32_t number;
    uint64_t start, end; // ns; of all its spans together
};

struct step_extents {
    struct step_extent *items; // by number
    size_t count;
};

// Whether the spans of a call are a step themselves; 0: no call.
bool step_extents_is_step(const struct profile *profile, uint32_t call);

status step_extents_read(struct profile *profile, struct step_extents *out_extents);
void step_extents_free(struct step_extents *extents);

// NULL: the profile does not say when it was.
const struct step_extent *step_extents_find(const struct step_extents *extents, uint32_t number);

// The step around a moment, where steps are numbered as they came; NULL: none is.
const struct step_extent *step_extents_at(const struct step_extents *extents, uint64_t ns);

#endif
