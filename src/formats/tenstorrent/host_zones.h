// The host's side of a capture, from Tracy's own trace: what csvexport would make of it, as the two
// logs that everything else reads (ops_times.h, ops_data.h).
//
// Memory: that of the profile, 24 bytes for each message and what lies around the deepest zone.

#ifndef OPSCOPE_FORMATS_TENSTORRENT_HOST_ZONES_H
#define OPSCOPE_FORMATS_TENSTORRENT_HOST_ZONES_H

#include "base/spool.h"
#include "profile/profile.h"

// Appends tracy_ops_times.csv and tracy_ops_data.csv of the host's lanes to two empty spools. The
// profile is one that formats/tracy has read, finished.
status host_zones_export(struct profile *profile, struct spool *times, struct spool *data);

#endif
