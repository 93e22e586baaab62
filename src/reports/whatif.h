// How long a run would take if some of it were faster, as rows: the table of `opscope whatif`.

#ifndef OPSCOPE_REPORTS_WHATIF_H
#define OPSCOPE_REPORTS_WHATIF_H

#include "analysis/whatif.h"
#include "table.h"

// A change by itself, or all of them together.
struct whatif_row {
    struct view change; // in words, as it was asked for
    struct whatif_answer answer;
};

struct whatif_rows {
    struct whatif_row *rows;
    size_t count;
};

// Rows of a struct whatif_rows.
extern const struct table_form WHATIF_FORM;

#endif
