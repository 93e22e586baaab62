// Memory that is taken and given back, as events of a lane of its own: instants with the value
// `address` and, where it is taken, `bytes`; the event's name says what for, its call who. The lane
// has the value `memory`, the name of the memory. Such events become lifetimes of buffers.

#ifndef OPSCOPE_PROFILE_MEMORY_H
#define OPSCOPE_PROFILE_MEMORY_H

#include "profile.h"

// The track of such a lane, for whoever adds it: its values are in `values`, which is the caller's
// to free.
struct track memory_lane(struct profile *profile, struct view memory, struct bytes *values);

// Adds the lifetimes that the events of such lanes say, for memories that have none yet. What is
// not given back lives to the end of what was recorded on its clock. What is taken again at an
// address without having been given back ends there; what is given back without having been
// taken is remarked in the ledger. Memory: some 48 bytes for each distinct address.
status memory_find_lifetimes(struct profile *profile);

#endif
