// What a test session found: rows, JSON, JUnit's XML, and the overview of every network.

#ifndef OPSCOPE_CLI_SUITE_REPORT_H
#define OPSCOPE_CLI_SUITE_REPORT_H

#include "reports/overview_rows.h"
#include "suite/list.h"
#include "table_options.h"

// The figures of a network's trace.
struct suite_overview {
    struct overview_rows *list; // one for each process
    size_t count;
};

struct suite_report {
    const struct trial_list *list;
    struct trial_result *results;     // of the list
    struct suite_overview *overviews; // the same
    const char *folder;
};

extern const struct table_form SUITE_FORM;

// Reads the trace of a network that ran. What is wrong with it makes the network fail.
void suite_report_read_trace(struct suite_report *report, size_t index);

// A line as soon as a network is done.
void suite_report_print_one(const struct suite_report *report, size_t index);

// results.json and junit.xml in the folder of the results.
status suite_report_write_files(const struct suite_report *report);

// What the command prints at the end, as its options say.
status suite_report_print(const struct suite_report *report, const struct table_options *options);

size_t suite_report_count(const struct suite_report *report, enum trial_status wanted);
void suite_report_free(struct suite_report *report);

#endif
