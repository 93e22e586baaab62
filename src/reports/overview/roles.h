// The table by role: of any machine, whatever its engines are called.

#ifndef OPSCOPE_REPORTS_OVERVIEW_ROLES_H
#define OPSCOPE_REPORTS_OVERVIEW_ROLES_H

#include "reports/overview_rows.h"

extern const struct overview_part OVERVIEW_ROLE_PARTS[];
extern const size_t OVERVIEW_ROLE_PART_COUNT;

// Of an overview that was computed with these parts. First what the roles add up to, then each
// engine, of each core where the profile says cores. What is absent comes with `all` only.
void overview_roles_rows(const struct overview *overview, bool all, struct overview_rows *out_rows);

#endif
