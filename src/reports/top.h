// Which spans of a profile take the time, as a table: kernels by name, or what else they have in
// common.

#ifndef OPSCOPE_REPORTS_TOP_H
#define OPSCOPE_REPORTS_TOP_H

#include "analysis/span_groups.h"
#include "table.h"

// Rows are the groups of a `struct span_groups`.
extern const struct table_form TOP_FORM;

#endif
