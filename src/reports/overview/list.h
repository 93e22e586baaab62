// The overviews of a profile. A machine whose own tools have a table of it gets that; every other
// one gets the table by role.

#ifndef OPSCOPE_REPORTS_OVERVIEW_LIST_H
#define OPSCOPE_REPORTS_OVERVIEW_LIST_H

#include "reports/overview_rows.h"

// What `opscope overview` shows, one for each process: what the profile carries, else what
// its spans add up to; with `all` also what is not shown otherwise.
status overview_rows_list(struct profile *profile, bool all, struct overview_rows **out_list,
                          size_t *out_count);

// Whether a row is worth a line in a report: what is absent is said, but for what few profiles
// have.
bool overview_row_is_shown(const struct overview_row *row);

// Only those rows.
void overview_rows_keep_shown(struct overview_rows *rows);

// The list and its rows.
void overview_rows_list_free(struct overview_rows *list, size_t count);

#endif
