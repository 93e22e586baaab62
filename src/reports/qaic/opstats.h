// What qaic-opstats makes of a statistics buffer: the summary, and a trace.

#ifndef OPSCOPE_REPORTS_QAIC_OPSTATS_H
#define OPSCOPE_REPORTS_QAIC_OPSTATS_H

#include "formats/qaic/networkdesc.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"
#include "program/program.h"

struct opstats {
    const struct qaic_network *network;
    const struct qaic_raw_stats *stats;
    const struct program *program; // for dependencies; NULL: none are known
};

// Fails for a buffer that is not of this network.
status opstats_check(const struct opstats *opstats, const char *path);

// Free with qaic_summary_free.
struct qaic_summary *opstats_summarise(const struct opstats *opstats);

struct opstats_trace {
    const bool *cores;  // by core: which are shown; NULL: all
    bool merge_threads; // of a group: one track
    bool flows;
    bool barriers; // on threads of their own
    // As a part of a trace that has other events besides: without what is around them.
    bool part;
    bool follows;     // an event stands before
    bool unnamed;     // threads were named by a part before
    double offset_us; // of the first start
};

void opstats_trace_write(const struct opstats *opstats, const struct opstats_trace *options,
                         struct output *output);

#endif
