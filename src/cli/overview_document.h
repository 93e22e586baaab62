// The Host Profile Overview as the documents print it.

#ifndef OPSCOPE_CLI_OVERVIEW_DOCUMENT_H
#define OPSCOPE_CLI_OVERVIEW_DOCUMENT_H

#include "reports/overview_table.h"

// Above the first of them.
void overview_document_print_head(void);

// The rows of `table`, in its order; NULL: all of them.
void overview_document_print(const struct overview_report *report, const struct table *table);

#endif
