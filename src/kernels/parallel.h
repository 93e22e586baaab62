// A pool of workers for the loops of kernels.
//
// Work is cut into pieces whose number and bounds depend on the work alone,
// never on the number of workers, and every piece writes results of its own:
// so results do not depend on the number of threads.
//
// A worker that has nothing to do looks for the next loop for a tenth of a
// millisecond, and then sleeps. Nobody waits for a worker that wakes too late: the
// others do its pieces. Workers for whom there is no CPU stay asleep.

#ifndef OPSCOPE_KERNELS_PARALLEL_H
#define OPSCOPE_KERNELS_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

struct parallel;

// `threads` counts the calling one; 0 means one for each CPU that this
// process may use (its affinity and its control group). More than 256 are made
// only where there are as many CPUs.
struct parallel *parallel_create(unsigned threads);
void parallel_free(struct parallel *parallel);
unsigned parallel_threads(const struct parallel *parallel);

// Calls `piece(context, from, to)` for [0, count) in pieces of `grain` (the last
// may be smaller), in any order, on any worker; returns when all are done.
// A piece must not call this again. One thread does them in order.
void parallel_for(struct parallel *parallel, uint64_t count, uint64_t grain,
                  void (*piece)(void *context, uint64_t from, uint64_t to), void *context);

#endif
