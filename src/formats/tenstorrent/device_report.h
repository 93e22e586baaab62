// cpp_device_perf_report.csv: what tt-metal itself computes of each run of an operation on a device
// (TT_METAL_PROFILER_CPP_POST_PROCESS), in place of the device log.
//
// It has no cores and no processors. Where no device log is given, one is made of it that has the
// runs and when their firmware and kernels began and ended, on one core that stands for all; what
// the report says in figures is given to the runs word for word. Memory: the report (report.h), and
// about 1 KiB a run.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DEVICE_REPORT_H
#define OPSCOPE_FORMATS_TENSTORRENT_DEVICE_REPORT_H

#include "base/arena.h"
#include "base/spool.h"
#include "device_ops.h"
#include "report.h"

// By the names in the first line.
bool device_report_recognise(struct view bytes);

// A device log of its runs. Rows that are damaged, and those without a device, an id or the cycles
// of their firmware, are left out: `device_report_give` accounts for them.
status device_report_make_log(const struct report *report, struct spool *log);

// Gives the runs their figures; texts go to the arena. The account gets rows that are lost, and
// columns that the report of operations has no place for; `alone`, without the host's files to tell
// of them, also operations that have no row.
void device_report_give(const struct report *report, const struct device_ops *ops,
                        struct arena *arena, const char *path, bool alone, struct profile *account);

// The pairs that a run was given: `name` and `cell` of one, `rest` moves on; false at the end.
bool device_report_next(struct view *rest, struct view *out_name, struct view *out_cell);

#endif
