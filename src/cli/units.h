// What users type: clocks, times, and the rules that tasks are priced by.

#ifndef OPSCOPE_CLI_UNITS_H
#define OPSCOPE_CLI_UNITS_H

#include <stdint.h>

#include "base/view.h"
#include "options.h"
#include "target/cost.h"

// Megahertz, with decimals ("812.5"); 0 when the option was not given.
status units_clock(const struct arguments *arguments, const char *name, uint64_t *out_hz);

// Seconds ("1.234"), a time with a unit ("207ms"), or a file that holds one
// (wall_time.txt).
status units_time(const char *text, uint64_t *out_ns);

// A time that may be negative, exactly: "+1.5ms", "-3s", "1700000000.123456789s", "250ns". Seconds
// without a unit. False when it is anything else or does not fit.
bool units_signed_time(struct view text, int64_t *out_ns);

// "+20ppm", "-3.5 ppm", "12ppb"; ppm without a unit. In 1e-9, at most half a second a second.
bool units_drift(struct view text, int64_t *out_ppb);

// Bytes: "1000000", "200MB", "64 KiB"; the case of the unit does not matter.
bool units_size(struct view text, uint64_t *out_bytes);

// "best" or "public"; best when the option was not given.
status units_rules(const struct arguments *arguments, const char *name, enum cost_rules *out_rules);

#endif
