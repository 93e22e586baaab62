// The stacked report as a picture: a bar of device time, a piece per group.

#ifndef OPSCOPE_REPORTS_TENSTORRENT_PERF_PICTURE_H
#define OPSCOPE_REPORTS_TENSTORRENT_PERF_PICTURE_H

#include "perf.h"

// Writes a PNG with one bar, or one per device. Pieces of 2 % of their bar and
// more have a label. They are coloured by category, or `classic`: in turn.
status perf_picture_write(struct perf *perf, enum perf_grouping grouping, bool by_device,
                          bool classic, const char *path);

#endif
