// What a machine can do at most, for rooflines: from a target, or as the user says.

#ifndef OPSCOPE_CLI_PEAKS_H
#define OPSCOPE_CLI_PEAKS_H

#include "analysis/roofline.h"
#include "options.h"
#include "target/target.h"

#define PEAKS_OPTIONS                                                                              \
    {"target", 't', OPTION_ONE, "NAME", "whose peaks count; that of the run where it is known"},   \
        {"peak-macs", 0, OPTION_ONE, "N", "multiply-adds in a second instead: 8T"},                \
    {                                                                                              \
        "peak-bandwidth", 0, OPTION_ONE, "RATE", "of the far memory instead: 107GB/s"              \
    }

struct peaks {
    struct roofline_peaks peaks;
    struct roofline_peak *compute;
    struct target *target; // NULL: none is known
    const char *from;      // in words: whose they are; NULL: nobody's
};

// Only looks for wrong use; `out_peaks` is to be freed in any case.
status peaks_read_options(const struct arguments *arguments, struct peaks *out_peaks);

// What was not given comes from --target, or from the machine that the profile is of: the target of
// a modelled run, the `host` of a measured one. A target that is not here is none.
status peaks_complete(const struct arguments *arguments, const struct profile *profile,
                      struct peaks *peaks);

void peaks_free(struct peaks *peaks);

// The target that a profile names; NULL where there is none of that name.
struct target *peaks_target_if_any(const char *name);

#endif
