// Which operators of a profile take the time, as tables: operators one by one, and by type.

#ifndef OPSCOPE_REPORTS_OPERATORS_H
#define OPSCOPE_REPORTS_OPERATORS_H

#include "analysis/operator_times.h"
#include "table.h"

struct operators_report {
    const struct profile *profile;
    const struct operator_times *times;
    const struct operator_time *rows; // of `times`: its operators or its types
    bool sides[OPERATOR_SIDES];       // what the profile has times of
};

struct operators_report operators_report_of(const struct profile *profile,
                                            const struct operator_times *times,
                                            const struct operator_time *rows);

extern const struct table_form OPERATORS_FORM;
extern const struct table_form OPERATOR_TYPES_FORM;
extern const struct table_form OPERATOR_BLOCKS_FORM; // of operators that say their block

#endif
