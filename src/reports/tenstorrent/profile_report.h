// The report of operations from any profile: what the calls of operators did, in the columns that
// Tenstorrent's tools know. docs/formats/tenstorrent-report.md says what each column is then, and
// which stay empty.
//
// Memory: about 250 bytes for a call and 24 for each core that it ran on, and the report.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_PROFILE_REPORT_H
#define OPSCOPE_REPORTS_TENSTORRENT_PROFILE_REPORT_H

#include "formats/tenstorrent/report.h"

// A profile whose events name no operators is an error.
status profile_report_make(struct profile *profile, enum report_version version,
                           struct report **out_report);

#endif
