// The statistics of an inference as a profile: a process for the network, a group for each core
// and lanes for what its threads do, by role. Without the container that was run there are times
// and places, and no names; what is missing is noted.
//
// Read in a row, not in parts (base/parts.h): records are taken as they lie in the mapped file.
// What is left to do for each depends on those before it: texts, lanes, flows, doubled records.

#ifndef OPSCOPE_FORMATS_QAIC_RAW_PROFILE_H
#define OPSCOPE_FORMATS_QAIC_RAW_PROFILE_H

#include "base/input.h"
#include "profile/profile.h"

// `container`: path of programqpc.bin or of its folder; NULL: none is given. Fails where it is
// not the one that was run. Records that cannot be true, and those that the file ends before, are
// in the ledger.
status qaic_raw_profile_read(const struct input *input, const char *container,
                             struct profile *profile);

#endif
