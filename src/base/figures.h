// Figures as people read them: three digits and a unit.

#ifndef OPSCOPE_BASE_FIGURES_H
#define OPSCOPE_BASE_FIGURES_H

#include <stdint.h>

enum { FIGURES_ROOM = 32 };

// Each writes to `text` and returns it.

// Cycles of a clock as a time: "8.42 ms".
const char *figures_time(uint64_t cycles, uint64_t clock_hz, char text[FIGURES_ROOM]);

// "498 KiB"; exact below 1024: "640 B".
const char *figures_bytes(uint64_t bytes, char text[FIGURES_ROOM]);

// "6.74 M"
const char *figures_short(uint64_t number, char text[FIGURES_ROOM]);

// The same in less room: "6.74M"; exact below 1000.
const char *figures_letter(uint64_t number, char text[FIGURES_ROOM]);

// How many times as much: "24.4x", from a thousand on with all digits before the point.
const char *figures_times(double factor, char text[FIGURES_ROOM]);

// All digits, in groups of three: "1 832".
const char *figures_count(uint64_t number, char text[FIGURES_ROOM]);

#endif
