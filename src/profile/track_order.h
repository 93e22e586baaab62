// The order in which tracks are shown: parents before what is below them, siblings by rank, and
// those of one rank as they were added.

#ifndef OPSCOPE_PROFILE_TRACK_ORDER_H
#define OPSCOPE_PROFILE_TRACK_ORDER_H

#include "profile.h"

// Fills `order` with the ids of all tracks, the root first; it has room for that many. Takes
// memory for as many, and time for sorting them, however they are nested.
void track_order(const struct profile *profile, uint32_t *order);

#endif
