// The performance report as files: CSV in tt-perf-report's columns, and JSON
// with every figure.

#ifndef OPSCOPE_CLI_TT_PERF_FILES_H
#define OPSCOPE_CLI_TT_PERF_FILES_H

#include "formats/tenstorrent/perf.h"
#include "wire/json.h"

struct tt_perf_csv {
    bool advice;       // with the column
    bool raw_op_codes; // with the column
};

// CRLF, numbers as Python writes them.
status tt_perf_write_csv(struct perf *perf, const struct tt_perf_csv *options, const char *path);

// LF, two decimals.
status tt_perf_write_stack_csv(struct perf *perf, enum perf_grouping grouping, bool by_device,
                               const char *path);

void tt_perf_write_json(struct json_writer *json, struct perf *perf, enum perf_grouping grouping,
                        bool by_device);

#endif
