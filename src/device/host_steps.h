// The tasks of a program for a processor, prepared: for each the steps that compute it, over
// memory that is known, with weights packed. Running a task then neither infers nor allocates,
// and images lie with the channels last between tasks that work on them.

#ifndef OPSCOPE_DEVICE_HOST_STEPS_H
#define OPSCOPE_DEVICE_HOST_STEPS_H

#include "host.h"
#include "host_task.h"

struct host_steps;

// Prepares what can be, as `options` say. The machine must outlive it, and its constants; at most
// the workers of `parallel` compute.
status host_steps_create(const struct host_machine *machine, struct parallel *parallel,
                         const struct host_options *options, struct host_steps **out_steps);
void host_steps_free(struct host_steps *steps);

// False: the task is to be invoked call by call.
bool host_steps_has(const struct host_steps *steps, uint32_t task);

// One task at a time.
status host_steps_run(struct host_steps *steps, uint32_t task, struct parallel *parallel);

#endif
