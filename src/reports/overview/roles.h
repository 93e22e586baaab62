// The table by role: of any machine, whatever its engines are called.

#ifndef OPSCOPE_REPORTS_OVERVIEW_ROLES_H
#define OPSCOPE_REPORTS_OVERVIEW_ROLES_H

#include "analysis/launch_gaps.h"
#include "reports/overview_rows.h"

extern const struct overview_part OVERVIEW_ROLE_PARTS[];
extern const size_t OVERVIEW_ROLE_PART_COUNT;
enum { OVERVIEW_COMPUTE_PART }; // the place of what computes among them

// What a row of the steps has, by enum overview_figure, up to idle; over these parts.
extern const struct overview_rule OVERVIEW_STEP_RULES[];

// Of an overview that was computed with these parts. First what the roles add up to, then each
// engine, of each core where the profile says cores; why the device rests comes from `gaps`. What
// is absent comes with `all` only.
//
// A profile whose fact `placement` says `totals` has no rows of roles: what was done at the same
// time is not known.
void overview_roles_rows(const struct overview *overview, const struct launch_gaps *gaps, bool all,
                         struct overview_rows *out_rows);

// How long the busiest engine of each core that does more than the others works: the busiest core,
// the least busy one, and each that has more than 1.5 times the mean of all and more than the mean
// and the deviation together. Nothing where there are fewer than two cores.
void overview_roles_add_cores(const struct overview *overview, struct overview_rows *rows);

#endif
