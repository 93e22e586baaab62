// The modelled times of a program, as rows and as files. docs/commands/estimate.md has the forms.

#ifndef OPSCOPE_REPORTS_TORQ_ESTIMATE_H
#define OPSCOPE_REPORTS_TORQ_ESTIMATE_H

#include "estimate_rows.h"
#include "reports/table.h"

// All that is pointed to but rows and times is the caller's, and must outlive it.
struct estimate {
    const char *path; // of the program
    const struct program *program;
    const struct target *target;
    enum cost_rules rules;
    struct sim_result *times;
    struct estimate_row *rows; // as the published compiler orders them
    size_t row_count;
};

// Of a program and a target that are set, with the rules.
status estimate_compute(struct estimate *estimate);
void estimate_free(struct estimate *estimate);

// "best", "public"
const char *estimate_rules_name(const struct estimate *estimate);

// From now on rows are in the order of time.
void estimate_rows_sort(struct estimate *estimate);

// All of it as JSON, with rows of a table of ESTIMATE_FORM.
status estimate_write_json(const struct estimate *estimate, struct table *rows, const char *path);

// How an estimate is written.
struct estimate_form;

// By name, or by the extension of `path` when `name` is NULL. NULL: there is none.
const struct estimate_form *estimate_form_find(const char *name, const char *path);

status estimate_write(const struct estimate *estimate, const struct estimate_form *form,
                      const char *path);

#endif
