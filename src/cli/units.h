// What users type: clocks, times, and the rules that tasks are priced by.

#ifndef OPSCOPE_CLI_UNITS_H
#define OPSCOPE_CLI_UNITS_H

#include <stdint.h>

#include "options.h"
#include "target/cost.h"

// Megahertz, with decimals ("812.5"); 0 when the option was not given.
status units_clock(const struct arguments *arguments, const char *name, uint64_t *out_hz);

// Seconds ("1.234"), a time with a unit ("207ms"), or a file that holds one
// (wall_time.txt).
status units_time(const char *text, uint64_t *out_ns);

// "best" or "public"; best when the option was not given.
status units_rules(const struct arguments *arguments, const char *name, enum cost_rules *out_rules);

#endif
