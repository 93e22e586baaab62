// The groups of a compiled network as a table: what each takes, and what bounds it.

#ifndef OPSCOPE_REPORTS_GROUPS_H
#define OPSCOPE_REPORTS_GROUPS_H

#include "analysis/modelled.h"
#include "table.h"

struct groups_report {
    const struct program *program;
    const struct target *target;
    const struct modelled *modelled;
};

// A row for each group of `modelled`, the slowest first.
extern const struct table_form GROUPS_FORM;

#endif
