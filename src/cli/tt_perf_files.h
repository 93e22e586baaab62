// The performance report as files: CSV in tt-perf-report's columns, and JSON
// with every figure.

#ifndef OPSCOPE_CLI_TT_PERF_FILES_H
#define OPSCOPE_CLI_TT_PERF_FILES_H

#include "reports/tenstorrent/perf_table.h"

// Of the table of operations: those columns that were `chosen`, or the vendor's. CRLF, numbers
// as Python writes them. `advice`: with the column.
status tt_perf_write_csv(struct table *table, bool chosen, bool advice, bool raw_codes,
                         const char *path);

// LF, two decimals.
status tt_perf_write_stack_csv(struct perf *perf, enum perf_grouping grouping, bool by_device,
                               const char *path);

void tt_perf_write_json(struct json_writer *json, struct perf *perf, struct table *table,
                        enum perf_grouping grouping, bool by_device);

#endif
