// The page of qaic-opstats --report.

#ifndef OPSCOPE_CLI_QAIC_REPORT_H
#define OPSCOPE_CLI_QAIC_REPORT_H

#include "reports/qaic/opstats_report.h"
#include "table_options.h"

enum { QAIC_REPORT_TOP = 10 }; // rows of nodes and blocks, as text

extern const struct table_form *const QAIC_REPORT_TABLES[];

// Finishes and shows it: text, JSON or CSV on the standard output.
status qaic_report_show(struct opstats_report *report, const struct table_options *options);

#endif
