// The operations report as files: from logs, or from a profile that was converted from logs, with
// the same bytes.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_OPS_REPORT_H
#define OPSCOPE_REPORTS_TENSTORRENT_OPS_REPORT_H

#include "logs_report.h"

struct ops_report {
    const char *output; // "-": the standard output
    enum report_version version;
    // Only what the device says, with the gaps of each core beside the report
    // (per_core_op_to_op_times.csv). Set where there is nothing else.
    bool device_only;
    size_t rows;                     // that were written
    struct report_modelled modelled; // of them
};

// How many of its operations nobody measured, as words to put behind the report's: ", all
// modelled: nothing was measured"; "" where all were.
enum { OPS_REPORT_WORDS_ROOM = 96 };
const char *ops_report_modelled_words(const struct report_modelled *modelled,
                                      char words[OPS_REPORT_WORDS_ROOM]);

// Whether a file is a profile of any format, and none of the logs; the standard input is not looked
// at.
bool ops_report_is_profile(const char *path);

// From logs that are open; the ledger gets what is lost.
status ops_report_of_logs(struct ops_report *report, struct logs *logs, struct profile *ledger);

// From a profile at `path`, which is read into `profile`, a fresh one: its ledger is that of the
// logs.
status ops_report_of_profile(struct ops_report *report, const char *path, struct profile *profile);

#endif
