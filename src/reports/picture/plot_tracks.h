// Which tracks a plot shows, and in which order.

#ifndef OPSCOPE_REPORTS_PICTURE_PLOT_TRACKS_H
#define OPSCOPE_REPORTS_PICTURE_PLOT_TRACKS_H

#include "plot.h"

enum { PLOT_NO_LANE = UINT32_MAX };

// Makes the lanes of `plot`, empty. `*out_lane_of` gives the lane of each track, or
// PLOT_NO_LANE; the caller frees it.
void plot_choose_tracks(struct plot *plot, uint32_t **out_lane_of);

// When the events of a track begin and end, in ns; false when it has none.
bool plot_track_range(const struct profile *profile, uint32_t track, uint64_t *out_first,
                      uint64_t *out_last);

#endif
