// The columns of an operations report that follow from others, computed again.
//
// A report that was written by a sound tool agrees with itself to the printed
// digit. What cannot be computed from the columns that are there is `unknown`.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_DERIVE_H
#define OPSCOPE_FORMATS_TENSTORRENT_DERIVE_H

#include "report.h"

struct derive_account {
    uint64_t equal;
    uint64_t different;
    uint64_t unknown; // rows with a figure that the others do not determine
    uint64_t line;    // of the first that differs
};

struct derive_result {
    double clock_mhz;                  // of the device; 0 when the rows do not tell
    struct derive_account host_end;    // start + duration
    struct derive_account fw_duration; // cycles at the clock
    struct derive_account fpu_util;    // 100 * PM COMPUTE / kernel duration, 3 decimals
    // The kernel's gap lies between the firmware's gap and that plus what the
    // firmware takes around the two kernels; the first of a device is 0. Rows
    // in the order of the report.
    struct derive_account op_to_op;
    // The gap plus the time until the first data movement kernel starts, as far
    // as whole nanoseconds tell.
    struct derive_account op_to_op_dm_start;
};

// The clock at which every firmware duration is its cycles, of those that the
// devices run at; 0 when there is none.
double derive_clock_mhz(const struct report *report);

void derive_check(const struct report *report, struct derive_result *out_result);

#endif
