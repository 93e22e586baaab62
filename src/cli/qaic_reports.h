// What Cloud AI's compiler is asked to say of what it compiled: -time-passes, -v,
// -aic-perf-metrics and -aic-perf-warnings.

#ifndef OPSCOPE_CLI_QAIC_REPORTS_H
#define OPSCOPE_CLI_QAIC_REPORTS_H

#include "compiling.h"

enum { QAIC_PASSES_MOST = 16 };

// How long passes took, in nanoseconds.
struct qaic_passes {
    uint64_t since; // the end of the last one
    struct {
        const char *name;
        uint64_t time;
    } items[QAIC_PASSES_MOST];
    size_t count;
};

// Notes passes from now on.
struct compile_observer qaic_reports_observe(struct qaic_passes *passes);

// Whether something was asked for that says how long the program takes.
bool qaic_reports_price(const struct arguments *arguments);

// Those that were asked for: warnings on the standard error, the rest on the standard output.
void qaic_reports_print(const struct arguments *arguments, const struct compiling *compiling,
                        const char *network, const struct qaic_passes *passes);

// What QAIC_COMPILER_OPTS_UNSUPPORTED asks for: with -aic-dump-graphs-dir=DIR the files of
// formats/qaic/dumps.h. Of other options there it is said that they have no effect.
status qaic_reports_dump(const struct compiling *compiling, const char *network);

#endif
