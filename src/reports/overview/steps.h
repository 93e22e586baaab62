// The overview step by step: a row for each step of each process, by role.

#ifndef OPSCOPE_REPORTS_OVERVIEW_STEPS_H
#define OPSCOPE_REPORTS_OVERVIEW_STEPS_H

#include "analysis/launch_gaps.h"
#include "analysis/overview.h"
#include "reports/table.h"

enum overview_figure {
    OVERVIEW_STEP_OVERALL, // its own span, or from the first start to the last end
    OVERVIEW_STEP_COMPUTE,
    OVERVIEW_STEP_IN,
    OVERVIEW_STEP_OUT,
    OVERVIEW_STEP_WITHIN,
    OVERVIEW_STEP_COMMUNICATION,
    OVERVIEW_STEP_OVERLAP,
    OVERVIEW_STEP_HOST,
    OVERVIEW_STEP_IDLE,
    OVERVIEW_STEP_NOT_LAUNCHED,
    OVERVIEW_STEP_LAUNCHED,
    OVERVIEW_STEP_LAUNCH_UNKNOWN,
    OVERVIEW_STEP_FIGURES,
};

struct overview_step_row {
    uint32_t process; // track id
    uint64_t step;
    struct overview_value figures[OVERVIEW_STEP_FIGURES];
};

struct overview_steps {
    const struct profile *profile;
    struct overview_step_row *rows; // by process, then by step
    size_t count;
};

// Spans of calls, and those that lie in a step's own span: others are of no step. A device's spans
// are of the step that launched them.
status overview_steps_measure(struct profile *profile, struct overview_steps *out_steps);
void overview_steps_free(struct overview_steps *steps);

extern const struct table_form OVERVIEW_STEPS_FORM;

#endif
