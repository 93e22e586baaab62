// The performance report as text: the table, the advice, the stacked report
// and what limits the operations.

#ifndef OPSCOPE_CLI_TT_PERF_TABLE_H
#define OPSCOPE_CLI_TT_PERF_TABLE_H

#include "reports/tenstorrent/perf_table.h"
#include "tt_perf_cells.h"

struct tt_perf_style {
    bool colours;
    double min_percentage; // rows below are grey
};

// Of an operation, by what is in its code.
enum colour tt_perf_code_colour(struct view code);

// What was detected and chosen while reading.
void tt_perf_print_messages(const struct perf *perf, const struct tt_perf_style *style);

// Rows are those that `shown` has, a table of the operations.
void tt_perf_print_table(const struct perf *perf, const struct table *shown,
                         const struct tt_perf_style *style);
void tt_perf_print_advice(struct perf *perf, const struct tt_perf_style *style);
// The sums, and the figures behind the costliest operations or `all`.
void tt_perf_print_limits(const struct perf *perf, bool all, const struct tt_perf_style *style);

void tt_perf_print_stack(struct perf *perf, enum perf_grouping grouping, bool by_device,
                         const struct tt_perf_style *style);

#endif
