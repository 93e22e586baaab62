// Conversion between versions of Tenstorrent's operations report: a
// table stays a table, without the detour over a profile.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_REPORT_CONVERT_H
#define OPSCOPE_FORMATS_TENSTORRENT_REPORT_CONVERT_H

#include "profile/profile.h"
#include "report.h"

// Whether `name` is tenstorrent-report (as it is read), -v1, -v2 or -v2.1.
bool report_convert_is_form(const char *name);

// The version that a form is; of the one as it is read the first.
enum report_version report_convert_version(const char *name);

// Whether a file is a report. The standard input is not looked at.
status report_convert_is_input(const char *path, bool *out_is);

// Writes the report at `in` to `out` in the form `name`; NULL: as it is read,
// the same bytes. Rows that are cut off are in the ledger of `account`.
status report_convert(const char *in, const char *out, const char *name, struct profile *account);

#endif
