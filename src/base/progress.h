// How far the work at hand is, for whoever wants to show it. One number pair
// for the process: readers say how much of their input is behind them.

#ifndef OPSCOPE_BASE_PROGRESS_H
#define OPSCOPE_BASE_PROGRESS_H

#include <stdint.h>

// Cheap, from any thread; a thousand rows apart is often enough.
void progress_report(uint64_t done, uint64_t total);

// What was reported last; `*out_total` is 0 when nothing was.
void progress_get(uint64_t *out_done, uint64_t *out_total);

#endif
