// The end of a conversion: casts go into their graphs, and what nobody reads any more goes.

#ifndef OPSCOPE_NETWORK_CASTS_H
#define OPSCOPE_NETWORK_CASTS_H

#include "network.h"

// How often each value is read, by nodes that run and by outputs of graphs. To be freed.
uint32_t *casts_count_readers(const struct network *network);

// Enters nodes into the graphs that they name, each behind what it reads. Leaves out those whose
// results nobody reads, and older nodes whose results were read `before`, when there were
// `before_count` values, and are no longer. Counts in the network's record the casts that remain.
status casts_enter(struct network *network, const uint32_t *casts, size_t cast_count,
                   const uint32_t *before, uint32_t before_count);

#endif
