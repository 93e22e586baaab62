// The operations report (ops_perf_results.csv) from the logs, by the rules of
// tt-metal's process_ops_logs.py (docs/formats/tenstorrent-logs.md has them).
//
// Where that script gives up, this writes what is true, leaves the rest empty
// and accounts for it in the ledger. Memory: that of logs.h and report.h.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_LOGS_REPORT_H
#define OPSCOPE_REPORTS_TENSTORRENT_LOGS_REPORT_H

#include "formats/tenstorrent/logs.h"
#include "formats/tenstorrent/report.h"

// `version` is V1, V2 or V2.1: V2.1 has the chip and its cores, too.
struct report *logs_report_make(struct logs_record *record, enum report_version version);

// The gaps between operations on each core (per_core_op_to_op_times.csv of the
// device-only mode), in cycles less the 1500 that the profiler takes itself.
void logs_per_core_write(const struct logs_record *record, struct output *output);

// Sets the cells that the JSON of an operation holds.
void logs_report_describe(struct report *report, size_t row, const struct json_value *json);

#endif
