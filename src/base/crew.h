// Work that consists of items of which none depends on another, done by several threads.
//
// Which thread does which item is left to chance: an item writes what is its own, or its worker's
// and is the same whatever that worker did before. Then the results do not depend on the number of
// threads. Items are begun in order, so the longest are best put first.

#ifndef OPSCOPE_BASE_CREW_H
#define OPSCOPE_BASE_CREW_H

#include <stdint.h>

// Calls `item(context, worker, i)` for each i below `count`, on `workers` threads with the
// caller's, which is worker 0; returns when all are done. A machine that refuses threads gets it
// done with those that it has. Where memory runs out in one of them, the caller's scope fails
// (base/recovery.h).
void crew_run(unsigned workers, uint32_t count,
              void (*item)(void *context, unsigned worker, uint32_t index), void *context);

#endif
