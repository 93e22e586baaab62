// The rows that the published compiler writes of a program's modelled times: the
// form C4 of docs/formats/torq-csv.md, in its order: transfers as they are started,
// then slices, then the CSS.

#ifndef OPSCOPE_REPORTS_TORQ_ESTIMATE_ROWS_H
#define OPSCOPE_REPORTS_TORQ_ESTIMATE_ROWS_H

#include "base/output.h"
#include "device/sim.h"

struct estimate_row {
    uint32_t task;   // of the program
    uint32_t number; // "torq-task-id"
    uint64_t start;  // cycles
    uint64_t end;
    char event[40]; // "DMA In", "Slice 0" ...
    bool has_bytes;
    uint64_t bytes; // as the rules count them: elements of a CDMA under the published ones
};

// For the caller to free.
struct estimate_row *estimate_rows(const struct program *program, const struct target *target,
                                   const struct sim_result *times, enum cost_rules rules,
                                   size_t *out_count);

// "loc(...)" of a row's task; "loc(unknown)".
void estimate_row_location(const struct program *program, const struct estimate_row *row,
                           struct bytes *out_text);

// The whole file.
void estimate_rows_write(const struct program *program, const struct estimate_row *rows,
                         size_t count, struct output *output);

#endif
