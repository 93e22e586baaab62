// The performance report as tables: operations, and the stacked report. Headings are those of
// tt-perf-report.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_PERF_TABLE_H
#define OPSCOPE_REPORTS_TENSTORRENT_PERF_TABLE_H

#include "perf.h"
#include "reports/table.h"

struct perf_report {
    struct perf *perf;
};

// A row for each operation.
extern const struct table_form PERF_FORM;

// The columns of tt-perf-report's table, and of its CSV; for `table_choose`.
#define PERF_TABLE_COLUMNS                                                                         \
    "id,total_percent,bound,label,device,shown_time_us,gap_us,cores,dram_gb_s,dram_percent,"       \
    "tflops,flops_percent,fidelity"
// What follows the table's where the reports say it.
#define PERF_PLACE_COLUMNS ",const_eval_op,loc"
#define PERF_CSV_COLUMNS                                                                           \
    "id,total_percent,bound,label,device,csv_time_us,gap_us,csv_cores,dram_gb_s,dram_percent,"     \
    "tflops,flops_percent,fidelity,output_datatype,input_0_datatype,input_1_datatype,dram_"        \
    "sharded,"                                                                                     \
    "input_0_memory,inner_block,subblock_height,subblock_width,"                                   \
    "csv_call_count"

struct perf_stack_report {
    const struct perf_group *groups;
};

// A row for each group.
extern const struct table_form PERF_STACK_FORM;

// The columns of the stacked report in tt-perf-report's order.
const char *perf_stack_columns(enum perf_grouping grouping, bool by_device);

#endif
