// The modelled tasks of a program as a table.

#ifndef OPSCOPE_REPORTS_TORQ_ESTIMATE_TABLE_H
#define OPSCOPE_REPORTS_TORQ_ESTIMATE_TABLE_H

#include "reports/table.h"

// Of a `struct estimate`: a row for each of its rows.
extern const struct table_form ESTIMATE_FORM;

#endif
