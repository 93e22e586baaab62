// What a capture got, as one profile: the processes of the command, and what each of them recorded,
// on one time axis.
//
// Memory: that of analysis/merge.h.

#ifndef OPSCOPE_CAPTURE_COLLECT_H
#define OPSCOPE_CAPTURE_COLLECT_H

#include "capture.h"
#include "profile/profile.h"

struct collected {
    size_t recordings; // that opscope's recorder made, and could be read
    size_t streams;    // of programs with Tracy
    size_t unreadable; // nothing was written before the process ended, say
};

// Into a fresh profile. What could not be captured, or only in part, is in its ledger.
status capture_collect(const struct capture *capture, struct profile *out,
                       struct collected *out_collected);

// What a process was called when it was last seen.
const char *capture_process_name(const struct capture *capture, pid_t id);

#endif
