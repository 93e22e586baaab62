// What -aic-perf-warnings says of a program for the card besides what is said of any machine's
// (compiler/warnings.h): cores without work, cores with more than others, conversions of
// layouts, and a host that cannot keep up.

#ifndef OPSCOPE_FORMATS_QAIC_PERF_WARNINGS_H
#define OPSCOPE_FORMATS_QAIC_PERF_WARNINGS_H

#include "base/bytes.h"
#include "device/sim.h"

// A line each, "idle-cores: ...". `times` are those of one inference. What takes less than a
// hundredth of it is left out.
void qaic_perf_warnings_find(const struct program *program, const struct target *target,
                             const struct sim_result *times, struct bytes *to);

#endif
