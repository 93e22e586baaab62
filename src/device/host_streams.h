// Runs jobs of several streams: each goes through its own steps, and waits for its tasks and
// at semaphores without holding up the others.
//
// There is no controller: a worker that has ended a task takes the streams further that
// can go on, and then the next task. Where no stream can, no task is left and none runs, the
// program is wrong, and the job fails.

#ifndef OPSCOPE_DEVICE_HOST_STREAMS_H
#define OPSCOPE_DEVICE_HOST_STREAMS_H

#include "host_task.h"

struct host_streams;

// Runs one task, on any thread.
typedef status host_streams_task(void *context, struct host_worker *worker, uint32_t task);

// NULL for a program with one stream. The program must outlive it.
struct host_streams *host_streams_create(const struct program *program, host_streams_task *run,
                                         void *context);
void host_streams_free(struct host_streams *streams);

// The next iteration: no semaphore has been raised.
void host_streams_reset(struct host_streams *streams);

// All steps of a job, by `count` workers that are threads of `parallel`; by this thread when
// there is one. Of tasks that fail, the one that stands first among the steps is reported;
// only steps before it are still done.
status host_streams_run(struct host_streams *streams, const struct program_job *job,
                        struct host_worker *workers, unsigned count, struct parallel *parallel);

#endif
