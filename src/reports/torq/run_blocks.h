// The time of each block of a program in a run: what the host started, waited for or copied.

#ifndef OPSCOPE_REPORTS_TORQ_RUN_BLOCKS_H
#define OPSCOPE_REPORTS_TORQ_RUN_BLOCKS_H

#include "formats/torq/run_actions.h"
#include "reports/table.h"

struct run_block {
    uint32_t action; // that begins it
    uint32_t dispatch;
    uint64_t ns; // the median of its executions
};

// In the order of the program, for the caller to free. `*out_executions` is how many there were of
// all of them.
struct run_block *run_blocks(const struct run_actions *actions, size_t *out_count,
                             size_t *out_executions);

struct run_blocks_report {
    const struct program *program;
    const struct run_block *blocks;
};

// A row for each block of a report.
extern const struct table_form RUN_BLOCKS_FORM;

#endif
