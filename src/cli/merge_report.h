// What `opscope merge` says of how it placed each profile.

#ifndef OPSCOPE_CLI_MERGE_REPORT_H
#define OPSCOPE_CLI_MERGE_REPORT_H

#include "analysis/merge.h"
#include "wire/json.h"

// On stderr: one line a profile, and what to do where nothing says how it lies.
void merge_report_print(const struct merge *merge, const char *out, const struct profile *merged);

void merge_report_json(struct json_writer *json, const struct merge *merge, const char *out,
                       const struct profile *merged);

#endif
