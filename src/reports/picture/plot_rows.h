// Where the spans of a lane lie: in which row and columns, and what becomes of those that are too
// narrow, too deep or look like the one around them.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_ROWS_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_ROWS_H

#include "plot.h"

// Times are ns from the start of the profile and lie in what the plot shows.
double plot_column_of(const struct plot *plot, uint64_t ns);
uint32_t plot_column_at(const struct plot *plot, uint64_t ns);

// Puts a span of `lane`, which starts no earlier than those before it, where it belongs, and gives
// its row. From `from` to `to` it lies in the time that is shown.
uint32_t plot_place_span(const struct plot *plot, struct plot_lane *lane,
                         const struct plot_span *span, uint64_t from, uint64_t to);

#endif
