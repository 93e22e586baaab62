// What `opscope merge` says of how it placed each profile.

#ifndef OPSCOPE_CLI_MERGE_REPORT_H
#define OPSCOPE_CLI_MERGE_REPORT_H

#include "analysis/merge.h"
#include "reports/table.h"

// On stderr: one line a profile, and what to do where nothing says how it lies.
void merge_report_print(const struct merge *merge, const char *out, const struct profile *merged);

// A row for each source of a `struct merge`.
extern const struct table_form MERGE_FORM;

void merge_report_json(struct json_writer *json, const struct merge *merge, struct table *table,
                       const char *out, const struct profile *merged);

#endif
