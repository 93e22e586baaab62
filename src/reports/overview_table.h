// The overview as a table: a row for each figure of a process.

#ifndef OPSCOPE_REPORTS_OVERVIEW_TABLE_H
#define OPSCOPE_REPORTS_OVERVIEW_TABLE_H

#include "overview_rows.h"
#include "table.h"

struct overview_report {
    const char *path;
    const struct overview_rows *rows;
    bool has_wall_time;
    uint64_t wall_time; // ns
};

extern const struct table_form OVERVIEW_FORM;

// The figures, after the end-to-end time where `wall_time` asks for it and it is known.
struct table *overview_table_create(const struct overview_report *report, bool wall_time);

#endif
