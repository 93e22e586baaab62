// `opscope convert` between versions of Tenstorrent's operations report: a
// table stays a table, without the detour over a profile.

#ifndef OPSCOPE_CLI_CONVERT_REPORT_H
#define OPSCOPE_CLI_CONVERT_REPORT_H

#include "profile/profile.h"

// Whether `name` is tenstorrent-report (as it is read), -v1, -v2 or -v2.1.
bool convert_report_is_form(const char *name);

// Whether a file is a report. The standard input is not looked at.
bool convert_report_is_input(const char *path);

// Writes the report at `in` to `out` in the form `name`; NULL: as it is read,
// the same bytes. Rows that are cut off are in the ledger of `account`.
status convert_report(const char *in, const char *out, const char *name, struct profile *account);

#endif
