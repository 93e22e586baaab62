// Counters of a plot: the largest value in each column. Among them is how much of each memory was
// taken, where the profile has the lifetimes of buffers: of what was taken while it was recorded.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_LEVELS_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_LEVELS_H

#include "plot.h"

// A value from `ns` on, which is never earlier than the one before; it stays until the next one.
void plot_level_add(const struct plot *plot, struct plot_lane *lane, uint64_t ns, double number);

// Once all values are there.
void plot_levels_finish(const struct plot *plot, struct plot_lane *lane);

// Adds a heading and a lane for each memory, if there are any. Takes 16 bytes for each time that
// memory was taken or given back.
void plot_add_memories(struct plot *plot);

#endif
