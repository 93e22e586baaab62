// Decimal microseconds, as Chrome traces have them, in nanoseconds: exact, without floating point.

#ifndef OPSCOPE_FORMATS_CHROME_TIME_H
#define OPSCOPE_FORMATS_CHROME_TIME_H

#include "base/view.h"

// ns + billionths * 1e-9 nanoseconds; what is finer is dropped.
struct chrome_time {
    int64_t ns; // rounded down
    uint32_t billionths;
};

// A JSON number, with or without a fraction and an exponent, in quotes or not. False when it is
// anything else or beyond 2^63 ns.
bool chrome_time_of(struct view text, struct chrome_time *out_time);

// False when the sum does not fit.
bool chrome_time_add(struct chrome_time a, struct chrome_time b, int64_t *out_ns);

#endif
