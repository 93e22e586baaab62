// A report of operations from whatever has one in it: a report, a folder of reports or of logs, a
// log, a profile.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_ANY_REPORT_H
#define OPSCOPE_REPORTS_TENSTORRENT_ANY_REPORT_H

#include "formats/tenstorrent/report.h"

// `*out_input` is the file that messages name, and must outlive the report. What reading logs or a
// profile lost goes to the account; what is wrong with rows of a report is in the report.
status any_report_open(const char *path, struct profile *account, struct input **out_input,
                       struct report **out_report);

#endif
