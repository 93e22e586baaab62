// What qaic-opstats makes of a statistics buffer: the summary, and a trace.

#ifndef OPSCOPE_REPORTS_QAIC_OPSTATS_H
#define OPSCOPE_REPORTS_QAIC_OPSTATS_H

#include "formats/qaic/networkdesc.h"
#include "formats/qaic/raw_stats.h"
#include "formats/qaic/summary.h"
#include "program/program.h"
#include "target/target.h"

// A row of the summary of a core: operations of one kind, group, memory and type.
struct opstats_row {
    struct view details;               // "aicsoftmax HVX TCM (float16)"
    const struct qaic_operation *like; // one of them
    uint32_t group;
};

// What all buffers of a network have in common: operations counted through, and their rows.
struct opstats_plan {
    const struct qaic_network *network;
    struct arena arena;
    size_t *first; // by core and group: number of its first operation
    size_t operation_count;
    uint32_t *row_of;  // by operation: among the rows of its core
    uint64_t *sizes;   // by operation: bytes that it writes
    size_t *first_row; // by core, and the end of the last
    struct opstats_row *rows;
    size_t row_count, row_capacity;
};

// Of a network that outlives it.
struct opstats_plan *opstats_plan_make(const struct qaic_network *network);
void opstats_plan_free(struct opstats_plan *plan);

struct opstats {
    const struct qaic_network *network;
    const struct qaic_raw_stats *stats;
    const struct program *program;   // for dependencies; NULL: none are known
    const struct target *target;     // that it is for; NULL: what the host does is not known
    const struct opstats_plan *plan; // NULL: made where it is needed
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
    double offset_us; // of the first start of all
};

// Of an inference, a part for each of its devices, all on one clock. What overlaps on a track
// stands on further ones (opstats_lanes.h). Memory: 17 bytes an operation, and with flows 16 a
// task.
void opstats_trace_write(const struct opstats *parts, size_t count,
                         const struct opstats_trace *options, struct output *output);

// The end of a trace that is not a part: where its times are from, and what is lost.
void opstats_trace_end(const struct opstats *parts, size_t count, struct output *output);

// Ticks at which the first of its threads starts; UINT64_MAX: none is known.
uint64_t opstats_first_start(const struct qaic_raw_stats *stats);

#endif
