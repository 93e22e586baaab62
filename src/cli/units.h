// Numbers that users type: clocks and times.

#ifndef OPSCOPE_CLI_UNITS_H
#define OPSCOPE_CLI_UNITS_H

#include <stdint.h>

#include "options.h"

// Megahertz, with decimals ("812.5"); 0 when the option was not given.
status units_clock(const struct arguments *arguments, const char *name, uint64_t *out_hz);

// Seconds ("1.234"), a time with a unit ("207ms"), or a file that holds one
// (wall_time.txt).
status units_time(const char *text, uint64_t *out_ns);

#endif
